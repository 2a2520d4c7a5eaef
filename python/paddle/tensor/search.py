# SPDX-License-Identifier: Apache-2.0
"""Sorting, searching, running results, gathering and scattering along an axis: ops with a Python
form of their own.
"""

import builtins
from typing import NamedTuple

import paddle
from paddle import _C_ops, _lazy
from paddle.base.arguments import integer, items, second_names, torch_form, write_out
from paddle.base.framework import number
from paddle.base.libpaddle import Tensor, expect_tensors

from . import other_forms
from .manipulation import common_extent, extents, free_extents


class TopKRetType(NamedTuple):
    """What `paddle.topk` returns."""

    values: Tensor
    indices: Tensor


_usual = second_names(input='x', dim='axis')


def _arg(op, extreme, found, rows):
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
    function.__doc__ = _ARG.format(op=op, extreme=extreme, found=found, rows=rows)
    return _usual(function)


_ARG = """The position of the {extreme} element, along an axis or of the flattened tensor.

    Args:
        x (Tensor): The values. Also `input`.
        axis (int, default None): The axis, counted from the end where negative; None for the
            flattened tensor. Also `dim`.
        keepdim (bool, default False): Whether reduced axes stay, with extent 1.
        dtype (str or dtype, default 'int64'): The dtype of the result, int32 or int64.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the positions, without axis unless keepdim.

    Raises:
        ValueError: dtype is neither int32 nor int64.

    Examples:
        >>> x = paddle.to_tensor([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]])
        >>> paddle.{op}(x).item()
        {found}
        >>> paddle.{op}(x, axis=1).tolist()
        {rows}
"""
argmax = _arg('argmax', 'largest', 4, [0, 1])
argmin = _arg('argmin', 'smallest', 1, [1, 0])


@_usual
def argsort(x, axis=-1, descending=False, stable=False, name=None):
    """Indices that sort along an axis.

    Args:
        x (Tensor): The values.
        axis (int, default -1): The axis, counted from the end where negative.
        descending (bool, default False): Whether the largest come first.
        stable (bool, default False): Whether equal elements keep their order.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The positions in int64, with the shape of x.

    Examples:
        >>> x = paddle.to_tensor([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]])
        >>> paddle.argsort(x).tolist()
        [[1, 2, 0], [0, 2, 1]]
        >>> paddle.argsort(x, descending=True).tolist()
        [[0, 2, 1], [1, 2, 0]]
    """
    return _C_ops.argsort(x, axis, descending, stable)[1]


@_usual
def sort(x, axis=-1, descending=False, stable=False, name=None, *, out=None):
    """Sorted along an axis.

    Args:
        x (Tensor): The values.
        axis (int, default -1): The axis, counted from the end where negative.
        descending (bool, default False): Whether the largest come first.
        stable (bool, default False): Whether equal elements keep their order.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The elements in order, with the shape and dtype of x.

    Examples:
        >>> x = paddle.to_tensor([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]])
        >>> paddle.sort(x).tolist()
        [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
        >>> paddle.sort(x, axis=0, descending=True).tolist()
        [[4.0, 6.0, 5.0], [3.0, 1.0, 2.0]]
    """
    return write_out(_C_ops.argsort(x, axis, descending, stable)[0], out)


@second_names(input='x')
def nonzero(x, as_tuple=False, *, out=None):
    """Indices of elements that are not zero, one row each; with `as_tuple` one tensor a
    dimension. `out` takes the rows in both cases.

    Args:
        x (Tensor): The values.
        as_tuple (bool, default False): Whether the result is one tensor for each axis.
        out (Tensor, default None): Takes the rows, where given, and is returned without as_tuple.

    Returns:
        Tensor or tuple of Tensors: int64, [count, rank], or one [count] for each axis.

    Examples:
        >>> x = paddle.to_tensor([[0, 5], [7, 0]])
        >>> paddle.nonzero(x).tolist()
        [[0, 1], [1, 0]]
        >>> [t.tolist() for t in paddle.nonzero(x, as_tuple=True)]
        [[0, 1], [1, 0]]
    """
    index = write_out(_C_ops.nonzero(x), out)
    if not as_tuple:
        return index
    return tuple(index[:, i] for i in range(x.ndim))


