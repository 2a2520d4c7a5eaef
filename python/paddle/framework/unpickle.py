# SPDX-License-Identifier: Apache-2.0
"""Reading pickles of saved tensors without running code: only the globals the format needs are admitted, and arrays
are rebuilt here from their checked parts, so that a damaged file cannot reach numpy's own state setters."""
import builtins
import collections
import io
import math
import pickle
import pickletools
import re

import numpy as np

__all__ = ['load_pickle', 'parse_error']

_SPEC = re.compile(r'[<>|=]?(?:[biufc]\d{1,2}|\?|[US]\d{1,6})')


class _Dtype:
    """Stands for numpy.dtype while unpickling."""

    def __init__(self, spec, align=False, copy=False):
        if not isinstance(spec, str) or not _SPEC.fullmatch(spec):
            raise pickle.UnpicklingError(f"arrays of dtype {spec!r} are refused")
        self.dtype = np.dtype(spec)

    def __setstate__(self, state):
        if len(state) < 2 or state[1] not in ('<', '>', '|', '='):
            raise pickle.UnpicklingError(f"bad dtype state {state!r}")
        self.dtype = self.dtype.newbyteorder(state[1])


def _checked_array(shape, dtype, data, fortran):
    if isinstance(data, str):
        data = data.encode('latin1')
    if not isinstance(dtype, _Dtype) or not isinstance(data, (bytes, bytearray)) or not isinstance(shape, tuple):
        raise pickle.UnpicklingError("an array without shape, dtype or data")
    if not all(type(d) is int and d >= 0 for d in shape):
        raise pickle.UnpicklingError(f"bad array shape {shape!r}")
    dtype = dtype.dtype
    if math.prod(shape) * dtype.itemsize != len(data):
        raise pickle.UnpicklingError(f"shape {shape} of {dtype} does not fit {len(data)} bytes of data")
    array = np.frombuffer(data, dtype).reshape(shape, order='F' if fortran else 'C').copy()
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder('='))


class _Array:
    """Stands for numpy.ndarray while unpickling."""

    def __init__(self, *args):
        self.array = None

    def __setstate__(self, state):
        if not isinstance(state, tuple) or len(state) not in (4, 5):
            raise pickle.UnpicklingError("bad array state")
        shape, dtype, fortran, data = state[-4:]
        self.array = _checked_array(shape, dtype, data, fortran)


def _reconstruct(kind, shape=None, code=None):
    if kind is not _Array:
        raise pickle.UnpicklingError("only plain arrays are admitted")
    return _Array()


def _from_buffer(data, dtype, shape, order='C'):
    made = _Array()
    made.array = _checked_array(tuple(shape), dtype, bytes(data), order == 'F')
    return made


def _scalar(dtype, data):
    return _checked_array((), dtype, data, False)[()]


def _stand_in_eval(text, scope=None):
    """The only `eval` the format uses: `eval('data', {'data': array})`."""
    if text != 'data' or not isinstance(scope, dict) or set(scope) != {'data'}:
        raise pickle.UnpicklingError("a call of eval other than eval('data', {'data': array}) is refused")
    return scope['data']


def _encode(text, encoding='utf-8', errors='strict'):
    if encoding not in ('latin1', 'utf-8', 'ascii'):
        raise pickle.UnpicklingError(f"encoding {encoding!r} is refused")
    return text.encode(encoding, errors)


def _bytes(*args):
    if args and not isinstance(args[0], (bytes, bytearray, str, list)):
        raise pickle.UnpicklingError("bytes of a number are refused")
    return bytes(*args)


def _str(text=''):
    if not isinstance(text, str):
        raise pickle.UnpicklingError("text of other objects is refused")
    return text


_BUILTINS = {name: getattr(builtins, name) for name in
             ('tuple', 'list', 'dict', 'set', 'frozenset', 'complex', 'slice', 'int', 'float', 'bool')}
_BUILTINS.update(bytes=_bytes, bytearray=_bytes, eval=_stand_in_eval, long=int, unicode=_str, str=_str)
_GLOBALS = {('collections', 'OrderedDict'): collections.OrderedDict, ('collections', 'defaultdict'):
            collections.defaultdict, ('collections', 'deque'): collections.deque, ('numpy', 'ndarray'): _Array,
            ('numpy', 'dtype'): _Dtype, ('_codecs', 'encode'): _encode}
for _root in ('numpy.core', 'numpy._core'):
    _GLOBALS[_root + '.multiarray', '_reconstruct'] = _reconstruct
    _GLOBALS[_root + '.multiarray', 'scalar'] = _scalar
    _GLOBALS[_root + '.numeric', '_frombuffer'] = _from_buffer


