# SPDX-License-Identifier: Apache-2.0
"""Tensors from a shape, a range or other data."""

import builtins
import math

import paddle
from paddle import _C_ops, _lazy, empty, full, ones, zeros  # noqa: F401
from paddle.base import libpaddle as _core
from paddle.base.arguments import keywords, second_names, to_array, write_out
from paddle.base.framework import is_recorded, number
from paddle.base.libpaddle import Tensor, expect_tensors
from paddle.utils.deprecated import deprecated

from .manipulation import extents

__all__ = [
    'zeros',
    'ones',
    'full',
    'empty',
    'zeros_like',
    'ones_like',
    'full_like',
    'empty_like',
    'arange',
    'range',
    'linspace',
    'logspace',
    'eye',
    'meshgrid',
    'assign',
    'clone',
    'as_tensor',
    'asarray',
    'tensor',
    'from_numpy',
    'from_dlpack',
    'to_dlpack',
    'complex',
    'polar',
    'tril_indices',
    'triu_indices',
    'vander',
]

_DEFAULT = _core.get_default_dtype


def _place(device):
    """Refuse a device that is not there."""
    if device is not None:
        _core.to_place(device)


def _pinned(t, device):
    """A copy in pinned memory, which needs a GPU and is of the host."""
    if not _core.gpu_count() or not _core.to_place(device or 'cpu').is_cpu_place():
        place = device or _core.current_place()
        raise RuntimeError(f"[pin_memory] expected False on {place}, got True")
    return t.pin_memory()


def _finish(t, out=None, device=None, requires_grad=False, pin_memory=False):
    """Apply the keywords every creation function has: device, out, requires_grad, pin_memory."""
    if pin_memory:
        t = _pinned(t, device)
    elif device is not None:
        place = _core.to_place(device)
        t = t if t.place == place else t._copy_to(place, True)
    t = write_out(t, out)
    if requires_grad:
        t.stop_gradient = False
    return t


@second_names(input='x')
def full_like(
    x, fill_value, dtype=None, name=None, *, device=None, requires_grad=False, pin_memory=False
):
    """A tensor of one value with the shape of another.

    Args:
        x (Tensor): Whose shape is taken. Also `input`.
        fill_value (number): What all elements are.
        dtype (str or dtype, default None): The dtype; None for that of x.
        name (str, default None): Taken for compatibility; it has no effect.
        device (str or place, default None): Where the result lies; None for the current device.
        requires_grad (bool, default False): Whether gradients flow to the result.
        pin_memory (bool, default False): Whether the memory is page-locked: only with a GPU.

    Returns:
        Tensor: The new tensor.

    Examples:
        >>> paddle.full_like(paddle.to_tensor([1, 2]), 7).tolist()
        [7, 7]
    """
    expect_tensors('full_like', x=x)
    dtype = x.dtype if dtype is None else dtype
    # an integer that int64 does not hold fills only what is not integral
    if isinstance(fill_value, int) and not -(2**63) <= fill_value < 2**63 and 'int' in str(dtype):
        raise OverflowError(
            f'[full_like] expected a fill_value that fits in int64, got {fill_value}'
        )
    return _finish(_C_ops.full_like(x, fill_value, dtype), None, device, requires_grad, pin_memory)


@second_names(input='x')
def zeros_like(x, dtype=None, name=None, *, device=None, requires_grad=False, pin_memory=False):
    """Zeros with the shape of a tensor.

    Args:
        x (Tensor): Whose shape is taken. Also `input`.
        dtype (str or dtype, default None): The dtype; None for that of x.
        name (str, default None): Taken for compatibility; it has no effect.
        device (str or place, default None): Where the result lies; None for the current device.
        requires_grad (bool, default False): Whether gradients flow to the result.
        pin_memory (bool, default False): Whether the memory is page-locked: only with a GPU.

    Returns:
        Tensor: The new tensor.

    Examples:
        >>> paddle.zeros_like(paddle.to_tensor([1.5, 2.5])).tolist()
        [0.0, 0.0]
    """
    return full_like(x, 0, dtype, device=device, requires_grad=requires_grad, pin_memory=pin_memory)


