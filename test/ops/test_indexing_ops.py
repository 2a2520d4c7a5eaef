# SPDX-License-Identifier: Apache-2.0
"""Gather, scatter, masks and slice assignment: values against NumPy, derivatives against
differences, errors.
"""

import numpy as np
import pytest
from numeric import check_grad

import paddle
from paddle import _C_ops

RNG = np.random.RandomState(0)
X = RNG.randn(4, 5)
DTYPES = [
    'bool',
    'uint8',
    'int8',
    'int16',
    'int32',
    'int64',
    'float32',
    'float64',
    'complex64',
    'complex128',
]


def ints(*values):
    return np.array(values, 'int64')


def cubed(function):
    return lambda a, *rest: function(a * a * a, *rest)


@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.parametrize('index', ['int32', 'int64'])
def test_gathers(dtype, index):
    x = (X * 4).astype(dtype)
    t, i = paddle.to_tensor(x), paddle.to_tensor(np.array([3, 0, -1], index))
    np.testing.assert_array_equal(paddle.gather(t, i).numpy(), x[[3, 0, -1]])
    np.testing.assert_array_equal(paddle.gather(t, i, axis=1).numpy(), x[:, [3, 0, -1]])
    np.testing.assert_array_equal(paddle.index_select(t, i, axis=1).numpy(), x[:, [3, 0, -1]])
    np.testing.assert_array_equal(
        paddle.gather(t, paddle.to_tensor(np.array(2, index))).numpy(), x[2]
    )
    nd = np.array([[1, 2], [3, -1]], index)
    np.testing.assert_array_equal(
        paddle.gather_nd(t, paddle.to_tensor(nd)).numpy(), x[nd[:, 0], nd[:, 1]]
    )
    np.testing.assert_array_equal(
        paddle.gather_nd(t, paddle.to_tensor(nd[:, :1])).numpy(), x[nd[:, 0]]
    )
    along = RNG.randint(-5, 5, (4, 3)).astype(index)
    np.testing.assert_array_equal(
        _C_ops.take_along_axis(t, paddle.to_tensor(along), 1).numpy(),
        np.take_along_axis(x, along, 1),
    )


@pytest.mark.parametrize('dtype', [d for d in DTYPES if d != 'bool'])
def test_scatters(dtype):
    x, u = (X * 4).astype(dtype), (RNG.rand(2, 5) * 4).astype(dtype)
    t, v = paddle.to_tensor(x), paddle.to_tensor(u)
    want = x.copy()
    want[[1, 3]] = u
    np.testing.assert_array_equal(
        _C_ops.scatter(t, paddle.to_tensor(ints(1, 3)), v, True).numpy(), want
    )
    want = x.copy()
    want[2] = u[0] + u[1]
    np.testing.assert_allclose(
        _C_ops.scatter(t, paddle.to_tensor(ints(2, 2)), v, False).numpy(), want, rtol=1e-6
    )
    want = x.copy()
    np.add.at(want, [2, -2], u)
    np.testing.assert_allclose(
        _C_ops.index_add(t, paddle.to_tensor(ints(2, -2)), v, 0).numpy(), want, rtol=1e-6
    )
    np.testing.assert_allclose(
        paddle.scatter_nd_add(t, paddle.to_tensor(ints([2], [-2])), v).numpy(), want, rtol=1e-6
    )
    want = x.copy()
    np.add.at(want, ([0, 3, 3], [1, 2, 2]), u[0, :3])
    got = paddle.index_put(
        t, (paddle.to_tensor(ints(0, 3, 3)), paddle.to_tensor(ints(1, 2, 2))), v[0, :3], True
    )
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-6)


def test_scatter_add_is_deterministic():
    table, ids = np.zeros((50, 64), 'float32'), RNG.randint(0, 50, 20000)
    rows = RNG.randn(20000, 64).astype('float32')
    runs = [
        _C_ops.index_add(
            paddle.to_tensor(table), paddle.to_tensor(ids), paddle.to_tensor(rows), 0
        ).numpy()
        for _ in range(3)
    ]
    assert np.array_equal(runs[0], runs[1]) and np.array_equal(runs[0], runs[2])
    np.add.at(table, ids, rows)
    np.testing.assert_array_equal(runs[0], table)


