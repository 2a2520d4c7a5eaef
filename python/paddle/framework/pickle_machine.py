# SPDX-License-Identifier: Apache-2.0
"""Runs pickles opcode by opcode on plain data, without the pickle module.

What a file can reach is what stands here: builtin containers and numbers made for this file, and
`Admitted` callables, which are opaque marks on the stack. Nothing that outlives the load is ever
called with unchecked arguments, changed or looked up by a name of the file. Time and memory are
linear in the size of the file: lengths are compared with what is left of it, copies are charged to
an allowance, and keys are checked before they are hashed.
"""

import codecs
import collections
import io
import pickle
import struct

import numpy as np

__all__ = ['Admitted', 'Machine', 'refuse']

_MOST_MARKS = 10_000  # open marks: honest files nest as deep as the pickler recursed
_KEY_DEPTH, _KEY_PARTS = 16, 4096  # of one key
_ALIKE = 32  # keys of one container with the same hash that are not plain
_PLAIN = 1 << 60  # integers below this hash to themselves
_MEMO_SLACK = 1024  # how far a memo index may run ahead of the entries made
_DIGITS = 4300  # of a number written as text
_LARGE = 4096  # reads from this on are compared with what is left of the file
_DICTS = (dict, collections.OrderedDict, collections.defaultdict)


def refuse(why):
    """Raise the error for what a pickle may not hold or ask for."""
    raise pickle.UnpicklingError(why)


class Admitted:
    """A callable of the closed table: `call(machine, *args)` makes data; `real` is what a mention
    of it as a value stands for.
    """

    __slots__ = ('name', 'call', 'real')

    def __init__(self, name, call=None, real=None):
        self.name, self.call, self.real = name, call, real


class Machine:
    """One pickle from a seekable stream. `find(module, name)` gives an Admitted or raises;
    `build(machine, object, state)` sets the state of a fresh proxy or raises. Where `mapped` has
    the stream's content in memory, long bytes are views of that."""

    def __init__(self, stream, find, build, mapped=None):
        self.stream, self.find, self.build, self.mapped = stream, find, build, mapped
        start = stream.tell()
        self.end = stream.seek(0, io.SEEK_END)
        stream.seek(start)
        self.size = self.end - start
        self.allowance = 8 * self.size + (1 << 20)
        self.stack, self.marked, self.memo, self.alike = [], [], {}, {}

    def load(self):
        """The object the pickle describes."""
        read, steps = self.stream.read, _STEPS
        while True:
            code = read(1)
            if code == b'.':
                return self.stack.pop()
            step = steps.get(code)
            if step is None:
                refuse(
                    "it ends without a STOP"
                    if not code
                    else f"opcode {code!r} at byte {self.stream.tell() - 1}"
                )
            step(self)

    def spend(self, count):
        """Charge `count` bytes, or steps, that the file's own bytes do not account for."""
        self.allowance -= count
        if self.allowance < 0:
            refuse("it copies more than a file of its size explains")

    def check_key(self, target, key):
        """Whether `key` may be hashed into `target`: plain values, and tuples and frozensets of
        them.
        """
        kind = type(key)
        if (
            kind in (str, bytes, bool, float)
            or key is None
            or (kind is int and -_PLAIN < key < _PLAIN)
        ):
            return
        self.spend(_cost(key))
        alike = id(target), hash(key)
        count = self.alike[alike] = self.alike.get(alike, 0) + 1
        if count > _ALIKE:
            refuse("too many keys of one hash")

    def set_item(self, target, key, value):
        """`target[key] = value` for a key that may be hashed."""
        self.check_key(target, key)
        target[key] = value

    def add(self, target, items):
        """Put items that may be hashed into a set."""
        for item in items:
            self.check_key(target, item)
            target.add(item)

    def take(self, count):
        """The next `count` bytes."""
        if count < 0 or (count > _LARGE and count > self.end - self.stream.tell()):
            refuse(f"a length past the end of the file at byte {self.stream.tell()}")
        data = self.stream.read(count)
        if len(data) != count:
            refuse("it ends too early")
        return data

    def block(self, count):
        """The next `count` bytes, a view of the mapped content where they are many."""
        if self.mapped is None or count <= _LARGE:
            return self.take(count)
        begin = self.stream.tell()
        if count > self.end - begin:
            refuse(f"a length past the end of the file at byte {begin}")
        self.stream.seek(count, io.SEEK_CUR)
        return self.mapped[begin : begin + count]

    def line(self):
        """The next line without its end."""
        line = self.stream.readline()
        if line[-1:] != b'\n':
            refuse("it ends inside a line")
        return line[:-1]

    def items(self):
        """What was pushed after the last mark."""
        items = self.stack
        if not self.marked:
            refuse("a mark is missing")
        self.stack = self.marked.pop()
        return items

    def call(self, function, args):
        """The data that an admitted callable makes of a tuple of arguments."""
        if type(function) is not Admitted or function.call is None or type(args) is not tuple:
            refuse("a call of what is not admitted as a function")
        self.stack.append(function.call(self, *args))


