# SPDX-License-Identifier: Apache-2.0
"""Programs of Python constructs whose state is changed at random between calls: marked with
`to_static` they give what they give unmarked, results, gradients and exceptions. With --full-graph
they are marked so.

python test/fuzz/capture.py [--programs N] [--calls N] [--seed N] [--seconds S] [--full-graph]
"""

import argparse
import contextlib
import linecache
import random
import sys
import time
import warnings

import numpy
from capture_programs import MATCH_SETUP, SETUP
from capture_statements import (
    BREAKS,
    DECISIONS,
    MATCHES,
    MATCH_MUTATIONS,
    MUTATIONS,
    NUMBERS,
    REFUSED,
    STATEMENTS,
    STEPS,
    VARYING,
)
from progress import Progress

import paddle
from paddle.jit.regions.owner import few

_BLOCKS = ('for', 'if', 'while', 'try', 'except', 'with', 'else', 'finally')


def _lines(text):
    return [line for line in text.strip().splitlines()]


def _statements(text):
    """Statements, those of several lines as one."""
    found = []
    for line in _lines(text):
        if line.startswith(('except', 'while', 'else', 'finally', ' ')):
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
                indent = head[: len(head) - len(head.lstrip())] + '    '
                lines.append(head + ':')
                lines.extend(indent + part.strip() for part in rest.split(';'))
            else:
                lines.append(line)
    return '\n'.join(' ' * 4 * depth + line for line in lines)


def program(generator, full_graph=False):
    """(the text of a random program with a function `main`, whether its arguments vary: beside x a
    tensor with another number of rows, and an int).
    """
    statements = _statements(STATEMENTS + DECISIONS + ('' if full_graph else NUMBERS))
    if generator.random() < 0.35:
        statements += 4 * _statements(STEPS)
    if generator.random() < 0.15:
        statements += 4 * _statements(REFUSED)
    if not full_graph and generator.random() < 0.6:
        statements += 2 * _statements(BREAKS)
    setup = SETUP
    if sys.version_info >= (3, 10):
        setup += MATCH_SETUP
        statements += _statements(MATCHES)
    varies = generator.random() < 0.3
    if varies:
        statements += 3 * _statements(VARYING)
    count = generator.randint(1, 5)
    first, second, third = (
        [generator.choice(statements) for _ in range(generator.randint(1, count))] for _ in range(3)
    )
    inner = _body(third, 2)
    more = ', z, n' if varies else ''
    return (
        f'{setup}\ndef third(x{more}):\n    def local(x):\n{inner}\n        return x\n'
        f'    return local(x)\n'
        f'def second(x{more}):\n{_body(second, 1)}\n    x = third(x{more})\n    return x\n'
        f'def main(x{more}):\n{_body(first, 1)}\n    x = second(x{more})\n    return x\n'
    ), varies


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

    def call(self, seed, varies=False, factor=1.0):
        """What a call gives: numbers and gradients, or an exception. `factor` is of its input."""
        random.seed(seed)
        paddle.seed(seed)
        x = paddle.to_tensor([0.5 * factor, 1.25 * factor], stop_gradient=False)
        w = self.scope['W']
        w.clear_grad()
        try:
            y = self.main(x, *(_varying(seed) if varies else ()))
            result = [y.numpy()]
            if not y.stop_gradient:
                y.sum().backward()
        except Exception as error:
            return type(error).__name__, str(error)[:40]
        state = self.scope['WT'], self.scope['BIAS']
        result += [None if t.grad is None else t.grad.numpy() for t in (x, w, *state)]
        return result + [t.numpy() for t in state]


def _varying(seed):
    generator = numpy.random.RandomState(seed)
    rows = generator.randint(1, 9)
    z = paddle.to_tensor(generator.uniform(-1, 2, [rows, 2]).astype('float32'))
    return z, int(generator.randint(0, 7))


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


def _difference(a, b):
    """The largest relative difference; infinite where results are not numbers of one shape."""
    most = 0.0
    if type(a) is not type(b) or len(a) != len(b):
        return float('inf')
    for p, q in zip(a, b):
        if p is None and q is None:
            continue
        if not (isinstance(p, numpy.ndarray) and isinstance(q, numpy.ndarray)):
            return float('inf')
        if p.shape != q.shape or not (numpy.isfinite(p).all() and numpy.isfinite(q).all()):
            return float('inf')
        away = numpy.abs(p.astype('float64') - q)
        most = max(most, float((away / (numpy.abs(p) + 1e-6)).max(initial=0)))
    return most


def _rounding(text, changes, seed, varies):
    """How far the last call of the unmarked program moves when its parameters and its input have
    another last bit: steps that diverge, and powers of large exponents, multiply the rounding of
    each operation, fused or not.
    """
    results = []
    for factor in (1.0, 1.0 + 2.0**-22):
        world = World(text, f'<capture {seed} rounding>', False)
        for name in ('WT', 'BIAS'):
            world.scope[name].set_value(world.scope[name] * factor)
        for call, before in enumerate(changes):
            for change in before:
                world.change(change)
            result = world.call(seed + call, varies, factor)
        results.append(result)
    return _difference(*results)


def follow(text, changes, seed, varies=False, full_graph=False):
    """(calls that ran a recording, '' or a report of the first that differs) of the program, called
    once after each list of changes.
    """
    few.operations = 1 if seed % 4 else 4  # of a region
    worlds = [World(text, f'<capture {seed} {m}>', m, full_graph) for m in (False, True)]
    history = []
    for call, before in enumerate(changes):
        for change in before:
            history.append(change)
            if len({world.change(change) for world in worlds}) > 1:
                return 0, f'seed {seed}: {change} differs'
        plain, marked = (world.call(seed + call, varies) for world in worlds)
        history.append('call')
        if not _same(plain, marked):
            off = _difference(plain, marked)
            if off < 1e-3 and off <= 4 * _rounding(text, changes[: call + 1], seed, varies):
                return worlds[1].main._all_runs(), ''  # what follows differs by rounding, too
            body = text[text.index('def third(') :]
            report = f'seed {seed}, call {call}: {plain}\n  but marked {marked}\n{body}\n{history}'
            return 0, report
    return worlds[1].main._all_runs(), ''


def run(seed, calls, full_graph=False):
    """(calls that were made, those that ran a recording, '' or a report) of a random program."""
    generator = random.Random(seed)
    text, varies = program(generator, full_graph)
    calls += 7 * varies  # what varies is free after some
    mutations, changes = _lines(MUTATIONS + MATCH_MUTATIONS), [[], []]
    kept = set(linecache.cache)
    while len(changes) < calls:
        count = generator.choice((0, 1, 1, 2))
        changes.append([generator.choice(mutations) for _ in range(count)])
    found = follow(text, changes[:calls], seed, varies, full_graph)
    for name in linecache.cache.keys() - kept:  # else long runs hold every text
        del linecache.cache[name]
    return calls, *found


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
    wrong = compiled = count = calls = 0
    end, progress = time.monotonic() + given.seconds, Progress()

    def summary():
        return f'{count} programs, {calls} calls, {compiled} ran a recording, {wrong} differ'

    with contextlib.suppress(KeyboardInterrupt):
        for seed in range(given.seed, given.seed + given.programs):
            if time.monotonic() > end:
                break
            progress.say(summary)
            made, runs, report = run(seed, given.calls, given.full_graph)
            count, compiled, calls = count + 1, compiled + runs, calls + made
            if report:
                wrong += 1
                print(report, flush=True)
    print(summary())
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
