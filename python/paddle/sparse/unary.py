# SPDX-License-Identifier: Apache-2.0
"""Operations on one sparse tensor."""

import paddle
from paddle import _C_ops
from paddle.base.arguments import integer, items, iterations

from .pattern import Coo, count_of, gather, keys_of, rows_of, segment_sum, volume
from .tensor import SparseTensor, expect_sparse, reordered

__all__ = [
    'abs',
    'asin',
    'asinh',
    'atan',
    'atanh',
    'cast',
    'coalesce',
    'deg2rad',
    'expm1',
    'isnan',
    'log1p',
    'neg',
    'pca_lowrank',
    'pow',
    'rad2deg',
    'reshape',
    'sin',
    'sinh',
    'slice',
    'sqrt',
    'square',
    'sum',
    'tan',
    'tanh',
    'transpose',
]


def on_values(name, dense=None, home='paddle.sparse'):
    """The function `name` of dense tensors, on the values of a sparse one. It maps 0 to 0."""
    dense = dense or getattr(paddle, name)

    def function(x, name=None):
        expect_sparse(label, x)
        return x._with(dense(x._values))

    label = function.__name__ = function.__qualname__ = name
    function.__module__ = home
    function.__doc__ = f"""`paddle.{name}` of the stored elements of a sparse tensor.

    Args:
        x (Tensor): A sparse tensor.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a sparse tensor with its elements at the same places.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 0.5], [0.25, 0.0]]).to_sparse_csr()
        >>> y = {home}.{name}(x)
        >>> y.is_sparse_csr(), y.shape
        (True, paddle.Size([2, 2]))
    """
    return function


sin, tan, asin, atan = map(on_values, ('sin', 'tan', 'asin', 'atan'))
sinh, tanh, asinh, atanh = map(on_values, ('sinh', 'tanh', 'asinh', 'atanh'))
sqrt, square, log1p, expm1 = map(on_values, ('sqrt', 'square', 'log1p', 'expm1'))
abs, neg, isnan = map(on_values, ('abs', 'neg', 'isnan'))
deg2rad, rad2deg = map(on_values, ('deg2rad', 'rad2deg'))


def pow(x, factor, name=None):
    """The stored elements of a sparse tensor to the power `factor`, a number.

    Args:
        x (Tensor): A sparse tensor.
        factor (number): The exponent.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a sparse tensor with its elements at the same places.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 3.0]]).to_sparse_coo(2)
        >>> paddle.sparse.pow(x, 2).to_dense().tolist()
        [[0.0, 9.0]]
    """
    expect_sparse('pow', x)
    return x._with(paddle.pow(x._values, factor))


def cast(x, index_dtype=None, value_dtype=None, name=None):
    """A sparse tensor with indices and values of other dtypes; None keeps one.

    Args:
        x (Tensor): A sparse tensor.
        index_dtype (str or dtype, default None): int32 or int64.
        value_dtype (str or dtype, default None): The dtype of the values.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a sparse tensor.

    Raises:
        TypeError: index_dtype is no such dtype.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 3.0]]).to_sparse_coo(2)
        >>> paddle.sparse.cast(x, "int32", "float64").dtype
        paddle.float64
    """
    p = expect_sparse('cast', x)._pattern
    if index_dtype is not None:
        if str(paddle.empty([0], index_dtype).dtype) not in ('paddle.int32', 'paddle.int64'):
            raise TypeError(f'[cast] expected index_dtype int32 or int64, got {index_dtype}')
        p = p.cast(index_dtype)
    values = x._values if value_dtype is None else x._values.astype(value_dtype)
    return SparseTensor(p, values)


def coalesce(x, name=None):
    """A sparse COO tensor with its elements in order, each once: repeated ones are added up.

    Args:
        x (Tensor): A sparse COO tensor.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a sparse COO tensor.

    Examples:
        >>> x = paddle.sparse.sparse_coo_tensor([[1, 1, 0]], [1.0, 2.0, 5.0], [3])
        >>> y = paddle.sparse.coalesce(x)
        >>> y.to_dense().tolist()
        [5.0, 3.0, 0.0]
    """
    return expect_sparse('coalesce', x).coalesce()


