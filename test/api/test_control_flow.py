# SPDX-License-Identifier: Apache-2.0
"""Recorded branches and loops compute what Python's own compute, forward and backward."""

import numpy as np
import pytest

import paddle

nn = paddle.static.nn
X = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]], 'float32')


@pytest.mark.parametrize('kind', [list, dict])
def test_a_nest_that_holds_itself_is_refused(kind):
    nest = kind()
    nest.append(nest) if kind is list else nest.update(a=nest)
    with paddle.static.program.recording(paddle.static.Program()):
        with pytest.raises(ValueError, match='holds itself'):
            nn.while_loop(lambda i, v: i < 3, lambda i, v: [i + 1, v], [count(), nest])
        with pytest.raises(ValueError, match='holds itself'):
            nn.cond(count() < 3, lambda: nest, lambda: nest)


def count(n=0):
    return paddle.full([1], n, 'int64')


def branch(x, s):
    return nn.cond(paddle.sum(x) * s > 0, lambda: paddle.tanh(x) * 2, lambda: x - 1)


def unused_in_one(x, s):
    y = paddle.exp(x)
    return nn.cond(paddle.sum(x) * s > 0, lambda: x * y, lambda: paddle.sin(x) * 3)


def returned_as_it_is(x, s):
    y = x * 2
    a, b = nn.cond(paddle.sum(x) * s > 0, lambda: (x, y * x), lambda: (y, y))
    return a * b


def nested_branches(x, s):
    def outer():
        z = paddle.tanh(x)
        return nn.cond(paddle.max(z) > 0.5, lambda: z * x * z, lambda: z + x) * z

    return nn.cond(
        paddle.sum(x) * s > 0, outer, lambda: nn.cond(paddle.min(x) > 0, lambda: x, lambda: x * x)
    )


def loop(x, s):
    return nn.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, paddle.tanh(y * x) + s), [count(), x]
    )[1]


def sum_from_zeros(x, s):
    w = paddle.exp(x)
    return nn.while_loop(
        lambda i, t: i < 4, lambda i, t: (i + 1, t + w * x), [count(), paddle.zeros([2, 3])]
    )[1]


def branch_in_loop(x, s):
    def body(i, y):
        return i + 1, nn.cond(i > 1, lambda: paddle.tanh(y * x), lambda: paddle.sin(y) * s)

    return nn.while_loop(lambda i, y: i < 4, body, [count(), x])[1]


def loop_in_branch(x, s):
    return nn.cond(paddle.sum(x) * s > 0, lambda: loop(x, s), lambda: x * 3)


def loop_in_loop(x, s):
    def body(i, y):
        z = nn.while_loop(
            lambda j, z: j < i + 1, lambda j, z: (j + 1, paddle.sin(z * x)), [count(), y]
        )[1]
        return i + 1, z * y

    return nn.while_loop(lambda i, y: i < 3, body, [count(), x])[1]


def growing(x, s):
    y = nn.while_loop(
        lambda i, y: i < 3,
        lambda i, y: (i + 1, paddle.concat([y, paddle.tanh(y[-1:] * x[:1])])),
        [count(), x],
    )[1]
    return paddle.sum(y, axis=0)


def never(x, s):
    return nn.while_loop(lambda i, y: i < 0, lambda i, y: (i + 1, y * y), [count(), x * 2])[1]


def fixed_case(x, s):
    total = paddle.sum(x) * s
    return nn.case([(total > 100, lambda: x), (total > 0, lambda: x * x)], lambda: paddle.exp(x))


def chosen(x, s):
    return nn.switch_case(count(2), {1: lambda: x, 2: lambda: x * x * s, 5: lambda: x + 1})


def outer_tensors_written(x, s):
    y, n = x * 1, paddle.zeros([1])

    def yes():
        y.add_(x)
        n.add_(paddle.ones([1]))
        return y * 2

    z = nn.cond(paddle.sum(x) * s > 0, yes, lambda: x)
    return z + y * n


def written_in_loop(x, s):
    total = paddle.zeros([2, 3])

    def body(i):
        total.add_(x * x)
        return (i + 1,)

    nn.while_loop(lambda i: i < 3, body, [count()])
    return total * x


def shapes_differ(x, s):
    return paddle.sum(nn.cond(paddle.sum(x) * s > 0, lambda: x, lambda: x[:1] * 2), axis=0)


def gradient_inside(x, s):
    def yes():
        y = x * x * x
        return paddle.grad(paddle.sum(y), [x])[0]

    return nn.cond(paddle.sum(x) * s > 0, yes, lambda: x)


