# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors of arrays."""

import paddle
from paddle.base.arguments import integer, items
from paddle.static.nn.control_flow import Assert, recording

from .pattern import Coo, Csr, count_of, volume
from .tensor import SparseTensor, is_sparse

__all__ = ['sparse_coo_tensor', 'sparse_csr_tensor']

_INDEX_DTYPES = (paddle.int8, paddle.int16, paddle.int32, paddle.int64)


def _index(op, name, value, place):
    """An index array: int32 stays, other integers become int64."""
    if is_sparse(value):
        raise ValueError(f'[{op}] expected {name} to be dense, got a sparse tensor')
    if not isinstance(value, paddle.Tensor):
        value = paddle.to_tensor(value, place=place)
    if value.dtype not in _INDEX_DTYPES:
        raise TypeError(
            f'[{op}] expected {name} of dtype int8, int16, int32 or int64, got {value.dtype}'
        )
    value = value.detach()
    return value if value.dtype == paddle.int32 else value.astype('int64')


def _values(op, value, dtype, place, stop_gradient):
    """The values: with the history of a given tensor, or a leaf of their own."""
    if is_sparse(value):
        raise ValueError(f'[{op}] expected values to be dense, got a sparse tensor')
    if not isinstance(value, paddle.Tensor):
        value = paddle.to_tensor(value, place=place)
    if dtype is not None:
        value = value.astype(dtype)
    if stop_gradient or value.stop_gradient:
        value = value.detach()
        value.stop_gradient = bool(stop_gradient)
        return value
    return paddle.assign(value)


def _shape(op, shape):
    if isinstance(shape, paddle.Tensor):
        shape = shape.tolist()
    shape = [integer(op, 'each extent of shape', n) for n in items(op, 'shape', shape)]
    volume(op, shape)
    return shape


def _expect_within(op, name, rows, extents):
    """ValueError unless each row of coordinates is within its extent; when the program runs, in
    one.
    """
    if recording():
        inside = [paddle.logical_and(row >= 0, row < n).all() for row, n in zip(rows, extents)]
        Assert(paddle.stack(inside).all(), rows)
        return
    for axis, (row, extent) in enumerate(zip(rows, extents)):
        if not row.shape[0]:
            continue
        low, high = int(row.min()), int(row.max())
        if low < 0 or high >= extent:
            raise ValueError(
                f'[{op}] expected {name} from 0 to {extent - 1} in axis {axis}, the extent of '
                f'shape, got {low} to {high}'
            )


def sparse_coo_tensor(indices, values, shape=None, dtype=None, place=None, stop_gradient=True):
    """A sparse tensor in coordinate form.

    Args:
        indices (Tensor, list, tuple or array): Positions of the elements: [sparse axes,
            elements]. They may stand in any order, and more than once: then they are added up.
        values (Tensor, list, tuple or array): The elements, [elements, *extents of dense axes].
        shape (list of int, default None): The extents; the least that hold indices where None.
        dtype (str or dtype, default None): The dtype of values; theirs where None.
        place (Place or str, default None): Where the tensor lies.
        stop_gradient (bool, default True): Whether gradients stop here.

    Returns:
        Tensor: a sparse COO tensor.

    Raises:
        TypeError: indices of another dtype than an integer.
        ValueError: indices that are no matrix, that are negative or beyond shape, of another length
            than values; a shape with other axes than indices and values.

    Examples:
        >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], [2, 3])
        >>> x.to_dense().tolist()
        [[0.0, 0.0, 1.0], [2.0, 0.0, 0.0]]
    """
    op = 'sparse_coo_tensor'
    indices = _index(op, 'indices', indices, place)
    if indices.ndim != 2:
        raise ValueError(
            f'[{op}] expected indices of 2 dimensions, got shape {list(indices.shape)}'
        )
    values = _values(op, values, dtype, place, stop_gradient)
    sparse_dim, count = indices.shape
    if not sparse_dim:
        raise ValueError(f'[{op}] expected indices of at least one axis, got none')
    if values.ndim < 1 or (values.shape[0] != count and min(values.shape[0], count) >= 0):
        raise ValueError(
            f'[{op}] expected values for {count} elements, as indices has, got shape '
            f'{list(values.shape)}'
        )
    dense = list(values.shape[1:])
    rows = indices.unbind(0)
    if shape is None:
        least = [int(row.max()) + 1 if count else 0 for row in rows]
        shape = [*least, *dense]
    shape = _shape(op, shape)
    if len(shape) != sparse_dim + len(dense) or shape[sparse_dim:] != dense:
        raise ValueError(
            f'[{op}] expected a shape of {sparse_dim} sparse extents and the dense ones {dense}, '
            f'got {shape}'
        )
    _expect_within(op, 'indices', rows, shape)
    return SparseTensor(Coo(shape, indices), values)


