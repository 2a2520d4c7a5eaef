# SPDX-License-Identifier: Apache-2.0
"""Sorting, selection, searching, counting and scans against NumPy."""

import numpy as np
import pytest
from numeric import check_grad

import paddle
from paddle import _C_ops

RNG = np.random.RandomState(0)
DTYPES = ['bool', 'uint8', 'int8', 'int16', 'int32', 'int64', 'float16', 'float32', 'float64']


@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.parametrize('shape, axis', [((6, 7), -1), ((6, 7), 0), ((3, 2000), 1), ((5000,), 0)])
def test_sort_is_stable(dtype, shape, axis):
    x = (RNG.randn(*shape) * 4).astype(dtype)
    out, index = _C_ops.argsort(paddle.to_tensor(x), axis, False, False)
    want = np.argsort(x, axis, kind='stable')
    np.testing.assert_array_equal(index.numpy(), want)
    np.testing.assert_array_equal(out.numpy(), np.take_along_axis(x, want, axis))
    out, index = _C_ops.argsort(paddle.to_tensor(x), axis, True, False)
    want = np.flip(x.shape[axis] - 1 - np.argsort(np.flip(x, axis), axis, kind='stable'), axis)
    np.testing.assert_array_equal(index.numpy(), want)


# From 1024 elements on a line is sorted by digits, with keys and indices in a word where both fit.
@pytest.mark.parametrize('descending', [False, True])
@pytest.mark.parametrize('axis', [0, 1])
@pytest.mark.parametrize('n', [1, 1023, 1024, 1025, 5000])
@pytest.mark.parametrize('dtype', [d for d in DTYPES if d not in ('bool', 'float16')])
def test_long_lines_of_any_range_sort_bit_for_bit(dtype, n, axis, descending):
    if dtype.startswith('float'):
        wide = RNG.standard_normal((2, n)).astype(dtype)
        wide[:, ::5], wide[:, ::10], wide[:, 1::11] = 0.0, -0.0, -np.inf
        lines = [wide, np.round(wide), np.full((2, n), np.nan, dtype)]
    else:
        i = np.iinfo(dtype)
        draw = np.random.default_rng(n).integers
        lines = [draw(i.min, i.max, (2, n), dtype=dtype, endpoint=True)]
        lines += [draw(0, 100, (2, n)).astype(dtype), np.full((2, n), i.max, dtype)]
    for x in lines:
        t = paddle.to_tensor(x if axis else x.T.copy())
        out, index = (v.numpy() for v in _C_ops.argsort(t, axis, descending, False))
        if axis == 0:
            out, index = out.T, index.T
        want = np.argsort(x, 1, kind='stable')
        if descending:
            want = np.flip(n - 1 - np.argsort(np.flip(x, 1), 1, kind='stable'), 1)
        np.testing.assert_array_equal(index, want)
        assert out.tobytes() == np.take_along_axis(x, want, 1).tobytes()


@pytest.mark.parametrize('n', [1, 15, 16, 17, 33, 300])
@pytest.mark.parametrize('largest', [False, True])
@pytest.mark.parametrize('axis', [0, 1])
def test_chosen_items_are_the_first_of_the_sorted_ones(n, largest, axis):
    x = np.round(RNG.standard_normal([3, n]) * 3).astype('float32')
    x[:, ::7], x[:, ::5], x[:, 1::11] = np.nan, -0.0, np.inf
    t = paddle.to_tensor(x if axis else x.T.copy())
    order = _C_ops.argsort(t, axis, largest, False)[1].numpy()
    for k in {1, min(n, 9), n}:
        values, index = paddle.topk(t, k, axis, largest)
        want = order[:, :k] if axis else order[:k]
        np.testing.assert_array_equal(index.numpy(), want)
        np.testing.assert_array_equal(values.numpy(), np.take_along_axis(t.numpy(), want, axis))
        if not largest:
            value, at = paddle.kthvalue(t, k, axis)
            np.testing.assert_array_equal(at.numpy(), np.take(want, k - 1, axis))
            np.testing.assert_array_equal(value.numpy(), np.take(values.numpy(), k - 1, axis))


def test_special_values_sort_as_documented():
    x = np.array([np.nan, 1, -np.inf, 0.0, np.inf, -0.0, np.nan, -1])
    out, index = _C_ops.argsort(paddle.to_tensor(x), -1, False, False)
    np.testing.assert_array_equal(index.numpy(), [2, 7, 3, 5, 1, 4, 0, 6])
    assert np.isnan(paddle.topk(paddle.to_tensor(x), 2)[0].numpy()).all()
    big = np.tile(x, 500)
    np.testing.assert_array_equal(
        _C_ops.argsort(paddle.to_tensor(big), -1, False, False)[1].numpy(),
        np.argsort(big, kind='stable'),
    )


