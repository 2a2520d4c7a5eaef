# SPDX-License-Identifier: Apache-2.0
"""Values that are reached through operations of a program, or of a copy, have gradients."""

import numpy as np
import pytest

import paddle
from paddle import static


@pytest.fixture(autouse=True)
def recording():
    paddle.enable_static()
    yield
    paddle.disable_static()


def _net():
    main, start = static.Program(), static.Program()
    with static.program_guard(main, start):
        x = static.data('x', [4, 3])
        parts = paddle.split(static.nn.fc(x, 5, activation='tanh'), [2, 3], 1)
        y = paddle.nn.functional.dropout(paddle.concat([parts[1], parts[0] * 2], 1), 0.5)
        return main, start, paddle.mean(y * y)


def _losses(how):
    paddle.seed(3)
    main, start, loss = _net()
    program = main.clone() if how.startswith('copy') else main
    with static.program_guard(program, start):
        if how not in ('plain', 'copy, by its origin'):
            loss = program.global_block().ops[-1].result(0)
            assert not loss.stop_gradient
        loss = loss * 2 / 2 if how == 'more is recorded' else loss
        count = len(program.global_block().ops)
        _, pairs = paddle.optimizer.SGD(0.1).minimize(loss)
        names = [op.name() for op in program.global_block().ops[:count]]
        assert names.count('pd_op.dropout') == 1 and len(pairs) == 2
    executor = static.Executor()
    executor.run(start)
    for name, p in program._parameters().items():
        if 'fc' in name:
            p.set_value(np.linspace(-1, 1, p.size).reshape(p.shape).astype('float32'))
    paddle.seed(7)
    feed = {'x': np.full([4, 3], 0.3, 'float32')}
    return [executor.run(program, feed, [loss])[0].item() for _ in range(4)]


@pytest.mark.parametrize('how', ['copy', 'copy, by its origin', 'reached', 'more is recorded'])
def test_training_by_a_value_that_was_reached(how):
    assert _losses(how) == _losses('plain')


def test_gradients_between_values_that_were_reached():
    main = static.Program()
    with static.program_guard(main):
        x = static.data('x', [2])
        x.stop_gradient = False
        paddle.exp(x) ** 2
        exp = next(op for op in main.global_block().ops if op.name() == 'pd_op.exp')
        last = main.global_block().ops[-1].result(0)
        found = static.gradients(last, [exp.result(0), exp.operand_source(0)])
    got = static.Executor().run(main, {'x': np.zeros(2, 'float32')}, found)
    np.testing.assert_array_equal(got, [[2, 2], [2, 2]])


def test_values_of_another_program_are_refused():
    main = static.Program()
    with static.program_guard(main):
        x = static.data('x', [2])
        x.stop_gradient = False
        paddle.mean(x * 2)
    copy = main.clone()
    with (
        static.program_guard(static.Program()),
        pytest.raises(RuntimeError, match='another program'),
    ):
        static.gradients(copy.global_block().ops[-1].result(0), [x])


def _branches(x, w):
    return static.nn.cond(
        x.sum() > 0,
        lambda: static.nn.cond(x.max() > 1, lambda: paddle.sin(x) * w, lambda: x),
        lambda: x * x * 3,
    )


def _rounds(x, w):
    def body(i, y, z):
        y = static.nn.cond(i % 2 == 0, lambda: y * x, lambda: paddle.tanh(paddle.matmul(y, w)))
        return [i + 1, y, z + y]

    i = paddle.full([1], 0, 'int64')
    return static.nn.while_loop(lambda i, *_: i < 3, body, [i, x, paddle.cos(x)])[1:]


def _rounds_in_rounds(x, w):
    def body(i, y):
        j = paddle.full([1], 0, 'int64')
        inner = lambda j, z: [j + 1, paddle.sin(z) * w + x]  # noqa: E731
        return [i + 1, y + static.nn.while_loop(lambda j, z: j <= i, inner, [j, y])[1]]

    i = paddle.full([1], 0, 'int64')
    return static.nn.while_loop(lambda i, y: i < 2, body, [i, x])[1]


def _own_gradient(x, w):
    def yes():
        twice, _ = static.nn.static_pylayer(
            lambda a: (a * 2, a * a), [x + w], lambda first, second: first * 10
        )
        return twice * x

    return static.nn.cond(x.sum() > 0, yes, lambda: x)


def _printed(x, w):
    return static.nn.cond(x.sum() > 0, lambda: static.Print(x * w) * x, lambda: x)


def _normalized(x, w):
    return paddle.nn.BatchNorm1D(3)(x * w) * x


@pytest.mark.parametrize('how', ['copy', 'copy of a copy', 'reached'])
@pytest.mark.parametrize(
    'net', [_branches, _rounds, _rounds_in_rounds, _own_gradient, _printed, _normalized]
)
def test_gradients_behind_branches_and_loops(net, how):
    def gradients(how):
        main, start = static.Program(), static.Program()
        with static.program_guard(main, start):
            x = static.data('x', [3, 3])
            x.stop_gradient = False
            w = static.create_parameter(
                [3, 3], 'float32', default_initializer=paddle.nn.initializer.Constant(0.3)
            )
            made = net(x, w)
            loss = paddle.mean(sum(made) if isinstance(made, list) else made)
        program = main
        for _ in range(how.count('copy')):
            program = program.clone()
        with static.program_guard(program, start):
            if how != 'recorded':
                *_, last = program.global_block().ops
                assert not last.result(0).stop_gradient
                data = next(op for op in program.global_block().ops if op.name() == 'pd_op.data')
                loss, x = last.result(0), data.result(0)
            (dw,) = [g for p, g in static.append_backward(loss, [w])]
            (dx,) = static.gradients(loss, x)
        executor = static.Executor()
        executor.run(start)
        feed = {'x': np.array([[0.5, -1, 2], [1.5, 0.25, -0.75], [0.1, 0.2, 0.3]], 'float32')}
        return executor.run(program, feed, [loss, dx, dw])

    want = gradients('recorded')
    assert all(np.abs(g).max() > 0 for g in want)
    for one, other in zip(gradients(how), want):
        np.testing.assert_allclose(one, other, 1e-6)


def test_an_operation_stays_behind_what_it_reads():
    main = static.Program()
    with static.program_guard(main):
        x = static.data('x', [2])
        y = paddle.cos(paddle.sin(paddle.exp(x)))
        paddle.tanh(x)
    _, exp, sin, cos, tanh = main.global_block().ops
    for op, place in ((cos, exp), (sin, exp), (exp, tanh), (exp, cos)):
        with pytest.raises(ValueError, match='move_before'):
            op.move_before(place)
    tanh.move_before(exp)
    exp.move_before(sin)
    names = [op.name() for op in main.global_block().ops]
    assert names == ['pd_op.data', 'pd_op.tanh', 'pd_op.exp', 'pd_op.sin', 'pd_op.cos']
    got = static.Executor().run(main, {'x': np.zeros(2, 'float32')}, [y])[0]
    np.testing.assert_allclose(got, np.cos(np.sin(np.ones(2))), 1e-6)
    with pytest.raises(ValueError, match='same block'):
        exp.move_before(_other())


def _other():
    program = static.Program()
    with static.program_guard(program):
        static.data('x', [2])
    return program.global_block().ops[0]
