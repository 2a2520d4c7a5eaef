# SPDX-License-Identifier: Apache-2.0
"""The kernel of grid_sample, in blocks of 128 places, against the definition and against
the operations that gradients of higher order go through.
"""

import itertools

import numpy as np
import paddle
import pytest

F = paddle.nn.functional
rng = np.random.default_rng(0)
PADDINGS = ['zeros', 'border', 'reflection']


def _pixel(at, n, padding, align_corners):
    p = (at + 1) * (n - 1) / 2 if align_corners else ((at + 1) * n - 1) / 2
    if padding == 'reflection':
        low, span = (0, n - 1) if align_corners else (-0.5, n)
        if span == 0:
            return 0.0
        rest = abs(p - low) % (2 * span)
        p = min(rest, 2 * span - rest) + low
    return p if padding == 'zeros' else min(max(p, 0), n - 1)


def _sampled(x, grid, mode, padding, align_corners):
    """By definition, place by place."""
    sizes, places = x.shape[2:], grid.shape[1:-1]
    out = np.zeros([*x.shape[:2], *places], x.dtype)
    for image, *place in np.ndindex(x.shape[0], *places):
        at = grid[(image, *place)][::-1]
        p = [_pixel(a, n, padding, align_corners) for a, n in zip(at, sizes)]
        low = [round(v) if mode == 'nearest' else int(np.floor(v)) for v in p]
        for up in itertools.product([0, 1], repeat=len(sizes)):
            if mode == 'nearest' and any(up):
                continue
            index = [a + u for a, u in zip(low, up)]
            if any(i < 0 or i >= n for i, n in zip(index, sizes)):
                continue
            weight = 1.0
            if mode == 'bilinear':
                for v, a, u in zip(p, low, up):
                    weight *= v - a if u else a + 1 - v
            out[(image, slice(None), *place)] += weight * x[(image, slice(None), *index)]
    return out


SHAPES = {
    'one': ([1, 1, 1, 1], [1, 1]),
    'flat': ([1, 2, 1, 5], [3, 2]),
    'block': ([2, 3, 5, 4], [8, 16]),
    'block_and_one': ([2, 3, 5, 4], [3, 43]),
    'blocks': ([1, 2, 7, 3], [20, 20]),
    'volume': ([2, 2, 3, 4, 2], [5, 3, 9]),
    'thin_volume': ([1, 1, 1, 4, 1], [2, 2, 2]),
}
ALL = pytest.mark.parametrize('align_corners', [True, False])


def _operands(shape, dtype='float64'):
    x_shape, places = SHAPES[shape]
    grid = rng.uniform(-1.7, 1.7, [x_shape[0], *places, len(places)])
    return rng.standard_normal(x_shape).astype(dtype), grid.astype(dtype)


@pytest.mark.parametrize('shape', SHAPES)
@pytest.mark.parametrize('padding', PADDINGS)
@pytest.mark.parametrize('mode', ['bilinear', 'nearest'])
@ALL
def test_samples_are_those_of_the_definition(shape, padding, mode, align_corners):
    x, grid = _operands(shape)
    got = F.grid_sample(
        paddle.to_tensor(x), paddle.to_tensor(grid), mode, padding, align_corners
    ).numpy()
    np.testing.assert_allclose(
        got, _sampled(x, grid, mode, padding, align_corners), rtol=1e-9, atol=1e-12
    )
    x, grid = x.astype('float32'), (grid * 64).round().astype('float32') / 64
    got = F.grid_sample(
        paddle.to_tensor(x), paddle.to_tensor(grid), mode, padding, align_corners
    ).numpy()
    if mode == 'bilinear':
        want = _sampled(x.astype('float64'), grid.astype('float64'), mode, padding, align_corners)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize('shape', SHAPES)
@pytest.mark.parametrize('padding', PADDINGS)
@pytest.mark.parametrize('mode', ['bilinear', 'nearest'])
@ALL
def test_gradients_are_those_of_the_operations(shape, padding, mode, align_corners):
    x, grid = (paddle.to_tensor(a, stop_gradient=False) for a in _operands(shape))
    out = F.grid_sample(x, grid, mode, padding, align_corners)
    dout = paddle.to_tensor(rng.standard_normal(out.shape))
    by_kernel = paddle.grad(out, [x, grid], dout, retain_graph=True)
    by_parts = paddle.grad(out, [x, grid], dout, create_graph=True)
    for got, want in zip(by_kernel, by_parts):
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-9, atol=1e-10)


