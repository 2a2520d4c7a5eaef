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


def test_what_has_no_history_to_call_again_is_refused():
    main = static.Program()
    with static.program_guard(main):
        x = static.data('x', [2])
        x.stop_gradient = False
        paddle.mean(static.nn.cond(x.sum() > 0, lambda: x * 2, lambda: x * 3))
        last = main.global_block().ops[-1].result(0)
        with pytest.raises(NotImplementedError, match='pd_op.if'):
            static.gradients(last, [x])
    copy = main.clone()
    with (
        static.program_guard(static.Program()),
        pytest.raises(RuntimeError, match='another program'),
    ):
        static.gradients(copy.global_block().ops[-1].result(0), [x])


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
