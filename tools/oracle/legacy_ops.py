# SPDX-License-Identifier: Apache-2.0
"""Runs each old operation alone, as a program of old style and by `_legacy_C_ops`, in this package
and in the published wheel, and prints how many agree.

    PYTHONPATH=build/python python tools/oracle/legacy_ops.py [--wheel .oracle/bin/python]
    [--match REGEX] [--all] [--keep FILE]

Samples are those of legacy_samples.py. --all lists what both refuse, too, and what is explained
with the reason; --keep writes what the wheel's programs give, which test/api/test_old_samples.py
reads.
"""

import argparse
import json
import os
import re
import sys
import zlib
from collections import Counter, defaultdict

import call_samples
import differential
import legacy_samples
import numpy as np


# Operations whose results differ where ours are right, or where neither is: what the difference
# begins with, and why. Gradients were compared with differences of values.
EXPLAINED = {
    'reduce_amax': ('shape', 'The wheel does not look at reduce_all.'),
    'reduce_amin': ('shape', 'The wheel does not look at reduce_all.'),
    'eigvals': ('value', 'The same values in another order, which no mathematics decides.'),
    'masked_fill': (
        'gradient',
        "The wheel's gradient of the value has another shape, and memory nobody wrote.",
    ),
    'unique': ('dtype', 'What the wheel returns for results that were not asked for is float32.'),
    'increment': ('gradient', 'The wheel increments the gradient, too.'),
    'view_shape': ('shape', 'The wheel returns the input as it is.'),
    'gaussian_inplace': (
        'gradient: None',
        'Nothing flows through what is drawn: none here, zeros in the wheel.',
    ),
    'spectral_norm': (
        'gradient',
        'The derivative at fixed u and v; the wheel has another one without iterations, too.',
    ),
    'rnn': (
        'dtype',
        'What the wheel returns for the state of a dropout that there is not is float32.',
    ),
    'yolov3_loss': ('gradient', 'The wheel loses terms where boxes share a place.'),
    'roi_align': ('gradient', 'The wheel loses terms where regions share elements.'),
    'nadam': ('value', 'The wheel reads beyond the one learning rate.'),
    'radam': ('value', 'The wheel reads beyond the one learning rate.'),
    'fake_quantize_dequantize_abs_max': (
        '',
        'One bit has no step: the wheel divides by zero, and its results are NaN.',
    ),
    'select_output': ('dtypes', 'The result that is not chosen holds nothing in the wheel.'),
    'fused_elemwise_add_activation': (
        'gradient',
        'The wheel gives Y no gradient unless the sum is saved.',
    ),
}


def declarations():
    """kind: inputs and outputs, each as (name, is a list, may be left out, is for gradients), and
    the arguments of the function in `_legacy_C_ops` where they are not just the inputs.
    """
    with open(os.path.join(differential.ROOT, 'tools', 'opgen', 'legacy.json')) as file:
        marked = json.load(file)
    return {
        kind: (
            *(
                [(w.rstrip('[]?~'), '[]' in w, '?' in w or '~' in w, '~' in w) for w in part]
                for part in parts[:2]
            ),
            [*parts, ()][3],
        )
        for kind, parts in marked.items()
    }


def attributes(text):
    return {
        k.rstrip('_') if k in ('lambda_', 'from_') else k: v
        for k, v in eval(f'dict({text})').items()
    }


def wanted(outputs, marks):
    """{result: (how many, is a list)} and those that are not compared."""
    words = dict(w.split('=') if '=' in w else (w, '1') for w in marks.split() if w[0] not in '-*')
    hidden = {w[1:] for w in marks.split() if w[0] == '-'}
    found = {}
    for name, listed, optional, inner in outputs:
        if inner:
            hidden.add(name)
        if name in words or not optional or inner:
            found[name] = int(words.get(name, 1)), listed
    return found, sorted(hidden)


def samples():
    """Calls of all samples: the program, and the function."""
    known, calls = declarations(), []
    for kinds, cases, text, marks in legacy_samples.rows():
        for kind in kinds:
            attrs = attributes(text)
            lod = attrs.pop('_lod', None)
            kinds = {
                slot: word
                for word in ('coo', 'array')
                for slot in attrs.pop('_' + word, '').split()
            }
            inputs, outputs, form = known.get(kind, ((), (), ()))
            results, hidden = wanted(outputs, marks)
            for case in call_samples.parse_shapes(cases) or [[]]:
                given = defaultdict(list)
                for name, *_ in case:
                    given[name.partition('__')[0]].append(name)
                made = call_samples.make_inputs(
                    case, 'float32', zlib.crc32(f'{kind}{case}'.encode())
                )
                slots = ', '.join(f"{k!r}: [{', '.join(v)}]" for k, v in given.items())
                counts = {name: count for name, (count, _) in results.items()}
                program = (
                    f'old_program({kind!r}, {{{slots}}}, {attrs}, {counts}, {hidden}, {lod}, '
                    f'{"*" in marks}{f", {kinds}" if kinds else ""})'
                )
                calls.append(call_samples.Call('program', kind, program, made))
                if lod or kinds:
                    continue
                lists = {name for name, listed, _, _ in inputs if listed}
                slots = ', '.join(
                    f"{k!r}: {'[' + ', '.join(v) + ']' if k in lists else v[0]}"
                    for k, v in given.items()
                )
                form = form or [i[0] for i in inputs if not i[2]] + [
                    f'{name}#' for name, (_, listed) in results.items() if listed
                ]
                function = f'old_call({kind!r}, {form}, {{{slots}}}, {attrs}, {results}, {hidden})'
                calls.append(call_samples.Call('_legacy_C_ops', kind, function, made))
    return calls, set(known)


