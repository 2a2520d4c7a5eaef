# SPDX-License-Identifier: Apache-2.0
"""paddle.incubate.autograd against formulas, as called and compiled, and differentiated again."""

import numpy as np
import pytest

import paddle
from paddle.incubate import autograd as inc

A = np.array([[1.0, -2.0, 0.5], [0.3, 2.0, -1.0]])
X = np.array([0.2, -0.7, 1.1])
V = np.array([1.0, 0.5, -2.0])
DERIVATIVE = A * np.cos(A @ X)[:, None]


def _layer(x):
    return paddle.sin(paddle.to_tensor(A) @ x)


def _run(f, compiled):
    f = paddle.jit.to_static(f, full_graph=True) if compiled else f
    return f(paddle.to_tensor(X))


@pytest.mark.parametrize('compiled', [False, True])
def test_products(compiled):
    ys, forward = _run(lambda x: inc.jvp(_layer, x, paddle.to_tensor(V)), compiled)
    np.testing.assert_allclose(ys.numpy(), np.sin(A @ X), rtol=1e-12)
    np.testing.assert_allclose(forward.numpy(), DERIVATIVE @ V, rtol=1e-12)
    _, back = _run(
        lambda x: inc.vjp(_layer, x, paddle.to_tensor([2.0, -1.0], dtype='float64')), compiled
    )
    np.testing.assert_allclose(back.numpy(), np.array([2.0, -1.0]) @ DERIVATIVE, rtol=1e-12)


@pytest.mark.parametrize('compiled', [False, True])
def test_second_order(compiled):
    """Forward over forward and forward over reverse: x^3 gives 6 x v w."""
    cube, v = (lambda x: x**3), paddle.to_tensor(V)
    twice = _run(lambda x: inc.jvp(lambda y: inc.jvp(cube, y, v)[1], x, v)[1], compiled)
    np.testing.assert_allclose(twice.numpy(), 6 * X * V * V, rtol=1e-12)
    mixed = _run(lambda x: inc.jvp(lambda y: inc.vjp(cube, y)[1], x, v)[1], compiled)
    np.testing.assert_allclose(mixed.numpy(), 6 * X * V, rtol=1e-12)
    third = _run(
        lambda x: inc.jvp(lambda z: inc.jvp(lambda y: inc.jvp(cube, y)[1], z)[1], x)[1], compiled
    )
    np.testing.assert_allclose(third.numpy(), np.full(3, 6.0), rtol=1e-12)


@pytest.mark.parametrize('compiled', [False, True])
def test_matrices(compiled):
    np.testing.assert_allclose(
        _run(lambda x: inc.Jacobian(_layer, x)[:], compiled).numpy(), DERIVATIVE, rtol=1e-12
    )
    found = _run(lambda x: inc.Hessian(lambda y: _layer(y).sum(), x)[:], compiled).numpy()
    np.testing.assert_allclose(found, -(A.T * np.sin(A @ X)) @ A, rtol=1e-12)


def test_indexing_and_several_inputs():
    x, y = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), paddle.to_tensor([[5.0, 6.0], [7.0, 8.0]])
    matrix = inc.Jacobian(paddle.matmul, [x, y])
    assert matrix.shape == (4, 8)
    whole = matrix[:].numpy()
    np.testing.assert_array_equal(whole[0], [5, 7, 0, 0, 1, 0, 2, 0])
    np.testing.assert_array_equal(matrix[-1].numpy(), whole[3])
    np.testing.assert_array_equal(matrix[1:3, 2:5].numpy(), whole[1:3, 2:5])
    assert float(matrix[2, 4]) == whole[2, 4]
    with pytest.raises(IndexError):
        matrix[4]


def test_batches():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    matrix = inc.Jacobian(lambda a, b: a * b, [x, x], is_batched=True)
    assert matrix.shape == (3, 2, 4)
    np.testing.assert_array_equal(matrix[:, 1].numpy(), [[0, 2, 0, 2], [0, 4, 0, 4], [0, 6, 0, 6]])
    second = inc.Hessian(lambda a: (a**3).sum(1, keepdim=True), x, is_batched=True)[:]
    np.testing.assert_allclose(second.numpy(), [np.diag(6 * row) for row in x.numpy()], rtol=1e-6)


def test_on_tensors():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x**3
    np.testing.assert_array_equal(inc.forward_grad(y, x).numpy(), [3, 12])
    (found,) = inc.grad([y], [x])
    np.testing.assert_array_equal(
        inc.forward_grad(found, x, paddle.to_tensor([1.0, 3.0])).numpy(), [6, 36]
    )


def test_errors():
    x = paddle.ones([2, 2])
    with pytest.raises(RuntimeError, match=r'v\[0\] of shape \[2, 2\], got \[3\]'):
        inc.vjp(lambda a: a, x, paddle.ones([3]))
    with pytest.raises(RuntimeError, match='v for 1 tensors, got 2'):
        inc.jvp(lambda a: a, x, [x, x])
    with pytest.raises(TypeError):
        inc.vjp(lambda a: a, 3)
    with pytest.raises(RuntimeError, match='one element'):
        inc.Hessian(lambda a: a * a, x)
