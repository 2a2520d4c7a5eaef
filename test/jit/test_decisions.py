# SPDX-License-Identifier: Apache-2.0
"""Without `full_graph` code that decides by numbers of tensors is compiled for each way it decides;
a run that decides otherwise than its recording is not taken.
"""

import numpy
import pytest

import paddle
from paddle import nn


def _tensor(*values):
    return paddle.to_tensor(list(values), dtype='float32', stop_gradient=False)


def _check(function, calls, change=None):
    """Calls of the function and of its marked form agree; returns the marked form."""
    marked = paddle.jit.to_static(function, full_graph=False)
    for k, values in enumerate(calls):
        if change is not None:
            change(k)
        a, b = _tensor(*values), _tensor(*values)
        want, got = function(a), marked(b)
        numpy.testing.assert_array_equal(got.numpy(), want.numpy())
        want.sum().backward()
        got.sum().backward()
        numpy.testing.assert_array_equal(b.grad.numpy(), a.grad.numpy())
    return marked


CALLS = [(1, 2), (3, 2), (-1, -5), (1, 2), (-1, -5), (3, 2), (9, 9), (1, 3), (1, 2), (-1, -5)]


def test_branches_loops_and_places():
    def function(x):
        y = x * 2 if x.sum() > 0 else x - 1
        n = 0
        while y.sum() < 10 and n < 4:
            y, n = y + 1, n + 1
        if not (y > 1).all():
            y = y * y
        return y * (int(paddle.argmax(y)) + 1) + n

    marked = _check(function, CALLS)
    assert marked.get_traced_count() == 4 and marked._compiled_runs() == 6
    explanation = paddle.jit.explain(marked)
    assert any('number' in g and 'test_decisions.py' in g for g in explanation.guards)
    assert any('number' in str(why) for _, why in explanation.recompiles)


@pytest.mark.parametrize(
    'decide',
    [
        lambda x: bool(x.sum()),
        lambda x: 1 if x.sum() > 0 and x.max() > 1 else 0,
        lambda x: (x > 2).any().item(),
        lambda x: int((x > 0).sum()) == 2,
        lambda x: float((x > 1).any()),
        lambda x: len([v for v in (x[0], x[1]) if v > 1]),
    ],
)
def test_ways_to_decide(decide):
    def function(x):
        if decide(x):
            return x * 2
        return x - 3

    marked = _check(function, [*CALLS, (0, 0), (2, -2)] * 2)
    assert marked._compiled_runs() >= 18


def test_numbers_of_a_parameter_and_state_of_python():
    scale, state = paddle.to_tensor([1.0]), {'k': 2.0}

    def function(x):
        if scale > 1:
            x = x * state['k']
        return x + state['k'] if x.sum() > 0 else x

    def change(k):
        scale.set_value(paddle.to_tensor([float(k % 3)]))
        state['k'] = 2.0 + k // 6

    _check(function, [(1, 2), (-1, -2)] * 8, change)


def test_a_tensor_that_is_written_after_it_decided():
    def function(x):
        y = x * 1
        if y[0] > 0:
            y[0] = -4.0
        if y[0] > 0:
            y = y * 3
        return y

    assert _check(function, CALLS)._compiled_runs() > 5


@pytest.mark.parametrize('training', [False, True])
def test_what_has_effects_is_not_tried(training):
    paddle.seed(3)
    norm = nn.BatchNorm1D(2, momentum=0.5)  # statistics without rounding
    if not training:
        norm.eval()
    seen = []
    for mark in (lambda f: f, lambda f: paddle.jit.to_static(f, full_graph=False)):
        norm._mean.set_value(paddle.zeros([2]))
        norm._variance.set_value(paddle.ones([2]))

        def function(x):
            y = norm(x)
            return y * 2 if y[0, 0] > 0 else y - 1

        marked = mark(function)
        for k in range(8):
            x = paddle.to_tensor([[1.0 - k % 3, 2.0], [0.5, float(k)]])
            seen.append([marked(x).tolist(), norm._mean.tolist()])
    assert seen[:8] == seen[8:]
    assert not training or marked._compiled_runs() == 0


def test_numbers_that_never_come_back_are_given_up():
    marked = paddle.jit.to_static(lambda x: x * int(x.sum().astype('int64')), full_graph=False)
    for k in range(40):
        x = paddle.to_tensor([float(k), 1.0])
        assert marked(x).tolist() == [k * (k + 1.0), k + 1.0]
    assert marked.get_traced_count() == 16 and marked._compiled_runs() == 0


def test_random_numbers_are_drawn_once_a_call():
    def function(x):
        y = paddle.rand([2]) + x
        return y * 2 if y.sum() > 1 else y

    marked, seen = paddle.jit.to_static(function, full_graph=False), []
    for f in (function, marked):
        paddle.seed(5)
        seen.append([f(paddle.zeros([2])).tolist() for _ in range(12)])
    assert seen[0] == seen[1]
