# SPDX-License-Identifier: Apache-2.0
"""Files of single and of several variables, as operations of old programs wrote them."""

import os

import numpy as np

from paddle.framework.dense_stream import read_record, write_record
from paddle.framework.output_file import OutputFile
from paddle.static.scope import DenseTensor

__all__ = [
    'load_combine_func',
    'load_dense_tensor',
    'load_func',
    'save_combine_func',
    'save_dense_tensor',
    'save_func',
]


def _array(op, tensor, half=False):
    import paddle

    if isinstance(tensor, paddle.Tensor):
        tensor = DenseTensor(tensor)
    if not isinstance(tensor, DenseTensor):
        raise TypeError(f'[{op}] expected a DenseTensor, got {type(tensor).__name__}')
    array = np.array(tensor)
    return array.astype('float16') if half else array


def _open(op, path, overwrite):
    if os.path.exists(path) and not overwrite:
        raise RuntimeError(f'[{op}] expected a new file or overwrite=True, got {str(path)!r}')
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    return OutputFile(path)


def _read(op, stream, path):
    try:
        return read_record(stream)[0]
    except ValueError as error:
        raise ValueError(f'[{op}] expected a tensor in {str(path)!r}, got {error}') from None


def save_func(tensor, name, file_path, overwrite=True, save_as_fp16=False):
    """Write a `DenseTensor`; with `save_as_fp16` as float16. The file holds no name."""
    with _open('save_func', file_path, overwrite) as stream:
        write_record(stream, _array('save_func', tensor, save_as_fp16))


def load_func(file_path, seek, shape, load_as_fp16, out, place=None):
    """Read what `save_func` wrote into a `DenseTensor`: from element `seek` on as many as `shape`
    has, or all where seek is -1."""
    with open(file_path, 'rb') as stream:
        array = _read('load_func', stream, file_path)
    if seek >= 0:
        count = int(np.prod(shape))
        if min(shape, default=0) < 0 or seek + count > array.size:
            raise ValueError(
                f'[load_func] expected a part of {array.size} elements, got shape {list(shape)} '
                f'from {seek} on'
            )
        array = array.reshape(-1)[seek : seek + count].reshape(shape)
    _set('load_func', out, array, load_as_fp16, place)


def _set(op, out, array, half, place):
    if not isinstance(out, DenseTensor):
        raise TypeError(f'[{op}] expected a DenseTensor, got {type(out).__name__}')
    out.set(array.astype('float16') if half else array, place)


def save_combine_func(
    tensors, names, file_path, overwrite=True, save_as_fp16=False, save_to_memory=False
):
    """Write several in the order of the list."""
    from paddle.base.arguments import only

    only('save_combine_func', 'it writes a file', save_to_memory=(save_to_memory, False))
    if len(tensors) != len(names):
        raise ValueError(
            f'[save_combine_func] expected a name for each of {len(tensors)} tensors, got '
            f'{len(names)}'
        )
    with _open('save_combine_func', file_path, overwrite) as stream:
        for tensor in tensors:
            write_record(stream, _array('save_combine_func', tensor, save_as_fp16))


def load_combine_func(file_path, names, tensors, load_as_fp16=False, place=None):
    """Read as many as there are names, in their order; the file must hold no more."""
    if len(tensors) != len(names):
        raise ValueError(
            f'[load_combine_func] expected a tensor for each of {len(names)} names, got '
            f'{len(tensors)}'
        )
    with open(file_path, 'rb') as stream:
        arrays = [_read('load_combine_func', stream, file_path) for _ in names]
        if stream.read(1):
            raise ValueError(
                f'[load_combine_func] expected {len(names)} tensors in {str(file_path)!r}, got more'
            )
    for tensor, array in zip(tensors, arrays):
        _set('load_combine_func', tensor, array, load_as_fp16, place)


def save_dense_tensor(tensor, file_path):
    """Write a `DenseTensor`; the number of bytes."""
    save_func(tensor, '', file_path)
    return os.path.getsize(file_path)


def load_dense_tensor(*args):
    """`(file_path)`: the tensor of a file; `(tensor, file_path)`: reads into a tensor and gives the
    number of bytes."""
    if not 1 <= len(args) <= 2:
        raise TypeError(f'[load_dense_tensor] expected 1 or 2 arguments, got {len(args)}')
    out = args[0] if len(args) == 2 else DenseTensor()
    with open(args[-1], 'rb') as stream:
        _set('load_dense_tensor', out, _read('load_dense_tensor', stream, args[-1]), False, None)
        return stream.tell() if len(args) == 2 else out
