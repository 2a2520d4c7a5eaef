# SPDX-License-Identifier: Apache-2.0
"""Spectral normalisation: a weight divided by its largest singular value before each forward."""

import paddle
from paddle import _C_ops
from paddle.base.arguments import instance, iterations

from .. import functional as F
from ..layer.common import Linear
from ..layer.conv import Conv1DTranspose, Conv2DTranspose, Conv3DTranspose

__all__ = ["spectral_norm"]


class SpectralNorm:
    """The forward pre-hook."""

    def __init__(self, name, n_power_iterations, dim, eps):
        self.n_power_iterations = iterations(
            'spectral_norm', 'n_power_iterations', n_power_iterations, 1
        )
        self.name = name
        self.dim = dim
        self.eps = eps

    def matrix(self, weight):
        """The weight with `dim` first and the rest flattened."""
        if self.dim != 0:
            weight = paddle.transpose(
                weight, [self.dim, *(d for d in range(weight.ndim) if d != self.dim)]
            )
        return _C_ops.reshape(weight, [weight.shape[0], -1])

    def compute_weight(self, layer, do_power_iteration):
        weight = getattr(layer, self.name + "_orig")
        u, v = getattr(layer, self.name + "_u"), getattr(layer, self.name + "_v")
        matrix = self.matrix(weight)
        if do_power_iteration:
            with paddle.no_grad():
                plain = matrix.detach()
                new_u, new_v = u, v
                for _ in range(self.n_power_iterations):
                    new_v = F.normalize(
                        paddle.matmul(plain, new_u, transpose_x=True), axis=0, epsilon=self.eps
                    )
                    new_u = F.normalize(paddle.matmul(plain, new_v), axis=0, epsilon=self.eps)
                u.set_value(new_u)
                v.set_value(new_v)
                u, v = u.clone(), v.clone()
        return weight / paddle.dot(u, paddle.mv(matrix, v))

    def __call__(self, layer, inputs):
        object.__setattr__(layer, self.name, self.compute_weight(layer, layer.training))

    @staticmethod
    def apply(layer, name, n_power_iterations, dim, eps):
        for hook in layer._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(
                    f"[spectral_norm] expected a parameter without such a hook, got {name!r}"
                )
        hook = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = layer._parameters[name]
        with paddle.no_grad():
            rows, columns = hook.matrix(weight.detach()).shape
            u = F.normalize(paddle.randn([rows], dtype=weight.dtype), axis=0, epsilon=eps)
            v = F.normalize(paddle.randn([columns], dtype=weight.dtype), axis=0, epsilon=eps)
        del layer._parameters[name]
        layer.add_parameter(name + "_orig", weight)
        object.__setattr__(layer, name, weight * 1.0)
        layer.register_buffer(name + "_u", u)
        layer.register_buffer(name + "_v", v)
        layer.register_forward_pre_hook(hook)
        return hook


def spectral_norm(layer, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divide layer.<name> by its spectral norm, estimated by power iterations while training.

    Args:
        layer (Layer): The layer.
        name (str, default 'weight'): The parameter.
        n_power_iterations (int, default 1): How many iterations a call makes.
        eps (float, default 1e-12): What keeps a divisor from zero.
        dim (int, default None): The axis that becomes the rows of a matrix; None for that of the
            layer's outputs.

    Returns:
        Layer: layer itself.

    Source: Miyato et al., Spectral normalization for generative adversarial networks, 2018

    Examples:
        >>> layer = paddle.nn.utils.spectral_norm(paddle.nn.Linear(3, 3), n_power_iterations=50)
        >>> _ = layer(paddle.ones([1, 3]))
        >>> round(paddle.linalg.svd(layer.weight)[1].max().item(), 2)
        1.0
    """
    instance("spectral_norm", "layer", layer, paddle.nn.Layer, "a Layer")
    if dim is None:
        dim = (
            1
            if isinstance(layer, (Conv1DTranspose, Conv2DTranspose, Conv3DTranspose, Linear))
            else 0
        )
    SpectralNorm.apply(layer, name, n_power_iterations, dim, eps)
    return layer