@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.parametrize('k', [1, 3, 40])
def test_topk_kthvalue(dtype, k):
    x = (RNG.randn(5, 40) * 4).astype(dtype)
    t = paddle.to_tensor(x)
    order = np.argsort(x, 1, kind='stable')
    np.testing.assert_array_equal(paddle.topk(t, k, largest=False)[1].numpy(), order[:, :k])
    np.testing.assert_array_equal(paddle.topk(t, k)[0].numpy(), np.sort(x, 1)[:, ::-1][:, :k])
    value, index = paddle.kthvalue(t, k)
    np.testing.assert_array_equal(value.numpy(), np.sort(x, 1)[:, k - 1])
    np.testing.assert_array_equal(index.numpy(), order[:, k - 1])


def test_mode_takes_the_smallest_of_the_most_frequent():
    value, index = paddle.mode(paddle.to_tensor([[3.0, 1, 1, 2], [2, 3, 3, 2], [5, 4, 3, 2]]))
    np.testing.assert_array_equal(value.numpy(), [1, 2, 2])
    np.testing.assert_array_equal(index.numpy(), [2, 3, 3])


@pytest.mark.parametrize('dtype', [d for d in DTYPES if d != 'float16'])
def test_unique(dtype):
    x = (RNG.randn(300) * 3).astype(dtype)
    out, index, inverse, counts = _C_ops.unique(paddle.to_tensor(x), True, True, True, [], 'int64')
    for have, want in zip(
        (out, index, inverse, counts),
        np.unique(x, return_index=True, return_inverse=True, return_counts=True),
    ):
        np.testing.assert_array_equal(have.numpy(), want)
    rows = np.concatenate([x.reshape(100, 3), x.reshape(100, 3)])
    out, _, inverse, counts = _C_ops.unique(paddle.to_tensor(rows), False, True, True, [0], 'int32')
    want = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    np.testing.assert_array_equal(out.numpy(), want[0])
    np.testing.assert_array_equal(inverse.numpy(), want[1].reshape(-1))
    np.testing.assert_array_equal(counts.numpy(), want[2])


def test_unique_consecutive():
    out, inverse, counts = _C_ops.unique_consecutive(
        paddle.to_tensor([1, 1, 2, 2, 2, 1]), True, True, [], 'int64'
    )
    assert (
        out.tolist() == [1, 2, 1]
        and inverse.tolist() == [0, 0, 1, 1, 1, 2]
        and counts.tolist() == [2, 3, 1]
    )


def test_searching_and_counting():
    seq, v = np.sort(RNG.randn(3, 9)), RNG.randn(3, 4)
    for right in (False, True):
        got = _C_ops.searchsorted(paddle.to_tensor(seq), paddle.to_tensor(v), True, right)
        assert got.dtype == paddle.int32
        np.testing.assert_array_equal(
            got.numpy(),
            [np.searchsorted(s, q, 'right' if right else 'left') for s, q in zip(seq, v)],
        )
    x = RNG.randn(500)
    np.testing.assert_array_equal(
        paddle.histogram(paddle.to_tensor(x), 7, -1, 1).numpy(), np.histogram(x, 7, (-1, 1))[0]
    )
    np.testing.assert_array_equal(
        paddle.histogram(paddle.to_tensor(x), 7).numpy(), np.histogram(x, 7)[0]
    )
    # Numbers that float32 rounds above or below an edge open the bin they are written as.
    tenths = paddle.to_tensor([k / 10 for k in range(11)], dtype='float32')
    for got in (
        paddle.histogram(tenths, 10, 0, 1),
        paddle.histogram(tenths, 10, weight=paddle.ones([11])),
        paddle.histogramdd(tenths.unsqueeze(1), [10])[0],
    ):
        assert got.tolist() == [1] * 9 + [2]
    for ends in ((-np.inf, 1), (-3e38, 3e38)):
        with pytest.raises(ValueError, match='finite range'):
            paddle.histogram(tenths, 10, *ends)
    ids = RNG.randint(0, 9, 50)
    np.testing.assert_array_equal(
        paddle.bincount(paddle.to_tensor(ids), minlength=12).numpy(), np.bincount(ids, minlength=12)
    )
    w = RNG.rand(50)
    np.testing.assert_allclose(
        paddle.bincount(paddle.to_tensor(ids), paddle.to_tensor(w)).numpy(), np.bincount(ids, w)
    )


