# SPDX-License-Identifier: Apache-2.0
"""Polygamma, and special functions without an op of their own: incomplete gamma, nextafter."""

import numpy as np

import paddle
from paddle import _C_ops


def polygamma(x, n, name=None):
    """The n-th derivative of the digamma function."""
    if not isinstance(n, int) or n < 0:
        raise ValueError(f'[polygamma] expected an integer n of at least 0, got {n}')
    if n == 0:
        return paddle.digamma(x)
    return _C_ops.polygamma(x, n)


def gammaincc(x, y, name=None):
    """The regularised upper incomplete gamma function Q(x, y)."""
    return (1.0 - _lower_gamma(x.astype('float64'), y.astype('float64'))).astype(x.dtype)


def gammainc(x, y, name=None):
    """The regularised lower incomplete gamma function P(x, y)."""
    return _lower_gamma(x.astype('float64'), y.astype('float64')).astype(x.dtype)


def _lower_gamma(a, x):
    """P(a, x): the power series below x = a + 1, Lentz's continued fraction above."""
    shape = paddle.broadcast_shape(list(a.shape), list(x.shape))
    a, x = a.expand(shape), x.expand(shape)
    low = x < a + 1
    front = paddle.exp(a * paddle.log(paddle.where(x > 0, x, paddle.ones_like(x))) - x - paddle.lgamma(a))
    xs = paddle.where(low, x, a)
    term = total = 1 / a
    for k in range(1, 400):
        term = term * xs / (a + k)
        total = total + term
    xl = paddle.where(low, a + 2, x)
    tiny = 1e-300
    b = xl + 1 - a
    c = paddle.full_like(xl, 1 / tiny)
    d = 1 / b
    h = d
    for k in range(1, 400):
        an = (a - k) * k
        b = b + 2
        d = an * d + b
        d = 1 / paddle.where(paddle.abs(d) < tiny, paddle.full_like(d, tiny), d)
        c = b + an / c
        c = paddle.where(paddle.abs(c) < tiny, paddle.full_like(c, tiny), c)
        h = h * d * c
    return paddle.where(x > 0, paddle.where(low, front * total, 1 - front * h), paddle.zeros_like(x))


def nextafter(x, y, name=None):
    """The next number after x towards y."""
    a, b = x.numpy(), y.numpy()
    return paddle.to_tensor(_next_bfloat16(a, b) if x.dtype == paddle.bfloat16 else np.nextafter(a, b))


def _next_bfloat16(a, b):
    """Of the bits of bfloat16 numbers: they are in the order of the numbers, once those of negative ones are mirrored."""
    x, y = (np.where(v & 0x8000, -(v & 0x7FFF).astype('int32'), v.astype('int32')) for v in (a, b))
    moved = x + np.sign(y - x)
    bits = np.where(x == y, b, np.where((moved < 0) | ((moved == 0) & (x < 0)), 0x8000 - moved, moved))
    return np.where((np.abs(x) > 0x7F80) | (np.abs(y) > 0x7F80), 0x7FC0, bits).astype('uint16')
