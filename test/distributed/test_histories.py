# SPDX-License-Identifier: Apache-2.0
"""Which results have a history must not depend on the process: the gradient of a move between
meshes is communication, in which all processes take part or none.
"""

import os
import sys

import paddle
import paddle.distributed as dist
from paddle.distributed.auto_parallel.process_mesh import fake_world

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import gradient_recipes  # noqa: E402

# They go on behind the call.
LATER = ('paddle.async_save',)


def _made(tensor, mesh, stop_gradient):
    place = [dist.Replicate() for _ in mesh.shape]
    return dist.shard_tensor(tensor.detach(), mesh, place, stop_gradient=stop_gradient)


def _histories(call, tensors, wanted, rank):
    """Which of the results have a history on a process that is, or is not, the mesh; None where
    the call is refused.
    """
    with fake_world(0, 2):
        mesh = dist.ProcessMesh([rank], ['x'])
        try:
            given = [_made(t, mesh, i != wanted) for i, t in enumerate(tensors)]
            paddle.seed(1)
            results = call(*given)
        except Exception:  # of any kind: the other process is asked too
            return None
        results = filter(gradient_recipes.is_differentiable, results)
        return [not t.stop_gradient for t in results if t.is_dist()]


def test_of_every_function(tmp_path, monkeypatch):
    """What has a part of the operands, and what has none, judge alike."""
    monkeypatch.chdir(tmp_path)
    wrong, compared = [], 0
    for name, call, tensors in gradient_recipes.nested_cases():
        if name in LATER:
            continue
        for wanted, tensor in enumerate(tensors):
            if not gradient_recipes.is_differentiable(tensor):
                continue
            here = _histories(call, tensors, wanted, 0)
            there = _histories(call, tensors, wanted, 1)
            if not here or not there:
                continue
            compared += len(here)
            if here != there:
                wrong.append(f'{name}, operand {wanted}: {here} within the mesh, {there} outside')
    assert not wrong, '\n'.join(wrong)
    assert compared > 650, compared
