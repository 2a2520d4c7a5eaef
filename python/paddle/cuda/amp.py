# SPDX-License-Identifier: Apache-2.0
"""Automatic mixed precision on GPUs by the names of PyTorch's programs."""

import paddle
from paddle.amp import GradScaler

__all__ = ['GradScaler', 'autocast']


def autocast(enabled=True, dtype='float16', cache_enabled=True):
    """`paddle.amp.autocast` for GPUs.

    Args:
        enabled (bool, default True): Whether anything happens.
        dtype (str or dtype, default 'float16'): `float16` or `bfloat16`.
        cache_enabled (bool, default True): Taken for compatibility; it has no effect.

    Returns:
        context manager: inside, operations run in dtype where that is safe; where the current
        device is no GPU, nothing happens, and a warning says so.

    Examples:
        >>> with paddle.cuda.amp.autocast(enabled=False):
        ...     paddle.ones([1]).dtype
        paddle.float32
    """
    return paddle.amp.autocast('cuda', dtype, enabled, cache_enabled)
