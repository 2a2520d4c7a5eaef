# SPDX-License-Identifier: Apache-2.0
"""Random tensors. Streams are those of PaddlePaddle on the CPU: the same seed gives the same
values.
"""

import functools
import math

import paddle
from paddle import _C_ops, _lazy
from paddle.base import libpaddle as _core
from paddle.base.arguments import as_float, second_names
from paddle.base.known_keywords import named
from paddle.base.libpaddle import Tensor, expect_tensors
from paddle.framework.random import drawing_from

from .creation import _finish
from .manipulation import extents

__all__ = [
    'rand',
    'randn',
    'randint',
    'randint_like',
    'randperm',
    'rand_like',
    'randn_like',
    'normal',
    'uniform',
    'standard_normal',
    'log_normal',
    'bernoulli',
]

_DEFAULT = _core.get_default_dtype


def _shape(op, shape):
    """A shape as an operation's argument: a number is one extent. TypeError for None, and for what
    is true or false.
    """
    if isinstance(shape, Tensor):
        return shape
    if (
        shape is None
        or isinstance(shape, bool)
        or (isinstance(shape, (list, tuple)) and any(d is True or d is False for d in shape))
    ):
        raise TypeError(f'[{op}] expected a shape of integers, got {shape!r}')
    if getattr(shape, 'ndim', 0) == 1:
        return shape.tolist()  # an array
    return [shape] if hasattr(shape, '__index__') else shape


def _spelled(function):
    """Let `f(2, 3)` mean `f([2, 3])`; `f(size=...)` means `f(shape)`."""
    function = named(function)

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if len(args) > 1 and isinstance(args[0], int) and isinstance(args[1], int):
            count = 0
            while count < len(args) and isinstance(args[count], int):
                count += 1
            args = (list(args[:count]), *args[count:])
        if 'size' in kwargs and 'shape' not in kwargs:
            kwargs['shape'] = kwargs.pop('size')
        return function(*args, **kwargs)

    return wrapper


def uniform(
    shape,
    dtype=None,
    min=0,
    max=1.0,
    seed=0,
    name=None,
    *,
    out=None,
    device=None,
    requires_grad=False,
):
    """Values uniform in [min, max).

    Args:
        shape (list of ints or Tensor): The extents.
        dtype (str or dtype, default None): The dtype; None for the default dtype.
        min (float, default 0): The least value.
        max (float, default 1.0): The bound, itself not drawn.
        seed (int, default 0): Another seed for this call; 0 for the generator of `paddle.seed`.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.
        device (str or place, default None): Where the result lies; None for the current device.
        requires_grad (bool, default False): Whether gradients flow to the result.

    Returns:
        Tensor: The draws.

    Examples:
        >>> x = paddle.uniform([1000], min=1.0, max=2.0)
        >>> bool(((x >= 1) & (x < 2)).all())
        True
    """
    return _finish(
        _C_ops.uniform(_shape('uniform', shape), dtype or _DEFAULT(), min, max, seed),
        out,
        device,
        requires_grad,
    )


@_spelled
def rand(
    shape, dtype=None, name=None, *, out=None, device=None, requires_grad=False, pin_memory=False
):
    """Values uniform in [0, 1).

    Args:
        shape (list of ints or Tensor): The extents.
        dtype (str or dtype, default None): The dtype; None for the default dtype.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.
        device (str or place, default None): Where the result lies; None for the current device.
        requires_grad (bool, default False): Whether gradients flow to the result.
        pin_memory (bool, default False): Whether the memory is page-locked: only with a GPU.

    Returns:
        Tensor: The draws.

    Examples:
        >>> x = paddle.rand([2, 3])
        >>> x.shape
        paddle.Size([2, 3])
        >>> bool(((x >= 0) & (x < 1)).all())
        True
    """
    return _finish(
        _C_ops.uniform(_shape('rand', shape), dtype or _DEFAULT(), 0.0, 1.0, 0),
        out,
        device,
        requires_grad,
        pin_memory,
    )


def gaussian(shape, mean=0.0, std=1.0, seed=0, dtype=None, name=None):
    """Normal values with a mean and a standard deviation."""
    return _C_ops.gaussian(
        _shape('gaussian', shape),
        as_float('gaussian', 'mean', mean),
        as_float('gaussian', 'std', std),
        seed,
        dtype or _DEFAULT(),
    )


@_spelled
def randn(
    shape, dtype=None, name=None, *, out=None, device=None, requires_grad=False, pin_memory=False
):
    """Standard normal values.

    Args:
        shape (list of ints or Tensor): The extents.
        dtype (str or dtype, default None): The dtype; None for the default dtype.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.
        device (str or place, default None): Where the result lies; None for the current device.
        requires_grad (bool, default False): Whether gradients flow to the result.
        pin_memory (bool, default False): Whether the memory is page-locked: only with a GPU.

    Returns:
        Tensor: The draws.

    Examples:
        >>> x = paddle.randn([1000])
        >>> x.shape, bool(abs(x.mean()) < 0.2)
        (paddle.Size([1000]), True)
    """
    return _finish(gaussian(shape, dtype=dtype), out, device, requires_grad, pin_memory)


