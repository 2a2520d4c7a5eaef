# SPDX-License-Identifier: Apache-2.0
"""Operations on sequences of different lengths that lie behind one another in the rows of a value.

The offsets are vectors of the program (`paddle.static.lod`); each operation is one of dense values
and row numbers, so gradients need no rule.
"""

from inspect import unwrap

import paddle
from paddle import _lazy
from paddle.base.arguments import any_of, integer, only
from paddle.static import lod as _lod
from paddle.static.nn.common import activated, parameter
from paddle.utils import unique_name
from paddle.utils.deprecated import deprecated

__all__ = [
    'sequence_conv',
    'sequence_expand',
    'sequence_first_step',
    'sequence_last_step',
    'sequence_pool',
    'sequence_softmax',
]

_OLD = deprecated(since='3.0.0', reason='sequences are tensors of old programs', level=1)
_POOLS = ('average', 'sum', 'sqrt', 'max', 'last', 'first')


def _rows(x):
    """The numbers of the rows of x."""
    return paddle.arange(paddle.shape(x)[0], dtype='int64')


def _owners(offsets, rows):
    """The sequence that each row is in."""
    return paddle.searchsorted(offsets[1:], rows, right=True)


def _reduced(function, x, offsets):
    """What a function of segments makes of each sequence; zeros for one without rows."""
    count = paddle.shape(offsets)[0].astype('int64') - 1
    # A row behind the last sequence: results reach as far as the numbers of sequences do.
    last = paddle.zeros([1, *x.shape[1:]], x.dtype)
    owners = paddle.concat([_owners(offsets, _rows(x)), count.reshape([1])])
    return function(paddle.concat([x, last]), owners)[:-1]


def _wide(vector, x):
    """A vector of one number a row, with as many axes as x."""
    return vector.reshape([-1] + [1] * (x.ndim - 1))


@_OLD
def sequence_pool(input, pool_type, is_test=False, pad_value=0.0):
    """One row for each sequence.

    Args:
        input (Tensor): Rows [N, ...] with sequences, floating.
        pool_type (str): `sum`, `average`, `sqrt` (the sum over the root of the length), `max`,
            `first` or `last`.
        is_test (bool, default False): Taken for compatibility; it has no effect.
        pad_value (float, default 0.0): What a sequence without rows gives.

    Returns:
        Tensor: of shape [sequences, ...]; with several levels its rows are the sequences of the
            innermost one, and the others are its levels.

    Raises:
        AssertionError: Outside static mode, or another pool_type.
        ValueError: input has no sequences.

    Examples:
        >>> import numpy as np
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 1], "float32", lod_level=1)
        ...     total = paddle.static.nn.sequence_pool(x, "sum")
        >>> rows = paddle.base.create_lod_tensor(np.ones([5, 1], "float32"), [[2, 3]])
        >>> paddle.static.Executor().run(main, feed={"x": rows}, fetch_list=[total])[0].tolist()
        [[2.0], [3.0]]
    """
    kind = str(pool_type).lower()
    if kind not in _POOLS:
        raise AssertionError(
            f"[sequence_pool] expected pool_type {any_of(_POOLS)}, got {pool_type!r}"
        )
    levels = _lod.required('sequence_pool', 'input', input)
    offsets = levels[-1]
    lengths = offsets[1:] - offsets[:-1]
    if kind in ('first', 'last'):
        place = offsets[:-1] if kind == 'first' else offsets[1:] - 1
        zero = paddle.zeros([1, *input.shape[1:]], input.dtype)  # rows may be none at all
        out = paddle.gather(
            paddle.concat([input, zero]), paddle.where(lengths > 0, place, paddle.zeros_like(place))
        )
    else:
        segments = paddle.geometric
        function = segments.segment_max if kind == 'max' else segments.segment_sum
        out = _reduced(function, input, offsets)
        if kind in ('average', 'sqrt'):
            length = _wide(lengths.astype(input.dtype), out)
            out = out / paddle.clip(length if kind == 'average' else paddle.sqrt(length), 1.0)
    out = paddle.where(_wide(lengths > 0, out), out, paddle.full_like(out, pad_value))
    _lod.note(_lod.program_of(input), out, levels[:-1])
    return out


