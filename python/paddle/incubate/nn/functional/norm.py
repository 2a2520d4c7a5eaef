# SPDX-License-Identifier: Apache-2.0
"""Norms of a sum: input, bias and residual."""

import paddle
from paddle import _C_ops
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


def _begin(op, x, begin):
    if not 0 <= integer(op, 'begin_norm_axis', begin) < x.ndim:
        raise ValueError(f'[{op}] expected begin_norm_axis from 0 to {x.ndim - 1}, got {begin}')
    return begin


def _wide(x):
    return x.astype('float32') if x.dtype in (paddle.float16, paddle.bfloat16) else x


def _parameter(op, name, value, wide):
    """A scale or shift as norms of `wide` take it; None stays."""
    if value is None:
        return None
    expect_tensors(op, **{name: value})
    return value.reshape([-1]).astype(wide.dtype)


def layer_normed(op, x, weight, bias, epsilon, begin, dtype, quantization=(-1,)):
    """Layer norm of the axes from `begin` on as `dtype`, or as int8 where there is a factor, and
    the mean and 1 / deviation of each row.
    """
    wide = _wide(x)
    weight, bias = (
        _parameter(op, 'norm_weight', weight, wide),
        _parameter(op, 'norm_bias', bias, wide),
    )
    out = _C_ops.layer_norm(wide, weight, bias, epsilon, begin)
    axes = list(range(begin, x.ndim))
    inverse = paddle.rsqrt(paddle.var(wide, axes, unbiased=False) + epsilon)
    return _stored(out, dtype, quantization), paddle.mean(wide, axes), inverse


def rms_normed(op, x, weight, bias, epsilon, begin, dtype, quantization=(-1,)):
    """x over the root mean square of the axes from `begin` on as `dtype`, or as int8 where there
    is a factor, and 1 / that of each row.
    """
    wide, shape = _wide(x), list(x.shape[begin:])
    out, inverse = _C_ops.rms_norm(
        wide, _parameter(op, 'norm_weight', weight, wide), shape, epsilon
    )
    if bias is not None:
        out = out + _parameter(op, 'norm_bias', bias, wide).reshape(shape)
    return _stored(out, dtype, quantization), inverse


def _stored(out, dtype, quantization):
    return quantize(out, *quantization) if quantization[0] > 0 else out.astype(dtype)


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
    """Layer norm of x + bias + residual_alpha * residual, with what it is made of.

    Without norm_weight and norm_bias the first result is the sum itself.

    Args:
        x (Tensor): The input.
        norm_weight (Tensor or None): The scale, of the elements that are normalised together; None
            for none.
        norm_bias (Tensor or None): The shift; None for none.
        epsilon (float): What is added to the variance.
        residual_alpha (float, default 1.0): The factor of residual.
        begin_norm_axis (int, default 1): The first of the axes that are normalised together.
        bias (Tensor, default None): What is added; None for nothing.
        residual (Tensor, default None): What is added, of the shape of x; None for nothing.
        quant_scale (float, default -1): The factor, with quant_max_bound, of int8 results; -1 for
            results that are not.
        quant_round_type (int, default 0): 0 rounds ties to even, 1 away from zero.
        quant_max_bound (float, default 0): The largest int8.
        quant_min_bound (float, default 0): The smallest int8.

    Returns:
        tuple of Tensors: the norm, the sum, and for each row the mean and 1 / deviation.

    Raises:
        ValueError: begin_norm_axis is no axis.

    Examples:
        >>> x, one, zero = paddle.to_tensor([[1.0, 3.0]]), paddle.ones([2]), paddle.zeros([2])
        >>> F = paddle.incubate.nn.functional
        >>> out, total, mean, inverse = F.fused_layer_norm(x, one, zero, 0.0)
        >>> out.tolist(), total.tolist(), mean.tolist(), inverse.tolist()
        ([[-1.0, 1.0]], [[1.0, 3.0]], [2.0], [1.0])
    """
    total = _sum('fused_layer_norm', x, bias, residual, residual_alpha)
    begin = _begin('fused_layer_norm', x, begin_norm_axis)
    quantization = (quant_scale, quant_round_type, quant_max_bound, quant_min_bound)
    out, mean, inverse = layer_normed(
        'fused_layer_norm', total, norm_weight, norm_bias, epsilon, begin, x.dtype, quantization
    )
    if norm_weight is None and norm_bias is None:
        out = _stored(_wide(total), x.dtype, quantization)
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
    """x + bias + residual over its root mean square.

    Args:
        x (Tensor): The input.
        norm_weight (Tensor or None): The scale, of the elements that are normalised together; None
            for 1.
        norm_bias (Tensor or None): The shift; None for 0.
        epsilon (float): What is added to the mean square.
        begin_norm_axis (int, default 1): The first of the axes that are normalised together.
        bias (Tensor, default None): What is added; None for nothing.
        residual (Tensor, default None): What is added, of the shape of x; None for nothing.
        quant_scale (float, default -1): The factor, with quant_max_bound, of int8 results; -1 for
            results that are not.
        quant_round_type (int, default 0): 0 rounds ties to even, 1 away from zero.
        quant_max_bound (float, default 0): The largest int8.
        quant_min_bound (float, default 0): The smallest int8.

    Returns:
        tuple of Tensors: the norm, and the sum.

    Raises:
        ValueError: begin_norm_axis is no axis.

    Source: Zhang and Sennrich, Root mean square layer normalization,
        https://arxiv.org/abs/1910.07467.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 7.0]])
        >>> F = paddle.incubate.nn.functional
        >>> out, total = F.fused_rms_norm(x, paddle.ones([2]), None, 0.0)
        >>> out.tolist()
        [[0.20000000298023224, 1.399999976158142]]
    """
    total = _sum('fused_rms_norm', x, bias, residual)
    begin = _begin('fused_rms_norm', x, begin_norm_axis)
    quantization = (quant_scale, quant_round_type, quant_max_bound, quant_min_bound)
    out, _ = rms_normed(
        'fused_rms_norm', total, norm_weight, norm_bias, epsilon, begin, x.dtype, quantization
    )
    return out, total


