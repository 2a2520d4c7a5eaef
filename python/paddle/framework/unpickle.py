# SPDX-License-Identifier: Apache-2.0
"""Reading pickles of saved tensors without running code: the closed table of what they may name,
each with its checked arguments. Arrays are rebuilt here from their parts, so that a damaged file
cannot reach numpy's own state setters."""

import builtins
import collections
import io
import math
import re

import numpy as np

from paddle.base.interrupts import raised_by_handler

from .dense_stream import check_shape
from .pickle_machine import Admitted, Machine, refuse

__all__ = ['load_pickle', 'parse_error']

_SPEC = re.compile(r'[<>|=]?(?:[biufc]\d{1,2}|\?|[US]\d{1,6})')
_ENCODINGS = ('latin1', 'latin-1', 'utf-8', 'ascii')
_SIZED = (list, tuple, set, frozenset, collections.deque)


class _Dtype:
    """Stands for a numpy.dtype while unpickling."""

    __slots__ = ('dtype', 'set')

    def __init__(self, spec):
        if type(spec) is not str or not _SPEC.fullmatch(spec):
            refuse("an array of another dtype than numbers and text")
        self.dtype, self.set = np.dtype(spec), False

    def set_state(self, state):
        """The byte order."""
        if (
            self.set
            or type(state) is not tuple
            or len(state) < 2
            or state[1] not in ('<', '>', '|', '=')
        ):
            refuse("a bad dtype state")
        self.dtype, self.set = self.dtype.newbyteorder(state[1]), True


class _Array:
    """Stands for a numpy.ndarray while unpickling."""

    __slots__ = ('array',)

    def __init__(self, array=None):
        self.array = array

    def set_state(self, machine, state):
        """Shape, dtype, order and data, once."""
        if self.array is not None or type(state) is not tuple or len(state) not in (4, 5):
            refuse("a bad array state")
        shape, dtype, fortran, data = state[-4:]
        self.array = _checked_array(machine, shape, dtype, data, fortran)


def _checked_array(machine, shape, dtype, data, fortran):
    if (
        type(dtype) is not _Dtype
        or type(data) not in (str, bytes, bytearray, memoryview)
        or type(shape) is not tuple
    ):
        refuse("an array without shape, dtype or data")
    check_shape(shape)
    if type(data) is not memoryview:
        machine.spend(len(data))
    if type(data) is str:
        data = data.encode('latin1')
    dtype = dtype.dtype
    if math.prod(shape) * dtype.itemsize != len(data):
        refuse(f"shape {shape} of {dtype} does not fit {len(data)} bytes of data")
    array = np.frombuffer(data, dtype).reshape(shape, order='F' if fortran else 'C')
    if type(data) is not memoryview:
        array = array.copy()
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder('='))


def _build(machine, value, state):
    """BUILD: proxies get their state, ordered dicts attributes of their own; nothing else has a
    state.
    """
    if type(value) is _Array:
        value.set_state(machine, state)
    elif type(value) is _Dtype:
        value.set_state(state)
    elif type(value) is collections.OrderedDict and type(state) is dict:
        if not all(
            type(name) is str and not hasattr(collections.OrderedDict, name) for name in state
        ):
            refuse("an attribute that hides a method")
        vars(value).update(state)
    else:
        refuse(f"a state for {type(value).__name__}")


def _reconstruct(machine, kind, shape=None, code=None):
    if kind is not _NDARRAY:
        refuse("an array of a subclass")
    return _Array()


def _from_buffer(machine, data, dtype, shape, order='C'):
    if type(shape) is not tuple or type(data) not in (bytes, bytearray) or order not in ('C', 'F'):
        refuse("an array without shape or data")
    return _Array(_checked_array(machine, shape, dtype, data, order == 'F'))


def _scalar(machine, dtype, data):
    return _checked_array(machine, (), dtype, data, False)[()]


def _dtype(machine, spec, align=False, copy=False):
    return _Dtype(spec)


def _stand_in_eval(machine, text, scope=None):
    """The only `eval` the format uses: `eval('data', {'data': array})`."""
    if text != 'data' or type(scope) is not dict or list(scope) != ['data']:
        refuse("a call of eval other than eval('data', {'data': array})")
    return scope['data']


def _encode(machine, text, encoding='utf-8', errors='strict'):
    if type(text) is not str or encoding not in _ENCODINGS or errors != 'strict':
        refuse("an encoding other than of text to latin1, utf-8 or ascii")
    machine.spend(len(text))
    return text.encode(encoding)


def _bytes(kind):
    def make(machine, content=b'', *encoding):
        if type(content) is str:
            return kind(_encode(machine, content, *encoding))
        if type(content) not in (bytes, bytearray, list) or encoding:
            refuse("bytes of other things than bytes")
        machine.spend(len(content))
        return kind(content)

    return make


def _collection(kind):
    def make(machine, content=(), *rest):
        if type(content) not in _SIZED or (rest and kind is not collections.deque):
            refuse(f"a {kind.__name__} of other things than a collection")
        machine.spend(8 * len(content))
        if kind in (set, frozenset):
            made = set()
            machine.add(made, content)
            return kind(made) if kind is frozenset else made
        if any(not (n is None or type(n) is int) for n in rest):
            refuse("a bad length of a deque")
        return kind(content, *rest)

    return make


def _mapping(machine, made, content):
    if isinstance(content, dict):
        content = content.items()
    elif type(content) not in (list, tuple) or not all(
        type(pair) in (list, tuple) and len(pair) == 2 for pair in content
    ):
        refuse("a dict of other things than pairs")
    machine.spend(8 * len(content))
    for key, value in content:
        machine.set_item(made, key, value)
    return made


