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
from placed import check, numbers, ways
from rule_rows import ROWS

import paddle.distributed as dist

sys.path.append(str(pathlib.Path(__file__).parents[1] / 'ops'))
import harness  # noqa: E402


def elements():
    """Calls of elementwise operations, whose operands have shapes that meet."""
    for row in harness.load_rows():
        dtype = 'float32' if 'float32' in harness.dtypes(row) else harness.dtypes(row)[0]
        shapes = [(4, 6) if i == 0 else (6,) for i in range(len(row['tensors']))]
        yield row['op'], harness.function(row), harness.inputs(row, dtype, shapes)


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
    for name, function, given in [*elements(), *ROWS]:
        arrays = operands(name, given)
        every = [places(mesh, a) for a in arrays]
        draw = random.Random(name + grid)
        chosen = [[draw.choice(way) for way in every] for _ in range(int(tries))]
        try:
            check(values(function), arrays, mesh, chosen)
        except Exception:
            failed.append(f'{name}: {traceback.format_exc(limit=-3)}')
    assert not failed, '\n'.join(failed)
