# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors: creation, conversion, printing, gradients, and what is refused."""

import copy
import pickle

import numpy as np
import paddle
import pytest
from sparse_cases import batch, coo, csr

S = paddle.sparse
INDICES, VALUES = [[0, 1, 2], [1, 2, 0]], [1.0, 2.0, 3.0]


def small(**more):
    return S.sparse_coo_tensor(INDICES, VALUES, [3, 4], **more)


def small_csr(**more):
    return S.sparse_csr_tensor([0, 2, 3, 5], [1, 3, 2, 0, 1], [1.0, 2, 3, 4, 5], [3, 4], **more)


def test_coo_as_paddlepaddle_prints_it():
    assert repr(small()) == (
        "Tensor(shape=[3, 4], dtype=paddle.float32, place=Place(cpu), stop_gradient=True, \n"
        "       indices=[[0, 1, 2],\n"
        "                [1, 2, 0]], \n"
        "       values=[1., 2., 3.])"
    )
    assert str(small_csr()) == (
        "Tensor(shape=[3, 4], dtype=paddle.float32, place=Place(cpu), stop_gradient=True, \n"
        "       crows=[0, 2, 3, 5], \n"
        "       cols=[1, 3, 2, 0, 1], \n"
        "       values=[1., 2., 3., 4., 5.])"
    )


def test_what_it_is():
    c, r, d = small(), small_csr(), paddle.ones([2, 3])
    for x in (c, r):
        assert isinstance(x, paddle.Tensor) and paddle.is_tensor(x)
        assert x.shape == [3, 4] and x.ndim == x.dim() == 2 and x.size == 12 and len(x) == 3
        assert x.is_sparse() and not x.is_dense() and x.dtype == paddle.float32
        assert (x.sparse_dim(), x.dense_dim()) == (2, 0) and x.stop_gradient and x.is_leaf
    assert (c.is_sparse_coo(), c.is_sparse_csr()) == (True, False)
    assert (r.is_sparse_coo(), r.is_sparse_csr()) == (False, True)
    assert (d.sparse_dim(), d.dense_dim(), d.is_sparse()) == (0, 2, False)
    assert c.nnz() == 3 and r.nnz() == 5 and S.is_same_shape(c, r) and c.is_same_shape(r)
    assert not S.is_same_shape(c, d)
    assert c.indices().tolist() == INDICES and c.values().tolist() == VALUES
    assert r.crows().tolist() == [0, 2, 3, 5] and r.cols().tolist() == [1, 3, 2, 0, 1]
    for wrong in (c.crows, c.cols, r.indices):
        with pytest.raises(SystemError):
            wrong()


def test_shape_is_the_least_that_holds_the_indices():
    assert S.sparse_coo_tensor(INDICES, VALUES).shape == [3, 3]
    assert S.sparse_coo_tensor([[0, 2]], [[1.0, 2], [3, 4]]).shape == [3, 2]
    assert S.sparse_csr_tensor([0, 2, 3], [1, 3, 2], [1, 2, 3]).shape == [2, 4]


def test_dtypes():
    assert S.sparse_coo_tensor(INDICES, [1, 2, 3]).dtype == paddle.int64
    assert small(dtype="float64").dtype == paddle.float64
    at = np.array(INDICES, "int32")
    x = S.sparse_coo_tensor(at, np.array([1, 2, 3], "int32"))
    assert x.indices().dtype == paddle.int32 and x.dtype == paddle.int32
    assert x.coalesce().indices().dtype == x.to_sparse_csr().cols().dtype == paddle.int32
    assert S.sparse_coo_tensor(INDICES, [1 + 2j, 2, 3]).dtype == paddle.complex64


