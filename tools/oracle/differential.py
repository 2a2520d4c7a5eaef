# SPDX-License-Identifier: Apache-2.0
"""Calls functions in this package, the published wheel and torch, and compares values, dtypes,
shapes, exceptions, stop_gradient and gradients.

    PYTHONPATH=build/python python tools/oracle/differential.py [--wheel .oracle/bin/python]
    [--torch PYTHON] [--family F] [--match REGEX] [--write]

Every difference must be explained in differences.yaml, and every explanation must match one (in a
full run); else the exit status is 1. --write renews docs/differential.md. Values agree within
`ulps` units in the last place of the largest magnitude of the array.
"""

import argparse
import os
import pickle
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EPSILON = {
    'float8_e5m2': 2.0**-2,
    'float8_e4m3fn': 2.0**-3,
    'bfloat16': 2.0**-7,
    'float16': 2.0**-10,
    'float32': 2.0**-23,
    'complex64': 2.0**-23,
    'float64': 2.0**-52,
    'complex128': 2.0**-52,
}
ULPS = {'bfloat16': 3, 'float16': 4, 'float8_e5m2': 1, 'float8_e4m3fn': 1}
ULPS_WIDE = 64
HANG_SECONDS = 25
START_SECONDS = 240  # until the first result: importing takes long on a busy machine
# How 3.3.1 says that it has no CPU kernel for a dtype.
NO_KERNEL = re.compile(
    r'not registered|kernel_iter|kernel_key|kernels_\.end|not support|unsupported|data '
    r'?type|dtype|not implemented|unimplemented|must be (?:one of|real)|only support',
    re.I,
)


def run_worker(python, kind, calls_file, first, last, environment):
    """Results of calls first..last, fewer when the process died or hung, and whether it hung."""
    with tempfile.TemporaryDirectory() as folder:
        results_file = os.path.join(folder, 'results')
        command = [
            python,
            os.path.join(HERE, 'call_worker.py'),
            kind,
            calls_file,
            results_file,
            str(first),
            str(last),
        ]
        with open(os.path.join(folder, 'log'), 'wb') as log:
            process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder)
            size, changed, hung = -1, time.monotonic(), False
            while process.poll() is None:
                time.sleep(0.05)
                now = os.path.getsize(results_file) if os.path.exists(results_file) else 0
                if now != size:
                    size, changed = now, time.monotonic()
                elif time.monotonic() - changed > (HANG_SECONDS if size > 0 else START_SECONDS):
                    process.kill()
                    hung = True
        results = []
        if os.path.exists(results_file):
            with open(results_file, 'rb') as file:
                while len(results) < last - first:
                    try:
                        results.append(pickle.load(file))
                    except (EOFError, pickle.UnpicklingError):
                        break
        if not results and process.returncode not in (0, -11, -6, -8, -9):
            with open(os.path.join(folder, 'log'), encoding='utf-8', errors='replace') as log:
                sys.exit(f'{python}: {log.read()[-2000:]}')
        return results, hung


def run_all(python, kind, calls_file, count, path=None):
    """A result for each call. A call that ends the process twice, the second time alone, has
    crashed.
    """
    environment = {k: v for k, v in os.environ.items() if k != 'PYTHONPATH'} | {
        'OMP_NUM_THREADS': '1'
    }
    if path:
        environment['PYTHONPATH'] = os.path.abspath(path)
    results = []
    while len(results) < count:
        more, hung = run_worker(python, kind, calls_file, len(results), count, environment)
        results += more
        if len(results) < count:
            alone, _ = (
                (None, 0)
                if hung
                else run_worker(
                    python, kind, calls_file, len(results), len(results) + 1, environment
                )
            )
            how = 'hangs' if hung else 'crashes only after others' if alone else 'crashes'
            print(f'{python}: {how}: call {len(results)}', file=sys.stderr, flush=True)
            results.append(alone[0] if alone else {'error': ('crash', how)})
    return results


def distance(got, want):
    """The largest difference where both are finite, relative to the largest magnitude (infinite for
    another shape or non-finite elsewhere).
    """
    if (
        got is None
        or want is None
        or got.shape != want.shape
        or want.dtype.kind not in 'fc'
        or got.dtype.kind not in 'fc'
    ):
        return np.inf
    finite = np.isfinite(got) & np.isfinite(want)
    if not np.any(finite):
        return 0.0
    a, b = got[finite].astype(complex), want[finite].astype(complex)
    return float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-30))