def _axis(op, axis, rank):
    number = integer(op, 'axis', axis)
    if not -rank <= number < rank:
        raise ValueError(f'[{op}] expected an axis from {-rank} to {rank - 1}, got {number}')
    return number % rank


def transpose(x, perm, name=None):
    """A sparse tensor with its axes in the order `perm`; sparse axes stay before dense ones.

    Args:
        x (Tensor): A sparse tensor.
        perm (list of ints): Which axis stands in each place.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a sparse tensor.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 3.0], [1.0, 0.0]]).to_sparse_coo(2)
        >>> paddle.sparse.transpose(x, [1, 0]).to_dense().tolist()
        [[0.0, 1.0], [3.0, 0.0]]
    """
    p = expect_sparse('transpose', x)._pattern
    rank, sparse = len(p.shape), p.sparse_dim
    perm = [_axis('transpose', axis, rank) for axis in items('transpose', 'perm', perm)]
    if sorted(perm) != list(range(rank)):
        raise ValueError(f'[transpose] expected perm to hold each of {rank} axes once, got {perm}')
    if sorted(perm[:sparse]) != list(range(sparse)):
        raise ValueError(
            f'[transpose] expected perm to keep the {sparse} sparse axes before the others, got '
            f'{perm}'
        )
    shape = [p.shape[axis] for axis in perm]
    if perm[sparse:] != list(range(sparse, rank)):
        within = [0] + [axis - sparse + 1 for axis in perm[sparse:]]
        x = x._with(paddle.transpose(x._values, within))
    return reordered(x, [p.rows[axis] for axis in perm[:sparse]], shape)


def _wanted_shape(shape, old):
    """`shape` with the extents for 0 (that of x) and -1 (what is left)."""
    if isinstance(shape, paddle.Tensor):
        shape = shape.tolist()
    shape = [integer('reshape', 'each extent', n) for n in items('reshape', 'shape', shape)]
    for axis, extent in enumerate(shape):
        if extent == 0:
            if axis >= len(old):
                raise ValueError(f'[reshape] expected 0 for an axis of x alone, got {shape}')
            shape[axis] = old[axis]
    if shape.count(-1) > 1 or min(shape, default=0) < -1:
        raise ValueError(f'[reshape] expected extents and at most one -1, got {shape}')
    count = volume('reshape', old)
    if -1 in shape:
        others = volume('reshape', [n for n in shape if n != -1])
        shape[shape.index(-1)] = count // others if others else 0
    if volume('reshape', shape) != count:
        raise ValueError(f'[reshape] expected a shape of {count} elements, got {shape}')
    return shape


def reshape(x, shape, name=None):
    """A sparse tensor with other extents; -1 stands for what is left, 0 for the extent of x.

    Extents of sparse axes and of dense axes are each made of their own.

    Args:
        x (Tensor): A sparse tensor.
        shape (list of ints or Tensor): The extents.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a sparse tensor.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 3.0], [1.0, 0.0]]).to_sparse_coo(2)
        >>> paddle.sparse.reshape(x, [-1]).to_dense().tolist()
        [0.0, 3.0, 1.0, 0.0]
    """
    p = expect_sparse('reshape', x)._pattern
    shape = _wanted_shape(shape, p.shape)
    dims, dense = p.dims, p.shape[p.sparse_dim :]
    if p.form == 'csr' and len(shape) not in (2, 3):
        raise ValueError(f'[reshape] expected 2 or 3 extents for a sparse CSR tensor, got {shape}')
    cut = len(shape)
    if dense:
        count = volume('reshape', dims)
        cuts = [k for k in range(1, cut + 1) if volume('reshape', shape[:k]) == count]
        if not cuts:
            raise ValueError(
                f'[reshape] expected a shape whose first extents hold the sparse axes, {list(dims)}'
                f', and the others the dense ones, {list(dense)}, got {shape}'
            )
        cut = cuts[0]
        x = x._with(x._values.reshape([p.nnz, *shape[cut:]]))
    return reordered(x, rows_of(p.keys, shape[:cut]), shape)


