# SPDX-License-Identifier: Apache-2.0
"""A function that is taken apart at any of its lines does what it did: results, exceptions, order
of calls, names that are bound."""

import ast
import contextlib
import itertools
import random
import types

import pytest

from paddle.jit.dy2static import source
from paddle.jit.regions import split

said = []


def say(value):
    said.append(value)
    return len(said)


def loops(x, n):
    total = 0
    for i in range(n):
        total += x * i
        if total > 20:
            break
        if i == 2:
            x = x + 1
            continue
        for k in range(3):
            total += k
            if k == 1:
                continue
            if total > 50:
                return total, 'deep'
        say(total)
    else:
        total = total - 1
        say('else')
    while total > 5:
        total = total // 2
        say(total)
        if total == 7:
            break
        last = total
    try:
        say(last)
    except NameError:
        say('unbound')
    return total, x


def unbound(x, n):
    if n > 1:
        y = x * 2
    elif n > 0:
        y = x * 3
        say(y)
    try:
        z = y + 1
        if n == 3:
            raise KeyError('k')
        w = z
    except KeyError as e:
        z = len(str(e))
        w = 1
    except NameError as e:
        z = str(e)
        w = 2
    finally:
        say('finally')
    if n == 2:
        del z
    say(w)
    return z, w


def containers(x, n):
    found, table = [], {'a': x}
    found.append(x * 2)

    def inner(v):
        say(v)
        return v + x

    found.append(inner(n))
    some = [v * n for v in found if v > 0]
    total = sum(v + n for v in some)
    table['b'] = total
    (a, *b), c = (found[0], *some), table['b']
    a, b = b, a
    if m := a and n:
        say(m)
    return a, b, c, sorted(table), [inner(i) for i in range(2)]


def arguments(x, n, *rest, k=4, **more):
    p = x * n + k + len(rest) + sum(more.values())
    if p == 7:
        raise ValueError('seven')
    say(p)
    if n > 2:
        return p
    p -= 1
    while True:
        p += 3
        say(p)
        if p > 30:
            return p, 'while'
        if p % 2:
            continue
        p += x


def risky(x, n):
    say(x)
    if x % 4 == n:
        raise ValueError(x)
    return x + 1


def guarded(x, n):
    a, total = 0, 0
    for i in range(4):
        try:
            a = risky(x + i, n)
            b = risky(a + 1, n)
            a, c = risky(b, n), a
            total += risky(c, n) + a
            if total > 20:
                break
            if i == 2:
                continue
            say(total)
        except ValueError as e:
            total += a + len(str(e))
            try:
                a = risky(total, n) * 2
                total = a + 1
                del a
            except ValueError:
                say(('inner', a, total))
                if n == 3:
                    raise
                a = risky(i, -1)
                total = total + a
            else:
                a = risky(total, -1)
            finally:
                say(('finally', total))
                total += 1
        else:
            say('else')
            total = risky(total, n) - 1
    d = a + total
    try:
        say(b)
        return d, total
    except NameError:
        return d
    finally:
        d = risky(d, -1)
        say(d)


def managers(x, n):
    a = x
    with contextlib.suppress(ValueError) as s:
        a = risky(x, n)
        b = risky(a, n)
        a = a + b
        say(a)
        a = (b := risky(a, n)) + risky(b, n)
    say((s, a, x > 1 or b))
    with contextlib.ExitStack() as stack, contextlib.suppress(NameError):
        stack.callback(say, 'left')
        c = a + b
        say(c)
        return c
    return a, 'unbound'


def rounds(x, n):
    total = risky(x, -1)
    for i in range(3):
        y = risky(total, n)
        total = y * 2 + i
        got = (yield total) or [say(y), risky(total, -1)][0]
        say((got, y))
        if total > 40:
            return total + y
        z = y + total
        yield from [risky(k, -1) for k in (z, total)]
    try:
        total = risky(total, n)
        yield say(total)
        total = risky(total, n)
    finally:
        z = total + 1
        say(z)
    return z, total


def enclosing(c):
    def counts(x, n):
        nonlocal c
        c += x * n
        say(c)
        if c > 9:
            c = c - 5
            return c
        y = c * 2
        return y + c

    return counts


class Base:
    def value(self, x):
        return x + 1


class Derived(Base):
    def value(self, x):
        y = x * 2
        z = super().value(y)
        __mangled = z + say(y)
        return __mangled * 2


