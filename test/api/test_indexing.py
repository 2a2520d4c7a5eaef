# SPDX-License-Identifier: Apache-2.0
"""x[key] and x[key] = value against NumPy, with gradients and errors. Integers never count as
advanced indices.
"""

import numpy as np
import paddle
import pytest

BASIC = [
    '0',
    '-1',
    ':',
    '...',
    'None',
    '1, 2',
    '1, :, -1',
    '..., 0',
    '0, ...',
    '0, ..., 0',
    ':, 1:3',
    '::-1',
    ':, ::-2',
    ':, 3:0:-1',
    '5:',
    '1:0',
    'None, 0, None',
    '..., None',
    'slice(None), slice(0, 2)',
    '0, 0, 0',
    'True',
    'False',
    'np.int64(1)',
    '0:2, -2:',
]
ADVANCED = [
    '[1, 0]',
    '[[0, 1], [1, 0]]',
    '[0, 1], [1, 2]',
    ':, [0, 1], [1, 2]',
    '[0, 1], :, [1, 2]',
    ':, [0, 2]',
    '..., [0, 1]',
    '[0, 1], None',
    'np.array([0, 1])',
    '[True, False]',
    ':, [True, False, True, False]',
    'x > 10',
    '[-1, 0]',
    '[]',
    ':, [[0], [1]], [[0, 1]]',
    'np.array([[True, False, True, False], [False, True, False, True]])',
    '0:1, [0, 1]',
    '[0, 1], 1:, [0, 2]',
    'None, [0, 1]',
    ':, None, [0, 1]',
    '[0, 1], None, [0, 1]',
    'range(2)',
    '1:, [0, 3], ::-1',
]


def cell():
    n = np.arange(24, dtype='float64').reshape(2, 4, 3)
    return n, paddle.to_tensor(n)


def get(key, x):
    return eval(f'x[{key}]', {'x': x, 'np': np})


@pytest.mark.parametrize('key', BASIC + ADVANCED)
def test_getitem(key):
    n, t = cell()
    expected, got = get(key, n), get(key, t)
    assert got.shape == list(expected.shape), key
    np.testing.assert_array_equal(got.numpy(), expected)


@pytest.mark.parametrize('key', BASIC + ADVANCED)
def test_setitem_number_and_tensor(key):
    n, t = cell()
    place = eval(f'np.s_[{key}]', {'np': np, 'x': n})
    mine = eval(f'np.s_[{key}]', {'np': np, 'x': t})
    n[place] = -1.5
    t[mine] = -1.5
    np.testing.assert_array_equal(t.numpy(), n)
    n, t = cell()
    place = eval(f'np.s_[{key}]', {'np': np, 'x': n})
    value = np.random.RandomState(0).randn(*n[place].shape)
    n[place] = value
    t[mine] = paddle.to_tensor(value, dtype='float64')
    np.testing.assert_array_equal(t.numpy(), n)


@pytest.mark.parametrize('key', BASIC + ADVANCED)
def test_getitem_gradient(key):
    n, t = cell()
    t.stop_gradient = False
    out = get(key, t)
    weight = np.random.RandomState(1).randn(*out.shape)
    (out * paddle.to_tensor(weight)).sum().backward()
    expected = np.zeros_like(n)
    np.add.at(expected, eval(f'np.s_[{key}]', {'np': np, 'x': n}), weight)
    np.testing.assert_allclose(t.grad.numpy(), expected)


@pytest.mark.parametrize(
    'key', ['0', ':, 1:3', '::-1', '[1, 0]', 'x > 10', ':, [0, 2]', '..., [0, 1]']
)
def test_setitem_gradient(key):
    n, leaf = cell()
    leaf.stop_gradient = False
    y = leaf * 1.0
    index = eval(f'np.s_[{key}]', {'np': np, 'x': y.detach()})
    shape = y[index].shape
    value = paddle.to_tensor(np.random.RandomState(2).randn(*shape), stop_gradient=False)
    y[index] = value
    weight = np.random.RandomState(3).randn(*n.shape)
    (y * paddle.to_tensor(weight)).sum().backward()
    there = eval(f'np.s_[{key}]', {'np': np, 'x': n})
    kept = weight.copy()
    kept[there] = 0
    np.testing.assert_allclose(leaf.grad.numpy(), kept)
    np.testing.assert_allclose(value.grad.numpy(), weight[there])


def test_views_share_memory():
    n, t = cell()
    part = t[0, 1:3]
    part[...] = 0.0
    assert t.numpy()[0, 1:3].sum() == 0 and part._is_shared_buffer_with(t)
    t[:, 0] = t[:, 1]
    np.testing.assert_array_equal(t.numpy()[:, 0], t.numpy()[:, 1])
    u = paddle.arange(5)
    u[1:] = u[:-1]
    assert u.tolist() == [0, 0, 1, 2, 3]


