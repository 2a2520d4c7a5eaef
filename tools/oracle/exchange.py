# SPDX-License-Identifier: Apache-2.0
"""Models saved by one `paddle` and run by the other, in both directions: `exchange.py` prints the
table of docs/model_exchange.md.

    python tools/oracle/exchange.py [--wheel .oracle/bin/python] [--ours python] [--out
    docs/model_exchange.md] [name ...]

Three workers: the published package builds each model, runs it and saves it with its weights; the
package under test runs that file, builds the same model from the same source with the same weights,
and saves it; the published package runs that one.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))


def flatten(value, out):
    """The arrays of nested results, in order."""
    if isinstance(value, dict):
        for key in sorted(value):
            flatten(value[key], out)
    elif isinstance(value, (list, tuple)):
        for v in value:
            flatten(v, out)
    else:
        out.append(as_array(value))
    return out


def as_array(tensor):
    """bfloat16 as float32, which NumPy can compare."""
    return (tensor.astype('float32') if 'bfloat16' in str(tensor.dtype) else tensor).numpy()


def difference(got, want):
    """The largest difference relative to the largest magnitude of the wanted array."""
    import numpy as np

    if len(got) != len(want):
        raise ValueError(f"expected {len(want)} results, got {len(got)}")
    worst = 0.0
    for i, (g, w) in enumerate(zip(got, want)):
        if g.shape != w.shape or g.dtype != w.dtype:
            raise ValueError(
                f"result {i}: expected {w.dtype}{list(w.shape)}, got {g.dtype}{list(g.shape)}"
            )
        if w.size == 0:
            continue
        g, w = g.astype('float64'), w.astype('float64')
        if not np.array_equal(np.isfinite(g), np.isfinite(w)):
            raise ValueError(f"result {i}: not finite in other places")
        worst = max(worst, float(np.abs(g - w).max() / max(float(np.abs(w).max()), 1e-6)))
    return worst


def build(paddle, name, weights=None):
    """The layer in eval mode with its weights, its inputs, and input specs."""
    import models
    import numpy as np

    paddle.seed(7)
    layer, arrays, dynamic = models.MODELS[name]()
    layer.eval()
    if weights is not None:
        state = layer.state_dict()
        if sorted(state) != sorted(weights.files):
            raise ValueError(
                f"expected the weights {sorted(weights.files)[:4]}..., got {sorted(state)[:4]}..."
            )
        layer.set_state_dict({k: weights[k] for k in weights.files})
    else:  # away from initial values that hide mistakes: running statistics of 0 and 1, biases of 0
        random = np.random.RandomState(1)
        for key, value in layer.state_dict().items():
            if key.endswith(('bias', '_mean', '_variance')) and 'float32' in str(value.dtype):
                value.set_value(
                    (np.abs(value.numpy()) + random.uniform(0.01, 0.1, value.shape)).astype(
                        'float32'
                    )
                )
    specs = []
    for i, array in enumerate(arrays):
        free = (dynamic[i] if dynamic else None) or []
        shape = [-1 if axis in free else n for axis, n in enumerate(array.shape)]
        specs.append(paddle.static.InputSpec(shape, str(array.dtype), f'input_{i}'))
    return layer, arrays, specs


def run_file(paddle, prefix, arrays):
    """Results of the saved program."""
    loaded = paddle.jit.load(prefix)
    loaded.eval()
    return flatten(loaded(*map(paddle.to_tensor, arrays)), [])


def run_predictor(paddle, prefix, arrays):
    """Results of the published package's predictor with its default settings."""
    from paddle import inference

    config = (
        inference.Config(prefix + '.json', prefix + '.pdiparams')
        if os.path.exists(prefix + '.pdiparams')
        else inference.Config(prefix + '.json', '')
    )
    config.disable_glog_info()
    return [
        as_array(t)
        for t in inference.create_predictor(config).run([paddle.to_tensor(a) for a in arrays])
    ]


def published_saves(paddle, name, folder):
    """Build, run and save in the published package."""
    import numpy as np

    layer, arrays, specs = build(paddle, name)
    results = flatten(layer(*map(paddle.to_tensor, arrays)), [])
    paddle.jit.save(layer, f'{folder}/{name}', input_spec=specs)
    np.savez(
        f'{folder}/{name}.weights.npz', **{k: v.numpy() for k, v in layer.state_dict().items()}
    )
    np.savez(f'{folder}/{name}.results.npz', *results)
    return {}


