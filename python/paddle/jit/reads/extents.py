# SPDX-License-Identifier: Apache-2.0
"""Extents and integers that are free in a recording: Python code calculates with them as with ints,
and what it asks of them is noted.
"""

import operator

import paddle
from paddle.base import libpaddle as _core

_Plain = _core.pir._Extent
_key = _Plain.__hash__
_COMPARE = {'<': operator.lt, '>': operator.gt, '=': operator.eq, '!': operator.ne}
# Of the answer no: the comparison that is true then.
_OTHERWISE = {'<': ('>', 1), '>': ('<', 1), '=': ('!', 0), '!': ('=', 0)}
_CALCULATE = {
    '+': operator.add,
    '-': operator.sub,
    '*': operator.mul,
    '/': operator.floordiv,
    'b': lambda a, b: b if a == 1 else a,  # what they broadcast to
}
_MOST_TESTS = 64


class TooMuch(RuntimeError):
    """What code does with extents that are free is more than a recording tells of."""


class Extents:
    """The extents that are free in one recording, and what its code asked of them.

    `tests`: comparisons that the recording depends on, as steps for the core.
    """

    def __init__(self):
        self._roots, self.tests, self.closed = {}, [], False
        self.ints = set()  # the places of those that stand for ints

    def add(self, extent, place, axis, number):
        """An extent of tensor number `place`, and what it is in this call."""
        root = self._roots.setdefault(_key(extent), (place, axis, number))
        if root[:2] != (place, axis):  # one symbol for equal ones
            self._note([('d', place, axis), ('d', *root[:2]), ('=', 0, 0)])

    def at_least(self, place, axis, number):
        """The extent is no less in all calls."""
        self._note([('d', place, axis), ('n', number - 1, 0), ('>', 0, 0)])

    def _note(self, steps):
        if steps in self.tests:
            return
        if self.closed or len(self.tests) >= _MOST_TESTS:
            raise TooMuch('[to_static] expected fewer decisions by extents that vary, got more')
        self.tests.append(steps)

    # --- values

    def of(self, value):
        """A number for the code: an int, or an Extent for one that is not known."""
        return Extent(self, value) if isinstance(value, _Plain) else value

    def shape(self, tensor):
        """`tensor.shape`"""
        return paddle.Size(map(self.of, _core.pir._extents(tensor)))

    def number(self, value):
        """What an extent is in this call."""
        if not isinstance(value, _Plain):
            return value
        root = self._roots.get(_key(value))
        if root is not None:
            return root[2]
        op, a, b = value._parts()
        if op == 's':
            raise TooMuch('[to_static] expected extents of arguments, got one that depends on data')
        return _CALCULATE[op](self.number(a), self.number(b))

    def _steps(self, value):
        if not isinstance(value, _Plain):
            return [('n', value, 0)]
        root = self._roots.get(_key(value))
        if root is not None:
            return [('d', *root[:2])]
        op, a, b = value._parts()
        return [*self._steps(a), *self._steps(b), (op, 0, 0)]

    # --- what code asks

    def compare(self, op, a, b):
        """The answer in this call, which all calls of the recording give."""
        answer = _COMPARE[op](self.number(a), self.number(b))
        steps, shift = [*self._steps(a), *self._steps(b)], 0
        if not answer:
            op, shift = _OTHERWISE[op]
        if shift:  # a >= b is a > b - 1
            steps += [('n', 1, 0), ('-' if op == '>' else '+', 0, 0)]
        self._note([*steps, (op, 0, 0)])
        return answer

    def calculate(self, op, a, b):
        """a op b; an int where no extent tells it."""
        x, y = self.number(a), self.number(b)
        if op == '%':
            if y <= 0 or x < 0:
                return self.fix(a) % self.fix(b)
            whole = self.calculate('*', self.calculate('/', a, b), b)
            return self._combined('-', a, whole)
        if op == '/':
            if y <= 0 or x < 0:
                return self.fix(a) // self.fix(b)
            if isinstance(b, _Plain):
                self.compare('>', b, 0)
            return self._combined('/', a, b)
        if op in '+-' and not isinstance(b, _Plain) and b < 0:
            op, b, y = '-' if op == '+' else '+', -b, -y
        if op == '+' and not isinstance(a, _Plain) and a < 0:
            op, a, b, x, y = '-', b, -a, y, -x
        if min(x, y) < 0 or (op == '-' and x < y):
            return _CALCULATE[op](self.fix(a), self.fix(b))
        if op == '-':
            self.compare('<', b, a) if x > y else self.compare('=', a, b)
        return self._combined(op, a, b)

    def _combined(self, op, a, b):
        if isinstance(a, _Plain):
            return self.of(a._combined(op, b))
        if isinstance(b, _Plain):
            return self.of(b._combined(op, a, True))
        return _CALCULATE[op](a, b)

    def fix(self, value):
        """The number of this call, which it is in all calls of the recording."""
        number = self.number(value)
        if isinstance(value, _Plain):
            self._note([*self._steps(value), ('n', number, 0), ('=', 0, 0)])
        return number

    # --- what became of it

    def pinned(self):
        """(place, axis) of the extents that can be only what they are in this call."""
        found = []
        for place, axis, number in self._roots.values():
            if not any(self._hold(place, axis, number + step) for step in (-1, 1, 2, 7)):
                found.append((place, axis))
        return found

    def _hold(self, place, axis, instead):
        numbers = {(p, a): n for p, a, n in self._roots.values()}
        numbers[place, axis] = instead
        for steps in self.tests:
            stack = []
            for op, a, b in steps:
                if op == 'd':
                    stack.append(numbers.get((a, b), instead))
                elif op == 'n':
                    stack.append(a)
                else:
                    right, left = stack.pop(), stack.pop()
                    if op == '/' and right == 0:
                        return False
                    stack.append({**_COMPARE, **_CALCULATE}[op](left, right))
            if not stack[0]:
                return False
        return True

    def text_of(self, place, axis, names):
        """How an extent reads; `names` of the tensors."""
        return names[place] if place in self.ints else f'{names[place]}.shape[{axis}]'

    def texts(self, names):
        """The comparisons as texts; `names` of the tensors."""
        found = []
        for steps in self.tests:
            stack = []
            for op, a, b in steps:
                if op == 'd':
                    stack.append(self.text_of(a, b, names))
                elif op == 'n':
                    stack.append(str(a))
                else:
                    right, left = stack.pop(), stack.pop()
                    sign = {'=': '==', '!': '!=', '/': '//'}.get(op, op)
                    stack.append(
                        f'{left} {sign} {right}'
                        if op in _COMPARE
                        else f'broadcast({left}, {right})'
                        if op == 'b'
                        else f'({left} {sign} {right})'
                    )
            found.append(stack[0])
        return found


