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
    wide = _wide(total)
    axes, shape = _normed(x, begin_norm_axis, 'fused_rms_norm')
    out = wide * paddle.rsqrt(paddle.mean(wide * wide, axes, keepdim=True) + epsilon)
    quantization = (quant_scale, quant_round_type, quant_max_bound, quant_min_bound)
    out = _finish('fused_rms_norm', out, norm_weight, norm_bias, shape, x.dtype, quantization)
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
    return _rms_normed('fast_rms_norm', x, scale, epsilon)


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
    return _rms_normed('fused_rms_norm_ext', x, scale, epsilon)
