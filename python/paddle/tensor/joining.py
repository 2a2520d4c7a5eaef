# SPDX-License-Identifier: Apache-2.0
"""Joining tensors and cutting them into lists. Written from the ops, so gradients flow."""

import itertools
import math

import paddle
from paddle import _lazy
from paddle.base.arguments import check_memory, items, second_names
from paddle.base.libpaddle import Tensor, expect_tensors

from .manipulation import _axis, _extent, _many, extents

MOST_PARTS = 1 << 24  # tensors in the list one call gives: more would not fit in memory


def _tensors(values):
    return [v if isinstance(v, Tensor) else paddle.to_tensor(v) for v in values]


_AT_LEAST = """Tensors with axes of one element added until they have at least {n} dimensions.

    Args:
        *inputs (Tensor): Tensors or numbers, or one list of them.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor or list of Tensors: of one tensor that alone, else a list.

    Examples:
        >>> paddle.atleast_{n}d(paddle.to_tensor(3)).ndim
        {n}
        >>> [t.ndim for t in paddle.atleast_{n}d(paddle.to_tensor(3), paddle.ones([2]))]
        [{n}, {n}]
"""


def _at_least(n, grow):
    def function(*inputs, name=None):
        out = [grow(t) if t.ndim < n else t for t in _tensors(_many(inputs))]
        return (
            out[0]
            if len(out) == 1 and not (inputs and isinstance(inputs[0], (list, tuple)))
            else out
        )

    function.__name__ = function.__qualname__ = f'atleast_{n}d'
    function.__doc__ = _AT_LEAST.format(n=n)
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


@second_names(tensors='x', dim='axis')
def concatenate(x, axis=0, name=None, *, out=None):
    """Tensors joined along an axis.

    Args:
        x (list of Tensors): The tensors. Also `tensors`.
        axis (int, default 0): The axis, counted from the end where negative. Also `dim`.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: the joined tensor.

    Examples:
        >>> x = paddle.to_tensor([[1, 2]])
        >>> paddle.concatenate([x, x], axis=1).tolist()
        [[1, 2, 1, 2]]
    """
    return paddle.concat(x, axis) if out is None else paddle.concat(x, axis, out=out)


def hstack(x, name=None):
    """Tensors joined along the second axis (the first for 1-D ones).

    Args:
        x (list of Tensors): What is joined.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The tensors joined.

    Examples:
        >>> a, b = paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])
        >>> paddle.hstack([a, b]).tolist()
        [1, 2, 3, 4]
    """
    if not x:
        raise ValueError('[hstack] expected at least one tensor, got none')
    x = _list(atleast_1d(items('hstack', 'x', x)))
    return paddle.concat(x, 0 if x[0].ndim == 1 else 1)


def vstack(x, name=None):
    """Tensors joined along the first axis, 1-D ones as rows.

    Args:
        x (list of Tensors): What is joined.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The tensors joined.

    Examples:
        >>> a, b = paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])
        >>> paddle.vstack([a, b]).tolist()
        [[1, 2], [3, 4]]
        >>> paddle.row_stack is paddle.vstack
        True
    """
    return paddle.concat(_list(atleast_2d(items('vstack', 'x', x))), 0)


row_stack = vstack


def dstack(x, name=None):
    """Tensors joined along the third axis.

    Args:
        x (list of Tensors): What is joined.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The tensors joined.

    Examples:
        >>> a, b = paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])
        >>> paddle.dstack([a, b]).tolist()
        [[[1, 3], [2, 4]]]
    """
    return paddle.concat(_list(atleast_3d(items('dstack', 'x', x))), 2)


def column_stack(x, name=None):
    """Tensors joined along the second axis, 1-D ones as columns.

    Args:
        x (list of Tensors): What is joined.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The tensors joined.

    Examples:
        >>> a, b = paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])
        >>> paddle.column_stack([a, b]).tolist()
        [[1, 3], [2, 4]]
    """
    x = items('column_stack', 'x', x)
    for t in x:
        expect_tensors('column_stack', x=t)
    return paddle.concat([t.reshape([-1, 1]) if t.ndim < 2 else t for t in x], 1)


