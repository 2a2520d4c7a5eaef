# SPDX-License-Identifier: Apache-2.0
"""What ranks do for test_rules.py: operations on distributed tensors, placed at random, against the
same on whole ones.
"""

import itertools
import pathlib
import random
import sys
import traceback

import numpy as np
from placed import check, distributed, numbers, ways, ways_without_partial
from rule_forms import COMPOSED, FUNCTIONS, ROWS_OF_FORMS, call, written
from rule_rows import ROWS

import paddle
import paddle.distributed as dist
from paddle.base import core
from paddle.distributed.auto_parallel.static.dist_attribute import DistTensorSpec, TensorDistAttr

sys.path.append(str(pathlib.Path(__file__).parents[1] / 'ops'))
import harness  # noqa: E402


def elements():
    """Calls of elementwise operations, whose operands have shapes that meet."""
    for row in harness.load_rows():
        dtype = 'float32' if 'float32' in harness.dtypes(row) else harness.dtypes(row)[0]
        shapes = [(4, 6) if i == 0 else (6,) for i in range(len(row['tensors']))]
        yield row['op'], harness.function(row), harness.inputs(row, dtype, shapes)


def rows():
    """All calls: of operations, and under names that follow from those."""
    plain = [*elements(), *ROWS, *ROWS_OF_FORMS]
    return [*plain, *written(plain)]


def operands(name, given):
    seeds = itertools.count(sum(name.encode()))
    return [numbers(g, next(seeds)) if isinstance(g, tuple) else g for g in given]


def places(mesh, array):
    """The ways to place an operand; truth values are not summed up."""
    every = [place for (place,) in ways(mesh, array.ndim)]
    whole = array.dtype == bool
    return [place for place in every if not (whole and any(p.is_partial() for p in place))]


def values(function):
    """The results of a call that have numbers."""

    def call(*tensors):
        results = function(*tensors)
        many = isinstance(results, (list, tuple))
        return [r for r in results if r is not None] if many else results

    return call


def operations(grid, tries):
    """Every row, on some of the ways to place its operands."""
    ranks = np.arange(dist.get_world_size())
    mesh = dist.ProcessMesh(ranks.reshape([int(n) for n in grid.split('x')]).tolist())
    failed = []
    for name, function, given in rows():
        arrays = operands(name, given)
        every = [places(mesh, a) for a in arrays]
        draw = random.Random(name + grid)
        chosen = [[draw.choice(way) for way in every] for _ in range(int(tries))]
        try:
            check(values(function), arrays, mesh, chosen)
        except Exception:
            failed.append(f'{name}: {traceback.format_exc(limit=-3)}')
    assert not failed, '\n'.join(failed)


def placements(attr, mesh):
    """What a TensorDistAttr says, as placements."""
    placed = [dist.Replicate() for _ in mesh.shape]
    for dim, axis in enumerate(attr.dims_mapping):
        if axis >= 0:
            placed[axis] = dist.Shard(dim)
    for axis in attr._partial_dims():
        placed[axis] = dist.Partial()
    return placed


def spec(array, mesh, place):
    attr = TensorDistAttr()
    attr.process_mesh = mesh
    attr.dims_mapping = [
        next((i for i, p in enumerate(place) if p.is_shard(d)), -1) for d in range(array.ndim)
    ]
    return DistTensorSpec(list(array.shape), attr)


def answer(name, given, attrs, arrays, mesh, draw):
    """Operands that lie as the rule asks give results that lie as it says."""
    whole = [dist.Replicate() for _ in mesh.shape]
    placed = iter([draw.choice([p for (p,) in ways_without_partial(mesh, a.ndim)]) for a in arrays])
    left = iter(arrays)
    specs, count = [], 0
    for one in given:
        if one is None and any(o is not None for o in given[len(specs) :]):
            return
        if one is None:
            break
        many = isinstance(one, list)
        found = []
        for _ in one if many else [one]:
            place = next(placed)
            twice = [d for d in range(9) if sum(p.is_shard(d) for p in place) > 1]
            found.append(spec(next(left), mesh, whole if twice else place))
        specs.append(found if many else found[0])
        count += len(found)
    rest = [p for p in attrs if not isinstance(p, paddle.base.core.Place)]
    asked, said = core.get_phi_spmd_rule(name).infer_forward(*specs, *rest)
    asked = [a for one in asked for a in (one if isinstance(one, list) else [one])]
    tensors = [
        distributed(a, mesh, placements(asked[i], mesh) if i < count else whole)
        for i, a in enumerate(arrays)
    ]
    made = call(name, given, attrs)[1](*tensors)
    for attr, t in zip(said, made):
        got, want = t.placements, placements(attr, mesh)
        # A partial result is not made where gathering operands moves less.
        fits = [
            p.is_partial() or p.is_replicated() if w.is_partial() else str(p) == str(w)
            for p, w in zip(got, want)
        ]
        assert all(fits), f'asked {[a.dims_mapping for a in asked]}, {got} not {want}'


def answers(grid, tries):
    """What rules say when they are asked is where the results of calls lie."""
    ranks = np.arange(dist.get_world_size())
    mesh = dist.ProcessMesh(ranks.reshape([int(n) for n in grid.split('x')]).tolist())
    failed = []
    for name, given, attrs in [*FUNCTIONS, *COMPOSED]:
        if name == 'item':  # of no operation
            continue
        arrays = operands(name, call(name, given, attrs)[2])
        draw = random.Random(name + grid)
        try:
            for _ in range(int(tries)):
                answer(name, given, attrs, arrays, mesh, draw)
        except Exception:
            failed.append(f'{name}: {traceback.format_exc(limit=-2)}')
    assert not failed, '\n'.join(failed)