def _sum_dtype(values, dtype):
    if dtype is not None:
        return values.astype(dtype)
    small = (paddle.bool, paddle.int8, paddle.uint8, paddle.int16, paddle.int32)
    return values.astype('int64') if values.dtype in small else values


def _sum_csr(x, axis, keepdim):
    """Sums of rows, or of all elements: those are what has the form."""
    p, values = x._pattern, x._values
    rank = len(p.shape)
    if axis is None:
        one = p.like(paddle.zeros([1], 'int64'), (1,) * rank)
        return SparseTensor(one, values.sum().reshape([1]))
    if axis != [rank - 1]:
        raise NotImplementedError(
            f'[sum] expected axis -1 or None for a sparse CSR tensor, got {axis}'
        )
    keys, segments = paddle.unique(keys_of(p.rows[:-1], p.shape[:-1]), return_inverse=True)
    shape = p.shape[:-1] if rank == 3 and not keepdim else (*p.shape[:-1], 1)
    return SparseTensor(p.like(keys, shape), segment_sum(values, segments, count_of(keys)))


def sum(x, axis=None, dtype=None, keepdim=False, name=None):
    """The sum of a sparse tensor over axes.

    Args:
        x (Tensor): A sparse tensor.
        axis (int or list of int, default None): The axes, counted from the end where negative; None
            for all. In CSR form the last one or all.
        dtype (str or dtype, default None): The dtype of the result; None for that of x, int64 for
            smaller integers.
        keepdim (bool, default False): Whether the axes stay, with extent 1. Rows of a CSR matrix
            are summed to a column.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a sparse tensor; one element where all axes are summed.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 3.0], [1.0, 2.0]]).to_sparse_coo(2)
        >>> paddle.sparse.sum(x, axis=1).to_dense().tolist()
        [3.0, 3.0]
    """
    p = expect_sparse('sum', x)._pattern
    x = x._with(_sum_dtype(x._values, dtype))
    rank, sparse = len(p.shape), p.sparse_dim
    if axis is not None:
        given = items('sum', 'axis', axis) if isinstance(axis, (list, tuple)) else [axis]
        axis = sorted({_axis('sum', a, rank) for a in given}) or None
    if p.form == 'csr':
        return _sum_csr(x, axis, keepdim)
    axes = list(range(rank)) if axis is None else axis
    within = [a - sparse + 1 for a in axes if a >= sparse]
    values = x._values.sum(within, keepdim=keepdim) if within else x._values
    left = [a for a in range(sparse) if a not in axes]
    shape = [1 if a in axes else n for a, n in enumerate(p.shape) if keepdim or a not in axes]
    if left:
        dims = [p.shape[a] for a in left]
        keys, segments = paddle.unique(
            keys_of([p.rows[a] for a in left], dims), return_inverse=True
        )
        rows = dict(zip(left, rows_of(keys, dims)))
    else:
        keys, segments = paddle.zeros([1], 'int64'), paddle.zeros([p.nnz], 'int64')
        rows = {0: keys}
        shape = shape if keepdim else [1, *shape]
    kept = range(sparse) if keepdim else sorted(rows)
    none = paddle.zeros_like(keys)
    indices = paddle.stack([rows.get(a, none) for a in kept]).astype(p.index_dtype)
    count = count_of(keys)
    return SparseTensor(Coo(shape, indices, True), segment_sum(values, segments, count))