def close(got, want, dtype, tolerance):
    if got.shape != want.shape:
        return False
    if dtype not in EPSILON or not want.size:
        return bool(np.array_equal(got, want))
    wide = np.complex128 if got.dtype.kind == 'c' or want.dtype.kind == 'c' else np.float64
    got, want = got.astype(wide), want.astype(wide)
    finite = np.isfinite(got) & np.isfinite(want)
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    if not np.all(same | finite):
        return False
    if not finite.any():
        return True
    scale = max(np.abs(want[finite]).max(), np.finfo(np.float32).tiny)
    bound = tolerance * ULPS.get(dtype, ULPS_WIDE) * EPSILON[dtype] * scale
    return bool(np.all(np.abs(got - want)[finite] <= bound))


def compare(ours, theirs, tolerance):
    """None, or what differs: a kind and a short text."""
    ours_error, their_error = ours.get('error'), theirs.get('error')
    if ours_error or their_error:
        if ours_error and their_error:
            if ours_error[0] == 'crash':
                return 'ours crashes', ''
            if 'crash' in (ours_error[0], their_error[0]) or ours_error[0] == their_error[0]:
                return None
            return (
                'exception',
                f'{ours_error[0]} against {their_error[0]}: {ours_error[1][:80]!r} against '
                f'{their_error[1][-80:]!r}',
            )
        if ours_error:
            return 'ours crashes' if ours_error[
                0
            ] == 'crash' else 'ours refuses', f'{ours_error[0]}: {ours_error[1][:150]}'
        if their_error[0] == 'crash':
            return 'wheel crashes', ''
        return (
            'wheel lacks'
            if NO_KERNEL.search(their_error[1]) or their_error[0] == 'NotImplementedError'
            else 'wheel refuses',
            f'{their_error[0]}: {their_error[1][-150:]}',
        )
    a, b = ours['outputs'], theirs['outputs']
    if len(a) != len(b):
        return 'count', f'{len(a)} results against {len(b)}'
    for i, (x, y) in enumerate(zip(a, b)):
        if x[0] != y[0] and {x[0], y[0]} != {'float', 'float64'}:
            return 'dtype', f'result {i}: {x[0]} against {y[0]}'
        if x[1] != y[1]:
            return 'shape', f'result {i}: {x[1]} against {y[1]}'
        if isinstance(x[2], np.ndarray) and not close(x[2], y[2], x[0], tolerance):
            return 'value', f'result {i}: {short(x[2])} against {short(y[2])}'
        if (
            not isinstance(x[2], np.ndarray)
            and x[2] != y[2]
            and not (x[2] != x[2] and y[2] != y[2])
        ):
            if not (isinstance(x[2], float) and abs(x[2] - y[2]) <= 1e-6 * tolerance * abs(y[2])):
                return 'value', f'result {i}: {x[2]!r} against {y[2]!r}'
    for i, (x, y) in enumerate(zip(a, b)):
        if x[3] != y[3]:
            return 'stop_gradient', f'result {i}: {x[3]} against {y[3]}'
    g, h = ours['gradients'], theirs['gradients']
    if g is None and h is None:
        return None
    if isinstance(g, tuple) or isinstance(h, tuple) or g is None or h is None:
        if isinstance(g, tuple) and isinstance(h, tuple):
            return (
                None
                if g[0] == h[0]
                else (
                    'gradient exception',
                    f'{g[0]} against {h[0]}: {g[1][:90]} against {h[1][-90:]}',
                )
            )
        if isinstance(g, tuple):
            return 'gradient refused by us', f'{g[0]}: {g[1][:150]}'
        return 'gradient lacking in wheel', f'{h[0]}: {h[1][-150:]}' if h else ''
    for i, (x, y) in enumerate(zip(g, h)):
        if (x is None) != (y is None):
            return (
                'gradient',
                f'input {i}: {"none" if x is None else short(x[2])} against '
                f'{"none" if y is None else short(y[2])}',
            )
        if x is None:
            continue
        if x[0] != y[0] or x[1] != y[1]:
            return 'gradient', f'input {i}: {x[:2]} against {y[:2]}'
        if not close(x[2], y[2], x[0], 4 * tolerance):
            return 'gradient', f'input {i}: {short(x[2])} against {short(y[2])}'
    return None


def agrees(result, judge, tolerance):
    """Whether values (and gradients, where both have them) are torch's, whatever the dtypes; None:
    torch says nothing comparable.
    """
    if (
        not result
        or not judge
        or 'error' in result
        or 'error' in judge
        or len(result['outputs']) != len(judge['outputs'])
    ):
        return None
    pairs = [(x, y) for x, y in zip(result['outputs'], judge['outputs'])]
    if isinstance(result['gradients'], list) and isinstance(judge['gradients'], list):
        pairs += [
            (x, y)
            for x, y in zip(result['gradients'], judge['gradients'])
            if x is not None and y is not None
        ]
    for x, y in pairs:
        if not isinstance(x[2], np.ndarray) or not isinstance(y[2], np.ndarray):
            continue
        if x[2].shape != y[2].shape:
            return None
        worst = max((d for d in (x[0], y[0]) if d in EPSILON), key=EPSILON.get, default=x[0])
        if not close(x[2], y[2], worst, 4 * tolerance):
            return False
    return True