def sparse_csr_tensor(crows, cols, values, shape=None, dtype=None, place=None, stop_gradient=True):
    """A sparse tensor in compressed row form: a matrix, or a batch of matrices.

    Args:
        crows (Tensor, list, tuple or array): Where the elements of each row begin, and the
            last ends; those of a batch follow each other, each matrix from 0.
        cols (Tensor, list, tuple or array): The columns of the elements.
        values (Tensor, list, tuple or array): The elements.
        shape (list of int, default None): Two extents, or three with the batch; a matrix that holds
            cols where None.
        dtype (str or dtype, default None): The dtype of values; theirs where None.
        place (Place or str, default None): Where the tensor lies.
        stop_gradient (bool, default True): Whether gradients stop here.

    Returns:
        Tensor: a sparse CSR tensor.

    Raises:
        TypeError: crows or cols of another dtype than an integer.
        ValueError: arrays of other lengths than shape asks for, crows that do not begin with 0, do
            not rise or do not end with the number of elements, cols that are negative or beyond
            shape.

    Examples:
        >>> x = paddle.sparse.sparse_csr_tensor([0, 1, 2], [2, 0], [1.0, 2.0], [2, 3])
        >>> x.to_dense().tolist()
        [[0.0, 0.0, 1.0], [2.0, 0.0, 0.0]]
    """
    op = 'sparse_csr_tensor'
    crows, cols = _index(op, 'crows', crows, place), _index(op, 'cols', cols, place)
    values = _values(op, values, dtype, place, stop_gradient)
    if not crows.ndim == cols.ndim == values.ndim == 1:
        raise ValueError(
            f'[{op}] expected crows, cols and values of 1 dimension, got shapes '
            f'{list(crows.shape)}, {list(cols.shape)} and {list(values.shape)}'
        )
    if cols.dtype != crows.dtype:
        cols = cols.astype(crows.dtype)
    if cols.shape != values.shape and min(cols.shape[0], values.shape[0]) >= 0:
        raise ValueError(
            f'[{op}] expected as many cols as values, got {cols.shape[0]} and {values.shape[0]}'
        )
    if shape is None:
        shape = [crows.shape[0] - 1, int(cols.max()) + 1 if cols.shape[0] else 0]
    shape = _shape(op, shape)
    if len(shape) not in (2, 3):
        raise ValueError(f'[{op}] expected a shape of 2 or 3 extents, got {shape}')
    batch = shape[0] if len(shape) == 3 else 1
    if crows.shape[0] not in (batch * (shape[-2] + 1), -1):
        raise ValueError(
            f'[{op}] expected {batch * (shape[-2] + 1)} crows for shape {shape}, got '
            f'{crows.shape[0]}'
        )
    table = crows.reshape([batch, shape[-2] + 1])
    if recording():
        rise = paddle.logical_and((table[:, 0] == 0).all(), (table[:, 1:] >= table[:, :-1]).all())
        Assert(paddle.logical_and(rise, table[:, -1].sum() == count_of(cols)), [crows])
        _expect_within(op, 'cols', [cols], shape[-1:])
        return SparseTensor(Csr(shape, crows, cols), values)
    if batch and (bool((table[:, 0] != 0).any()) or bool((table[:, 1:] < table[:, :-1]).any())):
        raise ValueError(f'[{op}] expected crows that begin with 0 and rise, got others')
    total = int(table[:, -1].sum()) if batch else 0
    if total != cols.shape[0]:
        raise ValueError(
            f'[{op}] expected crows to end with the number of elements, {cols.shape[0]}, got '
            f'{total}'
        )
    _expect_within(op, 'cols', [cols], shape[-1:])
    return SparseTensor(Csr(shape, crows, cols), values)
