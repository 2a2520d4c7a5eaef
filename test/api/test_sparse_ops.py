# SPDX-License-Identifier: Apache-2.0
"""Operations on sparse tensors against those on dense ones and against SciPy: values, and gradients
of two orders.
"""

import numpy as np
import paddle
import pytest
import scipy.sparse
from sparse_cases import batch, check_gradient, coo, csr, values

S = paddle.sparse
UNARY = "sin tan asin atan sinh tanh asinh atanh sqrt square log1p abs neg deg2rad rad2deg expm1"


@pytest.mark.parametrize("name", UNARY.split())
@pytest.mark.parametrize("make", [coo, csr])
def test_unary(name, make):
    x = make((4, 5), 8)
    inside = S.sin(x).detach()
    inside = S.abs(inside) if name == "sqrt" else inside
    inside.stop_gradient = False
    # Of dense tensors, the places without an element would have gradients of their own.
    got, want = getattr(S, name)(inside), getattr(paddle, name)(inside.values())
    np.testing.assert_array_equal(got.values().numpy(), want.numpy())
    assert got._pattern is inside._pattern
    (g,) = paddle.grad(got, inside, create_graph=True)
    (w,) = paddle.grad(want.sum(), inside, create_graph=True)
    np.testing.assert_array_equal(g.values().numpy(), w.values().numpy())


def test_other_unary():
    x = coo((4, 5), 8)
    assert S.isnan(x).dtype == paddle.bool and not S.isnan(x).values().numpy().any()
    check_gradient(lambda t: S.pow(t, 3) if t.is_sparse() else paddle.pow(t, 3), x)
    y = S.cast(x, "int32", "float32")
    assert (y.indices().dtype, y.dtype) == (paddle.int32, paddle.float32)
    assert S.cast(csr((3, 3), 4), "int64").crows().dtype == paddle.int64
    with pytest.raises(TypeError):
        S.cast(x, "float32")
    for wrong, error in ((paddle.ones([2]), NotImplementedError), (3, ValueError)):
        for function in (S.sin, S.coalesce, S.sum, S.nn.functional.relu, S.cast):
            with pytest.raises(error):
                function(wrong)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
@pytest.mark.parametrize("make", [coo, csr])
@pytest.mark.parametrize("other", [0, 1])
def test_binary(name, make, other):
    x, y = make((4, 5), 8), make((4, 5), 8, other)
    check_gradient(
        lambda a, b: getattr(S, name)(a, b), x, y, dense=lambda a, b: getattr(paddle, name)(a, b)
    )


def test_binary_of_dense_axes_and_repeated_places():
    x, y = coo((4, 5), 8, dense=(3,)), coo((4, 5), 6, 1, dense=(3,))
    check_gradient(S.add, x, y, dense=paddle.add)
    x = S.sparse_coo_tensor([[0, 0, 1], [1, 1, 2]], [1.0, 2.0, 3.0], [2, 3], stop_gradient=False)
    y = S.sparse_coo_tensor([[0, 1, 1], [1, 2, 2]], [5.0, 6.0, 7.0], [2, 3], stop_gradient=False)
    for name in ("add", "subtract", "multiply"):
        for a, b in ((x, y), (x, x)):
            got = getattr(S, name)(a, b).to_dense()
            want = getattr(paddle, name)(a.to_dense(), b.to_dense())
            np.testing.assert_allclose(got.numpy(), want.numpy())


@pytest.mark.parametrize("make", [coo, csr])
def test_divide(make):
    x, y = make((4, 5), 8), make((4, 5), 8, 1)
    got = S.divide(x, y)
    np.testing.assert_array_equal(got.to_dense().numpy(), (x.to_dense() / y.to_dense()).numpy())
    assert got.nnz() == 20
    whole = make((4, 5), 20, 3)
    check_gradient(S.divide, x, whole, dense=paddle.divide)
    assert S.divide(S.cast(x, None, "int64"), S.cast(y, None, "int64")).dtype == paddle.float32


