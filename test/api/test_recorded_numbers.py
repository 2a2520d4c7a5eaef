# SPDX-License-Identifier: Apache-2.0
"""Extents, bounds and scalars that are tensors of the program: recorded as operands, read when it
runs.
"""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import static

# Each takes x of shape [n, 4] and n (a tensor of the program, or a number).
CASES = {
    'zeros': lambda x, n: paddle.zeros([n, 4]),
    'ones': lambda x, n: paddle.ones([n, 4], 'int32'),
    'full': lambda x, n: paddle.full([n, 4], 2.5),
    'full_value': lambda x, n: paddle.full([2, 3], x.sum()),
    'full_shape_tensor': lambda x, n: paddle.full(paddle.shape(x), 1.0),
    'empty': lambda x, n: paddle.zeros_like(paddle.empty([n, 4])),
    'expand': lambda x, n: paddle.expand(x.sum(), [n, 4]),
    'broadcast_to': lambda x, n: paddle.broadcast_to(x[:1], [n, 4]),
    'expand_as': lambda x, n: x[:1].expand_as(x),
    'tile': lambda x, n: paddle.tile(x, [n, 2]),
    'reshape': lambda x, n: paddle.reshape(x, [2, n, 2]),
    'reshape_tensor': lambda x, n: paddle.reshape(x * 2, paddle.shape(x)),
    'reshape_inferred': lambda x, n: paddle.reshape(x, [n, 2, -1]),
    'view_product': lambda x, n: x.reshape([n * 2, 2]),
    'unflatten': lambda x, n: paddle.unflatten(x, 1, [2, n - n + 2]),
    'slice': lambda x, n: x[: n - 1],
    'slice_both': lambda x, n: x[n - 3 : n - 1, 1:],
    'slice_step': lambda x, n: x[0:n:2],
    'slice_op': lambda x, n: paddle.slice(x, [0], [1], [n - 1]),
    'strided_slice': lambda x, n: paddle.strided_slice(x, [0], [0], [n], [2]),
    'index': lambda x, n: x[n - 1],
    'arange': lambda x, n: paddle.arange(n),
    'arange_step': lambda x, n: paddle.arange(1, n, 2),
    'linspace': lambda x, n: paddle.linspace(0, n, 5),
    'linspace_num': lambda x, n: paddle.linspace(0, 1, n),
    'topk': lambda x, n: paddle.topk(x, k=n - 3)[0],
    'split': lambda x, n: paddle.split(x, [1, n - 1], axis=0)[1],
    'eye': lambda x, n: paddle.eye(n),
    'one_hot': lambda x, n: F.one_hot(paddle.arange(3), n),
    'pad': lambda x, n: F.pad(x.unsqueeze(0), [n, 1], data_format='NCL'),
    'interpolate': lambda x, n: F.interpolate(
        x.reshape([1, 1, -1, 4]), size=[n * 2, n], mode='bilinear'
    ),
    'roll': lambda x, n: paddle.roll(x, n - 4, 0),
    'scale': lambda x, n: paddle.scale(x, n),
    'cumsum_axis': lambda x, n: paddle.cumsum(x, n - n),
    'sum_axis': lambda x, n: paddle.sum(x, n - n),
    'argmax_axis': lambda x, n: paddle.argmax(x, n - n),
    'concat_axis': lambda x, n: paddle.concat([x, x], n - n),
    'narrow': lambda x, n: paddle.narrow(x, 0, n - 2, 2),
    'rand': lambda x, n: paddle.rand([n, 4]) * 0,
    'randint': lambda x, n: paddle.randint(0, 1, [n, 4]),
    'add_made': lambda x, n: x + paddle.ones([n, 4]),
}


def given(rows):
    return np.arange(rows * 4, dtype='float32').reshape(rows, 4) % 7


@pytest.mark.parametrize('name', CASES)
def test_recorded(name):
    program = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(program):
            x = static.data('x', [-1, 4], 'float32')
            y = CASES[name](x, paddle.shape(x)[0])
    finally:
        paddle.disable_static()
    run = static.Executor().run
    for rows in (5, 6):
        out = run(program, feed={'x': given(rows)}, fetch_list=[y])[0]
        eager = CASES[name](paddle.to_tensor(given(rows)), rows)
        np.testing.assert_allclose(out, eager.numpy(), rtol=1e-5)
        held = CASES[name](paddle.to_tensor(given(rows)), paddle.to_tensor(rows))
        np.testing.assert_allclose(held.numpy(), eager.numpy())


@pytest.mark.parametrize(
    'name',
    [
        'slice',
        'reshape',
        'tile',
        'broadcast_to',
        'split',
        'interpolate',
        'add_made',
        'strided_slice',
    ],
)
def test_gradient(name):
    program = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(program):
            x = static.data('x', [-1, 4], 'float32')
            x.stop_gradient = False
            y = CASES[name](x, paddle.shape(x)[0])
            (g,) = static.gradients((y * y).sum(), x)
    finally:
        paddle.disable_static()
    for rows in (5, 6):
        out = static.Executor().run(program, feed={'x': given(rows)}, fetch_list=[g])[0]
        t = paddle.to_tensor(given(rows), stop_gradient=False)
        y = CASES[name](t, rows)
        (y * y).sum().backward()
        np.testing.assert_allclose(out, t.grad.numpy(), rtol=1e-4)