def test_strided_operands_give_what_ordered_ones_do():
    x, grid = rng.standard_normal([5, 4, 3, 2]), rng.uniform(-1, 1, [2, 7, 9, 2])
    grads = []
    for turned in (True, False):
        a = paddle.to_tensor(x if turned else x.T.copy(), stop_gradient=False)
        b = paddle.to_tensor(
            grid.transpose(0, 2, 1, 3).copy() if turned else grid, stop_gradient=False
        )
        out = F.grid_sample(
            a.transpose([3, 2, 1, 0]) if turned else a, b.transpose([0, 2, 1, 3]) if turned else b
        )
        (out * out).sum().backward()
        dx, dgrid = a.grad.numpy(), b.grad.numpy()
        grads.append([out.numpy(), dx.T if turned else dx])
        grads[-1].append(dgrid.transpose(0, 2, 1, 3) if turned else dgrid)
    for a, b in zip(*grads):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize('mode', ['bilinear', 'nearest'])
def test_no_images_no_places_and_images_without_elements(mode):
    for x_shape, grid_shape in (
        ([0, 3, 4, 4], [0, 2, 2, 2]),
        ([2, 3, 4, 4], [2, 0, 5, 2]),
        ([2, 0, 4, 4], [2, 3, 3, 2]),
        ([1, 2, 0, 4], [1, 3, 3, 2]),
    ):
        x = paddle.ones(x_shape)
        grid = paddle.zeros(grid_shape)
        x.stop_gradient = grid.stop_gradient = False
        out = F.grid_sample(x, grid, mode)
        assert out.shape == [x_shape[0], x_shape[1], *grid_shape[1:3]]
        assert not out.numpy().any()
        dx, dgrid = paddle.grad(out.sum(), [x, grid])
        assert dx.shape == x_shape and dgrid.shape == grid_shape
        assert not dx.numpy().any() and not dgrid.numpy().any()


@pytest.mark.parametrize('padding', PADDINGS)
def test_places_that_are_no_numbers_read_nothing(padding):
    x = paddle.arange(1, 17, dtype='float32').reshape([1, 1, 4, 4])
    x.stop_gradient = False
    grid = paddle.to_tensor([[[[np.nan, 0.0], [0.0, 0.0]]]], stop_gradient=False)
    out = F.grid_sample(x, grid, 'bilinear', padding)
    out.sum().backward()
    assert np.isnan(out.numpy().ravel()).tolist() == [True, False]
    assert x.grad.numpy().sum() == 1
    assert F.grid_sample(x, grid, 'nearest', padding).numpy().ravel()[0] == 0


def test_elements_outside_do_not_reach_the_samples():
    # An infinite element that has no weight must not make the sample beside the image NaN.
    x = paddle.full([1, 1, 3, 3], np.inf)
    out = F.grid_sample(x, paddle.full([1, 1, 1, 2], 3.0))
    assert out.item() == 0


@pytest.mark.parametrize('dtype', ['float16', 'bfloat16', 'int8', 'int32', 'int64', 'float32'])
def test_nearest_elements_of_any_dtype_are_copied(dtype):
    x = paddle.arange(12, dtype='float32').reshape([1, 1, 3, 4]).astype(dtype)
    grid = paddle.to_tensor([[[[-1.0, -1.0], [1.0, 1.0], [1.0, -1.0], [5.0, 0.0]]]], 'float64')
    got = F.grid_sample(x, grid, 'nearest')
    assert str(got.dtype) == f'paddle.{dtype}'
    assert got.astype('float32').numpy().ravel().tolist() == [0, 11, 3, 0]


def test_a_grid_of_another_float_dtype_decides_with_x():
    x, grid = _operands('block')
    for x_dtype, grid_dtype in (('float32', 'float64'), ('float64', 'float32')):
        a = paddle.to_tensor(x, x_dtype, stop_gradient=False)
        b = paddle.to_tensor(grid, grid_dtype, stop_gradient=False)
        out = F.grid_sample(a, b)
        assert out.dtype == paddle.float64
        want = _sampled(
            a.astype('float64').numpy(), b.astype('float64').numpy(), 'bilinear', 'zeros', True
        )
        np.testing.assert_allclose(out.numpy(), want, rtol=1e-5, atol=1e-6)
        out.sum().backward()
        assert (a.grad.dtype, b.grad.dtype) == (a.dtype, b.dtype)


def test_complex_images_are_refused():
    with pytest.raises(TypeError, match='real dtype'):
        F.grid_sample(paddle.ones([1, 1, 2, 2], 'complex64'), paddle.zeros([1, 1, 1, 2]))
