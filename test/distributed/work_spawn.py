# SPDX-License-Identifier: Apache-2.0
"""Functions that test_launch.py spawns."""

import os
import signal

import paddle
import paddle.distributed as dist


def add_up(start):
    dist.init_parallel_env()
    t = paddle.to_tensor([float(start + dist.get_rank())])
    dist.all_reduce(t)
    assert float(t) == 2 * start + 1


def fail():
    dist.init_parallel_env()
    if dist.get_rank() == dist.get_world_size() - 1:
        raise KeyError('mine')
    dist.barrier()


def die():
    dist.init_parallel_env()
    if dist.get_rank() == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    dist.barrier()


def meet(rank, count, endpoint):
    """Barriers between processes that no launcher started."""
    dist.gloo_init_parallel_env(rank, count, endpoint)
    for _ in range(3):
        dist.gloo_barrier()
    dist.gloo_release()


def divide():
    """A mesh of processes that make no group first."""
    mesh = dist.ProcessMesh([0, 1], dim_names=['x'])
    rows = dist.shard_tensor(paddle.arange(4), mesh, [dist.Shard(0)])
    assert rows._local_value().tolist() == [[0, 1], [2, 3]][dist.get_rank()]
    assert dist.unshard_dtensor(rows).tolist() == [0, 1, 2, 3]
