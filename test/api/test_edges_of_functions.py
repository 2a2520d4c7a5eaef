# SPDX-License-Identifier: Apache-2.0
"""Functions at their edges: no elements, weights of zero, sums beyond a half, plain numbers."""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F


def run_program(function, feeds, shapes):
    """What a program of `function` fetches, whose inputs are declared with these shapes."""
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            given = [
                paddle.static.data(f'x{i}', shape, str(a.dtype))
                for i, (a, shape) in enumerate(zip(feeds, shapes))
            ]
            fetches = function(*given)
        return paddle.static.Executor().run(
            main, feed={f'x{i}': a for i, a in enumerate(feeds)}, fetch_list=[fetches]
        )[0]
    finally:
        paddle.disable_static()


@pytest.mark.parametrize(
    'extents, shape, wanted',
    [
        ([0, 3], [0, -1], [0, 3]),
        ([0, 3], [-1, 0], [3, 0]),
        ([0, 3, 4], [0, -1], [0, 12]),
        ([0, 3, 4], [2, -1, 0], [2, 6, 0]),
        ([3, 0, 4], [0, -1, 4], [0, 3, 4]),
        ([0, 0, 5], [0, 0, -1], [0, 0, 5]),
        ([0, 3, 4], [-1, 6], [0, 6]),
        # Zeros that are more than x has stand for x's extents, as in a batch with elements.
        ([0, 3, 4], [0, 0, -1], [0, 3, 4]),
        ([0, 6], [0, 0, -1], [0, 6, 1]),
    ],
)
def test_reshape_of_nothing_finds_the_extent(extents, shape, wanted):
    assert list(paddle.zeros(extents).reshape(shape).shape) == wanted


@pytest.mark.parametrize('shape', [[0, -1], [0, 0, -1], [-1, 12]])
def test_reshape_of_an_empty_batch_in_a_program(shape):
    none, two = (
        run_program(lambda x: x.reshape(shape), [np.zeros([n, 3, 4], 'float32')], [[-1, 3, 4]])
        for n in (0, 2)
    )
    assert none.shape == (0, *two.shape[1:])


X = np.random.RandomState(0).randn(2, 3, 4).astype('float32')


@pytest.mark.parametrize('extent', [-1, 4])
@pytest.mark.parametrize('reduction', ['mean', 'sum', 'none'])
def test_nll_loss_of_a_batch_that_comes_later(extent, reduction):
    label = np.array([[0, 1, 2, 0], [1, 1, 0, 2]])
    got = run_program(
        lambda x, y: F.nll_loss(x, y, reduction=reduction),
        [X, label],
        [[-1, 3, extent], [-1, extent]],
    )
    want = F.nll_loss(paddle.to_tensor(X), paddle.to_tensor(label), reduction=reduction)
    np.testing.assert_allclose(got, want.numpy(), rtol=1e-6)


@pytest.mark.parametrize(
    'shape, n', [([-1, 3, 4], 6), ([-1, -1, 4], 6), ([-1, -1, -1], 2), ([2, -1, 4], 3)]
)
def test_fft_of_extents_that_come_later(shape, n):
    got = run_program(lambda x: paddle.fft.fft(x, n=n, axis=1), [X], [shape])
    np.testing.assert_allclose(got, np.fft.fft(X, n, axis=1), atol=1e-5)


def test_svd_of_a_batch_that_comes_later():
    got = run_program(lambda x: paddle.linalg.svd_lowrank(x, 3)[1], [X], [[-1, 3, 4]])
    np.testing.assert_allclose(got, np.linalg.svd(X)[1], rtol=1e-4)


def test_suppression_takes_its_arguments_into_account():
    boxes = paddle.to_tensor([[0.0, 0, 2, 2], [0, 0, 2, 2.1], [3, 3, 5, 5]])
    assert paddle.vision.ops.nms(boxes, 0.5, top_k=1).tolist() == [0]
    with pytest.raises(ValueError, match=r'\[nms\] expected scores'):
        paddle.vision.ops.nms(
            boxes, 0.5, category_idxs=paddle.to_tensor([0, 1, 0]), categories=[0, 1]
        )


def test_unpooling_has_as_much_padding_at_both_ends():
    x, places = paddle.ones([1, 1, 2, 2]), paddle.arange(4).reshape([1, 1, 2, 2])
    with pytest.raises(ValueError, match=r'\[max_unpool2d\] expected padding as an int or 2 ints'):
        F.max_unpool2d(x, places, 2, padding=[0, 1, 0, 0])


@pytest.mark.parametrize(
    'extents, shape', [([0, 3], [0, -1, 4]), ([0], [0, 0, -1]), ([0, 0, 5], [0, -1])]
)
def test_reshape_of_nothing_refuses_any_extent(extents, shape):
    with pytest.raises(ValueError, match=r'\[reshape\] expected a shape in which one extent'):
        paddle.zeros(extents).reshape(shape)


def test_sums_over_no_elements():
    a, b = paddle.zeros([2, 3, 0]), paddle.zeros([0, 4])
    assert paddle.tensordot(a, b, 1).tolist() == np.zeros([2, 3, 4]).tolist()
    assert paddle.inner(a, paddle.zeros([5, 0])).shape == [2, 3, 5]
    assert paddle.unflatten(paddle.zeros([0, 6]), 1, [2, -1]).shape == [0, 2, 3]


@pytest.mark.parametrize('function, lead', [(paddle.addmm, []), (paddle.baddbmm, [1])])
def test_a_weight_of_zero_leaves_the_term_out(function, lead):
    nan, x, y = (
        paddle.full([*lead, *s], v) for s, v in (((2, 2), np.nan), ((2, 3), 1), ((3, 2), 1))
    )
    nan.stop_gradient = False
    out = function(nan, x, y, beta=0)
    assert out.flatten().tolist() == [3.0] * 4
    out.sum().backward()
    assert nan.grad.flatten().tolist() == [0.0] * 4
    ones = paddle.ones([*lead, 2, 2])
    assert function(ones, x * np.inf, y, beta=2, alpha=0).flatten().tolist() == [2.0] * 4


@pytest.mark.parametrize('dtype', ['float16', 'bfloat16'])
def test_squares_beyond_a_half(dtype):
    x = paddle.to_tensor([0.0, 1000.0, 2000.0]).astype(dtype)
    assert (x.std().dtype, float(x.std())) == (x.dtype, 1000.0)
    many = paddle.to_tensor([1.0, -1.0] * 50000).astype(dtype) * 2
    assert (many.var().dtype, float(many.var())) == (x.dtype, 4.0)
    many.stop_gradient = False
    many.var().backward()
    assert many.grad.dtype == x.dtype and bool(paddle.isfinite(many.grad).all())


def test_assign_of_a_number_has_one_axis():
    for number in (3, 2.5, True, 1j, np.float32(3)):
        assert paddle.assign(number).shape == [1]
    assert paddle.assign(np.array(3.0)).shape == []
    out = paddle.zeros([1])
    assert paddle.assign(2.0, out).tolist() == [2.0] == out.tolist()