def _cost(key):
    """The number of parts of a key; what cannot be hashed safely is refused."""
    cost, waiting = 0, [(key, 0)]
    while waiting:
        part, depth = waiting.pop()
        kind = type(part)
        cost += 1
        if kind in (tuple, frozenset):
            if depth == _KEY_DEPTH or cost + len(waiting) + len(part) > _KEY_PARTS:
                refuse("a key of too many parts")
            waiting.extend((p, depth + 1) for p in part)
        elif kind is int:
            cost += part.bit_length() // 64
        elif not (
            part is None
            or kind in (str, bytes, bool, float, complex)
            or isinstance(part, (np.bool_, np.number))
        ):
            refuse(f"a key of {kind}")
    return cost


_STEPS = {}


def _step(code):
    def put(function):
        _STEPS[code] = function
        return function

    return put


def _constant(code, make):
    _STEPS[code] = lambda m: m.stack.append(make())


def _number(form):
    reader = struct.Struct(form)
    return lambda m: reader.unpack(m.take(reader.size))[0]


_u1, _u2, _u4, _i4, _u8, _f8 = (_number(form) for form in ('<B', '<H', '<I', '<i', '<Q', '>d'))
_CONSTANTS = {
    b'N': lambda: None,
    b'\x88': lambda: True,
    b'\x89': lambda: False,
    b']': list,
    b'}': dict,
    b')': tuple,
    b'\x8f': set,
}
for _code, _make in _CONSTANTS.items():
    _constant(_code, _make)


def _reading(code, read):
    def step(m):
        value = read(m)  # may leave a mark, and so change which stack is the current one
        m.stack.append(value)

    _STEPS[code] = step


def _latin(data):
    return data.decode('latin1')


def _utf8(data):
    return data.decode('utf-8', 'surrogatepass')


def _digits(m):
    line = m.line()
    if len(line) > _DIGITS:
        refuse("a number of too many digits")
    return line


def _int_line(m):
    line = _digits(m)
    return {b'00': False, b'01': True}.get(line) if line in (b'00', b'01') else int(line, 0)


def _string_line(m):
    line = m.line().strip()
    if len(line) < 2 or line[:1] != line[-1:] or line[:1] not in (b'"', b"'"):
        refuse("text without quotes")
    return _latin(codecs.escape_decode(line[1:-1])[0])


for _code, _read in {
    b'I': _int_line,
    b'L': lambda m: int(_digits(m).rstrip(b'L'), 0),
    b'F': lambda m: float(_digits(m)),
    b'J': _i4,
    b'K': _u1,
    b'M': _u2,
    b'G': _f8,
    b'\x8a': lambda m: int.from_bytes(m.take(_u1(m)), 'little', signed=True),
    b'\x8b': lambda m: int.from_bytes(m.take(_i4(m)), 'little', signed=True),
    b'S': _string_line,
    b'T': lambda m: _latin(m.take(_i4(m))),
    b'U': lambda m: _latin(m.take(_u1(m))),
    b'V': lambda m: str(m.line(), 'raw-unicode-escape'),
    b'X': lambda m: _utf8(m.take(_u4(m))),
    b'\x8c': lambda m: _utf8(m.take(_u1(m))),
    b'\x8d': lambda m: _utf8(m.take(_u8(m))),
    b'B': lambda m: m.block(_u4(m)),
    b'C': lambda m: m.take(_u1(m)),
    b'\x8e': lambda m: m.block(_u8(m)),
    b'\x96': lambda m: bytearray(m.take(_u8(m))),
    b'g': lambda m: m.memo[int(_digits(m))],
    b'h': lambda m: m.memo[_u1(m)],
    b'j': lambda m: m.memo[_u4(m)],
    b't': lambda m: tuple(m.items()),
    b'l': lambda m: m.items(),
    b'd': lambda m: _filled(m, {}, m.items()),
    b'\x91': lambda m: _frozen(m, m.items()),
}.items():
    _reading(_code, _read)


