# SPDX-License-Identifier: Apache-2.0
"""Training steps and small functions, compiled and as they are, side by side with other frameworks.

    python tools/bench_compiled.py ours=paddle:PYTHON ours-eager=paddle-eager:PYTHON torch=torch-eager:PYTHON

An argument is a column: its name, what runs (paddle, paddle-eager, paddle-plain: to_static without the fusion
compiler, torch, torch-eager, jax) and the interpreter that has it. Columns take turns in processes of their own, and
a figure is the best of all rounds in ms. Ratios say how many times faster the first column is; the last line is their
geometric mean.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import time

WORKLOADS = {}


def workload(function):
    WORKLOADS[function.__name__] = function
    return function


class Framework:
    """The little that differs between paddle and torch in the workloads below."""

    def __init__(self, kind):
        name, _, how = kind.partition('-')
        self.is_paddle, self.eager, self.fuse = name == 'paddle', how == 'eager', how != 'plain'
        if self.is_paddle:
            import paddle as api
        else:
            import torch as api

            api.set_num_threads(int(os.environ['OMP_NUM_THREADS']))
        self.api, self.nn, self.F = api, api.nn, api.nn.functional
        self.Layer = api.nn.Layer if self.is_paddle else api.nn.Module

    def tensor(self, array, grad=False):
        if not self.is_paddle:
            return self.api.tensor(array, requires_grad=grad)
        return self.api.to_tensor(array, stop_gradient=not grad)

    def compile(self, function):
        if self.eager:
            return function
        if not self.is_paddle:
            return self.api.compile(function)
        return self.api.jit.to_static(function, full_graph=True, backend='CINN' if self.fuse else None)

    def adamw(self, model):
        if self.is_paddle:
            return self.api.optimizer.AdamW(1e-3, parameters=model.parameters())
        return self.api.optim.AdamW(model.parameters(), 1e-3)

    def momentum(self, model):
        if self.is_paddle:
            return self.api.optimizer.Momentum(0.01, 0.9, parameters=model.parameters())
        return self.api.optim.SGD(model.parameters(), 0.01, momentum=0.9)

    def step(self, loss, optimizer, *inputs):
        """One training step of `loss(*inputs)`."""
        compiled = self.compile(loss)
        clear = optimizer.clear_grad if self.is_paddle else optimizer.zero_grad

        def run():
            compiled(*inputs).backward()
            optimizer.step()
            clear()

        return run

    def gradient(self, y, x):
        gradients = self.api.grad if self.is_paddle else self.api.autograd.grad
        return gradients(y, [x], create_graph=True)[0]

    def linear(self, inputs, outputs, bias=True):
        return self.nn.Linear(inputs, outputs, **({} if bias else {'bias_attr' if self.is_paddle else 'bias': False}))

    def conv(self, inputs, outputs, size, stride=1, padding=0, bias=True):
        cls = self.nn.Conv2D if self.is_paddle else self.nn.Conv2d
        off = {} if bias else {'bias_attr' if self.is_paddle else 'bias': False}
        return cls(inputs, outputs, size, stride, padding, **off)

    def layers(self, items):
        return (self.nn.LayerList if self.is_paddle else self.nn.ModuleList)(items)

    def batch_norm(self, n):
        return (self.nn.BatchNorm2D if self.is_paddle else self.nn.BatchNorm2d)(n)

    def max_pool(self, *args):
        return (self.nn.MaxPool2D if self.is_paddle else self.nn.MaxPool2d)(*args)

    def concat(self, items, axis):
        return self.api.concat(items, axis) if self.is_paddle else self.api.cat(items, axis)

    def transpose(self, x, order):
        return self.api.transpose(x, order) if self.is_paddle else x.permute(order)

    def ones(self, n):
        if not self.is_paddle:
            return self.nn.Parameter(self.api.ones(n))
        return self.api.create_parameter([n], 'float32', default_initializer=self.nn.initializer.Constant(1.0))


def numbers(*shape):
    import numpy as np

    return np.random.RandomState(sum(shape)).standard_normal(shape).astype('float32')


def labels(classes, *shape):
    import numpy as np

    return np.random.RandomState(classes).randint(0, classes, shape).astype('int64')


@workload
def lenet(k):
    """Batch 64, momentum."""
    relu, pool = k.nn.ReLU(), k.max_pool(2, 2)
    model = k.nn.Sequential(
        k.conv(1, 6, 3, 1, 1), relu, pool, k.conv(6, 16, 5), relu, pool, k.nn.Flatten(),
        k.linear(400, 120), k.linear(120, 84), k.linear(84, 10),
    )  # fmt: skip
    x, y = k.tensor(numbers(64, 1, 28, 28)), k.tensor(labels(10, 64))

    def loss(x, y):
        return k.F.cross_entropy(model(x), y)

    return k.step(loss, k.momentum(model), x, y)


@workload
def resnet18(k):
    """Batch 8 of 224 x 224, momentum."""

    class Block(k.Layer):
        def __init__(self, inputs, outputs, stride):
            super().__init__()
            self.conv1, self.norm1 = k.conv(inputs, outputs, 3, stride, 1, False), k.batch_norm(outputs)
            self.conv2, self.norm2 = k.conv(outputs, outputs, 3, 1, 1, False), k.batch_norm(outputs)
            self.down = None
            if stride != 1:
                self.down = k.nn.Sequential(k.conv(inputs, outputs, 1, stride, 0, False), k.batch_norm(outputs))

        def forward(self, x):
            y = self.norm2(self.conv2(k.F.relu(self.norm1(self.conv1(x)))))
            return k.F.relu(y + (x if self.down is None else self.down(x)))

    items, inputs = [k.conv(3, 64, 7, 2, 3, False), k.batch_norm(64), k.nn.ReLU(), k.max_pool(3, 2, 1)], 64
    for outputs in (64, 128, 256, 512):
        items += [Block(inputs, outputs, 1 if outputs == 64 else 2), Block(outputs, outputs, 1)]
        inputs = outputs
    mean = k.nn.AdaptiveAvgPool2D(1) if k.is_paddle else k.nn.AdaptiveAvgPool2d(1)
    model = k.nn.Sequential(*items, mean, k.nn.Flatten(), k.linear(512, 1000))
    x, y = k.tensor(numbers(8, 3, 224, 224)), k.tensor(labels(1000, 8))

    def loss(x, y):
        return k.F.cross_entropy(model(x), y)

    return k.step(loss, k.momentum(model), x, y)


def attention(k, q, key, v, heads, mask=None):
    """Multi-head attention on [batch, time, width] from elementary operations; `q` and `key` are split by heads."""
    weight = k.api.matmul(q, k.transpose(key, [0, 1, 3, 2])) * q.shape[-1] ** -0.5
    out = k.api.matmul(k.F.softmax(weight if mask is None else weight + mask, -1), v)
    b, h, t, d = out.shape
    return k.transpose(out, [0, 2, 1, 3]).reshape([b, t, h * d])


def split_heads(k, x, heads):
    b, t, width = x.shape
    return k.transpose(x.reshape([b, t, heads, width // heads]), [0, 2, 1, 3])


@workload
def llama(k, width=256, depth=4, heads=8, vocabulary=4096, hidden=688, batch=4, time=128):
    """Four layers of width 256: RMS norm, rotary positions, gated units; AdamW."""
    import numpy as np

    half = width // heads // 2
    angle = np.outer(np.arange(time), 10000.0 ** (-np.arange(half) / half))
    cos, sin = k.tensor(np.cos(angle).astype('float32')), k.tensor(np.sin(angle).astype('float32'))
    mask = k.tensor(np.triu(np.full((time, time), -1e9, 'float32'), 1))

    def turn(z):
        a, b = z[..., :half], z[..., half:]
        return k.concat([a * cos - b * sin, b * cos + a * sin], -1)

    class Norm(k.Layer):
        def __init__(self):
            super().__init__()
            self.weight = k.ones(width)

        def forward(self, x):
            return x * k.api.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * self.weight

    class Block(k.Layer):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = Norm(), Norm()
            self.q, self.k, self.v, self.o = (k.linear(width, width, False) for _ in range(4))
            self.gate, self.up, self.down = (
                k.linear(width, hidden, False), k.linear(width, hidden, False), k.linear(hidden, width, False)
            )  # fmt: skip

        def forward(self, x):
            h = self.norm1(x)
            q, key, v = (split_heads(k, f(h), heads) for f in (self.q, self.k, self.v))
            x = x + self.o(attention(k, turn(q), turn(key), v, heads, mask))
            h = self.norm2(x)
            return x + self.down(k.F.silu(self.gate(h)) * self.up(h))

    class Model(k.Layer):
        def __init__(self):
            super().__init__()
            self.words, self.blocks = k.nn.Embedding(vocabulary, width), k.layers([Block() for _ in range(depth)])
            self.norm, self.head = Norm(), k.linear(width, vocabulary, False)

        def forward(self, ids):
            x = self.words(ids)
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x))

    model, ids = Model(), labels(vocabulary, batch, time + 1)

    def loss(x, y):
        return k.F.cross_entropy(model(x).reshape([-1, vocabulary]), y.reshape([-1]))

    return k.step(loss, k.adamw(model), k.tensor(ids[:, :-1].copy()), k.tensor(ids[:, 1:].copy()))


@workload
def bert(k, width=256, depth=4, heads=4, vocabulary=4096, batch=8, time=128):
    """Four layers of width 256: layer norm behind each part, gelu, biases, word and position embeddings; AdamW."""

    class Block(k.Layer):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = k.nn.LayerNorm(width), k.nn.LayerNorm(width)
            self.q, self.k, self.v, self.o = (k.linear(width, width) for _ in range(4))
            self.up, self.down = k.linear(width, 4 * width), k.linear(4 * width, width)

        def forward(self, x):
            q, key, v = (split_heads(k, f(x), heads) for f in (self.q, self.k, self.v))
            x = self.norm1(x + self.o(attention(k, q, key, v, heads)))
            return self.norm2(x + self.down(k.F.gelu(self.up(x))))

    class Model(k.Layer):
        def __init__(self):
            super().__init__()
            self.words, self.places = k.nn.Embedding(vocabulary, width), k.nn.Embedding(time, width)
            self.norm, self.blocks = k.nn.LayerNorm(width), k.layers([Block() for _ in range(depth)])
            self.head = k.linear(width, vocabulary)

        def forward(self, ids, places):
            x = self.norm(self.words(ids) + self.places(places))
            for block in self.blocks:
                x = block(x)
            return self.head(x)

    model, ids = Model(), labels(vocabulary, batch, time)

    def loss(x, y, places):
        return k.F.cross_entropy(model(x, places).reshape([-1, vocabulary]), y.reshape([-1]))

    inputs = ids, ids[:, ::-1].copy(), labels(time, 1, time)
    return k.step(loss, k.adamw(model), *(k.tensor(i) for i in inputs))


def burgers(k, points, width, depth=5):
    """A physics-informed network for Burgers' equation: second derivatives by nested gradients; AdamW."""
    items = [k.linear(2, width), k.nn.Tanh()]
    for _ in range(depth - 1):
        items += [k.linear(width, width), k.nn.Tanh()]
    model = k.nn.Sequential(*items, k.linear(width, 1))

    def loss(x, t):
        u = model(k.concat([x, t], 1))
        ux, ut = k.gradient(u.sum(), x), k.gradient(u.sum(), t)
        return ((ut + u * ux - 0.01 / math.pi * k.gradient(ux.sum(), x)) ** 2).mean()

    return k.step(loss, k.adamw(model), k.tensor(numbers(points, 1), True), k.tensor(abs(numbers(points, 1)), True))


