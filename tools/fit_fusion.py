# SPDX-License-Identifier: Apache-2.0
"""Measures fused groups against their single operations and fits the cost model that chooses
between them.

    python tools/fit_fusion.py measure [--programs N] [--rounds N]
    python tools/fit_fusion.py fit

`measure` (with the package on PYTHONPATH; takes minutes) runs the programs of bench.py and random
ones on one thread with FLAGS_cinn_trial=1 in processes of their own, and writes the best times of
all rounds with the counts the model reads (paddle/cinn/fusion/cost_model.h) to
cost_measurements.csv. `fit` writes the coefficients in ns to cost_table.inc and says what the
choices cost: the time of all measured groups in the chosen way, against always fused and against
the faster way of each.
"""

import argparse
import csv
import os
import pathlib
import random
import re
import subprocess
import sys

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parents[1] / 'paddle/cinn/fusion'
MEASURED, TABLE = FOLDER / 'cost_measurements.csv', FOLDER / 'cost_table.inc'
COUNTS = ['calls', 'operations', 'tails', 'bytes', 'strided', 'masked', 'loops', 'reductions']
SLOWER = 1.2  # kSlower of paddle/executor/trial.cc

CHEAP = ['abs', 'relu', 'square', 'scale', 'leaky_relu', 'floor']
COSTLY = [
    'exp',
    'tanh',
    'sigmoid',
    'gelu',
    'silu',
    'erf',
    'sin',
    'log1p',
    'sqrt',
    'rsqrt',
    'asinh',
    'atan',
]
BINARY = ['add', 'subtract', 'multiply', 'maximum', 'divide']
SHAPES = [
    [512, 512],
    [2048, 256],
    [100, 4000],
    [20000, 8],
    [8, 20000],
    [3000, 33],
    [64, 64, 64],
    [200, 256, 8],
    [256, 8, 33],
    [32, 50, 32, 8],
    [16, 16, 32, 32],
    [16, 33, 32, 25],
    [16, 128, 4, 64],
    [300000],
    [128, 200],
]