def short(array):
    return np.array2string(
        array.reshape(-1)[:5], precision=7, separator=' ', max_line_width=200
    ).replace('\n', '')


BENIGN = ('wheel lacks', 'wheel crashes', 'gradient lacking in wheel')


def load_explanations():
    import yaml

    with open(os.path.join(HERE, 'differences.yaml'), encoding='utf-8') as file:
        entries = yaml.safe_load(file) or []
    for entry in entries:
        if (
            set(entry) - {'within', 'results'} != {'call', 'kind', 'right', 'why'}
            or entry.get('results', 'integer') != 'integer'
        ):
            sys.exit(
                f'differences.yaml: expected the keys call, kind, right, why and perhaps within '
                f'or results (integer), got {entry}'
            )
        entry['pattern'], entry['hits'] = re.compile(entry['call']), 0
        entry['kinds'] = [k.strip() for k in entry['kind'].split(',')]
    return entries


def explain(entries, call, kind, ours, theirs):
    """The first explanation of a difference; one with `within` holds only where finite values and
    gradients are that close, one with `results` only where no floating result differs in the dtype,
    shape or stop_gradient."""
    for entry in entries:
        if kind in entry['kinds'] and entry['pattern'].search(str(call)):
            if 'results' in entry and any(
                (x[0], x[1], x[3]) != (y[0], y[1], y[3])
                and not x[0].startswith(('int', 'uint', 'bool'))
                for x, y in zip(ours['outputs'], theirs['outputs'])
            ):
                continue
            if 'within' in entry and kind in ('value', 'gradient'):
                pairs = list(zip(ours['outputs'], theirs['outputs']))
                if isinstance(ours['gradients'], list) and isinstance(theirs['gradients'], list):
                    pairs += [
                        (x, y)
                        for x, y in zip(ours['gradients'], theirs['gradients'])
                        if x is not None and y is not None
                    ]
                if any(
                    distance(x[2], y[2]) > entry['within']
                    for x, y in pairs
                    if isinstance(x[2], np.ndarray) and x[0] in EPSILON
                ):
                    continue
            entry['hits'] += 1
            return entry
    return None


class Report:
    def __init__(self):
        self.counts = defaultdict(Counter)  # family: Counter
        self.functions = defaultdict(set)
        self.unexplained = []  # (call, kind, text, verdict)
        self.judged = []  # both packages agree, torch does not

    def table(self):
        columns = [
            'calls',
            'agree',
            'both raise',
            'explained',
            'refused by us only',
            'refused by the wheel only',
            'crash of the wheel',
            'unexplained',
            'torch agrees',
        ]
        lines = [
            '| family | functions | ' + ' | '.join(columns) + ' |',
            '|---|' + '---|' * (len(columns) + 1),
        ]
        total, functions = Counter(), set()
        for family in sorted(self.counts):
            c = self.counts[family]
            total += c
            functions |= self.functions[family]
            lines.append(
                f'| {family} | {len(self.functions[family])} | '
                + ' | '.join(str(c[k]) for k in columns)
                + ' |'
            )
        lines.append(
            f'| **all** | {len(functions)} | ' + ' | '.join(str(total[k]) for k in columns) + ' |'
        )
        return '\n'.join(lines)


def judge_all(calls, ours, wheel, torch, entries):
    report = Report()
    for i, call in enumerate(calls):
        counts = report.counts[call.family]
        counts['calls'] += 1
        report.functions[call.family].add(call.function)
        judge = torch[i] if torch else None
        difference = compare(ours[i], wheel[i], call.tolerance)
        mine = agrees(ours[i], judge, call.tolerance)
        counts['torch agrees'] += mine is True
        if difference is None:
            counts['both raise' if 'error' in ours[i] else 'agree'] += 1
            if mine is False:
                report.judged.append((call, short_result(ours[i]), short_result(judge)))
            continue
        kind, text = difference
        verdict = (
            f'torch: ours {mine}, wheel {agrees(wheel[i], judge, call.tolerance)}' if judge else ''
        )
        counts['refused by us only'] += kind in (
            'ours refuses',
            'gradient refused by us',
            'ours crashes',
        )
        counts['refused by the wheel only'] += kind in (
            'wheel lacks',
            'wheel refuses',
            'gradient lacking in wheel',
        )
        counts['crash of the wheel'] += kind == 'wheel crashes'
        if kind in BENIGN:
            if mine is False:
                report.judged.append((call, short_result(ours[i]), short_result(judge)))
            continue
        if explain(entries, call, kind, ours[i], wheel[i]):
            counts['explained'] += 1
        else:
            counts['unexplained'] += 1
            report.unexplained.append((call, kind, text, verdict))
    return report