def _calculation(op, swapped=False):
    def run(self, other):
        if not isinstance(other, (int, _Plain)):
            return NotImplemented
        if type(other) is bool:
            other = int(other)
        a, b = (other, self) if swapped else (self, other)
        return self.extents.calculate(op, a, b)

    return run


def _comparison(op, negated=False):
    def run(self, other):
        if isinstance(other, float):
            return _NUMBERS[op, negated](self.fixed(), other)
        if not isinstance(other, (int, _Plain)):
            return NotImplemented
        return self.extents.compare(op, self, other) is not negated

    return run


_NUMBERS = {
    ('<', False): operator.lt,
    ('>', False): operator.gt,
    ('>', True): operator.le,
    ('<', True): operator.ge,
    ('=', False): operator.eq,
    ('!', False): operator.ne,
}


def _of_number(function):
    def run(self, *args):
        return function(self.fixed(), *args)

    return run


def _of_numbers(function, swapped=False):
    def run(self, other):
        if isinstance(other, Extent):
            other = other.fixed()
        if not isinstance(other, (int, float, complex)):
            return NotImplemented
        return function(other, self.fixed()) if swapped else function(self.fixed(), other)

    return run


class Extent(_Plain):
    """An extent that is free, as Python code sees it: an int. Whatever needs the number itself
    fixes it.
    """

    def __init__(self, extents, extent):
        super().__init__(extent)
        self.extents = extents

    def fixed(self):
        """The number, which the recording depends on from now on."""
        return self.extents.fix(self)

    @property
    def __class__(self):
        return int

    def tensor(self, dtype):
        """The number as a value of the program."""
        return self._tensor().astype(dtype)

    __add__, __radd__ = _calculation('+'), _calculation('+', True)
    __sub__, __rsub__ = _calculation('-'), _calculation('-', True)
    __mul__, __rmul__ = _calculation('*'), _calculation('*', True)
    __floordiv__, __rfloordiv__ = _calculation('/'), _calculation('/', True)
    __mod__, __rmod__ = _calculation('%'), _calculation('%', True)
    __lt__, __gt__ = _comparison('<'), _comparison('>')
    __le__, __ge__ = _comparison('>', True), _comparison('<', True)
    __eq__, __ne__ = _comparison('='), _comparison('!')
    __index__ = __int__ = __trunc__ = __floor__ = __ceil__ = fixed
    __hash__, __float__, __neg__ = _of_number(hash), _of_number(float), _of_number(operator.neg)
    __complex__, __str__, __repr__ = _of_number(complex), _of_number(str), _of_number(repr)
    __format__, __round__ = _of_number(format), _of_number(round)
    __invert__ = _of_number(operator.invert)
    __truediv__ = _of_numbers(operator.truediv)
    __rtruediv__ = _of_numbers(operator.truediv, True)
    __pow__, __rpow__ = _of_numbers(operator.pow), _of_numbers(operator.pow, True)
    __divmod__, __rdivmod__ = _of_numbers(divmod), _of_numbers(divmod, True)
    __lshift__, __rlshift__ = _of_numbers(operator.lshift), _of_numbers(operator.lshift, True)
    __rshift__, __rrshift__ = _of_numbers(operator.rshift), _of_numbers(operator.rshift, True)
    __and__, __rand__ = _of_numbers(operator.and_), _of_numbers(operator.and_, True)
    __or__, __ror__ = _of_numbers(operator.or_), _of_numbers(operator.or_, True)
    __xor__, __rxor__ = _of_numbers(operator.xor), _of_numbers(operator.xor, True)

    def __bool__(self):
        return self.extents.compare('!', self, 0)

    def __pos__(self):
        return self

    __abs__ = __pos__

    def __getattr__(self, name):
        return getattr(self.fixed(), name)

    def __reduce__(self):
        return int, (self.fixed(),)

    def __array__(self, dtype=None, copy=None):
        import numpy

        return numpy.array(self.fixed(), dtype, copy=copy is not False)


