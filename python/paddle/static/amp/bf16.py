# SPDX-License-Identifier: Apache-2.0
"""Mixed precision of programs in bfloat16, under the names that it has apart."""

import numpy as np

from paddle import _lazy

from .decorator import decorate
from .fp16_lists import AutoMixedPrecisionLists
from .fp16_utils import fp16_guard

__all__ = ['AutoMixedPrecisionListsBF16', 'bf16_guard', 'convert_float_to_uint16', 'decorate_bf16']


class AutoMixedPrecisionListsBF16(AutoMixedPrecisionLists):
    """Names of operations to run in bfloat16 (`bf16_list`) or in float32 (`fp32_list`).

    Args:
        custom_bf16_list (set, default None): Names beside the first list, and out of the second.
        custom_fp32_list (set, default None): Names beside the second list, and out of the first.
        custom_fp32_varnames (set, default None): Names of variables that stay in float32.

    Raises:
        ValueError: When a name is in both lists.

    Examples:
        >>> from paddle.static.amp.bf16 import AutoMixedPrecisionListsBF16
        >>> 'matmul_v2' in AutoMixedPrecisionListsBF16(custom_fp32_list={'matmul_v2'}).fp32_list
        True
    """

    def __init__(self, custom_bf16_list=None, custom_fp32_list=None, custom_fp32_varnames=None):
        super().__init__(custom_bf16_list, custom_fp32_list, custom_fp32_varnames, 'bfloat16')

    bf16_list = property(lambda self: self.white_list)
    fp32_list = property(lambda self: self.black_list)
    fp32_varnames = property(lambda self: self.black_varnames)


bf16_guard = fp16_guard
bf16_list = frozenset(AutoMixedPrecisionListsBF16().bf16_list)
fp32_list = frozenset(AutoMixedPrecisionListsBF16().fp32_list)


def decorate_bf16(optimizer, amp_lists=None, use_pure_bf16=False, use_bf16_guard=None):
    """An optimizer for programs in bfloat16.

    Args:
        optimizer (Optimizer): The optimizer.
        amp_lists (AutoMixedPrecisionListsBF16, default None): Which operations run in what.
        use_pure_bf16 (bool, default False): All that can runs in bfloat16.
        use_bf16_guard (bool, default None): Only what is recorded in `bf16_guard` does.

    Returns:
        OptimizerWithMixedPrecision: what stands for it.
    """
    return decorate(
        optimizer,
        amp_lists,
        level='O2' if use_pure_bf16 else 'O1',
        dtype='bfloat16',
        init_loss_scaling=1.0,
        use_dynamic_loss_scaling=False,
        use_amp_guard=use_bf16_guard,
    )


def convert_float_to_uint16(in_list):
    """The bits of numbers as bfloat16, of which the digits behind are cut off.

    Args:
        in_list (array or list of numbers): The numbers.

    Returns:
        array: uint16, of the same shape.

    Examples:
        >>> from paddle.static.amp.bf16 import convert_float_to_uint16
        >>> convert_float_to_uint16([1.0, -2.0]).tolist()
        [16256, 49152]
    """
    bits = np.asarray(in_list, 'float32').view('uint32')
    return (bits >> 16).astype('uint16')


_lazy.serve(globals())
