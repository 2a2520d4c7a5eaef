# SPDX-License-Identifier: Apache-2.0
"""Functions composed of others: products, distances, special values, aliases. Gradients flow
through the parts.
"""

import math as _math
import operator

import paddle
from paddle import _C_ops, _lazy
from paddle.base.arguments import second_names, write_out
from paddle.base.framework import is_recorded
from paddle.base.libpaddle import Tensor, expect_tensors

from .manipulation import extents

_ALIAS = """`paddle.{target}` under another name.

    Args:
        x (Tensor or number): The values. Also `input`.
        y (Tensor or number): The other values; shapes broadcast. Also `other`.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: what `paddle.{target}` returns.

    Examples:
        >>> paddle.{name}(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2])).tolist()
        {answer}
"""


def _alias(target, name, answer):
    @second_names(input='x', other='y')
    def function(x, y, name=None, *, out=None):
        return write_out(getattr(paddle, target)(x, y), out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = _ALIAS.format(target=target, name=name, answer=answer)
    return function


def true_divide(input, other, *, out=None):
    """input / other.

    Args:
        input (Tensor): What is divided.
        other (Tensor or number): What it is divided by; shapes broadcast.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The quotients, with the broadcast shape.

    Examples:
        >>> paddle.true_divide(paddle.to_tensor([1.0, 4.0]), paddle.to_tensor([2.0, 8.0])).tolist()
        [0.5, 0.5]
    """
    return write_out(paddle.divide(input, other), out)


mul = _alias('multiply', 'mul', [2, 4])
eq, ne = _alias('equal', 'eq', [False, True]), _alias('not_equal', 'ne', [True, False])
gt = _alias('greater_than', 'gt', [False, False])
ge = _alias('greater_equal', 'ge', [False, True])
lt, le = _alias('less_than', 'lt', [True, False]), _alias('less_equal', 'le', [True, True])
greater = _alias('greater_than', 'greater', [False, False])
less = _alias('less_than', 'less', [True, False])


def positive(x, name=None):
    """`x` itself.

    Args:
        x (Tensor): The values.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x.

    Examples:
        >>> paddle.positive(paddle.to_tensor([1.0, -2.0])).tolist()
        [1.0, -2.0]
    """
    expect_tensors('positive', x=x)
    if str(x.dtype) == 'paddle.bool':
        raise TypeError("[positive] expected x of a number's dtype, got bool")
    return x


def neg(x, name=None, *, out=None):
    """-x.

    Args:
        x (Tensor): The values.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The results, with the shape of x.

    Examples:
        >>> paddle.neg(paddle.to_tensor([1.0, -2.0])).tolist()
        [-1.0, 2.0]
        >>> paddle.negative is paddle.neg
        True
    """
    expect_tensors('neg', x=x)
    return write_out(-x, out)


negative = neg


def rad2deg(x, name=None):
    """Radians to degrees.

    Args:
        x (Tensor): The values.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The results, with the shape of x.

    Examples:
        >>> paddle.rad2deg(paddle.to_tensor([0.0, 3.1415927])).tolist()
        [0.0, 180.0]
    """
    return _floating(x) * (180.0 / _math.pi)


def deg2rad(x, name=None):
    """Degrees to radians.

    Args:
        x (Tensor): The values.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The results, with the shape of x.

    Examples:
        >>> paddle.deg2rad(paddle.to_tensor([0.0, 180.0])).tolist()
        [0.0, 3.1416]
    """
    return _floating(x) * (_math.pi / 180.0)


def _floating(x):
    return x if paddle.is_floating_point(x) or paddle.is_complex(x) else x.astype('float32')


def hypot(x, y, name=None):
    """The hypotenuse of legs x and y.

    Args:
        x (Tensor): Legs.
        y (Tensor): The other legs; shapes broadcast.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The results, with the broadcast shape.

    Examples:
        >>> paddle.hypot(paddle.to_tensor([3.0, 5.0]), paddle.to_tensor([4.0, 12.0])).tolist()
        [5.0, 13.0]
    """
    expect_tensors('hypot', x=x, y=y)
    return paddle.sqrt(x * x + y * y)


@second_names(input='x')
def frac(x, name=None, *, out=None):
    """The fraction: x - trunc(x).

    Args:
        x (Tensor): The values. Also `input`.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The results, with the shape of x.

    Examples:
        >>> paddle.frac(paddle.to_tensor([1.75, -1.75])).tolist()
        [0.75, -0.75]
    """
    return write_out(x - paddle.trunc(x), out)


def logaddexp(x, y, name=None):
    """log(exp(x) + exp(y)), without overflow.

    Args:
        x (Tensor): The values.
        y (Tensor): The other values; shapes broadcast.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The results, with the broadcast shape.

    Examples:
        >>> x = paddle.to_tensor([0.0, 1000.0])
        >>> paddle.logaddexp(x, paddle.to_tensor([0.0, 1000.0])).tolist()
        [0.6931, 1000.6932]
    """
    x, y = _floating(x), _floating(y)
    first = x >= y
    high, low = paddle.where(first, x, y), paddle.where(first, y, x)
    gap = low - high
    gap = paddle.where(paddle.isinf(high) & (x == y), paddle.zeros_like(gap), gap)
    return high + paddle.log1p(paddle.exp(gap))


def sinc(x, name=None):
    """sin(pi x) / (pi x), 1 at 0.

    Args:
        x (Tensor): The values.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The results, with the shape of x.

    Examples:
        >>> paddle.sinc(paddle.to_tensor([0.0, 0.5, 1.0])).tolist()
        [1.0, 0.6366, -0.0]
    """
    zero = x == 0
    safe = paddle.where(zero, paddle.ones_like(x), x) * _math.pi
    # The first terms of the series have the derivatives at 0.
    square = (paddle.where(zero, x, paddle.zeros_like(x)) * _math.pi) ** 2
    return paddle.where(zero, 1 - square * (1 / 6 - square / 120), paddle.sin(safe) / safe)


def sgn(x, name=None):
    """The sign; x / |x| for complex numbers.

    Args:
        x (Tensor): The values.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The results, with the shape of x.

    Examples:
        >>> paddle.sgn(paddle.to_tensor([-2.0, 0.0, 3.0])).tolist()
        [-1.0, 0.0, 1.0]
    """
    if not paddle.is_complex(x):
        return paddle.sign(x)
    size = paddle.abs(x)
    zero = size == 0
    scale = 1.0 / paddle.where(zero, paddle.ones_like(size), size)
    return paddle.complex(paddle.real(x) * scale, paddle.imag(x) * scale)


def signbit(x, name=None):
    """Whether the sign bit is set.

    Args:
        x (Tensor): The values.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: bool, with the shape of x.

    Examples:
        >>> paddle.signbit(paddle.to_tensor([-1.0, 0.0, 2.0])).tolist()
        [True, False, False]
    """
    if not paddle.is_floating_point(x):
        return (
            x < 0
            if str(x.dtype) not in ('paddle.bool', 'paddle.uint8')
            else paddle.zeros_like(x, 'bool')
        )
    return paddle.copysign(paddle.ones_like(x), x.detach()) < 0


def isreal(x, name=None):
    """Whether the imaginary part is zero.

    Args:
        x (Tensor): The values.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: bool, with the shape of x.

    Examples:
        >>> paddle.isreal(paddle.to_tensor([1 + 0j, 1 + 2j])).tolist()
        [True, False]
    """
    return paddle.imag(x) == 0 if paddle.is_complex(x) else paddle.ones_like(x, 'bool')


def isposinf(x, name=None):
    """Whether x is +inf.

    Args:
        x (Tensor): The values.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: bool, with the shape of x.

    Examples:
        >>> paddle.isposinf(paddle.to_tensor([1.0, float('inf'), -float('inf')])).tolist()
        [False, True, False]
    """
    return paddle.logical_and(paddle.isinf(x), x > 0)


def isneginf(x, name=None):
    """Whether x is -inf.

    Args:
        x (Tensor): The values.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: bool, with the shape of x.

    Examples:
        >>> paddle.isneginf(paddle.to_tensor([1.0, float('inf'), -float('inf')])).tolist()
        [False, False, True]
    """
    return paddle.logical_and(paddle.isinf(x), x < 0)


def nan_to_num(x, nan=0.0, posinf=None, neginf=None, name=None):
    """NaN and infinities replaced by numbers; infinities by the dtype's limits unless given.

    Args:
        x (Tensor): The values.
        nan (float, default 0.0): What NaN becomes.
        posinf (float, default None): What infinity becomes; None for the dtype's largest number.
        neginf (float, default None): What minus infinity becomes; None for the dtype's least
            number.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The numbers, with the shape and dtype of x.

    Examples:
        >>> x = paddle.to_tensor([float('nan'), float('inf'), 1.0])
        >>> paddle.nan_to_num(x, nan=0.0, posinf=9.0).tolist()
        [0.0, 9.0, 1.0]
    """
    if paddle.is_complex(x):
        parts = (nan_to_num(part, nan, posinf, neginf) for part in (paddle.real(x), paddle.imag(x)))
        return paddle.complex(*parts)
    limits = paddle.finfo(x.dtype) if paddle.is_floating_point(x) else None
    if limits is None:
        return x
    high = limits.max if posinf is None else posinf
    low = limits.min if neginf is None else neginf
    out = paddle.where(paddle.isnan(x), paddle.full_like(x, nan), x)
    out = paddle.where(isposinf(x), paddle.full_like(x, high), out)
    return paddle.where(isneginf(x), paddle.full_like(x, low), out)


def frexp(x, name=None):
    """Mantissa in [0.5, 1) and exponent, both of x's dtype.

    Args:
        x (Tensor): The values.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: mantissas and exponents, x = mantissa * 2**exponent.

    Examples:
        >>> mantissa, exponent = paddle.frexp(paddle.to_tensor([8.0, 0.75]))
        >>> mantissa.tolist(), exponent.tolist()
        ([0.5, 0.75], [4.0, 0.0])
    """
    expect_tensors('frexp', x=x)
    if not x.is_floating_point():
        raise TypeError(f'[frexp] expected a floating dtype, got {x.dtype}')
    zero = x == 0
    plain = paddle.isfinite(x) & ~zero
    safe = paddle.where(plain, paddle.abs(x), paddle.ones_like(x)).detach()
    exponent = paddle.floor(paddle.log2(safe)) + 1
    two = paddle.full_like(x, 2.0)
    # In two steps, since the power of the largest numbers is infinite.
    mantissa = safe / two ** (exponent - 1) / 2
    low, high = mantissa < 0.5, mantissa >= 1
    exponent = exponent - low.astype(x.dtype) + high.astype(x.dtype)
    mantissa = x / two ** (exponent - 1) / 2
    exponent = paddle.where(zero, paddle.zeros_like(x), exponent)
    return mantissa, paddle.where(paddle.isnan(x), x.detach(), exponent)


def ldexp(x, y, name=None):
    """x * 2**y.

    Args:
        x (Tensor): The values.
        y (Tensor): The exponents, integers; shapes broadcast.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The results, with the broadcast shape.

    Examples:
        >>> paddle.ldexp(paddle.to_tensor([1.0, 3.0]), paddle.to_tensor([3, 1])).tolist()
        [8.0, 6.0]
    """
    expect_tensors('ldexp', x=x, y=y)
    wide = paddle.float64 in (x.dtype, y.dtype)
    x, y = (
        t if paddle.is_complex(t) else t.astype('float64' if wide else 'float32') for t in (x, y)
    )
    return x * paddle.full([], 2.0, y.dtype) ** y


@second_names(input='x', other='y')
def gcd(x, y, name=None):
    """The greatest common divisor of integers; NaN where a float is not finite.

    Args:
        x (Tensor): The values. Also `input`.
        y (Tensor): The other values; shapes broadcast. Also `other`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The results, with the broadcast shape.

    Examples:
        >>> paddle.gcd(paddle.to_tensor([12, 18]), paddle.to_tensor([8, 27])).tolist()
        [4, 9]
    """
    x, y = (paddle.abs(t) for t in paddle.broadcast_tensors([x, y]))
    if (
        x.is_floating_point() or y.is_floating_point()
    ):  # Euclid's rests of NaN would be NaN for ever
        finite = paddle.isfinite(x) & paddle.isfinite(y)
        x, y = (
            paddle.where(finite, t, paddle.full_like(t, value))
            for t, value in ((x, float('nan')), (y, 0.0))
        )

    def more(x, y):
        return (y != 0).any()

    def step(x, y):
        zero = y == 0
        rest = x % paddle.where(zero, paddle.ones_like(y), y)
        return paddle.where(zero, x, y), paddle.where(zero, y, rest)

    if is_recorded(x):
        return paddle.static.nn.while_loop(more, step, [x, y])[0]
    while bool(more(x, y)):
        x, y = step(x, y)
    return x


@second_names(input='x', other='y')
def lcm(x, y, name=None):
    """The least common multiple of integers.

    Args:
        x (Tensor): The values. Also `input`.
        y (Tensor): The other values; shapes broadcast. Also `other`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The results, with the broadcast shape.

    Examples:
        >>> paddle.lcm(paddle.to_tensor([4, 6]), paddle.to_tensor([6, 8])).tolist()
        [12, 24]
    """
    d = gcd(x, y)
    safe = paddle.where(d == 0, paddle.ones_like(d), d)
    return paddle.where(d == 0, paddle.zeros_like(d), paddle.abs(x // safe * y))


def add_n(inputs, name=None):
    """The sum of a list of tensors.

    Args:
        inputs (list of Tensors or Tensor): Tensors of one shape.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The sum, with that shape.

    Examples:
        >>> paddle.add_n([paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])]).tolist()
        [4, 6]
    """
    if isinstance(inputs, Tensor):
        return inputs.clone()
    if (
        not isinstance(inputs, (list, tuple))
        or not inputs
        or not all(isinstance(x, Tensor) for x in inputs)
    ):
        raise ValueError(
            f'[add_n] expected a Tensor or a list of at least one Tensor, got {inputs!r}'
        )
    if len({tuple(x.shape) for x in inputs if -1 not in x.shape}) > 1:
        raise ValueError(
            f'[add_n] expected tensors of one shape, got {[list(x.shape) for x in inputs]}'
        )
    total = inputs[0]
    for x in inputs[1:]:
        total = total + x
    return total.clone() if len(inputs) == 1 else total


# --- statistics


# --- sums and differences


# --- products and distances


def inner(x, y, name=None):
    """Sums of products over the last axes.

    Args:
        x (Tensor): [..., k].
        y (Tensor): [..., k].
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The sums, with the other axes of x, then those of y.

    Examples:
        >>> paddle.inner(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])).item()
        11.0
    """
    expect_tensors('inner', x=x, y=y)
    if x.ndim == 0 or y.ndim == 0:
        return x * y
    a, b = extents(x), extents(y)
    flat = paddle.matmul(x.reshape([-1, a[-1]]), y.reshape([-1, b[-1]]), transpose_y=True)
    return flat.reshape(a[:-1] + b[:-1])


@second_names(input='x', vec2='y')
def outer(x, y, name=None, *, out=None):
    """Products of each element of x with each of y, both flattened.

    Args:
        x (Tensor): The rows' factors. Also `input`.
        y (Tensor): The columns' factors. Also `vec2`.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: 2-D, one row for each element of x.

    Examples:
        >>> paddle.outer(paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])).tolist()
        [[3, 4], [6, 8]]
        >>> paddle.ger is paddle.outer
        True
    """
    expect_tensors('outer', x=x, y=y)
    return write_out(x.reshape([-1, 1]) * y.reshape([1, -1]), out)


ger = outer


@second_names()
def vecdot(x, y, axis=-1, name=None):
    """Dot products along an axis.

    Args:
        x (Tensor): The values.
        y (Tensor): The other values; shapes broadcast.
        axis (int, default -1): The axis, counted from the end where negative.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The sums, without axis.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.vecdot(x, paddle.to_tensor([1.0, 1.0])).tolist()
        [3.0, 7.0]
    """
    return ((x.conj() if paddle.is_complex(x) else x) * y).sum(axis)


def mm(input, mat2, name=None, *, out=None):
    """The matrix product.

    Args:
        input (Tensor): [m, k], or a batch of such.
        mat2 (Tensor): [k, n], or a batch of such.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The product, [m, n].

    Examples:
        >>> paddle.mm(paddle.to_tensor([[1.0, 2.0]]), paddle.to_tensor([[3.0], [4.0]])).tolist()
        [[11.0]]
    """
    return write_out(paddle.matmul(input, mat2), out)


def _weighted(t, by):
    """t times a number: zeros for 0, whatever t holds, as in BLAS."""
    if not isinstance(by, Tensor) and by == 0:
        return paddle.where(paddle.full([], False, 'bool'), t, paddle.zeros_like(t))
    return t * by


def baddbmm(input, x, y, beta=1.0, alpha=1.0, name=None, *, out=None):
    """beta * input + alpha * x @ y, batch by batch.

    Args:
        input (Tensor): What is added; it broadcasts to [batch, m, n].
        x (Tensor): [batch, m, k].
        y (Tensor): [batch, k, n].
        beta (float, default 1.0): The factor of input.
        alpha (float, default 1.0): The factor of the products.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The sums, [batch, m, n].

    Examples:
        >>> x, y = paddle.ones([1, 1, 2]), paddle.ones([1, 2, 1])
        >>> paddle.baddbmm(paddle.ones([1, 1, 1]), x, y, alpha=2.0).tolist()
        [[[5.0]]]
    """
    expect_tensors('baddbmm', input=input)
    return write_out(_weighted(input, beta) + _weighted(paddle.matmul(x, y), alpha), out)


def cdist(x, y, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary', name=None):
    """p-norm distances between each row of x and each of y.

    Args:
        x (Tensor): [..., m, k].
        y (Tensor): [..., n, k].
        p (float, default 2.0): The norm's exponent.
        compute_mode (str, default 'use_mm_for_euclid_dist_if_necessary'): Where p is 2, distances
            come from a matrix product if m or n is above 25; `use_mm_for_euclid_dist`: always,
            `donot_use_mm_for_euclid_dist`: never. The product is much faster and needs no
            [..., m, n, k] elements; distances of points that lie close together beside the others
            are less exact than from differences. The gradient where a distance is 0 is 0.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The distances, [..., m, n].

    Examples:
        >>> x = paddle.to_tensor([[0.0, 0.0]])
        >>> paddle.cdist(x, paddle.to_tensor([[3.0, 4.0], [0.0, 1.0]])).tolist()
        [[5.0, 1.0]]
    """
    expect_tensors('cdist', x=x, y=y)
    modes = (
        'use_mm_for_euclid_dist_if_necessary',
        'use_mm_for_euclid_dist',
        'donot_use_mm_for_euclid_dist',
    )
    if compute_mode not in modes:
        raise ValueError(
            f'[cdist] expected compute_mode to be one of {modes}, got {compute_mode!r}'
        )
    if p < 0:
        raise AssertionError(f'[cdist] expected p of at least 0, got {p}')
    if x.ndim < 2 or y.ndim < 2:
        raise AssertionError(
            f'[cdist] expected tensors of at least 2 axes, got shapes {x.shape} and {y.shape}'
        )
    if x.shape[-1] != y.shape[-1]:
        raise AssertionError(
            f'[cdist] expected points of one length, got shapes {x.shape} and {y.shape}'
        )
    many = max(x.shape[-2], y.shape[-2]) > 25
    if (
        p == 2
        and (many if compute_mode == modes[0] else compute_mode == modes[1])
        and x.dtype in (paddle.float32, paddle.float64)
        and 0 not in (*x.shape, *y.shape)
    ):
        return _distances_by_product(x, y)
    return _C_ops.p_norm(x.unsqueeze(-2) - y.unsqueeze(-3), p, -1, 0.0, False, False)


def _distances_by_product(x, y):
    """Roots of |x|^2 + |y|^2 - 2 x y, of points about the mean of x: digits that all share would be
    lost in the squares."""
    centre = x.detach().reshape([-1, extents(x)[-1]]).mean(0)
    x, y = x - centre, y - centre
    squares = [(t * t).sum(-1, keepdim=True) for t in (x, y)]
    ones = [paddle.ones_like(t) for t in squares]
    left = paddle.concat([x * -2.0, squares[0], ones[0]], -1)
    right = paddle.concat([y, ones[1], squares[1]], -1)
    squared = paddle.matmul(left, right, transpose_y=True)
    apart = squared > 0
    return paddle.where(apart, squared, 1.0).sqrt() * apart.astype(x.dtype)


def pdist(x, p=2.0, name=None):
    """p-norm distances between all pairs of rows.

    Args:
        x (Tensor): [n, k].
        p (float, default 2.0): The norm's exponent.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: [n (n - 1) / 2]: the distances of rows i < j, in row-major order.

    Examples:
        >>> paddle.pdist(paddle.to_tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])).tolist()
        [5.0, 1.0, 4.2426]
    """
    expect_tensors('pdist', x=x)
    if x.ndim != 2:
        raise AssertionError(f'[pdist] expected a tensor of 2 axes, got shape {x.shape}')
    n = extents(x)[0]
    pairs = paddle.nonzero(paddle.triu(paddle.ones([n, n]), 1))
    d = _C_ops.gather(x, pairs[:, 0], 0) - _C_ops.gather(x, pairs[:, 1], 0)
    return _C_ops.p_norm(d, p, -1, 0.0, False, False)


def multigammaln(x, p, name=None):
    """The log of the multivariate gamma function of dimension `p`.

    Args:
        x (Tensor): Numbers above (p - 1) / 2.
        p (int): The dimension, at least 1.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The logarithms, with the shape of x.

    Examples:
        >>> paddle.multigammaln(paddle.to_tensor([3.0]), 2).tolist()
        [1.5502]
    """
    expect_tensors('multigammaln', x=x)
    if p < 1:
        raise AssertionError(f'[multigammaln] expected p of at least 1, got {p}')
    p = operator.index(p)
    if p > 2**31 - 1:
        raise ValueError(f'[multigammaln] expected p of at most {2**31 - 1}, got {p}')
    # One step for all terms: what is too large for the memory is refused at once.
    terms = paddle.lgamma(
        x.unsqueeze(-1) - paddle.arange(p, dtype='int64').astype(x.dtype) / 2.0
    ).sum(-1)
    return terms + p * (p - 1) / 4.0 * _math.log(_math.pi)


# --- search


def _at_axis(y, x, axis):
    """`y` with its first axis at the axis of `x`, as binary operations of old put it."""
    behind = 0 if axis == -1 else x.ndim - axis - y.ndim
    return y if behind <= 0 else paddle.unsqueeze(y, list(range(y.ndim, y.ndim + behind)))


def _add_with_axis(x, y, axis=-1, name=None):
    return paddle.add(x, _at_axis(y, x, axis), name)


def _subtract_with_axis(x, y, axis=-1, name=None):
    return paddle.subtract(x, _at_axis(y, x, axis), name)


def _multiply_with_axis(x, y, axis=-1, name=None):
    return paddle.multiply(x, _at_axis(y, x, axis), name)


def _divide_with_axis(x, y, axis=-1, name=None):
    return paddle.divide(x, _at_axis(y, x, axis), name)


_lazy.serve(globals())