def nested(x, n):
    a = risky(risky(x, -1) + say(n) * x, n) - say(x)
    b = [say(a), risky(n, -1), (say(x), a)][say(n) % 2]
    a += risky(a, n) + len(f'{say(a)}')
    print(say(a) + risky(x, -1), say(b), end='', sep=f'{n}')
    if risky(a, n) > say(n) and say(x) or (c := say(a)) > 3:
        table = {say(n): say(a), 'k': risky(n, -1)}
        b = say(table['k'] + say(x)) if say(n) > 1 else risky(a, -1)
    elif say(-risky(b, n)) > 3:
        return risky(say(a), n), [say(i) + x for i in range(say(n) + 1) if say(i)]
    for i in range(say(n) % 3 + len([say(k) for k in range(risky(n, -1))])):
        x = x + say(i) * min(say(x), *[say(2), 1], key=lambda v: v + n)
        d = risky(i, n) + d if say(i) else say(x)
    table = {(slice(1, 2), n): say(x)}
    b = table[say(1) :, say(n)] if say(n) < 0 else [1, 2, say(a)][: risky(n, -1) : say(n) + 1]
    e = (lambda v: v + say(n))(say(x)) + say(a)
    say(a).bit_length(), str(say(x)).join([str(say(n)), 'k']).upper().lower()
    return e - risky(a, n), b, a < say(x) < say(4), c, d


def _taken_apart(function, lines):
    """The function with its parts as plain functions."""
    code, klass = function.__code__, source.enclosing_class(function.__qualname__)
    tree = source.function_tree(code)
    splitter = split.Splitter(tree, code, lines, lambda node, local: False, lambda node: False)
    tree = splitter.function()
    held = dict(zip(code.co_freevars, function.__closure__ or ()))
    held[split.UNBOUND] = types.CellType(object())
    held[split.CALL] = types.CellType(lambda f, *args, **kwargs: f(*args, **kwargs))
    free = set(held)

    def made(node, names):
        new = source.compile_function(node, code, names, klass)
        cells = tuple([held[n] for n in new.co_freevars])
        return types.FunctionType(new, function.__globals__, function.__name__, None, cells)

    names = {f'{split.SEGMENT}{k}' for k in range(len(splitter.parts))}
    for k, part in enumerate(splitter.parts):
        held[f'{split.SEGMENT}{k}'] = types.CellType(made(part.tree, free))
    driver = made(tree, free | names)
    driver.__defaults__, driver.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return driver, len(splitter.parts)


def _result(function, given):
    said.clear()
    items = []
    try:
        result = function(*given)
        while isinstance(result, types.GeneratorType):
            items.append(next(result))
    except Exception as error:
        result = type(error), str(error)
    return result, items, list(said)


@pytest.mark.parametrize(
    'make',
    [
        *(lambda: loops, lambda: unbound, lambda: containers, lambda: arguments),
        *(lambda: enclosing(1), lambda: guarded, lambda: managers, lambda: rounds),
    ],
    ids='loops unbound containers arguments enclosing guarded managers rounds'.split(),
)
def test_any_lines_stay(make):
    code, generator, parts = make().__code__, random.Random(1), 0
    body = range(code.co_firstlineno + 1, source.last_line(code) + 1)
    chosen = [{n} for n in body] + [set(generator.sample(body, 4)) for _ in range(5)]
    for lines in chosen:
        function = make()
        driver, count = _taken_apart(make(), lines)
        parts += count
        for given in itertools.product((1, 5), (0, 1, 2, 3)):
            assert _result(driver, given) == _result(function, given), (lines, given)
    assert parts > len(chosen)


@pytest.mark.parametrize('make', [lambda: nested, lambda: containers, lambda: rounds])
def test_any_expressions_stay(make, capsys):
    code, generator, parts = make().__code__, random.Random(2), 0
    tree = source.function_tree(code)
    spans = [
        (n.lineno, n.col_offset, n.end_lineno, n.end_col_offset)
        for n in ast.walk(tree)
        if isinstance(n, ast.expr)
    ]
    chosen = [[s] for s in generator.sample(spans, 30)]
    chosen += [generator.sample(spans, 4) for _ in range(10)]
    for some in chosen:
        marks = {(*s, generator.random() < 0.3) for s in some}
        function = make()
        driver, count = _taken_apart(make(), marks)
        parts += count
        for given in itertools.product((1, 5), (0, 1, 2, 3)):
            assert _result(driver, given) == _result(function, given), (marks, given)
    assert parts > len(chosen)


def test_methods():
    code = Derived.value.__code__
    for line in range(code.co_firstlineno + 1, source.last_line(code) + 1):
        driver, _ = _taken_apart(Derived.value, {line})
        assert _result(driver, (Derived(), 3)) == _result(Derived.value, (Derived(), 3))
