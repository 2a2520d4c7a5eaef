# SPDX-License-Identifier: Apache-2.0
"""Rearranging tensors: stacking, splitting, moving axes, scattering slices. Written from the ops,
so gradients flow.
"""

import itertools
import math

import paddle
from paddle import _C_ops, _lazy
from paddle.base.arguments import check_memory, items, keywords
from paddle.base.framework import is_recorded, number
from paddle.base.libpaddle import Tensor, expect_tensors

MOST_PARTS = 1 << 24  # tensors in the list one call gives: more would not fit in memory


def _axis(axis, ndim, name):
    if not -ndim <= axis < max(ndim, 1):
        error = AssertionError if name in ('moveaxis', 'unflatten') else ValueError
        raise error(f'[{name}] expected an axis from {-ndim} to {ndim - 1}, got {axis}')
    return axis + ndim if axis < 0 else axis


def extents(x):
    """The shape as a list for an op's argument; where an extent is not known while recording, it is
    a tensor.
    """
    shape = list(x.shape)
    if -1 not in shape:
        return shape
    sizes = _C_ops.shape64(x)
    return [sizes[i] if extent == -1 else extent for i, extent in enumerate(shape)]


def _extent(x, axis, name):
    size = x.shape[axis]
    if size < 0:
        raise ValueError(
            f'[{name}] expected a known extent along axis {axis}, got shape {list(x.shape)}'
        )
    return size


def _many(inputs):
    return (
        list(inputs[0])
        if len(inputs) == 1 and isinstance(inputs[0], (list, tuple))
        else list(inputs)
    )


def _tensors(values):
    return [v if isinstance(v, Tensor) else paddle.to_tensor(v) for v in values]


def _at_least(n, grow):
    def function(*inputs, name=None):
        out = [grow(t) if t.ndim < n else t for t in _tensors(_many(inputs))]
        return (
            out[0]
            if len(out) == 1 and not (inputs and isinstance(inputs[0], (list, tuple)))
            else out
        )

    function.__name__ = function.__qualname__ = f'atleast_{n}d'
    function.__doc__ = (
        f'Tensors with axes of one element added until they have at least {n} dimensions.'
    )
    return function


atleast_1d = _at_least(1, lambda t: t.reshape([1]))
atleast_2d = _at_least(2, lambda t: t.reshape([1, 1]) if t.ndim == 0 else t.unsqueeze(0))
atleast_3d = _at_least(
    3,
    lambda t: (
        t.reshape([1, 1, 1])
        if t.ndim == 0
        else t.unsqueeze(0).unsqueeze(-1)
        if t.ndim == 1
        else t.unsqueeze(-1)
    ),
)


def _list(values):
    return values if isinstance(values, list) else [values]


def concatenate(x, axis=0, name=None, *, out=None):
    """Tensors joined along an axis."""
    return paddle.concat(x, axis) if out is None else paddle.concat(x, axis, out=out)


def hstack(x, name=None):
    """Tensors joined along the second axis (the first for 1-D ones)."""
    if not x:
        raise ValueError('[hstack] expected at least one tensor, got none')
    x = _list(atleast_1d(items('hstack', 'x', x)))
    return paddle.concat(x, 0 if x[0].ndim == 1 else 1)


def vstack(x, name=None):
    """Tensors joined along the first axis, 1-D ones as rows."""
    return paddle.concat(_list(atleast_2d(items('vstack', 'x', x))), 0)


row_stack = vstack


def dstack(x, name=None):
    """Tensors joined along the third axis."""
    return paddle.concat(_list(atleast_3d(items('dstack', 'x', x))), 2)


def column_stack(x, name=None):
    """Tensors joined along the second axis, 1-D ones as columns."""
    x = items('column_stack', 'x', x)
    for t in x:
        expect_tensors('column_stack', x=t)
    return paddle.concat([t.reshape([-1, 1]) if t.ndim < 2 else t for t in x], 1)