@second_names(input='x')
def ones_like(x, dtype=None, name=None, *, device=None, requires_grad=False, pin_memory=False):
    """Ones with the shape of a tensor.

    Args:
        x (Tensor): Whose shape is taken. Also `input`.
        dtype (str or dtype, default None): The dtype; None for that of x.
        name (str, default None): Taken for compatibility; it has no effect.
        device (str or place, default None): Where the result lies; None for the current device.
        requires_grad (bool, default False): Whether gradients flow to the result.
        pin_memory (bool, default False): Whether the memory is page-locked: only with a GPU.

    Returns:
        Tensor: The new tensor.

    Examples:
        >>> paddle.ones_like(paddle.to_tensor([1.5, 2.5])).tolist()
        [1.0, 1.0]
    """
    return full_like(x, 1, dtype, device=device, requires_grad=requires_grad, pin_memory=pin_memory)


@second_names(input='x')
def empty_like(x, dtype=None, name=None, *, device=None, requires_grad=False, pin_memory=False):
    """A tensor with the shape of another and undefined contents.

    Args:
        x (Tensor): Whose shape is taken. Also `input`.
        dtype (str or dtype, default None): The dtype; None for that of x.
        name (str, default None): Taken for compatibility; it has no effect.
        device (str or place, default None): Where the result lies; None for the current device.
        requires_grad (bool, default False): Whether gradients flow to the result.
        pin_memory (bool, default False): Whether the memory is page-locked: only with a GPU.

    Returns:
        Tensor: The new tensor.

    Examples:
        >>> paddle.empty_like(paddle.to_tensor([1, 2])).shape
        paddle.Size([2])
    """
    expect_tensors('empty_like', x=x)
    if -1 in x.shape or x.is_dist():
        return full_like(
            x, 0, dtype, device=device, requires_grad=requires_grad, pin_memory=pin_memory
        )
    return _finish(
        _C_ops.empty(list(x.shape), x.dtype if dtype is None else dtype),
        None,
        device,
        requires_grad,
        pin_memory,
    )


def _range_dtype(*values):
    for value in values:
        if isinstance(value, Tensor):
            if not str(value.dtype)[7:].startswith(('int', 'uint')):
                return value.dtype
        elif isinstance(value, float) or (hasattr(value, 'dtype') and value.dtype.kind == 'f'):
            return _DEFAULT()
    return 'int64'


def arange(
    start=0,
    end=None,
    step=1,
    dtype=None,
    *,
    out=None,
    device=None,
    requires_grad=False,
    pin_memory=False,
    name=None,
):
    """Evenly spaced values from start on, without the end.

    Args:
        start (number or Tensor, default 0): The first value; the end where no end is given, from
            0 on.
        end (number or Tensor, default None): Where the values stop, itself not taken.
        step (number or Tensor, default 1): The distance, not 0.
        dtype (str or dtype, default None): The dtype; None for int64, of floats the default
            dtype.
        out (Tensor, default None): Takes the result, where given, and is returned.
        device (str or place, default None): Where the result lies; None for the current device.
        requires_grad (bool, default False): Whether gradients flow to the result.
        pin_memory (bool, default False): Whether the memory is page-locked: only with a GPU.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The values, 1-D.

    Raises:
        ValueError: step is 0.

    Examples:
        >>> paddle.arange(4).tolist()
        [0, 1, 2, 3]
        >>> paddle.arange(1.0, 2.0, 0.25).tolist()
        [1.0, 1.25, 1.5, 1.75]
    """
    if end is None:
        start, end = 0, start
    if dtype is None:
        dtype = _range_dtype(start, end, step)
    values = [number(v) for v in (start, end, step)]
    if not is_recorded(values[2]) and values[2] == 0:
        raise ValueError('[arange] expected a step other than 0, got 0')
    return _finish(_C_ops.arange(*values, dtype), out, device, requires_grad, pin_memory)


