# SPDX-License-Identifier: Apache-2.0
"""The safetensors file: length of header, JSON header, raw data."""

import json
import struct

import numpy as np

import paddle

from .dense_stream import check_shape
from .unpickle import parse_error

__all__ = ['save_safetensors', 'load_safetensors']

_TAGS = {
    'bool': 'BOOL',
    'uint8': 'U8',
    'int8': 'I8',
    'int16': 'I16',
    'int32': 'I32',
    'int64': 'I64',
    'float16': 'F16',
    'bfloat16': 'BF16',
    'float32': 'F32',
    'float64': 'F64',
    'float8_e4m3fn': 'F8_E4M3',
    'float8_e5m2': 'F8_E5M2',
    'complex64': 'C64',
}
_STORED = {'BF16': 'uint16', 'F8_E4M3': 'uint8', 'F8_E5M2': 'uint8'}
_BACK = {tag: name for name, tag in _TAGS.items()}


def save_safetensors(tensors, stream):
    """Write a dict of tensors. ValueError when a value is not a tensor of a dtype the format
    has.
    """
    if not isinstance(tensors, dict):
        raise ValueError(
            f"[save] expected a dict of tensors for safetensors, got {type(tensors).__name__}"
        )
    for key, value in tensors.items():
        if not isinstance(value, paddle.Tensor):
            raise ValueError(f"[save] expected a tensor at {key!r}, got {type(value).__name__}")
        if _name_of(value) not in _TAGS:
            raise ValueError(f"[save] expected a dtype of safetensors, got {value.dtype}")
    header, offset = {}, 0
    order = sorted(tensors, key=lambda k: (-tensors[k].element_size(), k))
    for key in order:
        value = tensors[key]
        end = offset + value.size * value.element_size()
        header[key] = {
            'dtype': _TAGS[_name_of(value)],
            'shape': list(value.shape),
            'data_offsets': [offset, end],
        }
        offset = end
    text = json.dumps(header, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 8)
    stream.write(struct.pack('<Q', len(text)) + text)
    for key in order:
        stream.write(np.ascontiguousarray(tensors[key].numpy()).tobytes())


def _name_of(tensor):
    return str(tensor.dtype).rsplit('.', 1)[-1]


def load_safetensors(stream, source, return_numpy=False, mapped=None):
    """Read a dict of tensors. ValueError when the file is damaged. Where `mapped` has the stream's
    content in memory, the arrays are views of that.
    """
    try:
        (size,) = struct.unpack('<Q', stream.read(8))
        content = stream.read() if mapped is None else mapped[8:]
        if size > len(content):
            raise ValueError(f"a header of {size} bytes in a file of {len(content) + 8}")
        header, data = json.loads(bytes(content[:size])), memoryview(content)[size:]
        out, left = {}, len(data)
        for key, info in header.items():
            if key == '__metadata__':
                continue
            begin, end = info['data_offsets']
            name = _BACK[info['dtype']]
            dtype = np.dtype(_STORED.get(info['dtype'], name))
            left -= end - begin
            if not 0 <= begin <= end <= len(data) or left < 0:
                raise ValueError(f"{key!r} lies outside the file or over another")
            check_shape(info['shape'])
            array = np.frombuffer(data[begin:end], dtype).reshape(info['shape'])
            out[key] = array.copy() if mapped is None else array
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
        struct.error,
    ) as error:
        raise parse_error(source, error) from None
    return out if return_numpy else {key: paddle.to_tensor(array) for key, array in out.items()}
