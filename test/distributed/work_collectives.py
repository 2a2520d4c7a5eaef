# SPDX-License-Identifier: Apache-2.0
"""What the ranks of test_collectives.py do."""

import datetime
import gc
import weakref

import numpy as np
import pytest

import paddle
import paddle.distributed as dist

ALL = 'bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128'
FLOAT8 = 'float8_e4m3fn float8_e5m2'
OPS = {'SUM': np.add, 'PROD': np.multiply, 'MAX': np.maximum, 'MIN': np.minimum}


class Hook:
    def __call__(self, grad):
        return grad


def start():
    group = dist.init_parallel_env()
    assert group is dist.get_group(0) and dist.is_initialized()
    return dist.get_rank(), dist.get_world_size()


def contribution(rank, shape, dtype):
    """Small whole numbers, exact in every dtype, in products too."""
    values = np.random.RandomState(rank).randint(0, 3, shape)
    if dtype.startswith('complex'):
        values = values + 1j * np.random.RandomState(rank + 50).randint(0, 3, shape)
    wide = 'float32' if dtype in ('float16', 'bfloat16') or dtype.startswith('float8') else dtype
    return values.astype(wide)


def tensor(values, dtype):
    return paddle.to_tensor(values).astype(dtype)


def numbers(t):
    name = str(t.dtype).rpartition('.')[2]
    narrow = name in ('float16', 'bfloat16') or name.startswith('float8')
    return (t.astype('float32') if narrow else t).numpy()


def same(t, expected, what):
    got = numbers(t)
    assert got.shape == expected.shape, (what, got.shape, expected.shape)
    assert np.array_equal(got, expected.astype(got.dtype)), (what, got, expected)