@deprecated('paddle.arange', reason='the end is left out there', level=1)
def range(
    start=0, end=None, step=1, dtype=None, *, out=None, device=None, requires_grad=False, name=None
):
    """Evenly spaced values from start to end, both included.

    Args:
        start (number or Tensor, default 0): The first value; the end where no end is given, from
            0 on.
        end (number or Tensor, default None): The last value.
        step (number or Tensor, default 1): The distance, not 0.
        dtype (str or dtype, default None): The dtype; None for the default dtype.
        out (Tensor, default None): Takes the result, where given, and is returned.
        device (str or place, default None): Where the result lies; None for the current device.
        requires_grad (bool, default False): Whether gradients flow to the result.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The values, 1-D.

    Examples:
        >>> paddle.range(0, 3).tolist()
        [0.0, 1.0, 2.0, 3.0]
    """
    if end is None:
        start, end = 0, start
    start, end, step = (number(v) for v in (start, end, step))
    whole = all(isinstance(v, int) for v in (start, end, step))
    count = (end - start) // step if whole else (end - start) / step
    if is_recorded(count):
        count = paddle.clip(paddle.floor(count).astype('int64') + 1, min=0)
    else:
        count = max(0, math.floor(count) + 1)
    values = _C_ops.arange(0, count, 1, 'int64')
    values = (values if whole else values.astype('float64')) * step + start
    return _finish(values.astype(dtype or _DEFAULT()), out, device, requires_grad)


def _tensor(value, dtype):
    if isinstance(value, builtins.complex):
        raise TypeError(f'[linspace] expected a real number, got {value}')
    return value if isinstance(value, Tensor) else paddle.to_tensor(value, dtype=dtype)


def _count_dtype(count):
    """The dtype PaddlePaddle records counts in, where it holds this one."""
    return 'int32' if is_recorded(count) or count < 2**31 else 'int64'


@second_names(end='stop', steps='num')
def linspace(
    start, stop, num, dtype=None, name=None, *, out=None, device=None, requires_grad=False
):
    """`num` values from `start` to `stop`, evenly spaced, both included.

    Args:
        start (number or Tensor): The first value.
        stop (number or Tensor): The last value. Also `end`.
        num (int or Tensor): How many. Also `steps`.
        dtype (str or dtype, default None): The dtype; None for the default dtype.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.
        device (str or place, default None): Where the result lies; None for the current device.
        requires_grad (bool, default False): Whether gradients flow to the result.

    Returns:
        Tensor: The values, [num].

    Examples:
        >>> paddle.linspace(0, 1, 5).tolist()
        [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    if dtype is None:
        dtype = _DEFAULT()
    count = number(num)
    if not is_recorded(count):
        count = int(count)
        if count < 0:
            raise ValueError(f'[linspace] expected num of at least 0, got {count}')
        if count == 0:
            return _finish(paddle.empty([0], dtype), out, device, requires_grad)
    wide = 'float64'
    return _finish(
        _C_ops.linspace(
            _tensor(start, wide), _tensor(stop, wide), _tensor(count, _count_dtype(count)), dtype
        ),
        out,
        device,
        requires_grad,
    )


def logspace(start, stop, num, base=10.0, dtype=None, name=None):
    """`num` powers of `base` with exponents from `start` to `stop`, evenly spaced.

    Args:
        start (number or Tensor): The first exponent.
        stop (number or Tensor): The last exponent.
        num (int or Tensor): How many.
        base (number or Tensor, default 10.0): The base.
        dtype (str or dtype, default None): The dtype; None for the default dtype.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The powers, [num].

    Examples:
        >>> paddle.logspace(0, 2, 3).tolist()
        [1.0, 10.0, 100.0]
    """
    num = number(num)
    if not is_recorded(num) and int(num) < 1:
        raise ValueError(f'[logspace] expected num of at least 1, got {num}')
    dtype = dtype or _DEFAULT()
    exponents = linspace(number(start), number(stop), num, 'float64')
    return (paddle.full([], number(base), 'float64') ** exponents).astype(dtype)


@second_names(n='num_rows', m='num_columns')
def eye(
    num_rows,
    num_columns=None,
    dtype=None,
    name=None,
    *,
    out=None,
    device=None,
    requires_grad=False,
    pin_memory=False,
):
    """The identity matrix, `num_rows` by `num_columns`.

    Args:
        num_rows (int): How many rows. Also `n`.
        num_columns (int, default None): How many columns; None for as many as rows. Also `m`.
        dtype (str or dtype, default None): The dtype; None for the default dtype.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.
        device (str or place, default None): Where the result lies; None for the current device.
        requires_grad (bool, default False): Whether gradients flow to the result.
        pin_memory (bool, default False): Whether the memory is page-locked: only with a GPU.

    Returns:
        Tensor: Ones on the diagonal, zeros elsewhere.

    Examples:
        >>> paddle.eye(2, 3).tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    columns = num_rows if num_columns is None else num_columns
    for name, extent in (('num_rows', num_rows), ('num_columns', columns)):
        if isinstance(extent, int) and extent < 0:
            raise TypeError(f'[eye] expected a non-negative int as {name}, got {extent}')
    return _finish(
        _C_ops.eye(num_rows, columns, dtype or _DEFAULT()), out, device, requires_grad, pin_memory
    )