class _Unpickler(pickle.Unpickler):
    def find_class(self, module, name):
        if module in ('builtins', '__builtin__') and name in _BUILTINS:
            return _BUILTINS[name]
        found = _GLOBALS.get((module, name))
        if found is None:
            raise pickle.UnpicklingError(f"the file names {module}.{name}, which saved tensors do not need, so it is "
                                         "refused (loading it could run code)")
        return found

    def persistent_load(self, pid):
        raise pickle.UnpicklingError("persistent ids are not part of the format")


_OPCODES = {info.code.encode('latin1'): (info.name, info.arg.n if info.arg else 0) for info in pickletools.opcodes}
_REFUSED = {'BYTEARRAY8', 'NEXT_BUFFER', 'READONLY_BUFFER', 'PERSID', 'BINPERSID', 'EXT1', 'EXT2', 'EXT4'}
_COUNTED = {pickletools.TAKEN_FROM_ARGUMENT1: 1, pickletools.TAKEN_FROM_ARGUMENT4: 4, pickletools.TAKEN_FROM_ARGUMENT4U: 4,
            pickletools.TAKEN_FROM_ARGUMENT8U: 8}
_MEMO_SLACK = 1024  # how far a memo index may run ahead of the entries made


def _scan(stream):
    """Check, before anything is built, that no length or memo index asks for more memory than the file has bytes for; its size."""
    start = stream.tell()
    size = stream.seek(0, io.SEEK_END)
    stream.seek(start)
    entries = 0
    while True:
        code = stream.read(1)
        name, width = _OPCODES.get(code, (None, 0))
        at = stream.tell()
        if name is None or name in _REFUSED:
            raise pickle.UnpicklingError(f"{'the end' if not code else name or code!r} at byte {at} is refused")
        if name == 'STOP':
            break
        if width == pickletools.UP_TO_NEWLINE:
            argument = stream.readline()
            if name in ('GLOBAL', 'INST'):
                argument = stream.readline()
        elif width >= 0:
            argument = stream.read(width)
        else:
            argument = stream.read(_COUNTED[width])
            length = int.from_bytes(argument, 'little', signed=width == pickletools.TAKEN_FROM_ARGUMENT4)
            if not 0 <= length <= size - stream.tell():
                raise pickle.UnpicklingError(f"{length} bytes at byte {at} of {size}")
            stream.seek(length, io.SEEK_CUR)
        if name == 'FRAME' and int.from_bytes(argument, 'little') > size - stream.tell():
            raise pickle.UnpicklingError(f"a frame longer than the file at byte {at}")
        if name == 'MEMOIZE':
            entries += 1
        elif name in ('PUT', 'BINPUT', 'LONG_BINPUT'):
            index = int(argument) if name == 'PUT' else int.from_bytes(argument, 'little')
            entries += 1
            if index > entries + _MEMO_SLACK:
                raise pickle.UnpicklingError(f"memo index {index} at byte {at}")
    stream.seek(start)
    return size


def _expanded(value, sizes, limit):
    """The number of elements of nested containers when each mention counts; what grows past `limit`, or holds itself, is refused."""
    if isinstance(value, dict):
        parts = value.values()
    elif isinstance(value, (list, tuple, set, frozenset, collections.deque)):
        parts = value
    else:
        return 1
    known = sizes.get(id(value))
    if known is None:
        sizes[id(value)] = limit  # while it is open: one that holds itself is too big
        known = sizes[id(value)] = 1 + sum(_expanded(item, sizes, limit) for item in parts)
        if known > limit:
            raise pickle.UnpicklingError("containers that repeat or hold each other without end")
    return known


def _real(value):
    """Arrays in place of their stand-ins, in nested containers."""
    if isinstance(value, _Array):
        if value.array is None:
            raise pickle.UnpicklingError("an array without data")
        return value.array
    if isinstance(value, _Dtype):
        return value.dtype
    if isinstance(value, dict):
        for key in list(value):
            value[key] = _real(value[key])
        return value
    if isinstance(value, (list, collections.deque)):
        for i, item in enumerate(value):
            value[i] = _real(item)
        return value
    if isinstance(value, tuple):
        return tuple(_real(item) for item in value)
    if isinstance(value, (set, frozenset)):
        return type(value)(_real(item) for item in value)
    return value


def parse_error(source, why):
    """The exception for a file that cannot be read as what it should be."""
    return ValueError(f"`paddle.load` can not parse the file:{source}. It is corrupted, truncated or of another kind: "
                      f"{why}")


def load_pickle(stream, source='<memory>'):
    """Unpickle one object. ValueError when the bytes are damaged or name a global that is not admitted."""
    if not isinstance(stream, io.BufferedIOBase):
        stream = io.BufferedReader(stream)
    try:
        limit = 64 * _scan(stream) + 1024
        value = _Unpickler(stream, encoding='latin1').load()
        _expanded(value, {}, limit)
        return _real(value)
    except Exception as error:
        raise parse_error(source, f"{type(error).__name__}: {error}") from None
