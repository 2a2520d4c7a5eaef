# SPDX-License-Identifier: Apache-2.0
"""Times of operations on the first GPU by its own clock, beside torch where it is installed: rounds
of the two by turns, the median of each. `--small`: sizes for the double; `--once`: each once.
"""

import argparse
import statistics
import time

import paddle
import paddle.nn.functional as F

try:
    import torch
    import torch.nn.functional as T

    torch = torch if torch.cuda.is_available() else None
except ImportError:
    torch = T = None

# Name: the operation here, there, and how many times the bytes of x move at least.
OPERATIONS = {
    'add': (lambda x, w: x + x, lambda x, w: x + x, 2),
    'mul row': (lambda x, w: x * w, lambda x, w: x * w, 2),
    'exp': (lambda x, w: paddle.exp(x), lambda x, w: torch.exp(x), 2),
    'gelu': (lambda x, w: F.gelu(x), lambda x, w: T.gelu(x), 2),
    'sum rows': (lambda x, w: x.sum(-1), lambda x, w: x.sum(-1), 1),
    'sum columns': (lambda x, w: x.sum(0), lambda x, w: x.sum(0), 1),
    'softmax': (lambda x, w: F.softmax(x), lambda x, w: T.softmax(x, -1), 2),
    'layer_norm': (
        lambda x, w: F.layer_norm(x, [x.shape[-1]], w, w),
        lambda x, w: T.layer_norm(x, [x.shape[-1]], w, w),
        2,
    ),
    'rms_norm': (
        lambda x, w: F.rms_norm(x, [x.shape[-1]], w),
        lambda x, w: T.rms_norm(x, [x.shape[-1]], w),
        2,
    ),
}


def event_time(module, f, n):
    """Microseconds of a call among `n` by events of paddle or torch."""
    make = paddle.device.Event if module is paddle else torch.cuda.Event
    start, end = make(enable_timing=True), make(enable_timing=True)
    start.record()
    for _ in range(n):
        f()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / n * 1e3


def by_turns(ours, theirs, n, rounds):
    sides = [(paddle, ours)] + ([(torch, theirs)] if torch and theirs else [])
    for _, f in sides:
        f()
        f()
    times = [[event_time(module, f, n) for module, f in sides] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times)]


def row(name, size, times, moved=None):
    rates = [f'{moved / t / 1e3:9.0f}' if moved and t else '        -' for t in times]
    print(
        f'{name:<14}{size:>14}' + ''.join(f'{t:11.2f}{r}' for t, r in zip(times, rates)), flush=True
    )


def operations(small, once):
    shapes = (
        [(4, 64)] if small else [(4, 1024), (512, 1024), (8192, 1024), (16384, 8192), (65536, 4096)]
    )
    for dtype in ('float32', 'bfloat16'):
        for shape in shapes[-1:] if once else shapes:
            x, w = paddle.randn(shape).astype(dtype), paddle.ones(shape[1:]).astype(dtype)
            tx = tw = None
            if torch:
                tx = torch.randn(shape, device='cuda', dtype=getattr(torch, dtype))
                tw = torch.ones(shape[1:], device='cuda', dtype=tx.dtype)
            for name, (ours, theirs, passes) in OPERATIONS.items():
                if once:
                    ours(x, w)
                    continue
                n = 2 if small else 20
                times = by_turns(lambda: ours(x, w), lambda: theirs(tx, tw), n, 3 if small else 9)
                row(
                    name,
                    'x'.join(map(str, shape)) + ' ' + dtype[:4],
                    times,
                    passes * x.numel() * x.element_size(),
                )