def test_repeated_places_are_added_up():
    x = S.sparse_coo_tensor([[2, 1, 2], [1, 2, 1]], VALUES, [3, 4], stop_gradient=False)
    assert not x.is_coalesced()
    y = x.coalesce()
    assert y.is_coalesced() and y.indices().tolist() == [[1, 2], [2, 1]]
    assert y.values().tolist() == [2.0, 4.0]
    assert x.to_dense().tolist() == y.to_dense().tolist()
    (y.values() * paddle.to_tensor([5.0, 7.0])).sum().backward()
    assert x.grad.values().tolist() == [7.0, 5.0, 7.0]
    assert S.coalesce(y) is y
    with pytest.raises(NotImplementedError):
        S.coalesce(small_csr())


@pytest.mark.parametrize("x", [coo((4, 5, 3), 20), coo((4, 5), 7, dense=(2,)), csr((6, 4), 9)])
def test_round_trips(x):
    dense = x.to_dense()
    again = dense.to_sparse_coo(x.sparse_dim())
    assert again.dense_dim() == x.dense_dim()
    np.testing.assert_array_equal(again.to_dense().numpy(), dense.numpy())
    if x.dense_dim() == 0:
        rows = x.to_sparse_csr()
        np.testing.assert_array_equal(rows.to_dense().numpy(), dense.numpy())
        back = rows.to_sparse_coo(2)
        np.testing.assert_array_equal(back.to_dense().numpy(), dense.numpy())
    weight = paddle.rand(dense.shape, "float64")
    (dense * weight).sum().backward()
    at = tuple(x.to_sparse_coo(x.sparse_dim()).indices().numpy())
    np.testing.assert_allclose(x.grad.values().numpy(), weight.numpy()[at])
    assert x.grad.is_sparse_coo() == x.is_sparse_coo()


def test_batches_of_csr():
    x = S.sparse_csr_tensor([0, 1, 1, 0, 1, 2], [1, 0, 1], VALUES, [2, 2, 2])
    assert x.to_dense().tolist() == [[[0, 1], [0, 0]], [[2, 0], [0, 3]]]
    assert x.to_sparse_coo(3).indices().tolist() == [[0, 1, 1], [0, 0, 1], [1, 0, 1]]
    y = batch((3, 4, 5))
    assert y.to_dense().to_sparse_csr().crows().tolist() == y.crows().tolist()


def test_gradients_of_values():
    x = small(stop_gradient=False)
    y = S.sin(x)
    assert not y.stop_gradient and not y.is_leaf and x.is_leaf and y.grad_fn is not None
    y.backward()
    np.testing.assert_allclose(x.grad.values().numpy(), np.cos(VALUES), rtol=1e-6)
    assert x.grad is x.grad and x.grad.is_sparse_coo() and x.grad.shape == [3, 4]
    S.sin(x).backward()
    np.testing.assert_allclose(x.grad.values().numpy(), 2 * np.cos(VALUES), rtol=1e-6)
    x.clear_grad()
    assert x.grad.values().tolist() == [0, 0, 0]
    x.clear_gradient(False)
    assert x.grad is None
    y = S.sin(x)
    y.backward(S.sparse_coo_tensor(INDICES, [2.0, 3.0, 4.0], [3, 4]))
    np.testing.assert_allclose(x.grad.values().numpy(), np.cos(VALUES) * [2, 3, 4], rtol=1e-6)


def test_gradients_reach_the_values_given():
    v = paddle.to_tensor(VALUES, stop_gradient=False)
    S.square(S.sparse_coo_tensor(INDICES, v, [3, 4], stop_gradient=False)).backward()
    assert v.grad.tolist() == [2, 4, 6]
    v.clear_gradient(False)
    assert S.sparse_coo_tensor(INDICES, v, [3, 4]).stop_gradient
    assert S.square(S.sparse_csr_tensor([0, 1, 2], [0, 1], v[:2], [2, 2])).stop_gradient
    fresh = S.sparse_coo_tensor(INDICES, paddle.to_tensor(VALUES), [3, 4], stop_gradient=False)
    S.square(fresh).backward()
    assert fresh.grad.values().tolist() == [2, 4, 6]