def fast_ln(x, scale, bias, epsilon=1e-05):
    """Layer norm of the last axis, with what it is made of.

    Args:
        x (Tensor): The input.
        scale (Tensor): The scale, of the extent of the last axis.
        bias (Tensor): The shift, of that extent.
        epsilon (float, default 1e-05): What is added to the variance.

    Returns:
        tuple of Tensors: the norm, the mean and 1 / deviation of each row, float32 or wider.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 3.0]])
        >>> out = paddle.incubate.nn.functional.fast_ln(x, paddle.ones([2]), paddle.zeros([2]), 0.0)
        >>> [part.tolist() for part in out]
        [[[-1.0, 1.0]], [2.0], [1.0]]
    """
    expect_tensors('fast_ln', x=x, scale=scale, bias=bias)
    return layer_normed('fast_ln', x, scale, bias, epsilon, x.ndim - 1, x.dtype)


def _last_rms_normed(op, x, scale, epsilon):
    expect_tensors(op, x=x, scale=scale)
    return rms_normed(op, x, scale, None, epsilon, x.ndim - 1, x.dtype)


def fast_rms_norm(x, scale, epsilon=1e-05):
    """The last axis over its root mean square, with what it is made of.

    Args:
        x (Tensor): The input.
        scale (Tensor): The scale, of the extent of the last axis.
        epsilon (float, default 1e-05): What is added to the mean square.

    Returns:
        tuple of Tensors: the norm, and 1 / root mean square of each row, float32 or wider.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 7.0]])
        >>> out, inverse = paddle.incubate.nn.functional.fast_rms_norm(x, paddle.ones([2]), 0.0)
        >>> out.tolist(), inverse.tolist()
        ([[0.20000000298023224, 1.399999976158142]], [0.20000000298023224])
    """
    return _last_rms_normed('fast_rms_norm', x, scale, epsilon)


def fused_rms_norm_ext(x, scale, epsilon=1e-05, name=None):
    """The last axis over its root mean square, with what it is made of; as `fast_rms_norm`.

    Args:
        x (Tensor): The input.
        scale (Tensor): The scale, of the extent of the last axis.
        epsilon (float, default 1e-05): What is added to the mean square.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the norm, and 1 / root mean square of each row, float32 or wider.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 7.0]])
        >>> F = paddle.incubate.nn.functional
        >>> out, inverse = F.fused_rms_norm_ext(x, paddle.ones([2]), 0.0)
        >>> out.tolist()
        [[0.20000000298023224, 1.399999976158142]]
    """
    return _last_rms_normed('fused_rms_norm_ext', x, scale, epsilon)
