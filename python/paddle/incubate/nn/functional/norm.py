# SPDX-License-Identifier: Apache-2.0
"""Norms of a sum: input, bias and residual."""

import paddle
from paddle.base.arguments import integer
from paddle.base.libpaddle import expect_tensors

from .linear import quantize

__all__ = ['fast_ln', 'fast_rms_norm', 'fused_layer_norm', 'fused_rms_norm', 'fused_rms_norm_ext']


def _sum(op, x, bias, residual, alpha=1.0):
    expect_tensors(op, x=x)
    if bias is not None:
        x = x + bias
    if residual is not None:
        expect_tensors(op, residual=residual)
        x = x + (residual if alpha == 1.0 else residual * alpha)
    return x


def _finish(op, out, weight, bias, shape, dtype, quantization):
    if weight is not None:
        expect_tensors(op, norm_weight=weight)
        out = out * weight.reshape(shape)
    if bias is not None:
        expect_tensors(op, norm_bias=bias)
        out = out + bias.reshape(shape)
    return quantize(out, *quantization) if quantization[0] > 0 else out.astype(dtype)


def _wide(x):
    return x.astype('float32') if x.dtype in (paddle.float16, paddle.bfloat16) else x


def _normed(x, begin, op):
    """The axes from `begin` on, and their extents."""
    if not 0 <= integer(op, 'begin_norm_axis', begin) < x.ndim:
        raise ValueError(f'[{op}] expected begin_norm_axis from 0 to {x.ndim - 1}, got {begin}')
    return list(range(begin, x.ndim)), list(x.shape[begin:])


def fused_layer_norm(
    x,
    norm_weight,
    norm_bias,
    epsilon,
    residual_alpha=1.0,
    begin_norm_axis=1,
    bias=None,
    residual=None,
    quant_scale=-1,
    quant_round_type=0,
    quant_max_bound=0,
    quant_min_bound=0,
):
    """(norm, sum, mean, 1 / deviation) of x + bias + residual_alpha * residual.

    The norm is over the axes from `begin_norm_axis`; without weight and bias it is the sum itself.
    int8 when `quant_scale` is positive.
    """
    total = _sum('fused_layer_norm', x, bias, residual, residual_alpha)
    wide = _wide(total)
    axes, shape = _normed(x, begin_norm_axis, 'fused_layer_norm')
    mean = paddle.mean(wide, axes, keepdim=True)
    centred = wide - mean
    inverse = paddle.rsqrt(paddle.mean(centred * centred, axes, keepdim=True) + epsilon)
    quantization = (quant_scale, quant_round_type, quant_max_bound, quant_min_bound)
    plain = norm_weight is None and norm_bias is None
    out = _finish(
        'fused_layer_norm',
        wide if plain else centred * inverse,
        norm_weight,
        norm_bias,
        shape,
        x.dtype,
        quantization,
    )
    return out, total, mean.reshape([-1]), inverse.reshape([-1])


def fused_rms_norm(
    x,
    norm_weight,
    norm_bias,
    epsilon,
    begin_norm_axis=1,
    bias=None,
    residual=None,
    quant_scale=-1,
    quant_round_type=0,
    quant_max_bound=0,
    quant_min_bound=0,
):
    """(norm, sum) of x + bias + residual: divided by the root mean square over the axes from
    `begin_norm_axis`.

    int8 when `quant_scale` is positive.
    """
    total = _sum('fused_rms_norm', x, bias, residual)
    wide = _wide(total)
    axes, shape = _normed(x, begin_norm_axis, 'fused_rms_norm')
    out = wide * paddle.rsqrt(paddle.mean(wide * wide, axes, keepdim=True) + epsilon)
    quantization = (quant_scale, quant_round_type, quant_max_bound, quant_min_bound)
    out = _finish('fused_rms_norm', out, norm_weight, norm_bias, shape, x.dtype, quantization)
    return out, total


def fast_ln(x, scale, bias, epsilon=1e-05):
    """(layer norm of the last axis, its mean, 1 / deviation); the latter two are float32 or
    wider.
    """
    expect_tensors('fast_ln', x=x, scale=scale, bias=bias)
    wide = _wide(x)
    mean = paddle.mean(wide, -1, keepdim=True)
    inverse = paddle.rsqrt(paddle.mean(paddle.square(wide - mean), -1, keepdim=True) + epsilon)
    out = (wide - mean) * inverse * scale + bias
    return out.astype(x.dtype), mean.squeeze(-1), inverse.squeeze(-1)


def _rms_normed(op, x, scale, epsilon):
    expect_tensors(op, x=x, scale=scale)
    wide = _wide(x)
    inverse = paddle.rsqrt(paddle.mean(paddle.square(wide), -1, keepdim=True) + epsilon)
    return (wide * inverse * scale).astype(x.dtype), inverse.squeeze(-1)


def fast_rms_norm(x, scale, epsilon=1e-05):
    """(x over the root mean square of its last axis, scaled; 1 / that root, float32 or wider)."""
    return _rms_normed('fast_rms_norm', x, scale, epsilon)


def fused_rms_norm_ext(x, scale, epsilon=1e-05, name=None):
    """`fast_rms_norm`."""
    return _rms_normed('fused_rms_norm_ext', x, scale, epsilon)