def others(small):
    """What libraries do, what moves or chooses elements, and steps of optimizers."""
    n = 16 if small else 2048
    x = paddle.randn([n, n])
    z, picture = paddle.complex(x, x.t()), paddle.randn([8, n // 8, 8 if small else 64, 8])
    still = [paddle.zeros([n // 8]), paddle.ones([n // 8])]
    tx = tz = tp = ts = None
    if torch:
        tx = torch.from_numpy(x.numpy()).cuda()
        tz, tp = torch.complex(tx, tx.t()), torch.from_numpy(picture.numpy()).cuda()
        ts = [torch.from_numpy(t.numpy()).cuda() for t in still]
    parameter = paddle.create_parameter([n, n], 'float32')
    parameter.stop_gradient = False
    lamb = paddle.optimizer.Lamb(0.001, parameters=[parameter])
    parameter.grad = paddle.ones([n, n])
    symmetric = n if small else 512
    few, tfew = x[:symmetric, :symmetric], tx[:symmetric, :symmetric] if torch else None
    cases = {
        'columns copied': (lambda: x.t().contiguous(), lambda: tx.t().contiguous()),
        'chosen': (lambda: x[x > 0.5], lambda: tx[tx > 0.5]),
        'nonzero': (lambda: paddle.nonzero(x > 0.5), lambda: torch.nonzero(tx > 0.5)),
        'cumsum': (lambda: x.cumsum(-1), lambda: tx.cumsum(-1)),
        'sort': (lambda: x.sort(-1), lambda: tx.sort(-1)),
        'histogram': (lambda: paddle.histogram(x, 100), lambda: torch.histc(tx, 100)),
        'unfold': (lambda: F.unfold(picture, 3), lambda: T.unfold(tp, 3)),
        'batch_norm': (
            lambda: F.batch_norm(picture, *still, training=True),
            lambda: T.batch_norm(tp, *ts, training=True),
        ),
        'rfft': (lambda: paddle.fft.rfft(x), lambda: torch.fft.rfft(tx)),
        'fft2': (lambda: paddle.fft.fft2(z), lambda: torch.fft.fft2(tz)),
        'complex matmul': (lambda: z @ z, lambda: tz @ tz),
        'cholesky': (
            lambda: paddle.linalg.cholesky(few @ few.t() + n * paddle.eye(symmetric)),
            lambda: torch.linalg.cholesky(
                tfew @ tfew.t() + n * torch.eye(symmetric, device='cuda')
            ),
        ),
        'det': (lambda: paddle.linalg.slogdet(few), lambda: torch.linalg.slogdet(tfew)),
        'eigh': (
            lambda: paddle.linalg.eigh(few + few.t()),
            lambda: torch.linalg.eigh(tfew + tfew.t()),
        ),
        'lamb': (lamb.step, None),
    }
    for name, (ours, theirs) in cases.items():
        count, rounds = (1, 1) if small else (3, 5)
        row(name, f'{n}x{n}', by_turns(ours, theirs, count, rounds))


def host(small):
    """The time of the host alone: calls whose work is small."""
    n = 20 if small else 5000
    x = paddle.ones([1])
    chain = [lambda: x + x, lambda: F.softmax(x)]
    for name, f in zip(('host add', 'host softmax'), chain):
        f()
        start = time.perf_counter()
        for _ in range(n):
            f()
        taken = (time.perf_counter() - start) / n * 1e6
        paddle.device.synchronize()
        row(name, 'one element', [taken])


def graph(small):
    """A chain of 20 operations, and the same as one graph."""
    from paddle.device.cuda.graphs import CUDAGraph

    x = paddle.ones([64, 64])

    def chain():
        y = x
        for _ in range(10):
            y = paddle.tanh(y) * 2
        return y

    chain()
    captured = CUDAGraph()
    captured.capture_begin()
    kept = chain()
    captured.capture_end()
    captured.replay()
    n, rounds = (1, 3) if small else (50, 9)
    row('20 ops', 'eager', [statistics.median(event_time(paddle, chain, n) for _ in range(rounds))])
    times = [event_time(paddle, captured.replay, n) for _ in range(rounds)]
    row('20 ops', 'graph', [statistics.median(times)])
    assert kept.shape == x.shape


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--small', action='store_true')
    parser.add_argument('--once', action='store_true')
    given = parser.parse_args()
    paddle.set_device('gpu')
    with paddle.no_grad():
        if not given.once:
            print(
                f'{"":<14}{"size":>14}{"us":>11}{"GB/s":>9}'
                + ('   torch us     GB/s' if torch else '')
            )
        operations(given.small, given.once)
        if not given.once:
            others(given.small)
            host(given.small)
            graph(given.small)