@pytest.mark.parametrize('dtype', ['uint8', 'int32', 'int64', 'float32', 'float64', 'complex128'])
@pytest.mark.parametrize('axis', [0, 1, 2])
def test_running_sums_and_products(dtype, axis):
    x = (RNG.randn(3, 5, 130) * 2).astype(dtype)
    t = paddle.to_tensor(x)
    np.testing.assert_allclose(
        _C_ops.cumsum(t, axis, False, False, False).numpy(),
        np.cumsum(x, axis, dtype=dtype),
        rtol=1e-5,
        atol=1e-5,
    )
    np.testing.assert_allclose(
        _C_ops.cumprod(t, axis, False, False).numpy(), np.cumprod(x, axis, dtype=dtype), rtol=1e-4
    )
    back = np.flip(np.cumsum(np.flip(x, axis), axis, dtype=dtype), axis)
    np.testing.assert_allclose(
        _C_ops.cumsum(t, axis, False, False, True).numpy(), back, rtol=1e-5, atol=1e-4
    )
    first = np.cumsum(x, axis, dtype=dtype) - x
    np.testing.assert_allclose(
        _C_ops.cumsum(t, axis, False, True, False).numpy(), first, rtol=1e-4, atol=1e-4
    )


def test_running_extremes():
    x = np.array([[1.0, 3, 3, 2], [5, np.nan, 7, 1]])
    out, index = _C_ops.cummax(paddle.to_tensor(x), 1, 'int32')
    np.testing.assert_array_equal(out.numpy(), [[1, 3, 3, 3], [5, np.nan, np.nan, np.nan]])
    np.testing.assert_array_equal(index.numpy(), [[0, 1, 2, 2], [0, 1, 1, 1]])
    assert index.dtype == paddle.int32
    np.testing.assert_array_equal(
        _C_ops.cummin(paddle.to_tensor(x[:1]), 1, 'int64')[1].numpy(), [[0, 0, 0, 0]]
    )


def test_logcumsumexp_is_stable():
    x = np.array([-np.inf, 1000.0, -1000, 1000, 5])
    t = paddle.to_tensor(x, stop_gradient=False)
    out = _C_ops.logcumsumexp(t, 0, False, False, False)
    np.testing.assert_allclose(out.numpy(), np.logaddexp.accumulate(x))
    out[3:].sum().backward()
    np.testing.assert_allclose(t.grad.numpy(), [0, 1, 0, 1, 0], atol=1e-12)


@pytest.mark.parametrize('exclusive', [False, True])
@pytest.mark.parametrize('reverse', [False, True])
def test_scan_gradients(exclusive, reverse):
    x = RNG.randn(3, 4)
    check_grad(lambda a: _C_ops.cumsum(a * a * a, 1, False, exclusive, reverse), x)
    check_grad(lambda a: _C_ops.cumprod(a, 1, exclusive, reverse), x)
    if not exclusive:
        check_grad(lambda a: _C_ops.logcumsumexp(a, 1, False, exclusive, reverse), x)


def test_cumprod_gradient_is_exact_at_zero():
    check_grad(lambda a: _C_ops.cumprod(a, 0, False, False), np.array([2.0, 0, 3, 0, 1]), order=1)


@pytest.mark.parametrize(
    'function',
    [
        lambda a: _C_ops.argsort(a, 0, True, False)[0],
        lambda a: paddle.topk(a, 2, 0)[0],
        lambda a: paddle.kthvalue(a, 2, 1)[0],
        lambda a: paddle.mode(a, 1, True)[0],
        lambda a: _C_ops.cummax(a, 1, 'int64')[0],
        lambda a: _C_ops.cummin(a, 0, 'int64')[0],
    ],
)
def test_selection_gradients(function):
    check_grad(lambda a: function(a * a * a), RNG.randn(4, 5))


@pytest.mark.parametrize(
    'call, error',
    [
        (lambda t: paddle.topk(t, 6), ValueError),
        (lambda t: paddle.kthvalue(t, 0), ValueError),
        (lambda t: paddle.bincount(t), (TypeError, ValueError)),
        (lambda t: _C_ops.argsort(t, 5, False, False), (ValueError, IndexError)),
        (lambda t: _C_ops.argmax(t[:0], 0, False, False, 'int64'), ValueError),
        (lambda t: _C_ops.searchsorted(t, t[:, :1].astype('float32'), False, False), TypeError),
        (lambda t: paddle.histogram(t, 0), ValueError),
        (lambda t: paddle.bincount(paddle.to_tensor([-1])), ValueError),
    ],
)
def test_errors(call, error):
    with pytest.raises(error):
        call(paddle.to_tensor(RNG.randn(4, 5)))
