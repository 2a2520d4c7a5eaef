# SPDX-License-Identifier: Apache-2.0
"""Inference side by side: predictors of one or more `paddle` packages and torch's eager mode, in alternating processes.

    python tools/bench.py ours=paddle:PYTHON published=paddle:PYTHON torch=torch:PYTHON [--rounds N] [--only RE] [--threads N]

A peer is NAME=KIND:INTERPRETER, KIND one of paddle, paddle+cinn, torch. Every paddle peer exports the model itself and runs it with the
default Config. A figure is the best of all rounds, in milliseconds; a ratio above 1 means that the first peer is faster. A result
that differs from the same package's eager mode by more than 1e-3 is reported instead of its time.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time


def best(call, seconds):
    """The shortest time of a call, in milliseconds."""
    for _ in range(4):
        call()
    found, end = float('inf'), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        call()
        found = min(found, time.perf_counter() - start)
    return found * 1e3


class Names:
    """The names both packages have for the same layers."""

    def __init__(self, torch):
        if torch:
            import torch as package
            from torch import nn
            package.manual_seed(0)
            self.F, self.Base, self.List = nn.functional, nn.Module, nn.ModuleList
            self.conv = lambda i, o, n, s: nn.Conv2d(i, o, n, s, n // 2, bias=False)
            self.norm2d, self.pool = nn.BatchNorm2d, nn.MaxPool2d
            self.average = nn.AdaptiveAvgPool2d
            self.linear = lambda i, o, bias=True: nn.Linear(i, o, bias=bias)
            self.transpose = lambda x, axes: x.permute(axes)
            self.cat = lambda parts: package.cat(parts, -1)
            self.parameter = lambda owner, n: nn.Parameter(package.ones(n))
        else:
            import paddle as package
            from paddle import nn
            package.seed(0)
            self.F, self.Base, self.List = nn.functional, nn.Layer, nn.LayerList
            self.conv = lambda i, o, n, s: nn.Conv2D(i, o, n, s, n // 2, bias_attr=False)
            self.norm2d, self.pool = nn.BatchNorm2D, nn.MaxPool2D
            self.average = nn.AdaptiveAvgPool2D
            self.linear = lambda i, o, bias=True: nn.Linear(i, o, bias_attr=None if bias else False)
            self.transpose = package.transpose
            self.cat = lambda parts: package.concat(parts, -1)
            self.parameter = lambda owner, n: owner.create_parameter([n], default_initializer=nn.initializer.Constant(1.0))
        self.package, self.nn = package, nn


def resnet18(k, random):
    class Block(k.Base):
        def __init__(self, i, o, stride):
            super().__init__()
            self.c1, self.b1, self.c2, self.b2 = k.conv(i, o, 3, stride), k.norm2d(o), k.conv(o, o, 3, 1), k.norm2d(o)
            self.down = k.nn.Sequential(k.conv(i, o, 1, stride), k.norm2d(o)) if stride != 1 or i != o else None

        def forward(self, x):
            y = self.b2(self.c2(k.F.relu(self.b1(self.c1(x)))))
            return k.F.relu(y + (x if self.down is None else self.down(x)))
    layers, i = [k.conv(3, 64, 7, 2), k.norm2d(64), k.nn.ReLU(), k.pool(3, 2, 1)], 64
    for o, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Block(i, o, stride), Block(o, o, 1)]
        i = o
    net = k.nn.Sequential(*layers, k.average(1), k.nn.Flatten(), k.linear(512, 1000))
    return net, [random.standard_normal((1, 3, 224, 224)).astype('float32')]


def heads_of(k, x, heads):
    b, t, width = x.shape
    return k.transpose(x.reshape([b, t, heads, width // heads]), [0, 2, 1, 3])


def bert(k, random, width=768, heads=12, layers=4, words=4000, batch=1, length=128):
    class Layer(k.Base):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v, self.o = (k.linear(width, width) for _ in range(4))
            self.up, self.down = k.linear(width, 4 * width), k.linear(4 * width, width)
            self.n1, self.n2 = k.nn.LayerNorm(width), k.nn.LayerNorm(width)

        def forward(self, x, mask):
            q, key, v = (heads_of(k, f(x), heads) for f in (self.q, self.k, self.v))
            scores = k.package.matmul(q, k.transpose(key, [0, 1, 3, 2])) * (width // heads) ** -0.5 + mask
            y = k.package.matmul(k.F.softmax(scores, -1), v)
            x = self.n1(x + self.o(k.transpose(y, [0, 2, 1, 3]).reshape(list(x.shape))))
            return self.n2(x + self.down(k.F.gelu(self.up(x))))

    class Net(k.Base):
        def __init__(self):
            super().__init__()
            self.word, self.place = k.nn.Embedding(words, width), k.nn.Embedding(length, width)
            self.norm, self.layers = k.nn.LayerNorm(width), k.List([Layer() for _ in range(layers)])
            self.head = k.linear(width, 2)

        def forward(self, words, places, mask):
            x = self.norm(self.word(words) + self.place(places))
            for layer in self.layers:
                x = layer(x, mask)
            return self.head(x[:, 0])
    mask = random.rand(batch, 1, 1, length).round().astype('float32') * -1e4
    return Net(), [random.randint(0, words, (batch, length)).astype('int64'), random.permutation(length)[None].astype('int64'), mask]


def llama(k, random, width=256, layers=4, heads=8, words=4096, hidden=688, batch=4, length=128):
    class Norm(k.Base):
        def __init__(self):
            super().__init__()
            self.w = k.parameter(self, width)

        def forward(self, x):
            return x * k.package.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * self.w

    class Layer(k.Base):
        def __init__(self):
            super().__init__()
            self.n1, self.n2 = Norm(), Norm()
            self.q, self.k, self.v, self.o = (k.linear(width, width, False) for _ in range(4))
            self.g, self.u, self.d = k.linear(width, hidden, False), k.linear(width, hidden, False), k.linear(hidden, width, False)

        def forward(self, x, cos, sin, mask):
            h = self.n1(x)
            q, key, v = (heads_of(k, f(h), heads) for f in (self.q, self.k, self.v))
            half = width // heads // 2

            def turned(z):
                a, c = z[..., :half], z[..., half:]
                return k.cat([a * cos - c * sin, c * cos + a * sin])
            q, key = turned(q), turned(key)
            w = k.F.softmax(k.package.matmul(q, k.transpose(key, [0, 1, 3, 2])) * (width // heads) ** -0.5 + mask, -1)
            x = x + self.o(k.transpose(k.package.matmul(w, v), [0, 2, 1, 3]).reshape(list(x.shape)))
            h = self.n2(x)
            return x + self.d(k.F.silu(self.g(h)) * self.u(h))

    class Net(k.Base):
        def __init__(self):
            super().__init__()
            self.words, self.layers = k.nn.Embedding(words, width), k.List([Layer() for _ in range(layers)])
            self.norm, self.head = Norm(), k.linear(width, words, False)

        def forward(self, ids, cos, sin, mask):
            x = self.words(ids)
            for layer in self.layers:
                x = layer(x, cos, sin, mask)
            return self.head(self.norm(x))
    import numpy as np
    half = width // heads // 2
    angle = np.outer(np.arange(length), 10000.0 ** (-np.arange(half) / half)).astype('float32')
    mask = np.triu(np.full((length, length), -1e9, 'float32'), 1)
    return Net(), [random.randint(0, words, (batch, length)).astype('int64'), np.cos(angle), np.sin(angle), mask]


MODELS = {'resnet18_b1': resnet18, 'bert_b1_l128': bert, 'llama_b4_l128': llama}


def worker(kind, names, seconds, threads):
    """Prints a line of JSON for each model."""
    import numpy as np
    k = Names(kind == 'torch')
    for name in names:
        net, arrays = MODELS[name](k, np.random.RandomState(0))
        net.eval()
        if kind == 'torch':
            k.package.set_num_threads(threads)
            inputs = [k.package.tensor(a) for a in arrays]
            with k.package.no_grad():
                row = {'ms': best(lambda: net(*inputs), seconds)}
        else:
            try:
                row = predictor(k.package, kind, net, arrays, seconds, threads)
            except Exception as e:  # a peer that cannot run a model is a result
                row = {'error': f'{type(e).__name__}: {str(e).strip()[:160]}'}
        print(json.dumps({'name': name, **row}), flush=True)


def predictor(paddle, kind, net, arrays, seconds, threads):
    import numpy as np
    from paddle import inference
    want = net(*map(paddle.to_tensor, arrays)).numpy()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'net')
        paddle.jit.save(net, path, input_spec=[paddle.static.InputSpec(list(a.shape), str(a.dtype), f'x{i}') for i, a in enumerate(arrays)])
        config = inference.Config(path + '.json', path + '.pdiparams')
        config.disable_glog_info()
        config.switch_ir_optim(True)
        config.set_cpu_math_library_num_threads(threads)
        if kind == 'paddle+cinn':
            config.enable_cinn()
        run = inference.create_predictor(config)
        for name, array in zip(run.get_input_names(), arrays):
            run.get_input_handle(name).copy_from_cpu(array)
        run.run()
        got = run.get_output_handle(run.get_output_names()[0]).copy_to_cpu()
        worst = float(np.abs(got - want).max() / np.abs(want).max())
        if not worst < 1e-3:
            return {'error': f'wrong numbers: {worst:.1e} from eager'}
        return {'ms': best(run.run, seconds)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('peer', nargs='*', help='NAME=KIND:INTERPRETER')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--seconds', type=float, default=2.0)
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument('--only', default='')
    parser.add_argument('--worker', help=argparse.SUPPRESS)
    args = parser.parse_args()
    names = [n for n in MODELS if re.search(args.only, n)]
    if args.worker:
        return worker(args.worker, names, args.seconds, args.threads)
    peers = [(p.partition('=')[0], *p.partition('=')[2].split(':', 1)) for p in args.peer]
    if not peers or any(len(p) != 3 or p[1] not in ('paddle', 'paddle+cinn', 'torch') for p in peers):
        parser.error('expected peers NAME=KIND:INTERPRETER, KIND one of paddle, paddle+cinn, torch')
    found, errors = {}, {}
    environment = {**os.environ, 'OMP_NUM_THREADS': str(args.threads), 'FLAGS_logtostderr': '0'}
    for turn in range(args.rounds):
        for peer, kind, python in peers:
            for model in names:
                command = [python, os.path.abspath(__file__), '--worker', kind, '--only', f'^{model}$', '--seconds', str(args.seconds),
                           '--threads', str(args.threads)]
                done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tempfile.gettempdir())
                row = next((json.loads(x) for x in done.stdout.splitlines() if x.startswith('{')), None)
                row = row or {'error': f'the process ended with status {done.returncode}: {done.stderr.strip()[-160:]}'}
                if 'ms' in row:
                    found[model, peer] = min(row['ms'], found.get((model, peer), float('inf')))
                else:
                    errors[model, peer] = row['error']
        print(f'round {turn + 1} of {args.rounds}', file=sys.stderr, flush=True)
    labels = [p[0] for p in peers]
    print('| model | ' + ' | '.join(f'{n} ms' for n in labels) + ' | ' + ' | '.join(f'x {n}' for n in labels[1:]) + ' |')
    print('|---' * (2 * len(labels)) + '|')
    for model in names:
        row = [found.get((model, n)) for n in labels]
        ratios = [f'{v / row[0]:.2f}' if v and row[0] else '-' for v in row[1:]]
        print(f'| {model} | ' + ' | '.join('-' if v is None else f'{v:.2f}' for v in row) + ' | ' + ' | '.join(ratios) + ' |')
    for (model, peer), text in errors.items():
        print(f'{model}, {peer}: {text}')


if __name__ == '__main__':
    main()
