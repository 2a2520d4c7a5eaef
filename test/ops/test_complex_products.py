# SPDX-License-Identifier: Apache-2.0
"""Products of complex numbers round each product of parts before they add: a processor's fused
multiply-add changes no bit, wherever the product stands.
"""

import numpy as np
import paddle
import pytest

PARTS = {"complex64": np.float32, "complex128": np.float64}
WIDER = {"complex64": np.float64, "complex128": np.longdouble}
SIZES = [1, 2, 3, 7, 16, 37, 1000]


def numbers(dtype, shape, seed):
    rng = np.random.RandomState(seed)
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)


def rounded(x, y):
    """The product, by NumPy's real operations."""
    a, b, c, d = np.broadcast_arrays(x.real, x.imag, y.real, y.imag)
    out = np.empty(a.shape, np.result_type(x, y))
    out.real, out.imag = a * c - b * d, a * d + b * c
    return out


def fused(x, y):
    """The product whose second products are added unrounded."""
    wide = WIDER[str(np.result_type(x, y))]
    a, b, c, d = (part.astype(wide) for part in (x.real, x.imag, y.real, y.imag))
    out = np.empty(x.shape, np.result_type(x, y))
    out.real = (a * c).astype(x.real.dtype).astype(wide) - b * d
    out.imag = (a * d).astype(x.real.dtype).astype(wide) + b * c
    return out


def bits(x):
    return np.ascontiguousarray(x).view(np.uint8)


def same(got, want):
    np.testing.assert_array_equal(bits(got.numpy()), bits(want))


def pair(dtype, n):
    x, y = numbers(dtype, n, 0), numbers(dtype, n, 1)
    return x, y, paddle.to_tensor(x), paddle.to_tensor(y)


@pytest.mark.parametrize("dtype", PARTS)
def test_the_numbers_tell_the_two_apart(dtype):
    x, y = numbers(dtype, 1000, 0), numbers(dtype, 1000, 1)
    assert 100 < np.sum(fused(x, y) != rounded(x, y))


@pytest.mark.parametrize("dtype", PARTS)
@pytest.mark.parametrize("n", SIZES)
class TestProducts:
    def test_elementwise(self, dtype, n):
        x, y, a, b = pair(dtype, n)
        same(a * b, rounded(x, y))
        same(a * b[0], rounded(x, y[0]))
        same(a[0] * b, rounded(x[0], y))
        same(paddle.einsum("i,i->i", a, b), rounded(x, y))
        same(a.multiply_(b), rounded(x, y))

    def test_strided(self, dtype, n):
        x, y, a, b = pair(dtype, (n, 3))
        same(a.t() * b.t(), rounded(x.T, y.T))
        same(a[::2, 1] * b[::2, 2], rounded(x[::2, 1], y[::2, 2]))

    def test_reductions(self, dtype, n):
        x, y, a, b = pair(dtype, n)
        want = rounded(x, y)
        for axis in (0, 1):
            both = paddle.stack([a, b], axis)
            same(paddle.prod(both, axis), want)
            same(paddle.cumprod(both, axis).unbind(axis)[1], want)

    def test_gradients(self, dtype, n):
        x, y, a, b = pair(dtype, n)
        g = numbers(dtype, n, 2)
        a.stop_gradient = b.stop_gradient = False
        da, db = paddle.grad(a * b, [a, b], paddle.to_tensor(g))
        same(da, rounded(g, np.conj(y)))
        same(db, rounded(g, np.conj(x)))

    def test_compiled(self, dtype, n):
        x, y, a, b = pair(dtype, n)
        function = paddle.jit.to_static(lambda a, b: (a * b + a) * b, full_graph=True)
        want = rounded(rounded(x, y) + x, y)
        same(function(a, b), want)
        same((a * b + a) * b, want)
