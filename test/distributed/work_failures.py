# SPDX-License-Identifier: Apache-2.0
"""What the ranks of test_failures.py do: they wait for one that does not come."""

import datetime
import os
import sys
import time

import paddle
import paddle.distributed as dist


def wait_for(what, seconds='60'):
    """Prints what the wait ended with, and when."""
    dist.init_parallel_env()
    rank, n = dist.get_rank(), dist.get_world_size()
    group = dist.new_group(timeout=datetime.timedelta(seconds=float(seconds)))
    t = paddle.ones([1 << 20])
    dist.all_reduce(t, group=group)
    store = dist.parallel.job_store()
    store.set(f'pid/{rank}', str(os.getpid()))
    if rank == n - 1:
        time.sleep(60)
    try:
        if what == 'collective':
            dist.all_reduce(t, group=group)
        elif what == 'task':
            dist.all_reduce(t, group=group, sync_op=False).wait()
        elif what == 'recv':
            dist.recv(t, n - 1, group)
        elif what == 'send':
            dist.send(t, n - 1, group)
        elif what == 'object':
            dist.all_gather_object([], 'x', group)
    except RuntimeError as e:
        print(f'RAISED {time.time()} {e}', flush=True)
        # The group has failed, the others have not, and a group can be made anew.
        if what == 'collective':
            again = dist.new_group(list(range(n - 1)))
            dist.all_reduce(t, group=again)
            print('AGAIN', flush=True)
        os._exit(0)
    print('went on', flush=True)
    sys.exit(1)


def leave_early():
    dist.init_parallel_env()
    if dist.get_rank() == 1:
        raise SystemExit(0)
    try:
        dist.barrier()
    except RuntimeError as e:
        print(f'RAISED {time.time()} {e}')
