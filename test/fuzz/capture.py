# SPDX-License-Identifier: Apache-2.0
"""Programs of Python constructs whose state is changed at random between calls: marked with
`to_static` they give what they give unmarked, results, gradients and exceptions. With --full-graph
they are marked so.

python test/fuzz/capture.py [--programs N] [--calls N] [--seed N] [--seconds S] [--full-graph]
"""

import argparse
import linecache
import random
import sys
import time
import warnings

import numpy
from capture_programs import (
    BREAKS,
    DECISIONS,
    MUTATIONS,
    NUMBERS,
    REFUSED,
    SETUP,
    STATEMENTS,
    STEPS,
)

import paddle
from paddle.jit.regions.owner import few

_BLOCKS = ('for', 'if', 'while', 'try', 'except', 'with', 'else', 'finally')


def _lines(text):
    return [line for line in text.strip().splitlines()]


def _statements(text):
    """Statements, those of several lines as one."""
    found = []
    for line in _lines(text):
        if line.startswith(('except', 'while', 'else', 'finally')):
            found[-1] += '\n' + line
        else:
            found.append(line)
    return found


def _body(chosen, depth):
    lines = []
    for statement in chosen:
        for line in statement.splitlines():
            head, colon, rest = line.partition(': ')
            if colon and head.split()[0] in _BLOCKS:
                lines.append(head + ':')
                lines.extend('    ' + part.strip() for part in rest.split(';'))
            else:
                lines.append(line)
    return '\n'.join(' ' * 4 * depth + line for line in lines)


def program(generator, full_graph=False):
    """The text of a random program, with a function `main(x)`."""
    statements = _statements(STATEMENTS + DECISIONS + ('' if full_graph else NUMBERS))
    if generator.random() < 0.35:
        statements += 4 * _statements(STEPS)
    if generator.random() < 0.15:
        statements += 4 * _statements(REFUSED)
    if not full_graph and generator.random() < 0.6:
        statements += 2 * _statements(BREAKS)
    count = generator.randint(1, 5)
    first, second, third = (
        [generator.choice(statements) for _ in range(generator.randint(1, count))] for _ in range(3)
    )
    inner = _body(third, 2)
    return (
        f'{SETUP}\ndef third(x):\n    def local(x):\n{inner}\n        return x\n'
        f'    return local(x)\n'
        f'def second(x):\n{_body(second, 1)}\n    x = third(x)\n    return x\n'
        f'def main(x):\n{_body(first, 1)}\n    x = second(x)\n    return x\n'
    )


class World:
    """A program in a module of its own, marked or not."""

    def __init__(self, text, name, marked, full_graph=False):
        self.scope = {'__name__': name, '__builtins__': __builtins__}
        linecache.cache[name] = len(text), None, text.splitlines(True), name
        exec(compile(text, name, 'exec'), self.scope)
        self.main = self.scope['main']
        if marked:
            self.main = paddle.jit.to_static(self.main, full_graph=full_graph)
        self.name = name

    def change(self, text):
        """Run a statement of MUTATIONS in the module."""
        name = f'{self.name}+{text}'
        linecache.cache[name] = len(text), None, [text + '\n'], name
        try:
            exec(compile(text, name, 'exec'), self.scope)
        except Exception as error:
            return repr(error)
        return None

    def call(self, seed):
        """What a call gives: numbers and gradients, or an exception."""
        random.seed(seed)
        paddle.seed(seed)
        x = paddle.to_tensor([0.5, 1.25], stop_gradient=False)
        w = self.scope['W']
        w.clear_grad()
        try:
            y = self.main(x)
            result = [y.numpy()]
            if not y.stop_gradient:
                y.sum().backward()
        except Exception as error:
            return type(error).__name__, str(error)[:40]
        state = self.scope['WT'], self.scope['BIAS']
        result += [None if t.grad is None else t.grad.numpy() for t in (x, w, *state)]
        return result + [t.numpy() for t in state]


def _same(a, b):
    if type(a) is not type(b) or len(a) != len(b):
        return False
    for p, q in zip(a, b):
        if isinstance(p, numpy.ndarray) and isinstance(q, numpy.ndarray):
            if not numpy.allclose(p, q, rtol=1e-5, atol=1e-6, equal_nan=True):
                return False
        elif isinstance(p, str) or isinstance(q, str):
            if p != q:
                return False
        elif (p is None) != (q is None):
            return False
    return True


def run(seed, calls, full_graph=False):
    """(whether all calls agree, calls that ran a recording, a report)."""
    generator = random.Random(seed)
    text = program(generator, full_graph)
    few.operations = 1 if seed % 4 else 4  # of a region
    worlds = [World(text, f'<capture {seed} {m}>', m, full_graph) for m in (False, True)]
    history, mutations = [], _lines(MUTATIONS)
    for call in range(calls):
        if call > 1:
            for _ in range(generator.choice((0, 1, 1, 2))):
                change = generator.choice(mutations)
                history.append(change)
                if len({world.change(change) for world in worlds}) > 1:
                    return False, 0, f'seed {seed}: {change} differs'
        plain, marked = (world.call(seed + call) for world in worlds)
        history.append('call')
        if not _same(plain, marked):
            body = text[len(SETUP) :]
            report = f'seed {seed}, call {call}: {plain}\n  but marked {marked}\n{body}\n{history}'
            return False, 0, report
    return True, worlds[1].main._all_runs(), ''


def main(arguments=None):
    """Run the programs of the command line; 1 if one differs."""
    parser = argparse.ArgumentParser()
    parser.add_argument('--programs', type=int, default=200)
    parser.add_argument('--calls', type=int, default=5)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=float('inf'))
    parser.add_argument('--full-graph', action='store_true')
    given = parser.parse_args(arguments)
    warnings.simplefilter('ignore')
    wrong = compiled = count = 0
    end = time.monotonic() + given.seconds
    for seed in range(given.seed, given.seed + given.programs):
        if time.monotonic() > end:
            break
        count += 1
        good, runs, report = run(seed, given.calls, given.full_graph)
        compiled += runs
        if not good:
            wrong += 1
            print(report)
    calls = count * given.calls
    print(f'{count} programs, {calls} calls, {compiled} ran a recording, {wrong} differ')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