@_OLD
def sequence_first_step(input):
    """The first row of each sequence.

    Args:
        input (Tensor): Rows [N, ...] with sequences, floating.

    Returns:
        Tensor: of shape [sequences, ...]; zeros where a sequence has no rows.

    Raises:
        AssertionError: Outside static mode.
        ValueError: input has no sequences.

    Examples:
        >>> import numpy as np
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 1], "float32", lod_level=1)
        ...     first = paddle.static.nn.sequence_first_step(x)
        >>> rows = np.arange(5, dtype="float32").reshape(5, 1)
        >>> rows = paddle.base.create_lod_tensor(rows, [[2, 3]])
        >>> paddle.static.Executor().run(main, feed={"x": rows}, fetch_list=[first])[0].tolist()
        [[0.0], [2.0]]
    """
    return unwrap(sequence_pool)(input, 'first')


@_OLD
def sequence_last_step(input):
    """The last row of each sequence.

    Args:
        input (Tensor): Rows [N, ...] with sequences, floating.

    Returns:
        Tensor: of shape [sequences, ...]; zeros where a sequence has no rows.

    Raises:
        AssertionError: Outside static mode.
        ValueError: input has no sequences.

    Examples:
        >>> import numpy as np
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 1], "float32", lod_level=1)
        ...     last = paddle.static.nn.sequence_last_step(x)
        >>> rows = np.arange(5, dtype="float32").reshape(5, 1)
        >>> rows = paddle.base.create_lod_tensor(rows, [[2, 3]])
        >>> paddle.static.Executor().run(main, feed={"x": rows}, fetch_list=[last])[0].tolist()
        [[1.0], [4.0]]
    """
    return unwrap(sequence_pool)(input, 'last')


@_OLD
def sequence_softmax(input, use_cudnn=False, name=None):
    """The softmax over the rows of each sequence.

    Args:
        input (Tensor): One number a row, [N, 1] or [N], with sequences, floating.
        use_cudnn (bool, default False): Only False.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of the shape of input, with its sequences.

    Raises:
        AssertionError: Outside static mode.
        ValueError: input has no sequences, or more than one number a row.

    Examples:
        >>> import numpy as np
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 1], "float32", lod_level=1)
        ...     part = paddle.static.nn.sequence_softmax(x)
        >>> rows = paddle.base.create_lod_tensor(np.ones([5, 1], "float32"), [[1, 4]])
        >>> part = paddle.static.Executor().run(
        ...     main, feed={"x": rows}, fetch_list=[part], return_numpy=False)[0]
        >>> np.array(part).ravel().tolist(), part.lod()
        ([1.0, 0.25, 0.25, 0.25, 0.25], [[0, 1, 5]])
    """
    only('sequence_softmax', 'there is one implementation', use_cudnn=(use_cudnn, False))
    offsets = _lod.required('sequence_softmax', 'input', input)[-1]
    if input.ndim > 2 or any(extent != 1 for extent in input.shape[1:]):
        raise ValueError(
            f"[sequence_softmax] expected input of shape [N, 1] or [N], got {list(input.shape)}"
        )
    x = input.reshape([-1, 1])
    owners = _owners(offsets, _rows(input))
    top = _reduced(paddle.geometric.segment_max, x.detach(), offsets)
    powers = paddle.exp(x - paddle.gather(top, owners))
    total = _reduced(paddle.geometric.segment_sum, powers, offsets)
    return paddle.reshape(powers / paddle.gather(total, owners), paddle.shape(input))


def windows(input, offsets, weight, size, first):
    """Products of `size` rows behind one another, from `first` places on, with a weight; rows out
    of the sequence are zeros.
    """
    rows = _rows(input)
    owners = _owners(offsets, rows)
    low, high = paddle.gather(offsets, owners), paddle.gather(offsets[1:], owners)
    seen = []
    for k in range(size):
        at = rows + (first + k)
        inside = paddle.logical_and(at >= low, at < high)
        row = paddle.gather(input, paddle.where(inside, at, rows))
        seen.append(paddle.where(inside.unsqueeze(-1), row, paddle.zeros_like(row)))
    return paddle.matmul(paddle.concat(seen, 1), weight)


