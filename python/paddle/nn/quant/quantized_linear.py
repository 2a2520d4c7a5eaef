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
    """(numbers, scales) of a weight x [k, n] of float16, bfloat16 or float32.

    The numbers are [n, k] of int8; with algo 'weight_only_int4' two columns share a byte. A column
    has one scale, or one for every `group_size` numbers: [n] or [groups, n].
    """
    return _C_ops.weight_quantize(x, algo, _check('weight_quantize', group_size, arch), group_size)


def weight_dequantize(x, scale, algo='weight_only_int8', out_dtype='float16', group_size=-1):
    """The weight [k, n] that `weight_quantize` was given, but for what rounding has lost."""
    _check('weight_dequantize', group_size)
    return _C_ops.weight_dequantize(x, scale, algo, group_size).astype(out_dtype)


def weight_only_linear(
    x, weight, bias=None, weight_scale=None, weight_dtype='int8', arch=None, group_size=-1
):
    """x [..., k] times a weight of `weight_quantize`, plus bias [n]."""
    arch = _check('weight_only_linear', group_size, arch)
    return _C_ops.weight_only_linear(
        x, weight, bias, weight_scale, dtype_name(weight_dtype), arch, group_size
    )


def llm_int8_linear(x, weight, bias=None, weight_scale=None, threshold=6.0):
    """x [..., k] times a weight of `weight_quantize(algo='llm.int8')`, plus bias [n].

    x is rounded to 8 bits, row by row, but for columns with an element above `threshold`.
    """
    return _C_ops.llm_int8_linear(x, weight, bias, weight_scale, threshold)


def apply_per_channel_scale(x, scales):
    """x [..., k] with each of its columns times its number in scales [k]."""
    return _C_ops.apply_per_channel_scale(x, scales)
