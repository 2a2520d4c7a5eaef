# SPDX-License-Identifier: Apache-2.0
"""Masked softmax, the loss marker, and the graph functions under their older names and argument
orders.
"""

import paddle
from paddle import _lazy, geometric
from paddle.base.libpaddle import expect_tensors

__all__ = [
    'softmax_mask_fuse',
    'softmax_mask_fuse_upper_triangle',
    'identity_loss',
    'graph_send_recv',
    'graph_sample_neighbors',
    'graph_reindex',
]


def softmax_mask_fuse(x, mask, name=None):
    """softmax(x + mask) over the last axis: x [B, heads, S, T], mask [B, 1, S, T]."""
    return paddle.nn.functional.softmax(x + mask, axis=-1)


def softmax_mask_fuse_upper_triangle(x):
    """Softmax over the last axis of x [B, heads, S, S] without the entries above the diagonal,
    which become 0.
    """
    expect_tensors('softmax_mask_fuse_upper_triangle', x=x)
    rows, columns = x.shape[-2], x.shape[-1]
    hidden = paddle.triu(paddle.ones([rows, columns], dtype='bool'), 1)
    lowest = paddle.full([], float('-inf'), x.dtype)
    return paddle.nn.functional.softmax(paddle.where(hidden, lowest, x), axis=-1)


def identity_loss(x, reduction='none'):
    """`x` as a loss: its 'sum' (0), 'mean' (1) or itself, 'none' (2). TypeError for another
    reduction.
    """
    if reduction in ('sum', 0):
        return paddle.sum(x)
    if reduction in ('mean', 1):
        return paddle.mean(x)
    if reduction in ('none', 2):
        return paddle.assign(x)
    raise TypeError(
        f"[identity_loss] expected reduction 'sum', 'mean', 'none', 0, 1 or 2, got {reduction!r}"
    )


def graph_send_recv(x, src_index, dst_index, pool_type='sum', out_size=None, name=None):
    """`paddle.geometric.send_u_recv`; ValueError for a pool_type that is not sum, mean, max or
    min.
    """
    if pool_type not in ('sum', 'mean', 'max', 'min'):
        raise ValueError(
            f"[graph_send_recv] expected pool_type 'sum', 'mean', 'max' or 'min', got {pool_type!r}"
        )
    return geometric.send_u_recv(x, src_index, dst_index, pool_type, out_size)


def graph_sample_neighbors(
    row,
    colptr,
    input_nodes,
    eids=None,
    perm_buffer=None,
    sample_size=-1,
    return_eids=False,
    flag_perm_buffer=False,
    name=None,
):
    """`paddle.geometric.sample_neighbors`; ValueError when `eids` or `perm_buffer` are asked for
    and not given.
    """
    if return_eids and eids is None:
        raise ValueError("[graph_sample_neighbors] expected eids for return_eids=True, got None")
    if flag_perm_buffer and perm_buffer is None:
        raise ValueError(
            "[graph_sample_neighbors] expected perm_buffer for flag_perm_buffer=True, got None"
        )
    return geometric.sample_neighbors(
        row,
        colptr,
        input_nodes,
        sample_size,
        eids,
        return_eids,
        perm_buffer if flag_perm_buffer else None,
    )


def graph_reindex(
    x,
    neighbors,
    count,
    value_buffer=None,
    index_buffer=None,
    flag_buffer_hashtable=False,
    name=None,
):
    """`paddle.geometric.reindex_graph`; ValueError when buffers are asked for and not given."""
    if flag_buffer_hashtable and (value_buffer is None or index_buffer is None):
        raise ValueError(
            "[graph_reindex] expected value_buffer and index_buffer for "
            "flag_buffer_hashtable=True, got None"
        )
    return geometric.reindex_graph(x, neighbors, count, value_buffer, index_buffer)


_lazy.serve(globals())