def standard_normal(shape, dtype=None, name=None, *, out=None, device=None, requires_grad=False):
    """Standard normal values.

    Args:
        shape (list of ints or Tensor): The extents.
        dtype (str or dtype, default None): The dtype; None for the default dtype.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.
        device (str or place, default None): Where the result lies; None for the current device.
        requires_grad (bool, default False): Whether gradients flow to the result.

    Returns:
        Tensor: The draws.

    Examples:
        >>> paddle.standard_normal([2, 3]).shape
        paddle.Size([2, 3])
    """
    return _finish(gaussian(shape, dtype=dtype), out, device, requires_grad)


@second_names(size='shape')
def normal(mean=0.0, std=1.0, shape=None, name=None, *, out=None):
    """Draws from normal distributions.

    Args:
        mean (float or Tensor, default 0.0): The means.
        std (float or Tensor, default 1.0): The standard deviations.
        shape (list of ints or Tensor, default None): The extents, where mean and std are
            numbers; None for [1]. Also `size`.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The draws.

    Examples:
        >>> paddle.normal(0.0, 1.0, [2, 3]).shape
        paddle.Size([2, 3])
        >>> paddle.normal(paddle.to_tensor([1.0, 2.0]), 0.0).tolist()
        [1.0, 2.0]
    """
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        like = mean if isinstance(mean, Tensor) else std
        if isinstance(mean, Tensor) and isinstance(std, Tensor):
            size = paddle.broadcast_shape(mean.shape, std.shape)
            if -1 in size:  # known when the program runs
                size = extents(mean + std)
        else:
            size = extents(like)
        return _finish(gaussian(size, dtype=like.dtype) * std + mean, out)
    return _finish(gaussian([1] if shape is None else shape, mean, std), out)


def log_normal(mean=1.0, std=2.0, shape=None, name=None):
    """Draws whose logarithms are normal.

    Args:
        mean (float or Tensor, default 1.0): The means of the logarithms.
        std (float or Tensor, default 2.0): Their standard deviations.
        shape (list of ints or Tensor, default None): The extents, where mean and std are numbers;
            None for [1].
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The draws.

    Examples:
        >>> bool((paddle.log_normal(0.0, 1.0, [5]) > 0).all())
        True
    """
    return paddle.exp(normal(mean, std, shape))


def _bounds(low, high, name):
    if high is None:
        if low <= 0:
            raise ValueError(f"[{name}] expected a positive low for high=None, got {low}")
        low, high = 0, low
    if isinstance(high, (list, tuple)):
        raise TypeError(f"[{name}] expected high to be an integer, got {high}; shape comes third")
    if low >= high:
        raise ValueError(f'[{name}] expected low < high, got low = {low}, high = {high}')
    return int(low), int(high)


def randint(
    low=0,
    high=None,
    shape=[1],
    dtype=None,
    name=None,
    *,
    out=None,
    device=None,
    requires_grad=False,
):
    """Integers uniform in [low, high), or [0, low) without `high`.

    Args:
        low (int, default 0): The least integer; the bound where no high is given, from 0 on.
        high (int, default None): The bound, itself not drawn.
        shape (list of ints or Tensor, default [1]): The extents.
        dtype (str or dtype, default None): The dtype; None for int64.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.
        device (str or place, default None): Where the result lies; None for the current device.
        requires_grad (bool, default False): Whether gradients flow to the result.

    Returns:
        Tensor: The draws.

    Examples:
        >>> x = paddle.randint(0, 10, [5])
        >>> x.shape, bool(((x >= 0) & (x < 10)).all())
        (paddle.Size([5]), True)
    """
    low, high = _bounds(low, high, 'randint')
    return _finish(
        _C_ops.randint(low, high, _shape('randint', shape), dtype or 'int64'),
        out,
        device,
        requires_grad,
    )


def randint_like(x, low=0, high=None, dtype=None, name=None):
    """Integers uniform in [low, high) with the shape, and unless given the dtype, of `x`.

    Args:
        x (Tensor): Whose shape is taken.
        low (int, default 0): The least integer; the bound where no high is given, from 0 on.
        high (int, default None): The bound, itself not drawn.
        dtype (str or dtype, default None): The dtype; None for that of x.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The draws.

    Examples:
        >>> paddle.randint_like(paddle.ones([2]), 3, 4).tolist()
        [3.0, 3.0]
    """
    expect_tensors('randint_like', x=x)
    low, high = _bounds(low, high, 'randint_like')
    return _C_ops.randint(low, high, extents(x), 'int64').astype(
        x.dtype if dtype is None else dtype
    )


