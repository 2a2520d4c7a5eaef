# SPDX-License-Identifier: Apache-2.0
"""What the ranks of test_nccl.py do, each on a GPU of the driver's double."""

import datetime
import time

import numpy as np
import paddle
import paddle.distributed as dist
import paddle.nn.functional as F
import pytest
from paddle import nn

REDUCED = 'bool uint8 int8 int32 int64 float16 bfloat16 float32 float64 complex64 int16'.split()
OPS = {'SUM': np.add, 'PROD': np.multiply, 'MAX': np.maximum, 'MIN': np.minimum}


def start(device=None):
    dist.init_parallel_env()
    rank, n = dist.get_rank(), dist.get_world_size()
    paddle.set_device(f'gpu:{rank if device is None else device}')
    return rank, n


def contribution(rank, shape, dtype):
    values = np.random.RandomState(rank).randint(0, 3, shape)
    wide = 'float32' if dtype in ('float16', 'bfloat16') else dtype
    return (values + 1j if dtype.startswith('complex') else values).astype(wide)


def tensor(values, dtype):
    return paddle.to_tensor(values).astype(dtype)


def same(t, expected):
    assert t.place.is_gpu_place()
    got = (t.astype('float32') if 'float16' in str(t.dtype) else t).numpy()
    np.testing.assert_array_equal(got, expected.astype(got.dtype))


def collectives():
    rank, n = start()
    for dtype in REDUCED:
        for shape in ([0], [5], [3, 700], [70_001]):
            everyone = [contribution(r, shape, dtype) for r in range(n)]
            for name, function in OPS.items():
                if dtype.startswith('complex') and name != 'SUM':
                    continue
                op = getattr(dist.ReduceOp, name)
                expected = everyone[0]
                for other in everyone[1:]:
                    expected = function(expected, other)
                t = tensor(everyone[rank], dtype)
                dist.all_reduce(t, op)
                same(t, expected)
                t = tensor(everyone[rank], dtype)
                dist.reduce(t, n - 1, op)
                same(t, expected if rank == n - 1 else everyone[rank])
            t = tensor(everyone[rank], dtype)
            dist.broadcast(t, 1)
            same(t, everyone[1])
    x = tensor(contribution(rank, [4, 6], 'float32'), 'float32')
    everyone = [contribution(r, [4, 6], 'float32') for r in range(n)]
    parts = []
    dist.all_gather(parts, x)
    for part, expected in zip(parts, everyone):
        same(part, expected)
    whole = paddle.empty([4 * n, 6])
    dist.stream.all_gather(whole, x)
    same(whole, np.concatenate(everyone))
    out = paddle.empty([2, 6])
    dist.reduce_scatter(out, [x[:2].clone(), x[2:].clone()])
    same(out, sum(everyone)[2 * rank : 2 * rank + 2])
    dist.stream.reduce_scatter(out, x)
    same(out, sum(everyone)[2 * rank : 2 * rank + 2])
    back = []
    dist.alltoall(back, [x[:2].clone(), x[2:].clone()])
    for r, part in enumerate(back):
        same(part, everyone[r][2 * rank : 2 * rank + 2])
    split = paddle.empty(
        [2 if rank == 0 else 6, 6]
    )  # each gives one row to the first, three to the other
    dist.alltoall_single(split, x, [1, 3], [1, 1] if rank == 0 else [3, 3])
    rows = slice(0, 1) if rank == 0 else slice(1, 4)
    same(split, np.concatenate([e[rows] for e in everyone]))
    pieces = []
    dist.gather(x, pieces if rank == 0 else None, 0)
    for part, expected in zip(pieces, everyone):
        same(part, expected)
    mine = paddle.empty([4, 6])
    dist.scatter(mine, [x * 2, x * 3] if rank == 1 else None, 1)
    same(mine, everyone[1] * (2 + rank))
    strided = x.t().contiguous().t()
    dist.all_reduce(strided)
    same(strided, sum(everyone))
    dist.barrier()