def assign(x, output=None):
    """A copy of a tensor, array, list or number; into `output` when given.

    Args:
        x (Tensor, array, list or number): What is copied.
        output (Tensor, default None): Takes the copy, where given.

    Returns:
        Tensor: The copy, of shape [1] of a number; gradients flow through it.

    Examples:
        >>> paddle.assign([1.5, 2.5]).tolist()
        [1.5, 2.5]
        >>> paddle.assign(2).tolist()
        [2]
    """
    if isinstance(x, Tensor):
        value = _C_ops.assign(x)
    else:
        array = to_array('assign', 'x', x)
        is_number = array.ndim == 0 and type(x) is not type(array)
        value = paddle.to_tensor(array.reshape([1]) if is_number else array)
    return write_out(value, output)


def clone(x, name=None):
    """A copy through which gradients flow.

    Args:
        x (Tensor): The values.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The copy.

    Examples:
        >>> x = paddle.to_tensor([1.0], stop_gradient=False)
        >>> paddle.clone(x).sum().backward()
        >>> x.grad.tolist()
        [1.0]
    """
    expect_tensors('clone', x=x)
    return x.clone()


def tensor(data, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A new tensor holding a copy of `data`.

    Args:
        data (object): Numbers, lists of them, arrays or tensors.
        dtype (str or dtype, default None): The dtype; None for what data tells.
        device (str, place or int, default None): The device; None for the current one.
        requires_grad (bool, default False): Whether it needs gradients.
        pin_memory (bool, default False): Whether it lies in page-locked memory.

    Returns:
        Tensor: the new tensor.

    Examples:
        >>> paddle.as_tensor([1.0, 2.0]).tolist()
        [1.0, 2.0]
        >>> paddle.as_tensor([1, 2], dtype="float32", requires_grad=True).stop_gradient
        False
    """
    t = paddle.to_tensor(data, dtype=dtype, place=device, stop_gradient=not requires_grad)
    return _pinned(t, device) if pin_memory else t


as_tensor = tensor


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """A tensor of an object, without its history.

    Args:
        obj (object): Numbers, nested lists, an array or a tensor.
        dtype (str or dtype, default None): The dtype; None for that of the data.
        device (str or place, default None): Where the result lies; None for the current device.
        copy (bool, default None): True for memory of its own; False to share that of a tensor,
            where dtype and device are its own; None as it comes.
        requires_grad (bool, default False): Whether gradients flow to the result.

    Returns:
        Tensor: The tensor.

    Examples:
        >>> paddle.asarray([1.0, 2.0]).tolist()
        [1.0, 2.0]
    """
    if copy is not False or not isinstance(obj, Tensor):
        return tensor(obj, dtype, device, requires_grad)
    t = obj.detach()
    return _finish(
        t if dtype is None or t.dtype == dtype else t.astype(dtype), None, device, requires_grad
    )


def from_numpy(ndarray):
    """A tensor with the contents of a NumPy array.

    Args:
        ndarray (numpy.ndarray): The contents.

    Returns:
        Tensor: The tensor, with the dtype of the array.

    Examples:
        >>> import numpy as np
        >>> paddle.from_numpy(np.array([1, 2])).tolist()
        [1, 2]
    """
    return _core.from_numpy(ndarray)


def from_dlpack(dlpack, *, device=None, copy=None):
    """A tensor that shares the memory of another library's array.

    Args:
        dlpack (object): A DLPack capsule, or an object with `__dlpack__`.
        device (str or place, default None): Where the result lies; None for the current device.
        copy (bool, default None): True for memory of its own, False to refuse a copy.

    Returns:
        Tensor: The tensor.

    Raises:
        ValueError: A copy is needed and copy is False.

    Source: DLPack (https://dmlc.github.io/dlpack)

    Examples:
        >>> import numpy as np
        >>> a = np.array([1.0, 2.0])
        >>> x = paddle.from_dlpack(a)
        >>> a[0] = 5.0
        >>> x.tolist()
        [5.0, 2.0]
    """
    place = None if device is None else _core.to_place(device)
    capsule = dlpack
    if hasattr(dlpack, '__dlpack__'):
        wanted = {} if copy is None else {'copy': copy}
        if place is not None and place.is_cpu_place():
            wanted['dl_device'] = (1, 0)
        if hasattr(dlpack, '__dlpack_device__') and 'dl_device' not in wanted:
            kind, number = dlpack.__dlpack_device__()
            if kind == 2:  # a GPU's: our stream is to wait for the producer's
                wanted['stream'] = _core.current_stream(_core.CUDAPlace(number)) or None
        try:
            capsule = dlpack.__dlpack__(max_version=(1, 0), **wanted)
        except TypeError:  # a producer of before these arguments
            capsule = dlpack.__dlpack__()
    t = _core.from_dlpack_capsule(capsule)
    if place is not None and t.place != place:
        if copy is False:
            raise ValueError(
                f'[from_dlpack] expected data on {place} for copy=False, got data on {t.place}'
            )
        return t._copy_to(place, True)
    return t.clone() if copy else t


def to_dlpack(x):
    """A DLPack capsule that shares the memory of `x`.

    Args:
        x (Tensor): The tensor that is shared.

    Returns:
        PyCapsule: to be read once.

    Examples:
        >>> x = paddle.to_tensor([1.0, 2.0])
        >>> paddle.from_dlpack(paddle.to_dlpack(x)).tolist()
        [1.0, 2.0]
    """
    return _core.to_dlpack(x)


def meshgrid(*args, **kwargs):
    """Coordinate grids of 1-D tensors, in 'ij' order (`indexing='xy'` swaps the first two).

    Args:
        *args (Tensor): 1-D tensors, or one list of them.
        **kwargs (object): `indexing`, `ij` by default or `xy`, and `name`.

    Returns:
        list of Tensors: one for each, of the extents of all.

    Examples:
        >>> a, b = paddle.meshgrid(paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4, 5]))
        >>> a.tolist()
        [[1, 1, 1], [2, 2, 2]]
        >>> b.tolist()
        [[3, 4, 5], [3, 4, 5]]
    """
    keywords('meshgrid', kwargs, 'indexing', 'name')
    indexing = kwargs.get('indexing', 'ij')
    kwargs.pop('name', None)
    tensors = list(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else list(args)
    if not tensors:
        raise ValueError('[meshgrid] expected at least one tensor, got none')
    for t in tensors:
        expect_tensors('meshgrid', x=t)
        if t.ndim > 1:
            raise ValueError(
                f'[meshgrid] expected tensors of at most one dimension, got shape {t.shape}'
            )
    if indexing not in ('ij', 'xy'):
        raise ValueError(f"[meshgrid] expected indexing 'ij' or 'xy', got {indexing!r}")
    swap = indexing == 'xy' and len(tensors) > 1
    if swap:
        tensors[:2] = tensors[1], tensors[0]
    sizes = [extents(t)[0] if t.ndim else 1 for t in tensors]
    grids = []
    for i, t in enumerate(tensors):
        view = [1] * len(tensors)
        view[i] = -1
        grids.append(_C_ops.expand(t.reshape(view), sizes)._apart(t))
    if swap:
        grids[:2] = grids[1], grids[0]
    return grids


def complex(real, imag, name=None, *, out=None):
    """A complex tensor from its real and imaginary parts, broadcast together.

    Args:
        real (Tensor): The real parts, float32 or float64.
        imag (Tensor): The imaginary parts, of that dtype.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: complex64 or complex128, with the broadcast shape.

    Examples:
        >>> paddle.complex(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([0.5, -1.0])).tolist()
        [(1+0.5j), (2-1j)]
    """
    return _finish(_C_ops.complex(real, imag), out)


def polar(abs, angle, name=None, *, out=None):
    """A complex tensor from magnitudes and angles.

    Args:
        abs (Tensor): The magnitudes.
        angle (Tensor): The angles in radians.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The complex numbers, with the broadcast shape.

    Examples:
        >>> paddle.polar(paddle.to_tensor([2.0]), paddle.to_tensor([0.0])).tolist()
        [(2+0j)]
    """
    return _finish(_C_ops.complex(abs * paddle.cos(angle), abs * paddle.sin(angle)), out)


def _triangle(row, col, offset, lower, dtype):
    name = 'tril_indices' if lower else 'triu_indices'
    for what, n in (('row', row), ('col', col)):
        if not isinstance(n, int) or n < 0:
            raise TypeError(f'[{name}] expected {what} to be a non-negative int, got {n!r}')
    return getattr(_C_ops, name)(row, col, offset, dtype)


def tril_indices(row, col, offset=0, dtype='int64'):
    """Row and column indices of the lower triangle, shape [2, n].

    Args:
        row (int): How many rows the matrix has.
        col (int): How many columns.
        offset (int, default 0): The diagonal that bounds the triangle: 0 for the main one,
            positive above it.
        dtype (str or dtype, default 'int64'): The dtype, int32 or int64.

    Returns:
        Tensor: [2, count]: rows, then columns.

    Examples:
        >>> paddle.tril_indices(2, 2).tolist()
        [[0, 1, 1], [0, 0, 1]]
    """
    return _triangle(row, row if col is None else col, offset, True, dtype)


def triu_indices(row, col=None, offset=0, dtype='int64'):
    """Row and column indices of the upper triangle, shape [2, n].

    Args:
        row (int): How many rows the matrix has.
        col (int, default None): How many columns; None for as many as rows.
        offset (int, default 0): The diagonal that bounds the triangle: 0 for the main one,
            positive above it.
        dtype (str or dtype, default 'int64'): The dtype, int32 or int64.

    Returns:
        Tensor: [2, count]: rows, then columns.

    Examples:
        >>> paddle.triu_indices(2, 2).tolist()
        [[0, 0, 1], [0, 1, 1]]
    """
    return _triangle(row, row if col is None else col, offset, False, dtype)


def vander(x, n=None, increasing=False, name=None):
    """The Vandermonde matrix of a 1-D tensor.

    Args:
        x (Tensor): 1-D.
        n (int, default None): How many columns; None for as many as rows.
        increasing (bool, default False): Whether powers rise from left to right.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: [len(x), n]: the powers of each element.

    Examples:
        >>> paddle.vander(paddle.to_tensor([1.0, 2.0, 3.0])).tolist()
        [[1.0, 1.0, 1.0], [4.0, 2.0, 1.0], [9.0, 3.0, 1.0]]
    """
    expect_tensors('vander', x=x)
    if x.ndim != 1:
        raise ValueError(f'[vander] expected a 1-D tensor, got {x.ndim} dimensions')
    n = extents(x)[0] if n is None else n
    if not isinstance(n, Tensor) and n < 0:
        raise ValueError(f'[vander] expected n of at least 0, got {n}')
    powers = _C_ops.arange(0, n, 1, 'int64').astype(x.dtype)
    out = x.unsqueeze(-1) ** powers
    return out if increasing else out.flip(-1)


def fill_constant(shape, dtype, value, force_cpu=False, out=None, place=None, name=None):
    """A tensor of `shape` whose elements are all `value`: a number, its text, or a tensor of one
    element.
    """
    if isinstance(value, str):
        value = (
            builtins.complex(value)
            if 'j' in value
            else float(value)
            if set(value) & set('.einEIN')
            else int(value)
        )
    return full(shape, value, dtype, out=out, device=place)


def create_tensor(dtype, name=None, persistable=False):
    """A tensor without elements, to be filled later.

    Args:
        dtype (str or dtype): The dtype.
        name (str, default None): Its name; None for one that is made.
        persistable (bool, default False): What its attribute `persistable` says.

    Returns:
        Tensor: of shape [0].

    Examples:
        >>> x = paddle.tensor.create_tensor("float32")
        >>> x.shape, x.dtype
        (paddle.Size([0]), paddle.float32)
    """
    made = empty([0], dtype)
    if name is not None:
        made.name = name
    made.persistable = persistable
    return made


_lazy.serve(globals())