def tensor_split(x, num_or_indices, axis=0, name=None):
    """Parts of a tensor: a number of nearly equal ones, or cut at indices. Returns a list."""
    expect_tensors('tensor_split', x=x)
    if x.ndim == 0:
        raise ValueError('[tensor_split] expected a tensor of at least one axis, got a 0-D one')
    axis = _axis(axis, x.ndim, 'tensor_split')
    size = extents(x)[axis]
    if isinstance(num_or_indices, int):
        if num_or_indices <= 0:
            raise ValueError(
                f'[tensor_split] expected a positive number of parts, got {num_or_indices}'
            )
        if num_or_indices > MOST_PARTS:
            raise ValueError(
                f'[tensor_split] expected at most {MOST_PARTS} parts, got {num_or_indices}'
            )
        base, extra = size // num_or_indices, size % num_or_indices
        if isinstance(size, Tensor):
            cuts = [base * i + paddle.clip(extra, max=i) for i in range(1, num_or_indices)]
        else:
            cuts = list(itertools.accumulate([base + (i < extra) for i in range(num_or_indices)]))[
                :-1
            ]
    else:
        cuts = [int(i) for i in num_or_indices]
    out, start = [], 0
    for stop in [*cuts, None if isinstance(size, Tensor) else size]:
        index = [slice(None)] * axis + [slice(start, stop)]
        out.append(x[tuple(index)]._apart(x))
        start = stop
    return out


def hsplit(x, num_or_indices, name=None):
    """Parts along the second axis (the first for 1-D)."""
    expect_tensors('hsplit', x=x)
    if x.ndim < 1:
        raise ValueError(f'[hsplit] expected at least 1 dimension, got {x.ndim}')
    return tensor_split(x, num_or_indices, 0 if x.ndim == 1 else 1)


def vsplit(x, num_or_indices, name=None):
    """Parts along the first axis."""
    expect_tensors('vsplit', x=x)
    if x.ndim < 2:
        raise ValueError(f'[vsplit] expected at least 2 dimensions, got {x.ndim}')
    return tensor_split(x, num_or_indices, 0)


def dsplit(x, num_or_indices, name=None):
    """Parts along the third axis."""
    expect_tensors('dsplit', x=x)
    if x.ndim < 3:
        raise ValueError(f'[dsplit] expected at least 3 dimensions, got {x.ndim}')
    return tensor_split(x, num_or_indices, 2)


def chunk(x, chunks, axis=0, name=None):
    """Equal parts along an axis, as a list."""
    return paddle.split(x, chunks, axis)


def unflatten(x, axis, shape, name=None):
    """One axis turned into several of the given extents (one may be -1)."""
    expect_tensors('unflatten', x=x)
    axis = _axis(axis, x.ndim, 'unflatten')
    old = extents(x)
    shape = (
        items('unflatten', 'shape', shape)
        if not isinstance(shape, Tensor) or is_recorded(shape)
        else shape.tolist()
    )
    return x.reshape(old[:axis] + shape + old[axis + 1 :])


def view(x, shape_or_dtype, name=None):
    """The same data with another shape, or read as another dtype."""
    expect_tensors('view', x=x)
    return x.view(shape_or_dtype)


def view_as(x, other, name=None):
    """The same data with the shape of `other`."""
    expect_tensors('view_as', x=x, other=other)
    return x.reshape(extents(other))


def moveaxis(x, source, destination, name=None):
    """Axes moved to new places, the others keeping their order."""
    expect_tensors('moveaxis', x=x)
    source = [source] if isinstance(source, int) else items('moveaxis', 'source', source)
    destination = (
        [destination]
        if isinstance(destination, int)
        else items('moveaxis', 'destination', destination)
    )
    if len(source) != len(destination):
        raise AssertionError(
            f"[moveaxis] expected as many destinations as sources, got {len(source)} and "
            f"{len(destination)}"
        )
    source = [_axis(a, x.ndim, 'moveaxis') for a in source]
    destination = [_axis(a, x.ndim, 'moveaxis') for a in destination]
    if len(set(source)) != len(source) or len(set(destination)) != len(destination):
        raise ValueError(
            f'[moveaxis] expected distinct axes as source and as destination, got {source} and '
            f'{destination}'
        )
    order = [a for a in range(x.ndim) if a not in source]
    for to, axis in sorted(zip(destination, source)):
        order.insert(to, axis)
    return _C_ops.transpose(x, order)