def test_numbers_and_dense_operands():
    x, d = coo((4, 5), 8), paddle.to_tensor(values((4, 5)), stop_gradient=False)
    check_gradient(lambda a: S.multiply(a, 2.5), x, dense=lambda a: a * 2.5)
    check_gradient(lambda a: S.divide(a, 2.5), x, dense=lambda a: a / 2.5)
    check_gradient(S.add, x, d, dense=paddle.add)
    for wrong in (
        lambda: S.add(d, x),
        lambda: S.multiply(x, d),
        lambda: S.add(x, csr((4, 5), 3)),
        lambda: S.matmul(d, x),
    ):
        with pytest.raises(NotImplementedError):
            wrong()
    for wrong in (
        lambda: S.add(x, 2.0),
        lambda: S.add(x, coo((4, 6), 3)),
        lambda: S.add(x, coo((1, 5), 3)),
        lambda: S.add(x, coo((4,), 3, dense=(5,))),
    ):
        with pytest.raises(ValueError, match="expected"):
            wrong()


def scipy_of(x):
    at = x.to_sparse_coo(2).indices().numpy()
    return scipy.sparse.coo_matrix((x.values().numpy(), tuple(at)), x.shape)


@pytest.mark.parametrize("make", [coo, csr])
def test_matmul(make):
    x, y = make((4, 6), 9), make((6, 5), 11, 1)
    d = paddle.to_tensor(values((6, 3), 2), stop_gradient=False)
    v = paddle.to_tensor(values((6,), 3), stop_gradient=False)
    np.testing.assert_allclose(S.matmul(x, d).numpy(), scipy_of(x) @ d.numpy(), rtol=1e-12)
    product = S.matmul(x, y)
    np.testing.assert_allclose(
        product.to_dense().numpy(), (scipy_of(x) @ scipy_of(y)).toarray(), rtol=1e-12
    )
    assert product.is_sparse_csr() == x.is_sparse_csr()
    check_gradient(S.matmul, x, d, dense=paddle.matmul)
    check_gradient(S.matmul, x, y, dense=paddle.matmul)
    check_gradient(S.mv, x, v, dense=paddle.mv)
    check_gradient(S.matmul, x, v, dense=paddle.matmul)


def test_matmul_of_batches():
    x, y = batch((3, 4, 5)), batch((3, 5, 2), 1)
    d = paddle.to_tensor(values((3, 5, 2), 2), stop_gradient=False)
    check_gradient(S.matmul, x, d, dense=paddle.matmul)
    check_gradient(S.matmul, x, y, dense=paddle.matmul)
    z = coo((2, 3, 4, 5), 30)
    d = paddle.to_tensor(values((2, 3, 5, 2), 2), stop_gradient=False)
    check_gradient(S.matmul, z, d, dense=paddle.matmul)


def test_matmul_of_nothing():
    x = S.sparse_coo_tensor(paddle.zeros([2, 0], "int64"), paddle.zeros([0]), [3, 4])
    assert not S.matmul(x, paddle.ones([4, 2])).numpy().any()
    assert S.matmul(x, S.transpose(x, [1, 0])).nnz() == 0
    assert S.matmul(x.to_sparse_csr(), paddle.ones([4, 0])).shape == [3, 0]


def test_products_refuse():
    x = csr((4, 6), 9, dtype="float32")
    for wrong in (
        lambda: S.matmul(x, paddle.ones([4, 6])),
        lambda: S.matmul(x, paddle.ones([6, 2], "float64")),
        lambda: S.matmul(x, paddle.ones([2, 6, 2])),
        lambda: S.matmul(x, paddle.ones([])),
        lambda: S.matmul(x, x),
        lambda: S.matmul(coo((4,), 2, dense=(6,)), paddle.ones([6, 2], "float64")),
        lambda: S.mv(x, paddle.ones([6, 1])),
        lambda: S.mv(x, paddle.ones([4])),
        lambda: S.masked_matmul(paddle.ones([4, 2]), paddle.ones([2, 5]), x),
        lambda: S.mask_as(paddle.ones([4, 5]), x),
        lambda: S.addmm(paddle.ones([4]), x, paddle.ones([6, 2])),
    ):
        with pytest.raises(ValueError, match="expected"):
            wrong()


