# SPDX-License-Identifier: Apache-2.0
"""In-place writes through views while recording: base and other views see them, as if they shared
memory.
"""

import numpy as np
import paddle
import pytest
from paddle import static

DATA = np.arange(1, 25, dtype='float64').reshape(2, 3, 4) / 10


def one():
    return paddle.ones([], 'float64')


def reshaped(x):
    y = x.reshape([-1, 4])
    y.add_(paddle.ones([4], 'float64'))
    return x * x


def row(x):
    y = x[0]
    y[...] = 2.0
    return x * x


def transposed(x):
    y = x.transpose([2, 0, 1])
    y.multiply_(y + 1)
    return x.sin()


def strided(x):
    y = x[:, 1:, ::2]
    y[0] = x[1, 1:, ::2] * 3
    return x * x


def view_of_view(x):
    y = x.reshape([-1, 12])
    z = y[1]
    z.add_(one() * 3)
    return x * y.reshape([-1, 3, 4])


def squeezed(x):
    y = x.unsqueeze(1).squeeze(1).flatten(1)
    y[:, 2] = x[:, 0, 0] ** 2
    return x * x


def base_written(x):
    y = x[0]
    x.add_(one())
    return y * y


def split(x):
    p, q = x.split(2, axis=-1)
    p.add_(q * q)
    return x * x


def unbound(x):
    p = x.unbind(1)
    p[1].scale_(3.0)
    return x * x + p[1].unsqueeze(1)


def copied(x):
    y = x.transpose([0, 2, 1]).reshape([-1, 12])  # no view: the elements lie in another order
    y.add_(one())
    return x * x + y.sum()


def assigned(x):
    x[:, None, 1] = 5.0
    x[paddle.to_tensor([0, 1]), :, paddle.to_tensor([1, 2])] = 7.0
    return x * x


def assigned_columns(x):
    x[:, paddle.to_tensor([0, 2])] = x[:, :2] * x[:, 1:]
    return x * x


def old_value(x):
    z = x * x  # its gradient reads what x was
    x.add_(one())
    return z * x


def shared(x):
    y = x[1]
    x[...] = y.unsqueeze(0) * 2
    return y * x


def turned(x):
    y = x.transpose([2, 1, 0])
    z = y[0]
    z[1] = z[0] * z[2]
    return x.sin() + y.transpose([2, 1, 0])


CASES = [reshaped, row, transposed, strided, view_of_view, squeezed, base_written, split,
         unbound, copied, assigned,
         assigned_columns, old_value, shared, turned]  # fmt: skip


def eager(function, data=DATA):
    """Value and gradient; by differences, since eager mode refuses gradients that read what was
    overwritten.
    """

    def run(array):
        return function(paddle.to_tensor(array) * 1.5).numpy()

    gradient, step = np.zeros_like(data), 1e-5
    for k in range(data.size):
        shift = np.zeros(data.size)
        shift[k] = step
        shift = shift.reshape(data.shape)
        gradient.ravel()[k] = (run(data + shift).sum() - run(data - shift).sum()) / (2 * step)
    return run(data), gradient


@pytest.mark.parametrize('batch', [-1, 2])
@pytest.mark.parametrize('function', CASES)
def test_static(function, batch):
    program = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(program):
            x = static.data('x', [batch, 3, 4], 'float64')
            x.stop_gradient = False
            result = function(x * 1.5)
            (gradient,) = static.gradients([result.sum()], [x])
    finally:
        paddle.disable_static()
    for got, want in zip(
        static.Executor().run(program, {'x': DATA}, [result, gradient]), eager(function)
    ):
        np.testing.assert_allclose(got, want, 1e-5, 1e-6)


@pytest.mark.parametrize('function', CASES)
def test_to_static(function):
    x = paddle.to_tensor(DATA, stop_gradient=False)
    result = paddle.jit.to_static(lambda t: function(t * 1.5), full_graph=True)(x)
    want = eager(function)
    np.testing.assert_allclose(result.numpy(), want[0], 1e-5)
    np.testing.assert_allclose(paddle.grad([result.sum()], [x])[0].numpy(), want[1], 1e-5, 1e-6)


