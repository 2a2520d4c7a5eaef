# SPDX-License-Identifier: Apache-2.0
"""Sampling of neighbours in compressed column form, and renumbering of the nodes found."""

import paddle
from paddle import _C_ops, _lazy

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
    """(neighbours, count of each node[, edge ids]) of `input_nodes`, at most `sample_size` each,
    uniformly.
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
    """(neighbours, count of each node[, edge ids]), drawn without replacement in proportion to the
    edge weights.
    """
    out, count, out_eids = _C_ops.weighted_sample_neighbors(
        row, colptr, edge_weight, input_nodes, eids, sample_size, return_eids
    )
    return (out, count, out_eids) if return_eids else (out, count)


def reindex_graph(x, neighbors, count, value_buffer=None, index_buffer=None, name=None):
    """Number the nodes x and their neighbours from 0: (edge sources, edge destinations, node of
    each number).
    """
    return _C_ops.reindex_graph(x, neighbors, count, value_buffer, index_buffer)


def reindex_heter_graph(x, neighbors, count, value_buffer=None, index_buffer=None, name=None):
    """`reindex_graph` over several kinds of edges, given as lists."""
    return reindex_graph(
        x, paddle.concat(neighbors), paddle.concat(count), value_buffer, index_buffer
    )


_lazy.serve(globals())
