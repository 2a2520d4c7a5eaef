# SPDX-License-Identifier: Apache-2.0
"""Training steps, small functions and served models, side by side with other frameworks.

    python tools/bench.py ours=paddle:PYTHON ours-eager=paddle-eager:PYTHON torch=torch-eager:PYTHON
    [--only RE] [--json FILE]

An argument is a column: its name, what runs and the interpreter that has it. What runs: paddle
(to_static with the fusion compiler; served models through the predictor), paddle-plain (to_static
without it), paddle-cinn (the predictor with it), paddle-eager, torch (torch.compile), torch-eager,
jax. Columns take turns in processes of their own, and a figure is the best of all rounds in ms.
Ratios say how many times faster the first column is; the last line is their geometric mean.
bench_models.py holds the workloads. `--json docs/site/benchmarks.json` keeps the figures for the
page of the documentation site.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time

from bench_models import WORKLOADS, Framework

KINDS = ('paddle', 'paddle-plain', 'paddle-cinn', 'paddle-eager', 'torch', 'torch-eager', 'jax')


def best(run, seconds, clock):
    """The shortest time of a call, in ms."""
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
        import bench_jax

        table, k = bench_jax.WORKLOADS, None
    else:
        table, k = WORKLOADS, Framework(kind)
    for name, make in table.items():
        if not re.search(only, name):
            continue
        try:
            print(json.dumps([name, best(make(k), seconds, clock)]), flush=True)
        except Exception as error:  # noqa: BLE001 whatever keeps this workload from running there
            print(json.dumps([name, f'{type(error).__name__}: {str(error)[:200]}']), flush=True)


def measure(columns, args):
    """Best times by column and workload, and what went wrong."""
    times, errors = {name: {} for name, _, _ in columns}, set()
    environment = {**os.environ, 'OMP_NUM_THREADS': str(args.threads)}
    for turn in range(args.rounds):
        for name, kind, python in columns:
            command = [python, os.path.abspath(__file__), '--work', kind, '--only', args.only]
            command += ['--seconds', str(args.seconds)] + ['--cpu'] * args.cpu
            run = subprocess.run(
                command,
                check=False,
                capture_output=True,
                text=True,
                env=environment,
                cwd=tempfile.gettempdir(),
            )
            for line in run.stdout.splitlines():
                if not line.startswith('['):
                    continue
                what, value = json.loads(line)
                if isinstance(value, str):
                    errors.add(f'{name} {what}: {value}')
                else:
                    times[name][what] = min(value, times[name].get(what, math.inf))
            if run.returncode:
                errors.add(
                    f'{name}: the process ended with status {run.returncode}: '
                    f'{run.stderr.strip()[-200:]}'
                )
        print(f'round {turn + 1} of {args.rounds}', file=sys.stderr, flush=True)
    return times, errors


def table(times):
    """Prints the times and how many times faster the first column is."""
    first, *others = times
    print(
        '| ms | ' + ' | '.join(times) + ' | ' + ' | '.join(f'{first} : {n}' for n in others) + ' |'
    )
    print('|---' * (2 * len(times)) + '|')
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
    means = [
        f'{math.exp(sum(map(math.log, r)) / len(r)):.2f}' if r else '-' for r in ratios.values()
    ]
    print('| mean | ' + ' | '.join([''] * len(times) + means) + ' |')


VERSION = "import {0}; print({0}.__version__)"


def record(columns, args, times):
    """The figures with what they were measured on: {'columns': ..., 'times': ...}."""
    with open('/proc/cpuinfo') as file:
        model = next((line for line in file if line.startswith('model name')), ':')
    versions = {}
    for name, kind, python in columns:
        code = VERSION.format(kind.partition('-')[0])
        run = subprocess.run([python, '-c', code], check=False, capture_output=True, text=True)
        versions[name] = {'kind': kind, 'version': (run.stdout.split() or ['?'])[-1]}
    return {
        'processor': model.partition(':')[2].strip(),
        'threads': args.threads,
        'clock': 'processor' if args.cpu else 'wall',
        'rounds': args.rounds,
        'day': time.strftime('%Y-%m-%d'),
        'columns': versions,
        'times': {name: {k: round(v, 4) for k, v in own.items()} for name, own in times.items()},
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('columns', nargs='*', metavar='NAME=WHAT:PYTHON')
    parser.add_argument('--only', default='', help='a regular expression for names of workloads')
    parser.add_argument('--rounds', type=int, default=2)
    parser.add_argument('--seconds', type=float, default=1.0)
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument(
        '--cpu',
        action='store_true',
        help='processor time, which with one thread holds on a busy machine',
    )
    parser.add_argument('--json', metavar='FILE', help='where to write the figures')
    parser.add_argument('--work', help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        return work(
            args.work, args.only, args.seconds, time.process_time if args.cpu else time.perf_counter
        )
    columns = [
        (name, *what.split(':', 1)) for name, _, what in (c.partition('=') for c in args.columns)
    ]
    if not columns or any(len(c) != 3 or c[1] not in KINDS for c in columns):
        parser.error(f'expected columns NAME=WHAT:PYTHON, WHAT one of {", ".join(KINDS)}')
    times, errors = measure(columns, args)
    table(times)
    if args.json:
        with open(args.json, 'w') as file:
            json.dump(record(columns, args, times), file, indent=1)
            file.write('\n')
    for line in sorted(errors):
        print(line)
    return 0


if __name__ == '__main__':
    sys.exit(main())