def argwhere(input):
    """Indices of elements that are not zero, one row each.

    Args:
        input (Tensor): The values.

    Returns:
        Tensor: int64, [count, rank]: the positions in row-major order.

    Examples:
        >>> paddle.argwhere(paddle.to_tensor([[0, 5], [7, 0]])).tolist()
        [[0, 1], [1, 0]]
    """
    return _C_ops.nonzero(input)


@second_names(input='values')
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
    """Where to insert values into a sorted sequence so that it stays sorted.

    Args:
        sorted_sequence (Tensor): Rising numbers in its last axis.
        values (Tensor): What is to be inserted. Also `input`.
        out_int32 (bool, default False): Whether positions are int32, else int64.
        right (bool, default False): Whether equal elements stay on the left of the place.
        name (str, default None): Taken for compatibility; it has no effect.
        side (str, default None): `left` or `right`, in place of `right`.
        out (Tensor, default None): Takes the result, where given, and is returned.
        sorter (Tensor, default None): Positions that sort sorted_sequence, where it is in no
            order.

    Returns:
        Tensor: The places, with the shape of values.

    Examples:
        >>> edges = paddle.to_tensor([1, 3, 5])
        >>> paddle.searchsorted(edges, paddle.to_tensor([3, 4])).tolist()
        [1, 2]
        >>> paddle.searchsorted(edges, paddle.to_tensor([3, 4]), right=True).tolist()
        [2, 2]
    """
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
    return write_out(_C_ops.searchsorted(sorted_sequence, values, out_int32, right), out)


# --- running results


def _flat(name, x, axis):
    expect_tensors(name, x=x)
    return (x.reshape([-1]), 0) if axis is None else (x, number(axis))


@_usual
def cumsum(x, axis=None, dtype=None, name=None, *, out=None):
    """Running sums along an axis; of the flattened tensor without one.

    Args:
        x (Tensor): The values.
        axis (int, default None): The axis, counted from the end where negative; None for the
            flattened tensor.
        dtype (str or dtype, default None): Dtype to sum in; None for that of x.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The sums, with the shape of x, or 1-D without an axis.

    Examples:
        >>> x = paddle.to_tensor([[1, 2], [3, 4]])
        >>> paddle.cumsum(x, axis=0).tolist()
        [[1, 2], [4, 6]]
    """
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
    return write_out(
        _C_ops.cumsum(x, 0 if axis is None else number(axis), axis is None, False, False), out
    )


@second_names(input='x', axis='dim')
def cumprod(x, dim=None, *, dtype=None, out=None, name=None):
    """Running products along an axis; of the flattened tensor without one.

    Args:
        x (Tensor): The values.
        dim (int, default None): The axis, counted from the end where negative; None for the
            flattened tensor.
        dtype (str or dtype, default None): Dtype to multiply in; None for that of x.
        out (Tensor, default None): Takes the result, where given, and is returned.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The products, with the shape of x, or 1-D without an axis.

    Examples:
        >>> x = paddle.to_tensor([[1, 2], [3, 4]])
        >>> paddle.cumprod(x, dim=1).tolist()
        [[1, 2], [3, 12]]
    """
    x, dim = _flat('cumprod', x if dtype is None else x.astype(dtype), dim)
    return write_out(_C_ops.cumprod(x, dim, False, False), out)


@_usual
def logcumsumexp(x, axis=None, dtype=None, name=None):
    """Logarithms of running sums of exponentials.

    Args:
        x (Tensor): The values.
        axis (int, default None): The axis, counted from the end where negative; None for the
            flattened tensor.
        dtype (str or dtype, default None): Dtype to compute in; None for that of x.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The logarithms, with the shape of x, or 1-D without an axis.

    Examples:
        >>> paddle.logcumsumexp(paddle.to_tensor([0.0, 0.0, 0.0])).tolist()
        [0.0, 0.6931, 1.0986]
    """
    if dtype is not None:
        x = x.astype(dtype)
    return _C_ops.logcumsumexp(x, 0 if axis is None else axis, axis is None, False, False)


@_usual
def cummax(x, axis=None, dtype='int64', name=None):
    """Running maxima and their indices.

    Args:
        x (Tensor): The values.
        axis (int, default None): The axis, counted from the end where negative; None for the
            flattened tensor.
        dtype (str or dtype, default 'int64'): The dtype of the positions, int32 or int64.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the extremes so far, and where they stand.

    Examples:
        >>> values, indices = paddle.cummax(paddle.to_tensor([1, 3, 2]))
        >>> values.tolist(), indices.tolist()
        ([1, 3, 3], [0, 1, 1])
    """
    x, axis = _flat('cummax', x, axis)
    return _C_ops.cummax(x, axis, dtype)