def _filled(m, target, items):
    if len(items) % 2:
        refuse("a key without a value")
    for i in range(0, len(items), 2):
        m.set_item(target, items[i], items[i + 1])
    return target


def _frozen(m, items):
    made = set()
    m.add(made, items)
    return frozenset(made)


@_step(b'\x80')
def _protocol(m):
    if _u1(m) > 5:
        refuse("a protocol above 5")


@_step(b'\x95')
def _frame(m):
    at = m.stream.tell()
    if _u8(m) > m.end - at - 8:
        refuse(f"a frame longer than the file at byte {at}")


@_step(b'(')
def _mark(m):
    if len(m.marked) >= _MOST_MARKS:
        refuse("marks nested too deep")
    m.marked.append(m.stack)
    m.stack = []


@_step(b'0')
def _pop(m):
    if m.stack:
        m.stack.pop()
    else:
        m.items()


_STEPS[b'1'] = lambda m: m.items()
_STEPS[b'2'] = lambda m: m.stack.append(m.stack[-1])


def _keep(index):
    def step(m):
        at = index(m)
        if not 0 <= at <= len(m.memo) + _MEMO_SLACK:
            refuse(f"memo index {at:.9g}")
        m.memo[at] = m.stack[-1]

    return step


_STEPS[b'p'] = _keep(lambda m: int(_digits(m)))
_STEPS[b'q'] = _keep(_u1)
_STEPS[b'r'] = _keep(_u4)


@_step(b'\x94')
def _keep_next(m):
    m.memo[len(m.memo)] = m.stack[-1]


def _tuple_of(count):
    def step(m):
        if len(m.stack) < count:
            refuse("a tuple of more than there is")
        m.stack[-count:] = [tuple(m.stack[-count:])]

    return step


for _count, _code in enumerate((b'\x85', b'\x86', b'\x87'), 1):
    _STEPS[_code] = _tuple_of(_count)


def _extend(m, items):
    target = m.stack[-1]
    if type(target) not in (list, collections.deque):
        refuse(f"elements for {type(target).__name__}")
    target.extend(items)


def _fill(m, items):
    if type(m.stack[-1]) not in _DICTS:
        refuse(f"items for {type(m.stack[-1]).__name__}")
    _filled(m, m.stack[-1], items)


def _add(m, items):
    if type(m.stack[-1]) is not set:
        refuse(f"members for {type(m.stack[-1]).__name__}")
    m.add(m.stack[-1], items)


_STEPS[b'a'] = lambda m: _extend(m, (m.stack.pop(),))
_STEPS[b'e'] = lambda m: _extend(m, m.items())
_STEPS[b'u'] = lambda m: _fill(m, m.items())
_STEPS[b'\x90'] = lambda m: _add(m, m.items())


@_step(b's')
def _set_item(m):
    value = m.stack.pop()
    _fill(m, (m.stack.pop(), value))


@_step(b'c')
def _global(m):
    m.stack.append(m.find(_utf8(m.line()), _utf8(m.line())))


@_step(b'\x93')
def _stack_global(m):
    name, module = m.stack.pop(), m.stack.pop()
    if type(name) is not str or type(module) is not str:
        refuse("a global without a name")
    m.stack.append(m.find(module, name))


@_step(b'R')
def _reduce(m):
    args = m.stack.pop()
    m.call(m.stack.pop(), args)


_STEPS[b'\x81'] = _reduce


@_step(b'\x92')
def _new_with_keywords(m):
    keywords = m.stack.pop()
    if type(keywords) is not dict or keywords:
        refuse("a call with keywords")
    _reduce(m)


@_step(b'i')
def _instance(m):
    _global(m)
    made = m.stack.pop()
    m.call(made, tuple(m.items()))


@_step(b'o')
def _object(m):
    items = m.items()
    m.call(items[0], tuple(items[1:]))


@_step(b'b')
def _build(m):
    state = m.stack.pop()
    m.build(m, m.stack[-1], state)
