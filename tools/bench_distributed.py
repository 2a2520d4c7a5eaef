# SPDX-License-Identifier: Apache-2.0
"""Figures of `paddle.distributed` on this machine, as a table: start, latency, bandwidth beside
that of memcpy and of torch's gloo, overlap of DataParallel, the cost of a distributed operation,
and propagation on 1,024 ranks.

    python tools/bench_distributed.py [--torch PYTHON] [--only NAME]

Each figure is the best of several rounds: others that use the machine make it slower, not faster.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time

ROUNDS = 5
FOLDER = os.path.dirname(os.path.abspath(__file__))


def best(work, repeats, rounds=ROUNDS, meet=None, clock=time.perf_counter):
    """Seconds of one call, in the best of some rounds."""
    times = []
    for _ in range(rounds):
        if meet is not None:
            meet()
        begin = clock()
        for _ in range(repeats):
            work()
        times.append((clock() - begin) / repeats)
    return min(times)


def copied():
    """Bytes a second of memcpy of 1 MB."""
    import numpy as np

    a, b = np.ones(1 << 20, np.uint8), np.empty(1 << 20, np.uint8)
    return (1 << 20) / best(lambda: np.copyto(b, a), 200)


def tell(name, rank, **figures):
    if rank == 0:
        print('FIGURES', json.dumps({name: figures}), flush=True)


# ---- what ranks do
def rank_reduce():
    import paddle
    import paddle.distributed as dist

    group = dist.init_parallel_env().process_group
    small, large = paddle.ones([1]), paddle.ones([1 << 18])
    call = dist.all_reduce
    latency = best(lambda: call(small), 2000, meet=group.barrier)
    seconds = best(lambda: call(large), 100, meet=group.barrier)
    half = paddle.ones([1 << 17])
    parts = {
        'broadcast': lambda: dist.broadcast(large, 0),
        'reduce_scatter': lambda: dist.stream.reduce_scatter(half, large),
        'all_gather': lambda: dist.stream.all_gather(large, half),
    }
    times = {name: best(part, 100, meet=group.barrier) for name, part in parts.items()}
    rate = (1 << 20) / seconds
    tell('reduce', dist.get_rank(), latency=latency, rate=rate, copy=copied(), parts=times)


def rank_torch():
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    dist.init_process_group('gloo')
    small, large = torch.ones(1), torch.ones(1 << 18)
    latency = best(lambda: dist.all_reduce(small), 1000, meet=dist.barrier)
    seconds = best(lambda: dist.all_reduce(large), 100, meet=dist.barrier)
    tell('torch', dist.get_rank(), latency=latency, rate=(1 << 20) / seconds)


def rank_parallel():
    """20 linear layers: steps alone and with DataParallel, and the communication alone."""
    import paddle
    import paddle.distributed as dist

    group = dist.init_parallel_env().process_group
    width, rows = 512, 512
    paddle.seed(0)

    def layers():
        for _ in range(20):
            yield paddle.nn.Linear(width, width)
            yield paddle.nn.ReLU()

    alone, divided = (paddle.nn.Sequential(*layers()) for _ in range(2))
    x = paddle.rand([rows, width])

    def step(model):
        loss = model(x).square().mean()
        loss.backward()
        model.clear_gradients()

    gradients = [paddle.zeros_like(p) for p in alone.parameters()]
    model = paddle.DataParallel(divided, comm_buffer_size=4)
    works = (lambda: step(alone), lambda: group.all_reduce(gradients), lambda: step(model))
    # By turns, so that what else the machine does meets all of them.
    times = [[best(work, 1, 1, meet=group.barrier) for work in works] for _ in range(25)]
    t_alone, t_comm, t_both = map(min, zip(*times))
    tell(
        'parallel',
        dist.get_rank(),
        overlap=1 - (t_both - t_alone) / t_comm,
        speedup=2 * t_alone / t_both,
        step=t_both,
        alone=t_alone,
        communication=t_comm,
    )


def rank_overlap():
    """The share of the communication of steps of 20 layers beside which ranks compute, by the
    events of the profiler: quarters of 41 steps.
    """
    import statistics

    import paddle.distributed as dist

    sys.path.insert(0, os.path.join(FOLDER, '..', 'docs', 'examples', 'distributed'))
    import timeline

    dist.init_parallel_env()
    step, shares = timeline.made(20, 512, 512), []
    for _ in range(41):
        ranks = []
        dist.all_gather_object(ranks, timeline.profiled(step, 1))
        shares.append(timeline.overlap(ranks))
    tell('overlap', dist.get_rank(), quarters=statistics.quantiles(shares, n=4))


def rank_one():
    """The step of one process with the threads of a rank, while no other runs."""
    import paddle

    paddle.seed(0)
    width = 512
    model = paddle.nn.Sequential(
        *[part for _ in range(20) for part in (paddle.nn.Linear(width, width), paddle.nn.ReLU())]
    )
    x = paddle.rand([512, width])

    def step():
        model(x).square().mean().backward()
        model.clear_gradients()

    tell('one', 0, step=best(step, 3))


def rank_add():
    import paddle
    import paddle.distributed as dist

    dist.init_parallel_env()
    mesh = dist.ProcessMesh([0, 1], ['x'])
    x = paddle.ones([8, 8])
    a, b = (dist.shard_tensor(x, mesh, [dist.Shard(0)]) for _ in range(2))
    part = a._local_value()

    def busy(work):  # of the processor: the machine may have other work
        return best(work, 20000, clock=time.thread_time)

    dense, divided = busy(lambda: part + part), busy(lambda: a + b)
    tell('add', dist.get_rank(), dense=dense, distributed=divided)


def rank_many():
    """Forward and backward placements of a LLaMA of 32 layers, as rank 5 of 1,024."""
    import resource

    import paddle
    import paddle.distributed as dist
    from paddle import nn
    from paddle.distributed.auto_parallel.process_mesh import fake_world

    hidden, heads, words, length = 256, 8, 1024, 64

    class Block(nn.Layer):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.RMSNorm(hidden), nn.RMSNorm(hidden)
            self.q, self.k, self.v, self.o = (
                nn.Linear(hidden, hidden, bias_attr=False) for _ in range(4)
            )
            self.gate, self.up = (nn.Linear(hidden, 2 * hidden, bias_attr=False) for _ in range(2))
            self.down = nn.Linear(2 * hidden, hidden, bias_attr=False)

        def forward(self, x):
            h = self.norm1(x)
            q, k, v = (
                f(h).reshape([h.shape[0], h.shape[1], heads, -1]) for f in (self.q, self.k, self.v)
            )
            h = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.o(h.reshape(x.shape))
            h = self.norm2(x)
            return x + self.down(nn.functional.silu(self.gate(h)) * self.up(h))

    class Model(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(words, hidden)
            self.blocks = nn.LayerList([Block() for _ in range(32)])
            self.head = nn.Linear(hidden, words, bias_attr=False)

        def forward(self, ids, labels):
            x = self.embed(ids)
            for block in self.blocks:
                x = block(x)
            return nn.functional.cross_entropy(self.head(x), labels)

    plan = {
        r'blocks\.\d+\.(q|k|v|gate|up)': dist.ColWiseParallel(),
        r'blocks\.\d+\.(o|down)': dist.RowWiseParallel(),
        'head': dist.ColWiseParallel(),
    }
    with fake_world(5, 1024):
        mesh = dist.ProcessMesh(shape=[128, 8], process_ids=range(1024), dim_names=['dp', 'mp'])
        begin = time.perf_counter()
        model = Model()
        config = {'mp_config': {'parallelize_plan': plan}}
        model, _ = dist.parallelize(model, mesh=mesh, config=config)
        made = time.perf_counter()
        ids = dist.shard_tensor(
            paddle.zeros([128, length], 'int64'), mesh, [dist.Shard(0), dist.Replicate()]
        )
        model(ids, ids).backward()
        seconds = time.perf_counter() - made
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    tell('many', 0, seconds=seconds, made=made - begin, memory=most)


# ---- the jobs
def figures_of(command, **variables):
    out = subprocess.run(
        command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=300
    )
    found = {}
    for line in out.stdout.splitlines():
        if 'FIGURES' in line:
            found.update(json.loads(line.partition('FIGURES')[2]))
    if not found:
        raise RuntimeError(f'{command}: {out.stdout[-500:]}{out.stderr[-1500:]}')
    return found


def launched(what, ranks=2):
    with tempfile.TemporaryDirectory() as logs:
        command = [sys.executable, '-m', 'paddle.distributed.launch', '--nproc_per_node']
        return figures_of([*command, str(ranks), '--log_dir', logs, __file__, '--rank', what])


def started():
    """Seconds from start to end of a program of two ranks with one all_reduce."""
    program = (
        'import paddle, paddle.distributed as dist; dist.init_parallel_env(); '
        'x = paddle.ones([1]); dist.all_reduce(x); assert float(x) == 2'
    )
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'one.py')
        with open(path, 'w') as stream:
            stream.write(program)
        command = [sys.executable, '-m', 'paddle.distributed.launch', '--nproc_per_node', '2']
        command += ['--log_dir', folder, path]
        return best(lambda: subprocess.run(command, check=True, capture_output=True), 1, 3)


def of_torch(python):
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = str(free.getsockname()[1])
    found, running = {}, []
    for rank in range(2):
        variables = {
            'RANK': str(rank),
            'WORLD_SIZE': '2',
            'MASTER_ADDR': '127.0.0.1',
            'MASTER_PORT': port,
            'OMP_NUM_THREADS': '1',
        }
        running.append(
            subprocess.Popen(
                [python, __file__, '--rank', 'torch'],
                env={**{k: v for k, v in os.environ.items() if k != 'PYTHONPATH'}, **variables},
                stdout=subprocess.PIPE,
                text=True,
            )
        )
    for process in running:
        for line in process.communicate(timeout=300)[0].splitlines():
            if 'FIGURES' in line:
                found.update(json.loads(line.partition('FIGURES')[2]))
    return found


def traffic():
    """Bytes that random moves take, as planned, by the least that they could take."""
    sys.path.insert(0, os.path.join(FOLDER, '..', 'test', 'distributed'))
    import test_traffic

    planned, bound, _ = test_traffic.random_moves()
    return planned / bound


def rows(torch, only):
    """(what, figure, aim) of each."""

    def wanted(name):
        return only in (None, name)

    if wanted('start'):
        yield 'two ranks, one all_reduce, start to end', f'{started():.2f} s', '1.5 s'
    if wanted('reduce'):
        found = launched('reduce')['reduce']
        rate, copy = found['rate'] / 1e9, found['copy'] / 1e9
        yield 'all_reduce of 4 B', f'{found["latency"] * 1e6:.1f} us', '6 us'
        yield 'all_reduce of 1 MB, bus', f'{rate:.2f} GB/s', f'half of memcpy, {copy / 2:.2f} GB/s'
        yield '    all_reduce', f'{(1 << 20) / rate / 1e3:.0f} us', ''
        for name, seconds in found['parts'].items():
            yield f'    {name} of 1 MB', f'{seconds * 1e6:.0f} us', ''
        yield '    memcpy of 1 MB', f'{(1 << 20) / copy / 1e3:.0f} us', ''
        if torch:
            other = of_torch(torch)['torch']
            yield "torch's gloo, 4 B", f'{other["latency"] * 1e6:.1f} us', ''
            yield "torch's gloo, 1 MB", f'{other["rate"] / 1e9:.2f} GB/s', f'{rate / 2:.2f} GB/s'
    if wanted('parallel'):
        found = launched('parallel')['parallel']
        one = figures_of([sys.executable, __file__, '--rank', 'one'], OMP_NUM_THREADS='1')['one']
        low, median, high = launched('overlap')['overlap']['quarters']
        yield 'DataParallel, overlap: median of 41 steps', f'{median:.2f}', '0.7'
        yield '    quarters', f'{low:.2f} to {high:.2f}', ''
        yield '    by the difference of times', f'{found["overlap"]:.2f}', ''
        speedup = 2 * one['step'] / found['step']
        yield 'DataParallel, samples/s of one process', f'{speedup:.2f}', '1.7'
        yield 'the same, both ranks busy', f'{found["speedup"]:.2f}', ''
        for name in ('alone', 'communication', 'step'):
            yield f'    {name}', f'{found[name] * 1e3:.1f} ms', ''
        yield '    one process', f'{one["step"] * 1e3:.1f} ms', ''
    if wanted('add'):
        found = launched('add')['add']
        more = (found['distributed'] - found['dense']) * 1e6
        yield 'a + b of distributed tensors, more than dense', f'{more:.2f} us', '3 us'
    if wanted('traffic'):
        yield '1,000 random moves, bytes above the least', f'{traffic() - 1:.1%}', '10 %'
    if wanted('many'):
        found = figures_of([sys.executable, __file__, '--rank', 'many'])['many']
        yield 'LLaMA of 32 layers, rank of 1,024', f'{found["seconds"]:.2f} s', '5 s'
        yield 'the same, memory', f'{found["memory"] / 1e9:.2f} GB', '1 GB'


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--torch', help='a Python that has torch')
    parser.add_argument('--only', help='one of start, reduce, parallel, add, traffic, many')
    parser.add_argument('--rank', help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.rank:
        globals()[f'rank_{args.rank}']()
        return
    print(f'{"":48} {"here":>12}   aim')
    for what, figure, aim in rows(args.torch, args.only):
        print(f'{what:48} {figure:>12}   {aim}', flush=True)
    print('load of the machine:', *(f'{x:.1f}' for x in os.getloadavg()))


if __name__ == '__main__':
    main()
