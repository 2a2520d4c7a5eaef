# SPDX-License-Identifier: Apache-2.0
"""State dictionaries of a Layer: collecting, loading and moving its parameters and buffers."""

import collections
import contextlib
import warnings

import paddle
from paddle.base.framework import Tensor, dtype_name, to_dtype

_IncompatibleKeysBase = collections.namedtuple(
    "_IncompatibleKeys", ["missing_keys", "unexpected_keys"]
)


class IncompatibleKeys(_IncompatibleKeysBase):
    """What `load_state_dict(strict=False)` returns."""

    __slots__ = ()

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


IncompatibleKeys.__name__ = "_IncompatibleKeys"
_FLOATING = {"float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2"}


def is_floating(tensor):
    return dtype_name(tensor.dtype) in _FLOATING


def collect(
    layer, destination, include_sublayers, prefix, include_non_persistable, use_hook, keep_vars
):
    """Fill `destination` with `prefix + name -> tensor` of the layer and, depth first, its
    sublayers.
    """
    if destination is None:
        destination = collections.OrderedDict()
    for name, param in layer._parameters.items():
        if param is not None:
            destination[prefix + name] = param if keep_vars else param.detach()
    for name, buffer in layer._buffers.items():
        if buffer is not None and (
            include_non_persistable or name not in layer._non_persistable_buffer_names_set
        ):
            destination[prefix + name] = buffer if keep_vars else buffer.detach()
    if type(layer).get_extra_state is not _base().get_extra_state:
        destination[prefix + "_extra_state"] = layer.get_extra_state()
    if include_sublayers:
        for name, sub in layer._sub_layers.items():
            if sub is not None:
                collect(
                    sub,
                    destination,
                    True,
                    prefix + name + ".",
                    include_non_persistable,
                    use_hook,
                    keep_vars,
                )
    if use_hook:
        for hook in layer._state_dict_hooks.values():
            result = hook(destination)
            if result is not None:
                destination = result
    return destination


def _base():
    from .layers import Layer

    return Layer


def _shape_of(value):
    if hasattr(value, "shape"):
        return list(value.shape)
    import numpy as np

    return list(np.shape(value))


def load(layer, state_dict, use_structured_name=True, assign=False):
    """Copy the matching entries into the layer; return (missing keys, unexpected keys), warning
    about each missing.
    """
    if not hasattr(state_dict, "get"):
        raise AttributeError(
            "[set_state_dict] expected a dict of names and tensors, got "
            f"{type(state_dict).__name__}"
        )
    own = collect(layer, None, True, "", False, False, True)
    missing, used, pairs = [], set(), []
    for key, target in own.items():
        if not isinstance(target, Tensor):
            used.add(key)
            continue
        name = key if use_structured_name else target.name
        value = state_dict.get(name)
        if value is None:
            missing.append(name)
            warnings.warn(f"[set_state_dict] expected a value for {name}, got none: {key} is kept")
            continue
        expected, got = list(target.shape), _shape_of(value)
        if expected != got:
            missing.append(name)
            warnings.warn(
                f"[set_state_dict] expected shape {expected} for {name}, got {got}: {key} is kept"
            )
            continue
        used.add(name)
        pairs.append((target, value))
    unexpected = [key for key in state_dict.keys() if key not in used]
    for target, value in pairs:
        if assign:
            target.data = value if isinstance(value, Tensor) else paddle.to_tensor(value)
        else:
            target.set_value(value)
    for name, sub in [("", layer), *layer.named_sublayers()]:
        if type(sub).set_extra_state is not _base().set_extra_state:
            key = (name + "." if name else "") + "_extra_state"
            if key in state_dict:
                sub.set_extra_state(state_dict[key])
                unexpected = [k for k in unexpected if k != key]
    return missing, unexpected


def load_strict(layer, state_dict, strict, assign):
    """torch-style loading: raise RuntimeError for missing or unexpected keys when `strict`."""
    if not isinstance(state_dict, collections.abc.Mapping):
        raise TypeError(
            f"[{type(layer).__name__}.load_state_dict] expected a dict, got "
            f"{type(state_dict).__name__}"
        )
    with warnings.catch_warnings():
        if strict:
            warnings.simplefilter("ignore")
        missing, unexpected = load(layer, state_dict, True, assign)
    if strict and (missing or unexpected):
        wrong = [f"without {missing}"] * bool(missing) + [f"also with {unexpected}"] * bool(
            unexpected
        )
        raise RuntimeError(
            f"[{type(layer).__name__}.load_state_dict] expected the keys of the layer, got a dict "
            f"{' and '.join(wrong)}"
        )
    return IncompatibleKeys(missing, unexpected)


def convert_tensor(tensor, device, dtype, blocking, floating_only):
    """Move and cast `tensor` in place: the object, its name and its gradient slot stay the same.
    In static mode that is done at once, no part of the program.
    """
    from paddle.static import program

    with program.running() if program._static_mode() else contextlib.nullcontext():
        _convert(tensor, device, dtype, blocking, floating_only)


def _convert(tensor, device, dtype, blocking, floating_only):
    dtype = (
        None if dtype is None or (floating_only and not is_floating(tensor)) else to_dtype(dtype)
    )
    for t in (tensor, tensor.grad if not tensor.stop_gradient else None):
        if t is None:
            continue
        with paddle.no_grad():
            new = t.detach()
            moved = device is not None and str(new.place) != str(device)
            if moved:
                new = new._copy_to(device, True if blocking is None else bool(blocking))
            if dtype is not None and new.dtype != dtype:
                new = new.astype(dtype)
        if moved or new.dtype != t.dtype:
            t.data = new


def parse_device(device):
    """A Place for 'cpu', 'gpu', 'gpu:0', an index-bearing string of a custom device, or a Place
    itself.
    """
    if device is None:
        return None
    if not isinstance(device, str):
        if isinstance(device, int):
            return paddle.CUDAPlace(device)
        return device
    kind, _, index = device.partition(":")
    if kind == "cpu":
        return paddle.CPUPlace()
    index = int(index) if index else 0
    if kind in ("gpu", "cuda"):
        return paddle.CUDAPlace(index)
    if kind == "xpu":
        return paddle.XPUPlace(index)
    return paddle.CustomPlace(kind, index)
