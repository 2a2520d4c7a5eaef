# SPDX-License-Identifier: Apache-2.0
"""`Layer`, the base of every neural network module: parameters, buffers, sublayers, hooks,
state.
"""

import collections
import copy
import re

import paddle
from paddle import _lazy
from paddle.base import framework
from paddle.base import libpaddle as _core
from paddle.base.arguments import instance, keywords, second_names
from paddle.base.framework import EagerParamBase, Tensor
from paddle.base.known_keywords import KnownKeywords
from paddle.utils import unique_name

from . import state
from .convert import ConvertMixin
from .hooks import HookRemoveHelper, call_with_hooks

__all__ = ["Layer"]

_FIRST_CAP = re.compile("(.)([A-Z][a-z]+)")
_ALL_CAP = re.compile("([a-z])([A-Z])")


def _snake(name):
    return _ALL_CAP.sub(r"\1_\2", _FIRST_CAP.sub(r"\1_\2", name)).lower()


def _indent(text):
    return text.replace("\n", "\n  ")


class LayerObjectHelper:
    """Names and makes parameters on behalf of one layer."""

    __slots__ = ("_layer",)

    def __init__(self, layer):
        self._layer = layer

    @property
    def name(self):
        return self._layer._full_name

    def get_default_dtype(self):
        """The dtype new parameters get, as a string."""
        return paddle.get_default_dtype()

    def create_parameter(self, attr, shape, dtype, is_bias=False, default_initializer=None):
        """A parameter named after the layer."""
        return framework.make_parameter(self.name, shape, dtype, attr, is_bias, default_initializer)


def _check_name(op, kind, name):
    if not isinstance(name, str):
        raise TypeError(
            f"[{op}] expected the name of a {kind} to be a string, got {type(name).__name__}"
        )
    if "." in name:
        raise KeyError(f"[{op}] expected the name of a {kind} without dots, got {name!r}")
    if name == "":
        raise KeyError(f"[{op}] expected the name of a {kind}, got an empty string")


