# SPDX-License-Identifier: Apache-2.0
"""Sampling of neighbours in compressed column form, and renumbering of the nodes found."""

import paddle
from paddle import _C_ops, _lazy
from paddle.base.documentation import shares

__all__ = ['sample_neighbors', 'weighted_sample_neighbors', 'reindex_graph', 'reindex_heter_graph']


def sample_neighbors(
    row,
    colptr,
    input_nodes,
    sample_size=-1,
    eids=None,
    return_eids=False,
    perm_buffer=None,
    name=None,
):
    """Neighbours of nodes, at most `sample_size` each, drawn uniformly.

    Args:
        row (Tensor): Neighbours of all nodes, one node's after the other's.
        colptr (Tensor): Where those of each node begin, and the end.
        input_nodes (Tensor): The nodes.
        sample_size (int, default -1): How many at most; -1 for all.
        eids (Tensor, default None): The id of each edge.
        return_eids (bool, default False): Whether ids are returned too.
        perm_buffer (Tensor, default None): Taken for compatibility; it has no effect.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the neighbours, the count of each node, and with return_eids the ids.

    Examples:
        >>> row, colptr = paddle.to_tensor([1, 2, 0]), paddle.to_tensor([0, 2, 3, 3])
        >>> near, count = paddle.geometric.sample_neighbors(row, colptr, paddle.to_tensor([0, 1]))
        >>> near.tolist(), count.tolist()
        ([1, 2, 0], [2, 1])
    """
    out, count, out_eids = _C_ops.graph_sample_neighbors(
        row,
        colptr,
        input_nodes,
        eids,
        perm_buffer,
        sample_size,
        return_eids,
        perm_buffer is not None,
    )
    return (out, count, out_eids) if return_eids else (out, count)


def weighted_sample_neighbors(
    row, colptr, edge_weight, input_nodes, sample_size=-1, eids=None, return_eids=False, name=None
):
    """Neighbours of nodes, drawn without replacement in proportion to the edge weights.

    Args:
        row (Tensor): Neighbours of all nodes, one node's after the other's.
        colptr (Tensor): Where those of each node begin, and the end.
        edge_weight (Tensor): The weight of each edge.
        input_nodes (Tensor): The nodes.
        sample_size (int, default -1): How many at most; -1 for all.
        eids (Tensor, default None): The id of each edge.
        return_eids (bool, default False): Whether ids are returned too.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the neighbours, the count of each node, and with return_eids the ids.

    Examples:
        >>> row, colptr = paddle.to_tensor([1, 2, 0]), paddle.to_tensor([0, 2, 3, 3])
        >>> weight, nodes = paddle.to_tensor([1.0, 0.5, 2.0]), paddle.to_tensor([0, 1])
        >>> near, count = paddle.geometric.weighted_sample_neighbors(row, colptr, weight, nodes)
        >>> count.tolist()
        [2, 1]
    """
    out, count, out_eids = _C_ops.weighted_sample_neighbors(
        row, colptr, edge_weight, input_nodes, eids, sample_size, return_eids
    )
    return (out, count, out_eids) if return_eids else (out, count)


def reindex_graph(x, neighbors, count, value_buffer=None, index_buffer=None, name=None):
    """Number the nodes x and their neighbours from 0.

    Args:
        x (Tensor): Nodes, each once, int32 or int64.
        neighbors (Tensor): Their neighbours, one node's after the other's.
        count (Tensor): How many each node has, int32.
        value_buffer (Tensor, default None): Taken for compatibility; it has no effect.
        index_buffer (Tensor, default None): Taken for compatibility; it has no effect.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the sources of edges, their destinations, and the node of each number.

    Examples:
        >>> x, near = paddle.to_tensor([5, 7]), paddle.to_tensor([7, 9, 5])
        >>> count = paddle.to_tensor([2, 1], "int32")
        >>> [t.tolist() for t in paddle.geometric.reindex_graph(x, near, count)]
        [[1, 2, 0], [0, 0, 1], [5, 7, 9]]
    """
    return _C_ops.reindex_graph(x, neighbors, count, value_buffer, index_buffer)


@shares(reindex_graph)
def reindex_heter_graph(x, neighbors, count, value_buffer=None, index_buffer=None, name=None):
    """`reindex_graph` over several kinds of edges, given as lists.

    Args:
        x (Tensor): Nodes, each once, int32 or int64.
        neighbors (list of Tensors): Their neighbours by edges of each kind.
        count (list of Tensors): How many each node has, int32.
        {value_buffer, index_buffer, name}

    Returns:
        tuple of Tensors: the sources of edges, their destinations, and the node of each number.

    Examples:
        >>> x, near = paddle.to_tensor([5, 7]), [paddle.to_tensor([7, 5]), paddle.to_tensor([9, 5])]
        >>> count = [paddle.to_tensor([1, 1], "int32")] * 2
        >>> [t.tolist() for t in paddle.geometric.reindex_heter_graph(x, near, count)]
        [[1, 0, 2, 0], [0, 1, 0, 1], [5, 7, 9]]
    """
    return reindex_graph(
        x, paddle.concat(neighbors), paddle.concat(count), value_buffer, index_buffer
    )


_lazy.serve(globals())