def any_extent(value):
    """Whether the value is one, or a list, tuple, dict or slice that holds some; containers may
    hold themselves.
    """
    waiting, seen = [value], set()
    while waiting:
        value = waiting.pop()
        kind = type(value)
        if kind is Extent:
            return True
        if isinstance(value, (list, tuple)):
            inner = value
        elif kind is dict:
            inner = value.values()
        elif kind is slice:
            inner = (value.start, value.stop, value.step)
        else:
            continue
        if id(value) not in seen:
            seen.add(id(value))
            waiting.extend(inner)
    return False


def fixed(value):
    """The value with numbers for extents: lists and dicts are new."""
    kind = type(value)
    if kind is Extent:
        return value.fixed()
    if not any_extent(value):
        return value
    if kind is slice:
        return slice(fixed(value.start), fixed(value.stop), fixed(value.step))
    if kind is dict:
        return {k: fixed(v) for k, v in value.items()}
    return _alike(value, [fixed(v) for v in value])


def _alike(value, parts):
    """A list or tuple like the value, of these parts."""
    return value._make(parts) if hasattr(value, '_make') else type(value)(parts)


def fix_in_place(value):
    """The result of a call with numbers for extents; lists and dicts stay the same objects."""
    kind = type(value)
    if kind is Extent:
        return value.fixed()
    if isinstance(value, list):
        value[:] = list(map(fix_in_place, value))
    elif kind is dict:
        for key in value:
            value[key] = fix_in_place(value[key])
    elif isinstance(value, tuple):
        parts = list(map(fix_in_place, value))
        if any(a is not b for a, b in zip(parts, value)):
            return _alike(value, parts)
    elif type(getattr(value, '__dict__', None)) is dict and not isinstance(value, type):
        for key, held in list(vars(value).items()):
            if kind.__module__.startswith('paddle'):
                break
            if type(held) is Extent:
                vars(value)[key] = held.fixed()
    return value
