# SPDX-License-Identifier: Apache-2.0
"""Finding non-finite values."""
import functools
from enum import Enum

import numpy as np

import paddle

__all__ = ['DebugMode', 'check_numerics', 'check_layer_numerics']


class DebugMode(Enum):
    """What `check_numerics` does with what it finds."""

    CHECK_NAN_INF_AND_ABORT = 0
    CHECK_NAN_INF = 1
    CHECK_ALL_FOR_OVERFLOW = 2
    CHECK_ALL = 3
    CHECK_ALL_AND_ABORT = 4
    DUMP_ALL = 5


def check_numerics(tensor, op_type, var_name, debug_mode=DebugMode.CHECK_NAN_INF_AND_ABORT):
    """Count the NaN, infinite and zero values: (counts [3] int64, [max, min, mean] float32).

    RuntimeError for non-finite values when `debug_mode` is CHECK_NAN_INF_AND_ABORT; printed otherwise.
    """
    values = tensor.astype('float32').numpy()
    nan, inf, zero = int(np.isnan(values).sum()), int(np.isinf(values).sum()), int((values == 0).sum())
    stats = [values.max(), values.min(), values.mean()] if values.size else [0.0, 0.0, 0.0]
    text = (f"[{op_type}] {var_name}: {values.size} values, {nan} NaN, {inf} Inf, {zero} zero, "
            f"max {stats[0]:g}, min {stats[1]:g}, mean {stats[2]:g}")
    if nan or inf:
        if debug_mode == DebugMode.CHECK_NAN_INF_AND_ABORT:
            raise RuntimeError(f"There are NAN or INF in {text}")
        print(text)
    elif debug_mode == DebugMode.CHECK_ALL:
        print(text)
    return (paddle.to_tensor(np.array([nan, inf, zero], 'int64')), paddle.to_tensor(np.array(stats, 'float32')))


def check_layer_numerics(func):
    """Decorator of a layer's `forward`: check its first tensor before and its results after."""
    @functools.wraps(func)
    def wrapper(self, *args, **kwargs):
        if args:
            if not isinstance(args[0], paddle.Tensor):
                raise RuntimeError("First input of this layer must be tensor.")
            check_numerics(args[0], type(self).__name__, 'input')
        out = func(self, *args, **kwargs)
        for i, item in enumerate(out if isinstance(out, (list, tuple)) else [out]):
            if isinstance(item, paddle.Tensor) and 'float' in str(item.dtype):
                check_numerics(item, type(self).__name__, f'output {i}')
        return out
    return wrapper
