# SPDX-License-Identifier: Apache-2.0
"""Activations of the stored elements, and softmax over them."""

import paddle
import paddle.nn.functional as dense
from paddle import _C_ops
from paddle.base.arguments import integer

from ...pattern import arange, count_of, gather, keys_of, segment_sum
from ...tensor import expect_sparse
from ...unary import on_values

__all__ = ['leaky_relu', 'relu', 'relu6', 'softmax']

relu = on_values('relu', dense.relu, 'paddle.sparse.nn.functional')
relu6 = on_values('relu6', dense.relu6, 'paddle.sparse.nn.functional')


def leaky_relu(x, negative_slope=0.01, name=None):
    """`paddle.nn.functional.leaky_relu` of the stored elements of a sparse tensor.

    Args:
        x (Tensor): A sparse tensor.
        negative_slope (float, default 0.01): The slope left of zero.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a sparse tensor with its elements at the same places.

    Examples:
        >>> x = paddle.to_tensor([[-1.0, 9.0]]).to_sparse_coo(2)
        >>> paddle.sparse.nn.functional.leaky_relu(x, 0.5).to_dense().tolist()
        [[-0.5, 9.0]]
    """
    expect_sparse('leaky_relu', x)
    return x._with(dense.leaky_relu(x._values, negative_slope))


def segment_softmax(values, segments, count):
    """Softmax within each segment."""
    edges = arange(count_of(values))
    top = _C_ops.send_u_recv(values.detach(), edges, segments, 'MAX', [count])
    high = paddle.exp(values - gather(top, segments))
    return high / gather(segment_sum(high, segments, count), segments)


def softmax(x, axis=-1, name=None):
    """Softmax over the stored elements along an axis; what is not stored takes no part.

    Args:
        x (Tensor): A sparse tensor of floating numbers.
        axis (int, default -1): The axis; in CSR form the last one.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a sparse tensor with its elements at the same places.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 0.0, 1.0]]).to_sparse_csr()
        >>> paddle.sparse.nn.functional.softmax(x).to_dense().tolist()
        [[0.5, 0.0, 0.5]]
    """
    p = expect_sparse('softmax', x)._pattern
    rank, axis = len(p.shape), integer('softmax', 'axis', axis)
    if not x.is_floating_point():
        raise ValueError(f'[softmax] expected x of floating numbers, got {x.dtype}')
    if not -rank <= axis < rank:
        raise ValueError(f'[softmax] expected an axis from {-rank} to {rank - 1}, got {axis}')
    axis %= rank
    if p.form == 'csr' and axis != rank - 1:
        raise NotImplementedError(f'[softmax] expected axis -1 for a sparse CSR tensor, got {axis}')
    if axis >= p.sparse_dim:
        return x._with(dense.softmax(x._values, axis - p.sparse_dim + 1))
    others = [a for a in range(p.sparse_dim) if a != axis]
    if others:
        keys = keys_of([p.rows[a] for a in others], [p.shape[a] for a in others])
        keys, segments = paddle.unique(keys, return_inverse=True)
        count = count_of(keys)
    else:
        segments, count = paddle.zeros([p.nnz], 'int64'), 1
    return x._with(segment_softmax(x._values, segments, count))
