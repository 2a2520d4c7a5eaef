# SPDX-License-Identifier: Apache-2.0
"""Special functions: Bessel, incomplete gamma, polygamma. Their op is used where there is one."""

import numpy as np

import paddle
from paddle import _C_ops


def _unary(name, doc):
    def function(x, name=None):
        op = getattr(_C_ops, function.__name__, None)
        if op is None:
            raise NotImplementedError(f'[{function.__name__}] is not part of this build')
        return op(x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def gammaln(x, name=None):
    """The logarithm of |gamma(x)|."""
    return paddle.lgamma(x)


def _chebyshev(x, coefficients):
    b0 = b1 = paddle.zeros_like(x)
    b2 = b1
    for c in coefficients:
        b2, b1 = b1, b0
        b0 = x * b1 - b2 + c
    return (b0 - b2) * 0.5


def _bessel_terms(order):
    """Chebyshev coefficients of exp(-|x|) I_n(x) on [0, 8] and of sqrt(x) exp(-x) I_n(x) on [8, inf), by quadrature."""
    theta = (np.arange(256) + 0.5) * np.pi / 256
    t = np.cos(theta)

    def scaled(x):
        phi = (np.arange(4096) + 0.5) * np.pi / 4096
        return np.array([np.mean(np.exp(v * (np.cos(phi) - 1)) * np.cos(order * phi)) for v in x])

    low = scaled(4 * (t + 1))
    x = 16 / (t + 1)
    x = np.minimum(x, 1e6)
    phi = np.linspace(0, 1, 4097)[:-1] + 0.5 / 4096
    high = []
    for v in x:
        # The peak of the integrand has width 1/sqrt(x): substitute s = phi * sqrt(x).
        top = min(np.pi, 9.0 / np.sqrt(v))
        p = phi * top
        high.append(np.mean(np.exp(v * (np.cos(p) - 1)) * np.cos(order * p)) * top / np.pi * np.sqrt(v))
    high = np.array(high)

    def series(values, n):
        return [2 / 256 * np.sum(values * np.cos(k * theta)) for k in range(n)][::-1]

    return series(low, 30), series(high, 30)


_terms = {}


def _scaled_bessel(x, order):
    if order not in _terms:
        _terms[order] = _bessel_terms(order)
    low, high = _terms[order]
    dtype = x.dtype
    a = paddle.abs(x.astype('float64'))
    small = a <= 8
    near = _chebyshev(paddle.where(small, a, paddle.zeros_like(a)) / 2 - 2, low)
    far = paddle.where(small, paddle.full_like(a, 8.0), a)
    value = paddle.where(small, near, _chebyshev(32 / far - 2, high) / paddle.sqrt(far))
    if order == 1:
        value = value * paddle.sign(x.astype('float64'))
    return value.astype(dtype)


def i0e(x, name=None):
    """exp(-|x|) times the modified Bessel function of order 0."""
    return _C_ops.i0e(x) if hasattr(_C_ops, 'i0e') else _scaled_bessel(x, 0)


def i1e(x, name=None):
    """exp(-|x|) times the modified Bessel function of order 1."""
    return _C_ops.i1e(x) if hasattr(_C_ops, 'i1e') else _scaled_bessel(x, 1)


def _unscaled(x, scaled):
    wide = x.astype('float64')
    return (scaled(wide) * paddle.exp(paddle.abs(wide))).astype(x.dtype)


def i0(x, name=None):
    """The modified Bessel function of order 0."""
    return _C_ops.i0(x) if hasattr(_C_ops, 'i0') else _unscaled(x, i0e)


def i1(x, name=None):
    """The modified Bessel function of order 1."""
    return _C_ops.i1(x) if hasattr(_C_ops, 'i1') else _unscaled(x, i1e)


def polygamma(x, n, name=None):
    """The n-th derivative of the digamma function."""
    if not isinstance(n, int) or n < 0:
        raise ValueError(f'[polygamma] expected an integer n of at least 0, got {n}')
    if n == 0:
        return paddle.digamma(x)
    if hasattr(_C_ops, 'polygamma'):
        return _C_ops.polygamma(x, n)
    import math

    # (-1)^(n+1) n! zeta(n+1, x): terms up to 20, then the Euler-Maclaurin tail.
    dtype, s, wide = x.dtype, n + 1, x.astype('float64')
    total = paddle.zeros_like(wide)
    for k in range(20):
        total = total + (wide + k) ** -s
    a = wide + 20
    total = total + a ** (1 - s) / (s - 1) + a**-s * 0.5
    total = (
        total
        + s / 12.0 * a ** (-s - 1)
        - s * (s + 1) * (s + 2) / 720.0 * a ** (-s - 3)
        + s * (s + 1) * (s + 2) * (s + 3) * (s + 4) / 30240.0 * a ** (-s - 5)
    )
    return (total * ((-1.0) ** (n + 1) * math.factorial(n))).astype(dtype)


def gammaincc(x, y, name=None):
    """The regularised upper incomplete gamma function Q(x, y)."""
    if hasattr(_C_ops, 'gammaincc'):
        return _C_ops.gammaincc(x, y)
    return (1.0 - _lower_gamma(x.astype('float64'), y.astype('float64'))).astype(x.dtype)


def gammainc(x, y, name=None):
    """The regularised lower incomplete gamma function P(x, y)."""
    if hasattr(_C_ops, 'gammaincc'):
        return 1.0 - _C_ops.gammaincc(x, y)
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
    if hasattr(_C_ops, 'nextafter'):
        return _C_ops.nextafter(x, y)
    return paddle.to_tensor(np.nextafter(x.numpy(), y.numpy()))