def t(input, name=None):
    """The transpose of a matrix; 0-d and 1-D tensors as they are."""
    expect_tensors('t', input=input)
    if input.ndim > 2:
        raise ValueError(f'[t] expected at most 2 dimensions, got {input.ndim}; use transpose')
    return input if input.ndim < 2 else _C_ops.transpose(input, [1, 0])


def matrix_transpose(x, name=None):
    """The last two axes exchanged."""
    expect_tensors('matrix_transpose', x=x)
    if x.ndim < 2:
        raise ValueError(f'[matrix_transpose] expected at least 2 dimensions, got {x.ndim}')
    return _C_ops.transpose(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])


def permute(input, *dims, **kwargs):
    """Axes in another order, given one by one, as a list, or as `dims=`."""
    keywords('permute', kwargs, 'dims')
    if bool(dims) == (kwargs.get('dims') is not None):
        raise TypeError(
            f'[permute] expected the axes once, one by one or as dims, got them '
            f'{"twice" if dims else "not at all"}'
        )
    return _C_ops.transpose(input, _many(dims) if dims else list(kwargs['dims']))


def ravel(input):
    """All elements in one dimension."""
    expect_tensors('ravel', input=input)
    return input.reshape([-1])


def narrow(input, dim, start, length):
    """`length` entries along an axis from `start` on."""
    expect_tensors('narrow', input=input)
    dim = _axis(dim, input.ndim, 'narrow')
    start, length = number(start), number(length)
    if is_recorded(start) or is_recorded(length):
        return input[(slice(None),) * dim + (slice(start, start + length),)]
    size = _extent(input, dim, 'narrow')
    start = start + size if start < 0 else start
    if not 0 <= start <= size or length < 0 or start + length > size:
        raise ValueError(
            f'[narrow] expected a range inside {size} entries, got start {start} and length '
            f'{length}'
        )
    return input[(slice(None),) * dim + (slice(start, start + length),)]


def expand_as(x, y, name=None):
    """`x` expanded to the shape of `y`."""
    expect_tensors('expand_as', y=y)
    shape = list(y.shape)
    return _C_ops.expand_as(x, y, shape) if -1 in shape else paddle.expand(x, shape)


def cartesian_prod(x, name=None):
    """All combinations of one element from each 1-D tensor, as rows."""
    x = items('cartesian_prod', 'x', x)
    for t in x:
        expect_tensors('cartesian_prod', x=t)
        if t.ndim != 1:
            raise ValueError(f'[cartesian_prod] expected tensors of one axis, got shape {t.shape}')
    if len(x) == 1:
        return x[0]
    return paddle.stack([g.reshape([-1]) for g in paddle.meshgrid(*x)], -1)


def combinations(x, r=2, with_replacement=False, name=None):
    """All combinations of `r` elements of a 1-D tensor, as rows."""
    expect_tensors('combinations', x=x)
    if x.ndim != 1:
        raise TypeError(f"[combinations] expected x of one axis, got shape {list(x.shape)}")
    if not isinstance(r, int) or r < 0:
        raise ValueError(f"[combinations] expected r to be an int of at least 0, got {r!r}")
    if r == 0:
        return paddle.empty([0], x.dtype)
    n = _extent(x, 0, 'combinations')
    if n == 0 or r > n and not with_replacement:
        return paddle.empty([0, r], x.dtype)
    # The count is at least two to the power of the smaller part.
    part = min(r, n - 1) if with_replacement else min(r, n - r)
    rows = math.comb(n + r - 1 if with_replacement else n, r) if part < 63 else 1 << 63
    if rows * r >= 1 << 31:
        raise ValueError(
            f'[combinations] expected r that makes fewer than {1 << 31} elements, got r={r} of '
            f'{n} elements'
        )
    import numpy  # loaded when a value is converted: paddle itself starts without it

    check_memory('combinations', 'combinations', f'{rows} of {r} elements', rows * r * 16)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    try:
        each = itertools.chain.from_iterable(choose(range(n), r))
        index = numpy.fromiter(each, 'int64', rows * r).reshape(rows, r)
    except MemoryError:
        raise MemoryError(
            f'[combinations] expected combinations that fit in memory, got {rows} of {r} elements: '
            f'they would allocate {rows * r * 16} bytes'
        ) from None
    return x[paddle.to_tensor(index)]