def test_to_static_uses_the_extent():
    @paddle.jit.to_static(full_graph=True, input_spec=[static.InputSpec([-1, 4], 'float32')])
    def f(x):
        n = x.shape[0]
        return paddle.zeros([n, 2]), x[: n - 1], paddle.arange(n)

    for rows in (3, 5):
        zeros, head, numbers = f(paddle.to_tensor(given(rows)))
        assert zeros.shape == [rows, 2] and (zeros.numpy() == 0).all()
        np.testing.assert_array_equal(head.numpy(), given(rows)[:-1])
        np.testing.assert_array_equal(numbers.numpy(), np.arange(rows))


def test_extents_are_shared():
    program = static.Program()
    with static.program_guard(program):
        paddle.enable_static()
        try:
            x = static.data('x', [-1, 4], 'float32')
            n = paddle.shape(x)[0]
            assert list(paddle.zeros([n, 4]).shape) == [-1, 4]
            with pytest.raises((TypeError, ValueError)):
                paddle.tril(x, n)
        finally:
            paddle.disable_static()


def test_set_slice():
    program = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(program):
            x = static.data('x', [-1, 4], 'float32')
            y = x + 0
            y[: paddle.shape(x)[0] - 1] = 9.0
    finally:
        paddle.disable_static()
    out = static.Executor().run(program, feed={'x': given(4)}, fetch_list=[y])[0]
    want = given(4)
    want[:-1] = 9
    np.testing.assert_array_equal(out, want)


def test_set_value_of_a_recorded_tensor():
    class Counter(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.register_buffer('seen', paddle.zeros([2]))

        def forward(self, x):
            self.seen.set_value(self.seen + x)
            return self.seen * 2

    layer = Counter()
    f = paddle.jit.to_static(layer, full_graph=True)
    x = paddle.to_tensor([1.0, 2.0])
    np.testing.assert_array_equal(f(x).numpy(), [2, 4])
    np.testing.assert_array_equal(f(x).numpy(), [4, 8])
    np.testing.assert_array_equal(layer.seen.numpy(), [2, 4])


def _with_index(x, i):
    x = x + 0
    x[i] = 1.0
    return x


def _with_mask(x, i):
    x = x + 0
    x[x > 3] = -1.0
    return x


@pytest.mark.parametrize(
    'fn',
    [
        _with_index,
        _with_mask,
        lambda x, i: x[x > 2],
        lambda x, i: x[x.sum(1) > 9],
        lambda x, i: paddle.meshgrid(x[:, 0], i.astype('float32'))[0],
        lambda x, i: x + paddle.rand_like(x) * 0 + paddle.randn_like(x) * 0,
        lambda x, i: F.kl_div(x, x + 1, 'batchmean'),
        lambda x, i: paddle.fft.fftshift(x),
        lambda x, i: F.dropout2d(x.reshape([-1, 2, 2, 1]), 0.0),
        lambda x, i: paddle.bmm(x.unsqueeze(0), x.unsqueeze(0).transpose([0, 2, 1])),
        lambda x, i: x.reshape([-1, 2, 2]).transpose([1, 0, 2]) * 2,
    ],
)
def test_free_batch(fn):
    program = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(program):
            x, i = static.data('x', [-1, 4], 'float32'), static.data('i', [-1], 'int64')
            x.stop_gradient = False
            y = fn(x, i)
            grads = static.gradients([(y * y).sum()], [x])
    finally:
        paddle.disable_static()
    index = np.array([2, 0], 'int64')
    for rows in (4, 6):
        got = static.Executor().run(
            program, feed={'x': given(rows), 'i': index}, fetch_list=[y] + grads
        )
        t = paddle.to_tensor(given(rows), stop_gradient=False)
        want = fn(t, paddle.to_tensor(index))
        (want * want).sum().backward()
        np.testing.assert_allclose(got[0], want.numpy(), rtol=1e-5)
        np.testing.assert_allclose(got[1], t.grad.numpy(), rtol=1e-4)


@pytest.mark.parametrize('value, is_kept', [(1e308, False), (1e-200, False), (0.5, True)])
def test_attributes_keep_their_numbers(value, is_kept):
    """Attributes of programs are float32: numbers beyond its range are refused, not infinite."""
    x = np.full([3, 1], 0.5)
    with static.program_guard(static.Program()):
        paddle.enable_static()
        try:
            p = static.data('p', [3, 1], 'float64')
            if is_kept:
                loss = paddle._C_ops.log_loss(p, p, value)
                found = static.Executor().run(feed={'p': x}, fetch_list=[loss])[0]
                want = -0.5 * np.log(x + value) - 0.5 * np.log(1 - x + value)
                np.testing.assert_allclose(found, want, rtol=1e-6)
            else:
                with pytest.raises(ValueError, match='range of float32'):
                    paddle._C_ops.log_loss(p, p, value)
        finally:
            paddle.disable_static()
