# SPDX-License-Identifier: Apache-2.0
"""Names of `paddle._C_ops` that follow from a table (`paddle._op_table`): the values and the order
of arguments are PaddlePaddle's."""

import inspect

import numpy as np
import pytest

import paddle
from paddle import _C_ops, _op_table

t = paddle.to_tensor
X = t([[0.5, -1.5, 2.5], [1.0, 0.25, -0.75]])
G = t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def listed(value):
    return [v.tolist() for v in value] if isinstance(value, (list, tuple)) else value.tolist()


@pytest.mark.parametrize('name', sorted(_op_table.names()))
def test_every_row_makes_a_function(name):
    function = getattr(_C_ops, name)
    assert callable(function) and inspect.signature(function).parameters


@pytest.mark.parametrize(
    'call, expected',
    [
        (lambda: _C_ops.rint(t([0.5, 1.5, 2.5, -0.5])), [0, 2, 2, 0]),
        (lambda: _C_ops.nansum(t([[1.0, float('nan')]]), [1], paddle.float32, True), [[1.0]]),
        (lambda: _C_ops.variance(t([[1.0, 3.0]]), [1], False), [1.0]),
        (lambda: _C_ops.std(t([[1.0, 3.0]]), [], True, False, 0.0), [[1.0]]),
        (lambda: _C_ops.l1_norm(X), 6.5),
        (lambda: _C_ops.hinge_loss(t([[0.5], [0.5]]), t([[0.0], [1.0]])), [[1.5], [0.5]]),
        (lambda: _C_ops.partial_concat([X, G], -2, 1), [[-1.5, 2.0], [0.25, 5.0]]),
        (lambda: _C_ops.partial_sum([X, G], 0, 2), [[1.5, 0.5], [5.0, 5.25]]),
        (lambda: _C_ops.shard_index(t([[1], [16]]), 20, 2, 0, -1), [[1], [-1]]),
        (lambda: _C_ops.index_select_strided(G, 1, 1), [2.0, 5.0]),
        (lambda: _C_ops.trunc_divide(t([-7.0]), t([2.0])), [-3.0]),
        (lambda: _C_ops.view_slice(G, 1, 2), [[4.0, 5.0, 6.0]]),
        (lambda: _C_ops.einsum([X, G], 'ij,ij->i')[0], [5.0, 0.75]),
        (lambda: _C_ops.transpose_grad(G, [1, 0]), [[1, 4], [2, 5], [3, 6]]),
        (lambda: _C_ops.split_grad([X, G], 0)[3], [4.0, 5.0, 6.0]),
        (lambda: _C_ops.unbind_grad([t([1.0]), t([2.0])], 1), [[1.0, 2.0]]),
        (lambda: _C_ops.real_grad(t([2.0])), [2 + 0j]),
        (lambda: _C_ops.imag_grad(t([2.0])), [2j]),
        (lambda: _C_ops.label_smooth_grad(t([2.0]), 0.25), [1.5]),
        (lambda: _C_ops.scatter_grad(t([1]), G[:1], G, True)[0], [[1, 2, 3], [0, 0, 0]]),
        (lambda: _C_ops.scatter_grad(t([1]), G[:1], G, True)[1], [[4.0, 5.0, 6.0]]),
        (lambda: _C_ops.cast_grad(X, G.astype('float64')), [[1, 2, 3], [4, 5, 6]]),
        (lambda: _C_ops.concat_grad([X, X], paddle.concat([G, 2 * G]), 0)[1][0], [2, 4, 6]),
        (lambda: _C_ops.reshape_grad(X, G.reshape([3, 2])), [[1, 2, 3], [4, 5, 6]]),
        (lambda: _C_ops.dot_grad(X[0], G[0], t(2.0))[0], [2.0, 4.0, 6.0]),
        (lambda: _C_ops.dot_grad(X[0], G[0], t(2.0))[1], [1.0, -3.0, 5.0]),
        (lambda: _C_ops.trace_grad(X, t(2.0), 0, 0, 1), [[2, 0, 0], [0, 2, 0]]),
        (
            lambda: _C_ops.dropout_grad(
                t([[1, 0, 1]], dtype='uint8'), G[:1], t(0.5), False, 'upscale_in_train'
            ),
            [[2.0, 0.0, 6.0]],
        ),
    ],
)
def test_values(call, expected):
    np.testing.assert_allclose(np.array(listed(call())), np.array(expected), rtol=1e-6)


