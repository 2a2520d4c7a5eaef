# SPDX-License-Identifier: Apache-2.0
"""Messages along the edges of a graph."""

import paddle
from paddle import _lazy
from paddle.base.framework import is_recorded
from paddle.base.libpaddle import expect_tensors

from .segment import reduce_rows

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


def _reduce(messages, x, dst_index, out_size, reduce_op):
    how = reduce_op.lower()
    as_recorded = is_recorded(dst_index) and how in ('sum', 'mean')
    at = dst_index if as_recorded else dst_index.numpy().reshape(-1)
    return reduce_rows(messages, at, _count(x, out_size), how)


def _count(x, out_size):
    if out_size is None:
        return x.shape[0]
    size = (
        int(out_size.numpy().reshape(-1)[0])
        if isinstance(out_size, paddle.Tensor)
        else int(out_size)
    )
    return size if size > 0 else x.shape[0]


def send_u_recv(x, src_index, dst_index, reduce_op='sum', out_size=None, name=None):
    """Reduce, at each destination, the features of the sources of its edges."""
    expect_tensors('send_u_recv', x=x, src_index=src_index, dst_index=dst_index)
    return _reduce(_rows(x, src_index), x, dst_index, out_size, reduce_op)


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
    return _reduce(messages, x, dst_index, out_size, reduce_op)


def send_uv(x, y, src_index, dst_index, message_op='add', name=None):
    """Combine, for each edge, features x of its source and y of its destination."""
    expect_tensors('send_uv', x=x, y=y, src_index=src_index, dst_index=dst_index)
    return _combine(_rows(x, src_index), _rows(y, dst_index), message_op.lower())


_lazy.serve(globals())
