# SPDX-License-Identifier: Apache-2.0
"""Operations on two tensors of which at least one is sparse."""

import numbers

import paddle
from paddle.base.documentation import shares

from .pattern import arange, count_of, gather, keys_of, segment_sum, volume
from .tensor import SparseTensor, expect_dense, expect_sparse, is_sparse, merged

__all__ = [
    'add',
    'divide',
    'is_same_shape',
    'mask_as',
    'masked_matmul',
    'matmul',
    'multiply',
    'mv',
    'subtract',
]


def _expect_pair(op, x, y):
    """NotImplementedError unless both are sparse, in one form; ValueError for other shapes."""
    expect_sparse(op, x, 'x')
    expect_sparse(op, y, 'y')
    if x._pattern.form != y._pattern.form:
        raise NotImplementedError(
            f'[{op}] expected x and y in one form, got {x._pattern.form} and {y._pattern.form}'
        )
    if x.shape != y.shape or x.sparse_dim() != y.sparse_dim():
        raise ValueError(
            f'[{op}] expected x and y of one shape, with the same sparse axes, got '
            f'{list(x.shape)} with {x.sparse_dim()} and {list(y.shape)} with {y.sparse_dim()}'
        )


def _aligned(x, y):
    """(pattern, values of x, values of y) at the places where either has an element."""
    p, q = x._pattern, y._pattern
    if p.matches(q):
        return p, x._values, y._values
    keys, segments = paddle.unique(paddle.concat([p.keys, q.keys]), return_inverse=True)
    count = count_of(keys)
    return (
        p.like(keys),
        segment_sum(x._values, segments[: p.nnz], count),
        segment_sum(y._values, segments[p.nnz :], count),
    )


def add(x, y, name=None):
    """x + y of two sparse tensors of one form and shape; of a sparse COO tensor and a dense one,
    dense.

    Args:
        x (Tensor): A sparse tensor.
        y (Tensor): A sparse tensor of the form and shape of x, or a dense one.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: sparse, or dense where y is.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 3.0], [1.0, 0.0]]).to_sparse_coo(2)
        >>> paddle.sparse.add(x, x).to_dense().tolist()
        [[0.0, 6.0], [2.0, 0.0]]
    """
    if is_sparse(x) and x.is_sparse_coo() and isinstance(y, paddle.Tensor) and not is_sparse(y):
        return paddle.add(x.to_dense(), y)
    _expect_pair('add', x, y)
    pattern, a, b = _aligned(x, y)
    return SparseTensor(pattern, paddle.add(a, b))


def subtract(x, y, name=None):
    """x - y of two sparse tensors of one form and shape.

    Args:
        x (Tensor): A sparse tensor.
        y (Tensor): A sparse tensor of the form and shape of x.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a sparse tensor.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 3.0], [1.0, 0.0]]).to_sparse_coo(2)
        >>> y = paddle.to_tensor([[1.0, 1.0], [0.0, 0.0]]).to_sparse_coo(2)
        >>> paddle.sparse.subtract(x, y).to_dense().tolist()
        [[-1.0, 2.0], [1.0, 0.0]]
    """
    _expect_pair('subtract', x, y)
    pattern, a, b = _aligned(x, y)
    return SparseTensor(pattern, paddle.subtract(a, b))


def multiply(x, y, name=None):
    """x * y, element by element, of two sparse tensors of one form and shape, or of a sparse tensor
    and a number.

    Args:
        x (Tensor): A sparse tensor.
        y (Tensor or number): A sparse tensor of the form and shape of x, or a number.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a sparse tensor.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 3.0], [1.0, 0.0]]).to_sparse_coo(2)
        >>> paddle.sparse.multiply(x, 2.0).to_dense().tolist()
        [[0.0, 6.0], [2.0, 0.0]]
    """
    if isinstance(y, numbers.Number):
        expect_sparse('multiply', x)
        return x._with(x._values * y)
    _expect_pair('multiply', x, y)
    if x._pattern.repeats:  # a product of sums is no sum of products
        x, y = merged(x), merged(y)
    pattern, a, b = _aligned(x, y)
    return SparseTensor(pattern, paddle.multiply(a, b))


