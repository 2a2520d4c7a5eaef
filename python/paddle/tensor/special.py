# SPDX-License-Identifier: Apache-2.0
"""Special functions that choose between operations."""

import paddle
from paddle import _C_ops


def polygamma(x, n, name=None):
    """The n-th derivative of the digamma function."""
    if not isinstance(n, int) or n < 0:
        raise ValueError(f'[polygamma] expected an integer n of at least 0, got {n}')
    if n == 0:
        return paddle.digamma(x)
    return _C_ops.polygamma(x, n)
