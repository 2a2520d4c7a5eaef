# SPDX-License-Identifier: Apache-2.0
"""Masked softmax, the loss marker, and the graph functions under their older names and argument
orders.
"""

import paddle
from paddle import _lazy, geometric
from paddle.base.arguments import items
from paddle.base.libpaddle import expect_tensors

__all__ = [
    'softmax_mask_fuse',
    'softmax_mask_fuse_upper_triangle',
    'identity_loss',
    'graph_send_recv',
    'graph_sample_neighbors',
    'graph_reindex',
    'graph_khop_sampler',
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


def graph_khop_sampler(
    row, colptr, input_nodes, sample_sizes, sorted_eids=None, return_eids=False, name=None
):
    """The graph of at most sample_sizes[i] neighbours of each node found in step i, starting with
    `input_nodes`: (edge sources [edges, 1], edge destinations [edges, 1], node of each number,
    number of each input node[, edge ids]).

    A node's neighbours are sampled once, in the step after the one that found it.
    """
    expect_tensors('graph_khop_sampler', row=row, colptr=colptr, input_nodes=input_nodes)
    if return_eids and sorted_eids is None:
        raise ValueError("[graph_khop_sampler] expected sorted_eids for return_eids=True, got None")
    sizes = items('graph_khop_sampler', 'sample_sizes', sample_sizes)
    if not sizes or not input_nodes.size:
        raise ValueError(
            f"[graph_khop_sampler] expected sample_sizes and input_nodes, got {sizes} and "
            f"{input_nodes.size} nodes"
        )
    row, colptr, nodes = (t.reshape([-1]) for t in (row, colptr, input_nodes))
    if return_eids:
        expect_tensors('graph_khop_sampler', sorted_eids=sorted_eids)
    eids = sorted_eids.reshape([-1]) if return_eids else None
    found, seen = [], nodes
    for size in sizes:
        sampled = geometric.sample_neighbors(row, colptr, nodes, size, eids, return_eids)
        found.append((nodes, *sampled))
        none = paddle.zeros([seen.shape[0] - 1], 'int32')
        counts = paddle.concat([none, paddle.full([1], sampled[0].shape[0], 'int32')])
        known, seen = seen.shape[0], geometric.reindex_graph(seen, sampled[0], counts)[2]
        nodes = seen[known:]
    x, neighbours, counts, *ids = (paddle.concat(parts) for parts in zip(*found))
    source, target, every = geometric.reindex_graph(x, neighbours, counts)
    start = paddle.arange(input_nodes.size, dtype=row.dtype)
    result = source.unsqueeze(-1), target.unsqueeze(-1), every, start
    return (*result, *ids)


_lazy.serve(globals())