def _default_dict(machine, factory=None, content=()):
    if factory is not None and (type(factory) is not Admitted or factory.real is None):
        refuse("a default that is no builtin type")
    return _mapping(machine, collections.defaultdict(factory and factory.real), content)


def _of_number(kind, least=0, most=1):
    """`kind` called with numbers; one argument may be short text."""

    def make(machine, *values):
        if not least <= len(values) <= most or not all(
            v is None
            and kind is slice
            or type(v) in (int, float, bool)
            or (type(v) is str and len(v) <= 4300 and kind in (int, float))
            for v in values
        ):
            refuse(f"a {kind.__name__} of other things than numbers")
        return kind(*values)

    return make


def _str(machine, text=''):
    if type(text) is not str:
        refuse("text of other objects")
    return text


_NDARRAY = Admitted('numpy.ndarray', real=np.ndarray)
_CALLS = {
    'tuple': _collection(tuple),
    'list': _collection(list),
    'set': _collection(set),
    'frozenset': _collection(frozenset),
    'dict': lambda machine, content=(): _mapping(machine, {}, content),
    'complex': _of_number(complex, 0, 2),
    'slice': _of_number(slice, 1, 3),
    'int': _of_number(int),
    'float': _of_number(float),
    'bool': _of_number(bool),
    'bytes': _bytes(bytes),
    'bytearray': _bytes(bytearray),
    'str': _str,
}
_GLOBALS = {
    (module, name): Admitted(name, call, getattr(builtins, name))
    for module in ('builtins', '__builtin__')
    for name, call in _CALLS.items()
}
for _module in ('builtins', '__builtin__'):
    _GLOBALS[_module, 'eval'] = Admitted('eval', _stand_in_eval)
    _GLOBALS[_module, 'long'] = _GLOBALS[_module, 'int']
    _GLOBALS[_module, 'unicode'] = _GLOBALS[_module, 'str']
_GLOBALS.update(
    {
        ('collections', 'OrderedDict'): Admitted(
            'OrderedDict',
            lambda machine, content=(): _mapping(machine, collections.OrderedDict(), content),
            collections.OrderedDict,
        ),
        ('collections', 'defaultdict'): Admitted(
            'defaultdict', _default_dict, collections.defaultdict
        ),
        ('collections', 'deque'): Admitted(
            'deque', _collection(collections.deque), collections.deque
        ),
        ('numpy', 'ndarray'): _NDARRAY,
        ('numpy', 'dtype'): Admitted('dtype', _dtype, np.dtype),
        ('_codecs', 'encode'): Admitted('encode', _encode),
    }
)
for _root in ('numpy.core', 'numpy._core'):
    _GLOBALS[_root + '.multiarray', '_reconstruct'] = Admitted('_reconstruct', _reconstruct)
    _GLOBALS[_root + '.multiarray', 'scalar'] = Admitted('scalar', _scalar)
    _GLOBALS[_root + '.numeric', '_frombuffer'] = Admitted('_frombuffer', _from_buffer)


def _find(module, name):
    found = _GLOBALS.get((module, name))
    if found is None:
        refuse(
            f"the file names {module[:99]}.{name[:99]}, which saved tensors do not need, so it is "
            f"refused (loading it could run code)"
        )
    return found


def _expanded(value, sizes, limit):
    """The size of nested containers when each mention counts; what grows past `limit`, or holds
    itself, is refused.
    """
    if isinstance(value, dict):
        parts = value.values()
    elif isinstance(value, _SIZED):
        parts = value
    else:
        return 1 + (
            value.array.nbytes // 8 if type(value) is _Array and value.array is not None else 0
        )
    known = sizes.get(id(value))
    if known is None:
        sizes[id(value)] = limit  # while it is open: one that holds itself is too big
        known = 1 + sum(_expanded(item, sizes, limit) for item in parts)
        if type(value) is collections.OrderedDict and vars(value):
            known += _expanded(vars(value), sizes, limit)
        sizes[id(value)] = known
        if known > limit:
            refuse("containers that repeat or hold each other without end")
    return known


def _real(value):
    """Arrays in place of their proxies, in nested containers."""
    if isinstance(value, _Array):
        if value.array is None:
            refuse("an array without data")
        return value.array
    if isinstance(value, _Dtype):
        return value.dtype
    if isinstance(value, Admitted):
        if value.real is None:
            refuse(f"{value.name} as a value")
        return value.real
    if isinstance(value, dict):
        for key in list(value):
            value[key] = _real(value[key])
        if type(value) is collections.OrderedDict and vars(value):
            _real(vars(value))
        return value
    if isinstance(value, (list, collections.deque)):
        for i, item in enumerate(value):
            value[i] = _real(item)
        return value
    if isinstance(value, tuple):
        return tuple(_real(item) for item in value)
    return value


def parse_error(source, why):
    """The exception for a file that cannot be read as what it should be."""
    return ValueError(
        f"[load] expected a file that can be read, got {source}, which is corrupted, truncated or "
        f"of another kind: {why}"
    )


def load_pickle(stream, source='<memory>', mapped=None):
    """Unpickle one object. ValueError when the bytes are damaged or name a global that is not
    admitted. Where `mapped` has the stream's content in memory, large arrays are views of that.
    """
    if not isinstance(stream, io.BufferedIOBase):
        stream = io.BufferedReader(stream)
    try:
        machine = Machine(stream, _find, _build, mapped)
        value = machine.load()
        _expanded(value, {}, 8 * machine.size + 100_000)
        return _real(value)
    except (MemoryError, OSError):  # of the machine, not of the file
        raise
    except Exception as error:
        if raised_by_handler(error):
            raise
        raise parse_error(source, f"{type(error).__name__}: {error}") from None