@shares(multiply)
def divide(x, y, name=None):
    """x / y, element by element, of two sparse tensors of one form and shape, or of a sparse tensor
    and a number.

    Of two tensors the result has an element at every place, NaN where neither has one.

    Args:
        {x, y, name}

    Returns:
        Tensor: a sparse tensor.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 3.0], [1.0, 0.0]]).to_sparse_coo(2)
        >>> paddle.sparse.divide(x, 2.0).to_dense().tolist()
        [[0.0, 1.5], [0.5, 0.0]]
    """
    if isinstance(y, numbers.Number):
        expect_sparse('divide', x)
        return x._with(x._values / y)
    _expect_pair('divide', x, y)
    p, q = x._pattern, y._pattern
    count = volume('divide', p.dims)
    whole = p.like(arange(count))
    over = segment_sum(x._values, p.keys, count)
    return SparseTensor(whole, paddle.divide(over, segment_sum(y._values, q.keys, count)))


def is_same_shape(x, y):
    """Whether two tensors, sparse or dense, have the same shape.

    Args:
        x (Tensor): A tensor.
        y (Tensor): Another one.

    Returns:
        bool: whether the shapes are equal.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 3.0]]).to_sparse_coo(2)
        >>> paddle.sparse.is_same_shape(x, paddle.ones([1, 2]))
        True
    """
    return list(x.shape) == list(y.shape)


# --- products of matrices


class _Matrices:
    """The elements of a sparse matrix, or of a batch of them as one: `row` and `col` count through
    the whole batch.
    """

    def __init__(self, op, x, name):
        if x.ndim < 2 or x.dense_dim():
            raise ValueError(
                f'[{op}] expected {name} to be a sparse matrix or a batch of them, got shape '
                f'{list(x.shape)} with {x.dense_dim()} dense axes'
            )
        p = x._pattern
        self.values = x._values
        self.batch, (self.height, self.width) = list(p.shape[:-2]), p.shape[-2:]
        self.total = volume(op, self.batch)
        *outer, row, col = p.rows
        each = keys_of(outer, self.batch) if outer else None
        self.row = row if each is None else each * self.height + row
        self.col = col if each is None else each * self.width + col


def _expect_inner(op, x, y_batch, y_height, y_shape):
    if x.width != y_height or x.batch != y_batch:
        raise ValueError(
            f'[{op}] expected y to have the batch {x.batch} and {x.width} rows, as x has columns, '
            f'got shape {list(y_shape)}'
        )


def _times_dense(op, x, y):
    a = _Matrices(op, x, 'x')
    vector = y.ndim == 1
    if vector:
        y = y.unsqueeze(1)
    if y.ndim < 2:
        raise ValueError(f'[{op}] expected y of at least one axis, got shape {list(y.shape)}')
    _expect_inner(op, a, list(y.shape[:-2]), y.shape[-2], y.shape)
    if y.dtype != a.values.dtype:
        raise ValueError(
            f'[{op}] expected x and y of one dtype, got {a.values.dtype} and {y.dtype}'
        )
    columns = y.shape[-1]
    y = y.reshape([a.total * a.width, columns])
    messages = gather(y, a.col) * a.values.unsqueeze(1)
    out = segment_sum(messages, a.row, a.total * a.height)
    return out.reshape([*a.batch, a.height, *([] if vector else [columns])])


def _times_sparse(op, x, y):
    """The product of each pair of elements that meet, added up by place."""
    a, b = _Matrices(op, x, 'x'), _Matrices(op, y, 'y')
    _expect_inner(op, a, b.batch, b.height, y.shape)
    if a.values.dtype != b.values.dtype:
        raise ValueError(
            f'[{op}] expected x and y of one dtype, got {a.values.dtype} and {b.values.dtype}'
        )
    order = paddle.argsort(b.row, stable=True)
    counts = segment_sum(paddle.ones_like(b.row), b.row, a.total * b.height)
    begin = paddle.cumsum(counts) - counts
    met = gather(counts, a.col)
    left = paddle.repeat_interleave(arange(count_of(a.col)), met)
    within = arange(count_of(left)) - gather(paddle.cumsum(met) - met, left)
    right = gather(order, gather(gather(begin, a.col), left) + within)
    products = gather(a.values, left) * gather(b.values, right)
    shape = [*a.batch, a.height, b.width]
    volume(op, shape)
    keys = gather(a.row, left) * b.width + gather(b.col, right) % max(b.width, 1)
    keys, segments = paddle.unique(keys, return_inverse=True)
    made = x._pattern.like(keys, shape)
    return SparseTensor(made, segment_sum(products, segments, count_of(keys)))