@_OLD
def sequence_conv(
    input,
    num_filters,
    filter_size=3,
    filter_stride=1,
    padding=True,
    padding_start=None,
    bias_attr=None,
    param_attr=None,
    act=None,
    name=None,
):
    """A convolution over the rows of each sequence, with a weight of its own; rows outside the
    sequence count as zeros.

    Args:
        input (Tensor): Rows [N, features] with sequences, floating.
        num_filters (int): Features of the result.
        filter_size (int, default 3): How many rows a filter sees.
        filter_stride (int, default 1): Only 1.
        padding (bool, default True): Taken for compatibility: each row has a result.
        padding_start (int, default None): The first row that a filter sees, counted from the row of
            the result; None for -(filter_size // 2).
        bias_attr (ParamAttr or bool, default None): Attributes of the bias; False for none.
        param_attr (ParamAttr, default None): Attributes of the weight, of shape
            [filter_size * features, num_filters].
        act (str, default None): The name of an activation.
        name (str, default None): Beginning of the names of the parameters.

    Returns:
        Tensor: of shape [N, num_filters], with the sequences of input.

    Raises:
        AssertionError: Outside static mode.
        ValueError: input has no sequences or is no matrix, or filter_size is below 1.

    Examples:
        >>> import numpy as np
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 1], "float32", lod_level=1)
        ...     sums = paddle.static.nn.sequence_conv(
        ...         x, 1, param_attr=paddle.nn.initializer.Constant(1.0))
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> rows = paddle.base.create_lod_tensor(np.ones([5, 1], "float32"), [[2, 3]])
        >>> exe.run(main, feed={"x": rows}, fetch_list=[sums], return_numpy=False)[0].shape()
        [5, 1]
    """
    only('sequence_conv', 'each row has a result', filter_stride=(filter_stride, 1))
    size = integer('sequence_conv', 'filter_size', filter_size)
    offsets = _lod.required('sequence_conv', 'input', input)[-1]
    if input.ndim != 2 or input.shape[1] < 0:
        raise ValueError(
            f"[sequence_conv] expected input of shape [N, features], got {list(input.shape)}"
        )
    if size < 1:
        raise ValueError(f"[sequence_conv] expected filter_size of at least 1, got {size}")
    scope = name or unique_name.generate('sequence_conv')
    weight = parameter(scope, [size * input.shape[1], num_filters], input.dtype, param_attr)
    first = (
        -(size // 2)
        if padding_start is None
        else integer('sequence_conv', 'padding_start', padding_start)
    )
    out = windows(input, offsets, weight, size, first)
    bias = parameter(scope, [num_filters], input.dtype, bias_attr, True)
    return activated(out if bias is None else out + bias, act)


@_OLD
def sequence_expand(x, y, ref_level=-1, name=None):
    """The sequences of x, each as many times as the sequence of y at its place has parts.

    Args:
        x (Tensor): Rows [N, ...] with one level of sequences; or without, where each row is one.
        y (Tensor): A value whose sequences tell how often; its numbers do not matter.
        ref_level (int, default -1): The level of y; -1 for the innermost.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [rows, ...]; with sequences if x has them.

    Raises:
        AssertionError: Outside static mode.
        ValueError: y has no sequences or no such level, or x has several levels.

    Examples:
        >>> import numpy as np
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 1], "float32")
        ...     y = paddle.static.data("y", [None, 1], "float32", lod_level=1)
        ...     out = paddle.static.nn.sequence_expand(x, y)
        >>> feed = {
        ...     "x": np.array([[1.0], [2.0]], "float32"),
        ...     "y": paddle.base.create_lod_tensor(np.ones([5, 1], "float32"), [[2, 3]])}
        >>> paddle.static.Executor().run(main, feed=feed, fetch_list=[out])[0].ravel().tolist()
        [1.0, 1.0, 2.0, 2.0, 2.0]
    """
    levels = _lod.required('sequence_expand', 'y', y)
    level = integer('sequence_expand', 'ref_level', ref_level)
    if not -1 <= level < len(levels):
        raise ValueError(
            f"[sequence_expand] expected ref_level from -1 to {len(levels) - 1}, got {level}"
        )
    times = levels[level][1:] - levels[level][:-1]
    program = _lod.program_of(y)
    mine = _lod.of(program, x)
    if not mine:
        return paddle.repeat_interleave(x, times, axis=0)
    if len(mine) > 1:
        raise ValueError(
            f"[sequence_expand] expected x with at most one level of sequences, got {len(mine)}"
        )
    starts = mine[0][:-1]
    copied = paddle.repeat_interleave(paddle.arange(paddle.shape(times)[0], dtype='int64'), times)
    lengths = paddle.gather(mine[0][1:] - starts, copied)
    offsets = paddle.concat([paddle.zeros([1], 'int64'), paddle.cumsum(lengths, 0)])
    before = paddle.repeat_interleave(paddle.gather(starts, copied) - offsets[:-1], lengths)
    out = paddle.gather(x, before + _rows(before))
    _lod.note(program, out, [offsets])
    return out


_lazy.serve(globals())
