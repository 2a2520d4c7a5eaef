# SPDX-License-Identifier: Apache-2.0
"""Rearranging tensors: moving axes, other shapes, slices of copies. Written from the ops, so
gradients flow.
"""

import paddle
from paddle import _C_ops, _lazy
from paddle.base import libpaddle as _core
from paddle.base.arguments import integer, items, keywords, second_names, torch_form
from paddle.base.framework import is_recorded, number
from paddle.base.libpaddle import Tensor, expect_tensors

from . import other_forms


def _axis(axis, ndim, name):
    axis = integer(name, 'axis', axis)
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


def free_extents(x):
    """The shape as a list for an op's argument; an extent that is not known while recording is an
    object, equal to others that are certainly the same.
    """
    shape = list(x.shape)
    return _core.pir._extents(x) if -1 in shape else shape


def common_extent(a, b):
    """What two of `free_extents` broadcast to."""
    if isinstance(a, int) and isinstance(b, int):
        return b if a == 1 else a
    return b._combined('b', a) if isinstance(a, int) else a._combined('b', b)


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


@second_names(input='x', dim='axis', sizes='shape')
def unflatten(x, axis, shape, name=None):
    """One axis turned into several of the given extents (one may be -1).

    Args:
        x (Tensor): The values. Also `input`.
        axis (int): The axis, counted from the end where negative. Also `dim`.
        shape (list of ints or Tensor): The extents in the place of axis; one may be -1. Also
            `sizes`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The same elements.

    Examples:
        >>> paddle.unflatten(paddle.ones([2, 6]), 1, [2, -1]).shape
        paddle.Size([2, 2, 3])
    """
    expect_tensors('unflatten', x=x)
    axis = _axis(axis, x.ndim, 'unflatten')
    old = extents(x)
    shape = (
        items('unflatten', 'shape', shape)
        if not isinstance(shape, Tensor) or is_recorded(shape)
        else shape.tolist()
    )
    return x.reshape(old[:axis] + shape + old[axis + 1 :])


@second_names(size='shape_or_dtype', dtype='shape_or_dtype')
def view(x, shape_or_dtype, name=None):
    """The same data with another shape, or read as another dtype.

    Args:
        x (Tensor): The values.
        shape_or_dtype (list of ints, str or dtype): The other shape or dtype. Also `size`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The same memory.

    Examples:
        >>> paddle.view(paddle.ones([2, 3]), [6]).shape
        paddle.Size([6])
        >>> paddle.view(paddle.to_tensor([1.0]), 'int32').tolist()
        [1065353216]
    """
    expect_tensors('view', x=x)
    return x.view(shape_or_dtype)


def view_as(x, other, name=None):
    """The same data with the shape of `other`.

    Args:
        x (Tensor): The values.
        other (Tensor): Whose shape is taken.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The same memory.

    Examples:
        >>> paddle.view_as(paddle.ones([2, 3]), paddle.zeros([6])).shape
        paddle.Size([6])
    """
    expect_tensors('view_as', x=x, other=other)
    return x.reshape(extents(other))


def moveaxis(x, source, destination, name=None):
    """Axes moved to new places, the others keeping their order.

    Args:
        x (Tensor): The values.
        source (int or list of ints): Which axes.
        destination (int or list of ints): Where they stand in the result.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The same elements, a view.

    Examples:
        >>> paddle.moveaxis(paddle.ones([2, 3, 4]), 0, 2).shape
        paddle.Size([3, 4, 2])
    """
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
    """The transpose of a matrix; 0-d and 1-D tensors as they are.

    Args:
        input (Tensor): At most two axes.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The transpose, a view.

    Raises:
        ValueError: input has more than two axes.

    Examples:
        >>> paddle.t(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
        [[1, 3], [2, 4]]
    """
    expect_tensors('t', input=input)
    if input.ndim > 2:
        raise ValueError(f'[t] expected at most 2 dimensions, got {input.ndim}; use transpose')
    return input if input.ndim < 2 else _C_ops.transpose(input, [1, 0])


def matrix_transpose(x, name=None):
    """The last two axes exchanged.

    Args:
        x (Tensor): Two axes or more.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The exchanged axes, a view.

    Examples:
        >>> paddle.matrix_transpose(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
        [[1, 3], [2, 4]]
    """
    expect_tensors('matrix_transpose', x=x)
    if x.ndim < 2:
        raise ValueError(f'[matrix_transpose] expected at least 2 dimensions, got {x.ndim}')
    return _C_ops.transpose(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])


