# SPDX-License-Identifier: Apache-2.0
"""Draw when ranks compute and when they communicate in one step of DataParallel.

    python -m paddle.distributed.launch --nproc_per_node 2 timeline.py --out timeline.svg

The events are those of `paddle.profiler`. Prints how much of the communication had computation
beside it.
"""

import argparse
import json
import os
import re
import tempfile

import paddle
import paddle.distributed as dist
from paddle import nn
from paddle.profiler import Profiler, ProfilerTarget

COMPUTES, COMMUNICATES = ('Operator', 'Backward', 'Program'), 'Communication'
WIDTH, LEFT, ROW, GAP = 900, 140, 26, 6
COLORS = {'computes': '#4477aa', 'communicates': '#ee6677', 'traffic': '#228833'}


def profiled(step, warm=3):
    """(kind, begin, end in microseconds, bytes) of each event of a step, behind some others."""
    for _ in range(warm):
        step()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'trace.json')
        with Profiler(targets=[ProfilerTarget.CPU], timer_only=False) as profiler:
            dist.barrier()
            step()
        profiler.export(path, 'json')
        with open(path) as file:
            events = json.load(file)['traceEvents']
    found = []
    for e in events:
        kind = e.get('cat')
        if kind in COMPUTES:
            found.append(('computes', e['ts'], e['ts'] + e['dur'], 0))
        elif kind == COMMUNICATES and not e['name'].startswith('barrier'):
            size = int(re.search(r'\((\d+) bytes\)', e['name'])[1])
            found.append(('communicates', e['ts'], e['ts'] + e['dur'], size))
    return found


def joined(spans):
    """Spans without those that touch or lie in others."""
    out = []
    for begin, end in sorted(spans):
        if out and begin <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([begin, end])
    return out


def overlap(ranks):
    """The share of the communication during which some rank still computes. A collective begins
    when the last rank comes to it: waits for slower ranks are none of its time.
    """
    computed = max(e for events in ranks for k, _, e, _ in events if k == 'computes')
    spans = [sorted((b, e) for k, b, e, _ in events if k == 'communicates') for events in ranks]
    hidden = total = 0
    for one in zip(*spans):
        begin, end = (max(times) for times in zip(*one))
        hidden += max(0, min(end, computed) - begin)
        total += end - begin
    return hidden / max(1e-9, total)


def picture(ranks):
    """The SVG of the events of each rank."""
    begin = min(b for events in ranks for _, b, _, _ in events)
    end = max(e for events in ranks for _, _, e, _ in events)
    scale = (WIDTH - LEFT - 20) / (end - begin)
    parts, y = [], 34

    def at(time):
        return LEFT + (time - begin) * scale

    def text(x, y, words, anchor='start'):
        parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>')

    text(LEFT, 18, f'one step of DataParallel, {len(ranks)} ranks, from paddle.profiler')
    for rank, events in enumerate(ranks):
        for kind in ('computes', 'communicates'):
            text(LEFT - 8, y + ROW * 0.7, f'rank {rank} {kind}', 'end')
            for b, e in joined((b, e) for k, b, e, _ in events if k == kind):
                parts.append(
                    f'<rect x="{at(b):.1f}" y="{y}" width="{max(0.5, (e - b) * scale):.1f}" '
                    f'height="{ROW}" fill="{COLORS[kind]}"/>'
                )
            y += ROW + GAP
        y += GAP
    sent = sorted((e, size) for k, _, e, size in ranks[0] if k == 'communicates')
    total, height, line = sum(size for _, size in sent), 3 * ROW, [(at(begin), 0)]
    for time, size in sent:
        line += [(at(time), line[-1][1]), (at(time), line[-1][1] + size)]
    line.append((at(end), total))
    points = ' '.join(f'{x:.1f},{y + height - height * v / max(1, total):.1f}' for x, v in line)
    parts.append(
        f'<polyline points="{points}" fill="none" stroke="{COLORS["traffic"]}" stroke-width="2"/>'
    )
    text(LEFT - 8, y + ROW * 0.7, f'{total / 1e6:.1f} MB reduced', 'end')
    y += height + GAP
    for i in range(6):
        time = begin + (end - begin) * i / 5
        parts.append(f'<path d="M{at(time):.1f} 28V{y}" stroke="#888" stroke-width="0.4"/>')
        text(at(time), y + 16, f'{(time - begin) / 1e3:.1f} ms', 'middle')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 26}" '
        'font-family="sans-serif" font-size="12" fill="#777">\n' + '\n'.join(parts) + '\n</svg>\n'
    )


def made(layers, width, rows):
    """A step of a model of linear layers on all ranks."""
    paddle.seed(0)
    pairs = [(nn.Linear(width, width), nn.ReLU()) for _ in range(layers)]
    model = nn.Sequential(*[part for pair in pairs for part in pair])
    model = paddle.DataParallel(model, comm_buffer_size=4)
    x = paddle.rand([rows, width])

    def step():
        model(x).square().mean().backward()
        model.clear_gradients()

    return step


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--out', default='timeline.svg')
    parser.add_argument('--layers', type=int, default=20)
    parser.add_argument('--width', type=int, default=512)
    parser.add_argument('--rows', type=int, default=512)
    flags = parser.parse_args()

    dist.init_parallel_env()
    step = made(flags.layers, flags.width, flags.rows)
    events, ranks = profiled(step), []
    dist.all_gather_object(ranks, events)
    if dist.get_rank() == 0:
        with open(flags.out + '.new', 'w') as file:
            file.write(picture(ranks))
        os.replace(flags.out + '.new', flags.out)
        print(f'{100 * overlap(ranks):.0f} % of the communication overlaps')


if __name__ == '__main__':
    main()
