# SPDX-License-Identifier: Apache-2.0
"""Messages along the edges of a graph."""

import paddle
from paddle import _C_ops, _lazy
from paddle.base.libpaddle import expect_tensors
from paddle.tensor.manipulation import extents

__all__ = ['send_u_recv', 'send_ue_recv', 'send_uv']


def _rows(x, index):
    return paddle.gather(x, index.astype('int64').reshape([-1]), axis=0)


def _combine(a, b, message_op):
    if message_op == 'add':
        return a + b
    if message_op == 'sub':
        return a - b
    if message_op == 'mul':
        return a * b
    if message_op == 'div':
        return a / b
    raise ValueError(
        f"[geometric] expected message_op 'add', 'sub', 'mul' or 'div', got {message_op!r}"
    )


def _reduction(reduce_op):
    if reduce_op.lower() not in ('sum', 'mean', 'min', 'max'):
        raise ValueError(
            f"[geometric] expected reduce_op 'sum', 'mean', 'min' or 'max', got {reduce_op!r}"
        )
    return reduce_op.upper()


def _size(out_size):
    """As the operation wants it: 0 where there is none."""
    if out_size is None:
        return [0]
    if isinstance(out_size, paddle.Tensor):
        return out_size.astype('int64').reshape([1])
    return [int(out_size)]


def send_u_recv(x, src_index, dst_index, reduce_op='sum', out_size=None, name=None):
    """Reduce, at each destination, the features of the sources of its edges."""
    expect_tensors('send_u_recv', x=x, src_index=src_index, dst_index=dst_index)
    return _C_ops.send_u_recv(x, src_index, dst_index, _reduction(reduce_op), _size(out_size))


def _aligned(node, edge):
    """Edge features with as many dimensions as node features."""
    while edge.ndim < node.ndim:
        edge = edge.unsqueeze(-1)
    return edge


def send_ue_recv(
    x, y, src_index, dst_index, message_op='add', reduce_op='sum', out_size=None, name=None
):
    """Combine source features with edge features y, and reduce at the destinations."""
    expect_tensors('send_ue_recv', x=x, y=y, src_index=src_index, dst_index=dst_index)
    rows = _rows(x, src_index)
    messages = _combine(rows, _aligned(rows, y), message_op.lower())
    size = _size(out_size)
    if not isinstance(size, paddle.Tensor) and size[0] <= 0:
        size = extents(x)[:1]
    edges = paddle.arange(0, extents(messages)[0], dtype=dst_index.dtype)
    return _C_ops.send_u_recv(messages, edges, dst_index, _reduction(reduce_op), size)


def send_uv(x, y, src_index, dst_index, message_op='add', name=None):
    """Combine, for each edge, features x of its source and y of its destination."""
    expect_tensors('send_uv', x=x, y=y, src_index=src_index, dst_index=dst_index)
    return _combine(_rows(x, src_index), _rows(y, dst_index), message_op.lower())


_lazy.serve(globals())
