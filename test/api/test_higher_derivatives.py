# SPDX-License-Identifier: Apache-2.0
"""Higher-order eager gradients of ops with `derivatives: true`: every order against differences of
the one below it.
"""

import numpy as np
import paddle
import pytest

OPS = [
    'tanh',
    'sigmoid',
    'sin',
    'cos',
    'square',
    'sqrt',
    'rsqrt',
    'reciprocal',
    'log',
    'erf',
    'silu',
]
POINTS = np.linspace(0.4, 2.0, 37)
STEP = 1e-5


def function(name):
    return getattr(paddle, name, None) or getattr(paddle.nn.functional, name)


def orders(name, points, n):
    """f * exp(0.3 x) and its derivatives up to n: the factor makes every term of a node take
    part.
    """
    x = paddle.to_tensor(points, stop_gradient=False)
    y = function(name)(x) * paddle.exp(0.3 * x)
    out = [y]
    for _ in range(n):
        out.append(paddle.grad(out[-1].sum(), [x], create_graph=True)[0])
    return x, out


def near(got, up, down):
    np.testing.assert_allclose(got, (up - down) / (2 * STEP), rtol=2e-7, atol=2e-7)


@pytest.mark.parametrize('name', OPS)
def test_orders(name):
    at, up, down = ([t.numpy() for t in orders(name, POINTS + d, 4)[1]] for d in (0, STEP, -STEP))
    for k in range(4):
        near(at[k + 1], up[k], down[k])


@pytest.mark.parametrize('name', OPS)
def test_backward_through_second_order(name):
    x, out = orders(name, POINTS, 2)
    (out[1] * out[2]).sum().backward()
    up, down = ([t.numpy() for t in orders(name, POINTS + d, 2)[1]] for d in (STEP, -STEP))
    near(x.grad.numpy(), up[1] * up[2], down[1] * down[2])


def test_types_apart():
    # Half precision takes the composed rules; an empty tensor has gradients too.
    x = paddle.to_tensor(POINTS.astype('float32'), stop_gradient=False)
    h = x.astype('bfloat16')
    g = paddle.grad(paddle.tanh(h).sum(), [x], create_graph=True)[0]
    k = paddle.grad(g.sum(), [x])[0]
    np.testing.assert_allclose(k.numpy(), -2 * np.tanh(POINTS) / np.cosh(POINTS) ** 2, atol=0.05)
    e = paddle.zeros([0, 3])
    e.stop_gradient = False
    g = paddle.grad(paddle.tanh(e).sum(), [e], create_graph=True)[0]
    g.sum().backward()
    assert e.grad.shape == [0, 3]


def test_written_in_place():
    x = paddle.to_tensor(POINTS, stop_gradient=False)
    y = paddle.tanh(x)
    g = paddle.grad(y.sum(), [x], create_graph=True)[0]
    y.detach().zero_()
    with pytest.raises(RuntimeError, match='in-place'):
        g.sum().backward()