@_usual
def cummin(x, axis=None, dtype='int64', name=None):
    """Running minima and their indices.

    Args:
        x (Tensor): The values.
        axis (int, default None): The axis, counted from the end where negative; None for the
            flattened tensor.
        dtype (str or dtype, default 'int64'): The dtype of the positions, int32 or int64.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the extremes so far, and where they stand.

    Examples:
        >>> values, indices = paddle.cummin(paddle.to_tensor([1, 3, 2]))
        >>> values.tolist(), indices.tolist()
        ([1, 1, 1], [0, 0, 0])
    """
    x, axis = _flat('cummin', x, axis)
    return _C_ops.cummin(x, axis, dtype)


@_usual
def prod(x, axis=None, keepdim=False, dtype=None, out=None, name=None):
    """The product, of all elements or along axes.

    Args:
        x (Tensor): The values.
        axis (int or list of ints, default None): Axes to multiply over; None for all.
        keepdim (bool, default False): Whether reduced axes stay, with extent 1.
        dtype (str or dtype, default None): Dtype to multiply in; None for that of x, int64 for
            bools and integers.
        out (Tensor, default None): Takes the result, where given, and is returned.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The products, without the reduced axes unless keepdim.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.prod(x).item()
        24.0
        >>> paddle.prod(x, axis=0).tolist()
        [3.0, 8.0]
    """
    if dtype is not None:
        x = x.astype(dtype)
    axes = [] if axis is None else [axis] if isinstance(axis, int) else axis
    return write_out(
        _C_ops.prod(
            x, axes, keepdim, axis is None or (isinstance(axis, (list, tuple)) and not axis)
        ),
        out,
    )


# --- along an axis


def _axis_of(op, x, axis):
    """The axis, counted from the first. AssertionError for one that x does not have."""
    if not -x.ndim <= integer(op, 'axis', axis) < x.ndim:
        raise AssertionError(f'[{op}] expected an axis of a tensor of {x.ndim} axes, got {axis}')
    return axis % x.ndim


def _broadcast_to_index(arr, indices, axis):
    """Other axes broadcast between the array and the indices."""
    expect_tensors('take_along_axis', arr=arr, indices=indices)
    shape_a, shape_i = list(arr.shape), list(indices.shape)
    axis = _axis_of('take_along_axis', arr, axis)
    if len(shape_a) != len(shape_i):
        raise ValueError(
            f"[take_along_axis] expected arr and indices of as many axes, got shapes {shape_a} and "
            f"{shape_i}"
        )
    for i, (a, b) in enumerate(zip(shape_a, shape_i)):
        if i != axis and a != b and min(a, b) >= 0 and 1 not in (a, b):
            raise ValueError(
                f'[take_along_axis] expected extents that broadcast, got shapes {shape_a} and '
                f'{shape_i}'
            )
    return _beside(arr, indices, axis), _beside(indices, arr, axis)


def _beside(x, other, axis):
    """x with the extents to which those of both broadcast, but along axis."""
    sizes = free_extents(x)
    shape = [
        n if i == axis else common_extent(n, m)
        for i, (n, m) in enumerate(zip(sizes, free_extents(other)))
    ]
    return x if shape == sizes else _C_ops.expand(x, shape)


@second_names(input='arr', dim='axis', index='indices')
def take_along_axis(arr, indices, axis, broadcast=True, *, out=None):
    """Values along an axis at `indices`, whose other axes broadcast with the array's.

    Args:
        arr (Tensor): What is read.
        indices (Tensor): Positions along axis, integers.
        axis (int): The axis, counted from the end where negative.
        broadcast (bool, default True): Whether the other axes of indices broadcast to those of
            arr.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The elements, with the dtype of arr.

    Examples:
        >>> x = paddle.to_tensor([[1, 2], [3, 4]])
        >>> paddle.take_along_axis(x, paddle.to_tensor([[1], [0]]), 1).tolist()
        [[2], [3]]
    """
    if broadcast:
        arr, indices = _broadcast_to_index(arr, indices, axis)
    return write_out(_C_ops.take_along_axis(arr, indices, axis), out)