@workload
def pinn(k):
    return burgers(k, 4096, 64)


@workload
def pinn_small(k):
    return burgers(k, 256, 20)


def inference(k, function, *inputs):
    compiled = k.compile(function)

    def run():
        with k.api.no_grad():
            return compiled(*inputs)

    return run


@workload
def rms_norm(k):
    """2048 x 1024, from elementary operations."""

    def norm(x, w):
        return x * k.api.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * w

    return inference(k, norm, k.tensor(numbers(2048, 1024)), k.tensor(numbers(1024)))


@workload
def gelu_chain(k):
    """4096 x 1024."""

    def chain(x, b, r):
        return k.F.gelu(x + b) * 0.5 + k.api.tanh(r) * x

    shapes = (4096, 1024), (1024,), (4096, 1024)
    return inference(k, chain, *(k.tensor(numbers(*s)) for s in shapes))


def best(run, seconds, clock):
    for _ in range(8):
        run()
    least, end = math.inf, time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = clock()
        run()
        least = min(least, clock() - start)
    return least * 1e3


def work(kind, only, seconds, clock):
    """Prints one JSON line for each workload; what does not run there says why."""
    if kind == 'jax':
        import bench_compiled_jax

        table, k = bench_compiled_jax.WORKLOADS, None
    else:
        table, k = WORKLOADS, Framework(kind)
    for name, make in table.items():
        if not re.search(only, name):
            continue
        try:
            print(json.dumps([name, best(make(k), seconds, clock)]), flush=True)
        except Exception as error:  # noqa: BLE001 whatever keeps this workload from running there
            print(json.dumps([name, f'{type(error).__name__}: {str(error)[:200]}']), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('columns', nargs='*', metavar='NAME=WHAT:PYTHON')
    parser.add_argument('--only', default='', help='a regular expression for names of workloads')
    parser.add_argument('--rounds', type=int, default=2)
    parser.add_argument('--seconds', type=float, default=1.0)
    parser.add_argument('--threads', default='2')
    parser.add_argument('--cpu', action='store_true', help='processor time, which with one thread holds on a busy machine')
    parser.add_argument('--work', help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        return work(args.work, args.only, args.seconds, time.process_time if args.cpu else time.perf_counter)
    columns = [(name, *rest.split(':', 1)) for name, rest in (c.split('=', 1) for c in args.columns)]
    times, errors = {name: {} for name, _, _ in columns}, []
    environment = {**os.environ, 'OMP_NUM_THREADS': args.threads}
    for _ in range(args.rounds):
        for name, kind, python in columns:
            command = [python, __file__, '--work', kind, '--only', args.only, '--seconds', str(args.seconds)]
            command += ['--cpu'] if args.cpu else []
            run = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
            for line in run.stdout.splitlines():
                if not line.startswith('['):
                    continue
                what, value = json.loads(line)
                if isinstance(value, str):
                    errors.append(f'{name} {what}: {value}')
                else:
                    times[name][what] = min(value, times[name].get(what, math.inf))
    first, others = columns[0][0], [name for name, _, _ in columns[1:]]
    print('| ms | ' + ' | '.join(times) + ' | ' + ' | '.join(f'{first} : {n}' for n in others) + ' |')
    print('|---' * (2 * len(columns)) + '|')
    ratios = {n: [] for n in others}
    for what in WORKLOADS:
        if not any(what in t for t in times.values()):
            continue
        row = [f'{times[n][what]:.4g}' if what in times[n] else '-' for n in times]
        for n in others:
            both = what in times[first] and what in times[n]
            if both:
                ratios[n].append(times[n][what] / times[first][what])
            row.append(f'{ratios[n][-1]:.2f}' if both else '-')
        print(f'| {what} | ' + ' | '.join(row) + ' |')
    means = [f'{math.exp(sum(map(math.log, r)) / len(r)):.2f}' if r else '-' for r in ratios.values()]
    print('| mean | ' + ' | '.join([''] * len(columns) + means) + ' |')
    for line in sorted(set(errors)):
        print(line)


if __name__ == '__main__':
    sys.exit(main())