def permute(input, *dims, **kwargs):
    """The axes in another order.

    Args:
        input (Tensor): The values.
        *dims (int or list of ints): Which axis stands in each place.
        **kwargs (object): `dims`, and other names of `paddle.transpose`.

    Returns:
        Tensor: The same elements, a view.

    Examples:
        >>> paddle.permute(paddle.ones([2, 3, 4]), 2, 0, 1).shape
        paddle.Size([4, 2, 3])
    """
    keywords('permute', kwargs, 'dims')
    if bool(dims) == (kwargs.get('dims') is not None):
        raise TypeError(
            f'[permute] expected the axes once, one by one or as dims, got them '
            f'{"twice" if dims else "not at all"}'
        )
    return _C_ops.transpose(input, _many(dims) if dims else list(kwargs['dims']))


def ravel(input):
    """All elements in one dimension.

    Args:
        input (Tensor): The values.

    Returns:
        Tensor: 1-D.

    Examples:
        >>> paddle.ravel(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
        [1, 2, 3, 4]
    """
    expect_tensors('ravel', input=input)
    return input.reshape([-1])


def narrow(input, dim, start, length):
    """`length` entries along an axis from `start` on.

    Args:
        input (Tensor): The values.
        dim (int): The axis.
        start (int or Tensor): The first position, counted from the end where negative.
        length (int): How many.

    Returns:
        Tensor: The part, a view.

    Examples:
        >>> paddle.narrow(paddle.to_tensor([1, 2, 3, 4]), 0, 1, 2).tolist()
        [2, 3]
    """
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
    """`x` expanded to the shape of `y`.

    Args:
        x (Tensor): The values.
        y (Tensor): Whose shape that of x broadcasts to.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The elements of x, repeated.

    Examples:
        >>> paddle.expand_as(paddle.to_tensor([1, 2]), paddle.zeros([2, 2])).tolist()
        [[1, 2], [1, 2]]
    """
    expect_tensors('expand_as', y=y)
    shape = list(y.shape)
    return _C_ops.expand_as(x, y, shape) if -1 in shape else paddle.expand(x, shape)


def reverse(x, axis, name=None):
    """`flip` under another name.

    Args:
        x (Tensor): The values.
        axis (int or list of ints): The axes.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The elements in the other order.

    Examples:
        >>> paddle.reverse(paddle.to_tensor([[1, 2], [3, 4]]), 0).tolist()
        [[3, 4], [1, 2]]
    """
    return paddle.flip(x, axis)


def rot90(x, k=1, axes=[0, 1], name=None):
    """Turned by 90 degrees `k` times in the plane of two axes.

    Args:
        x (Tensor): The values.
        k (int, default 1): How often; negative for the other way.
        axes (list of ints, default [0, 1]): The plane; turning is from the first towards the
            second.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The turned elements, with the dtype of x.

    Examples:
        >>> paddle.rot90(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
        [[2, 4], [1, 3]]
    """
    expect_tensors('rot90', x=x)
    axes = items('rot90', 'axes', axes)
    a, b = (_axis(i, x.ndim, 'rot90') for i in axes) if len(axes) == 2 else (0, 0)
    if a == b:
        raise ValueError(f'[rot90] expected two different axes, got {axes}')
    k = integer('rot90', 'k', k) % 4
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


@second_names(input='x', dim='axis')
def repeat_interleave(x, repeats, axis=None, name=None, *, output_size=None):
    """Each entry along an axis repeated; flattened without an axis.

    Args:
        x (Tensor): The values. Also `input`.
        repeats (int or Tensor): How often, one number for all or one for each entry.
        axis (int, default None): The axis; None for the flattened tensor. Also `dim`.
        name (str, default None): Taken for compatibility; it has no effect.
        output_size (int, default None): The extent of the result, where it is to be checked.

    Returns:
        Tensor: The repeated entries, with the dtype of x.

    Examples:
        >>> paddle.repeat_interleave(paddle.to_tensor([1, 2]), 2).tolist()
        [1, 1, 2, 2]
        >>> paddle.repeat_interleave(paddle.to_tensor([1, 2]), paddle.to_tensor([1, 3])).tolist()
        [1, 2, 2, 2]
    """
    if axis is None:
        expect_tensors('repeat_interleave', x=x)
        x, axis = x.reshape([-1]), 0
    size = -1 if output_size is None else output_size
    if not isinstance(repeats, Tensor) and not hasattr(repeats, '__index__'):
        repeats = paddle.to_tensor(repeats, dtype='int64')
    if isinstance(repeats, Tensor):
        result = _C_ops.repeat_interleave_with_tensor_index(x, repeats, axis, size)
    else:
        result = _C_ops.repeat_interleave(x, repeats, axis, size)
    if output_size is not None and result.shape[axis] not in (-1, output_size):
        raise ValueError(
            f'[repeat_interleave] expected output_size={result.shape[axis]}, which the repeats sum '
            f'to, got {output_size}'
        )
    return result


