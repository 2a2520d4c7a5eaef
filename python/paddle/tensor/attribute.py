# SPDX-License-Identifier: Apache-2.0
"""Questions about tensors and modes: shape, rank, kinds of dtypes, eager or static."""

import paddle
from paddle import _C_ops, _lazy
from paddle.base import libpaddle as _core
from paddle.base.arguments import integer, items, second_names
from paddle.base.libpaddle import expect_tensors

__all__ = [
    'shape',
    'rank',
    'is_tensor',
    'is_complex',
    'is_floating_point',
    'is_integer',
    'is_empty',
    'numel',
    'tolist',
    'broadcast_shape',
    'broadcast_shapes',
    'in_dynamic_mode',
]

_INTEGERS = frozenset(('uint8', 'int8', 'int16', 'int32', 'int64'))
_FLOATS = frozenset(('float16', 'bfloat16', 'float32', 'float64', 'float8_e4m3fn', 'float8_e5m2'))


def _name(dtype):
    return str(dtype)[7:]


def shape(input):
    """The shape of a tensor as a 1-D int64 tensor.

    Args:
        input (Tensor): The values.

    Returns:
        Tensor: The extents, 1-D.

    Examples:
        >>> paddle.shape(paddle.ones([2, 3])).tolist()
        [2, 3]
    """
    expect_tensors('shape', input=input)
    if isinstance(input, _core.pir.Value):
        return _C_ops.shape64(input)
    return paddle.to_tensor(list(input.shape), dtype='int64')


def rank(input):
    """The number of dimensions as a 0-d int32 tensor.

    Args:
        input (Tensor): The values.

    Returns:
        Tensor: The number, 0-D int32.

    Examples:
        >>> paddle.rank(paddle.ones([2, 3])).item()
        2
    """
    expect_tensors('rank', input=input)
    return paddle.to_tensor(input.ndim, dtype='int32')


def numel(x, name=None):
    """The number of elements as a 0-d int64 tensor.

    Args:
        x (Tensor): The values.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The number, 0-D int64.

    Examples:
        >>> paddle.numel(paddle.ones([2, 3])).item()
        6
    """
    if not isinstance(x, _core.Tensor):
        raise TypeError(f"[numel] expected x to be a tensor, got {type(x).__name__}")
    return x.numel()


@second_names(obj='x')
def is_tensor(x):
    """Whether `x` is a Tensor.

    Args:
        x (object): Anything. Also `obj`.

    Returns:
        bool: the answer.

    Examples:
        >>> paddle.is_tensor(paddle.to_tensor([1])), paddle.is_tensor([1])
        (True, False)
    """
    return isinstance(x, _core.Tensor)


def _checked(x, name):
    if not isinstance(x, _core.Tensor):
        raise TypeError(f'[{name}] expected a Tensor, got {type(x).__name__}')
    return _name(x.dtype)


@second_names(input='x')
def is_complex(x):
    """Whether the dtype is complex.

    Args:
        x (Tensor): The values. Also `input`.

    Returns:
        bool: the answer.

    Examples:
        >>> paddle.is_complex(paddle.to_tensor([1j]))
        True
    """
    return _checked(x, 'is_complex').startswith('complex')


@second_names(input='x')
def is_floating_point(x):
    """Whether the dtype is floating.

    Args:
        x (Tensor): The values. Also `input`.

    Returns:
        bool: the answer.

    Examples:
        >>> paddle.is_floating_point(paddle.to_tensor([1.0]))
        True
    """
    return _checked(x, 'is_floating_point') in _FLOATS


def is_integer(x):
    """Whether the dtype is an integer one.

    Args:
        x (Tensor): The values.

    Returns:
        bool: the answer.

    Examples:
        >>> paddle.is_integer(paddle.to_tensor([1]))
        True
    """
    return _checked(x, 'is_integer') in _INTEGERS


def is_empty(x, name=None):
    """Whether there are no elements, as a 0-d bool tensor.

    Args:
        x (Tensor): The values.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The answer, 0-D bool.

    Examples:
        >>> paddle.is_empty(paddle.ones([0, 3])).item()
        True
    """
    expect_tensors('is_empty', x=x)
    if isinstance(x, _core.pir.Value):
        return _C_ops.is_empty(x)
    return paddle.to_tensor(x._numel() == 0)


def tolist(x):
    """Nested lists of Python numbers.

    Args:
        x (Tensor): The values.

    Returns:
        list or number: a number of a 0-D tensor.

    Examples:
        >>> paddle.tolist(paddle.to_tensor([[1, 2], [3, 4]]))
        [[1, 2], [3, 4]]
    """
    expect_tensors('tolist', x=x)
    return x.tolist()


def _broadcast(a, b):
    a, b = items('broadcast_shape', 'x_shape', a), items('broadcast_shape', 'y_shape', b)
    a = [integer('broadcast_shape', 'extents', extent) for extent in a]
    b = [integer('broadcast_shape', 'extents', extent) for extent in b]
    n = max(len(a), len(b))
    a, b = [1] * (n - len(a)) + a, [1] * (n - len(b)) + b
    out = []
    for x, y in zip(a, b):
        if x != y and x != 1 and y != 1 and x >= 0 and y >= 0:
            raise ValueError(f'[broadcast_shape] expected shapes that broadcast, got {a} and {b}')
        out.append(y if x == 1 else x)
    return out


def broadcast_shape(x_shape, y_shape):
    """The shape two shapes broadcast to, as a list.

    Args:
        x_shape (list of ints): A shape.
        y_shape (list of ints): Another shape.

    Returns:
        list of ints: the common shape.

    Raises:
        ValueError: The shapes do not broadcast.

    Examples:
        >>> paddle.broadcast_shape([2, 1], [3])
        [2, 3]
    """
    return _broadcast(x_shape, y_shape)


def broadcast_shapes(*shapes):
    """The shape all `shapes` broadcast to, as a list.

    Args:
        *shapes (list of ints): Shapes.

    Returns:
        list of ints: the common shape.

    Examples:
        >>> paddle.broadcast_shapes([2, 1], [3], [1, 1, 1])
        [1, 2, 3]
    """
    out = []
    for item in shapes:
        out = _broadcast(out, [item] if isinstance(item, int) else item)
    return out


def in_dynamic_mode():
    """True unless `paddle.enable_static()` is in effect.

    Returns:
        bool: whether operations run at once.

    Examples:
        >>> paddle.in_dynamic_mode()
        True
    """
    static = __import__('sys').modules.get('paddle.static')
    return static is None or not getattr(static, '_static_mode', lambda: False)()


def in_pir_mode():
    """The opposite of `in_dynamic_mode`."""
    return not in_dynamic_mode()


def in_dynamic_or_pir_mode():
    """Always true: the programs of the old IR are only read, not built."""
    return True


in_dygraph_mode = in_dynamic_mode

_lazy.serve(globals())
