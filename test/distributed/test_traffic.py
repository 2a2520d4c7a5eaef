# SPDX-License-Identifier: Apache-2.0
"""The bytes that moves between placements take, against the least that any way of moving takes."""

import itertools
from collections import defaultdict

import numpy as np
from placed import boxes

import paddle.distributed as dist
from paddle.base import libpaddle
from paddle.distributed import Partial, Replicate, Shard


def parts(shape, mesh, placements):
    """For each process: which elements of the tensor it has."""
    rows = []
    for i in range(mesh.size):
        mask = np.zeros(shape, bool)
        for here, _ in boxes(shape, mesh, placements, i):
            mask[here] = True
        rows.append(mask.ravel())
    return np.array(rows)


def least(shape, mesh, source, target):
    """Elements received, at least. Of k terms whose sum t processes want, k - 1 arrive somewhere
    to be added, and the sum arrives at the t processes but the one where the last addition was. Of
    a sum that becomes partial, only one process of those it is divided over needs it. Partial axes
    that stay are apart from each other.
    """
    axes = range(mesh.ndim)
    have, want = parts(shape, mesh, source), parts(shape, mesh, target)
    place = [np.unravel_index(i, mesh.shape) for i in range(mesh.size)]
    kept = [a for a in axes if source[a].is_partial() and target[a].is_partial()]
    summed = [a for a in axes if source[a].is_partial() and a not in kept]
    others = [a for a in axes if not target[a].is_partial() or a in kept]
    total = 0
    for line in itertools.product(*(range(mesh.shape[a]) for a in kept)):
        terms, wanting = set(), defaultdict(list)
        for i in range(mesh.size):
            if tuple(place[i][a] for a in kept) == line:
                terms.add(tuple(place[i][a] for a in summed))
                wanting[tuple(place[i][a] for a in others)].append(i)
        wanted = np.array([want[c].any(0) for c in wanting.values()])
        present = np.array([(want[c] & have[c]).any(0) for c in wanting.values()])
        if len(terms) == 1:
            total += (wanted & ~present).sum()
        else:
            elsewhere = ~(wanted & present).any(0)
            messages = len(terms) - 1 + wanted.sum(0) - 1 + elsewhere
            total += messages[wanted.any(0)].sum()
    return int(total)


def random_moves():
    """Bytes planned for 1,000 moves, the least, and how many moves take at most a tenth more."""
    random = np.random.RandomState(0)
    planned = bound = near = 0
    for _ in range(1000):
        shape = [(8,), (2, 4), (4, 2), (2, 2, 2)][random.randint(4)]
        mesh = dist.ProcessMesh(np.arange(8).reshape(shape))
        rank = random.randint(1, 4)
        extents = random.randint([0, 4000, 60, 24][rank], [0, 9000, 120, 40][rank], rank).tolist()
        kinds = [Replicate(), Partial(), *[Shard(d) for d in range(rank)]]
        source, target = ([kinds[random.randint(len(kinds))] for _ in shape] for _ in range(2))
        bytes_ = [libpaddle._bytes_received(extents, 4, mesh, source, target, i) for i in range(8)]
        fewest = least(extents, mesh, source, target) * 4
        # Shares of n parts are rounded down to bytes.
        assert sum(bytes_) >= fewest - 8, (shape, extents, source, target)
        near += sum(bytes_) <= 1.1 * fewest
        planned += sum(bytes_)
        bound += fewest
    return planned, bound, near


def test_traffic_of_random_moves():
    planned, bound, near = random_moves()
    # The others: sums along an axis of the tensor that another axis of the mesh divides.
    assert planned <= 1.02 * bound and near >= 930, (planned / bound, near)
