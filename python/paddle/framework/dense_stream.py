# SPDX-License-Identifier: Apache-2.0
"""The `.pdiparams` record: one tensor as header, tensor description and raw data, little-endian,
without a name.
"""

import math
import os
import struct

import numpy as np

from .wire import fields, message, varints

__all__ = ['write_record', 'read_record', 'read_all', 'parameter_names', 'check_shape']

_CODES = {
    'bool': 0,
    'int16': 1,
    'int32': 2,
    'int64': 3,
    'float16': 4,
    'float32': 5,
    'float64': 6,
    'uint8': 20,
    'int8': 21,
    'bfloat16': 22,
    'complex64': 23,
    'complex128': 24,
    'float8_e4m3fn': 32,
    'float8_e5m2': 33,
}
_NAMES = {code: name for name, code in _CODES.items()}
_ELEMENTS = 1 << 50  # no tensor has more
_LARGE = 4096  # reads from this on are compared with what is left of the file
_STORED = {'bfloat16': 'uint16', 'float8_e4m3fn': 'uint8', 'float8_e5m2': 'uint8'}


def write_record(stream, array, dtype=None):
    """Write `array`; `dtype` names the tensor dtype where numpy has none (bfloat16 kept in
    uint16).
    """
    name = dtype or array.dtype.name
    if name == 'uint16':
        name = 'bfloat16'
    if name not in _CODES:
        raise ValueError(f"[save] expected a dtype of the binary format, got {name}")
    desc = message((1, _CODES[name]), *((2, extent) for extent in array.shape))
    stream.write(struct.pack('<IQIi', 0, 0, 0, len(desc)) + desc)
    stream.write(np.ascontiguousarray(array).tobytes())


def _take(stream, count):
    if count > _LARGE:
        at = stream.tell()
        left = stream.seek(0, os.SEEK_END) - at
        stream.seek(at)
        if count > left:
            raise ValueError(f"expected {count} more bytes, got {left}")
    data = stream.read(count)
    if len(data) != count:
        raise ValueError(f"expected {count} more bytes, got {len(data)}")
    return data


def _description(data):
    """(code of the dtype, extents)."""
    dtype, dims = None, []
    for number, value in fields(data):
        if number == 1 and isinstance(value, int):
            dtype = value
        elif number == 2:
            extents = [value] if isinstance(value, int) else varints(value)  # one by one or packed
            dims += [extent - (1 << 64) if extent >> 63 else extent for extent in extents]
    return dtype, dims


def check_shape(dims):
    """ValueError for what cannot be the shape of a tensor; an extent of 0 does not excuse the
    others.
    """
    if (
        len(dims) > 64
        or not all(type(d) is int and d >= 0 for d in dims)
        or math.prod(d for d in dims if d) >= _ELEMENTS
    ):
        raise ValueError(f"a shape of {len(dims)} extents that is none")


def read_record(stream):
    """Read one record: (array, dtype name). bfloat16 comes as uint16. ValueError when the bytes do
    not fit.
    """
    version, levels = struct.unpack('<IQ', _take(stream, 12))
    if version != 0 or levels > 64:
        raise ValueError(f"expected tensor version 0, got {version} with {levels} levels")
    for _ in range(levels):
        (size,) = struct.unpack('<Q', _take(stream, 8))
        if size > 1 << 40:
            raise ValueError(f"a level of {size} bytes")
        _take(stream, size)
    version, length = struct.unpack('<Ii', _take(stream, 8))
    if version != 0 or not 0 < length < 1 << 16:
        raise ValueError(f"expected tensor version 0, got {version}; description of {length} bytes")
    code, dims = _description(_take(stream, length))
    if code not in _NAMES:
        raise ValueError(f"unknown dtype {code}")
    check_shape(dims)
    name = _NAMES[code]
    dtype = np.dtype(_STORED.get(name, name))
    count = 1
    for dim in dims:
        count *= dim
    return np.frombuffer(_take(stream, count * dtype.itemsize), dtype).reshape(dims).copy(), name


def read_all(stream, names):
    """One record for each of `names`, which are sorted; the stream must end with the last."""
    out = {name: read_record(stream) for name in sorted(names)}
    if stream.read(1):
        raise ValueError("expected the end after the last tensor, got more bytes")
    return out


def parameter_names(program):
    """Names of the parameters that `.pdiparams` holds for a program read from `.json`."""
    names = []

    def walk(regions):
        for region in regions:
            for block in region.get('blocks', ()):
                for op in block.get('ops', ()):
                    if op.get('#') == 'p' and (op.get('OA') or [1])[0]:
                        names.append(op['A'][3])
                    walk(op.get('regions', ()))

    walk(program['program']['regions'])
    return names