def test_grad_of_any_order():
    x = small(stop_gradient=False)
    (g,) = paddle.grad(S.sin(x), x, create_graph=True)
    (h,) = paddle.grad(g, [x], create_graph=True)
    (k,) = paddle.grad(h.to_dense().sum(), x)
    assert k.is_sparse_coo()
    np.testing.assert_allclose(k.values().numpy(), -np.cos(VALUES), rtol=1e-5)
    other = small(stop_gradient=False)
    assert paddle.grad(S.sin(x), [x, other], allow_unused=True)[1] is None
    seed = S.sparse_coo_tensor(INDICES, [2.0, 2.0, 2.0], [3, 4])
    (g,) = paddle.grad(S.sin(x), x, seed)
    np.testing.assert_allclose(g.values().numpy(), 2 * np.cos(VALUES), rtol=1e-6)
    paddle.autograd.backward([S.sin(x)], [seed])
    np.testing.assert_allclose(x.grad.values().numpy(), 2 * np.cos(VALUES), rtol=1e-6)


def test_hooks_see_sparse_gradients():
    x, seen = small(stop_gradient=False), []
    handle = x.register_hook(lambda g: seen.append(g) or g * 2)
    S.square(x).backward()
    assert seen[0].is_sparse_coo() and x.grad.values().tolist() == [4, 8, 12]
    handle.remove()
    y = S.square(x)
    y.retain_grads()
    S.square(y).backward()
    assert y.grad.is_sparse_coo() and y.grad.values().tolist() == [2, 8, 18]


def test_wrong_gradients_are_refused():
    x = small(stop_gradient=False)
    with pytest.raises(NotImplementedError):
        S.sin(x).backward(paddle.ones([3, 4]))
    with pytest.raises(ValueError, match="other elements"):
        S.sin(x).backward(S.sparse_coo_tensor([[0, 1, 2], [1, 2, 1]], VALUES, [3, 4]))
    with pytest.raises(ValueError, match="shape"):
        x.grad = S.sparse_coo_tensor(INDICES, VALUES, [3, 5])


@pytest.mark.parametrize("make", [small, small_csr])
def test_copies(make):
    x = make(stop_gradient=False)
    for y in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), copy.copy(x), x.clone(), x.cpu()):
        assert repr(y.detach()) == repr(x.detach()) and not y.stop_gradient
    assert x.detach().stop_gradient and not x.stop_gradient


def test_no_elements():
    x = S.sparse_coo_tensor(paddle.zeros([2, 0], "int64"), paddle.zeros([0]), [3, 2])
    assert x.nnz() == 0 and x.coalesce().nnz() == 0 and not x.to_dense().numpy().any()
    assert x.to_sparse_csr().crows().tolist() == [0, 0, 0, 0]
    assert "values=[]" in repr(x)
    none = paddle.zeros([0], "int64")
    y = S.sparse_csr_tensor(paddle.zeros([3], "int64"), none, paddle.zeros([0]), [2, 4])
    assert y.to_dense().shape == [2, 4] and y.to_sparse_coo(2).nnz() == 0
    assert paddle.zeros([0, 3]).to_sparse_coo(2).shape == [0, 3]
    assert paddle.zeros([2, 3]).to_sparse_csr().nnz() == 0


@pytest.mark.parametrize(
    "arguments, error",
    [
        (([[0, 1], [1, 2]], [1.0]), ValueError),
        (([0, 1], [1.0, 2.0]), ValueError),
        (([[0, 1]], 1.0), ValueError),
        (([[0.5, 1.0]], [1.0, 2.0]), TypeError),
        (([[True, False]], [1.0, 2.0]), TypeError),
        (([[0, 3]], [1.0, 2.0], [3]), ValueError),
        (([[0, -1]], [1.0, 2.0], [3]), ValueError),
        (([[0, -1]], [1.0, 2.0]), ValueError),
        (([[0, 1]], [1.0, 2.0], [3, 3]), ValueError),
        (([[0, 1]], [[1.0], [2.0]], [3, 2]), ValueError),
        (([[0, 1]], [1.0, 2.0], [-3]), ValueError),
        (([[0, 1]], [1.0, 2.0], [3.5]), TypeError),
        (([[0, 1], [0, 1]], [1.0, 2.0], [1 << 40, 1 << 40]), ValueError),
        (("a", [1.0]), (TypeError, ValueError)),
    ],
)
def test_coo_refuses(arguments, error):
    with pytest.raises(error, match="expected"):
        S.sparse_coo_tensor(*arguments)