def block_diag(inputs, name=None):
    """A matrix with the given ones along its diagonal."""
    blocks = [atleast_2d(b) for b in inputs]
    for b in blocks:
        expect_tensors('block_diag', inputs=b)
    columns = sum(extents(b)[1] for b in blocks)
    rows, before = [], 0
    for b in blocks:
        height, width = extents(b)
        parts = [
            paddle.zeros([height, before], b.dtype),
            b,
            paddle.zeros([height, columns - before - width], b.dtype),
        ]
        rows.append(paddle.concat([p for p in parts if p.shape[1]] or [b], 1))
        before = before + width
    return paddle.concat(rows, 0)


def reverse(x, axis, name=None):
    """`flip` under another name."""
    return paddle.flip(x, axis)


def rot90(x, k=1, axes=[0, 1], name=None):
    """Turned by 90 degrees `k` times in the plane of two axes."""
    expect_tensors('rot90', x=x)
    a, b = (_axis(i, x.ndim, 'rot90') for i in axes)
    if a == b or len(axes) != 2:
        raise ValueError(f'[rot90] expected two different axes, got {axes}')
    k %= 4
    if k == 0:
        return x
    if k == 2:
        return paddle.flip(x, [a, b])
    order = list(range(x.ndim))
    order[a], order[b] = order[b], order[a]
    return (
        _C_ops.transpose(paddle.flip(x, b), order)
        if k == 1
        else paddle.flip(_C_ops.transpose(x, order), b)
    )


def repeat_interleave(x, repeats, axis=None, name=None, *, output_size=None):
    """Each entry along an axis repeated; flattened without an axis."""
    if axis is None:
        expect_tensors('repeat_interleave', x=x)
        x, axis = x.reshape([-1]), 0
    size = -1 if output_size is None else output_size
    if not isinstance(repeats, Tensor) and not hasattr(repeats, '__index__'):
        repeats = paddle.to_tensor(repeats, dtype='int64')
    if isinstance(repeats, Tensor):
        return _C_ops.repeat_interleave_with_tensor_index(x, repeats, axis, size)
    return _C_ops.repeat_interleave(x, repeats, axis, size)


def take(x, index, mode='raise', name=None):
    """Elements by their place in the flattened tensor; `mode` says what is done with places
    outside.
    """
    expect_tensors('take', x=x, index=index)
    if mode not in ('raise', 'wrap', 'clip'):
        raise ValueError(f"[take] expected mode 'raise', 'wrap' or 'clip', got {mode!r}")
    count = x._numel() if -1 not in x.shape else paddle.numel(x)
    if index.dtype not in (paddle.int32, paddle.int64):
        raise TypeError(f"[take] expected an index of dtype int32 or int64, got {index.dtype}")
    flat = index.reshape([-1]).astype('int64')
    if mode == 'raise':
        return _C_ops.index_select(x.reshape([-1]), flat, 0).reshape(extents(index))
    if mode == 'wrap':
        flat = flat % count
    elif mode == 'clip':
        flat = paddle.minimum(paddle.clip(flat, 0), paddle.zeros_like(flat) + (count - 1))
    return x.reshape([-1])[flat].reshape(extents(index))