def results_of(folder, name):
    """The published package's own results."""
    import numpy as np

    file = np.load(f'{folder}/{name}.results.npz')
    return [file[k] for k in file.files]


def ours_loads(paddle, name, folder):
    """Run the published package's file here."""
    _, arrays, _ = build(paddle, name)
    ops = json.load(open(f'{folder}/{name}.json'))['program']['regions'][0]['blocks'][0]['ops']
    count = len(ops)
    return {
        'ops': count,
        'error': difference(run_file(paddle, f'{folder}/{name}', arrays), results_of(folder, name)),
    }


def ours_saves(paddle, name, folder):
    """Build the same model here with the same weights and save it."""
    import numpy as np

    layer, arrays, specs = build(paddle, name, np.load(f'{folder}/{name}.weights.npz'))
    own = flatten(layer(*map(paddle.to_tensor, arrays)), [])
    paddle.jit.save(layer, f'{folder}/ours_{name}', input_spec=specs)
    return {'eager': difference(own, results_of(folder, name))}


def published_loads(paddle, name, folder):
    """Run our file in the published package, by jit.load."""
    import models

    _, arrays, _ = models.MODELS[name]()
    want = results_of(folder, name)
    return {'error': difference(run_file(paddle, f'{folder}/ours_{name}', arrays), want)}


def published_predicts(paddle, name, folder, prefix='ours_'):
    """Run our file in the published package's predictor with default settings."""
    import models

    _, arrays, _ = models.MODELS[name]()
    return {
        'error': difference(
            run_predictor(paddle, f'{folder}/{prefix}{name}', arrays), results_of(folder, name)
        )
    }


def published_predicts_own(paddle, name, folder):
    """The same with the published package's own file."""
    return published_predicts(paddle, name, folder, '')


STEPS = {
    f.__name__: f
    for f in (
        published_saves,
        ours_loads,
        ours_saves,
        published_loads,
        published_predicts,
        published_predicts_own,
    )
}
LIMIT = 60  # seconds a step may take


def short(e):
    """The telling line of an exception."""
    lines = [
        line.strip()
        for line in str(e).splitlines()
        if line.strip() and not line.startswith(('---', '  '))
    ]
    told = (
        [line for line in lines if 'Error' in line or 'expected' in line.lower()] or lines or ['']
    )
    return f'{type(e).__name__}: {told[-1][:160]}'


def work(steps, folder, names):
    """Worker: one line of JSON for each (step, name), also when it fails."""
    import paddle

    sys.path.insert(0, HERE)
    for name in names:
        for step in steps.split(','):
            print('start', step, name, flush=True)
            try:
                answer = STEPS[step](paddle, name, folder)
            except Exception as e:  # noqa: BLE001 what fails is what the table tells
                answer = {'failed': short(e)}
                if os.environ.get('EXCHANGE_TRACE'):
                    import traceback

                    traceback.print_exc()
            print('done', step, name, json.dumps(answer), flush=True)


def run_worker(python, steps, folder, names, table, **environment):
    """Fill `table[name][step]`; a worker that dies costs the step it died in."""
    left = list(names)
    while left:
        process = subprocess.Popen(
            [python, os.path.abspath(__file__), '--work', steps, folder, *left],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
            stderr=None if os.environ.get('EXCHANGE_TRACE') else subprocess.DEVNULL,
        )
        current, timer = None, None
        for line in process.stdout:
            if timer:
                timer.cancel()
            timer = threading.Timer(LIMIT, process.kill)
            timer.start()
            word = line.split(' ', 3)
            if word[0] == 'start':
                current = (word[2].strip(), word[1])
            elif word[0] == 'done':
                table[word[2]][word[1]] = json.loads(word[3])
                current = None
        process.wait()
        if timer:
            timer.cancel()
        if current is None:
            return
        name, step = current
        table[name][step] = {
            'failed': f'hangs for {LIMIT} s'
            if process.returncode == -9
            else f'the process dies with status {process.returncode}'
        }
        left = left[left.index(name) + 1 :]
        later = steps.split(',')[steps.split(',').index(step) + 1 :]
        if later:
            run_worker(python, ','.join(later), folder, [name], table, **environment)


