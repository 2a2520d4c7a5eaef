# SPDX-License-Identifier: Apache-2.0
"""Special functions that choose between operations."""

import paddle
from paddle import _C_ops


def polygamma(x, n, name=None):
    """The n-th derivative of the digamma function.

    Args:
        x (Tensor): The values.
        n (int): The order, at least 0.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the derivatives, of the shape of x.

    Examples:
        >>> paddle.polygamma(paddle.to_tensor([1.0, 2.0]), 1).tolist()
        [1.6449, 0.6449]
    """
    if not isinstance(n, int) or n < 0:
        raise ValueError(f'[polygamma] expected an integer n of at least 0, got {n}')
    if n == 0:
        return paddle.digamma(x)
    return _C_ops.polygamma(x, n)
