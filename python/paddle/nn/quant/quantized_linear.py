# SPDX-License-Identifier: Apache-2.0
"""Products with weights of 8 and 4 bits, for language models."""

from paddle import _C_ops
from paddle.base.framework import dtype_name

__all__ = [
    'apply_per_channel_scale',
    'llm_int8_linear',
    'weight_dequantize',
    'weight_only_linear',
    'weight_quantize',
]

_GROUPS = (-1, 64, 128)
# Kinds of GPU whose layouts of weights PaddlePaddle knows; here there is one layout.
_ARCHES = (None, 70, 75, 80, 86, 89, 90, 100)


def _check(op, group_size, arch=None):
    if group_size not in _GROUPS:
        raise AssertionError(f'[{op}] expected group_size -1, 64 or 128, got {group_size}')
    if arch not in _ARCHES:
        raise AssertionError(f'[{op}] expected arch to be one of {_ARCHES}, got {arch}')
    return 80 if arch is None else arch


def weight_quantize(x, algo='weight_only_int8', arch=None, group_size=-1):
    """(numbers, scales) of a weight. The numbers are [n, k] of int8; with algo `weight_only_int4`
    two columns share a byte. A column has one scale, or one for every `group_size` numbers: [n] or
    [groups, n].

    Args:
        x (Tensor): The weight, of shape [k, n], of float16, bfloat16 or float32.
        algo (str, default 'weight_only_int8'): `weight_only_int8`, `weight_only_int4` or
            `llm.int8`.
        arch (int, default None): Taken for compatibility; it has no effect.
        group_size (int, default -1): How many numbers share a scale; -1 for a whole column.

    Returns:
        tuple of Tensors: the numbers and the scales.

    Examples:
        >>> weight = paddle.linspace(-1, 1, 64 * 32).reshape([64, 32])
        >>> numbers, scales = paddle.nn.quant.weight_quantize(weight)
        >>> numbers.shape, numbers.dtype, scales.shape
        (paddle.Size([32, 64]), paddle.int8, paddle.Size([32]))
    """
    return _C_ops.weight_quantize(x, algo, _check('weight_quantize', group_size, arch), group_size)


def weight_dequantize(x, scale, algo='weight_only_int8', out_dtype='float16', group_size=-1):
    """The weight [k, n] that `weight_quantize` was given, but for what rounding has lost.

    Args:
        x (Tensor): The numbers.
        scale (Tensor): The scales.
        algo (str, default 'weight_only_int8'): What they were made with.
        out_dtype (str or dtype, default 'float16'): The dtype of the result.
        group_size (int, default -1): What they were made with.

    Returns:
        Tensor: the weight, of shape [k, n].

    Examples:
        >>> weight = paddle.linspace(-1, 1, 64 * 32).reshape([64, 32])
        >>> numbers, scales = paddle.nn.quant.weight_quantize(weight)
        >>> again = paddle.nn.quant.weight_dequantize(numbers, scales, out_dtype="float32")
        >>> bool(paddle.allclose(weight, again, atol=0.005))
        True
    """
    _check('weight_dequantize', group_size)
    return _C_ops.weight_dequantize(x, scale, algo, group_size).astype(out_dtype)


def weight_only_linear(
    x, weight, bias=None, weight_scale=None, weight_dtype='int8', arch=None, group_size=-1
):
    """x [..., k] times a weight of `weight_quantize`, plus bias [n].

    Args:
        x (Tensor): Values of shape [..., k].
        weight (Tensor): The numbers of the weight.
        bias (Tensor, default None): The bias; None for none.
        weight_scale (Tensor, default None): Its scales.
        weight_dtype (str, default 'int8'): `int8` or `int4`.
        arch (int, default None): Taken for compatibility; it has no effect.
        group_size (int, default -1): What the weight was quantised with.

    Returns:
        Tensor: of shape [..., n].

    Examples:
        >>> weight = paddle.linspace(-1, 1, 64 * 32).reshape([64, 32])
        >>> numbers, scales = paddle.nn.quant.weight_quantize(weight)
        >>> x = paddle.ones([2, 64])
        >>> out = paddle.nn.quant.weight_only_linear(x, numbers, weight_scale=scales)
        >>> bool(paddle.allclose(out, x @ weight, atol=0.2))
        True
    """
    arch = _check('weight_only_linear', group_size, arch)
    return _C_ops.weight_only_linear(
        x, weight, bias, weight_scale, dtype_name(weight_dtype), arch, group_size
    )


def llm_int8_linear(x, weight, bias=None, weight_scale=None, threshold=6.0):
    """x [..., k] times a weight of `weight_quantize(algo='llm.int8')`, plus bias [n].

    x is rounded to 8 bits, row by row, but for columns with an element above `threshold`.

    Args:
        x (Tensor): Values of shape [..., k].
        weight (Tensor): The numbers of the weight.
        bias (Tensor, default None): The bias; None for none.
        weight_scale (Tensor, default None): Its scales.
        threshold (float, default 6.0): From which magnitude on a column is not rounded.

    Returns:
        Tensor: of shape [..., n].

    Source: Dettmers et al., LLM.int8(), 2022

    Examples:
        >>> weight = paddle.linspace(-1, 1, 64 * 32).reshape([64, 32])
        >>> numbers, scales = paddle.nn.quant.weight_quantize(weight, algo="llm.int8")
        >>> x = paddle.ones([2, 64])
        >>> out = paddle.nn.quant.llm_int8_linear(x, numbers, weight_scale=scales)
        >>> bool(paddle.allclose(out, x @ weight, atol=0.2))
        True
    """
    return _C_ops.llm_int8_linear(x, weight, bias, weight_scale, threshold)


def apply_per_channel_scale(x, scales):
    """x [..., k] with each of its columns times its number in scales [k]."""
    return _C_ops.apply_per_channel_scale(x, scales)
