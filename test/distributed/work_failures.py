# SPDX-License-Identifier: Apache-2.0
"""What the ranks of test_failures.py and failures.py do: they wait for one that does not come."""

import datetime
import itertools
import os
import random
import sys
import threading
import time

import paddle
import paddle.distributed as dist
from paddle.distributed import ReduceOp


def _aborts(n, span):
    """Collectives that one rank after another breaks off; then all make the group anew."""
    group, turns, chance = (
        dist.new_group(timeout=span),
        itertools.count(),
        random.Random(os.getpid()),
    )

    def act():
        t = paddle.ones([1 << 14])
        breaks = None
        if next(turns) % n == dist.get_rank():
            breaks = threading.Timer(chance.uniform(0, 0.01), group.process_group.abort)
            breaks.start()
        try:
            while True:
                dist.all_reduce(t, ReduceOp.MAX, group)
        except RuntimeError as e:
            if 'aborted the group' not in str(e):
                raise
        finally:
            if breaks is not None:
                breaks.join()
        dist.restart_process_group(group)
        whole = paddle.to_tensor(1 + dist.get_rank())
        dist.all_reduce(whole, group=group)
        assert int(whole) == n * (n + 1) // 2, whole

    return act


def _acts(group, n, span):
    """By name: a call that needs all ranks."""
    t = paddle.ones([1 << 10, 1 << 10])
    mesh = dist.ProcessMesh(list(range(n)))
    divided = dist.shard_tensor(t, mesh, [dist.Shard(0)])
    replicas = paddle.DataParallel(paddle.nn.Linear(1 << 10, 8))
    batch = paddle.ones([4, 1 << 10])
    # Groups of meshes and of replicas are made on first use.
    dist.reshard(divided, mesh, [dist.Replicate()])
    replicas(batch).mean().backward()
    store = dist.parallel.job_store()
    return {
        'collective': lambda: dist.all_reduce(t, group=group),
        'task': lambda: dist.all_reduce(t, group=group, sync_op=False).wait(),
        'recv': lambda: dist.recv(t, n - 1, group),
        'send': lambda: dist.send(t, n - 1, group),
        'object': lambda: dist.all_gather_object([], 'x', group),
        'barrier': lambda: dist.barrier(),
        'reshard': lambda: dist.reshard(divided, mesh, [dist.Replicate()]),
        'backward': lambda: replicas(batch).mean().backward(),
        'aborted': _aborts(n, span),
        'new_group': lambda: dist.barrier(dist.new_group(timeout=span)),
        'store': lambda: store.get('never'),
    }


def wait_for(what, seconds='60', absent='yes'):
    """Prints what the wait ended with, and when. The last rank is `absent`, or takes part until it
    is ended, where all repeat the call.
    """
    dist.init_parallel_env()
    rank, n = dist.get_rank(), dist.get_world_size()
    span = datetime.timedelta(seconds=float(seconds))
    group = dist.new_group(timeout=span)
    t = paddle.ones([1 << 20])
    dist.all_reduce(t, group=group)
    act = _acts(group, n, span)[what]
    store = dist.parallel.job_store()
    store.set(f'pid/{rank}', str(os.getpid()))
    if rank == n - 1 and absent == 'yes':
        time.sleep(60)
    try:
        act()
        while absent != 'yes':
            act()
    except RuntimeError as e:
        print(f'RAISED {time.time()} {e}', flush=True)
        # The group has failed, the others have not, and a group can be made anew.
        if what == 'collective' and absent == 'yes':
            again = dist.new_group(list(range(n - 1)))
            dist.all_reduce(t, group=again)
            print('AGAIN', flush=True)
        os._exit(0)
    print('went on', flush=True)
    sys.exit(1)


def come_and_die():
    """Rank 0 does not come to a barrier; the others wait there."""
    dist.init_parallel_env()
    store = dist.parallel.job_store()
    store.set(f'pid/{dist.get_rank()}', str(os.getpid()))
    if dist.get_rank() == 0:
        time.sleep(60)
    try:
        dist.barrier()
    except RuntimeError as e:
        print(f'RAISED {time.time()} {e}', flush=True)
        os._exit(0)


def leave_early():
    dist.init_parallel_env()
    if dist.get_rank() == 1:
        raise SystemExit(0)
    try:
        dist.barrier()
    except RuntimeError as e:
        print(f'RAISED {time.time()} {e}')


def break_off():
    """Rank 1 waits in a collective that another thread of it breaks off; rank 0 comes later."""
    dist.init_parallel_env()
    group = dist.new_group()
    dist.barrier(group)
    if dist.get_rank() == 1:
        threading.Timer(0.3, group.process_group.abort).start()
    else:
        time.sleep(1)
    begin = time.monotonic()
    try:
        dist.all_reduce(paddle.ones([4]), group=group)
    except RuntimeError as e:
        print(f'RAISED {time.monotonic() - begin} {e}', flush=True)