@pytest.mark.parametrize("make", [coo, csr])
def test_masked(make):
    mask = make((4, 5), 8)
    x = paddle.to_tensor(values((4, 3), 1), stop_gradient=False)
    y = paddle.to_tensor(values((3, 5), 2), stop_gradient=False)
    kept = (mask.to_dense() != 0).astype("float64")
    check_gradient(
        lambda a, b: S.masked_matmul(a, b, mask), x, y, dense=lambda a, b: (a @ b) * kept
    )
    d = paddle.to_tensor(values((4, 5), 3), stop_gradient=False)
    check_gradient(lambda a: S.mask_as(a, mask), d, dense=lambda a: a * kept)
    with pytest.raises(NotImplementedError):
        S.mask_as(mask, mask)


def test_masked_batches():
    mask = batch((3, 4, 5))
    x = paddle.to_tensor(values((3, 4, 2), 1), stop_gradient=False)
    y = paddle.to_tensor(values((3, 2, 5), 2), stop_gradient=False)
    kept = (mask.to_dense() != 0).astype("float64")
    check_gradient(
        lambda a, b: S.masked_matmul(a, b, mask), x, y, dense=lambda a, b: (a @ b) * kept
    )


@pytest.mark.parametrize("make", [coo, csr])
def test_addmm(make):
    x, y, s = make((4, 6), 9), make((6, 5), 11, 1), make((4, 5), 7, 2)
    i = paddle.to_tensor(values((4, 3), 3), stop_gradient=False)
    d = paddle.to_tensor(values((6, 3), 2), stop_gradient=False)

    def dense(a, b, c):
        return 0.5 * a + 2.0 * paddle.matmul(b, c)

    check_gradient(lambda a, b, c: S.addmm(a, b, c, 0.5, 2.0), i, x, d, dense=dense)
    check_gradient(lambda a, b, c: S.addmm(a, b, c, 0.5, 2.0), s, x, y, dense=dense)
    with pytest.raises(NotImplementedError):
        S.addmm(i, x, y)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, [0, 2], [0, 1, 2]])
@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dense", [(), (4,)])
def test_sum(axis, keepdim, dense):
    x = coo((3, 4, 5)[: 3 - len(dense)], 8, dense=dense)
    wanted = x.to_dense().sum(axis, keepdim=keepdim)
    got = S.sum(x, axis, keepdim=keepdim)
    assert got.to_dense().numel() == wanted.numel() and got.is_coalesced()
    check_gradient(
        lambda a: S.sum(a, axis, keepdim=keepdim),
        x,
        dense=lambda a: a.sum(axis, keepdim=keepdim).reshape(got.shape),
    )


def test_sum_of_csr():
    x, y = csr((4, 5), 8), batch((3, 4, 5))
    assert S.sum(x).shape == [1, 1] and S.sum(x, -1).shape == [4, 1]
    check_gradient(lambda a: S.sum(a, -1), x, dense=lambda a: a.sum(-1, keepdim=True))
    check_gradient(lambda a: S.sum(a), x, dense=lambda a: a.sum().reshape([1, 1]))
    check_gradient(lambda a: S.sum(a, -1), y, dense=lambda a: a.sum(-1))
    check_gradient(lambda a: S.sum(a, -1, keepdim=True), y, dense=lambda a: a.sum(-1, keepdim=True))
    assert S.sum(S.cast(x, None, "int32")).dtype == paddle.int64
    assert S.sum(x, dtype="float32").dtype == paddle.float32
    with pytest.raises(NotImplementedError):
        S.sum(x, 0)
    with pytest.raises(ValueError):
        S.sum(x, 2)