@pytest.mark.parametrize('reduce', ['assign', 'add', 'mul', 'mean', 'amax', 'amin'])
@pytest.mark.parametrize('include_self', [True, False])
def test_put_along_axis(reduce, include_self):
    arr, index, values = (
        RNG.randn(3, 4),
        np.array([[0, 0, 1], [2, 2, 2], [3, 1, 3]]),
        RNG.randn(3, 3),
    )
    want = arr.copy()
    for r in range(3):
        for c in set(index[r]):
            terms = list(values[r][index[r] == c])
            if reduce == 'assign':
                want[r, c] = terms[-1]
                continue
            terms = ([arr[r, c]] if include_self else []) + terms
            want[r, c] = {
                'add': np.sum,
                'mul': np.prod,
                'mean': np.mean,
                'amax': np.max,
                'amin': np.min,
            }[reduce](terms)
    got = _C_ops.put_along_axis(
        paddle.to_tensor(arr),
        paddle.to_tensor(index),
        paddle.to_tensor(values),
        1,
        reduce,
        include_self,
    )
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-12)
    distinct = np.array([[0, 1], [2, 0], [3, 1]])
    check_grad(
        lambda a, i, v: _C_ops.put_along_axis(a * a * a, i, v * v, 1, reduce, include_self),
        arr,
        distinct,
        RNG.rand(3, 2) + 0.5,
    )


def test_put_along_axis_gradient_goes_to_the_last_writer():
    v = paddle.to_tensor([[1.0, 2.0]], stop_gradient=False)
    _C_ops.put_along_axis(
        paddle.zeros([1, 3]), paddle.to_tensor([[1, 1]]), v, 1, 'assign', True
    ).sum().backward()
    np.testing.assert_array_equal(v.grad.numpy(), [[0, 1]])


@pytest.mark.parametrize('dtype', DTYPES)
def test_masks(dtype):
    x, m = (X * 2).astype(dtype), RNG.rand(4, 5) > 0.5
    t, mask = paddle.to_tensor(x), paddle.to_tensor(m)
    np.testing.assert_array_equal(paddle.masked_select(t, mask).numpy(), x[m])
    np.testing.assert_array_equal(paddle.masked_select(t, mask[0]).numpy(), x[:, m[0]].reshape(-1))
    np.testing.assert_array_equal(_C_ops.nonzero(t).numpy(), np.argwhere(x))
    one = paddle.ones([], dtype)
    np.testing.assert_array_equal(
        _C_ops.masked_fill(t, mask, one).numpy(), np.where(m, np.ones((), dtype), x)
    )
    want = x.copy()
    want[m] = np.ones((), dtype)
    np.testing.assert_array_equal(paddle.index_put(t, (mask,), one).numpy(), want)


def test_one_hot_and_multiplex():
    np.testing.assert_array_equal(
        _C_ops.one_hot(paddle.to_tensor([[2, 0]]), 3).numpy(), np.eye(3)[[[2, 0]]]
    )
    a, b = RNG.randn(3, 2), RNG.randn(3, 2)
    got = paddle.multiplex(
        [paddle.to_tensor(a), paddle.to_tensor(b)],
        paddle.to_tensor(np.array([[0], [1], [0]], 'int32')),
    )
    np.testing.assert_array_equal(got.numpy(), np.stack([a[0], b[1], a[2]]))


def test_set_value():
    x = RNG.randn(3, 4, 5)
    want = x.copy()
    want[2::-1, :, 0:3:2] = 7.5
    t = paddle.to_tensor(x)
    np.testing.assert_array_equal(
        _C_ops.set_value(t, [2, 0], [-9, 3], [-1, 2], [0, 2], [], [], [1], [7.5]).numpy(), want
    )
    v = RNG.randn(3, 5)
    want = x.copy()
    want[:, -1] = v
    np.testing.assert_array_equal(
        _C_ops.set_value_with_tensor(t, paddle.to_tensor(v), [-1], [4], [1], [1], [1], []).numpy(),
        want,
    )