def put_along_axis(arr, indices, values, axis, reduce='assign', include_self=True, broadcast=True):
    """A copy of `arr` with `values` put ('assign') or combined along an axis at `indices`.

    Args:
        arr (Tensor): What is copied.
        indices (Tensor): Positions along axis, integers.
        values (Tensor or number): What is put; it broadcasts to indices.
        axis (int): The axis, counted from the end where negative.
        reduce (str, default 'assign'): `assign`, `add`, `mul` (or `multiply`), `mean`, `amin` or
            `amax`.
        include_self (bool, default True): Whether the old element takes part in a combination.
        broadcast (bool, default True): Whether the other axes of indices broadcast to those of
            arr.

    Returns:
        Tensor: The copy, with the shape and dtype of arr.

    Examples:
        >>> x = paddle.to_tensor([[1, 2], [3, 4]])
        >>> paddle.put_along_axis(x, paddle.to_tensor([[1], [0]]), 9, 1).tolist()
        [[1, 9], [9, 4]]
        >>> x = paddle.ones([2, 2])
        >>> paddle.put_along_axis(x, paddle.to_tensor([[1], [0]]), 9.0, 1, reduce='add').tolist()
        [[1.0, 10.0], [10.0, 1.0]]
    """
    expect_tensors('put_along_axis', arr=arr, indices=indices)
    if not isinstance(values, Tensor):
        values = paddle.to_tensor(values, dtype=arr.dtype)
    if broadcast:
        indices = _beside(indices, arr, _axis_of('put_along_axis', arr, axis))
    shape = free_extents(indices)
    if free_extents(values) != shape:
        values = (
            _C_ops.expand(values, shape)
            if values._numel() == 1 or broadcast
            else values[tuple(builtins.slice(0, n) for n in extents(indices))]
        )
    return _C_ops.put_along_axis(arr, indices, values, axis, reduce, include_self)


def scatter_add(input, dim, index, src):
    """A copy of `input` with `src` added along an axis at `index`.

    Args:
        input (Tensor): What is added to.
        dim (int): The axis of the positions.
        index (Tensor): Positions along dim, of at most the extents of src.
        src (Tensor): What is added.

    Returns:
        Tensor: The sums, with the shape and dtype of input.

    Examples:
        >>> x = paddle.zeros([2, 2])
        >>> index = paddle.to_tensor([[0, 0], [1, 1]])
        >>> paddle.scatter_add(x, 1, index, paddle.ones([2, 2])).tolist()
        [[2.0, 0.0], [0.0, 2.0]]
    """
    return put_along_axis(input, index, src, dim, 'add', True, False)


