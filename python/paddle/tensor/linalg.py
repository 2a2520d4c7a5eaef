# SPDX-License-Identifier: Apache-2.0
"""Small linear algebra composed of other functions."""

import paddle


def matrix_power(x, n, name=None, *, out=None):
    """A square matrix multiplied with itself `n` times; negative `n` powers the inverse."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f'[matrix_power] expected square matrices, got shape {x.shape}')
    if n == 0:
        return paddle.eye(x.shape[-1], dtype=x.dtype).expand(list(x.shape)).clone()
    if n < 0:
        return matrix_power(paddle.linalg.inv(x), -n)
    result = None
    while n:
        if n & 1:
            result = x if result is None else paddle.matmul(result, x)
        n >>= 1
        if n:
            x = paddle.matmul(x, x)
    return result


def inverse(x, name=None, *, out=None):
    """The inverse of square matrices."""
    return paddle.linalg.inv(x)
