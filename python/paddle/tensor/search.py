# SPDX-License-Identifier: Apache-2.0
"""Sorting, searching, running results, gathering and scattering along an axis: ops with a Python
form of their own.
"""

import functools

import paddle
from paddle import _C_ops, _lazy
from paddle.base.arguments import items
from paddle.base.framework import number
from paddle.base.libpaddle import Tensor, expect_tensors

from .manipulation import extents

_ALIASES = {'input': 'x', 'dim': 'axis', 'tensor': 'x', 'other': 'y'}


def aliased(**names):
    """Let keyword arguments have a second name: `aliased(input='x', dim='axis')`."""

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            for old, new in names.items():
                if old in kwargs:
                    if new in kwargs:
                        raise TypeError(
                            f"[{function.__name__}] expected {old!r} or {new!r}, got both"
                        )
                    kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return wrapper

    return decorate


_usual = aliased(input='x', dim='axis')


def _out(result, out):
    if out is None:
        return result
    out._rebind(result)
    return out


def _arg(op):
    @aliased(input='x', dim='axis')
    def function(x, axis=None, keepdim=False, dtype='int64', name=None):
        if dtype is None or str(dtype).rsplit('.', 1)[-1] not in (
            'int32',
            'int64',
            "int64'>",
            "int32'>",
            'int',
        ):
            raise ValueError(f"[{op}] expected dtype int32 or int64, got {dtype!r}")
        flatten = axis is None
        return getattr(_C_ops, op)(x, 0 if flatten else number(axis), keepdim, flatten, dtype)

    function.__name__ = function.__qualname__ = op
    function.__doc__ = (
        f"The index of the {'largest' if op == 'argmax' else 'smallest'} "
        f"element, along an axis or of the flattened tensor."
    )
    return function


argmax, argmin = _arg('argmax'), _arg('argmin')


@_usual
def argsort(x, axis=-1, descending=False, stable=False, name=None):
    """Indices that sort along an axis."""
    return _C_ops.argsort(x, axis, descending, stable)[1]


@_usual
def sort(x, axis=-1, descending=False, stable=False, name=None, *, out=None):
    """Sorted along an axis."""
    return _out(_C_ops.argsort(x, axis, descending, stable)[0], out)


@aliased(input='x')
def nonzero(x, as_tuple=False, *, out=None):
    """Indices of elements that are not zero, one row each; with `as_tuple` one tensor a
    dimension.
    """
    index = _C_ops.nonzero(x)
    if not as_tuple:
        return _out(index, out)
    return tuple(index[:, i] for i in range(x.ndim))


def argwhere(input):
    """Indices of elements that are not zero, one row each."""
    return _C_ops.nonzero(input)


def searchsorted(
    sorted_sequence,
    values,
    out_int32=False,
    right=False,
    name=None,
    *,
    side=None,
    out=None,
    sorter=None,
):
    """Where to insert values into a sorted sequence so that it stays sorted."""
    if sorter is not None:
        sorted_sequence = take_along_axis(sorted_sequence, sorter, -1)
    if side is not None:
        if side not in ('left', 'right') or (side == 'left' and right):
            raise ValueError(
                f"[searchsorted] expected side 'left' or 'right' that agrees with right={right}, "
                f"got {side!r}"
            )
        right = side == 'right'
    if not isinstance(values, Tensor):
        values = paddle.to_tensor(values, dtype=sorted_sequence.dtype)
    return _out(_C_ops.searchsorted(sorted_sequence, values, out_int32, right), out)


# --- running results


def _flat(name, x, axis):
    expect_tensors(name, x=x)
    return (x.reshape([-1]), 0) if axis is None else (x, number(axis))


@_usual
def cumsum(x, axis=None, dtype=None, name=None, *, out=None):
    """Running sums along an axis; of the flattened tensor without one."""
    expect_tensors('cumsum', x=x)
    if dtype is not None:
        x = x.astype(dtype)
    elif str(x.dtype) in (
        'paddle.bool',
        'paddle.uint8',
        'paddle.int8',
        'paddle.int16',
        'paddle.int32',
    ):
        x = x.astype('int64')
    return _out(
        _C_ops.cumsum(x, 0 if axis is None else number(axis), axis is None, False, False), out
    )