MODELS = [
    branch,
    unused_in_one,
    returned_as_it_is,
    nested_branches,
    loop,
    sum_from_zeros,
    branch_in_loop,
    loop_in_branch,
    loop_in_loop,
    growing,
    never,
    fixed_case,
    chosen,
    outer_tensors_written,
    written_in_loop,
    shapes_differ,
]


def eager(model, sign):
    x = paddle.to_tensor(X, stop_gradient=False)
    out = model(x, sign)
    loss = paddle.sum(out * out)
    loss.backward()
    return out.numpy(), x.grad.numpy()


def record(model, sign, backward=True):
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        x = paddle.static.data('x', [2, 3], 'float32')
        x.stop_gradient = False
        out = model(x, sign)
        wanted = [out] + (paddle.static.gradients([paddle.sum(out * out)], [x]) if backward else [])
    return program, x, wanted


@pytest.fixture
def static():
    paddle.enable_static()
    yield paddle.static.Executor()
    paddle.disable_static()


@pytest.mark.parametrize('sign', [1.0, -1.0])
@pytest.mark.parametrize('model', MODELS, ids=lambda m: m.__name__)
def test_recorded_equals_eager(model, sign):
    want = eager(model, sign)
    paddle.enable_static()
    try:
        program, _, wanted = record(model, sign)
        for _ in range(2):
            got = paddle.static.Executor().run(program, feed={'x': X}, fetch_list=wanted)
            for g, w in zip(got, want):
                np.testing.assert_allclose(g, w, rtol=2e-5, atol=1e-6)
        # A gradient nobody fetches leaves nothing behind; one that is fetched alone brings its
        # forward part.
        alone = paddle.static.Executor().run(program, feed={'x': X}, fetch_list=wanted[1:])
        np.testing.assert_allclose(alone[0], want[1], rtol=2e-5, atol=1e-6)
        assert 'cf.' not in str(program._prune([], wanted[:1])).replace('cf.yield', '')
    finally:
        paddle.disable_static()


def test_gradient_inside_a_branch(static):
    program, _, wanted = record(gradient_inside, 1.0, backward=False)
    np.testing.assert_allclose(
        static.run(program, feed={'x': X}, fetch_list=wanted)[0], 3 * X * X, rtol=1e-5
    )