def test_gradients_have_gradients():
    x, y = t([2.0, 3.0], stop_gradient=False), t([4.0, 5.0], stop_gradient=False)
    seed = t(1.0, stop_gradient=False)
    by_x, _ = _C_ops.dot_grad(x, y, seed)
    (again,) = paddle.grad(by_x.sum(), y)
    assert again.tolist() == [1.0, 1.0]


def test_written_into_the_gradient():
    seed = t([1.0, 1.0])
    result = _C_ops.relu_grad_(t([0.0, 2.0]), seed)
    assert result is seed and seed.tolist() == [0.0, 1.0]
    assert _C_ops.tanh_grad_(t([0.5]), t([2.0])).tolist() == [1.5]


def test_written_into_the_first_argument():
    x = t([1.0, -2.0])
    assert _C_ops.pow_(x, 2.0) is x and x.tolist() == [1.0, 4.0]
    x = t([0.0, 0.0])
    _C_ops.softmax_(x, -1)
    assert x.tolist() == [0.5, 0.5]
    x = t([True, True])
    assert _C_ops.logical_and_(x, t([True, False])) is x and x.tolist() == [True, False]


class TestSparse:
    def coo(self):
        return paddle.sparse.sparse_coo_tensor([[0, 1], [1, 2]], [0.25, 0.5], [2, 3])

    def test_values_and_gradients(self):
        x = self.coo()
        assert _C_ops.sparse_square(x).values().tolist() == [0.0625, 0.25]
        grad = _C_ops.sparse_square_grad(x, x)
        assert grad.is_sparse() and grad.values().tolist() == [0.125, 0.5]
        assert _C_ops.sparse_leaky_relu(-x, 0.5).values().tolist() == [-0.125, -0.25]
        dense = _C_ops.sparse_to_dense_grad(x, paddle.ones([2, 3]))
        assert dense.values().tolist() == [1.0, 1.0]
        both = _C_ops.sparse_add_grad(x, x, x)
        assert [g.values().tolist() for g in both] == [[0.25, 0.5]] * 2
        assert _C_ops.sparse_transpose(x, [1, 0]).shape == [3, 2]

    def test_absent_ones_are_absent(self):
        assert not hasattr(_C_ops, 'sparse_nothing') and not hasattr(_C_ops, 'nothing_grad_')


@pytest.mark.parametrize(
    'call, expected',
    [
        (lambda L: L.mul(X, G.t(), 'x_num_col_dims', 1), [[5.0, 9.5], [-0.75, 0.75]]),
        (lambda L: L.range(t([0]), t([5]), t([2])), [0, 2, 4]),
        (lambda L: L.top_k(X, 'k', 1)[1], [[2], [0]]),
        (lambda L: L.take_along_axis(X, t([[0, 1, 0]]), 'Axis', 0), [[0.5, 0.25, 2.5]]),
        (lambda L: L.transpose(G, 'axis', [1, 0]), [[1, 4], [2, 5], [3, 6]]),
        (lambda L: L.expand(G[:1, :2], None, 'expand_times', [2, 1]), [[1, 2], [1, 2]]),
        (lambda L: L.lookup_table(G, t([[1]]), 'padding_idx', -1), [[4.0, 5.0, 6.0]]),
        (lambda L: L.crop_tensor(G, None, None, 'shape', [1, 2], 'offsets', [1, 1]), [[5, 6]]),
        (lambda L: L.tril_triu(G, 'diagonal', 0, 'lower', True), [[1, 0, 0], [4, 5, 0]]),
        (lambda L: L.partial_sum([X, G], 'start_index', 1, 'length', 1), [[0.5], [5.25]]),
        (lambda L: L.identity_loss(G, 'reduction', 0), 21.0),
        (lambda L: L.reduce_as(G, G[0]), [5.0, 7.0, 9.0]),
        (lambda L: L.trunc_divide(t([-7.0]), t([2.0])), [-3.0]),
    ],
)
def test_old_names(call, expected):
    found = listed(call(paddle._legacy_C_ops))
    np.testing.assert_allclose(np.array(found), np.array(expected), rtol=1e-6)