@second_names(
    input='x',
    dim='axis',
    indices='num_or_indices',
    sections='num_or_indices',
    indices_or_sections='num_or_indices',
)
def tensor_split(x, num_or_indices, axis=0, name=None):
    """Parts of a tensor: a number of nearly equal ones, or cut at indices.

    Args:
        x (Tensor): The values. Also `input`.
        num_or_indices (int or list of ints): How many parts, or where to cut. Also `indices`.
        axis (int, default 0): The axis, counted from the end where negative. Also `dim`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        list of Tensors: the parts, views.

    Examples:
        >>> [t.tolist() for t in paddle.tensor_split(paddle.to_tensor([1, 2, 3, 4, 5]), 2)]
        [[1, 2, 3], [4, 5]]
        >>> [t.tolist() for t in paddle.tensor_split(paddle.to_tensor([1, 2, 3, 4, 5]), [1, 3])]
        [[1], [2, 3], [4, 5]]
    """
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
    """Parts along the second axis (the first for 1-D).

    Args:
        x (Tensor): The values.
        num_or_indices (int or list of ints): How many parts, or where to cut.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        list of Tensors: the parts, views.

    Examples:
        >>> [t.tolist() for t in paddle.hsplit(paddle.to_tensor([[1, 2], [3, 4]]), 2)]
        [[[1], [3]], [[2], [4]]]
    """
    expect_tensors('hsplit', x=x)
    if x.ndim < 1:
        raise ValueError(f'[hsplit] expected at least 1 dimension, got {x.ndim}')
    return tensor_split(x, num_or_indices, 0 if x.ndim == 1 else 1)


def vsplit(x, num_or_indices, name=None):
    """Parts along the first axis.

    Args:
        x (Tensor): The values.
        num_or_indices (int or list of ints): How many parts, or where to cut.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        list of Tensors: the parts, views.

    Examples:
        >>> [t.tolist() for t in paddle.vsplit(paddle.to_tensor([[1, 2], [3, 4]]), 2)]
        [[[1, 2]], [[3, 4]]]
    """
    expect_tensors('vsplit', x=x)
    if x.ndim < 2:
        raise ValueError(f'[vsplit] expected at least 2 dimensions, got {x.ndim}')
    return tensor_split(x, num_or_indices, 0)


def dsplit(x, num_or_indices, name=None):
    """Parts along the third axis.

    Args:
        x (Tensor): The values.
        num_or_indices (int or list of ints): How many parts, or where to cut.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        list of Tensors: the parts, views.

    Examples:
        >>> [t.tolist() for t in paddle.dsplit(paddle.to_tensor([[[1, 2]]]), 2)]
        [[[[1]]], [[[2]]]]
    """
    expect_tensors('dsplit', x=x)
    if x.ndim < 3:
        raise ValueError(f'[dsplit] expected at least 3 dimensions, got {x.ndim}')
    return tensor_split(x, num_or_indices, 2)


@second_names(input='x', dim='axis')
def chunk(x, chunks, axis=0, name=None):
    """Equal parts along an axis, as a list.

    Args:
        x (Tensor): The values. Also `input`.
        chunks (int): How many parts.
        axis (int, default 0): The axis, counted from the end where negative. Also `dim`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        list of Tensors: the parts, views.

    Examples:
        >>> [t.tolist() for t in paddle.chunk(paddle.to_tensor([1, 2, 3, 4]), 2)]
        [[1, 2], [3, 4]]
    """
    return paddle.split(x, chunks, axis)


def cartesian_prod(x, name=None):
    """All combinations of one element from each 1-D tensor, as rows.

    Args:
        x (list of Tensors): 1-D tensors of one dtype.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: One row for each combination.

    Examples:
        >>> paddle.cartesian_prod([paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])]).tolist()
        [[1, 3], [1, 4], [2, 3], [2, 4]]
    """
    x = items('cartesian_prod', 'x', x)
    for t in x:
        expect_tensors('cartesian_prod', x=t)
        if t.ndim != 1:
            raise ValueError(f'[cartesian_prod] expected tensors of one axis, got shape {t.shape}')
    if len(x) == 1:
        return x[0]
    return paddle.stack([g.reshape([-1]) for g in paddle.meshgrid(*x)], -1)


def combinations(x, r=2, with_replacement=False, name=None):
    """All combinations of `r` elements of a 1-D tensor, as rows.

    Args:
        x (Tensor): 1-D.
        r (int, default 2): How many elements a combination has.
        with_replacement (bool, default False): Whether an element may stand several times.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: One row for each combination.

    Examples:
        >>> paddle.combinations(paddle.to_tensor([1, 2, 3])).tolist()
        [[1, 2], [1, 3], [2, 3]]
    """
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
    """A matrix with the given ones along its diagonal.

    Args:
        inputs (list of Tensors): Matrices; numbers and vectors are rows.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The matrix, zeros elsewhere.

    Examples:
        >>> paddle.block_diag([paddle.to_tensor([[1, 2]]), paddle.to_tensor([[3]])]).tolist()
        [[1, 2, 0], [0, 0, 3]]
    """
    blocks = [atleast_2d(b) for b in inputs]
    for b in blocks:
        expect_tensors('block_diag', inputs=b)
        if b.ndim > 2:
            raise ValueError(f'[block_diag] expected matrices, got shape {list(b.shape)}')
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


_lazy.serve(globals())