def test_second_order_through_a_branch(static):
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        x = paddle.static.data('x', [2, 3], 'float32')
        x.stop_gradient = False
        y = nn.cond(paddle.sum(x) > 0, lambda: paddle.tanh(x) * x, lambda: x)
        first = paddle.grad(paddle.sum(y), [x], create_graph=True)[0]
        second = paddle.grad(paddle.sum(first), [x])[0]
    t = np.tanh(X)
    got = static.run(program, feed={'x': X}, fetch_list=[first, second])
    np.testing.assert_allclose(got[0], t + X * (1 - t * t), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(got[1], 2 * (1 - t * t) * (1 - t * X), rtol=1e-4, atol=1e-6)


def test_second_order_through_a_loop_is_refused(static):
    with paddle.static.program_guard(paddle.static.Program()):
        x = paddle.static.data('x', [2, 3], 'float32')
        x.stop_gradient = False
        with pytest.raises(RuntimeError, match='create_graph'):
            paddle.grad(paddle.sum(loop(x, 1.0)), [x], create_graph=True)


def test_a_parameter_used_inside_is_captured(static):
    with paddle.static.program_guard(paddle.static.Program()) as _:
        program = paddle.static.default_main_program()
        x = paddle.static.data('x', [2, 3], 'float32')
        w = paddle.static.create_parameter([3], 'float32')
        y = nn.cond(paddle.sum(x) > 0, lambda: x * w, lambda: x)
        ((_, gradient),) = paddle.static.append_backward(paddle.sum(y))
        got = static.run(program, feed={'x': X}, fetch_list=[gradient])
    np.testing.assert_allclose(got[0], X.sum(0), rtol=1e-5)


def test_nests_and_numbers(static):
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        x = paddle.static.data('x', [2, 3], 'float32')
        p = paddle.sum(x) > 0
        r = nn.cond(
            p,
            lambda: {'a': [x, None], 'b': 1, 'c': 2.5},
            lambda: {'a': [x * 2, None], 'b': 1, 'c': 1.5},
        )
        assert r['a'][1] is None and r['b'] == 1
        assert nn.cond(p, lambda: None, lambda: None) is None and nn.cond(p) is None
        assert nn.cond(p, lambda: x, lambda: x[:1]).shape == [-1, 3]
        got = static.run(program, feed={'x': X}, fetch_list=[r['a'][0], r['c']])
    np.testing.assert_allclose(got[0], X)
    assert got[1] == 2.5


@pytest.mark.parametrize(
    'error, text, call',
    [
        (ValueError, 'structure', lambda x, p: nn.cond(p, lambda: [x], lambda: {'a': x})),
        (ValueError, 'structure', lambda x, p: nn.cond(p, lambda: (x, x), lambda: (x,))),
        (ValueError, 'None from false_fn alone', lambda x, p: nn.cond(p, lambda: x)),
        (TypeError, 'None', lambda x, p: nn.cond(p, lambda: (x, None), lambda: (x, x))),
        (ValueError, 'dtype', lambda x, p: nn.cond(p, lambda: x, lambda: paddle.cast(x, 'int64'))),
        (ValueError, 'dimensions', lambda x, p: nn.cond(p, lambda: x, lambda: x[0])),
        (ValueError, 'one element', lambda x, p: nn.cond(x > 0, lambda: x, lambda: x)),
        (TypeError, 'bool', lambda x, p: nn.cond(paddle.mean(x), lambda: x, lambda: x)),
        (TypeError, 'true_fn to be a function', lambda x, p: nn.cond(p, x, lambda: x)),
        (
            ValueError,
            '2 values, one for each of loop_vars, got 1',
            lambda x, p: nn.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1,), [count(), x]),
        ),
        (
            ValueError,
            'dtype',
            lambda x, p: nn.while_loop(
                lambda i: i < 3, lambda i: (paddle.cast(i, 'int32'),), [count()]
            ),
        ),
        (TypeError, 'shape', lambda x, p: nn.while_loop(lambda y: y > 0, lambda y: (y,), [x])),
        (
            ValueError,
            'at least one of loop_vars',
            lambda x, p: nn.while_loop(lambda: True, lambda: (), []),
        ),
        (
            ValueError,
            'got 1 more than once',
            lambda x, p: nn.switch_case(count(), [(1, lambda: x), (1, lambda: x)]),
        ),
        (TypeError, 'test_control_flow.py', lambda x, p: bool(p)),
        (TypeError, 'paddle.cast', lambda x, p: int(paddle.sum(x))),
        (TypeError, 'paddle.cast', lambda x, p: float(paddle.sum(x))),
    ],
)
def test_errors(static, error, text, call):
    with paddle.static.program_guard(paddle.static.Program()):
        x = paddle.static.data('x', [2, 3], 'float32')
        with pytest.raises(error, match=text):
            call(x, paddle.sum(x) > 0)


def test_unknown_extents_cannot_be_counted(static):
    with paddle.static.program_guard(paddle.static.Program()):
        x = paddle.static.data('x', [-1, 3], 'float32')
        with pytest.raises(TypeError, match='paddle.shape'):
            len(x)
        with pytest.raises(TypeError, match='while_loop'):
            list(iter(x))
        assert len(list(iter(paddle.static.data('y', [2, 3], 'float32')))) == 2


def test_a_value_does_not_leave_its_branch(static):
    with paddle.static.program_guard(paddle.static.Program()):
        x = paddle.static.data('x', [2, 3], 'float32')
        kept = []

        def yes():
            kept.append(x * 2)
            return x

        nn.cond(paddle.sum(x) > 0, yes, lambda: x)
        with pytest.raises(RuntimeError, match='inside a branch'):
            kept[0] + 1


def test_a_failing_branch_leaves_the_program_as_it_was(static):
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        x = paddle.static.data('x', [2, 3], 'float32')
        p = paddle.sum(x) > 0
        before, y = str(program), x * 1

        def fails():
            y.add_(x)
            raise KeyError('stop')

        text = str(program)
        with pytest.raises(KeyError):
            nn.cond(p, fails, lambda: x)
        assert str(program) == text and before != text
        np.testing.assert_allclose(static.run(program, feed={'x': X}, fetch_list=[y])[0], X)


def test_print_and_assert(static, capfd):
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        x = paddle.static.data('x', [2, 3], 'float32')
        y = paddle.static.Print(x, message='seen')
        nn.control_flow.Assert(paddle.sum(x) > 0, [x])
        static.run(program, feed={'x': X}, fetch_list=[y])
        assert 'seen' in ''.join(capfd.readouterr())
        with pytest.raises((ValueError, RuntimeError)):
            static.run(program, feed={'x': -X}, fetch_list=[y])