def take(x, index, mode='raise', name=None):
    """Elements by their place in the flattened tensor; `mode` says what is done with places
    outside.

    Args:
        x (Tensor): The values.
        index (Tensor): Places in the flattened tensor, integers of any shape; negative ones count
            from the end.
        mode (str, default 'raise'): For places outside: `raise` an error, `wrap` around, or
            `clip` to the ends.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The elements, with the shape of index.

    Examples:
        >>> paddle.take(paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([3, -4])).tolist()
        [4, 1]
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


@second_names(input='arr', dim='axis')
def take_along_dim(arr, indices, axis, broadcast=True, *, out=None):
    """Values along an axis at `indices`.

    Args:
        arr (Tensor): What is read. Also `input`.
        indices (Tensor): Positions along axis, integers.
        axis (int): The axis, counted from the end where negative. Also `dim`.
        broadcast (bool, default True): Whether the other axes of indices broadcast to those of
            arr.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The elements, with the dtype of arr.

    Examples:
        >>> x = paddle.to_tensor([[1, 2], [3, 4]])
        >>> paddle.take_along_dim(x, paddle.to_tensor([[1], [0]]), 1).tolist()
        [[2], [3]]
    """
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
    """A copy of `x` with entry `index` of an axis replaced.

    Args:
        x (Tensor): The values.
        values (Tensor): The new entry, of the shape of x without axis.
        axis (int): The axis, counted from the end where negative.
        index (int): Which entry.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The copy, with the shape and dtype of x.

    Examples:
        >>> paddle.select_scatter(paddle.zeros([2, 2]), paddle.to_tensor([1.0, 2.0]), 0, 1).tolist()
        [[0.0, 0.0], [1.0, 2.0]]
    """
    expect_tensors('select_scatter', x=x)
    if not -x.ndim <= integer('select_scatter', 'axis', axis) < x.ndim:
        raise IndexError(
            f'[select_scatter] expected an axis from {-x.ndim} to {x.ndim - 1}, got {axis}'
        )
    axis = _axis(axis, x.ndim, 'select_scatter')
    return _scattered(x, (slice(None),) * axis + (index,), values)


def slice_scatter(x, value, axes, starts, ends, strides, name=None):
    """A copy of `x` with a strided slice replaced.

    Args:
        x (Tensor): The values.
        value (Tensor): The new part.
        axes (int or list of ints): The axes.
        starts (int or list of ints): The first position of each.
        ends (int or list of ints): Where each stops, itself not taken.
        strides (int or list of ints): The steps.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The copy, with the shape and dtype of x.

    Examples:
        >>> x, value = paddle.zeros([4]), paddle.ones([2])
        >>> paddle.slice_scatter(x, value, [0], starts=[0], ends=[4], strides=[2]).tolist()
        [1.0, 0.0, 1.0, 0.0]
    """
    expect_tensors('slice_scatter', x=x)
    index = [slice(None)] * x.ndim
    axes = [axes] if isinstance(axes, int) else items('slice_scatter', 'axes', axes)
    bounds = {'starts': starts, 'ends': ends, 'strides': strides}
    for name, given in bounds.items():
        bounds[name] = [given] if isinstance(given, int) else items('slice_scatter', name, given)
        if len(bounds[name]) != len(axes):
            raise ValueError(
                f'[slice_scatter] expected {name} for {len(axes)} axes, got {len(bounds[name])}'
            )
    for a, start, stop, step in zip(axes, *bounds.values()):
        index[_axis(a, x.ndim, 'slice_scatter')] = slice(start, stop, step)
    return _scattered(x, tuple(index), value)


def diagonal_scatter(x, y, offset=0, axis1=0, axis2=1, name=None):
    """A copy of `x` with a diagonal replaced.

    Args:
        x (Tensor): The values.
        y (Tensor): The new diagonals, of the shape of x.diagonal(offset, axis1, axis2).
        offset (int, default 0): Which diagonal: 0 for the main one, positive above it.
        axis1 (int, default 0): The axis of rows.
        axis2 (int, default 1): The axis of columns.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The copy, with the shape and dtype of x.

    Examples:
        >>> paddle.diagonal_scatter(paddle.zeros([2, 2]), paddle.to_tensor([1.0, 2.0])).tolist()
        [[1.0, 0.0], [0.0, 2.0]]
    """
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
    """A copy of `x` in which the masked elements are taken from `value` in order.

    Args:
        x (Tensor): The values.
        mask (Tensor): bool; it broadcasts to x.
        value (Tensor): At least as many elements as are masked.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The copy, with the shape and dtype of x.

    Examples:
        >>> x = paddle.to_tensor([1.0, 2.0, 3.0])
        >>> mask, value = paddle.to_tensor([True, False, True]), paddle.to_tensor([8.0, 9.0])
        >>> paddle.masked_scatter(x, mask, value).tolist()
        [8.0, 2.0, 9.0]
    """
    expect_tensors('masked_scatter', x=x, value=value)
    if value.is_complex() and not x.is_complex():
        raise TypeError(
            f'[masked_scatter] expected a real value for {x.dtype}, got one of {value.dtype}'
        )
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


@torch_form(other_forms.index_fill)
def index_fill(x, index, axis, value, name=None):
    """A copy of `x` with the entries `index` of an axis set to one value. PyTorch's
    `index_fill(input, dim, index, value)` is taken, too.

    Args:
        x (Tensor): The values.
        index (Tensor): Positions along axis, int32 or int64 in 1-D.
        axis (int): The axis, counted from the end where negative.
        value (number or Tensor): The one value.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The copy, with the shape and dtype of x.

    Examples:
        >>> paddle.index_fill(paddle.zeros([3]), paddle.to_tensor([0, 2]), 0, 7.0).tolist()
        [7.0, 0.0, 7.0]
    """
    expect_tensors('index_fill', x=x)
    axis = _axis(axis, x.ndim, 'index_fill')
    if isinstance(value, Tensor) and value.ndim:
        raise ValueError(
            f"[index_fill] expected a number or a 0-D tensor as value, got shape {value.shape}"
        )
    return _scattered(x, (slice(None),) * axis + (index,), value)


def view_as_real(input):
    """Real and imaginary parts as a last axis of two.

    Args:
        input (Tensor): The values.

    Returns:
        Tensor: Floating-point numbers, with a last axis of two.

    Examples:
        >>> paddle.view_as_real(paddle.to_tensor([1 + 2j])).tolist()
        [[1.0, 2.0]]
    """
    return paddle.as_real(input)


def view_as_complex(input):
    """The last axis, of two, as real and imaginary parts.

    Args:
        input (Tensor): The values.

    Returns:
        Tensor: Complex numbers, without the last axis.

    Examples:
        >>> paddle.view_as_complex(paddle.to_tensor([[1.0, 2.0]])).tolist()
        [(1+2j)]
    """
    return paddle.as_complex(input)


def diagflat(x, offset=0, name=None):
    """The elements, flattened, on a diagonal of a square matrix.

    Args:
        x (Tensor): The values.
        offset (int, default 0): Which diagonal: 0 for the main one, positive above it.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The matrix, zeros elsewhere.

    Examples:
        >>> paddle.diagflat(paddle.to_tensor([1, 2])).tolist()
        [[1, 0], [0, 2]]
    """
    expect_tensors('diagflat', x=x)
    return paddle.diag(x.reshape([-1]), offset)


def tensordot(x, y, axes=2, name=None):
    """Products summed over pairs of axes: a count, or lists of axes of each.

    Args:
        x (Tensor): The values.
        y (Tensor): The other tensor.
        axes (int, list of ints or list of lists, default 2): How many axes, the last of x and the
            first of y; or which of each.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The sums, with the other axes of x, then those of y.

    Examples:
        >>> paddle.tensordot(paddle.ones([2, 3]), paddle.ones([3, 4]), axes=1).shape
        paddle.Size([2, 4])
    """
    if isinstance(axes, Tensor):
        axes = axes.tolist()
    if isinstance(axes, int):
        expect_tensors('tensordot', x=x, y=y)
        if axes < 0:
            raise AssertionError(f'[tensordot] expected axes of at least 0, got {axes}')
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
    left = _C_ops.transpose(x, keep_x + ax).reshape([-1, inner] if shape_x else [1, inner])
    right = _C_ops.transpose(y, ay + keep_y).reshape([inner, -1] if shape_y else [inner, 1])
    return paddle.matmul(left, right).reshape(shape_x + shape_y)


def msort(input, *, out=None):
    """Sorted along the first axis.

    Args:
        input (Tensor): The values.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The elements in order, with the shape and dtype of input.

    Examples:
        >>> paddle.msort(paddle.to_tensor([[3, 1], [2, 4]])).tolist()
        [[2, 1], [3, 4]]
    """
    return paddle.sort(input, 0, out=out)


def scatter_nd(index, updates, shape, name=None):
    """Updates added into zeros of `shape` at `index`.

    Args:
        index (Tensor): Integers; its last axis holds positions in the leading axes.
        updates (Tensor): What is added.
        shape (list of ints or Tensor): The extents of the result.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The sums, with the dtype of updates.

    Examples:
        >>> index, updates = paddle.to_tensor([[1], [1]]), paddle.to_tensor([2.0, 3.0])
        >>> paddle.scatter_nd(index, updates, [3]).tolist()
        [0.0, 5.0, 0.0]
    """
    expect_tensors('scatter_nd', updates=updates)
    return paddle.scatter_nd_add(paddle.zeros(shape, updates.dtype), index, updates)


_lazy.serve(globals())
