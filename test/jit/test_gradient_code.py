# SPDX-License-Identifier: Apache-2.0
"""Python code that gradients run, a PyLayer's backward and hooks of tensors, is part of what is
compiled, and does what it does unmarked.
"""

import numpy
import pytest

import paddle

pytestmark = pytest.mark.filterwarnings('ignore:.to_static.*runs as it is')
MODES = pytest.mark.parametrize('full_graph', [False, True])
FACTOR = 2.0
SEEN = []


class Scaled(paddle.autograd.PyLayer):
    """Its gradient is not that of its forward."""

    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale, ctx.rows = scale, x.shape
        return x * x * scale, x.sum()

    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensor()
        return g * x * ctx.scale * 10 + h * len(ctx.rows)


class Global(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x * FACTOR

    @staticmethod
    def backward(ctx, g):
        return g * FACTOR * 3


class Noted(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        SEEN.append(1)
        return g * 7


def _x(k=0.0):
    return paddle.to_tensor([1.0 + k, 2.0, 3.0], stop_gradient=False)


def _after(function, x):
    """Result and gradient where backward runs outside."""
    y = function(x)
    y.sum().backward()
    return [y.numpy(), x.grad.numpy()]


def _within(weight, opt):
    def wrap(function):
        def step(x):
            y = function(x * weight)
            y.sum().backward()
            opt.step()
            opt.clear_grad()
            return y.detach() * 1

        return step

    return wrap


def _check(function, full_graph, compiled, change=None, calls=6):
    """The function alone, and in a step with backward inside: `compiled` calls run a recording."""
    found = []
    for mode in (None, full_graph):
        f = function if mode is None else paddle.jit.to_static(function, full_graph=mode)
        results = []
        for call in range(calls):
            if change:
                change(call)
            results.append(_after(f, _x(call)))
        if change:
            change(calls)
        found.append(results)
    numpy.testing.assert_allclose(found[1], found[0], rtol=1e-5)
    if compiled[0]:
        assert f._compiled_runs() >= compiled[0], paddle.jit.explain(f)
    found = []
    for mode in (None, full_graph):
        weight = paddle.to_tensor([0.5, 1.5, 1.0], stop_gradient=False)
        opt = paddle.optimizer.SGD(0.01, parameters=[weight])
        step = _within(weight, opt)(function)
        f = step if mode is None else paddle.jit.to_static(step, full_graph=mode)
        results = []
        for call in range(calls):
            if change:
                change(call)
            results.append([f(_x(call).detach()).numpy(), weight.numpy()])
        if change:
            change(calls)
        found.append(results)
    numpy.testing.assert_allclose(found[1], found[0], rtol=1e-5)
    if compiled[1]:
        assert f._compiled_runs() >= compiled[1], paddle.jit.explain(f)


def _scaled(x):
    y, total = Scaled.apply(x + 1, 1.5)
    return y * 2 + total


@MODES
def test_a_layer_that_depends_on_what_the_call_gave_it(full_graph):
    _check(_scaled, full_graph, (4, 4))


@MODES
def test_state_that_backward_reads(full_graph):
    def change(call):
        global FACTOR
        FACTOR = 2.0 + call // 3 % 2

    _check(lambda x: Global.apply(x) * 2, full_graph, (0, 2), change)


@MODES
def test_state_that_changes_between_a_call_and_its_backward(full_graph):
    global FACTOR

    def function(x):
        h = x * 2
        h.register_hook(lambda g: g * FACTOR)
        return Global.apply(h) * 2

    f = paddle.jit.to_static(function, full_graph=full_graph)
    for call in range(5):
        x = _x()
        FACTOR = 2.0
        y = f(x)
        FACTOR = 3.0 + call
        y.sum().backward()
        assert x.grad.tolist() == [2 * 2 * 3 * FACTOR**2] * 3
    FACTOR = 2.0


@MODES
def test_effects_of_backward_are_not_lost(full_graph):
    for run in (lambda x: Noted.apply(x * 3) + 1,):
        SEEN.clear()
        f = paddle.jit.to_static(run, full_graph=full_graph)
        for call in range(1, 6):
            x = _x()
            f(x).sum().backward()
            assert len(SEEN) == call and x.grad.tolist() == [21.0] * 3

        def step(x, w=_x()):
            Noted.apply(x * w).sum().backward()
            return x * 2

        f = paddle.jit.to_static(step, full_graph=full_graph)
        SEEN.clear()
        for call in range(1, 6):
            f(_x().detach())
            assert len(SEEN) == call


@MODES
def test_hooks(full_graph):
    def function(x):
        h = paddle.tanh(x)
        h.register_hook(lambda g: g * 2)
        y = h * 3
        y.register_hook(paddle.sin)
        return y * 0.5 + h

    _check(function, full_graph, (4, 4))


@MODES
def test_a_hook_of_the_result_and_gradients_kept(full_graph):
    def function(x):
        y = x * 3
        y.register_hook(lambda g: g * 5)
        return y

    _check(function, full_graph, (4, 4))

    w = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)

    def kept(x):
        h = x * w
        h.retain_grads()
        (h * h).sum().backward()
        w.clear_gradient(False)
        return h.grad * 2

    f = paddle.jit.to_static(kept, full_graph=full_graph)
    for _ in range(4):
        assert f(_x().detach()).tolist() == [4.0, 16.0, 36.0]
    assert f._compiled_runs() >= 2


@MODES
def test_hooks_of_tensors_of_before_are_registered_each_time(full_graph):
    w = paddle.to_tensor([1.0], stop_gradient=False)

    def function(x):
        w.register_hook(lambda g: g * 2)
        return x * w

    f = paddle.jit.to_static(function, full_graph=full_graph)
    for call in range(1, 5):
        w.clear_gradient(False)
        f(paddle.ones([1])).sum().backward()
        assert w.grad.tolist() == [2.0**call]


@MODES
def test_gradients_of_gradients(full_graph):
    def function(x):
        return _scaled(x)

    f = paddle.jit.to_static(function, full_graph=full_graph)
    for _ in range(4):
        found = []
        for run in (function, f):
            x = _x()
            (g,) = paddle.grad(run(x).sum(), x, create_graph=True)
            (g * g).sum().backward()
            found += [g.numpy(), x.grad.numpy()]
        numpy.testing.assert_allclose(found[2:], found[:2], rtol=1e-5)


@MODES
def test_hooks_of_parameters_run_each_time(full_graph):
    seen = []
    w = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    w.register_hook(lambda g: seen.append(g.tolist()))

    def step(x):
        (w * x).sum().backward()
        w.clear_gradient(False)
        return x * 2

    f = paddle.jit.to_static(step, full_graph=full_graph)
    for call in range(1, 5):
        f(paddle.ones([2]) * call)
        assert len(seen) == call and seen[-1] == [call, call]