@pytest.mark.parametrize(
    'name, function, rest',
    [
        ('gather', lambda a, i: paddle.gather(a, i), [ints(1, 3, 1)]),
        ('gather 0-D', lambda a, i: paddle.gather(a, i, axis=1), [np.array(2)]),
        ('gather_nd', lambda a, i: paddle.gather_nd(a, i), [ints([1, 2], [1, 2])]),
        ('index_select', lambda a, i: paddle.index_select(a, i, 1), [ints(0, 0, -1)]),
        ('index_sample', lambda a, i: paddle.index_sample(a, i), [np.tile(ints(1, 3), (4, 1))]),
        (
            'take_along_axis',
            lambda a, i: _C_ops.take_along_axis(a, i, 1),
            [ints([1], [2], [0], [-1])],
        ),
        (
            'scatter',
            lambda a, i, u: _C_ops.scatter(a, i, u * u, True),
            [ints(1, 3), RNG.randn(2, 5)],
        ),
        (
            'scatter add',
            lambda a, i, u: _C_ops.scatter(a, i, u * u, False),
            [ints(1, 1), RNG.randn(2, 5)],
        ),
        (
            'scatter_nd_add',
            lambda a, i, u: paddle.scatter_nd_add(a, i, u * u),
            [ints([1], [1]), RNG.randn(2, 5)],
        ),
        (
            'index_add',
            lambda a, i, u: _C_ops.index_add(a, i, u * u, 1),
            [ints(1, 1), RNG.randn(4, 2)],
        ),
        (
            'index_put',
            lambda a, i, j, u: paddle.index_put(a, (i, j), u * u),
            [ints(1, 3), ints(0, 2), RNG.randn(2)],
        ),
        (
            'index_put add',
            lambda a, i, u: paddle.index_put(a, (i,), u * u, True),
            [ints(1, 3), RNG.randn(1, 5)],
        ),
        ('masked_select', lambda a, m: paddle.masked_select(a, m), [X > 0]),
        ('masked_fill', lambda a, m, v: _C_ops.masked_fill(a, m, v * v), [X > 0, np.array(1.5)]),
        ('set_value', lambda a: _C_ops.set_value(a, [0], [2], [1], [0], [], [], [1], [3.5]), []),
        (
            'set_value_with_tensor',
            lambda a, v: _C_ops.set_value_with_tensor(
                a, v * v, [3, 0], [-9, 5], [-2, 2], [0, 1], [], []
            ),
            [RNG.randn(2, 3)],
        ),
    ],
)
def test_gradients(name, function, rest):
    check_grad(cubed(function), X, *rest)


def test_empty_indices():
    t = paddle.to_tensor(X)
    none = paddle.to_tensor(np.zeros((0,), 'int64'))
    assert paddle.gather(t, none).shape == [0, 5]
    assert paddle.index_select(t, none, axis=1).shape == [4, 0]
    assert _C_ops.nonzero(paddle.zeros([0, 3])).shape == [0, 2]
    assert paddle.masked_select(t, t > 100).shape == [0]
    np.testing.assert_array_equal(
        _C_ops.index_add(t, none, paddle.zeros([0, 5], 'float64'), 0).numpy(), X
    )


@pytest.mark.parametrize(
    'call, error, text',
    [
        (lambda t: paddle.gather(t, paddle.to_tensor([4])), IndexError, r'\[-4, 4\), got 4'),
        (lambda t: paddle.gather(t, paddle.to_tensor([-5])), IndexError, 'got -5'),
        (lambda t: paddle.gather(t, paddle.to_tensor([[0, 1]])), ValueError, 'rank 0 or 1'),
        (lambda t: paddle.gather(t, paddle.to_tensor([0.5])), ValueError, 'int32 or int64'),
        (
            lambda t: paddle.gather(t, paddle.to_tensor([0]), axis=2),
            (ValueError, IndexError),
            'axis',
        ),
        (lambda t: paddle.gather_nd(t, paddle.to_tensor([[0, 0, 0]])), ValueError, 'at most 2'),
        (lambda t: paddle.gather_nd(t, paddle.to_tensor([[9, 0]])), ValueError, 'got 9'),
        (
            lambda t: _C_ops.scatter(
                t, paddle.to_tensor([0]), paddle.zeros([1, 4], 'float64'), True
            ),
            ValueError,
            'updates of shape',
        ),
        (
            lambda t: _C_ops.index_add(
                t, paddle.to_tensor([0]), paddle.zeros([2, 5], 'float64'), 0
            ),
            ValueError,
            'value of shape',
        ),
        (lambda t: paddle.masked_select(t, paddle.ones([4, 5])), ValueError, 'bool mask'),
        (
            lambda t: _C_ops.put_along_axis(t, paddle.to_tensor([[0]]), t[:1, :1], 0, 'nope', True),
            ValueError,
            'nope',
        ),
        (lambda t: _C_ops.one_hot(paddle.to_tensor([3]), 3), ValueError, r'\[0, 3\), got 3'),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call(paddle.to_tensor(X))