@pytest.mark.parametrize(
    'axis, shape',
    [(0, [2, -1]), (-1, [-1, 2]), ([0, 2], [2]), (1, [-1, 2, -1]), (None, [-1, 2, -1])],
)
def test_axes_of_unknown_extent_that_are_named_are_squeezed(axis, shape):
    program = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(program):
            x = static.data('x', [-1, 2, -1], 'float32')
            result = x.squeeze(axis)
            assert list(result.shape) == shape
    finally:
        paddle.disable_static()
    for given in ([1, 2, 1], [3, 2, 1], [1, 2, 3], [3, 2, 4]):
        array = np.arange(np.prod(given), dtype='float32').reshape(given)
        (got,) = static.Executor().run(program, {'x': array}, [result])
        np.testing.assert_array_equal(got, paddle.to_tensor(array).squeeze(axis).numpy())


def test_a_buffer_written_through_a_view():
    buffer = paddle.zeros([2, 2])

    @paddle.jit.to_static(full_graph=True)
    def function(x):
        part = buffer[0]
        part.add_(x)
        return buffer.sum()

    for k in range(1, 4):
        assert float(function(paddle.ones([2]))) == 2 * k
        np.testing.assert_array_equal(buffer.numpy(), [[k, k], [0, 0]])


def test_in_a_branch():
    def function(x):
        y = x[0]
        if x.sum() > 0:
            y.add_(one() * 2)
            s = x.sum()
        else:
            s = y.sum()
        return x * x * s

    recorded = paddle.jit.to_static(function, full_graph=True)
    for data in (DATA, -DATA):
        x, want = paddle.to_tensor(data, stop_gradient=False), eager(function, data)
        got = recorded(x * 1.5)
        np.testing.assert_allclose(got.numpy(), want[0], 1e-5)
        np.testing.assert_allclose(paddle.grad([got.sum()], [x])[0].numpy(), want[1], 1e-5, 1e-6)


def test_a_leaf_that_needs_a_gradient_is_not_written():
    leaf = paddle.to_tensor(DATA, stop_gradient=False)

    @paddle.jit.to_static(full_graph=True)
    def function(x):
        leaf.reshape([24]).add_(x)
        return leaf * x

    with pytest.raises(ValueError, match='in place'):
        function(one())


def test_an_input_is_written():
    def function(x):
        y = x * x
        x.reshape([24])[2:].add_(paddle.ones([22], 'float64'))
        return y * x

    x, (value, gradient) = paddle.to_tensor(DATA, stop_gradient=False), eager(function)
    got = paddle.jit.to_static(function, full_graph=True)(x * 1.5)
    np.testing.assert_allclose(got.numpy(), value, 1e-5)
    np.testing.assert_allclose(paddle.grad([got.sum()], [x])[0].numpy(), gradient, 1e-5, 1e-6)


@pytest.mark.parametrize('full_graph', [False, True])
def test_numbers_read_as_another_dtype(full_graph):
    def function(x):
        y = x * 1.5
        bits = y.view('int32')
        bits[0] = 0  # of y, too
        halves = y.transpose([1, 0]).contiguous().view('float16')
        return y, bits, y.view('uint8'), y.view('float64'), halves, y.view('float32')

    x = paddle.arange(8, dtype='float32').reshape([2, 4])
    want = [t.numpy() for t in function(x)]
    anything = static.InputSpec([None, 4], 'float32')
    for marked in (
        paddle.jit.to_static(function, full_graph=full_graph),
        paddle.jit.to_static(function, input_spec=[anything], full_graph=full_graph),
    ):
        for _ in range(3):
            for ours, plain in zip(marked(x), want):
                assert ours.numpy().dtype == plain.dtype
                np.testing.assert_array_equal(ours.numpy().view('uint8'), plain.view('uint8'))


def test_bytes_that_are_no_whole_numbers_are_refused():
    program = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(program), pytest.raises(ValueError, match='whole elements'):
            static.data('x', [None, 3], 'float32').view('float64')
    finally:
        paddle.disable_static()