def scatter_reduce(input, dim, index, src, reduce, *, include_self=True):
    """A copy of `input` with `src` combined along an axis at `index`: 'sum', 'prod', 'mean',
    'amax' or 'amin'.

    Args:
        input (Tensor): What is combined with.
        dim (int): The axis of the positions.
        index (Tensor): Positions along dim, of at most the extents of src.
        src (Tensor): What is combined.
        reduce (str): `sum`, `prod`, `mean`, `amax` or `amin`.
        include_self (bool, default True): Whether the old element takes part.

    Returns:
        Tensor: The results, with the shape and dtype of input.

    Examples:
        >>> x = paddle.to_tensor([1.0, 2.0])
        >>> index, src = paddle.to_tensor([0, 0, 1]), paddle.to_tensor([5.0, 3.0, 1.0])
        >>> paddle.scatter_reduce(x, 0, index, src, 'amax').tolist()
        [5.0, 2.0]
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


@torch_form(other_forms.scatter)
def scatter(x, index, updates, overwrite=True, name=None, out=None):
    """A copy of `x` with rows at `index` replaced by `updates` (summed with overwrite=False).
    PyTorch's `scatter(input, dim, index, src)` is taken, too.

    Args:
        x (Tensor): The values.
        index (Tensor): Rows, integers in 1-D.
        updates (Tensor): The new rows.
        overwrite (bool, default True): Whether the last row for a place wins; else the places are
            cleared and all rows for them are summed.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The copy, with the shape and dtype of x.

    Examples:
        >>> x = paddle.zeros([3, 2])
        >>> paddle.scatter(x, paddle.to_tensor([2, 0]), paddle.ones([2, 2])).tolist()
        [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]
        >>> x = paddle.zeros([3, 2])
        >>> rows = paddle.ones([2, 2])
        >>> paddle.scatter(x, paddle.to_tensor([1, 1]), rows, overwrite=False).tolist()
        [[0.0, 0.0], [2.0, 2.0], [0.0, 0.0]]
    """
    return write_out(_C_ops.scatter(x, index, updates, overwrite), out)


@torch_form(other_forms.index_add)
@second_names(input='x', dim='axis', source='value')
def index_add(x, index, axis, value, alpha=1, name=None, *, out=None):
    """A copy of `x` with `value` added to the entries `index` of an axis. PyTorch's
    `index_add(input, dim, index, source)` is taken, too.

    Args:
        x (Tensor): The values. Also `input`.
        index (Tensor): Positions along axis, int32 or int64 in 1-D.
        axis (int): The axis, counted from the end where negative. Also `dim`.
        value (Tensor): What is added, with the extent of index along axis. Also `source`.
        alpha (number, default 1): The factor of value.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The copy, with the shape and dtype of x.

    Examples:
        >>> x = paddle.zeros([3, 2])
        >>> paddle.index_add(x, paddle.to_tensor([0, 2]), 0, paddle.ones([2, 2])).tolist()
        [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]
    """
    expect_tensors('index_add', value=value)
    return write_out(_C_ops.index_add(x, index, value if alpha == 1 else value * alpha, axis), out)


def masked_fill(x, mask, value, name=None):
    """A copy of `x` with the masked elements set to one value.

    Args:
        x (Tensor): The values.
        mask (Tensor): bool; it and x broadcast.
        value (number or Tensor): What the masked elements become; one value.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The copy, with the dtype of x.

    Examples:
        >>> x = paddle.to_tensor([1.0, 2.0, 3.0])
        >>> paddle.masked_fill(x, x > 1.5, 0.0).tolist()
        [1.0, 0.0, 0.0]
    """
    if not isinstance(value, Tensor):
        expect_tensors('masked_fill', x=x)
        kind = None if isinstance(value, complex) else x.dtype
        value = paddle.to_tensor(value, dtype=kind)
    return _C_ops.masked_fill(x, mask, value)


# --- shapes and small ones


def as_strided(x, shape, stride, offset=0, name=None):
    """A view of the memory with a shape and strides; `offset` in bytes.

    Args:
        x (Tensor): The values.
        shape (list of ints): The extents of the view.
        stride (list of ints): From one element to the next along each axis, in elements.
        offset (int, default 0): Where the view begins, in bytes.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The view; what is written to it is written to x.

    Examples:
        >>> x = paddle.to_tensor([1, 2, 3, 4, 5, 6])
        >>> paddle.as_strided(x, [2, 2], [2, 1]).tolist()
        [[1, 2], [3, 4]]
    """
    expect_tensors('as_strided', x=x)
    size = x.element_size()
    view = _C_ops.as_strided(x, shape, stride, offset // size - x.storage_offset())
    if offset % size:
        raise ValueError(
            f"[as_strided] expected an offset in bytes that is a multiple of the element "
            f"size {size}, got {offset}"
        )
    return view


@second_names(input='x', size='shape')
def broadcast_to(x, shape, name=None):
    """`x` expanded to a shape it broadcasts to.

    Args:
        x (Tensor): The values. Also `input`.
        shape (list of ints or Tensor): The extents, which the shape of x broadcasts to. Also
            `size`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The elements of x, repeated.

    Examples:
        >>> paddle.broadcast_to(paddle.to_tensor([1, 2]), [2, 2]).tolist()
        [[1, 2], [1, 2]]
    """
    return paddle.expand(x, shape)


def slice(input, axes, starts, ends):
    """The part between starts and ends along axes.

    Args:
        input (Tensor): The values.
        axes (list of ints): The axes that are cut.
        starts (list of ints or Tensor): The first position of each, counted from the end where
            negative.
        ends (list of ints or Tensor): The position where each stops, itself not taken.

    Returns:
        Tensor: The part, with the dtype of input.

    Examples:
        >>> x = paddle.to_tensor([[1, 2, 3], [4, 5, 6]])
        >>> paddle.slice(x, axes=[1], starts=[1], ends=[3]).tolist()
        [[2, 3], [5, 6]]
    """
    axes = axes if isinstance(axes, Tensor) else items('slice', 'axes', axes)
    return _C_ops.slice(input, axes, starts, ends, [1] * len(axes), [])


@second_names()
def unstack(x, axis=0, num=None):
    """The slices along an axis, as a list.

    Args:
        x (Tensor): The values.
        axis (int, default 0): The axis, counted from the end where negative.
        num (int, default None): How many slices there are, where it is to be checked.

    Returns:
        list of Tensors: the slices, without axis.

    Examples:
        >>> [t.tolist() for t in paddle.unstack(paddle.to_tensor([[1, 2], [3, 4]]))]
        [[1, 2], [3, 4]]
    """
    parts = _C_ops.unbind(x, axis)
    if num is not None and num != len(parts):
        raise ValueError(f'[unstack] expected {len(parts)} slices, got num = {num}')
    return [part._apart(x) for part in parts]


def split_with_sizes(self, split_sizes, dim=0):
    """Parts of the given sizes, as a list.

    Args:
        split_sizes (list of ints): The extents of the parts.
        dim (int, default 0): The axis that is cut.

    Returns:
        list of Tensors: the parts, views.

    Examples:
        >>> [t.tolist() for t in paddle.to_tensor([1, 2, 3]).split_with_sizes([1, 2])]
        [[1], [2, 3]]
    """
    return paddle.split(self, split_sizes, dim)


def increment(x, value=1.0, name=None):
    """`x` plus `value`, in place; `x` has at most one element.

    Args:
        x (Tensor): One element; it is changed.
        value (float, default 1.0): What is added.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x itself.

    Examples:
        >>> x = paddle.to_tensor([3.0])
        >>> paddle.increment(x).tolist()
        [4.0]
        >>> x.tolist()
        [4.0]
    """
    expect_tensors('increment', x=x)
    if x._numel() > 1:
        raise ValueError(f'[increment] expected one element, got shape {x.shape}')
    with paddle.no_grad():
        return x._write_over(
            x._before_write('increment', False), (x + value).astype(x.dtype), 'increment', False
        )


@second_names(input='x')
def bitwise_invert(x, out=None, name=None):
    """Bitwise complement.

    Args:
        x (Tensor): Integers or bools.
        out (Tensor, default None): Takes the result, where given, and is returned.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The complements, with the shape and dtype of x.

    Examples:
        >>> paddle.bitwise_invert(paddle.to_tensor([0, 5])).tolist()
        [-1, -6]
    """
    return write_out(_C_ops.bitwise_not(x), out)


def softmax(input, dim=None, dtype=None, *, out=None):
    """Exponentials normalised to sum 1 along an axis.

    Args:
        input (Tensor): The values.
        dim (int, default None): The axis; None for the first of 0, 1 or 3 axes, else the second.
        dtype (str or dtype, default None): Dtype to compute in; None for that of input.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The shares, with the shape of input.

    Examples:
        >>> paddle.softmax(paddle.to_tensor([0.0, 0.0])).tolist()
        [0.5, 0.5]
    """
    if dtype is not None:
        input = input.astype(dtype)
    if dim is None:
        expect_tensors('softmax', input=input)
        dim = 0 if input.ndim in (0, 1, 3) else 1
    return write_out(_C_ops.softmax(input, dim), out)


def fill_diagonal_(x, value, offset=0, wrap=False, name=None):
    """Set the diagonal to one value, in place.

    Args:
        x (Tensor): The values.
        value (number): What stands on the diagonal.
        offset (int, default 0): Which diagonal: 0 for the main one, positive above it.
        wrap (bool, default False): Whether the diagonal of a tall matrix begins again below.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x itself.

    Examples:
        >>> paddle.zeros([2, 3]).fill_diagonal_(1.0).tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    return _C_ops.fill_diagonal_(x, value, offset, wrap)


def fill_diagonal_tensor_(x, y, offset=0, dim1=0, dim2=1, name=None):
    """Write y on the diagonal of x over two axes, in place.

    Args:
        x (Tensor): The values.
        y (Tensor): The diagonals.
        offset (int, default 0): Which diagonal: 0 for the main one, positive above it.
        dim1 (int, default 0): The axis of rows.
        dim2 (int, default 1): The axis of columns.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x itself.

    Examples:
        >>> paddle.zeros([2, 2]).fill_diagonal_tensor_(paddle.to_tensor([1.0, 2.0])).tolist()
        [[1.0, 0.0], [0.0, 2.0]]
    """
    return _C_ops.fill_diagonal_tensor_(x, y, offset, dim1, dim2)


_lazy.serve(globals())