def test_integer_beside_advanced_is_basic():
    t = paddle.zeros([2, 3, 4, 5])
    assert t[0, :, [1, 2]].shape == [3, 2, 5] and t[0, :, :, [1, 2]].shape == [3, 4, 2]


def test_tensor_indices():
    n, t = cell()
    one = paddle.to_tensor(1)
    np.testing.assert_array_equal(t[one].numpy(), n[1])
    np.testing.assert_array_equal(t[one:2, paddle.to_tensor([0, 2])].numpy(), n[1:2, [0, 2]])
    np.testing.assert_array_equal(t[paddle.to_tensor([True, False])].numpy(), n[[True, False]])
    t[paddle.to_tensor([0, 1]), one] = paddle.to_tensor([[1.0], [2.0]], dtype='float64')
    assert t.numpy()[:, 1].tolist() == [[1.0] * 3, [2.0] * 3]


def test_values_are_cast_and_broadcast():
    t = paddle.zeros([2, 3], 'int64')
    t[0] = 2.7
    t[1] = [1, 2, 3]
    assert t.tolist() == [[2, 2, 2], [1, 2, 3]]
    t[:, 0] = np.array([7, 8])
    assert t[:, 0].tolist() == [7, 8]
    with pytest.raises(ValueError):
        t[0] = [1, 2]


@pytest.mark.parametrize(
    'key,error',
    [
        ('2', IndexError),
        ('0, 0, 0, 0', IndexError),
        ('[0, 5]', IndexError),
        ('1.5', ValueError),
        ('"a"', ValueError),
        ('[1.5]', ValueError),
        ('..., ...', ValueError),
        ('[True, False, True]', IndexError),
    ],
)
def test_errors(key, error):
    _, t = cell()
    with pytest.raises(error):
        get(key, t)
    with pytest.raises(error):
        t[eval(f'np.s_[{key}]', {'np': np})] = 0.0


def test_lists_of_values_keep_their_precision():
    third = 1 / 3
    whole = paddle.to_tensor(third, dtype='float64')
    for value in ([third, third], [whole, third], [whole, whole], [np.float64(third)] * 2):
        x = paddle.zeros([2], 'float64')
        x[:] = value
        assert x.tolist() == [third, third]
    x = paddle.zeros([2], 'int64')
    x[:] = [2**62 + 1, 3]
    assert x.tolist() == [2**62 + 1, 3]


def test_lists_of_tensors_are_values_with_a_history():
    def write(x, a, b):
        x = x * 2
        x[0] = [a, b]
        return x

    leaves = [paddle.ones([2, 2]), paddle.to_tensor(3.0), paddle.to_tensor(4.0)]
    for t in leaves:
        t.stop_gradient = False
    for call in (write, paddle.jit.to_static(write, full_graph=True)):
        y = call(*leaves)
        assert y.tolist() == [[3, 4], [2, 2]]
        got = paddle.grad([y], leaves, [paddle.to_tensor([[5.0, 6], [7, 8]])])
        assert [g.tolist() for g in got] == [[[0, 0], [14, 16]], 5, 6]
    assert paddle.to_tensor([leaves[1], 2.0]).stop_gradient


def test_lists_of_values_of_a_program_are_written():
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            x = paddle.static.data('x', [2, 3], 'int8')
            x = x + 1
            x[:, 0] = [paddle.full([], 7.9, 'float16'), paddle.full([], 5.5, 'float64')]
            exe = paddle.static.Executor()
            (got,) = exe.run(main, feed={'x': np.zeros([2, 3], 'int8')}, fetch_list=[x])
    finally:
        paddle.disable_static()
    assert got.tolist() == [[7, 1, 1], [5, 1, 1]]


def test_leaf_that_needs_grad_refuses_writes():
    t = paddle.zeros([2], 'float32')
    t.stop_gradient = False
    with pytest.raises((ValueError, RuntimeError)):
        t[0] = 1.0
    with paddle.no_grad():
        t[0] = 1.0
    assert t.tolist() == [1.0, 0.0]


def test_gradient_through_a_slice_of_repeated_elements():
    w = paddle.arange(6, dtype='float32').reshape([3, 2])
    for part, expected in ((slice(1, 2), [2, 3]), (slice(0, 2), [2, 4]), (slice(None), [6, 9])):
        x = paddle.ones([2])
        x.stop_gradient = False
        (paddle.expand(x, [3, 2])[part] * w[part]).sum().backward()
        assert x.grad.tolist() == expected
