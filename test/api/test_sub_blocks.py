# SPDX-License-Identifier: Apache-2.0
"""Blocks that operations of old programs hold: `_create_block` and `append_op`, `While`,
`ConditionalBlock`.
"""

import numpy as np
import pytest

import paddle
from paddle.base.core import VarDesc
from paddle.static.nn.control_flow import ConditionalBlock, Switch, While

X = np.arange(1, 7, dtype='float32').reshape(2, 3)


def ran(build, *feeds, gradient=True):
    """What a program fetches that `build` records of x, and the gradient of the first for x."""
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main, paddle.static.Program()):
            x = paddle.static.data('x', [2, 3])
            x.stop_gradient = False
            fetched = list(build(x))
            if gradient:
                fetched += paddle.static.gradients(fetched[:1], [x])
        exe = paddle.static.Executor()
        return [exe.run(main, {'x': one}, fetched) for one in feeds or (X,)]
    finally:
        paddle.disable_static()


def number(k):
    return paddle.full([1], k, 'int64')


def test_a_loop_carries_what_its_block_writes():
    def build(x):
        i, n, total = number(0), number(4), paddle.zeros([2, 3])
        more = paddle.less_than(i, n)
        loop = While(more)
        with loop.block():
            half = total * 0.5
            paddle.assign(half + x, total)
            paddle.increment(i)
            paddle.assign(paddle.less_than(i, n), more)
        return total, i, more, total + 1

    ((total, i, more, after, dx),) = ran(build)
    np.testing.assert_allclose(total, X * 1.875)
    np.testing.assert_allclose(after, X * 1.875 + 1)
    assert i == 4 and not more
    np.testing.assert_allclose(dx, np.full([2, 3], 1.875))


def test_loops_in_loops_and_branches():
    def build(x):
        i, n, count = number(0), number(3), number(0)
        y = x * 1.0
        more = i < n
        with While(more).block():
            j = number(0)
            inner = j < n
            with While(inner).block():
                paddle.assign(count + i + j, count)
                paddle.increment(j)
                paddle.assign(j < n, inner)
            with ConditionalBlock([i > 0], is_scalar_condition=True).block():
                paddle.assign(y * x, y)
            z = paddle.static.nn.cond(i > 1, lambda: y + 1, lambda: y)
            paddle.assign(z, y)
            paddle.increment(i)
            paddle.assign(i < n, more)
        return y, count

    ((y, count, dx),) = ran(build)
    assert count == 18
    np.testing.assert_allclose(y, X**3 + 1, rtol=1e-6)
    np.testing.assert_allclose(dx, 3 * X**2, rtol=1e-6)


def test_a_branch_that_is_not_taken_leaves_tensors_alone():
    def build(x):
        y = x * 2
        with ConditionalBlock([paddle.mean(x) > 0], True).block():
            paddle.assign(x * 3, y)
        return (y,)

    (yes, dyes), (no, dno) = ran(build, X, -X)
    np.testing.assert_allclose(yes, X * 3)
    np.testing.assert_allclose(no, X * -2)
    assert (dyes == 3).all() and (dno == 2).all()


def test_arrays_grow_in_blocks():
    def build(x):
        i, n = number(0), number(3)
        array = paddle.tensor.array_write(x, i)
        kept = paddle.tensor.array_write(x * 0, i)
        more = i < n
        with While(more).block():
            step = paddle.tensor.array_read(array, i) + x * 2
            paddle.increment(i)
            paddle.tensor.array_write(step, i, array=array)
            paddle.assign(i < n, more)
        length = paddle.tensor.array_length(array)
        return paddle.tensor.array_read(array, i), length, paddle.tensor.array_length(kept)

    ((last, length, kept, dx),) = ran(build)
    np.testing.assert_allclose(last, X * 7)
    assert length == 4 and kept == 1
    np.testing.assert_allclose(dx, np.full([2, 3], 7.0))