def matmul(x, y, name=None):
    """The product of a sparse matrix, or a batch of them, and a dense or a sparse one.

    Args:
        x (Tensor): Sparse: [m, k], or with the same axes of a batch before as y.
        y (Tensor): Dense, or sparse in the form of x: [k, n]. A dense vector [k], too.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: [m, n], dense where y is, else sparse in the form of x.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 3.0], [1.0, 0.0]]).to_sparse_csr()
        >>> paddle.sparse.matmul(x, paddle.to_tensor([[1.0], [2.0]])).tolist()
        [[6.0], [1.0]]
    """
    expect_sparse('matmul', x, 'x')
    if not is_sparse(y):
        return _times_dense('matmul', x, expect_dense('matmul', y, 'y'))
    if x._pattern.form != y._pattern.form:
        raise NotImplementedError(
            f'[matmul] expected x and y in one form, got {x._pattern.form} and {y._pattern.form}'
        )
    return _times_sparse('matmul', x, y)


def mv(x, vec, name=None):
    """The product of a sparse matrix and a dense vector.

    Args:
        x (Tensor): A sparse matrix [m, n].
        vec (Tensor): A vector [n].
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [m].

    Examples:
        >>> x = paddle.to_tensor([[0.0, 3.0], [1.0, 0.0]]).to_sparse_csr()
        >>> paddle.sparse.mv(x, paddle.to_tensor([1.0, 2.0])).tolist()
        [6.0, 1.0]
    """
    expect_sparse('mv', x)
    expect_dense('mv', vec, 'vec')
    if x.ndim != 2 or vec.ndim != 1:
        raise ValueError(
            f'[mv] expected a matrix and a vector, got shapes {list(x.shape)} and {list(vec.shape)}'
        )
    return _times_dense('mv', x, vec)


def mask_as(x, mask, name=None):
    """The elements of a dense tensor at the places of a sparse one, in its form.

    Args:
        x (Tensor): A dense tensor.
        mask (Tensor): A sparse tensor of its shape.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a sparse tensor in the form of mask.

    Examples:
        >>> mask = paddle.to_tensor([[0.0, 1.0], [1.0, 0.0]]).to_sparse_coo(2)
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.sparse.mask_as(x, mask).to_dense().tolist()
        [[0.0, 2.0], [3.0, 0.0]]
    """
    expect_dense('mask_as', x, 'x')
    p = expect_sparse('mask_as', mask, 'mask')._pattern
    if list(x.shape) != list(p.shape):
        raise ValueError(
            f'[mask_as] expected x and mask of one shape, got {list(x.shape)} and {list(p.shape)}'
        )
    flat = x.reshape([volume('mask_as', p.dims), *p.shape[p.sparse_dim :]])
    return SparseTensor(p, gather(flat, p.keys))


def masked_matmul(x, y, mask, name=None):
    """The product of two dense matrices, or batches of them, at the places of a sparse `mask`
    alone, in its form.

    Args:
        x (Tensor): A dense matrix [m, k], or a batch of them.
        y (Tensor): A dense matrix [k, n], or a batch of them.
        mask (Tensor): A sparse tensor of the shape of the product.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a sparse tensor in the form of mask.

    Examples:
        >>> mask = paddle.to_tensor([[0.0, 1.0], [1.0, 0.0]]).to_sparse_csr()
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.sparse.masked_matmul(x, x, mask).to_dense().tolist()
        [[0.0, 10.0], [15.0, 0.0]]
    """
    expect_dense('masked_matmul', x, 'x')
    expect_dense('masked_matmul', y, 'y')
    m = _Matrices('masked_matmul', expect_sparse('masked_matmul', mask, 'mask'), 'mask')
    if (
        list(x.shape[:-1]) != [*m.batch, m.height]
        or list(y.shape) != [*m.batch, x.shape[-1], m.width]
        or x.dtype != y.dtype
    ):
        raise ValueError(
            f'[masked_matmul] expected x and y of one dtype whose product has the shape of mask, '
            f'{list(mask.shape)}, got shapes {list(x.shape)} of {x.dtype} and {list(y.shape)} of '
            f'{y.dtype}'
        )
    inner = x.shape[-1]
    turned = list(range(y.ndim - 2)) + [y.ndim - 1, y.ndim - 2]
    columns = paddle.transpose(y, turned).reshape([m.total * m.width, inner])
    rows = x.reshape([m.total * m.height, inner])
    return mask._with((gather(rows, m.row) * gather(columns, m.col)).sum(-1))