class Layer(ConvertMixin, KnownKeywords):
    """Base class of modules. Subclasses set sublayers and parameters in `__init__` and define
    `forward`.

    Args:
        name_scope (str, default None): The prefix of names of parameters; None for the name of the
            class in snake case.
        dtype (str or dtype, default 'float32'): The dtype of the parameters.

    Examples:
        >>> class Scale(paddle.nn.Layer):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.factor = self.create_parameter([1])
        ...     def forward(self, x):
        ...         return x * self.factor
        >>> layer = Scale()
        >>> layer(paddle.ones([3])).shape
        paddle.Size([3])
        >>> list(layer.state_dict())
        ['factor']
        >>> paddle.nn.Module is paddle.nn.Layer
        True
    """

    training = True

    def __init__(self, name_scope=None, dtype="float32"):
        put = self.__dict__
        put["training"] = True
        put["_full_name"] = unique_name.generate(
            _snake(type(self).__name__) if name_scope is None else _snake(name_scope)
        )
        put["_built"] = False
        put["_dtype"] = dtype
        put["_parameters"] = collections.OrderedDict()
        put["_buffers"] = collections.OrderedDict()
        put["_non_persistable_buffer_names_set"] = set()
        put["_sub_layers"] = collections.OrderedDict()
        put["_loaddict_holder"] = collections.OrderedDict()
        put["_forward_pre_hooks"] = collections.OrderedDict()
        put["_forward_post_hooks"] = collections.OrderedDict()
        put["_forward_pre_hooks_with_kwargs_flag"] = collections.OrderedDict()
        put["_forward_post_hooks_with_kwargs_flag"] = collections.OrderedDict()
        put["_forward_post_hooks_always_called"] = collections.OrderedDict()
        put["_state_dict_hooks"] = collections.OrderedDict()
        put["_cast_to_low_precision"] = True

    @property
    def _helper(self):
        return LayerObjectHelper(self)

    @_core._with_forward
    def __call__(self, *inputs, **kwargs):
        d = self.__dict__
        if d["_forward_pre_hooks"] or d["_forward_post_hooks"]:
            return call_with_hooks(self, inputs, kwargs)
        return self.forward(*inputs, **kwargs)

    def forward(self, *inputs, **kwargs):
        """The computation of the layer; every subclass defines it."""
        from paddle._suggest import close

        name = type(self).__name__
        near = close("forward", set(dir(type(self))) - set(dir(Layer)))
        meant = f"; {near[0]!r} is something else" if near else ""
        raise NotImplementedError(f"[{name}] expected the class to define forward, got none{meant}")

    def backward(self, *inputs):
        """Layers have no backward of their own: raises ValueError."""
        raise ValueError(
            f"[{type(self).__name__}.backward] expected no call, got one: gradients flow by the "
            "operations of forward"
        )

    def train(self, mode=True):
        """Set training mode (or, with False, evaluation mode) on this layer and all sublayers."""
        mode = bool(mode)
        self.training = mode
        for layer in self.sublayers():
            layer.training = mode
        return self

    def eval(self):
        """Set evaluation mode on this layer and all sublayers."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Set `stop_gradient = not requires_grad` on every parameter."""
        for p in self.parameters():
            p.stop_gradient = not requires_grad
        return self

    def apply(self, fn):
        """Call `fn(layer)` on every sublayer, children first, then on this one."""
        for layer in self.children():
            layer.apply(fn)
        fn(self)
        return self

    def full_name(self):
        """Unique name of the layer, the prefix of its parameters' names."""
        return self._full_name

    def _register_hook(self, hooks, hook, prepend, flags):
        helper = HookRemoveHelper(hooks, extra_hooks=[d for d, on in flags])
        hooks[helper._hook_id] = hook
        if prepend:
            hooks.move_to_end(helper._hook_id, last=False)
        for extra, on in flags:
            if on:
                extra[helper._hook_id] = True
        return helper

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call `hook(layer, inputs)` before forward; a non-None result replaces the inputs. Returns
        a handle.
        """
        return self._register_hook(
            self._forward_pre_hooks,
            hook,
            prepend,
            [(self._forward_pre_hooks_with_kwargs_flag, with_kwargs)],
        )

    def register_forward_post_hook(
        self, hook, *, prepend=False, with_kwargs=False, always_call=False
    ):
        """Call `hook(layer, inputs, outputs)` after forward; a non-None result replaces the
        outputs.
        """
        return self._register_hook(
            self._forward_post_hooks,
            hook,
            prepend,
            [
                (self._forward_post_hooks_with_kwargs_flag, with_kwargs),
                (self._forward_post_hooks_always_called, always_call),
            ],
        )

    register_forward_hook = register_forward_post_hook

    def register_state_dict_hook(self, hook):
        """Call `hook(state_dict)` at the end of `state_dict()`."""
        helper = HookRemoveHelper(self._state_dict_hooks)
        self._state_dict_hooks[helper._hook_id] = hook
        return helper

    def create_parameter(
        self, shape, attr=None, dtype=None, is_bias=False, default_initializer=None, device=None
    ):
        """A new initialised parameter (not yet registered); None if `attr` is False."""
        if isinstance(attr, str) and attr == "":
            attr = None
        made = framework.make_parameter(
            self._full_name,
            shape,
            paddle.get_default_dtype() if dtype is None else dtype,
            attr,
            is_bias,
            default_initializer,
        )
        if device is not None:
            place = paddle.base.libpaddle.to_place(device)
            if made is not None and made.place != place:
                made._rebind(made.detach()._copy_to(place, True))
        return made

    def create_variable(self, name=None, persistable=None, dtype=None):
        """An empty Tensor to be filled later, named after the layer."""
        return self.create_tensor(name, persistable, dtype)

    def create_tensor(self, name=None, persistable=None, dtype=None):
        """An empty Tensor to be filled later, named after the layer."""
        tensor = paddle._C_ops.full(
            [0], 0.0, framework.to_dtype(self._dtype if dtype is None else dtype)
        )
        tensor.name = (
            ".".join([self._full_name, name])
            if name is not None
            else unique_name.generate(".".join([self._full_name, "_generated_var"]))
        )
        if persistable is not None:
            tensor.persistable = persistable
        return tensor

    def add_parameter(self, name, parameter):
        """Register `parameter` (or None) under `name`; returns it."""
        _check_name("Layer.add_parameter", "parameter", name)
        if parameter is not None and not isinstance(parameter, EagerParamBase):
            raise TypeError(
                "[Layer.add_parameter] expected a parameter or None, got "
                f"{type(parameter).__name__}"
            )
        if name not in self._parameters and (
            name in self.__dict__
            or hasattr(type(self), name)
            or name in self._buffers
            or name in self._sub_layers
        ):
            raise KeyError(
                f"[Layer.add_parameter] expected a name without an attribute, got {name!r}"
            )
        self._parameters[name] = parameter
        return parameter

    def register_parameter(self, name, param):
        """`add_parameter` under its torch name."""
        self.add_parameter(name, param)

    def add_sublayer(self, name, sublayer):
        """Register `sublayer` (a Layer or None) under `name`; returns it."""
        if not (isinstance(sublayer, Layer) or sublayer is None):
            raise AssertionError(
                f"[Layer] expected the sublayer to be a Layer or None, got "
                f"{type(sublayer).__name__}"
            )
        self._sub_layers[str(name)] = sublayer
        return sublayer

    def add_module(self, name, module):
        """`add_sublayer` under its torch name."""
        self.add_sublayer(name, module)

    register_module = add_module

    @second_names(persistent='persistable')
    def register_buffer(self, name, tensor, persistable=True):
        """Register a Tensor that is state but not a parameter; in `state_dict` only if
        `persistable`.
        """
        _check_name("Layer.register_buffer", "buffer", name)
        if hasattr(self, name) and name not in self._buffers:
            raise KeyError(
                f"[Layer.register_buffer] expected a name without an attribute, got {name!r}"
            )
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"[Layer.register_buffer] expected a tensor or None, got {type(tensor).__name__}"
            )
        self._buffers[name] = tensor
        if persistable:
            self._non_persistable_buffer_names_set.discard(name)
        else:
            self._non_persistable_buffer_names_set.add(name)

    def _walk(self, member, prefix, include_sublayers, remove_duplicate):
        seen = set()
        layers = (
            self.named_sublayers(
                prefix=prefix, include_self=True, remove_duplicate=remove_duplicate
            )
            if include_sublayers
            else [(prefix, self)]
        )
        for layer_prefix, layer in layers:
            for name, value in getattr(layer, member).items():
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield layer_prefix + ("." if layer_prefix else "") + name, value

    def parameters(self, include_sublayers=True):
        """All parameters, each once, of this layer and its sublayers."""
        return [p for _, p in self.named_parameters(include_sublayers=include_sublayers)]

    def named_parameters(self, prefix="", include_sublayers=True, remove_duplicate=True):
        """Iterate over (structured name, parameter)."""
        return self._walk("_parameters", prefix, include_sublayers, remove_duplicate)

    def buffers(self, include_sublayers=True):
        """All buffers, each once."""
        return [b for _, b in self.named_buffers(include_sublayers=include_sublayers)]

    def named_buffers(self, prefix="", include_sublayers=True, remove_duplicate=True):
        """Iterate over (structured name, buffer)."""
        return self._walk("_buffers", prefix, include_sublayers, remove_duplicate)

    def children(self):
        """Iterate over the direct sublayers."""
        for _, layer in self.named_children():
            yield layer

    def named_children(self):
        """Iterate over (name, layer) of the direct sublayers, each once."""
        seen = set()
        for name, layer in self._sub_layers.items():
            if layer is not None and layer not in seen:
                seen.add(layer)
                yield name, layer

    def sublayers(self, include_self=False):
        """All sublayers, depth first."""
        return [layer for _, layer in self.named_sublayers(include_self=include_self)]

    def named_sublayers(
        self, prefix="", include_self=False, layers_set=None, remove_duplicate=True
    ):
        """Iterate over (structured name, layer), depth first."""
        layers_set = set() if layers_set is None else layers_set
        new = self not in layers_set
        if include_self and remove_duplicate:
            layers_set.add(self)
        if include_self and new:
            yield prefix, self
        for key, layer in self._sub_layers.items():
            if layer is not None:
                yield from layer.named_sublayers(
                    prefix + ("." if prefix else "") + key, True, layers_set, remove_duplicate
                )

    def modules(self):
        """Iterate over this layer and all sublayers."""
        for _, layer in self.named_modules():
            yield layer

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """`named_sublayers` including this layer."""
        return self.named_sublayers(prefix, True, memo, remove_duplicate)

    def get_sublayer(self, target):
        """The sublayer at the dotted path `target`; AttributeError if there is none."""
        instance("Layer.get_sublayer", "target", target, str, "a name")
        layer = self
        for part in target.split(".") if target else ():
            if not hasattr(layer, part):
                raise AttributeError(
                    f"[Layer.get_sublayer] expected an attribute of {type(layer).__name__}, got "
                    f"{part!r}"
                )
            layer = getattr(layer, part)
            if not isinstance(layer, Layer):
                raise AttributeError(
                    f"[Layer.get_sublayer] expected a Layer at {part!r}, got {type(layer).__name__}"
                )
        return layer

    get_submodule = get_sublayer

    def set_sublayer(self, target, layer, strict=False):
        """Put `layer` at the dotted path `target`; with `strict` something must already be
        there.
        """
        instance("Layer.set_sublayer", "target", target, str, "a name")
        path, _, name = target.rpartition(".")
        if not name:
            raise ValueError(
                "[Layer.set_sublayer] expected the name of a sublayer, got an empty string"
            )
        if not isinstance(layer, Layer):
            raise ValueError(f"[Layer] expected a Layer, got {type(layer).__name__}")
        parent = self.get_sublayer(path)
        if strict and not isinstance(getattr(parent, name, None), Layer):
            raise AttributeError(
                f"[Layer.set_sublayer] expected a sublayer of {type(parent).__name__}, got {name!r}"
            )
        setattr(parent, name, layer)

    set_submodule = set_sublayer

    def _get_member(self, target, member, kind):
        instance(f"Layer.get_{kind}", "target", target, str, "a name")
        path, _, name = target.rpartition(".")
        layer = self.get_sublayer(path)
        found = getattr(layer, member).get(name)
        if found is None:
            raise AttributeError(
                f"[Layer.get_{kind}] expected a {kind} of {type(layer).__name__}, got {name!r}"
            )
        return found

    def get_parameter(self, target):
        """The parameter at the dotted path `target`."""
        return self._get_member(target, "_parameters", "parameter")

    def get_buffer(self, target):
        """The buffer at the dotted path `target`."""
        return self._get_member(target, "_buffers", "buffer")

    def clear_gradients(self, set_to_zero=True):
        """Zero (or with False, drop) the gradients of all parameters."""
        for p in self.parameters():
            if not p.stop_gradient:
                p.clear_gradient(set_to_zero)

    def zero_grad(self, set_to_none=True):
        """Drop (or with False, zero) the gradients of all parameters."""
        self.clear_gradients(not set_to_none)

    def __setattr__(self, name, value):
        d = self.__dict__
        params = d.get("_parameters")
        if isinstance(value, EagerParamBase):
            if params is None:
                raise ValueError(
                    f"[{type(self).__name__}] expected super().__init__() before the parameter "
                    f"{name!r}, got none"
                )
            self._forget(name, "_buffers", "_sub_layers")
            params[name] = value
        elif isinstance(value, Layer):
            layers = d.get("_sub_layers")
            if layers is None:
                raise ValueError(
                    f"[{type(self).__name__}] expected super().__init__() before the sublayer "
                    f"{name!r}, got none"
                )
            self._forget(name, "_parameters", "_buffers")
            layers[name] = value
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(
                    f"[{type(self).__name__}] expected a parameter or None for {name!r}, got "
                    f"{type(value).__name__}"
                )
            params[name] = None
        elif params is not None and name in d["_sub_layers"]:
            if value is not None:
                raise TypeError(
                    f"[{type(self).__name__}] expected a layer or None for {name!r}, got "
                    f"{type(value).__name__}"
                )
            d["_sub_layers"][name] = None
        elif params is not None and name in d["_buffers"]:
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"[{type(self).__name__}] expected a tensor or None for the buffer {name!r}, "
                    f"got {type(value).__name__}"
                )
            d["_buffers"][name] = value
        elif isinstance(value, Tensor) and type(value) is Tensor:
            if params is None:
                raise ValueError(
                    f"[{type(self).__name__}] expected super().__init__() before the attribute "
                    f"{name!r}, got none"
                )
            d.pop(name, None)
            d["_buffers"][name] = value
            d["_non_persistable_buffer_names_set"].add(name)
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name, *members):
        d = self.__dict__
        d.pop(name, None)
        for member in members:
            if d[member].pop(name, None) is not None and member == "_buffers":
                d["_non_persistable_buffer_names_set"].discard(name)

    def __getattr__(self, name):
        d = self.__dict__
        try:
            return d["_parameters"][name]
        except KeyError:
            pass
        for member in ("_sub_layers", "_buffers"):
            table = d.get(member)
            if table is not None and name in table:
                return table[name]
        from paddle._suggest import UnknownName

        text = f"'{type(self).__name__}' object has no attribute '{name}'"
        raise UnknownName(text, self, name, 'Layer')

    def _weight_and_bias(self):
        """(self.weight, self.bias), found without the cost of `__getattr__` when they are
        parameters.
        """
        params = self.__dict__["_parameters"]
        return (
            params["weight"] if "weight" in params else self.weight,
            params["bias"] if "bias" in params else self.bias,
        )

    def __delattr__(self, name):
        for member in ("_parameters", "_sub_layers", "_buffers"):
            table = self.__dict__.get(member)
            if table is not None and name in table:
                del table[name]
                if member == "_buffers":
                    self._non_persistable_buffer_names_set.discard(name)
                return
        object.__delattr__(self, name)

    def __copy__(self):
        result = copy._reconstruct(self, None, *self.__reduce_ex__(4))
        home = result.__dict__
        for name, value in list(home.items()):  # a compiled forward is of its own object
            if isinstance(value, _core.RecordedCalls) and value.class_instance is self:
                home[name] = value.bound_to(result)
        return result

    def __dir__(self):
        names = set(object.__dir__(self))
        for member in ("_parameters", "_sub_layers", "_buffers"):
            names.update(self.__dict__.get(member, ()))
        return sorted(names)

    def extra_repr(self):
        """Text shown between the parentheses of `repr(layer)`."""
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [
            f"({name}): " + _indent(repr(layer)) for name, layer in self._sub_layers.items()
        ]
        if not children:
            return (
                f"{type(self).__name__}({lines[0]})"
                if len(lines) == 1
                else (
                    f"{type(self).__name__}("
                    + "".join("\n  " + line for line in lines)
                    + ("\n)" if lines else ")")
                )
            )
        head = f"{type(self).__name__}(" + ", ".join(lines)
        return head + "".join("\n  " + c for c in children) + "\n)"

    def state_dict(self, *args, **kwargs):
        """OrderedDict of structured name -> parameter or persistable buffer.

        Arguments: destination=None, include_sublayers=True, structured_name_prefix='',
        use_hook=True, keep_vars=True; torch's `prefix` is accepted for `structured_name_prefix`.
        """
        return self._state_dict(False, *args, **kwargs)

    def _state_dict(
        self,
        non_persistable,
        destination=None,
        include_sublayers=True,
        structured_name_prefix="",
        use_hook=True,
        keep_vars=True,
        prefix=None,
    ):
        if isinstance(include_sublayers, str):
            structured_name_prefix, include_sublayers = include_sublayers, True
        return state.collect(
            self,
            destination,
            include_sublayers,
            structured_name_prefix if prefix is None else prefix,
            non_persistable,
            use_hook,
            keep_vars,
        )

    def to_static_state_dict(
        self,
        destination=None,
        include_sublayers=True,
        structured_name_prefix="",
        use_hook=True,
        keep_vars=True,
    ):
        """`state_dict` with the non-persistable buffers too."""
        return self._state_dict(
            True, destination, include_sublayers, structured_name_prefix, use_hook, keep_vars
        )

    def set_state_dict(self, state_dict, use_structured_name=True):
        """Copy values in; entries that do not fit are skipped with a warning. Returns (missing,
        unexpected) keys.
        """
        return state.load(self, state_dict, use_structured_name)

    set_dict = set_state_dict
    load_dict = set_state_dict

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """torch-style loading: RuntimeError on missing or unexpected keys when `strict`."""
        return state.load_strict(self, state_dict, strict, assign)

    def get_extra_state(self):
        """Extra state to keep in `state_dict`; subclasses may define it together with
        `set_extra_state`.
        """
        raise RuntimeError(
            f"[{type(self).__name__}.get_extra_state] expected a subclass to define it, got none"
        )

    def set_extra_state(self, state):
        raise RuntimeError(
            f"[{type(self).__name__}.set_extra_state] expected a subclass to define it, got none"
        )

    def sharded_state_dict(self, structured_name_prefix=""):
        """Parameters and persistable buffers as parts of whole tensors, for distributed
        checkpoints. Layers that divide their parameters among processes say where the parts lie.

        Args:
            structured_name_prefix (str, default ''): What names begin with.

        Returns:
            dict: `paddle.distributed.ShardedWeight`s by structured name, sublayers' included.

        Examples:
            >>> parts = paddle.nn.Linear(2, 3).sharded_state_dict("fc.")
            >>> {name: part.global_shape for name, part in parts.items()}
            {'fc.weight': (2, 3), 'fc.bias': (3,)}
        """
        from paddle.distributed.flex_checkpoint.dcp.sharded_weight import build_sharded_state_dict

        sharded = build_sharded_state_dict(
            self.state_dict(include_sublayers=False), None, structured_name_prefix
        )
        for name, layer in self._sub_layers.items():
            if layer is not None:
                sharded.update(layer.sharded_state_dict(f"{structured_name_prefix}{name}."))
        return sharded

    def full(self, aoa_config=None, **kwargs):
        """Iterates over the whole tensors of `sharded_state_dict`, put together of the parts that
        processes have. All processes of the group iterate together.

        Args:
            aoa_config (dict, default None): Statements by which tensors are renamed, joined,
                divided or changed, as of `paddle.distributed.load_state_dict`.
            process_group (Group, default None): The processes that have the parts; all, unless
                given.

        Returns:
            iterator: of (name, Tensor), in the order of names.

        Raises:
            TypeError: aoa_config is no dict, or a keyword is unknown.
            ValueError: A statement names a tensor that there is not.

        Examples:
            >>> layer = paddle.nn.Linear(2, 3)
            >>> turned = layer.full({"aoa_statements": ["weight^T -> w"]})
            >>> [(name, tuple(whole.shape)) for name, whole in turned]
            [('bias', (3,)), ('w', (3, 2))]
        """
        from paddle.distributed.flex_checkpoint.dcp.full_param import full_param

        keywords("Layer.full", kwargs, "process_group")
        return full_param(self, aoa_config, **kwargs)


_lazy.serve(globals())
