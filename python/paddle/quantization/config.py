# SPDX-License-Identifier: Apache-2.0
"""`QuantConfig`: which layers of a model are quantised, and how."""

from paddle import nn
from paddle.base.known_keywords import KnownKeywords

from .wrapper import ObserveWrapper

__all__ = ['QuantConfig', 'SingleLayerConfig']


class SingleLayerConfig:
    """Factories of the quanters for a layer's input and for its weights, each may be None."""

    def __init__(self, activation, weight):
        self._activation, self._weight = activation, weight

    @property
    def activation(self):
        """The factory for inputs."""
        return self._activation

    @property
    def weight(self):
        """The factory for weights."""
        return self._weight

    def __str__(self):
        return f'activation: {self._activation}\nweight: {self._weight}'


def _items(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


class QuantConfig(KnownKeywords):
    """Which layers of a model are quantised, and how.

    The factories given here are for all layers. `add_type_config` has others for layers of a class,
    and over that `add_layer_config` and `add_name_config` for single ones. What is said of a layer
    holds for those inside of it.

    Args:
        activation (object): The factory of quanters or observers for the inputs of layers; None for
            none.
        weight (object): The factory for their weights; None for none.

    Examples:
        >>> from paddle.quantization import QuantConfig
        >>> from paddle.quantization.observers import AbsmaxObserver
        >>> config = QuantConfig(activation=None, weight=None)
        >>> config.add_type_config(paddle.nn.Linear, weight=AbsmaxObserver(quant_bits=8))
        >>> print(config.global_config)
        None
    """

    def __init__(self, activation, weight):
        both_none = activation is None and weight is None
        self._global_config = None if both_none else SingleLayerConfig(activation, weight)
        self._of_name, self._of_type, self._of_layer = {}, {}, {}
        self._leaves = []
        self._mappings = dict(self.default_qat_layer_mapping)

    def add_layer_config(self, layer, activation=None, weight=None):
        """Factories for a layer or a list of layers."""
        self.add_name_config([one.full_name() for one in _items(layer)], activation, weight)

    def add_name_config(self, layer_name, activation=None, weight=None):
        """Factories for the layer of a full name, or for those of a list of names."""
        for name in _items(layer_name):
            if isinstance(name, str):
                self._of_name[name] = SingleLayerConfig(activation, weight)

    def add_type_config(self, layer_type, activation=None, weight=None):
        """Factories for layers of a class, or of the classes in a list."""
        for kind in _items(layer_type):
            if isinstance(kind, type) and issubclass(kind, nn.Layer):
                self._of_type[kind] = SingleLayerConfig(activation, weight)

    def add_qat_layer_mapping(self, source, target):
        """The class whose layers take the place of those of class `source`."""
        for kind in (source, target):
            assert isinstance(kind, type) and issubclass(kind, nn.Layer), (
                f'[QuantConfig.add_qat_layer_mapping] expected classes of layers, got {kind!r}'
            )
        self._mappings[source] = target

    def add_customized_leaf(self, layer_type):
        """A class of layers whose input is observed as that of a single operation."""
        self._leaves.append(layer_type)

    @property
    def customized_leaves(self):
        """The classes given to `add_customized_leaf`."""
        return self._leaves

    @property
    def qat_layer_mappings(self):
        """{class of layers: class of what takes their place}"""
        return self._mappings

    @property
    def default_qat_layer_mapping(self):
        """`qat_layer_mappings` at first."""
        from paddle.nn.quant.qat import QuantedConv2D, QuantedLinear
        from paddle.nn.quant.stub import QuanterStub, Stub

        return {Stub: QuanterStub, nn.Linear: QuantedLinear, nn.Conv2D: QuantedConv2D}

    @property
    def global_config(self):
        """The factories for all layers, None where there are none."""
        return self._global_config

    def _specify(self, model):
        """Determine the factories of each layer of a model."""
        self._of_layer = {}
        self._specify_below(model, self._of_name.get(model.full_name(), self._global_config))

    def _specify_below(self, layer, inherited):
        for child in layer.children():
            config = self._of_type.get(type(child), inherited)
            config = self._of_name.get(child.full_name(), config)
            if config is not None:
                self._of_layer[child] = config
            self._specify_below(child, config)

    def _get_config_by_layer(self, layer):
        return self._of_layer.get(layer)

    def _is_quantifiable(self, layer):
        return layer in self._of_layer

    def _get_qat_layer(self, layer):
        return self._mappings[type(layer)](layer, self._of_layer[layer])

    def _need_observe(self, layer):
        config = self._of_layer.get(layer)
        leaf = not list(layer.children()) or type(layer) in self._leaves
        return leaf and config is not None and config.activation is not None

    def _get_observe_wrapper(self, layer):
        return ObserveWrapper(self._of_layer[layer].activation._instance(layer), layer)

    def details(self):
        """What was given, in words."""
        text = f'Global config:\n{self._global_config}\n'
        if self._of_type:
            text += f'Layer type config:\n{_listed(self._of_type)}\n'
        if self._of_name:
            text += f'Layer prefix config: \n{_listed(self._of_name)}\n'
        return text

    __str__ = details


def _listed(configs):
    return {key: f'{c.activation}, {c.weight}' for key, c in configs.items()}
