# SPDX-License-Identifier: Apache-2.0
"""Weight normalisation: a weight as g * v / ||v||, computed before each forward."""

import paddle
from paddle import _C_ops
from paddle.base.arguments import instance
from paddle.static import startup

__all__ = ["weight_norm", "remove_weight_norm"]


def norm_except_dim(v, dim):
    """2-norm over all dimensions but `dim`: shape [v.shape[dim]]; over all of them (0-D) for dim
    None or -1.
    """
    if dim is None or dim == -1:
        return paddle.sqrt(paddle.sum(v * v))
    return paddle.sqrt(paddle.sum(v * v, axis=[i for i in range(v.ndim) if i != dim]))


def _weight(v, g, dim):
    norm = norm_except_dim(v, dim)
    if dim is None or dim == -1:
        return v * (g / norm)
    shape = [1] * v.ndim
    shape[dim] = -1
    return v * _C_ops.reshape(g / norm, shape)


class WeightNorm:
    """The forward pre-hook."""

    def __init__(self, name, dim):
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, layer):
        return _weight(getattr(layer, self.name + "_v"), getattr(layer, self.name + "_g"), self.dim)

    @staticmethod
    def apply(layer, name, dim):
        for hook in layer._forward_pre_hooks.values():
            if isinstance(hook, WeightNorm) and hook.name == name:
                raise RuntimeError(
                    f"[weight_norm] expected a parameter without such a hook, got {name!r}"
                )
        hook = WeightNorm(name, dim)
        w = layer._parameters[name]
        if not -w.ndim <= hook.dim < w.ndim:
            raise AssertionError(
                f"[weight_norm] expected dim from {-w.ndim} to {w.ndim - 1}, got {dim}"
            )
        if hook.dim < -1:
            hook.dim += w.ndim
        del layer._parameters[name]
        with paddle.no_grad():
            v = layer.create_parameter(w.shape, dtype=w.dtype)
            layer.add_parameter(name + "_v", v)
            g = layer.create_parameter([] if hook.dim == -1 else [w.shape[hook.dim]], dtype=w.dtype)
            layer.add_parameter(name + "_g", g)
            startup.give(v, lambda: w.detach().clone())
            startup.give(g, lambda: norm_except_dim(w.detach(), hook.dim))
        object.__setattr__(layer, name, hook.compute_weight(layer))
        layer.register_forward_pre_hook(hook)
        return hook

    def remove(self, layer):
        with paddle.no_grad():
            value = self.compute_weight(layer).detach()
        del layer._parameters[self.name + "_g"]
        del layer._parameters[self.name + "_v"]
        layer.__dict__.pop(self.name, None)
        w = layer.create_parameter(value.shape, dtype=value.dtype)
        layer.add_parameter(self.name, w)
        w.set_value(value)

    def __call__(self, layer, inputs):
        object.__setattr__(layer, self.name, self.compute_weight(layer))


def weight_norm(layer, name="weight", dim=0):
    """Replace layer.<name> by trained <name>_g (norms over all but `dim`) and <name>_v (direction).

    Args:
        layer (Layer): The layer.
        name (str, default 'weight'): The parameter.
        dim (int, default 0): The axis that has norms of its own; None for one norm.

    Returns:
        Layer: layer itself.

    Source: Salimans and Kingma, Weight normalization, 2016

    Examples:
        >>> layer = paddle.nn.utils.weight_norm(paddle.nn.Linear(3, 2), dim=1)
        >>> [name for name, _ in layer.named_parameters()]
        ['bias', 'weight_v', 'weight_g']
    """
    instance("weight_norm", "layer", layer, paddle.nn.Layer, "a Layer")
    WeightNorm.apply(layer, name, dim)
    return layer


def remove_weight_norm(layer, name="weight"):
    """Turn <name>_g and <name>_v back into one parameter.

    Args:
        layer (Layer): The layer.
        name (str, default 'weight'): The parameter.

    Returns:
        Layer: layer itself.

    Examples:
        >>> layer = paddle.nn.utils.weight_norm(paddle.nn.Linear(3, 2))
        >>> layer = paddle.nn.utils.remove_weight_norm(layer)
        >>> [name for name, _ in layer.named_parameters()]
        ['bias', 'weight']
    """
    instance("remove_weight_norm", "layer", layer, paddle.nn.Layer, "a Layer")
    for key, hook in list(layer._forward_pre_hooks.items()):
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(layer)
            del layer._forward_pre_hooks[key]
            return layer
    raise ValueError(
        f"[remove_weight_norm] expected a parameter with weight_norm, got {name!r} of "
        f"{type(layer).__name__}"
    )