class Program:
    """A random function of a few tensors, of the kind groups are made of."""

    def __init__(self, seed):
        import paddle

        self.rng = r = random.Random(seed)
        self.shape = r.choice(SHAPES)
        self.dtype = r.choice(['float32'] * 7 + ['float64', 'bfloat16', 'int64'])
        self.inputs = [self.input(paddle, k) for k in range(r.randint(1, 3))]
        self.gradient = r.random() < 0.5 and self.dtype != 'int64'
        for x in self.inputs:
            x.stop_gradient = not self.gradient
        self.steps = r.randint(2, 9)
        self.seed = seed

    def input(self, paddle, k):
        r, shape = self.rng, list(self.shape)
        how = r.random() if k or len(shape) > 1 else 0
        if k and 0.5 < how < 0.6:
            shape = shape[-1:]
        elif k and 0.6 < how < 0.7:
            shape[-1] = 1
        array = np.random.RandomState(k).uniform(0.2, 3, shape).astype('float32')
        if 0.8 < how < 0.9 and len(shape) > 1:
            return (
                paddle.to_tensor(array.T.copy())
                .astype(self.dtype)
                .transpose(list(range(len(shape)))[::-1])
            )
        if how > 0.9:
            return paddle.to_tensor(np.repeat(array, 2, -1)).astype(self.dtype)[..., ::2]
        return paddle.to_tensor(array).astype(self.dtype)

    def __call__(self, *inputs):
        import paddle

        r, values, results = random.Random(self.seed), list(inputs), []
        F, real = paddle.nn.functional, self.dtype != 'int64'
        for _ in range(self.steps):
            x, kind = r.choice(values[-3:]), r.random()
            if kind < 0.2:
                name = r.choice(CHEAP[:1] + CHEAP[2:4] if not real else CHEAP)
                x = getattr(F if 'relu' in name else paddle, name)(
                    x, **({'scale': 2.0} if name == 'scale' else {})
                )
            elif kind < 0.4 and real:
                name = r.choice(COSTLY)
                x = getattr(F if name in ('gelu', 'silu') else paddle, name)(x)
            elif kind < 0.7:
                y = r.choice(values)
                try:
                    np.broadcast_shapes(tuple(x.shape), tuple(y.shape))
                except ValueError:
                    continue
                x = getattr(paddle, r.choice(BINARY if real else BINARY[:4]))(x, y)
            elif kind < 0.85:
                axes = r.sample(range(x.ndim), r.choice([1, 1, min(2, x.ndim)]))
                y = getattr(paddle, r.choice(['sum', 'mean', 'max'] if real else ['sum', 'max']))(
                    x, axes[0] if len(axes) == 1 else sorted(axes), keepdim=True
                )
                results.append(y)
                x = x - y if r.random() < 0.6 and x.dtype == y.dtype else x
            elif kind < 0.9 and real:
                x = (
                    r.choice([F.softmax, F.log_softmax])(x)
                    if r.random() < 0.5
                    else F.layer_norm(x, x.shape[-1:])
                )
            else:
                x = self.move(paddle, r, x)
            values.append(x)
        results.append(values[-1])
        return results

    @staticmethod
    def move(paddle, r, x):
        axis, kind = (
            r.randrange(x.ndim),
            r.choice(['transpose', 'slice', 'halves', 'roll', 'gather', 'pad']),
        )
        n = x.shape[axis]
        if kind == 'transpose':
            return x.transpose(r.sample(range(x.ndim), x.ndim))
        if kind == 'slice' and n > 2:
            return x.slice([axis], [n // 4], [n])
        if kind == 'halves' and n % 2 == 0:
            a, b = paddle.split(x, 2, axis)
            return paddle.concat([b, a * 2], axis)
        if kind == 'gather':
            return paddle.gather(x, paddle.to_tensor([(k * 7) % n for k in range(n)]), axis)
        if kind == 'pad' and x.ndim > 1:
            return paddle.nn.functional.pad(x, [1, 1] + [0, 0] * (x.ndim - 1))
        return paddle.roll(x, 3, axis)

    def run(self):
        import paddle

        function = paddle.jit.to_static(self.__call__, full_graph=True, backend='CINN')
        for _ in range(3):
            results = function(*self.inputs)
            if self.gradient:
                sum(y.astype('float32').mean() for y in results).backward()


def work(programs):
    """Runs the programs of bench.py and random ones; the library tells times and counts on
    stderr.
    """
    from bench_models import WORKLOADS, Framework

    for name, make in WORKLOADS.items():
        print(f'program {name}', file=sys.stderr, flush=True)
        run = make(Framework('paddle-cinn' if 'served' in name else 'paddle'))
        for _ in range(3):
            run()
    for seed in range(programs):
        print(f'program {seed}', file=sys.stderr, flush=True)
        try:
            Program(seed).run()
        except (ValueError, RuntimeError) as error:
            print(f'program {seed} stopped: {error}', file=sys.stderr)


def read(text):
    """{(program, number of the group in it): (name, us fused, us single, counts)}"""
    rows, program, number, counts = {}, '', 0, []
    for line in text.splitlines():
        if m := re.match(r'program (\w+)$', line):
            program, number = m[1], 0
        elif line.startswith('cinn: counts '):
            counts = [int(c) for c in line.split()[2:]]
        elif m := re.match(
            r'cinn: group of (.*): .*, ([\d.]+) us fused, ([\d.]+) us as single operations$', line
        ):
            rows[program, number] = m[1], float(m[2]), float(m[3]), counts
            number += 1
    return rows


def measure(programs, rounds):
    environment = {
        **os.environ,
        'OMP_NUM_THREADS': '1',
        'FLAGS_cinn_trial': '1',
        'FLAGS_cinn_explain': '1',
    }
    command, best = [sys.executable, __file__, 'work', '--programs', str(programs)], {}
    for _ in range(rounds):
        text = subprocess.run(
            command, env=environment, stderr=subprocess.PIPE, text=True, check=True
        ).stderr
        for key, (name, fused, single, counts) in read(text).items():
            _, f, s, _ = best.get(key, (name, fused, single, counts))
            best[key] = name, min(f, fused), min(s, single), counts
    with MEASURED.open('w', newline='') as file:
        out = csv.writer(file, lineterminator='\n')
        ways = [f'{way} {c}' for way in ('fused', 'single') for c in COUNTS]
        out.writerow(['group', 'fused us', 'single us', *ways])
        for name, fused, single, counts in best.values():
            out.writerow([name if len(name) < 60 else name[:57] + '...', fused, single, *counts])


def coefficients(counts, us):
    """Nonnegative ns for each count: logarithms of predicted and measured times are near."""
    from scipy.optimize import least_squares, nnls

    found, met = np.zeros(counts.shape[1]), counts.any(0)
    counts = counts[:, met]
    start, _ = nnls(counts / us[:, None] / 1e3, np.ones(len(us)))

    def off(p):
        return np.log(counts @ np.exp(p) / 1e3) - np.log(us)

    start = np.log(np.maximum(start, 1e-5))
    found[met] = np.exp(least_squares(off, start, loss='soft_l1', f_scale=0.2).x)
    return found


def fit():
    with MEASURED.open() as file:
        rows = [[float(v) for v in row[1:]] for row in list(csv.reader(file))[1:]]
    table = np.array(rows)
    fused, single, n = table[:, 0], table[:, 1], len(COUNTS)
    found = coefficients(table[:, 2 : 2 + n], fused), coefficients(table[:, 2 + n :], single)
    lines = [
        f'constexpr Coefficients k{way}Ns = {{{", ".join(f"{c:.3g}" for c in values)}}};'
        for way, values in zip(('Fused', 'Single'), found, strict=True)
    ]
    TABLE.write_text('\n'.join(lines) + '\n')
    guess = [table[:, 2 + k * n : 2 + (k + 1) * n] @ found[k] / 1e3 for k in (0, 1)]
    for way, us, g in zip(('fused', 'single'), (fused, single), guess, strict=True):
        off = np.abs(g / us - 1)
        print(f'{way}: median error {np.median(off):.0%}, 90 % below {np.quantile(off, 0.9):.0%}')
    best = np.minimum(fused, single)
    chosen = np.where(guess[0] > SLOWER * guess[1], single, fused)
    slower = int((fused > SLOWER * single).sum())
    print(f'{len(table)} groups, {slower} take more than {SLOWER} times their operations;')
    print(f'the model says so of {int((chosen == single).sum())}')
    for name, us in (('always fused', fused), ('the model', chosen), ('the faster way', best)):
        ratio = us / best
        mean = np.exp(np.log(ratio).mean())
        print(f'{name}: {us.sum() / 1e3:.1f} ms, {mean:.3f} times the faster way (geometric mean),')
        print(f'    at most {ratio.max():.2f}')


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('what', choices=['measure', 'fit', 'work'])
    parser.add_argument('--programs', type=int, default=250)
    parser.add_argument('--rounds', type=int, default=3)
    a = parser.parse_args()
    if a.what == 'work':
        work(a.programs)
    if a.what == 'measure':
        measure(a.programs, a.rounds)
    if a.what in ('measure', 'fit'):
        fit()


if __name__ == '__main__':
    main()