def messages():
    rank, n = start()
    other, big = 1 - rank, 300_000
    dist.barrier()
    first = paddle.full([10], rank + 1.0)
    dist.all_reduce(first)  # makes the group's communicator
    send, receive = paddle.full([big], float(rank)), paddle.empty([big])
    tasks = dist.batch_isend_irecv(
        [dist.P2POp(dist.isend, send, other), dist.P2POp(dist.irecv, receive, other)]
    )
    for task in tasks:
        task.wait()
    same(receive, np.full(big, other, 'float32'))
    task = dist.all_reduce(first, sync_op=False)
    task.wait()
    same(first * 1, np.full(10, 6.0))
    task.synchronize()
    assert task.is_completed()


def training():
    """Two halves of a batch give the gradients of the whole."""
    rank, n = start()
    rng = np.random.RandomState(0)
    x, label = rng.randn(8, 12).astype('float32'), rng.randint(0, 5, [8])

    def losses(net, rows):
        opt = paddle.optimizer.AdamW(0.01, parameters=net.parameters())
        for _ in range(5):
            loss = F.cross_entropy(net(paddle.to_tensor(x[rows])), paddle.to_tensor(label[rows]))
            loss.backward()
            opt.step()
            opt.clear_grad()
        return [p.numpy() for p in net.parameters()]

    def made():
        paddle.seed(3)
        return nn.Sequential(nn.Linear(12, 33), nn.GELU(), nn.Linear(33, 5))

    want = losses(made(), slice(None))
    got = losses(paddle.DataParallel(made()), slice(rank * 4, rank * 4 + 4))
    for a, b in zip(got, want):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-6)


def graph():
    """A captured step communicates each time it runs."""
    rank, n = start()
    x, total = paddle.full([40], rank + 1.0), paddle.zeros([40])
    dist.all_reduce(x.clone())
    captured = paddle.device.cuda.graphs.CUDAGraph()
    y = x * 2
    captured.capture_begin()
    y = x * 2
    dist.all_reduce(y)
    total.add_(y)
    captured.capture_end()
    for _ in range(3):
        captured.replay()
        x.add_(paddle.ones([1]))
    same(total, np.full(40, sum(2.0 * (1 + k + 2 + k) for k in range(3))))


def mistakes():
    rank, n = start()
    t = paddle.ones([4])
    dist.all_reduce(t)
    with pytest.raises(ValueError, match='tensors at one place'):
        dist.all_gather([paddle.ones([4], device='cpu'), t], t)
    with pytest.raises(ValueError, match='communicates'):
        dist.all_reduce(paddle.ones([4], device=f'gpu:{1 - rank}'))
    dist.all_reduce(paddle.ones([4 + rank]))  # NCCL finds this when it runs
    with pytest.raises(RuntimeError, match='invalid usage'):
        for _ in range(10):
            paddle.device.synchronize()
            dist.all_reduce(t)
    print('found')


def stalls():
    """A rank that does not come: the other is told, though it never waits."""
    rank, n = start()
    group = dist.new_group(list(range(n)), timeout=datetime.timedelta(seconds=2))
    t = paddle.ones([4])
    for _ in range(2):
        dist.all_reduce(t, group=group)
    paddle.device.synchronize()
    if rank == 0:
        task = dist.broadcast(t, src=0, group=group, sync_op=False)
        began = time.monotonic()
        while time.monotonic() < began + 4:
            time.sleep(0.05)
        told = 'rank 0 of 2 gave up call 3 of the group, broadcast: it has not ended within 2'
        with pytest.raises(RuntimeError, match=told):
            dist.all_reduce(t, group=group)
        began = time.monotonic()
        with pytest.raises(RuntimeError, match=told):
            task.synchronize()
        paddle.device.synchronize()  # the stream is free again
        assert time.monotonic() < began + 1
    else:
        time.sleep(5)
    print('found')
