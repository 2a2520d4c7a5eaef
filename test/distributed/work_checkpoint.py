# SPDX-License-Identifier: Apache-2.0
"""What ranks do for test_checkpoint.py."""

import itertools
import os
import sys

import numpy as np

import paddle
import paddle.distributed as dist
from paddle.distributed import Replicate, Shard

_MESHES = ([0, 1, 2, 3], [[0, 1], [2, 3]], [2, 0], [1])


def _value(i):
    return np.random.RandomState(i).randn(5, 6).astype('float32')


def _ways():
    for ids in _MESHES:
        mesh = dist.ProcessMesh(ids)
        for placements in itertools.product([Replicate(), Shard(0), Shard(1)], repeat=mesh.ndim):
            yield mesh, list(placements)


def meshes(folder):
    """What any mesh writes, any other reads."""
    dist.init_parallel_env()
    ways = list(_ways())
    order = np.random.RandomState(0).permutation(len(ways))
    for i, (mesh, placements) in enumerate(ways):
        value = _value(i)
        tensor = dist.shard_tensor(paddle.to_tensor(value), mesh, placements)
        number = paddle.to_tensor(float(i))
        dist.save_state_dict({'model': {'w': tensor, 'n': number}}, folder)
        for k in (i, *order[:2]):
            target_mesh, target = ways[k]
            w = dist.shard_tensor(paddle.zeros([5, 6]), target_mesh, target)
            n = paddle.zeros([])
            dist.load_state_dict({'model': {'w': w, 'n': n}}, folder)
            assert float(n) == i
            if w._is_initialized():
                np.testing.assert_array_equal(w.numpy(), value)
        order = np.roll(order, 2)


def resume(folder):
    """A divided training saved, and read by a new one."""
    dist.init_parallel_env()
    mesh = dist.ProcessMesh([0, 1], ['dp'])
    x = dist.shard_tensor(paddle.ones([4, 4]), mesh, [Shard(0)])

    def make(level):
        paddle.seed(0)
        model = paddle.nn.Linear(4, 4)
        optimizer = paddle.optimizer.Adam(0.1, parameters=model.parameters())
        return dist.parallelize(model, optimizer, mesh, {'dp_config': {'sharding_level': level}})

    def step(model, optimizer):
        loss = (model(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return float(loss)

    model, optimizer = make(3)
    step(model, optimizer)
    dist.save_state_dict({'model': model.state_dict()}, folder)
    want = float((model(x) ** 2).mean())
    other, _ = make(0)
    dist.load_state_dict({'model': other.state_dict()}, folder)
    np.testing.assert_allclose(float((other(x) ** 2).mean()), want, rtol=1e-6)


def parts(folder):
    """Each process writes its part of a tensor, and one that others do not know."""
    dist.init_parallel_env()
    rank, group = dist.get_rank(), dist.get_group()
    rows = paddle.arange(8.0).reshape([4, 2])[2 * rank : 2 * rank + 2]
    state = {'divided': dist.shard_weight('divided', rows, 0, group)}
    state.update(dist.build_sharded_state_dict({f'of{rank}': paddle.full([1], float(rank))}))
    state['same'] = paddle.to_tensor([5.0])
    dist.save_state_dict(state, folder)
    # The other half of it.
    other = dist.shard_weight('divided', paddle.zeros([2, 2]), 0, group)
    other.global_offset = (2 - 2 * rank, 0)
    dist.load_state_dict({'divided': other}, folder)
    first = 4 - 4 * rank
    assert other.local_tensor.flatten().tolist() == list(range(first, first + 4))


def killed(folder):
    """The process ends while it writes the second checkpoint."""
    dist.save_state_dict({'w': paddle.ones([3])}, folder)
    from paddle.distributed.flex_checkpoint.dcp import save_state_dict as module

    def stop(*args, **kwargs):
        os._exit(7)

    module.pickle.dump = stop  # of the file of parts already
    dist.save_state_dict({'w': paddle.zeros([3])}, folder)


if __name__ == '__main__':
    globals()[sys.argv[1]](*sys.argv[2:])