@aliased(input='x', axis='dim')
def cumprod(x, dim=None, *, dtype=None, out=None, name=None):
    """Running products along an axis; of the flattened tensor without one."""
    x, dim = _flat('cumprod', x if dtype is None else x.astype(dtype), dim)
    return _out(_C_ops.cumprod(x, dim, False, False), out)


@_usual
def logcumsumexp(x, axis=None, dtype=None, name=None):
    """Logarithms of running sums of exponentials."""
    if dtype is not None:
        x = x.astype(dtype)
    return _C_ops.logcumsumexp(x, 0 if axis is None else axis, axis is None, False, False)


@_usual
def cummax(x, axis=None, dtype='int64', name=None):
    """Running maxima and their indices."""
    x, axis = _flat('cummax', x, axis)
    return _C_ops.cummax(x, axis, dtype)


@_usual
def cummin(x, axis=None, dtype='int64', name=None):
    """Running minima and their indices."""
    x, axis = _flat('cummin', x, axis)
    return _C_ops.cummin(x, axis, dtype)


@_usual
def prod(x, axis=None, keepdim=False, dtype=None, out=None, name=None):
    """The product, of all elements or along axes."""
    if dtype is not None:
        x = x.astype(dtype)
    axes = [] if axis is None else [axis] if isinstance(axis, int) else axis
    return _out(
        _C_ops.prod(
            x, axes, keepdim, axis is None or (isinstance(axis, (list, tuple)) and not axis)
        ),
        out,
    )


# --- along an axis


def _broadcast_to_index(arr, indices, axis):
    """Other axes broadcast between the array and the indices."""
    expect_tensors('take_along_axis', arr=arr, indices=indices)
    shape_a, shape_i = list(arr.shape), list(indices.shape)
    axis = axis % arr.ndim if arr.ndim else 0
    if len(shape_a) != len(shape_i):
        raise ValueError(
            f"[take_along_axis] expected arr and indices of as many axes, got shapes {shape_a} and "
            f"{shape_i}"
        )
    size_a, size_i = extents(arr), extents(indices)
    to_a, to_i, grow_a, grow_i = list(size_a), list(size_i), False, False
    for i, (a, b) in enumerate(zip(shape_a, shape_i)):
        if i == axis or a == b:
            continue
        if a == 1:
            to_a[i], grow_a = size_i[i], True
        elif b == 1:
            to_i[i], grow_i = size_a[i], True
        elif a >= 0 and b >= 0:
            raise ValueError(
                f'[take_along_axis] expected extents that broadcast, got shapes {shape_a} and '
                f'{shape_i}'
            )
    return _C_ops.expand(arr, to_a) if grow_a else arr, _C_ops.expand(
        indices, to_i
    ) if grow_i else indices


@aliased(input='arr', dim='axis', index='indices')
def take_along_axis(arr, indices, axis, broadcast=True, *, out=None):
    """Values along an axis at `indices`, whose other axes broadcast with the array's."""
    if broadcast:
        arr, indices = _broadcast_to_index(arr, indices, axis)
    return _out(_C_ops.take_along_axis(arr, indices, axis), out)


def put_along_axis(arr, indices, values, axis, reduce='assign', include_self=True, broadcast=True):
    """A copy of `arr` with `values` put ('assign') or combined along an axis at `indices`."""
    expect_tensors('put_along_axis', arr=arr, indices=indices)
    if not isinstance(values, Tensor):
        values = paddle.to_tensor(values, dtype=arr.dtype)
    if broadcast:
        shape, sizes, axis_ = extents(indices), extents(arr), axis % arr.ndim
        grow = [
            i for i, n in enumerate(arr.shape) if i != axis_ and indices.shape[i] == 1 and n != 1
        ]
        for i in grow:
            shape[i] = sizes[i]
        indices = _C_ops.expand(indices, shape) if grow else indices
    if list(values.shape) != list(indices.shape):
        values = (
            _C_ops.expand(values, extents(indices))
            if values._numel() == 1 or broadcast
            else values[tuple(slice(0, n) for n in extents(indices))]
        )
    return _C_ops.put_along_axis(arr, indices, values, axis, reduce, include_self)


def scatter_add(input, dim, index, src):
    """A copy of `input` with `src` added along an axis at `index`."""
    return put_along_axis(input, index, src, dim, 'add', True, False)


