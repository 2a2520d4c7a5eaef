# SPDX-License-Identifier: Apache-2.0
"""What a recorded function writes without history to parameters, buffers and arguments, and the
gradients behind it, are those of eager calls: parameters stay leaves."""

import numpy
import pytest

import paddle

CASES = {}


def case(function):
    """Add a function of (x, w, v, b): an argument and two parameters that need gradients, and a
    buffer.
    """
    CASES[function.__name__] = function
    return function


@case
def element(x, w, v, b):
    w[0] = x[0]
    return lambda: (x * w).sum()


@case
def scaled(x, w, v, b):
    w.scale_(1.5)
    return lambda: (x * w * w).sum()


@case
def through_a_view(x, w, v, b):
    w[0:2].scale_(2.0)
    return lambda: (x * w).exp().sum()


@case
def average(x, w, v, b):
    v.set_value(v * 0.9 + w * 0.1)
    return lambda: (x * w * v).sum()


@case
def exchanged(x, w, v, b):
    kept = w.clone()
    w.set_value(v)
    v.set_value(kept)
    return lambda: (x * w + v * v).sum()


@case
def copied_then_changed(x, w, v, b):
    v.set_value(w)
    w.scale_(1.1)
    return lambda: (x * v).sum()


@case
def copied(x, w, v, b):
    v.copy_(w, True)
    b.copy_(x.detach() * 2, False)
    return lambda: (x * v * b).sum()


@case
def assigned(x, w, v, b):
    paddle.assign(v * 2, w)
    return lambda: (x * w).sum()


@case
def an_array(x, w, v, b):
    b.set_value(numpy.array([7, 8, 9], 'float32'))
    w.fill_(2.0)
    return lambda: (b * x * w).sum()


@case
def a_buffer_that_is_not_read(x, w, v, b):
    b.set_value(x.detach())
    return lambda: (x * w).sum()


@case
def the_argument(x, w, v, b):
    x.scale_(2.0)
    return lambda: (x * x * w).sum()


@case
def second_order(x, w, v, b):
    w.scale_(1.5)

    def loss():
        (g,) = paddle.grad((x**3 * w).sum(), x, create_graph=True)
        return (g * w).sum()

    return loss


def _run(case, full_graph):
    w, v = (paddle.create_parameter([3], 'float32') for _ in range(2))
    w.set_value(paddle.to_tensor([1.0, 2.0, 3.0]))
    v.set_value(paddle.to_tensor([0.5, 1.0, 2.0]))
    b, seen = paddle.ones([3]), []

    def function(x):
        with paddle.no_grad():
            loss = case(x, w, v, b)
        return loss()

    if full_graph is not None:
        function = paddle.jit.to_static(function, full_graph=full_graph)
    for call in range(3):
        x = paddle.to_tensor([call + 1.0, 2.0, 3.0], stop_gradient=False)
        loss = function(x)
        loss.backward()
        assert w.is_leaf and v.is_leaf and x.is_leaf and not w.stop_gradient and not v.stop_gradient
        seen.append(
            [
                None if t is None else t.numpy().copy()
                for t in (loss, x, x.grad, w, v, w.grad, v.grad, b)
            ]
        )
        w.clear_gradient(False)
        v.clear_gradient(False)
    if full_graph is not None:
        assert function.get_traced_count() == 1
    return seen


@pytest.mark.parametrize('full_graph', [True, False])
@pytest.mark.parametrize('name', CASES)
def test_writes(name, full_graph):
    for want, got in zip(_run(CASES[name], None), _run(CASES[name], full_graph)):
        for a, b in zip(want, got):
            assert (a is None) == (b is None)
            if a is not None:
                numpy.testing.assert_allclose(b, a, rtol=1e-5)