def reductions():
    rank, n = start()
    for dtype in (ALL + ' ' + FLOAT8).split():
        for shape in ([], [0], [5], [3, 1000], [70_001]):
            everyone = [contribution(r, shape, dtype) for r in range(n)]
            mine = everyone[rank]
            for name, function in OPS.items():
                what = (dtype, shape, name)
                op = getattr(dist.ReduceOp, name)
                if dtype.startswith('complex') and name in ('MAX', 'MIN'):
                    with pytest.raises(TypeError, match='expected numbers'):
                        dist.all_reduce(tensor(mine, dtype), op)
                    continue
                expected = everyone[0]
                for other in everyone[1:]:
                    expected = function(expected, other)
                t = tensor(mine, dtype)
                dist.all_reduce(t, op)
                same(t, expected, what)
                t = tensor(mine, dtype)
                dist.reduce(t, n - 1, op)
                same(t, expected if rank == n - 1 else mine, what)
            if dtype not in ('bool',) and not dtype.startswith('float8'):
                t = tensor(mine, dtype)
                dist.all_reduce(t, dist.ReduceOp.AVG)
                total = np.sum(everyone, 0, dtype=np.asarray(mine).dtype)
                mean = total // n if np.issubdtype(total.dtype, np.integer) else total / n
                assert np.allclose(numbers(t), mean, rtol=1e-2), (dtype, shape)
    # Halves are added in float32: 2048 + 1 + 1 is no sum of halves.
    t = paddle.to_tensor(2048.0 if rank == 0 else 1.0, dtype='float16')
    dist.all_reduce(t)
    assert float(t) == 2048 + 2 * ((n - 1) // 2) or n == 2


def moves():
    rank, n = start()
    for dtype in (ALL + ' ' + FLOAT8).split():
        for rows in (0, 1, 30_000):
            everyone = [contribution(r, [rows, 7], dtype) for r in range(n)]
            mine = tensor(everyone[rank], dtype)
            for root in range(n):
                t = tensor(everyone[rank], dtype)
                dist.broadcast(t, root)
                same(t, everyone[root], 'broadcast')
            got = []
            dist.all_gather(got, mine)
            for t, expected in zip(got, everyone, strict=True):
                same(t, expected, 'all_gather')
            whole = paddle.empty([rows * n, 7], dtype)
            dist.communication.stream.all_gather(whole, mine)
            same(whole, np.concatenate(everyone), 'all_gather to one tensor')
            got = []
            dist.gather(mine, got if rank == 1 else None, dst=1)
            for t, expected in zip(got, everyone, strict=rank == 1):
                same(t, expected, 'gather')
            t = paddle.zeros([rows, 7], 'float32').astype(dtype)
            parts = [tensor(e, dtype) for e in everyone] if rank == 1 else None
            dist.scatter(t, parts, src=1)
            same(t, everyone[rank], 'scatter')
            got = []
            dist.alltoall(
                got, [tensor(contribution(rank * n + r, [rows], dtype), dtype) for r in range(n)]
            )
            for r, t in enumerate(got):
                same(t, contribution(r * n + rank, [rows], dtype), 'alltoall')
            if not dtype.startswith('float8'):
                t = paddle.zeros([rows, 7], 'float32').astype(dtype)
                dist.reduce_scatter(t, [tensor(e, dtype) for e in everyone], dist.ReduceOp.SUM)
                expected = everyone[rank]
                for _ in range(n - 1):
                    expected = np.add(expected, everyone[rank])
                same(t, expected, 'reduce_scatter')


def uneven():
    rank, n = start()
    # Rank r sends i + 1 rows to rank i, each its own number.
    given = paddle.full([n * (n + 1) // 2, 2], rank, 'int64')
    out = paddle.empty([(rank + 1) * n, 2], 'int64')
    dist.alltoall_single(out, given, [i + 1 for i in range(n)], [rank + 1] * n)
    same(out, np.repeat(np.arange(n), rank + 1)[:, None] * np.ones([1, 2], 'int64'), 'uneven')
    got = [paddle.empty([r + 1]) for r in range(n)]
    dist.all_gather(got, paddle.full([rank + 1], float(rank)))
    for r, t in enumerate(got):
        same(t, np.full([r + 1], r, 'float32'), 'uneven all_gather')
    out = paddle.empty([2 * n])
    dist.alltoall_single(out, paddle.arange(2 * n).astype('float32') + 100 * rank)
    same(out, np.concatenate([100 * r + 2 * rank + np.arange(2) for r in range(n)]), 'even')
    # Results in places that are not contiguous, and views.
    t = paddle.zeros([4, 3])
    dist.all_reduce(t[:, 1])
    column = t.t()[1]
    column.fill_(1.0)
    dist.all_reduce(column)
    assert t.numpy().tolist() == [[0, n, 0]] * 4


def tasks():
    rank, n = start()
    tensors = [paddle.full([1000 * (i + 1)], float(rank + i)) for i in range(20)]
    started = [dist.all_reduce(t, sync_op=False) for t in tensors]
    direct = paddle.ones([3])
    dist.all_reduce(direct)  # behind those
    same(direct, np.full([3], n, 'float32'), 'in order')
    for i, (task, t) in enumerate(zip(started, tensors)):
        assert task.is_completed()
        task.wait()
        same(t, np.full([1000 * (i + 1)], n * (n - 1) / 2 + n * i, 'float32'), 'task')
    for call in (dist.communication.stream.all_reduce, dist.communication.stream.broadcast):
        t = paddle.ones([2])
        call(t, 0, sync_op=True, use_calc_stream=True)
        with pytest.raises(RuntimeError, match='sync_op'):
            call(t, 0, sync_op=False, use_calc_stream=True)
    dist.wait(direct)
    # The task has the last hold of what is sent, but not of its history and hooks.
    gone = []
    x = paddle.ones([1000])
    x.stop_gradient = False
    hook = Hook()
    weakref.finalize(hook, gone.append, True)
    y = paddle.concat([x] * 200)  # more than there is room for: under way until it is received
    y.register_hook(hook)
    sending = dist.isend(y, (rank + 1) % n)
    del y, hook
    gc.collect()
    assert gone
    dist.recv(paddle.empty([200_000]), (rank - 1) % n)
    sending.wait()


def messages():
    rank, n = start()
    right, left = (rank + 1) % n, (rank - 1) % n
    big = paddle.arange(1 << 20).astype('float32') + rank
    got = paddle.empty_like(big)
    # Every rank sends first, more than there is room for.
    sending = dist.isend(big, right)
    receiving = dist.irecv(got, left)
    sending.wait()
    receiving.wait()
    same(got, np.arange(1 << 20, dtype='float32') + left, 'ring')
    got = paddle.zeros_like(big)
    batch = [dist.P2POp(dist.isend, big, right), dist.P2POp(dist.irecv, got, left)]
    for task in dist.batch_isend_irecv(batch):
        task.wait()
    same(got, np.arange(1 << 20, dtype='float32') + left, 'batch')
    if rank == 0:
        for i in range(100):
            dist.send(paddle.full([i], float(i)), 1)
        with pytest.raises(ValueError, match='expected 4 bytes of int32 from rank 1, got 8 bytes'):
            dist.recv(paddle.empty([1], 'int32'), 1)
        dist.recv(got[:5], 1)
        same(got[:5], np.arange(5, dtype='float32'), 'behind a message that did not fit')
        dist.send_object_list([{'a': 1}, 'b'], 1)
    elif rank == 1:
        for i in range(100):
            t = paddle.empty([i])
            dist.recv(t, 0)
            same(t, np.full([i], i, 'float32'), 'small messages')
        dist.send(paddle.ones([2]), 0)
        dist.send(paddle.arange(5).astype('float32'), 0)
        objects = []
        dist.recv_object_list(objects, 0)
        assert objects == [{'a': 1}, 'b']
    dist.barrier()


def objects():
    rank, n = start()
    got = []
    dist.all_gather_object(got, {'rank': rank, 'text': 'x' * (rank * 1000)})
    assert [g['rank'] for g in got] == list(range(n)) and len(got[-1]['text']) == 1000 * (n - 1)
    values = [rank, 'mine']
    dist.broadcast_object_list(values, 1)
    assert values == [1, 'mine']
    mine = []
    dist.scatter_object_list(mine, [('for', r) for r in range(n)] if rank == 0 else None, 0)
    assert mine == [('for', rank)]


def groups():
    rank, n = start()
    assert dist.get_group(0).name == '_default_pg' and dist.get_backend() == 'GLOO'
    pair = dist.new_group([0, n - 1])
    rest = dist.new_group(list(range(n - 1)))
    assert pair.id == 10 and rest.id == 11 and dist.get_group(10) is pair
    t = paddle.to_tensor([float(rank)])
    if rank in (0, n - 1):
        assert pair.is_member() and pair.rank == (0 if rank == 0 else 1)
        assert pair.get_group_rank(n - 1) == 1 and pair.get_global_rank(1) == n - 1
        dist.all_reduce(t, group=pair)
        same(t, np.array([n - 1.0], 'float32'), 'pair')
        dist.broadcast(t, n - 1, group=pair)
        with pytest.raises(AssertionError, match='expected a rank of the group'):
            dist.broadcast(t, 1, group=pair)
    else:
        assert pair.rank == -1 and not pair.is_member()
        with pytest.warns(UserWarning, match='not in the group'):
            assert dist.all_reduce(t, group=pair) is None
        same(t, np.array([rank], 'float32'), 'outside')
    alone = dist.new_group([rank]) if n == 1 else None
    assert alone is None
    dist.destroy_process_group(pair)
    with pytest.warns(UserWarning, match='no group'):
        assert dist.get_group(10) is None
    with pytest.raises(ValueError, match='ranks'):
        dist.new_group([0, n])
    with pytest.raises(ValueError, match='backend'):
        dist.new_group([0], backend='mpi')
    everyone = dist.new_group(timeout=datetime.timedelta(seconds=20))
    dist.shutdown_process_group(everyone)
    with pytest.raises(RuntimeError, match='destroyed'):
        dist.barrier(everyone)
    dist.barrier()
    dist.restart_process_group(everyone)
    dist.barrier(everyone)
    dist.destroy_process_group()
    assert not dist.is_initialized()
    with pytest.raises(RuntimeError, match='init_parallel_env'):
        dist.barrier()


def made_anew():
    """Groups of one name follow each other, and who is fast meets the next one, not the last."""
    import time

    for turn in range(12):
        rank, n = start()
        t = paddle.full([3], float(rank + turn))
        dist.all_reduce(t)
        same(t, np.full([3], sum(range(n)) + n * turn, 'float32'), ('turn', turn))
        dist.destroy_process_group()
        if rank == turn % n:
            time.sleep(0.05)


def mistakes():
    """Calls that differ between ranks raise on all of them, and the group goes on."""
    rank, n = start()
    t = paddle.ones([4])
    with pytest.raises(ValueError, match='expected the same call on all ranks'):
        dist.all_reduce(t) if rank == 0 else dist.barrier()
    with pytest.raises(ValueError, match='expected the same call on all ranks'):
        dist.all_reduce(paddle.ones([4 + rank]))
    with pytest.raises(ValueError, match='expected the same call on all ranks'):
        dist.all_reduce(t, dist.ReduceOp.SUM if rank else dist.ReduceOp.MAX)
    with pytest.raises(ValueError, match='expected the same call on all ranks'):
        dist.broadcast(t, rank)
    with pytest.raises(ValueError, match='expected the same call on all ranks'):
        dist.all_reduce(paddle.ones([4], 'float32' if rank else 'int32'))
    with pytest.raises(ValueError, match='expected .* bytes from rank'):
        dist.all_gather([paddle.empty([4]) for _ in range(n)], paddle.ones([4 + rank]))
    with pytest.raises(ValueError, match='to be a Tensor'):
        dist.all_reduce(3)
    with pytest.raises(ValueError, match='ReduceOp'):
        dist.all_reduce(t, 9)
    with pytest.raises(ValueError, match='memory of their own'):
        dist.all_reduce(paddle._C_ops.expand(paddle.ones([1]), [3]))
    with pytest.raises(ValueError, match='expected .* tensors'):
        dist.reduce_scatter(t, [t])
    with pytest.raises(RuntimeError, match='expected tensors to scatter|left the group') as info:
        if rank == 0:
            dist.scatter(t, None, 0)
        else:
            raise RuntimeError('left the group')
    assert info
    t = paddle.ones([4])
    dist.all_reduce(t)
    same(t, np.full([4], n, 'float32'), 'after mistakes')


def everything():
    for act in (reductions, moves, uneven, tasks, messages, objects, groups, made_anew, mistakes):
        act()


def children():
    """A forked child may not use the groups of its parent, and does not keep them alive."""
    import os

    start()
    dist.barrier()
    pid = os.fork()
    if pid == 0:
        try:
            dist.barrier()
        except RuntimeError as e:
            os._exit(7 if 'forked' in str(e) else 1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    dist.barrier()


def over_a_bad_network():
    """Each collective and messages both ways, short and of several frames."""
    rank, n = start()
    for dtype in ('float32', 'float16', 'int64'):
        for count in (1, 1000, 30_001):
            everyone = [contribution(r, [count], dtype) for r in range(n)]
            mine, what = tensor(everyone[rank], dtype), (dtype, count)
            total = sum(everyone)
            t = mine.clone()
            dist.all_reduce(t)
            same(t, total, what)
            t = mine.clone()
            dist.reduce(t, 1)
            same(t, total if rank == 1 else everyone[rank], what)
            t = mine.clone()
            dist.broadcast(t, 2)
            same(t, everyone[2], what)
            got = []
            dist.all_gather(got, mine)
            for t, expected in zip(got, everyone, strict=True):
                same(t, expected, what)
            t = paddle.empty([count], dtype)
            dist.reduce_scatter(t, [mine] * n)
            same(t, total, what)
            got = []
            dist.alltoall(got, [mine] * n)
            for t, expected in zip(got, everyone, strict=True):
                same(t, expected, what)
            t = paddle.empty([count], dtype)
            dist.scatter(t, [mine + r for r in range(n)] if rank == 0 else None, 0)
            same(t, everyone[0] + np.asarray(rank, everyone[0].dtype), what)
            to, t = (rank + 1) % n, paddle.empty([count], dtype)
            tasks = [dist.isend(mine, to), dist.irecv(t, (rank - 1) % n)]
            for task in tasks:
                task.wait()
            same(t, everyone[(rank - 1) % n], what)
    got = []
    dist.all_gather_object(got, {'rank': rank, 'text': 'x' * 5000})
    assert [one['rank'] for one in got] == list(range(n))
    dist.barrier()
