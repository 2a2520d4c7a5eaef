# SPDX-License-Identifier: Apache-2.0
"""Lists of operations for mixed precision, and names of its dtypes."""

from paddle.amp.amp_lists import black_list as _black
from paddle.amp.amp_lists import white_list as _white

__all__ = [
    'AutoMixedPrecisionLists',
    'CustomOpLists',
    'check_amp_dtype',
    'get_low_precision_dtypestr',
    'get_low_precision_vartype',
]


def check_amp_dtype(dtype):
    """'float16' or 'bfloat16' for a dtype's name in any case; ValueError for others."""
    name = dtype.lower() if isinstance(dtype, str) else dtype
    if name not in ('float16', 'bfloat16'):
        raise ValueError(f"[static.amp] expected dtype 'float16' or 'bfloat16', got {name!r}")
    return name


def get_low_precision_vartype(dtype):
    """The dtype of 'float16' or 'bfloat16'."""
    from paddle.base.framework import to_dtype

    return to_dtype(check_amp_dtype(dtype)) if isinstance(dtype, str) else dtype


def get_low_precision_dtypestr(dtype):
    """'float16' or 'bfloat16' for the name or the dtype."""
    return check_amp_dtype(dtype if isinstance(dtype, str) else str(dtype).rsplit('.', 1)[-1])


class AutoMixedPrecisionLists:
    """Names of operations to run in low precision (`white_list`) or in float32 (`black_list`),
    changed by lists of the program's own.
    """

    def __init__(
        self,
        custom_white_list=None,
        custom_black_list=None,
        custom_black_varnames=None,
        dtype='float16',
    ):
        self.amp_dtype = check_amp_dtype(dtype)
        ours, theirs = set(custom_white_list or ()), set(custom_black_list or ())
        if ours & theirs:
            raise ValueError(
                "[AutoMixedPrecisionLists] expected custom lists without an op in both, got "
                f"{sorted(ours & theirs)}"
            )
        self.white_list = (set(_white()[self.amp_dtype]['O1']) - theirs) | ours
        self.black_list = (set(_black()[self.amp_dtype]['O1']) - ours) | theirs
        self.black_varnames = custom_black_varnames


CustomOpLists = AutoMixedPrecisionLists
