# SPDX-License-Identifier: Apache-2.0
"""Masked softmax, the loss marker, and the graph functions under their older names and argument
orders.
"""

import paddle
from paddle import _lazy, geometric
from paddle.base.arguments import items
from paddle.base.libpaddle import expect_tensors
from paddle.tensor.manipulation import extents
from paddle.utils.deprecated import deprecated, moved

__all__ = [
    'softmax_mask_fuse',
    'softmax_mask_fuse_upper_triangle',
    'identity_loss',
    'graph_send_recv',
    'graph_sample_neighbors',
    'graph_reindex',
    'graph_khop_sampler',
    'segment_sum',
    'segment_mean',
    'segment_max',
    'segment_min',
]

segment_sum = moved(geometric.segment_sum, __name__, '2.4.0')
segment_mean = moved(geometric.segment_mean, __name__, '2.4.0')
segment_max = moved(geometric.segment_max, __name__, '2.4.0')
segment_min = moved(geometric.segment_min, __name__, '2.4.0')


def softmax_mask_fuse(x, mask, name=None):
    """softmax(x + mask) over the last axis.

    Args:
        x (Tensor): Scores, of shape [batch, heads, queries, keys].
        mask (Tensor): What is added, of shape [batch, 1, queries, keys].
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: as x.

    Examples:
        >>> x = paddle.zeros([1, 1, 1, 4])
        >>> mask = paddle.to_tensor([[[[0.0, 0.0, -1e9, -1e9]]]])
        >>> paddle.incubate.softmax_mask_fuse(x, mask).tolist()
        [[[[0.5, 0.5, 0.0, 0.0]]]]
    """
    return paddle.nn.functional.softmax(x + mask, axis=-1)


def softmax_mask_fuse_upper_triangle(x):
    """Softmax over the last axis without the entries above the diagonal, which become 0.

    Args:
        x (Tensor): Scores, of shape [batch, heads, length, length].

    Returns:
        Tensor: as x.

    Examples:
        >>> paddle.incubate.softmax_mask_fuse_upper_triangle(paddle.zeros([1, 1, 2, 2])).tolist()
        [[[[1.0, 0.0], [0.5, 0.5]]]]
    """
    expect_tensors('softmax_mask_fuse_upper_triangle', x=x)
    rows, columns = x.shape[-2], x.shape[-1]
    hidden = paddle.triu(paddle.ones([rows, columns], dtype='bool'), 1)
    lowest = paddle.full([], float('-inf'), x.dtype)
    return paddle.nn.functional.softmax(paddle.where(hidden, lowest, x), axis=-1)


def identity_loss(x, reduction='none'):
    """A tensor as a loss: its sum, its mean, or itself.

    Args:
        x (Tensor): The tensor.
        reduction (str or int, default 'none'): `sum` or 0, `mean` or 1, `none` or 2.

    Returns:
        Tensor: the loss.

    Raises:
        TypeError: Another reduction.

    Examples:
        >>> x = paddle.to_tensor([1.0, 3.0])
        >>> paddle.incubate.identity_loss(x, reduction="mean").item()
        2.0
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


@deprecated('paddle.geometric.send_u_recv', '2.4.0', level=1)
def graph_send_recv(x, src_index, dst_index, pool_type='sum', out_size=None, name=None):
    """Reduce, at each destination, the features of the sources of its edges.

    An older name of `paddle.geometric.send_u_recv`.

    Args:
        x (Tensor): Features of the nodes, of shape [nodes, ...].
        src_index (Tensor): The source of each edge, int32 or int64.
        dst_index (Tensor): The destination of each edge, of the dtype of src_index.
        pool_type (str, default 'sum'): `sum`, `mean`, `max` or `min`.
        out_size (int or Tensor, default None): How many rows the result has; None or 0 for those of
            x.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the features at the destinations, 0 where no edge ends.

    Raises:
        ValueError: Another pool_type.

    Examples:
        >>> x = paddle.to_tensor([[1.0], [2.0], [4.0]])
        >>> src, dst = paddle.to_tensor([0, 1, 2]), paddle.to_tensor([1, 1, 0])
        >>> paddle.incubate.graph_send_recv(x, src, dst).tolist()
        [[4.0], [3.0], [0.0]]
    """
    if pool_type not in ('sum', 'mean', 'max', 'min'):
        raise ValueError(
            f"[graph_send_recv] expected pool_type 'sum', 'mean', 'max' or 'min', got {pool_type!r}"
        )
    return geometric.send_u_recv(x, src_index, dst_index, pool_type, out_size)


@deprecated('paddle.geometric.sample_neighbors', '2.4.0', level=1)
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
    """Some of the neighbours of each node, drawn at random.

    An older form of `paddle.geometric.sample_neighbors`.

    Args:
        row (Tensor): The neighbours of node 0, of node 1 and so on, int32 or int64.
        colptr (Tensor): Where the neighbours of each node begin in row, and the end.
        input_nodes (Tensor): The nodes.
        eids (Tensor, default None): The id of each edge, as row has them.
        perm_buffer (Tensor, default None): Memory for drawing.
        sample_size (int, default -1): How many neighbours of a node are drawn at most; -1 for all.
        return_eids (bool, default False): Whether ids of edges are returned.
        flag_perm_buffer (bool, default False): Whether perm_buffer is used.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the neighbours, how many each node has, and with return_eids the ids of
            their edges.

    Raises:
        ValueError: eids or perm_buffer are asked for and not given.

    Examples:
        >>> row = paddle.to_tensor([1, 2, 0])
        >>> colptr = paddle.to_tensor([0, 2, 3, 3])
        >>> nodes = paddle.to_tensor([0, 1])
        >>> found, count = paddle.incubate.graph_sample_neighbors(row, colptr, nodes)
        >>> found.tolist(), count.tolist()
        ([1, 2, 0], [2, 1])
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