def parts(result):
    """What a program computes, and gradients, which a string or None stands for where there are
    none. Numbers of float64 are judged as float32, which attributes of old operations are.
    """
    if 'outputs' not in result:
        return result, []
    outputs, gradients = list(result['outputs']), []
    marks = [k for k, o in enumerate(outputs) if o[0] == 'str' and o[2] == 'gradients']
    if marks:
        outputs, gradients = outputs[: marks[0]], outputs[marks[0] + 1 :]
    return {**result, 'outputs': [judged(o) for o in outputs]}, [judged(g) for g in gradients]


def listed(result):
    """Gradients of a call, as those of programs; what is needed of them is not compared."""
    gradients = result.pop('gradients', None)
    result['gradients'] = None
    result['outputs'] = [(*o[:3], None) for o in result['outputs']]
    return [
        (None, None, None, None) if g is None else judged((*g, None))
        for g in (gradients if isinstance(gradients, list) else ())
    ]


def judged(output):
    kind, shape, value, stopped = output
    if kind == 'float64' and shape is not None:
        return 'float32', shape, value.astype('float32'), stopped
    return output


def verdict(ours, wheel):
    if 'outputs' in ours and 'outputs' in wheel:
        pairs = zip(ours['outputs'], wheel['outputs'])
        if any({x[0], y[0]} == {'float32', 'float64'} for x, y in pairs):
            return 'differs', 'dtypes: float32 and float64'
    (ours, mine), (wheel, theirs) = parts(ours), parts(wheel)
    if 'outputs' in ours and 'outputs' in wheel:
        mine, theirs = mine or listed(ours), theirs or listed(wheel)
    difference = differential.compare(ours, wheel, 4.0)
    if difference is None and 'outputs' in ours:
        for x, y in zip(mine or [(None, None, None, None)] * len(theirs), theirs):
            if y[2] is None or isinstance(y[2], str):
                continue  # only we have it, or none has
            if x[2] is None or isinstance(x[2], str):
                return 'differs', f'gradient: {x[2]} against {differential.short(y[2])}'
            if x[:2] != y[:2] or not np.allclose(x[2], y[2], 1e-4, 1e-5, True):
                return 'differs', f'gradient: {differential.short(x[2])} against ' + (
                    f'{differential.short(y[2])}'
                )
    if difference is None:
        return ('refused by both', wheel['error'][1][-150:]) if 'error' in ours else ('same', '')
    kind, text = difference
    if kind in ('ours refuses', 'gradient refused by us', 'ours crashes'):
        return 'refused by us', text
    if kind == 'exception':
        return 'refused by both', text
    if kind.startswith('wheel'):
        return 'refused by the wheel', text
    return 'differs', f'{kind}: {text}'


def explained(kind, what, text):
    """The verdict, with the table of what is explained."""
    begins, why = EXPLAINED.get(kind, ('', ''))
    known = why and what in ('differs', 'refused by us') and text.startswith(begins)
    return ('explained', why) if known else (what, text)


def kept(call, result):
    """What a program of the wheel gives, for JSON; None where it refuses."""
    if call.family != 'program' or 'error' in result:
        return None
    return [
        (kind, shape, value.tolist() if isinstance(value, np.ndarray) else value)
        for kind, shape, value, _ in result['outputs']
    ]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        '--wheel', default=os.path.join(differential.ROOT, '.oracle', 'bin', 'python')
    )
    parser.add_argument('--match', default='')
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--keep')
    parser.set_defaults(torch=None)
    options = parser.parse_args()
    calls, known = samples()
    calls = [c for c in calls if re.search(options.match, c.function)]
    ours, wheel, _, spent = differential.run_everywhere(calls, options)
    if options.keep:
        found = {str(c): kept(c, r) for c, r in zip(calls, wheel)}
        with open(options.keep, 'w', encoding='utf-8') as file:
            lines = [f'{json.dumps(k)}: {json.dumps(v)}' for k, v in found.items() if v]
            file.write('{\n' + ',\n'.join(lines) + '\n}\n')
    counts, worst = defaultdict(Counter), {}
    order = [
        'same',
        'refused by the wheel',
        'refused by both',
        'explained',
        'differs',
        'refused by us',
    ]
    for call, mine, theirs in zip(calls, ours, wheel):
        what, text = explained(call.function, *verdict(mine, theirs))
        counts[call.family][what] += 1
        key = call.family, call.function
        worst[key] = max(worst.get(key, 'same'), what, key=order.index)
        told = 'explained', 'refused by both'
        if what in ('differs', 'refused by us') or (options.all and what in told):
            print(f'{what.upper()}  {call}\n    {text}')
    for family in counts:
        kinds = Counter(what for (f, _), what in worst.items() if f == family)
        print(f'{family}: ' + ', '.join(f'{kinds[o]} {o}' for o in order) + ' (operations); '
              + ', '.join(f'{counts[family][o]} {o}' for o in order) + ' (samples)')  # fmt: skip
    missing = sorted(known - {c.function for c in calls}) if not options.match else []
    print(f'{len(known) - len(missing)} of {len(known)} operations have samples; seconds: {spent}')
    if options.all:
        print('without samples: ' + ' '.join(missing))
    return 0


if __name__ == '__main__':
    sys.exit(main())