def figure(answer, key='error'):
    """A cell of the table."""
    if answer is None:
        return '-'
    if 'failed' in answer:
        return 'fails'
    return f'{answer[key]:.1e}'


def predictor_fault(answer):
    """What went wrong in the published predictor, None if nothing."""
    if 'failed' in answer:
        return (
            answer['failed']
            if answer['failed'].startswith('hangs')
            else f"fails ({answer['failed']})"
        )
    return 'gives wrong numbers' if answer.get('error', 0) > 1e-3 else None


def remarks(row):
    """What the figures do not say."""
    notes = []
    for step, what in (
        ('published_saves', 'published package: save'),
        ('ours_loads', 'here: load'),
        ('ours_saves', 'here: save'),
        ('published_loads', 'published package: load'),
    ):
        if 'failed' in row.get(step, {}):
            notes.append(f"{what}: {row[step]['failed']}")
    ours, own = row.get('published_predicts', {}), row.get('published_predicts_own', {})
    words = {False: predictor_fault(ours), True: predictor_fault(own)}
    if words[True] and words[True] == words[False]:
        notes.append(
            f'the published predictor in its default settings {words[True]} with either file'
        )
    else:
        notes += [
            f"the published predictor in its default settings {fault} with "
            f"{'its own' if theirs else 'our'} file"
            for theirs, fault in words.items()
            if fault
        ]
    return '; '.join(notes).replace('|', '/')


def report(table):
    """The table in Markdown."""
    lines = [
        '| model | ops | published -> here | here -> published | remarks |',
        '|---|---|---|---|---|',
    ]
    for name, row in table.items():
        lines.append(
            f"| {name} | {row.get('ours_loads', {}).get('ops', '-')} | "
            f"{figure(row.get('ours_loads'))} | {figure(row.get('published_loads'))} | "
            f"{remarks(row)} |"
        )
    return '\n'.join(lines) + '\n'


HEAD = '''# Models exchanged with PaddlePaddle 3.3.1

Written by `tools/oracle/exchange.py`; do not edit. *published -> here*: saved by `paddle.jit.save`
of the published wheel, loaded and run here. *here -> published*: the same Python source and weights
saved here, loaded and run there. The figures are the largest difference from the published
package's eager results, relative to the largest magnitude of the result; *ops* counts the outer
block of the published file.

'''


def main():
    """The command line."""
    if sys.argv[1:2] == ['--work']:
        return work(sys.argv[2], sys.argv[3], sys.argv[4:])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('names', nargs='*')
    parser.add_argument('--wheel', default='.oracle/bin/python')
    parser.add_argument('--ours', default=sys.executable)
    parser.add_argument('--out')
    parser.add_argument('--quick', action='store_true', help='leave the predictor out')
    parser.add_argument(
        '--reuse', action='store_true', help='the published files are in the folder already'
    )
    parser.add_argument('--folder', help='keep the files here')
    args = parser.parse_args()
    with open(os.path.join(HERE, 'models.py')) as stream:
        names = args.names or re.findall(r'^@model\ndef (\w+)', stream.read(), re.M)
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.folder or scratch
        os.makedirs(folder, exist_ok=True)
        table = {name: {} for name in names}
        if not args.reuse:
            run_worker(args.wheel, 'published_saves', folder, names, table, PYTHONPATH='')
        run_worker(args.ours, 'ours_loads,ours_saves', folder, names, table)
        run_worker(args.wheel, 'published_loads', folder, names, table, PYTHONPATH='')
        if not args.quick:
            run_worker(
                args.wheel,
                'published_predicts,published_predicts_own',
                folder,
                names,
                table,
                PYTHONPATH='',
            )
    text = report(table)
    print(text)
    if args.out:
        with open(args.out, 'w') as stream:
            stream.write(HEAD + text)
    good = sum(
        all('failed' not in row.get(s, {'failed': ''}) for s in ('ours_loads', 'published_loads'))
        and max(row['ours_loads']['error'], row['published_loads']['error']) <= 1e-5
        for row in table.values()
    )
    print(f'{good} of {len(table)} models agree in both directions within 1e-5')
    return 0


if __name__ == '__main__':
    sys.exit(main())
