# SPDX-License-Identifier: Apache-2.0
"""Arguments that are tensors of the program being recorded: results equal eager calls with the
number, and no extent is said to be known that turns out to be another one.
"""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest
from paddle import _C_ops, static

SHAPE = (4, 6, 8)


def _as(*shape):
    return lambda x: paddle.reshape(x, shape)


_volume, _image = _as(1, 1, *SHAPE), _as(1, *SHAPE)


def _pool(x, n):
    flags = False, True, 'NCHW', 'avg', False, False, 'EXPLICIT'
    return _C_ops.pool2d(_image(x), [n, n], [4, 4], [0, 0], *flags)


CASES = {
    'arange end': (lambda x, n: paddle.arange(0, n, 1), (7, 0)),
    'arange start': (lambda x, n: paddle.arange(n, 9, 2), (2, -3)),
    'argmax': (lambda x, n: paddle.argmax(x, axis=n), (1, -1)),
    'argmax keepdim': (lambda x, n: paddle.argmax(x, axis=n, keepdim=True), (1, 2)),
    'bincount': (lambda x, n: paddle.bincount(paddle.cast(x[0, 0], 'int64'), minlength=n), (2, 12)),
    'concat': (lambda x, n: paddle.concat([x, x], axis=n), (0, 2, -2)),
    'crop': (lambda x, n: paddle.crop(x, [n, 2, 2], [0, 1, 1]), (2, 4)),
    'cumsum': (lambda x, n: paddle.cumsum(x, axis=n), (1, -1)),
    'expand': (lambda x, n: paddle.expand(x, [n, *SHAPE]), (3, 1)),
    'eye': (lambda x, n: paddle.eye(3, n), (2, 5)),
    'full': (lambda x, n: paddle.full([n, 2], 3.0), (2, 5)),
    'full value': (lambda x, n: paddle.full([2], n, 'float32'), (3, -2)),
    'full_like': (lambda x, n: paddle.full_like(x, n), (3, -2)),
    'gather': (lambda x, n: paddle.gather(x, paddle.to_tensor([0, 2, 1]), axis=n), (1, 2)),
    'max': (lambda x, n: paddle.max(x, axis=n), (1, -1)),
    'mean keepdim': (lambda x, n: paddle.mean(x, axis=n, keepdim=True), (1, 2)),
    'one_hot': (lambda x, n: F.one_hot(paddle.cast(x[0, 0, :2], 'int64'), n), (5, 2)),
    'pad3d': (
        lambda x, n: _C_ops.pad3d(_volume(x), [n, 0, 0, 1, 0, 0], 'constant', 0.0, 'NCDHW'),
        (2, 0),
    ),
    'pool2d': (_pool, (1, 5)),
    'reshape': (lambda x, n: paddle.reshape(x, [n, -1]), (4, 3)),
    'reverse': (lambda x, n: _C_ops.reverse(x, n), (1, 2)),
    'roll': (lambda x, n: paddle.roll(x, n, 1), (2, -1)),
    'scale': (lambda x, n: paddle.scale(x, n), (3, -2)),
    'slice': (lambda x, n: x[n:], (2, -3)),
    'slice end': (lambda x, n: x[:, 1:n], (5, -2)),
    'slice step': (lambda x, n: x[:, ::n], (2, -2, -6)),
    'slice step with start': (lambda x, n: x[:, 4::n], (2, -2)),
    'slice step with stop': (lambda x, n: x[:, :3:n], (2, -2)),
    'split': (lambda x, n: paddle.split(x, [1, n], axis=0)[1], (3,)),
    'strided_slice': (lambda x, n: paddle.strided_slice(x, [1], [n], [6], [2]), (1, -3)),
    'sum': (lambda x, n: paddle.sum(x, axis=n), (1, -1)),
    'tile': (lambda x, n: paddle.tile(x, [n, 1, 2]), (2, 1)),
    'topk': (lambda x, n: paddle.topk(x, n)[0], (3, 8)),
    'unsqueeze': (lambda x, n: paddle.unsqueeze(x, n), (2, -1)),
    'zeros in a sum': (lambda x, n: x[:1, :1, :1] + paddle.zeros([n, 2, 1]), (2, 3)),
}


@pytest.mark.parametrize('name', CASES)
def test_results_and_extents(name):
    call, numbers = CASES[name]
    paddle.enable_static()
    try:
        program = static.Program()
        with static.program_guard(program):
            out = call(static.data('x', SHAPE, 'float32'), static.data('n', [1], 'int64'))
            said = list(out.shape)
    finally:
        paddle.disable_static()
    executor = static.Executor()
    x = np.arange(np.prod(SHAPE), dtype='float32').reshape(SHAPE)
    for n in numbers:
        got = executor.run(program, {'x': x, 'n': np.array([n])}, [out])[0]
        np.testing.assert_array_equal(got, call(paddle.to_tensor(x), n).numpy(), f'{n}')
        assert len(said) == got.ndim
        assert all(a in (-1, b) for a, b in zip(said, got.shape)), (said, got.shape)


@pytest.mark.parametrize('number', [-(2**61) - 3 * 2**20, -(2**61) - 5, -(2**62), -(2**62) - 2**20])
@pytest.mark.parametrize(
    'call',
    [
        lambda x, n: paddle.slice(x, [0], [n], [2**62]),
        lambda x, n: x[n:],
        lambda x, n: paddle.roll(x, n, 1),
        lambda x, n: paddle.arange(n, n + 3, 1),
        lambda x, n: paddle.full([2], n, 'int64'),
    ],
    ids=['slice', 'index', 'roll', 'arange', 'full'],
)
def test_every_integer_is_that_integer(call, number):
    compiled = paddle.jit.to_static(lambda x: call(x, number), full_graph=True)
    x = paddle.arange(24, dtype='float32').reshape([4, 6])
    np.testing.assert_array_equal(compiled(x), call(x, number))


@pytest.mark.parametrize('call', [lambda x, n: x[n:, 1:n], lambda x, n: paddle.tile(x, [n, 1, 2])])
def test_gradients(call):
    x = paddle.rand(SHAPE)
    x.stop_gradient = False
    n = paddle.to_tensor([2])
    compiled = paddle.jit.to_static(call, full_graph=True)
    for _ in range(2):
        found = paddle.grad((compiled(x, n) ** 2).sum(), x)[0]
    np.testing.assert_allclose(found, paddle.grad((call(x, 2) ** 2).sum(), x)[0], rtol=1e-6)


def test_what_is_asked_of_an_unknown_number_is_refused():
    paddle.enable_static()
    try:
        with static.program_guard(static.Program()):
            x, n = static.data('x', SHAPE, 'float32'), static.data('n', [1], 'int64')
            with pytest.raises(TypeError, match=r"\[squeeze\] expected 'axis' to be known"):
                paddle.squeeze(x, n)
            with pytest.raises(TypeError, match=r"\[tril\] expected 'diagonal'|index\(\)"):
                paddle.tril(x, n)
    finally:
        paddle.disable_static()