def randperm(
    n, dtype='int64', name=None, *, out=None, device=None, requires_grad=False, pin_memory=False
):
    """A random permutation of 0 ... n-1.

    Args:
        n (int): How many integers.
        dtype (str or dtype, default 'int64'): The dtype of the result.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.
        device (str or place, default None): Where the result lies; None for the current device.
        requires_grad (bool, default False): Whether gradients flow to the result.
        pin_memory (bool, default False): Whether the memory is page-locked: only with a GPU.

    Returns:
        Tensor: [n]: each of 0 to n - 1 once.

    Examples:
        >>> paddle.randperm(4).sort().tolist()
        [0, 1, 2, 3]
    """
    if n < 0:
        raise RuntimeError(f'[randperm] expected a non-negative n, got {n}')
    if n == 0:
        return _finish(_C_ops.full([0], 0, dtype), out, device, requires_grad, pin_memory)
    return _finish(_C_ops.randperm(n, dtype), out, device, requires_grad, pin_memory)


def rand_like(input, name=None, *, dtype=None, device=None, requires_grad=False):
    """Values uniform in [0, 1) with the shape of `input`.

    Args:
        input (Tensor): Whose shape is taken.
        name (str, default None): Taken for compatibility; it has no effect.
        dtype (str or dtype, default None): The dtype; None for that of input.
        device (str or place, default None): Where the result lies; None for the current device.
        requires_grad (bool, default False): Whether gradients flow to the result.

    Returns:
        Tensor: The draws.

    Examples:
        >>> paddle.rand_like(paddle.ones([2, 3])).shape
        paddle.Size([2, 3])
    """
    expect_tensors('rand_like', input=input)
    return rand(
        extents(input),
        input.dtype if dtype is None else dtype,
        device=device,
        requires_grad=requires_grad,
    )


@second_names(input='x')
def randn_like(x, dtype=None, name=None, *, device=None, requires_grad=False):
    """Standard normal values with the shape of `x`.

    Args:
        x (Tensor): Whose shape is taken. Also `input`.
        dtype (str or dtype, default None): The dtype; None for that of x.
        name (str, default None): Taken for compatibility; it has no effect.
        device (str or place, default None): Where the result lies; None for the current device.
        requires_grad (bool, default False): Whether gradients flow to the result.

    Returns:
        Tensor: The draws.

    Examples:
        >>> paddle.randn_like(paddle.ones([2, 3])).shape
        paddle.Size([2, 3])
    """
    expect_tensors('randn_like', x=x)
    return randn(
        extents(x), x.dtype if dtype is None else dtype, device=device, requires_grad=requires_grad
    )


def bernoulli(x, p=None, name=None):
    """1 with the probability `x` holds (or `p` everywhere), else 0.

    Args:
        x (Tensor): Probabilities in [0, 1].
        p (float, default None): The probability of all; None for those of x.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: Zeros and ones, with the shape and dtype of x.

    Examples:
        >>> paddle.bernoulli(paddle.to_tensor([0.0, 1.0])).tolist()
        [0.0, 1.0]
    """
    return _C_ops.bernoulli(x if p is None else paddle.full_like(x, float(p)))


# --- in place, as methods


def uniform_(x, min=0, max=1.0, seed=0, name=None):
    """Fill with values uniform in [min, max).

    Args:
        x (Tensor): What is filled.
        min (float, default 0): The least value.
        max (float, default 1.0): The bound, itself not drawn.
        seed (int, default 0): Another seed for this call; 0 for the generator of `paddle.seed`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x itself, with the draws.

    Examples:
        >>> x = paddle.zeros([100]).uniform_(1.0, 2.0)
        >>> bool(((x >= 1) & (x < 2)).all())
        True
    """
    if all(isinstance(end, (int, float)) for end in (min, max)) and not min < max:
        raise ValueError(f'[uniform_] expected min below max, got {min} and {max}')
    return _fill(x, 'uniform_', lambda: _C_ops.uniform(extents(x), x.dtype, min, max, seed))


def normal_(x, mean=0.0, std=1.0, name=None):
    """Fill with normal values.

    Args:
        x (Tensor): What is filled.
        mean (float, default 0.0): The mean.
        std (float, default 1.0): The standard deviation.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x itself, with the draws.

    Examples:
        >>> x = paddle.zeros([1000]).normal_(5.0, 0.1)
        >>> bool(abs(x.mean() - 5) < 0.1)
        True
    """
    return _fill(x, 'normal_', lambda: _normal_like(x, mean, std), complex_too=True)


