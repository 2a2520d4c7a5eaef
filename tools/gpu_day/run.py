#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is run when a GPU is at hand for a short time: smoke, correctness, timings, models, profile.

    python tools/gpu_day/run.py --out results              # at most 40 minutes
    python tools/gpu_day/run.py --out results --only smoke timings
    FLAGS_cuda_driver=libcuda.so.1 python tools/gpu_day/run.py --small --out tried

Each stage is a process with a limit of its own, so that one that hangs costs no other its time;
what they print is kept in the folder, and a table of what each found comes last. `--small` shrinks
all sizes, for the double of the driver. No network is needed, clocks and modes of the GPU are left
as they are.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parents[1] / 'test' / 'device'
# Stage: most seconds, also of a whole day.
LIMITS = {'smoke': 240, 'rows': 500, 'training': 500, 'timings': 560, 'models': 500, 'profile': 500}
# Processes that share the GPU where nothing is timed.
BESIDE = max(1, min(12, (os.cpu_count() or 2) // 2 - 1))
WHOLE = 2400
# The largest difference that a result may have, by what is computed.
BARS = {'elementwise': 1e-2, 'structured': 1e-5}


def child(command, limit, out, **more):
    """The exit status and text of a process that is ended after `limit` seconds."""
    try:
        done = subprocess.run(
            [sys.executable, *map(str, command)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=limit,
            **more,
        )
        status, text, errors = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as e:
        status, text, errors = 124, (e.stdout or b'').decode(), (e.stderr or b'').decode()
    out.with_suffix('.out').write_text(text)
    out.with_suffix('.err').write_text(errors)
    return status, text


def smoke(out, limit, small):
    """One operation of each kind, and what the driver says of the GPU."""
    status, text = child([HERE / 'smoke.py'], limit, out / 'smoke')
    return status == 0, text.strip().splitlines()[-1] if text.strip() else 'nothing was printed'


def together(commands, limit, out):
    """The status and text of each named command, some at a time."""
    end = time.monotonic() + limit
    with concurrent.futures.ThreadPoolExecutor(BESIDE) as pool:
        tasks = {
            name: pool.submit(
                lambda c, n: child(c, max(1.0, end - time.monotonic()), out / n), command, name
            )
            for name, command in commands.items()
        }
        return {name: task.result() for name, task in tasks.items()}


def rows(out, limit, small):
    """Rows of test/ops against the CPU: results beyond their bar, by operation."""
    done = together(
        {
            f'rows-{kind}-{i}': [TESTS / 'gpu_rows.py', kind, i, BESIDE]
            for i in range(BESIDE)
            for kind in BARS
        },
        limit,
        out,
    )
    said, good = [], True
    for kind, bar in BARS.items():
        found, ended = {}, []
        for name, (status, text) in done.items():
            if name.startswith('rows-' + kind):
                found.update(json.loads(text) if status == 0 else {})
                ended += [f'{name}: exit {status}'] if status else []
        wrong = sorted(
            {k.split('-')[0] for k, d in found.items() if any(x is None or not x <= bar for x in d)}
        )
        good = good and not wrong and not ended
        said.append(
            f'{kind}: {len(found)} results, {len(wrong)} operations beyond {bar} {wrong[:20]} '
            + ' '.join(ended)
        )
    return good, '; '.join(said)


def training(out, limit, small):
    """Twenty steps against the CPU's losses."""
    models = ['perceptron', 'physics'] + ([] if small else ['transformer', 'pictures'])
    done = together(
        {
            f'training-{model}-{dtype or "float32"}-{how}': [
                TESTS / 'gpu_training.py', model, dtype, 'gpu:0', 20, how
            ]
            for model in models
            for dtype in ('', 'bfloat16')
            for how in ('eager', 'program')
        },
        limit,
        out,
    )  # fmt: skip
    good, said = True, []
    for name, (status, text) in done.items():
        if status:
            good = False
            said.append(f'{name}: exit {status}')
            continue
        want, got = json.loads(text)
        off = max(abs(g - w) / (1 + abs(w)) for g, w in zip(got, want))
        good = good and off <= (1e-5 if 'float32' in name else 1e-2)
        said.append(f'{name}: {off:.1e}')
    return good, ', '.join(said)


def timings(out, limit, small):
    """Microseconds and bytes a second beside torch, where that is installed."""
    command = [HERE / 'timings.py', *(['--small'] if small else [])]
    status, text = child(command, limit, out / 'timings')
    return status == 0, f'{max(0, len(text.splitlines()) - 1)} rows in timings.out'


def models(out, limit, small):
    """Products, attention, convolutions and steps of training beside torch."""
    command = [HERE / 'models.py', *(['--small', 'products', 'attention'] if small else [])]
    status, text = child(command, limit, out / 'models')
    return status == 0, f'{max(0, len(text.splitlines()) - 1)} rows in models.out'


def profile(out, limit, small):
    """What the profiler counts of the kernels, where it is installed."""
    tool = shutil.which('ncu')
    if not tool:
        return True, 'no ncu: nothing was profiled'
    command = [tool, '--clock-control', 'none', '--set', 'full', '--launch-count', '12', '-o']
    command += [str(out / 'profile'), '-f', sys.executable, str(HERE / 'timings.py'), '--once']
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return False, f'no end after {limit:.0f} s'
    (out / 'profile.txt').write_text(done.stdout + done.stderr)
    return done.returncode == 0, 'profile.ncu-rep'


STAGES = {f.__name__: f for f in (smoke, rows, training, timings, models, profile)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', type=pathlib.Path, required=True)
    parser.add_argument('--only', nargs='+', choices=list(STAGES), default=list(STAGES))
    parser.add_argument('--small', action='store_true')
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    end, table = time.monotonic() + WHOLE, []
    for name in given.only:
        start = time.monotonic()
        limit = min(LIMITS[name], end - start)
        good, said = (
            STAGES[name](given.out, limit, given.small) if limit > 5 else (False, 'no time')
        )
        table.append((name, 'ok' if good else 'WRONG', f'{time.monotonic() - start:.0f} s', said))
        print(f'{table[-1][0]:<10}{table[-1][1]:<7}{table[-1][2]:>7}  {said}', flush=True)
    (given.out / 'table.json').write_text(json.dumps(table, indent=1))
    return 0 if all(row[1] == 'ok' for row in table) else 1


if __name__ == '__main__':
    sys.exit(main())
