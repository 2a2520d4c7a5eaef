# SPDX-License-Identifier: Apache-2.0
"""Sampling of neighbours in compressed column form, and renumbering of the nodes found."""

import numpy as np

import paddle
from paddle import _lazy
from paddle.base.libpaddle import expect_tensors

__all__ = ['sample_neighbors', 'weighted_sample_neighbors', 'reindex_graph', 'reindex_heter_graph']


def _sample(row, colptr, input_nodes, sample_size, eids, return_eids, weights):
    if return_eids and eids is None:
        raise ValueError("[sample_neighbors] expected eids for return_eids=True, got None")
    expect_tensors('sample_neighbors', row=row, colptr=colptr, input_nodes=input_nodes)
    rows, pointers, nodes = (
        row.numpy().reshape(-1),
        colptr.numpy().reshape(-1),
        input_nodes.numpy().reshape(-1),
    )
    rng = np.random.RandomState(int(paddle.randint(0, 2**31 - 1, [1]).numpy()[0]))
    picks, counts = [], []
    for node in nodes:
        edges = np.arange(pointers[node], pointers[node + 1])
        if 0 <= sample_size < len(edges):
            if weights is None:
                edges = rng.choice(edges, sample_size, replace=False)
            else:
                w = weights[edges].astype('float64')
                keys = np.log(rng.random_sample(len(edges)) + 1e-300) / np.maximum(w, 1e-300)
                edges = edges[np.argsort(-keys, kind='stable')[:sample_size]]
        picks.append(edges)
        counts.append(len(edges))
    at = np.concatenate(picks).astype('int64') if picks else np.zeros([0], 'int64')
    out = (paddle.to_tensor(rows[at]), paddle.to_tensor(np.array(counts, 'int32')))
    return out + (paddle.to_tensor(eids.numpy().reshape(-1)[at]),) if return_eids else out


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
    return _sample(row, colptr, input_nodes, sample_size, eids, return_eids, None)


def weighted_sample_neighbors(
    row, colptr, edge_weight, input_nodes, sample_size=-1, eids=None, return_eids=False, name=None
):
    """(neighbours, count of each node[, edge ids]), drawn without replacement in proportion to the
    edge weights.
    """
    expect_tensors('weighted_sample_neighbors', edge_weight=edge_weight)
    return _sample(
        row, colptr, input_nodes, sample_size, eids, return_eids, edge_weight.numpy().reshape(-1)
    )


def _reindex(x, neighbor_lists, counts):
    expect_tensors('reindex_graph', x=x)
    nodes = x.numpy().reshape(-1)
    number = {int(v): i for i, v in enumerate(nodes)}
    order = [int(v) for v in nodes]
    sources, targets = [], []
    for neighbors, count in zip(neighbor_lists, counts):
        expect_tensors('reindex_graph', neighbors=neighbors, count=count)
        for value in neighbors.numpy().reshape(-1):
            value = int(value)
            if value not in number:
                number[value] = len(order)
                order.append(value)
            sources.append(number[value])
        targets.append(np.repeat(np.arange(len(nodes)), count.numpy().reshape(-1)))
    dtype = nodes.dtype
    return (
        paddle.to_tensor(np.array(sources, dtype)),
        paddle.to_tensor(np.concatenate(targets).astype(dtype)),
        paddle.to_tensor(np.array(order, dtype)),
    )


def reindex_graph(x, neighbors, count, value_buffer=None, index_buffer=None, name=None):
    """Number the nodes x and their neighbours from 0: (edge sources, edge destinations, node of
    each number).
    """
    return _reindex(x, [neighbors], [count])


def reindex_heter_graph(x, neighbors, count, value_buffer=None, index_buffer=None, name=None):
    """`reindex_graph` over several kinds of edges, given as lists."""
    return _reindex(x, neighbors, count)


_lazy.serve(globals())
