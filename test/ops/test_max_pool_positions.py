# SPDX-License-Identifier: Apache-2.0
"""Maxima and their positions, of windows that are looked at column by column and of others."""

import numpy as np
import pytest

import paddle

F = paddle.nn.functional
RNG = np.random.RandomState(0)
POOLS = {1: F.adaptive_max_pool1d, 2: F.adaptive_max_pool2d, 3: F.adaptive_max_pool3d}
CASES = [
    ([9], [4]),
    ([64], [7]),
    ([7, 8], [3, 4]),  # half as many results as columns
    ([7, 7], [3, 4]),  # fewer columns than that
    ([56, 33], [7, 5]),
    ([5, 40], [8, 1]),
    ([4, 5, 17], [2, 3, 4]),
    ([3, 2, 3], [3, 2, 3]),
]


def _expected(x, size):
    """Values and flat positions in the plane, the first of equal ones and of NaN."""
    space = x.shape[2:]
    out = np.empty([*x.shape[:2], *size], x.dtype)
    index = np.empty(out.shape, 'int64')
    places = np.arange(np.prod(space)).reshape(space)
    for o in np.ndindex(*size):
        window = tuple(slice(i * n // k, -(-(i + 1) * n // k)) for i, n, k in zip(o, space, size))
        flat = x[(..., *window)].reshape(*x.shape[:2], -1)
        at = np.argmax(flat, -1)  # NaN is the largest, the first one counts
        out[(..., *o)] = np.take_along_axis(flat, at[..., None], -1)[..., 0]
        index[(..., *o)] = places[window].ravel()[at]
    return out, index


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
@pytest.mark.parametrize('space, size', CASES, ids=str)
@pytest.mark.parametrize('kind', ['random', 'equal', 'nan', 'infinite'])
def test_values_positions_and_gradients(space, size, dtype, kind):
    x = RNG.standard_normal([2, 3, *space]).astype(dtype)
    if kind == 'equal':
        x = np.round(x)
    elif kind == 'nan':
        x[RNG.rand(*x.shape) < 0.1] = np.nan
    elif kind == 'infinite':
        x[RNG.rand(*x.shape) < 0.9] = -np.inf
    t = paddle.to_tensor(x, stop_gradient=False)
    out, index = POOLS[len(space)](t, size, return_mask=True)
    values, places = _expected(x, size)
    np.testing.assert_array_equal(out.numpy(), values)
    np.testing.assert_array_equal(index.numpy(), places)
    dout = RNG.standard_normal(out.shape).astype(dtype)
    out.backward(paddle.to_tensor(dout))
    want = np.zeros([6, int(np.prod(space))])
    for plane, at, g in zip(want, places.reshape(6, -1), dout.reshape(6, -1)):
        np.add.at(plane, at, g)
    np.testing.assert_allclose(t.grad.numpy(), want.reshape(x.shape), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    'kernel, stride, padding', [(8, 8, 0), (3, 3, 1), (5, 3, 2), (4, 2, 1), (7, 3, 3)]
)
@pytest.mark.parametrize('space', [(9, 17), (32, 56), (8, 8)])
def test_maxima_of_strided_windows(space, kernel, stride, padding):
    x = np.round(RNG.standard_normal([2, 2, *space]) * 2).astype('float32')
    x[RNG.rand(*x.shape) < 0.02] = np.nan
    out, index = F.max_pool2d(paddle.to_tensor(x), kernel, stride, padding, return_mask=True)
    places = np.arange(np.prod(space)).reshape(space)
    for o in np.ndindex(*out.shape[2:]):
        window = tuple(
            slice(max(i * stride - padding, 0), i * stride - padding + kernel) for i in o
        )
        flat = x[(..., *window)].reshape(2, 2, -1)
        at = np.argmax(flat, -1)
        np.testing.assert_array_equal(index.numpy()[(..., *o)], places[window].ravel()[at])
        want = np.take_along_axis(flat, at[..., None], -1)[..., 0]
        np.testing.assert_array_equal(out.numpy()[(..., *o)], want)
