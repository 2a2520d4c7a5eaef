# SPDX-License-Identifier: Apache-2.0
"""Shapes, lengths, casts, and what loops run over, where extents or bounds are tensors that are
being recorded.
"""

import builtins
import functools

import paddle
from paddle.base import libpaddle as _core
from paddle.jit.dy2static import calls
from paddle.jit.reads.gradients import symbolic


def shape(value):
    """`value.shape`; extents that are not known while recording are tensors."""
    found = value.shape
    if not symbolic(value) or -1 not in found:
        return found
    extents = paddle.shape(value)
    return [extents[k] if d < 0 else d for k, d in enumerate(found)]


def length(value):
    """`len(value)`."""
    if isinstance(value, Sequence):
        return value.length()
    if symbolic(value) and len(value.shape) and value.shape[0] < 0:
        return paddle.shape(value)[0]
    return len(value)


class Sequence:
    """What a recorded loop runs over: `length()` is a number or tensor, `item(k)` the item at `k`,
    a number or tensor.
    """

    def __iter__(self):
        raise TypeError(
            f"[to_static] expected a {type(self).__name__.lower()} of known length here, got one "
            f"whose length is a tensor "
            "that is being recorded. Loop over it with a for statement."
        )


class Range(Sequence):
    """`range` with bounds that are tensors."""

    def __init__(self, *bounds):
        if not 1 <= len(bounds) <= 3:
            raise TypeError(f"[range] expected 1 to 3 arguments, got {len(bounds)}")
        start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
        if not symbolic(step) and step == 0:
            raise ValueError("[range] expected a step other than 0, got 0")
        self._start, self._stop, self._step = map(_scalar, (start, stop, step))

    def length(self):
        """How many numbers; not below zero."""
        distance, step = self._stop - self._start, self._step
        if symbolic(step):
            forward = (distance + step - 1) // step
            count = paddle.where(step > 0, forward, (distance + step + 1) // step)
        else:
            count = (
                distance if step == 1 else (distance + (step - 1 if step > 0 else step + 1)) // step
            )
        return paddle.maximum(count, paddle.zeros_like(count)) if symbolic(count) else max(count, 0)

    def item(self, k):
        """The number at `k`."""
        k = k if _is_int(self._step) and self._step == 1 else k * self._step
        return k if _is_int(self._start) and self._start == 0 else k + self._start


def _is_int(value):
    return isinstance(value, int)


def _scalar(value):
    if symbolic(value):
        if any(d not in (1, -1) for d in value.shape):
            raise TypeError(
                f"[range] expected bounds of one element, got shape {list(value.shape)}"
            )
        value = value if 'int' in str(value.dtype) else value.astype('int64')
        return value.reshape([]) if len(value.shape) else value
    return value.__index__() if not isinstance(value, int) else value


class Rows(Sequence):
    """A tensor along its first axis."""

    def __init__(self, tensor):
        if not len(tensor.shape):
            raise TypeError(
                "[to_static] expected a tensor with an axis to iterate over, got shape []"
            )
        self._tensor = tensor

    def length(self):
        """The first extent."""
        return length(self._tensor)

    def item(self, k):
        """The row at `k`."""
        return self._tensor[k]


class Items(Sequence):
    """A list or tuple, among sequences of unknown length."""

    def __init__(self, values):
        self._values = list(values)

    def length(self):
        """The number of values."""
        return len(self._values)

    def item(self, k):
        """The value at `k`, one of a stack of them where `k` is a tensor."""
        return (
            paddle.stack([paddle.to_tensor(v) for v in self._values])[k]
            if symbolic(k)
            else self._values[k]
        )


class Enumerate(Sequence):
    """`enumerate`."""

    def __init__(self, inner, start=0):
        self._inner, self._start = inner, start

    def length(self):
        """The inner length."""
        return self._inner.length()

    def item(self, k):
        """(number, item)."""
        return k + self._start, self._inner.item(k)


class Zip(Sequence):
    """`zip`."""

    def __init__(self, inner):
        self._inner = inner

    def length(self):
        """The smallest length."""
        lengths = [s.length() for s in self._inner]
        tensors = [n for n in lengths if symbolic(n)]
        known = [n for n in lengths if not symbolic(n)]
        found = tensors[0]
        for n in (*tensors[1:], *([paddle.full([], min(known), found.dtype)] if known else [])):
            found = paddle.minimum(found, n)
        return found

    def item(self, k):
        """The items at `k`."""
        return tuple(s.item(k) for s in self._inner)


def is_sequence(value):
    """Whether a loop over the value has to be recorded."""
    return (
        isinstance(value, Sequence)
        or symbolic(value)
        and (not len(value.shape) or value.shape[0] < 0)
    )


def as_sequence(value):
    """The value as something a recorded loop runs over."""
    if isinstance(value, Sequence):
        return value
    return Rows(value) if symbolic(value) else Items(value)


def _range(*bounds):
    return Range(*bounds) if any(map(symbolic, bounds)) else builtins.range(*bounds)


def _enumerate(iterable, start=0):
    if is_sequence(iterable) or symbolic(start):
        return Enumerate(as_sequence(iterable), start)
    return builtins.enumerate(iterable, start)


def _zip(*iterables, **options):
    return (
        Zip([as_sequence(i) for i in iterables])
        if any(map(is_sequence, iterables))
        else builtins.zip(*iterables, **options)
    )


def _cast(kind, dtype):
    def cast(*args, **kwargs):
        return (
            args[0].astype(dtype)
            if len(args) == 1 and symbolic(args[0]) and not kwargs
            else kind(*args, **kwargs)
        )

    return cast


def _any(values):
    from paddle.jit.dy2static import truth

    values = list(values)
    return (
        truth.or_(False, *(lambda v=v: v for v in values))
        if any(map(symbolic, values))
        else any(values)
    )


def _all(values):
    from paddle.jit.dy2static import truth

    values = list(values)
    return (
        truth.and_(True, *(lambda v=v: v for v in values))
        if any(map(symbolic, values))
        else all(values)
    )


def _extreme(plain, pick):
    def extreme(*args, **kwargs):
        values = args if len(args) > 1 else tuple(args[0]) if not is_sequence(args[0]) else args
        if kwargs or len(args) == 1 and symbolic(args[0]) or not any(map(symbolic, values)):
            return plain(*(args if len(args) > 1 or symbolic(args[0]) else (values,)), **kwargs)
        found = values[0]
        for value in values[1:]:
            a, b = (found, value) if symbolic(found) else (value, found)
            b = b if _core._is_tensor(b) else paddle.full([], b, a.dtype)
            found = getattr(paddle, pick)(a, b)
        return found

    return extreme


def _print(*values, **options):
    from paddle.static.nn.control_flow import Print

    if not any(map(symbolic, values)):
        print(*values, **options)
        return
    text = []
    for value in values:
        if symbolic(value):
            Print(value, message=' '.join(text))
            text = []
        else:
            text.append(str(value))
    if text:
        print(*text, **options)


def _reshape(x, shape, *args, **kwargs):
    if (
        isinstance(shape, (list, tuple))
        and sum(map(symbolic, shape)) == 1
        and not any(not symbolic(d) and d == -1 for d in shape)
    ):
        shape = [-1 if symbolic(d) else d for d in shape]  # the extent follows from the others
    return paddle.reshape(x, shape, *args, **kwargs)


def _reshape_method(x, *shape, **kwargs):
    return (
        _reshape(x, *shape, **kwargs)
        if len(shape) == 1 or 'shape' in kwargs
        else _reshape(x, list(shape), **kwargs)
    )


def _map(function, *sequences):
    return map(calls.call(function), *sequences)


def _reduce(function, *rest):
    return functools.reduce(calls.call(function), *rest)


calls.BUILTINS.update({builtins.map: _map, functools.reduce: _reduce})
calls.BUILTINS.update(
    {paddle.reshape: _reshape, paddle.Tensor.reshape: _reshape_method, builtins.print: _print}
)
calls.BUILTINS.update(
    {
        builtins.range: _range,
        builtins.len: length,
        builtins.enumerate: _enumerate,
        builtins.zip: _zip,
        builtins.int: _cast(int, 'int32'),
        builtins.float: _cast(float, 'float32'),
        builtins.bool: _cast(bool, 'bool'),
        builtins.any: _any,
        builtins.all: _all,
        builtins.min: _extreme(min, 'minimum'),
        builtins.max: _extreme(max, 'maximum'),
    }
)
