# SPDX-License-Identifier: Apache-2.0
"""Pages of the documentation site that are made of stored figures: the benchmarks, with charts."""

import html
import json

from bench_models import WORKLOADS

WIDTH, BAR, GAP, LABEL = 640, 16, 6, 180


def chart(what, times):
    """An SVG of bars, `{name: milliseconds}`: the shortest is full of colour. Its text takes the
    colour of the page, so it reads on light and on dark.
    """
    longest, best = max(times.values()), min(times.values())
    height = (BAR + GAP) * len(times) + GAP
    lines = [
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{html.escape(what)}" '
        'style="width:100%;max-width:44rem;font:13px sans-serif" fill="currentColor">'
    ]
    room = WIDTH - LABEL - 90
    for k, (name, value) in enumerate(times.items()):
        y = GAP + k * (BAR + GAP)
        length = max(2, round(room * value / longest))
        shade = 1 if value == best else 0.45
        lines += [
            f'<text x="0" y="{y + BAR - 4}">{html.escape(name)}</text>',
            f'<rect x="{LABEL}" y="{y}" width="{length}" height="{BAR}" rx="2" '
            f'style="fill:var(--color-brand-primary,#2962ff)" opacity="{shade}"/>',
            f'<text x="{LABEL + length + 6}" y="{y + BAR - 4}">{value:.4g} ms</text>',
        ]
    return '\n'.join([*lines, '</svg>'])


def benchmarks(path):
    """The page of the figures that `tools/bench.py --json` wrote."""
    kept = json.loads(path.read_text())
    times, columns = kept['times'], kept['columns']
    clock = 'processor time' if kept['clock'] == 'processor' else 'wall time'
    versions = ', '.join(
        name if row['version'] in name else f'{name} {row["version"]}'
        for name, row in columns.items()
    )
    command = [
        'python tools/bench.py',
        *(f"'{name}={row['kind']}:PYTHON'" for name, row in columns.items()),
        f'--threads {kept["threads"]} --rounds {kept["rounds"]}' + ' --cpu' * (clock[0] == 'p'),
        '--json docs/site/benchmarks.json',
    ]
    threads = f'{kept["threads"]} thread' + 's' * (kept['threads'] != 1)
    lines = [
        '# Benchmarks',
        '',
        f'Milliseconds of {clock} on {threads} of {kept["processor"]}, the best of '
        f'{kept["rounds"]} rounds in alternating processes, measured on {kept["day"]}: {versions}. '
        'Shorter is better. `tools/bench.py` measures them again:',
        '',
        '```bash',
        ' \\\n    '.join(command),
        '```',
        '',
    ]
    first = next(iter(times))
    head = ['workload', *times, *(f'{first} : {name}' for name in times if name != first)]
    table = ['| ' + ' | '.join(head) + ' |', '|---' + '|---:' * (len(head) - 1) + '|']
    for what in times[first]:
        row = {name: own[what] for name, own in times.items() if what in own}
        lines += [
            f'## {what}',
            '',
            ' '.join((WORKLOADS[what].__doc__ or '').split()) if what in WORKLOADS else '',
            '',
            '```{raw} html',
            chart(what, row),
            '```',
            '',
        ]
        cells = [f'{row[name]:.4g}' if name in row else '' for name in times]
        cells += [
            f'{row[name] / row[first]:.2f}' if name in row else ''
            for name in times
            if name != first
        ]
        table.append('| ' + ' | '.join([what, *cells]) + ' |')
    lines += ['## All figures', '', 'Ratios say how many times faster the first column is.', '']
    return '\n'.join([*lines, *table, ''])