@pytest.mark.parametrize(
    "crows, cols, shape, error",
    [
        ([0, 2, 3, 4], [1, 3, 2, 0, 1], [3, 4], ValueError),
        ([0, 2, 1, 5], [1, 3, 2, 0, 1], [3, 4], ValueError),
        ([1, 2, 3, 5], [1, 3, 2, 0, 1], [3, 4], ValueError),
        ([0, 2, 3, 5], [1, 3, 2, 0, 9], [3, 4], ValueError),
        ([0, 2, 3, 5], [1, 3, 2, 0, -1], [3, 4], ValueError),
        ([0, 2, 3, 5], [1, 3, 2, 0], [3, 4], ValueError),
        ([0, 2, 5], [1, 3, 2, 0, 1], [3, 4], ValueError),
        ([0, 2, 3, 5], [1, 3, 2, 0, 1], [4], ValueError),
        ([[0, 2, 3, 5]], [1, 3, 2, 0, 1], [3, 4], ValueError),
        ([0, 2, 3, 5], [1, 3, 2, 0, 1], [3, 1 << 62], ValueError),
        ([0.0, 2, 3, 5], [1, 3, 2, 0, 1], [3, 4], TypeError),
    ],
)
def test_csr_refuses(crows, cols, shape, error):
    with pytest.raises(error, match="expected"):
        S.sparse_csr_tensor(crows, cols, [1.0, 2, 3, 4, 5], shape)


def test_conversions_refuse():
    with pytest.raises(ValueError):
        paddle.ones([2, 2]).to_sparse_coo(0)
    with pytest.raises(ValueError):
        paddle.ones([2, 2]).to_sparse_coo(3)
    with pytest.raises(ValueError):
        paddle.ones([2]).to_sparse_csr()
    with pytest.raises(ValueError):
        coo((2, 2), 2, dense=(2,)).to_sparse_csr()


def test_dense_functions_refuse_sparse_tensors():
    x, d = small(), paddle.ones([3, 4])
    for call in (
        lambda: paddle.sin(x),
        lambda: paddle.add(d, x),
        lambda: d + x,
        lambda: paddle.concat([x, x]),
        lambda: paddle.matmul(d, x),
        lambda: np.asarray(x),
        lambda: bool(x),
        lambda: x == x,
        lambda: paddle.nn.Linear(4, 2)(x),
        lambda: d[x],
        lambda: paddle.where(x, x, x),
    ):
        with pytest.raises((TypeError, ValueError, NotImplementedError, AssertionError)):
            call()


def test_operators():
    x, y = small(), S.sparse_coo_tensor([[0, 0], [1, 3]], [5.0, 7.0], [3, 4])
    a, b = x.to_dense(), y.to_dense()
    for got, want in (
        (x + y, a + b),
        (x - y, a - b),
        (x * y, a * b),
        (x * 2, a * 2),
        (2 * x, a * 2),
        (x / 2, a / 2),
        (-x, -a),
        (abs(-x), a),
        (x**2, a**2),
        (x.sin(), a.sin()),
        (x.transpose([1, 0]), a.T),
        (x @ paddle.ones([4, 2]), a @ paddle.ones([4, 2])),
    ):
        np.testing.assert_allclose(got.to_dense().numpy(), want.numpy(), rtol=1e-6)


def test_names():
    for module in (S, S.nn, S.nn.functional):
        for name in module.__all__:
            assert callable(getattr(module, name)) and getattr(module, name).__name__ == name
            assert (getattr(module, name).__doc__ or "").strip()


