# SPDX-License-Identifier: Apache-2.0
"""Distributed tensors of tests: made in all ways, compared with whole ones."""

import itertools

import numpy as np

import paddle
import paddle.distributed as dist
from paddle.base import libpaddle
from paddle.distributed import Partial, Replicate, Shard


def boxes(shape, mesh, placements, index):
    """The boxes that a process of the mesh has: slices of the tensor, and of its part."""
    for first, extents, at in libpaddle._boxes_of(list(shape), mesh, placements, index):
        yield tuple(tuple(slice(a, a + n) for a, n in zip(v, extents)) for v in (first, at))


def own(value, mesh, placements):
    """The part of this process; None where it has nothing."""
    found = list(boxes(value.shape, mesh, placements, mesh.process_ids.index(dist.get_rank())))
    if not found:
        return None
    extents = np.max([[s.stop for s in there] for _, there in found], axis=0)
    part = np.full(extents, np.nan, value.dtype)
    for here, there in found:
        part[there] = value[here]
    return part


def numbers(shape, seed=0):
    return np.asarray(np.random.RandomState(seed).randn(*shape), 'float32')


def distributed(value, mesh, placements):
    """`value` as a distributed tensor: a partial one sums up to it."""
    whole = [Replicate() if p.is_partial() else p for p in placements]
    t = dist.shard_tensor(paddle.to_tensor(value), mesh, whole)
    return dist.reshard(t, mesh, placements) if whole != placements else t


def every_placement(ndim, rank):
    kinds = [Replicate(), Partial(), *[Shard(i) for i in range(rank)]]
    return [list(p) for p in itertools.product(kinds, repeat=ndim)]


def check(function, values, mesh, choices):
    """`function` on tensors placed in each of the given ways, and its gradients."""
    dense = [paddle.to_tensor(v, stop_gradient=v.dtype != np.float32) for v in values]
    want = function(*dense)
    want = want if isinstance(want, (list, tuple)) else [want]
    weights = [numbers(w.shape, 7) for w in want]
    differentiable = [not w.stop_gradient and w.dtype != paddle.bool for w in want]

    def backward(results):
        terms = zip(results, weights, differentiable)
        total = sum((r * paddle.to_tensor(g)).sum() for r, g, counts in terms if counts)
        if any(differentiable):
            total.backward()

    backward(want)
    for placements in choices:
        given = []
        for v, p in zip(values, placements):
            given.append(distributed(v, mesh, p))
            given[-1].stop_gradient = v.dtype != np.float32
        got = function(*given)
        got = got if isinstance(got, (list, tuple)) else [got]
        where = f'{placements} -> {[g.placements for g in got]}'
        for g, w in zip(got, want):
            assert g.is_dist() and g.shape == w.shape, (where, g.shape, w.shape)
            np.testing.assert_allclose(g.numpy(), w.numpy(), rtol=2e-5, atol=2e-5, err_msg=where)
        backward(got)
        for t, d in zip(given, dense):
            assert (t.grad is None) == (d.grad is None), where
            if d.grad is not None:
                np.testing.assert_allclose(
                    t.grad.numpy(), d.grad.numpy(), rtol=2e-5, atol=2e-5, err_msg=where
                )


def ways(mesh, *ranks):
    """All ways to place tensors of these ranks."""
    return itertools.product(*(every_placement(mesh.ndim, r) for r in ranks))


def ways_without_partial(mesh, *ranks):
    for way in ways(mesh, *ranks):
        if not any(p.is_partial() for one in way for p in one):
            yield way
