# SPDX-License-Identifier: Apache-2.0
"""Containers of layers and parameters."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping

from paddle.base.arguments import items
from paddle.base.framework import EagerParamBase

from .layers import Layer

__all__ = ["Sequential", "LayerList", "LayerDict", "ParameterList", "ParameterDict"]


def _index(size, index, what):
    if not isinstance(index, int):
        raise TypeError(f"[{what}] expected an int index, got {type(index).__name__}")
    if not -size <= index < size:
        raise IndexError(f"[{what}] expected an index from {-size} to {size - 1}, got {index}")
    return index % size if size else index


class Sequential(Layer):
    """Layers applied one after another. Arguments: layers, (name, layer) pairs, an OrderedDict
    or a list of layers.

    Args:
        *layers (Layer or tuple): Layers, or pairs of name and layer.

    Examples:
        >>> net = paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.ReLU())
        >>> net(paddle.ones([3, 4])).shape
        paddle.Size([3, 8])
        >>> len(net)
        2
    """

    def __init__(self, *layers):
        super().__init__()
        if len(layers) == 1 and isinstance(layers[0], Mapping):
            pairs = list(layers[0].items())
        elif len(layers) == 1 and isinstance(layers[0], list):
            pairs = [(str(i), layer) for i, layer in enumerate(layers[0])]
        elif layers and isinstance(layers[0], (list, tuple)):
            pairs = [(str(name), layer) for name, layer in layers]
        else:
            pairs = [(str(i), layer) for i, layer in enumerate(layers)]
        for name, layer in pairs:
            self.add_sublayer(name, layer)

    def __getitem__(self, name):
        layers = self._sub_layers
        if isinstance(name, slice):
            return type(self)(*list(layers.values())[name])
        if isinstance(name, str):
            return layers[name]
        return list(layers.values())[_index(len(layers), name, "Sequential")]

    def __setitem__(self, name, layer):
        if isinstance(name, int):
            name = list(self._sub_layers)[_index(len(self), name, "Sequential")]
        setattr(self, str(name), layer)

    def __delitem__(self, name):
        if isinstance(name, slice):
            for key in list(self._sub_layers)[name]:
                del self._sub_layers[key]
        elif isinstance(name, int):
            del self._sub_layers[list(self._sub_layers)[_index(len(self), name, "Sequential")]]
        else:
            del self._sub_layers[str(name)]
        self._sub_layers = OrderedDict(
            (str(i) if k.isdigit() else k, v) for i, (k, v) in enumerate(self._sub_layers.items())
        )

    def __len__(self):
        return len(self._sub_layers)

    def __iter__(self):
        return iter(self._sub_layers.values())

    def append(self, module):
        """Add a layer at the end."""
        self.add_sublayer(str(len(self)), module)
        return self

    def insert(self, index, module):
        """Insert a layer before `index`; numeric names are counted anew."""
        if not isinstance(module, Layer):
            raise AssertionError(f"[Sequential] expected a Layer, got {type(module).__name__}")
        if not -len(self) <= index <= len(self):
            raise IndexError(
                f"[Sequential.insert] expected an index from {-len(self)} to {len(self)}, got "
                f"{index}"
            )
        layers = list(self._sub_layers.values())
        layers.insert(index if index >= 0 else index + len(self), module)
        self._sub_layers.clear()
        for i, layer in enumerate(layers):
            self._sub_layers[str(i)] = layer
        return self

    def extend(self, sequential):
        """Add the layers of another Sequential at the end."""
        for layer in sequential:
            self.append(layer)
        return self

    def forward(self, input):
        """Apply the layers in order."""
        for layer in self._sub_layers.values():
            input = layer(input)
        return input


class LayerList(Layer):
    """A list of layers whose parameters are registered.

    Args:
        sublayers (list of Layers, default None): The first layers.

    Examples:
        >>> layers = paddle.nn.LayerList([paddle.nn.Linear(2, 2) for _ in range(3)])
        >>> len(layers), len(layers[1:])
        (3, 2)
        >>> len([w for layer in layers for w in layer.parameters()])
        6
        >>> paddle.nn.ModuleList is paddle.nn.LayerList
        True
    """

    def __init__(self, sublayers=None):
        super().__init__()
        if sublayers is not None:
            for i, layer in enumerate(items(type(self).__name__, "sublayers", sublayers)):
                self.add_sublayer(str(i), layer)

    def __getitem__(self, idx):
        layers = self._sub_layers
        if isinstance(idx, slice):
            return type(self)(list(layers.values())[idx])
        return layers[str(_index(len(layers), idx, "LayerList"))]

    def __setitem__(self, idx, sublayer):
        setattr(self, str(_index(len(self._sub_layers), idx, "LayerList")), sublayer)

    def __delitem__(self, idx):
        keys = list(self._sub_layers)
        gone = keys[idx] if isinstance(idx, slice) else [keys[_index(len(keys), idx, "LayerList")]]
        for key in gone:
            del self._sub_layers[key]
        self._renumber(list(self._sub_layers.values()))

    def _renumber(self, layers):
        self._sub_layers.clear()
        for i, layer in enumerate(layers):
            self._sub_layers[str(i)] = layer

    def __len__(self):
        return len(self._sub_layers)

    def __iter__(self):
        return iter(self._sub_layers.values())

    def __add__(self, other):
        return type(self)([*self, *other])

    def __iadd__(self, other):
        return self.extend(other)

    def append(self, sublayer):
        """Add a layer at the end."""
        self.add_sublayer(str(len(self)), sublayer)
        return self

    def insert(self, index, sublayer):
        """Insert a layer before `index`."""
        if not isinstance(sublayer, Layer):
            raise AssertionError(f"[LayerList] expected a Layer, got {type(sublayer).__name__}")
        size = len(self)
        if not -size <= index <= size:
            raise AssertionError(
                f"[LayerList.insert] expected an index from {-size} to {size}, got {index}"
            )
        layers = list(self._sub_layers.values())
        layers.insert(index if index >= 0 else index + size, sublayer)
        self._renumber(layers)

    def extend(self, sublayers):
        """Add several layers at the end."""
        for layer in sublayers:
            self.append(layer)
        return self

    def pop(self, key):
        """Remove and return the layer at index `key`."""
        layer = self[key]
        del self[key]
        return layer


class LayerDict(Layer):
    """An ordered dict of layers whose parameters are registered.

    Args:
        sublayers (dict or list of tuples, default None): The first layers, by name.

    Examples:
        >>> first = {"hidden": paddle.nn.Linear(4, 8), "act": paddle.nn.ReLU()}
        >>> layers = paddle.nn.LayerDict(first)
        >>> layers["head"] = paddle.nn.Linear(8, 2)
        >>> list(layers.keys())
        ['hidden', 'act', 'head']
        >>> len(layers.parameters())
        4
        >>> paddle.nn.ModuleDict is paddle.nn.LayerDict
        True
    """

    def __init__(self, sublayers=None):
        super().__init__()
        if sublayers is not None:
            self.update(sublayers)

    def __getitem__(self, key):
        return self._sub_layers[key]

    def __setitem__(self, key, sublayer):
        self.add_sublayer(key, sublayer)

    def __delitem__(self, key):
        del self._sub_layers[key]

    def __len__(self):
        return len(self._sub_layers)

    def __iter__(self):
        return iter(self._sub_layers)

    def __contains__(self, key):
        return key in self._sub_layers

    def clear(self):
        """Remove all layers."""
        self._sub_layers.clear()

    def pop(self, key):
        """Remove and return the layer under `key`."""
        layer = self[key]
        del self[key]
        return layer

    def keys(self):
        """The names."""
        return self._sub_layers.keys()

    def items(self):
        """(name, layer) pairs."""
        return self._sub_layers.items()

    def values(self):
        """The layers."""
        return self._sub_layers.values()

    def update(self, sublayers):
        """Add or replace layers from a mapping or from (name, layer) pairs."""
        if not isinstance(sublayers, Iterable):
            raise AssertionError(
                "[LayerDict.update] expected pairs of a key and a layer, got "
                f"{type(sublayers).__name__}"
            )
        pairs = sublayers.items() if isinstance(sublayers, (Mapping, LayerDict)) else sublayers
        for i, pair in enumerate(pairs):
            if len(pair) != 2:
                raise ValueError(
                    f"[LayerDict.update] expected pairs of a key and a layer, got {len(pair)} "
                    f"items at {i}"
                )
            self.add_sublayer(*pair)


class ParameterList(Layer):
    """A list of parameters.

    Args:
        parameters (list of Parameters, default None): The first parameters.

    Examples:
        >>> ws = paddle.nn.ParameterList([paddle.create_parameter([2], 'float32')])
        >>> len(ws)
        1
    """

    def __init__(self, parameters=None):
        super().__init__()
        if parameters is not None:
            parameters = items('ParameterList', 'parameters', parameters)
            for param in parameters:
                if not isinstance(param, EagerParamBase):
                    raise AssertionError(
                        f"[ParameterList] expected a Parameter, got {type(param).__name__}"
                    )
            self.extend(parameters)

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(list(self._parameters.values())[idx])
        return self._parameters[str(_index(len(self._parameters), idx, "ParameterList"))]

    def __setitem__(self, idx, param):
        if not isinstance(param, EagerParamBase):
            raise AssertionError(
                f"[ParameterList] expected a Parameter, got {type(param).__name__}"
            )
        self._parameters[str(_index(len(self._parameters), idx, "ParameterList"))] = param

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(self._parameters.values())

    def append(self, parameter):
        """Add a parameter at the end."""
        self.add_parameter(str(len(self)), parameter)
        return self

    def extend(self, parameters):
        """Add several parameters at the end."""
        for parameter in parameters:
            self.append(parameter)
        return self


class ParameterDict(Layer):
    """An ordered dict of parameters.

    Args:
        parameters (dict or list of tuples, default None): The first parameters, by name.

    Examples:
        >>> weight = paddle.create_parameter([2, 2], "float32")
        >>> params = paddle.nn.ParameterDict({"weight": weight})
        >>> list(params.keys()), params["weight"].shape
        (['weight'], paddle.Size([2, 2]))
    """

    def __init__(self, parameters=None):
        super().__init__()
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key):
        return self._parameters[key]

    def __setitem__(self, key, param):
        if not isinstance(param, EagerParamBase):
            raise AssertionError(
                f"[ParameterDict] expected a Parameter, got {type(param).__name__}"
            )
        self._parameters[key] = param

    def __delitem__(self, key):
        del self._parameters[key]

    def __contains__(self, key):
        return key in self._parameters

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(self._parameters)

    def clear(self):
        """Remove all parameters."""
        self._parameters.clear()

    def pop(self, key):
        """Remove and return the parameter under `key`."""
        return self._parameters.pop(key)

    def popitem(self):
        """Remove and return the last (name, parameter)."""
        return self._parameters.popitem()

    def get(self, key, default=None):
        """The parameter under `key`, or `default`."""
        return self._parameters.get(key, default)

    def setdefault(self, key, default=None):
        """The parameter under `key`; `default` is stored first if it is missing."""
        if key not in self._parameters:
            self[key] = default
        return self._parameters[key]

    def copy(self):
        """A new ParameterDict with the same parameters."""
        return type(self)(OrderedDict(self._parameters))

    def fromkeys(self, keys, default=None):
        """A new ParameterDict with `default` under each key."""
        return type(self)(OrderedDict((k, default) for k in keys))

    def keys(self):
        """The names."""
        return self._parameters.keys()

    def items(self):
        """(name, parameter) pairs."""
        return self._parameters.items()

    def values(self):
        """The parameters."""
        return self._parameters.values()

    def update(self, parameters):
        """Add or replace parameters from a mapping or from (name, parameter) pairs."""
        if not isinstance(parameters, Iterable):
            raise AssertionError(
                "[ParameterDict.update] expected pairs of a key and a parameter, got "
                f"{type(parameters).__name__}"
            )
        pairs = (
            parameters.items() if isinstance(parameters, (Mapping, ParameterDict)) else parameters
        )
        for name, param in pairs:
            self.add_parameter(name, param)