@deprecated('paddle.geometric.reindex_graph', '2.4.0', level=1)
def graph_reindex(
    x,
    neighbors,
    count,
    value_buffer=None,
    index_buffer=None,
    flag_buffer_hashtable=False,
    name=None,
):
    """The nodes of a sampled graph, numbered from 0 in the order in which they occur.

    An older form of `paddle.geometric.reindex_graph`.

    Args:
        x (Tensor): Nodes.
        neighbors (Tensor): The neighbours of the first node, of the second and so on.
        count (Tensor): How many neighbours each node has, int32.
        value_buffer (Tensor, default None): Memory for the table of numbers.
        index_buffer (Tensor, default None): Memory for the table of numbers.
        flag_buffer_hashtable (bool, default False): Whether the buffers are used.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the source and the destination of each edge by the new numbers, and the
            node of each number.

    Raises:
        ValueError: Buffers are asked for and not given.

    Examples:
        >>> x, neighbors = paddle.to_tensor([7, 3]), paddle.to_tensor([3, 9, 7])
        >>> out = paddle.incubate.graph_reindex(x, neighbors, paddle.to_tensor([2, 1], "int32"))
        >>> [part.tolist() for part in out]
        [[1, 2, 0], [0, 0, 1], [7, 3, 9]]
    """
    if flag_buffer_hashtable and (value_buffer is None or index_buffer is None):
        raise ValueError(
            "[graph_reindex] expected value_buffer and index_buffer for "
            "flag_buffer_hashtable=True, got None"
        )
    return geometric.reindex_graph(x, neighbors, count, value_buffer, index_buffer)


def graph_khop_sampler(
    row, colptr, input_nodes, sample_sizes, sorted_eids=None, return_eids=False, name=None
):
    """The graph of some neighbours of nodes, of their neighbours, and so on.

    A node's neighbours are drawn once, in the step after the one that found it.

    Args:
        row (Tensor): The neighbours of node 0, of node 1 and so on, int32 or int64.
        colptr (Tensor): Where the neighbours of each node begin in row, and the end.
        input_nodes (Tensor): The nodes to begin with.
        sample_sizes (list of ints): How many neighbours of a node are drawn at most in each step;
            -1 for all.
        sorted_eids (Tensor, default None): The id of each edge, as row has them.
        return_eids (bool, default False): Whether ids of edges are returned.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the source and the destination of each edge by new numbers, of shape
            [edges, 1], the node of each number, the number of each of input_nodes, and with
            return_eids the ids of the edges.

    Raises:
        ValueError: sorted_eids are asked for and not given, or there are no sample_sizes or
            input_nodes.

    Examples:
        >>> row, colptr = paddle.to_tensor([1, 2, 0]), paddle.to_tensor([0, 1, 2, 3])
        >>> start = paddle.to_tensor([0])
        >>> out = paddle.incubate.graph_khop_sampler(row, colptr, start, [1, 1])
        >>> [part.tolist() for part in out]
        [[[1], [2]], [[0], [1]], [0, 1, 2], [0]]
    """
    expect_tensors('graph_khop_sampler', row=row, colptr=colptr, input_nodes=input_nodes)
    if return_eids and sorted_eids is None:
        raise ValueError("[graph_khop_sampler] expected sorted_eids for return_eids=True, got None")
    sizes = items('graph_khop_sampler', 'sample_sizes', sample_sizes)
    if not sizes or 0 in input_nodes.shape:
        raise ValueError(
            f"[graph_khop_sampler] expected sample_sizes and input_nodes, got {sizes} and nodes "
            f"of shape {list(input_nodes.shape)}"
        )
    row, colptr, nodes = (t.reshape([-1]) for t in (row, colptr, input_nodes))
    if return_eids:
        expect_tensors('graph_khop_sampler', sorted_eids=sorted_eids)
    eids = sorted_eids.reshape([-1]) if return_eids else None
    found, seen = [], nodes
    for size in sizes:
        sampled = geometric.sample_neighbors(row, colptr, nodes, size, eids, return_eids)
        found.append((nodes, *sampled))
        (known,) = extents(seen)
        none = paddle.zeros([known - 1], 'int32')
        counts = paddle.concat([none, paddle.full([1], extents(sampled[0])[0], 'int32')])
        nodes = paddle.sort(geometric.reindex_graph(seen, sampled[0], counts)[2][known:])
        seen = paddle.concat([seen, nodes])
    x, neighbours, counts, *ids = (paddle.concat(parts) for parts in zip(*found))
    source, target, every = geometric.reindex_graph(x, neighbours, counts)
    start = paddle.arange(extents(input_nodes.reshape([-1]))[0], dtype=row.dtype)
    result = source.unsqueeze(-1), target.unsqueeze(-1), every, start
    return (*result, *ids)


_lazy.serve(globals())