def slice(x, axes, starts, ends, name=None):
    """The part of a sparse tensor from `starts` to before `ends` in `axes`; negative bounds count
    from the end, and those beyond an axis are its ends.

    Args:
        x (Tensor): A sparse tensor.
        axes (list of ints or Tensor): The axes.
        starts (list of ints or Tensor): Where the part begins in each.
        ends (list of ints or Tensor): Before where it ends.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a sparse tensor.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 3.0], [1.0, 0.0]]).to_sparse_coo(2)
        >>> paddle.sparse.slice(x, [0], [1], [2]).to_dense().tolist()
        [[1.0, 0.0]]
    """
    p = expect_sparse('slice', x)._pattern
    rank, sparse = len(p.shape), p.sparse_dim
    lists = []
    for what, value in (('axes', axes), ('starts', starts), ('ends', ends)):
        value = value.tolist() if isinstance(value, paddle.Tensor) else value
        lists.append([integer('slice', what, n) for n in items('slice', what, value)])
    if not len(lists[0]) == len(lists[1]) == len(lists[2]):
        raise ValueError(
            '[slice] expected axes, starts and ends of one length, got '
            f'{", ".join(str(len(one)) for one in lists)}'
        )
    shape, rows, values, kept = list(p.shape), list(p.rows), x._values, None
    seen = set()
    for axis, start, end in zip(*lists):
        axis = _axis('slice', axis, rank)
        if axis in seen:
            raise ValueError(f'[slice] expected each axis once, got {lists[0]}')
        seen.add(axis)
        extent = p.shape[axis]
        start, end = (min(max(n + extent if n < 0 else n, 0), extent) for n in (start, end))
        shape[axis] = max(end - start, 0)
        if axis >= sparse:
            values = _C_ops.slice(values, [axis - sparse + 1], [start], [max(end, start)], [1], [])
            continue
        inside = paddle.logical_and(rows[axis] >= start, rows[axis] < end)
        kept = inside if kept is None else paddle.logical_and(kept, inside)
        rows[axis] = rows[axis] - start
    if kept is not None:
        chosen = paddle.nonzero(kept).flatten()
        rows, values = [gather(row, chosen) for row in rows], gather(values, chosen)
    return reordered(x._with(values), rows, shape)


def pca_lowrank(x, q=None, center=True, niter=2, name=None):
    """Approximate principal components of the rows of a sparse matrix, by random projections.

    Args:
        x (Tensor): A sparse matrix [m, n].
        q (int, default None): How many components: at most min(m, n); None for 6, or that.
        center (bool, default True): Whether the mean of the rows is taken away. The matrix stays
            sparse.
        niter (int, default 2): Iterations that sharpen the projection.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: U [m, q], S [q] and V [n, q], dense, with x nearly U diag(S) V^T.

    Source: Halko, Martinsson and Tropp, Finding structure with randomness, 2009 (arXiv:0909.4061)

    Examples:
        >>> x = paddle.to_tensor([[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]]).to_sparse_coo(2)
        >>> u, s, v = paddle.sparse.pca_lowrank(x, q=2, center=False)
        >>> s.tolist()
        [2.0, 1.0]
    """
    from .binary import matmul

    if not isinstance(x, SparseTensor):
        kind = 'a dense one' if isinstance(x, paddle.Tensor) else type(x).__name__
        raise ValueError(f'[pca_lowrank] expected x to be a sparse tensor, got {kind}')
    if x.ndim != 2 or x.dense_dim():
        raise ValueError(f'[pca_lowrank] expected a sparse matrix, got shape {list(x.shape)}')
    rows, columns = x.shape
    q = min(6, rows, columns) if q is None else integer('pca_lowrank', 'q', q)
    if not 0 <= q <= min(rows, columns):
        raise ValueError(
            f'[pca_lowrank] expected q from 0 to {min(rows, columns)}, the lesser extent, got {q}'
        )
    niter = iterations('pca_lowrank', 'niter', niter)
    turned = transpose(x, [1, 0])
    mean = matmul(turned, paddle.ones([rows, 1], x.dtype)) / rows if center else None

    def times(y):
        product = matmul(x, y)
        return product if mean is None else product - paddle.matmul(mean, y, transpose_x=True)

    def turned_times(y):
        product = matmul(turned, y)
        return product if mean is None else product - paddle.matmul(mean, y.sum(0, keepdim=True))

    def basis_of(y):
        return _C_ops.qr(y, 'reduced')[0]

    basis = basis_of(times(paddle.randn([columns, q], x.dtype)))
    for _ in range(niter):
        basis = basis_of(times(basis_of(turned_times(basis))))
    v, s, uh = _C_ops.svd(turned_times(basis), False)
    return paddle.matmul(basis, uh, transpose_y=True), s, v