def short_result(result):
    outputs = [
        f'{o[0]}{list(o[1] or ())} {short(o[2]) if isinstance(o[2], np.ndarray) else o[2]}'
        for o in result['outputs'][:2]
    ]
    gradients = (
        [short(g[2]) for g in result['gradients'][:2] if g]
        if isinstance(result['gradients'], list)
        else []
    )
    return f"{'; '.join(outputs)} d {'; '.join(gradients)}"


HEAD = """# Differences from the published package

Made by `tools/oracle/differential.py --write`: the same calls in this package, in paddlepaddle
3.3.1 (its wheel, CPU) and, where the call has a counterpart, in torch, forward and backward.
Compared are values, dtypes, shapes, exception types, `stop_gradient` and the gradient of every
floating input. Values agree within 64 units in the last place (bfloat16: 3, float16: 4) of the
array's largest magnitude (gradients: four times that); integers exactly. A call that only the wheel
refuses for want of a kernel is no difference; anything else that differs is listed below with its
reason.
"""


def page(report, entries):
    lines = [
        HEAD,
        report.table(),
        '',
        '## Explained differences',
        '',
        '| calls | which (regular expression) | differs in | right | why |',
        '|---|---|---|---|---|',
    ]
    for e in sorted(entries, key=lambda e: e['call']):
        if e['hits']:
            cell = [
                str(e['hits']),
                '`' + e['call'].replace('|', '\\|') + '`'
                if e['call']
                else f"any {e['results']} result",
                e['kind'],
                e['right'],
                ' '.join(e['why'].split()),
            ]
            lines.append('| ' + ' | '.join(cell) + ' |')
    return '\n'.join(lines) + '\n'


def run_everywhere(calls, options):
    """Results of all calls in each interpreter, and the seconds each took."""
    with tempfile.TemporaryDirectory() as folder:
        calls_file = os.path.join(folder, 'calls')
        with open(calls_file, 'wb') as file:
            pickle.dump(calls, file)
        runs = [
            (sys.executable, 'paddle', os.environ.get('PYTHONPATH')),
            (options.wheel, 'paddle', None),
            (options.torch, 'torch', None),
        ]
        results, spent = [], []
        for python, kind, path in runs:
            start = time.monotonic()
            results.append(run_all(python, kind, calls_file, len(calls), path) if python else None)
            spent.append(time.monotonic() - start)
    return *results, spent


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--wheel', default=os.path.join(ROOT, '.oracle', 'bin', 'python'))
    parser.add_argument('--torch')
    parser.add_argument('--family')
    parser.add_argument('--match')
    parser.add_argument('--write', action='store_true')
    parser.add_argument(
        '--judged',
        action='store_true',
        help='list calls where both packages agree and torch does not',
    )
    parser.add_argument('--keep', help='a file to keep the calls and all results in')
    parser.add_argument('--kept', help='compare what such a file holds again, without running')
    parser.add_argument('--every', type=int, default=1, help='each n-th call only')

    options = parser.parse_args()
    sys.path.insert(0, HERE)
    import calls as table

    calls = [
        c
        for c in table.CALLS
        if (not options.family or c.family == options.family)
        and (not options.match or re.search(options.match, str(c)))
    ]
    calls = calls[:: options.every]
    full = len(calls) == len(table.CALLS) or bool(options.kept)
    if options.kept:
        with open(options.kept, 'rb') as file:
            calls, ours, wheel, torch = pickle.load(file)
        spent = [0.0] * 3
    else:
        ours, wheel, torch, spent = run_everywhere(calls, options)
    if options.keep:
        with open(options.keep, 'wb') as file:
            pickle.dump((calls, ours, wheel, torch), file)
    entries = load_explanations()
    report = judge_all(calls, ours, wheel, torch, entries)
    for call, kind, text, verdict in report.unexplained:
        print(f'{kind.upper()}  {call}\n    {text}  {verdict}')
    if options.judged:
        for call, mine, theirs in report.judged:
            print(f'TORCH  {call}\n    {mine}\n    {theirs}')
    print(report.table())
    print(
        f'seconds: ours {spent[0]:.0f}, wheel {spent[1]:.0f}, torch {spent[2]:.0f}; '
        f'{len(report.judged)} calls where torch differs from both'
    )
    idle = [e['call'] for e in entries if not e['hits']] if full else []
    if idle:
        print('explanations that match nothing:\n  ' + '\n  '.join(idle))
    if options.write:
        with open(os.path.join(ROOT, 'docs', 'differential.md'), 'w', encoding='utf-8') as file:
            file.write(page(report, entries))
    return 1 if report.unexplained or idle else 0


if __name__ == '__main__':
    sys.exit(main())
