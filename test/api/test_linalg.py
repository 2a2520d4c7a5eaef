# SPDX-License-Identifier: Apache-2.0
"""Linear algebra against numpy, and gradients against finite differences."""

import numpy as np
import pytest

import paddle
from paddle import linalg

RNG = np.random.RandomState(0)
A = RNG.randn(2, 4, 4)
SPD = A @ A.transpose(0, 2, 1) + 4 * np.eye(4)
TALL = RNG.randn(5, 3)
B = RNG.randn(2, 4, 2)


def tensor(x, grad=False):
    return paddle.to_tensor(x, stop_gradient=not grad)


def close(got, expected, tolerance=1e-9):
    np.testing.assert_allclose(got.numpy(), expected, rtol=tolerance, atol=tolerance)


def test_values():
    close(linalg.inv(tensor(A)), np.linalg.inv(A))
    close(linalg.det(tensor(A)), np.linalg.det(A))
    close(linalg.slogdet(tensor(A)), np.stack(np.linalg.slogdet(A)))
    close(linalg.solve(tensor(A), tensor(B)), np.linalg.solve(A, B))
    close(linalg.cholesky(tensor(SPD)), np.linalg.cholesky(SPD))
    close(linalg.cholesky(tensor(SPD), upper=True), np.linalg.cholesky(SPD).transpose(0, 2, 1))
    close(linalg.svdvals(tensor(TALL)), np.linalg.svd(TALL, compute_uv=False))
    close(linalg.eigvalsh(tensor(SPD)), np.linalg.eigvalsh(SPD))
    close(linalg.pinv(tensor(TALL)), np.linalg.pinv(TALL))
    close(linalg.cond(tensor(A)), np.linalg.cond(A))
    assert linalg.matrix_rank(tensor(np.outer([1.0, 2.0], [3.0, 4.0]))).item() == 1
    close(linalg.matrix_power(tensor(A), 3), np.linalg.matrix_power(A, 3))
    close(linalg.multi_dot([tensor(TALL), tensor(TALL.T), tensor(TALL)]), TALL @ TALL.T @ TALL)
    close(linalg.cov(tensor(TALL)), np.cov(TALL))
    close(linalg.corrcoef(tensor(TALL)), np.corrcoef(TALL))


def test_factors_multiply_back():
    q, r = linalg.qr(tensor(TALL))
    close(paddle.matmul(q, r), TALL)
    u, s, vh = linalg.svd(tensor(TALL))
    close(paddle.matmul(u * s, vh), TALL)
    w, v = linalg.eigh(tensor(SPD))
    close(paddle.matmul(v * w.unsqueeze(-2), v.transpose([0, 2, 1])), SPD)
    packed, pivots = linalg.lu(tensor(A))
    p, low, up = linalg.lu_unpack(packed, pivots)
    close(paddle.matmul(p, paddle.matmul(low, up)), A)
    close(linalg.lu_solve(tensor(B), packed, pivots), np.linalg.solve(A, B))
    w, v = linalg.eig(tensor(A[0]))
    np.testing.assert_allclose(A[0] @ v.numpy(), v.numpy() * w.numpy(), atol=1e-9)
    x = linalg.lstsq(tensor(TALL), tensor(B.reshape(-1)[:5].reshape(5, 1)))[0]
    close(x, np.linalg.lstsq(TALL, B.reshape(-1)[:5].reshape(5, 1), rcond=None)[0])


@pytest.mark.parametrize('p', ['fro', 'nuc', 1, -1, 2, -2, np.inf, -np.inf])
def test_matrix_norms(p):
    close(linalg.matrix_norm(tensor(A[0]), p), np.linalg.norm(A[0], p))


@pytest.mark.parametrize('p', [0, 1, 2, 3, np.inf, -np.inf])
def test_vector_norms(p):
    close(linalg.vector_norm(tensor(A[0]), p, axis=1), np.linalg.norm(A[0], p, axis=1))


def test_matrix_exponential():
    x = A[0]
    expected, term = np.eye(4), np.eye(4)
    for k in range(1, 60):
        term = term @ x / k
        expected = expected + term
    close(linalg.matrix_exp(tensor(x)), expected, 1e-8)


@pytest.mark.parametrize(
    'name, function, x',
    [
        ('inv', lambda x: linalg.inv(x), A[0]),
        ('det', lambda x: linalg.det(x), A[0]),
        ('slogdet', lambda x: linalg.slogdet(x)[1], A[0]),
        ('solve', lambda x: linalg.solve(x, tensor(B[0])), A[0]),
        ('cholesky', lambda x: linalg.cholesky(x + x.transpose([1, 0])), SPD[0] / 2),
        ('qr', lambda x: linalg.qr(x)[0] + 2 * linalg.qr(x)[1].sum(), TALL),
        ('svd', lambda x: linalg.svd(x)[1] + (linalg.svd(x)[0].abs()).sum(), TALL),
        ('eigh', lambda x: linalg.eigh(x + x.transpose([1, 0]))[0], SPD[0] / 2),
        (
            'triangular',
            lambda x: linalg.triangular_solve(x, tensor(B[0]), upper=False),
            np.tril(A[0]) + 3 * np.eye(4),
        ),
    ],
)
def test_gradients(name, function, x):
    weights = None

    def value(array, grad=False):
        nonlocal weights
        point = tensor(array, grad)
        out = function(point)
        if weights is None:
            weights = RNG.rand(*out.shape)
        return point, (out * tensor(weights)).sum()

    point, total = value(x, True)
    total.backward()
    numeric = np.zeros_like(x)
    for at in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[at] = 1e-6
        numeric[at] = (value(x + step)[1].item() - value(x - step)[1].item()) / 2e-6
    np.testing.assert_allclose(point.grad.numpy(), numeric, rtol=1e-4, atol=1e-5)


def test_bad_arguments():
    with pytest.raises(Exception):
        linalg.inv(tensor(TALL))
    with pytest.raises(Exception):
        linalg.cholesky(tensor(-np.eye(3)))
    with pytest.raises(Exception):
        linalg.inv(tensor(np.zeros([3, 3])))


@pytest.mark.parametrize(
    'a, b, wanted',
    [
        ('complex64', 'float32', 'complex64'),
        ('float32', 'complex64', 'complex64'),
        ('complex128', 'float32', 'complex128'),
        ('float64', 'complex64', 'complex128'),
    ],
)
def test_products_of_real_and_complex_matrices(a, b, wanted):
    x, y = (
        paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]).astype(a),
        paddle.to_tensor([[2.0, 0.0], [1.0, 1.0]]).astype(b),
    )
    x, y = (x * 1j if 'complex' in a else x), (y * 1j if 'complex' in b else y)
    x.stop_gradient = y.stop_gradient = False
    for product in (paddle.matmul, paddle.mm, lambda x, y: x @ y):
        out = product(x, y)
        assert str(out.dtype) == 'paddle.' + wanted
        np.testing.assert_allclose(out.numpy(), x.numpy() @ y.numpy())
        out.imag().sum().backward()
        assert x.grad.dtype == x.dtype and y.grad.dtype == y.dtype