def test_blocks_of_appended_operations():
    def build(x):
        main = paddle.static.default_main_program()
        top = main.global_block()
        i, n, more = (top.create_var(name=name) for name in ('i', 'n', 'more'))
        total, out = (
            top.create_var(name=name, shape=[2, 3], dtype='float32') for name in ('total', 'out')
        )

        def fill(var, shape, dtype, value):
            attrs = {'shape': shape, 'dtype': dtype, 'value': value}
            top.append_op(type='fill_constant', outputs={'Out': var}, attrs=attrs)

        int64, float32 = 3, 5
        fill(i, [1], int64, 0.0)
        fill(n, [1], int64, 4.0)
        fill(total, [2, 3], float32, 0.0)
        top.append_op(type='less_than', inputs={'X': i, 'Y': n}, outputs={'Out': more})
        block = main._create_block()
        assert main.current_block() is block and block.parent_idx == 0 and main.num_blocks == 2
        twice = block.create_var(name='twice')
        block.append_op(type='scale', inputs={'X': x}, outputs={'Out': twice}, attrs={'scale': 2.0})
        main.current_block().append_op(
            type='elementwise_add', inputs={'X': total, 'Y': twice}, outputs={'Out': total}
        )
        block.append_op(type='increment', inputs={'X': i}, outputs={'Out': i}, attrs={'step': 1.0})
        block.append_op(type='less_than', inputs={'X': i, 'Y': n}, outputs={'Out': more})
        main._rollback()
        steps = top.create_var(type=VarDesc.VarType.STEP_SCOPES)
        top.append_op(
            type='while',
            inputs={'X': [x, i, n, total], 'Condition': [more]},
            outputs={'Out': [total, i, more], 'StepScopes': [steps]},
            attrs={'sub_block': block, 'is_test': False},
        )
        with pytest.raises(ValueError, match='a block of its own, got that of while'):
            top.append_op(
                type='conditional_block', inputs={'Cond': [more]}, attrs={'sub_block': block}
            )
        block = main._create_block()
        block.append_op(type='scale', inputs={'X': x}, outputs={'Out': out}, attrs={'scale': 3.0})
        main._rollback()
        assert main.block(2) is block and main.current_block().idx == 0
        top.append_op(
            type='conditional_block',
            inputs={'Input': [x], 'Cond': [paddle.mean(x) > 0]},
            outputs={'Out': [out], 'Scope': [steps]},
            attrs={'sub_block': block, 'is_scalar_condition': True},
        )
        return [v.value for v in (total, i, out)]

    (total, i, out, dx), (_, _, no, _) = ran(build, X, -X)
    np.testing.assert_allclose(total, X * 8)
    assert i == 4 and (dx == 8).all() and (no == 0).all()
    np.testing.assert_allclose(out, X * 3)


def test_training_through_a_loop():
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data('x', [2, 3])
            i, n, h = number(0), number(2), x * 1.0
            w = paddle.static.create_parameter(
                [3, 3], 'float32', attr=paddle.nn.initializer.Constant(0.1)
            )
            more = i < n
            with While(more).block():
                product = h @ w
                assert product.name == 'matmul_0.tmp_0'
                paddle.assign(paddle.tanh(product), h)
                paddle.increment(i)
                paddle.assign(i < n, more)
            loss = paddle.mean((h - 0.5) ** 2)
            paddle.optimizer.SGD(0.5).minimize(loss)
        exe = paddle.static.Executor()
        exe.run(startup)
        losses = [exe.run(main, {'x': X}, [loss.name])[0].item() for _ in range(3)]
        assert not main.global_block().has_var('matmul_0.tmp_0')
        assert main.clone().global_block().has_var(loss.name)
        got = w.numpy()
    finally:
        paddle.disable_static()
    w, want = paddle.full([3, 3], 0.1), []
    for _ in range(3):
        w.stop_gradient = False
        h = paddle.to_tensor(X)
        for _ in range(2):
            h = paddle.tanh(h @ w)
        loss = paddle.mean((h - 0.5) ** 2)
        want.append(loss.item())
        (dw,) = paddle.grad(loss, [w])
        w = (w - 0.5 * dw).detach()
    np.testing.assert_allclose(losses, want, rtol=1e-5)
    np.testing.assert_allclose(got, w.numpy(), rtol=1e-5)


def test_refusals():
    def build(x):
        main = paddle.static.default_main_program()
        with pytest.raises(RuntimeError, match='an open block, got none'):
            main._rollback()
        with pytest.raises(TypeError, match='tensor of bool'):
            While(number(1))
        with pytest.raises(TypeError, match='tensors as inputs, got bool'):
            ConditionalBlock([True])
        more = number(0) < number(2)
        with pytest.raises(ValueError, match='writes the condition in place'):
            with While(more).block():
                x * 2
        with pytest.raises(ValueError, match='a block of Program._create_block, got int'):
            main.global_block().append_op('while', {'Condition': [more]}, attrs={'sub_block': 1})
        with pytest.raises(IndexError, match='index below'):
            main.block(7)
        with pytest.raises(ZeroDivisionError):
            with While(more).block():
                paddle.assign(x * (1 // 0), x)
        return (x + 1,)

    ((y, dx),) = ran(build)
    np.testing.assert_allclose(y, X + 1)
    assert (dx == 1).all()


def test_the_first_case_that_holds():
    def build(x):
        y, mean = x * 0, paddle.mean(x)
        with Switch() as switch:
            with pytest.raises(ValueError, match='a case before, got none'):
                switch.default()
            for least, factor in ((10.0, 4.0), (0.0, 3.0), (-1.0, 2.0)):
                with switch.case(mean > least):
                    paddle.assign(x * factor, y)
            with switch.default():
                paddle.assign(-x, y)
        return (y,)

    feeds = [X * 10, X, X * -0.1, X * -10]
    for one, factor, (y, dx) in zip(feeds, (4, 3, 2, -1), ran(build, *feeds)):
        np.testing.assert_allclose(y, one * factor, rtol=1e-6)
        assert (dx == factor).all()