def scatter_reduce(input, dim, index, src, reduce, *, include_self=True):
    """A copy of `input` with `src` combined along an axis at `index`: 'sum', 'prod', 'mean', 'amax'
    or 'amin'.
    """
    names = {
        'sum': 'add',
        'prod': 'multiply',
        'mean': 'mean',
        'amax': 'amax',
        'amin': 'amin',
        'add': 'add',
        'multiply': 'multiply',
    }
    if reduce not in names:
        raise ValueError(f'[scatter_reduce] expected one of {sorted(names)}, got {reduce!r}')
    return put_along_axis(input, index, src, dim, names[reduce], include_self, False)


def scatter(x, index, updates, overwrite=True, name=None, out=None):
    """A copy of `x` with rows at `index` replaced by `updates` (summed with overwrite=False)."""
    return _out(_C_ops.scatter(x, index, updates, overwrite), out)


def index_add(x, index, axis, value, alpha=1, name=None, *, out=None):
    """A copy of `x` with `value` added to the entries `index` of an axis."""
    expect_tensors('index_add', value=value)
    return _out(_C_ops.index_add(x, index, value if alpha == 1 else value * alpha, axis), out)


def masked_fill(x, mask, value, name=None):
    """A copy of `x` with the masked elements set to one value."""
    if not isinstance(value, Tensor):
        expect_tensors('masked_fill', x=x)
        value = paddle.to_tensor(value, dtype=x.dtype)
    elif value.dtype != x.dtype:
        value = value.astype(x.dtype)
    return _C_ops.masked_fill(x, mask, value)


# --- shapes and small ones


def as_strided(x, shape, stride, offset=0, name=None):
    """A view of the memory with a shape and strides; `offset` in bytes."""
    expect_tensors('as_strided', x=x)
    size = x.element_size()
    view = _C_ops.as_strided(x, shape, stride, offset // size - x.storage_offset())
    if offset % size:
        raise ValueError(
            f"[as_strided] expected an offset in bytes that is a multiple of the element "
            f"size {size}, got {offset}"
        )
    return view


def broadcast_to(x, shape, name=None):
    """`x` expanded to a shape it broadcasts to."""
    return paddle.expand(x, shape)


def slice(input, axes, starts, ends):
    """The part between starts and ends along axes."""
    axes = axes if isinstance(axes, Tensor) else items('slice', 'axes', axes)
    return _C_ops.slice(input, axes, starts, ends, [1] * len(axes), [])


def unstack(x, axis=0, num=None):
    """The slices along an axis, as a list."""
    if num is not None and num != x.shape[axis]:
        raise ValueError(f'[unstack] expected {x.shape[axis]} slices, got num = {num}')
    return [part._apart(x) for part in _C_ops.unbind(x, axis)]


def split_with_sizes(self, split_sizes, dim=0):
    """Parts of the given sizes, as a list."""
    return paddle.split(self, split_sizes, dim)


def increment(x, value=1.0, name=None):
    """`x` plus `value`, in place; `x` has one element."""
    expect_tensors('increment', x=x)
    if x._numel() != 1:
        raise ValueError(f'[increment] expected one element, got shape {x.shape}')
    with paddle.no_grad():
        return x._write_over(
            x._before_write('increment', False), (x + value).astype(x.dtype), 'increment', False
        )


@aliased(input='x')
def bitwise_invert(x, out=None, name=None):
    """Bitwise complement."""
    return _out(_C_ops.bitwise_not(x), out)


def softmax(input, dim=None, dtype=None, *, out=None):
    """Exponentials normalised to sum 1 along an axis; without `dim` the first of 0, 1 or 3 axes,
    else the second.
    """
    if dtype is not None:
        input = input.astype(dtype)
    if dim is None:
        expect_tensors('softmax', input=input)
        dim = 0 if input.ndim in (0, 1, 3) else 1
    return _out(_C_ops.softmax(input, dim), out)


def fill_diagonal_(x, value, offset=0, wrap=False, name=None):
    """Set the diagonal to one value, in place."""
    return _C_ops.fill_diagonal_(x, value, offset, wrap)


def norm(x, p=None, axis=None, keepdim=False, name=None):
    """The norm of a tensor, or along axes."""
    return paddle.linalg.norm(x, p, axis, keepdim)


def fill_diagonal_tensor_(x, y, offset=0, dim1=0, dim2=1, name=None):
    """Write y on the diagonal of x over two axes, in place."""
    return _C_ops.fill_diagonal_tensor_(x, y, offset, dim1, dim2)


_lazy.serve(globals())