def take_along_dim(arr, indices, axis, broadcast=True, *, out=None):
    """Values along an axis at `indices`."""
    if axis is None:
        arr, indices, axis = arr.reshape([-1]), indices.reshape([-1]), 0
    result = paddle.take_along_axis(arr, indices, axis, broadcast)
    if out is None:
        return result
    out._rebind(result)
    return out


def _scattered(x, index, value):
    out = x.clone()
    out[index] = value
    return out


def select_scatter(x, values, axis, index, name=None):
    """A copy of `x` with entry `index` of an axis replaced."""
    expect_tensors('select_scatter', x=x)
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(
            f'[select_scatter] expected an axis from {-x.ndim} to {x.ndim - 1}, got {axis}'
        )
    axis = _axis(axis, x.ndim, 'select_scatter')
    return _scattered(x, (slice(None),) * axis + (index,), values)


def slice_scatter(x, value, axes, starts, ends, strides, name=None):
    """A copy of `x` with a strided slice replaced."""
    expect_tensors('slice_scatter', x=x)
    index = [slice(None)] * x.ndim
    for a, start, stop, step in zip(axes, starts, ends, strides):
        index[_axis(a, x.ndim, 'slice_scatter')] = slice(start, stop, step)
    return _scattered(x, tuple(index), value)


def diagonal_scatter(x, y, offset=0, axis1=0, axis2=1, name=None):
    """A copy of `x` with a diagonal replaced."""
    expect_tensors('diagonal_scatter', x=x, y=y)
    a, b = _axis(axis1, x.ndim, 'diagonal_scatter'), _axis(axis2, x.ndim, 'diagonal_scatter')
    rows = max(0, min(x.shape[a] + min(offset, 0), x.shape[b] - max(offset, 0)))
    if y.ndim != x.ndim - 1 or (
        -1 not in (x.shape[a], x.shape[b], y.shape[-1]) and y.shape[-1] != rows
    ):
        raise AssertionError(
            f'[diagonal_scatter] expected y of the shape of the diagonal, got shape {y.shape}'
        )
    return _C_ops.fill_diagonal_tensor(x, y, offset, a, b)


def masked_scatter(x, mask, value, name=None):
    """A copy of `x` in which the masked elements are taken from `value` in order."""
    expect_tensors('masked_scatter', x=x, value=value)
    if is_recorded(x) or is_recorded(mask):
        mask = paddle.expand_as(mask, x)
        place = paddle.clip(paddle.cumsum(mask.reshape([-1]).astype('int64')) - 1, 0)
        taken = _C_ops.gather(value.reshape([-1]), place, 0).reshape(extents(x))
        return paddle.where(mask, taken.astype(x.dtype), x)
    mask = _C_ops.expand(mask, list(x.shape))
    count = int(mask.astype('int64').sum())
    if count > value._numel():
        raise AssertionError(
            f'[masked_scatter] expected a value of at least {count} elements, got {value._numel()}'
        )
    return _scattered(x, mask, value.reshape([-1])[:count])


def index_fill(x, index, axis, value, name=None):
    """A copy of `x` with the entries `index` of an axis set to one value."""
    expect_tensors('index_fill', x=x)
    axis = _axis(axis, x.ndim, 'index_fill')
    if isinstance(value, Tensor) and value.ndim:
        raise ValueError(
            f"[index_fill] expected a number or a 0-D tensor as value, got shape {value.shape}"
        )
    return _scattered(x, (slice(None),) * axis + (index,), value)


def view_as_real(input):
    """Real and imaginary parts as a last axis of two."""
    return paddle.as_real(input)


def view_as_complex(input):
    """The last axis, of two, as real and imaginary parts."""
    return paddle.as_complex(input)


def diagflat(x, offset=0, name=None):
    """The elements, flattened, on a diagonal of a square matrix."""
    expect_tensors('diagflat', x=x)
    return paddle.diag(x.reshape([-1]), offset)