def test_what_is_derived_in_a_program_stays_there():
    x = small(stop_gradient=False)
    program = paddle.jit.to_static(lambda d: S.matmul(S.sin(x), d), full_graph=True)
    d = paddle.rand([4, 2])
    for _ in range(2):
        np.testing.assert_allclose(program(d).numpy(), (x.to_dense().sin() @ d).numpy(), rtol=1e-6)
    assert x.coalesce().indices().tolist() == INDICES


@pytest.mark.parametrize('full_graph', [False, True])
@pytest.mark.parametrize('name', ['given', 'kept', 'made', 'returned', 'loss', 'gradient', 'named'])
def test_compiled_functions_that_meet_sparse_tensors(full_graph, name):
    """They do what they do uncompiled, also with other sparse tensors."""

    def sparse_of(factor):
        x = paddle.sparse.sparse_coo_tensor(INDICES, [factor, 2.0, 3.0], [3, 3])
        x.stop_gradient = False
        return x

    def named(s, d):
        s.name = s.name + '_'
        return d * 2

    functions = {
        'given': lambda s, d: paddle.sparse.matmul(s, d) * 2,
        'kept': lambda s, d: paddle.sparse.matmul(kept[0], d) * 2,
        'made': lambda s, d: (d * 2).to_sparse_coo(2).to_dense() @ d,
        'returned': lambda s, d: paddle.sparse.nn.functional.relu(s),
        'loss': lambda s, d: (s.values() * 2).sum() + paddle.sparse.matmul(s, d).sum(),
        'gradient': lambda s, d: d if s.grad is None else s.grad.values().sum() + d,
        'named': named,
    }
    kept, function = [None], functions[name]
    seen = []
    for run in (function, paddle.jit.to_static(function, full_graph=full_graph)):
        seen.append([])
        for factor in (1.0, -3.0):
            kept[0], d = sparse_of(factor), paddle.to_tensor([[factor, 0.0, 1.0]] * 3)
            for _ in range(4):
                result = run(kept[0], d)
                parts = [result.to_dense() if result.is_sparse() else result]
                if not parts[0].stop_gradient:
                    parts[0].sum().backward()
                elif name == 'gradient':
                    paddle.sparse.matmul(kept[0], d).sum().backward()
                if kept[0].grad is not None:
                    parts.append(kept[0].grad.values())
                seen[-1].append([p.tolist() for p in parts] + [kept[0].name.count('_')])
    assert seen[0] == seen[1]


def test_functions_of_sparse_tensors_run_as_programs():
    x, d = paddle.sparse.sparse_coo_tensor(INDICES, [1.0, 2.0, 3.0], [3, 3]), paddle.ones([3, 2])
    compiled = paddle.jit.to_static(lambda x, d: paddle.sparse.matmul(x.sin(), d) * 2)
    for _ in range(3):
        compiled(x, d)
    assert compiled._compiled_runs() > 0


def test_methods_of_other_forms():
    dense = paddle.ones([2])
    for name, error in (
        ('coalesce', NotImplementedError),
        ('values', NotImplementedError),
        ('nnz', SystemError),
        ('indices', SystemError),
        ('crows', SystemError),
        ('cols', SystemError),
        ('is_coalesced', TypeError),
    ):
        with pytest.raises(error, match='got a dense tensor'):
            getattr(dense, name)()
    with pytest.raises(TypeError, match='got a CSR one'):
        small_csr().is_coalesced()
    assert paddle.Tensor.nnz(small()) == 3
    assert dense.get_selected_rows() is None and small().get_selected_rows() is None


def test_reconstruct_from():
    x = paddle.ones([3], 'int64')
    weight = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    name, made = x.name, weight * 3
    x.reconstruct_from_(made)
    assert x.name == name and x.dtype == made.dtype and x.tolist() == [3, 6]
    x.sum().backward()
    assert weight.grad.tolist() == [3, 3] and not x.stop_gradient
    leaf = paddle.zeros([1])
    leaf.stop_gradient = False
    leaf.reconstruct_from_(paddle.ones([2]))
    assert leaf.stop_gradient and leaf.tolist() == [1, 1]
    with pytest.raises(ValueError, match='got list'):
        leaf.reconstruct_from_([1.0])