def bernoulli_(x, p=0.5, name=None):
    """Fill with 1 with probability `p`, else 0.

    Args:
        x (Tensor): What is filled.
        p (float or Tensor, default 0.5): The probability of 1.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x itself, with the draws.

    Examples:
        >>> paddle.zeros([2]).bernoulli_(1.0).tolist()
        [1.0, 1.0]
    """
    return _fill(
        x,
        'bernoulli_',
        lambda: bernoulli(p if isinstance(p, Tensor) else paddle.full(extents(x), p)),
    )


def log_normal_(x, mean=1.0, std=2.0, name=None):
    """Fill with exp of normal values.

    Args:
        x (Tensor): What is filled.
        mean (float, default 1.0): The mean of the logarithms.
        std (float, default 2.0): Their standard deviation.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x itself, with the draws.

    Examples:
        >>> bool((paddle.zeros([5]).log_normal_() > 0).all())
        True
    """
    return _fill(x, 'log_normal_', lambda: paddle.exp(_normal_like(x, mean, std)), complex_too=True)


def cauchy_(x, loc=0, scale=1, name=None):
    """Fill with Cauchy values.

    Args:
        x (Tensor): What is filled.
        loc (number, default 0): The median.
        scale (number, default 1): Half the distance of the quartiles.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x itself, with the draws.

    Examples:
        >>> paddle.zeros([2, 3]).cauchy_().shape
        paddle.Size([2, 3])
    """

    def draw():  # a normal value modulo 1 is uniform to within 6e-9
        return paddle.tan((_normal_like(x, 0.0, 1.0) - 0.5) * math.pi) * scale + loc

    return _fill(x, 'cauchy_', draw)


def geometric_(x, probs, name=None):
    """Fill with geometric values (as a real number: log(u) / log(1 - p)).

    Args:
        x (Tensor): What is filled.
        probs (number or Tensor): The probability of success.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x itself, with the draws.

    Examples:
        >>> bool((paddle.zeros([5]).geometric_(0.5) > 0).all())
        True
    """

    def draw():
        dtype = _draw_dtype(x)
        u = _C_ops.uniform(extents(x), dtype, float(paddle.finfo(dtype).tiny), 1.0, 0)
        return paddle.log(u) / paddle.log1p(
            -(probs if isinstance(probs, Tensor) else paddle.to_tensor(float(probs), dtype))
        )

    return _fill(x, 'geometric_', draw)


def random_(x, from_=0, to=None, *, generator=None, name=None):
    """Fill with random integers.

    They are uniform in [from_, to), or in [0, from_) without `to`; without bounds those from 0 on
    that the dtype holds exactly, of integers without the largest.

    Args:
        x (Tensor): The values, which take the result.
        from_ (int, default 0): The least; the bound where `to` is None.
        to (int, default None): What they stay below.
        generator (Generator, default None): What is drawn from; None for the default one.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x itself.

    Examples:
        >>> x = paddle.empty([100]).random_(3, 6)
        >>> sorted(set(x.tolist()))
        [3.0, 4.0, 5.0]
    """
    if to is None and from_:
        from_, to = 0, from_
    if to is None:
        name = str(x.dtype)[7:]
        limits = {
            'float32': 1 << 24,
            'float64': 1 << 53,
            'float16': 1 << 11,
            'bfloat16': 1 << 8,
            'bool': 2,
        }
        to = limits[name] if name in limits else paddle.iinfo(name).max
    with drawing_from(generator, 'random_'):
        return _C_ops.random_(x, from_, to)


def _draw_dtype(x):
    """The dtype in which values for `x` are drawn: its own, or float32 for narrower ones."""
    return paddle.float32 if x.dtype in (paddle.float16, paddle.bfloat16) else x.dtype


def _normal_like(x, mean, std):
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        return normal(mean, std, extents(x))
    return gaussian(extents(x), mean, std, dtype=_draw_dtype(x))


def _fill(x, name, draw, complex_too=False):
    """`x` with the values that `draw` gives, which have no history."""
    expect_tensors(name, x=x)
    if not (x.is_floating_point() or (complex_too and x.is_complex())):
        raise RuntimeError(
            f'[{name}] expected a floating dtype, got {x.dtype}: the kernel is not registered for '
            f'it'
        )
    old = x._before_write(name, False)
    with paddle.no_grad():
        value = draw().astype(x.dtype)
    return x._write_over(old, value, name, False)


def exponential_(x, lam=1.0, name=None):
    """Fill with values of an exponential distribution."""
    return x.exponential_(lam)


def uniform_random_batch_size_like(
    input, shape, dtype='float32', input_dim_idx=0, output_dim_idx=0, min=-1.0, max=1.0, seed=0
):
    """Values uniform in [min, max) of a shape whose extent `output_dim_idx` is the extent
    `input_dim_idx` of `input`.
    """
    shape = list(shape)
    shape[output_dim_idx] = extents(input)[input_dim_idx]
    return uniform(shape, dtype, min, max, seed)


_lazy.serve(globals())