def tensordot(x, y, axes=2, name=None):
    """Products summed over pairs of axes: a count, or lists of axes of each."""
    if isinstance(axes, Tensor):
        axes = axes.tolist()
    if isinstance(axes, int):
        expect_tensors('tensordot', x=x, y=y)
        if axes > min(x.ndim, y.ndim):
            raise ValueError(
                f'[tensordot] expected axes of at most {min(x.ndim, y.ndim)}, got {axes}'
            )
        ax, ay = list(range(x.ndim - axes, x.ndim)), list(range(axes))
    else:
        axes = items('tensordot', 'axes', axes)
        if axes and isinstance(axes[0], int):
            ax = ay = axes
        elif len(axes) == 1:
            ax = ay = list(axes[0])
        elif axes:
            ax, ay = (
                [a]
                if isinstance(a, int)
                else a.tolist()
                if isinstance(a, Tensor)
                else items('tensordot', 'axes', a)
                for a in axes[:2]
            )
        else:
            ax = ay = []
        if len(ax) < len(ay):
            ax = list(ax) + list(ay[len(ax) :])
        elif len(ay) < len(ax):
            ay = list(ay) + list(ax[len(ay) :])
    ax, ay = (
        [_axis(a, x.ndim, 'tensordot') for a in ax],
        [_axis(a, y.ndim, 'tensordot') for a in ay],
    )
    keep_x, keep_y = (
        [i for i in range(x.ndim) if i not in ax],
        [i for i in range(y.ndim) if i not in ay],
    )
    sizes_x, sizes_y = extents(x), extents(y)
    shape_x, shape_y = [sizes_x[i] for i in keep_x], [sizes_y[i] for i in keep_y]
    # An extent of 1 stands for any.
    for a, b in zip(ax, ay):
        if x.shape[a] != y.shape[b] and (
            1 in (x.shape[a], y.shape[b]) or -1 not in (x.shape[a], y.shape[b])
        ):
            if y.shape[b] == 1:
                x = paddle.sum(x, a, keepdim=True)
            elif x.shape[a] == 1:
                y = paddle.sum(y, b, keepdim=True)
            else:
                raise AssertionError(
                    f'[tensordot] expected equal extents, got {x.shape[a]} and {y.shape[b]}'
                )
    inner, sizes = 1, extents(x)
    for a in ax:
        inner = inner * sizes[a]
    if isinstance(inner, Tensor):
        left = _C_ops.transpose(x, keep_x + ax).reshape(
            [*shape_x, inner] if shape_x else [1, inner]
        )
        right = _C_ops.transpose(y, ay + keep_y).reshape(
            [inner, *shape_y] if shape_y else [inner, 1]
        )
        left = left.reshape([-1, inner]) if len(shape_x) != 1 else left
        right = right.reshape([inner, -1]) if len(shape_y) != 1 else right
        return paddle.matmul(left, right).reshape(shape_x + shape_y)
    left = _C_ops.transpose(x, keep_x + ax).reshape(
        [-1 if inner else 0, inner] if shape_x else [1, inner]
    )
    right = _C_ops.transpose(y, ay + keep_y).reshape(
        [inner, -1 if inner else 0] if shape_y else [inner, 1]
    )
    return paddle.matmul(left, right).reshape(shape_x + shape_y)


def msort(input, *, out=None):
    """Sorted along the first axis."""
    return paddle.sort(input, 0, out=out)


def shard_index(input, index_num, nshards, shard_id, ignore_value=-1):
    """Indices made local to one of `nshards` shards; those of other shards become
    `ignore_value`.
    """
    if not 0 <= shard_id < nshards:
        raise ValueError(f"[shard_index] expected shard_id from 0 to {nshards - 1}, got {shard_id}")
    size = (index_num + nshards - 1) // nshards
    mine = (input // size) == shard_id
    return paddle.where(mine, input % size, paddle.full_like(input, ignore_value))


def scatter_nd(index, updates, shape, name=None):
    """Updates added into zeros of `shape` at `index`."""
    expect_tensors('scatter_nd', updates=updates)
    return paddle.scatter_nd_add(paddle.zeros(shape, updates.dtype), index, updates)


_lazy.serve(globals())