@pytest.mark.parametrize("perm", [[1, 0], [0, 1], [-1, 0]])
@pytest.mark.parametrize("make", [coo, csr])
def test_transpose(make, perm):
    x = make((4, 5), 8)
    axes = [a % 2 for a in perm]
    check_gradient(lambda a: S.transpose(a, perm), x, dense=lambda a: paddle.transpose(a, axes))


def test_transpose_of_more_axes():
    x = coo((2, 3, 4), 9, dense=(5, 6))
    check_gradient(
        lambda a: S.transpose(a, [2, 0, 1, 4, 3]),
        x,
        dense=lambda a: paddle.transpose(a, [2, 0, 1, 4, 3]),
    )
    for perm in ([0, 2, 1], [1, 0, 2], [2, 0, 1]):
        y = batch((3, 4, 5))
        check_gradient(
            lambda a, perm=perm: S.transpose(a, perm),
            y,
            dense=lambda a, perm=perm: paddle.transpose(a, perm),
        )
    for wrong in ([0, 1], [0, 0, 1, 3, 4], [0, 1, 3, 2, 4], [0, 1, 2, 3, 9], "a"):
        with pytest.raises((ValueError, TypeError)):
            S.transpose(x, wrong)


@pytest.mark.parametrize("shape", [[20], [-1, 2], [2, 5, 2], [0, -1], [1, 4, 5]])
def test_reshape(shape):
    x = coo((4, 5), 8)
    check_gradient(lambda a: S.reshape(a, shape), x, dense=lambda a: paddle.reshape(a, shape))
    y = csr((4, 5), 8)
    if len(shape) == 1:
        with pytest.raises(ValueError):
            S.reshape(y, shape)
    else:
        check_gradient(lambda a: S.reshape(a, shape), y, dense=lambda a: paddle.reshape(a, shape))


def test_reshape_of_dense_axes():
    x = coo((4, 5), 8, dense=(6,))
    for shape in ([20, 6], [4, 5, 2, 3], [2, 10, -1]):
        check_gradient(
            lambda a, shape=shape: S.reshape(a, shape),
            x,
            dense=lambda a, shape=shape: paddle.reshape(a, shape),
        )
    for shape in ([4, 30], [3, -1], [-1, -1], [1 << 62, 4, -1], [4, 5, 6, 0]):
        with pytest.raises(ValueError):
            S.reshape(x, shape)


@pytest.mark.parametrize(
    "axes, starts, ends",
    [([0], [1], [3]), ([0, 1], [-3, 1], [100, -1]), ([-1], [2], [3]), ([0], [4], [4])],
)
def test_slice(axes, starts, ends):
    for x in (coo((4, 5), 12), csr((4, 5), 12), coo((4,), 3, dense=(5,))):
        check_gradient(
            lambda a: S.slice(a, axes, starts, ends),
            x,
            dense=lambda a: paddle.slice(a, axes, starts, ends),
        )


def test_slice_refuses():
    x = coo((4, 5), 8)
    for axes, starts, ends in (([0], [0, 1], [1]), ([5], [0], [1]), ([0, 0], [0, 0], [1, 1])):
        with pytest.raises(ValueError):
            S.slice(x, axes, starts, ends)


@pytest.mark.parametrize("make", [coo, csr])
@pytest.mark.parametrize("center", [False, True])
def test_pca_lowrank(make, center):
    x = make((9, 5), 30)
    full = x.to_dense().numpy()
    full = full - full.mean(0) if center else full
    u, s, v = S.pca_lowrank(x, 5, center)
    np.testing.assert_allclose((u * s).numpy() @ v.numpy().T, full, atol=1e-9)
    np.testing.assert_allclose(s.numpy(), np.linalg.svd(full)[1], rtol=1e-9, atol=1e-9)
    assert [list(t.shape) for t in S.pca_lowrank(x, 2)] == [[9, 2], [2], [5, 2]]
    for wrong in (lambda: S.pca_lowrank(x, 6), lambda: S.pca_lowrank(paddle.ones([3, 3]))):
        with pytest.raises(ValueError, match="expected"):
            wrong()
