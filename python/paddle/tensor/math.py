# SPDX-License-Identifier: Apache-2.0
"""Functions composed of others: statistics, distances, special values, aliases. Gradients flow
through the parts.
"""

import builtins
import math as _math
import operator

import paddle
from paddle import _C_ops, _lazy
from paddle.base.arguments import items
from paddle.base.framework import is_recorded
from paddle.base.libpaddle import Tensor, expect_tensors

from .manipulation import _axis, extents


def _out(result, out):
    if out is None:
        return result
    out._rebind(result)
    return out


def _alias(target, name):
    def function(x, y, name=None, *, out=None):
        return _out(getattr(paddle, target)(x, y), out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f'`{target}` under another name.'
    return function


def true_divide(input, other, *, out=None):
    """input / other."""
    return _out(paddle.divide(input, other), out)


mul, eq, ne = _alias('multiply', 'mul'), _alias('equal', 'eq'), _alias('not_equal', 'ne')
gt, ge, lt, le = (
    _alias('greater_than', 'gt'),
    _alias('greater_equal', 'ge'),
    _alias('less_than', 'lt'),
    _alias('less_equal', 'le'),
)
greater, less = _alias('greater_than', 'greater'), _alias('less_than', 'less')


def positive(x, name=None):
    """`x` itself."""
    expect_tensors('positive', x=x)
    if str(x.dtype) == 'paddle.bool':
        raise TypeError("[positive] expected x of a number's dtype, got bool")
    return x


def neg(x, name=None, *, out=None):
    """-x."""
    return _out(-x, out)


negative = neg


def rad2deg(x, name=None):
    """Radians to degrees."""
    return _floating(x) * (180.0 / _math.pi)


def deg2rad(x, name=None):
    """Degrees to radians."""
    return _floating(x) * (_math.pi / 180.0)


def _floating(x):
    return x if paddle.is_floating_point(x) or paddle.is_complex(x) else x.astype('float32')


def hypot(x, y, name=None):
    """The hypotenuse of legs x and y."""
    return paddle.sqrt(x * x + y * y)


def frac(x, name=None, *, out=None):
    """The fraction: x - trunc(x)."""
    return _out(x - paddle.trunc(x), out)


def logaddexp(x, y, name=None):
    """log(exp(x) + exp(y)), without overflow."""
    x, y = _floating(x), _floating(y)
    high = paddle.maximum(x, y)
    gap = -paddle.abs(x - y)
    gap = paddle.where(paddle.isnan(gap), paddle.zeros_like(gap), gap)
    return high + paddle.log1p(paddle.exp(gap))


def sinc(x, name=None):
    """sin(pi x) / (pi x), 1 at 0."""
    zero = x == 0
    safe = paddle.where(zero, paddle.ones_like(x), x) * _math.pi
    return paddle.where(zero, paddle.ones_like(x), paddle.sin(safe) / safe)


def sgn(x, name=None):
    """The sign; x / |x| for complex numbers."""
    if not paddle.is_complex(x):
        return paddle.sign(x)
    size = paddle.abs(x)
    zero = size == 0
    scale = 1.0 / paddle.where(zero, paddle.ones_like(size), size)
    return paddle.complex(paddle.real(x) * scale, paddle.imag(x) * scale)


def signbit(x, name=None):
    """Whether the sign bit is set."""
    if not paddle.is_floating_point(x):
        return (
            x < 0
            if str(x.dtype) not in ('paddle.bool', 'paddle.uint8')
            else paddle.zeros_like(x, 'bool')
        )
    return paddle.copysign(paddle.ones_like(x), x.detach()) < 0


def isreal(x, name=None):
    """Whether the imaginary part is zero."""
    return paddle.imag(x) == 0 if paddle.is_complex(x) else paddle.ones_like(x, 'bool')


def isposinf(x, name=None):
    """Whether x is +inf."""
    return paddle.logical_and(paddle.isinf(x), x > 0)


def isneginf(x, name=None):
    """Whether x is -inf."""
    return paddle.logical_and(paddle.isinf(x), x < 0)


def nan_to_num(x, nan=0.0, posinf=None, neginf=None, name=None):
    """NaN and infinities replaced by numbers; infinities by the dtype's limits unless given."""
    limits = paddle.finfo(x.dtype) if paddle.is_floating_point(x) else None
    if limits is None:
        return x
    high = limits.max if posinf is None else posinf
    low = limits.min if neginf is None else neginf
    out = paddle.where(paddle.isnan(x), paddle.full_like(x, nan), x)
    out = paddle.where(isposinf(x), paddle.full_like(x, high), out)
    return paddle.where(isneginf(x), paddle.full_like(x, low), out)


def frexp(x, name=None):
    """Mantissa in [0.5, 1) and exponent, both of x's dtype."""
    zero = x == 0
    safe = paddle.where(zero, paddle.ones_like(x), paddle.abs(x)).detach()
    exponent = paddle.floor(paddle.log2(safe)) + 1
    two = paddle.full_like(x, 2.0)
    mantissa = x / two**exponent
    low, high = paddle.abs(mantissa) < 0.5, paddle.abs(mantissa) >= 1
    exponent = exponent - low.astype(x.dtype) + high.astype(x.dtype)
    exponent = paddle.where(zero, paddle.zeros_like(x), exponent)
    return x / two**exponent, exponent


def ldexp(x, y, name=None):
    """x * 2**y."""
    expect_tensors('ldexp', x=x, y=y)
    wide = paddle.float64 in (x.dtype, y.dtype)
    x, y = (
        t if paddle.is_complex(t) else t.astype('float64' if wide else 'float32') for t in (x, y)
    )
    return x * paddle.full([], 2.0, y.dtype) ** y


def gcd(x, y, name=None):
    """The greatest common divisor of integers; NaN where a float is not finite."""
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


def lcm(x, y, name=None):
    """The least common multiple of integers."""
    d = gcd(x, y)
    safe = paddle.where(d == 0, paddle.ones_like(d), d)
    return paddle.where(d == 0, paddle.zeros_like(d), paddle.abs(x // safe * y))


def add_n(inputs, name=None):
    """The sum of a list of tensors."""
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


def reduce_as(x, target, name=None):
    """`x` summed to the shape of `target`."""
    expect_tensors('reduce_as', x=x, target=target)
    extra = x.ndim - target.ndim
    axes = list(range(extra)) + [
        i + extra for i, n in enumerate(target.shape) if n == 1 and x.shape[i + extra] != 1
    ]
    return (x.sum(axes) if axes else x.clone()).reshape(extents(target))


# --- statistics


def _axes(axis, ndim):
    if axis is None or (isinstance(axis, (list, tuple)) and not axis):
        return list(range(ndim))
    return [_axis(a, ndim, 'axis') for a in ([axis] if isinstance(axis, int) else axis)]


def var(x, axis=None, unbiased=None, keepdim=False, name=None, *, correction=1, out=None):
    """The variance: squares over n - `correction`, which is 0 for `unbiased` False."""
    expect_tensors('var', x=x)
    if unbiased is not None:
        if correction != 1:
            raise ValueError(
                f'[var] expected one of unbiased and correction, got {unbiased} and {correction}'
            )
        correction = 1 if unbiased else 0
    if not (x.is_floating_point() or x.is_complex()):
        x = x.astype(paddle.get_default_dtype())
    axes = _axes(axis, x.ndim)
    square = (x - x.mean(axes, keepdim=True)) ** 2
    total = square.sum(axes, keepdim=keepdim)
    if builtins.any(x.shape[a] < 0 for a in axes):
        count = paddle.full_like(x, 1).sum(axes, keepdim=keepdim)
        return _out(total / (count - correction), out)
    count = 1
    for a in axes:
        count *= x.shape[a]
    return _out(total / builtins.float(builtins.max(count - correction, 0)), out)


def std(x, axis=None, unbiased=True, keepdim=False, name=None, *, correction=1, out=None):
    """The standard deviation, by squares over n - `correction`, which is 0 for `unbiased` False."""
    given = None if unbiased and correction != 1 else unbiased
    return _out(paddle.sqrt(var(x, axis, given, keepdim, correction=correction)), out)


def count_nonzero(x, axis=None, keepdim=False, name=None):
    """How many elements are not zero, int64."""
    expect_tensors('count_nonzero', x=x)
    return (x != 0).astype('int64').sum(axis, keepdim=keepdim)


def _no_nan(x):
    return paddle.where(paddle.isnan(x), paddle.zeros_like(x), x)


def nansum(x, axis=None, dtype=None, keepdim=False, name=None):
    """The sum, NaN counting as 0."""
    return paddle.sum(_no_nan(x), axis, dtype, keepdim)


def nanmean(x, axis=None, keepdim=False, name=None):
    """The mean of the elements that are not NaN."""
    count = paddle.logical_not(paddle.isnan(x)).astype(x.dtype).sum(axis, keepdim=keepdim)
    return _no_nan(x).sum(axis, keepdim=keepdim) / count


def _flat_axes(x, axis):
    """`x` with the reduced axes joined as the last one, and the shape with them as 1."""
    expect_tensors('median', x=x)
    axes, shape = _axes(axis, x.ndim), extents(x)
    keep = [i for i in range(x.ndim) if i not in axes]
    kept = [1 if i in axes else n for i, n in enumerate(shape)]
    flat = (
        _C_ops.transpose(x, keep + axes).reshape([shape[i] for i in keep] + [-1])
        if x.ndim
        else x.reshape([1])
    )
    return flat, kept, [shape[i] for i in keep]


def _nan_where_empty(flat):
    """`flat`, or one NaN a row where its rows are empty."""
    lengths = extents(flat)
    return (
        paddle.full([*lengths[:-1], 1], _math.nan, 'float32')
        if isinstance(lengths[-1], builtins.int) and lengths[-1] == 0
        else flat
    )


def median(x, axis=None, keepdim=False, mode='avg', name=None, *, out=None):
    """The middle element; the mean of two ('avg') or the lower one ('min', with indices when an
    axis is given).
    """
    if mode not in ('avg', 'min'):
        raise ValueError(f"[median] expected mode 'avg' or 'min', got {mode!r}")
    pair = isinstance(out, (list, tuple))
    if (
        pair
        and len(out) != 2
        or out is not None
        and not pair
        and mode == 'min'
        and axis is not None
    ):
        raise ValueError(
            f'[median] expected out to be a tuple of 2 tensors, got {type(out).__name__}'
        )
    flat, kept, rest = _flat_axes(x, axis)
    flat = _nan_where_empty(flat)
    values = paddle.sort(flat, -1)
    n = extents(flat)[-1]
    shape = kept if keepdim else rest

    def at(t, k):
        return (
            _C_ops.index_select(t, k.reshape([1]), t.ndim - 1).squeeze(-1)
            if isinstance(k, Tensor)
            else t[..., k]
        )

    nan = paddle.isnan(flat)
    bad = nan.any(-1)
    if mode == 'min':
        middle = at(values, (n - 1) // 2)
        middle = (
            paddle.where(bad, paddle.full_like(middle, _math.nan), middle)
            if paddle.is_floating_point(x)
            else middle
        )
        if axis is None:
            return _out(middle.reshape(shape), out[0] if pair else out)
        index = paddle.where(
            bad, paddle.argmax(nan.astype('int32'), -1), at(paddle.argsort(flat, -1), (n - 1) // 2)
        )
        results = middle.reshape(shape), index.reshape(shape)
        if out is None:
            return results
        return tuple(_out(result, place) for result, place in zip(results, out))
    values = values.astype('float64' if str(x.dtype) == 'paddle.float64' else 'float32')
    if isinstance(n, Tensor):
        middle = (at(values, (n - 1) // 2) + at(values, n // 2)) / 2
    else:
        middle = (
            values[..., n // 2] if n % 2 else (values[..., n // 2 - 1] + values[..., n // 2]) / 2
        )
    middle = paddle.where(bad, paddle.full_like(middle, _math.nan), middle)
    return _out(middle.reshape(shape), out[0] if pair else out)


def nanmedian(x, axis=None, keepdim=False, mode='avg', name=None):
    """The middle of the elements that are not NaN; the lower one ('min') with its indices when
    `axis` is one number.
    """
    result = _quantile(x, 0.5, axis, keepdim, 'midpoint' if mode == 'avg' else 'lower', True)
    result = result.astype(x.dtype)
    if mode == 'avg' or not isinstance(axis, builtins.int):
        return result
    flat, kept, rest = _flat_axes(x, axis)
    count = paddle.logical_not(paddle.isnan(flat)).astype('int64').sum(-1, keepdim=True)
    flat = (
        paddle.where(paddle.isnan(flat), paddle.full_like(flat, _math.inf), flat)
        if paddle.is_floating_point(x)
        else flat
    )
    index = paddle.take_along_axis(
        paddle.argsort(flat, -1, stable=True), paddle.clip((count - 1) // 2, min=0), -1
    )
    return result, paddle.where(count == 0, paddle.full_like(index, -1), index).reshape(
        kept if keepdim else rest
    )


def _quantile(x, q, axis, keepdim, interpolation, ignore_nan):
    expect_tensors('quantile', x=x)
    single = not isinstance(q, (list, tuple)) and not (isinstance(q, Tensor) and q.ndim)
    qs = [q] if single else items('quantile', 'q', q)
    qs = [float(v) for v in qs]
    if builtins.any(not 0 <= v <= 1 for v in qs):
        raise ValueError(f"[quantile] expected q from 0 to 1, got {qs}")
    dtype = 'float64' if str(x.dtype) == 'paddle.float64' else 'float32'
    flat, kept, rest = _flat_axes(x.astype(dtype), axis)
    flat = _nan_where_empty(flat).astype(dtype)
    nan = paddle.isnan(flat)
    n = extents(flat)[-1]
    values = paddle.sort(paddle.where(nan, paddle.full_like(flat, _math.inf), flat), -1)
    count = (
        (n - nan.astype('int64').sum(-1, keepdim=True))
        if ignore_nan
        else paddle.full([*extents(flat)[:-1], 1], n, 'int64')
    )
    results = []
    for v in qs:
        place = (count - 1).astype('float64') * v
        low, high = paddle.floor(place), paddle.ceil(place)
        weight = (place - low).astype(dtype)
        if interpolation == 'lower':
            weight = paddle.zeros_like(weight)
        elif interpolation == 'higher':
            weight = (weight > 0).astype(dtype)
        elif interpolation == 'midpoint':
            weight = (weight > 0).astype(dtype) * 0.5
        elif interpolation == 'nearest':
            weight = (weight > 0.5).astype(dtype) + paddle.logical_and(
                weight == 0.5, low % 2 == 1
            ).astype(dtype)
        elif interpolation != 'linear':
            raise ValueError(f'[quantile] expected a known interpolation, got {interpolation!r}')
        low, high = (
            paddle.clip(low, min=0).astype('int64'),
            paddle.clip(high, min=0).astype('int64'),
        )
        a, b = paddle.take_along_axis(values, low, -1), paddle.take_along_axis(values, high, -1)
        r = a + paddle.where(weight == 0, paddle.zeros_like(a), (b - a) * weight)
        bad = count == 0 if ignore_nan else nan.any(-1, keepdim=True)
        r = paddle.where(bad, paddle.full_like(r, _math.nan), r)
        results.append(r.reshape(kept if keepdim else rest))
    return results[0] if single else paddle.stack(results, 0)


def quantile(x, q, axis=None, keepdim=False, interpolation='linear', name=None, *, out=None):
    """Quantiles along an axis; NaN where there is one among the elements."""
    return _out(_quantile(x, q, axis, keepdim, interpolation, False), out)


def nanquantile(x, q, axis=None, keepdim=False, interpolation='linear'):
    """Quantiles of the elements that are not NaN."""
    return _quantile(x, q, axis, keepdim, interpolation, True)


def cov(x, rowvar=True, ddof=True, fweights=None, aweights=None, name=None):
    """The covariance matrix of variables in rows (or columns)."""
    expect_tensors('cov', x=x)
    if x.ndim > 2 or x.ndim < 1:
        raise ValueError(f"[cov] expected x of 1 or 2 axes, got shape {list(x.shape)}")
    data = x.reshape([1, -1]) if x.ndim == 1 else x if rowvar else x.t()
    weights = None
    if fweights is not None:
        weights = fweights.astype(x.dtype)
    if aweights is not None:
        weights = (
            aweights.astype(x.dtype) if weights is None else weights * aweights.astype(x.dtype)
        )
    if weights is None:
        total = extents(data)[1]
        mean = data.mean(1, keepdim=True)
        norm = total - builtins.int(ddof)
        norm = norm.astype(data.real().dtype) if isinstance(norm, Tensor) else norm
        centred = data - mean
        result = (
            paddle.matmul(centred, centred.conj().t() if paddle.is_complex(x) else centred.t())
            / norm
        )
    else:
        total = weights.sum()
        mean = (data * weights).sum(1, keepdim=True) / total
        norm = (
            total
            - ((weights * aweights.astype(x.dtype)).sum() / total if aweights is not None else 1)
            if ddof
            else total
        )
        centred = data - mean
        result = paddle.matmul(centred * weights, centred.t()) / norm
    return result.squeeze() if result._numel() == 1 else result


def corrcoef(x, rowvar=True, name=None):
    """Pearson correlation coefficients of variables in rows (or columns)."""
    c = cov(x, rowvar)
    if c.ndim == 0:
        return c / c
    d = paddle.sqrt(paddle.diag(c))
    return paddle.clip(c / d.unsqueeze(-1) / d.unsqueeze(0), -1, 1)


# --- sums and differences


def diff(x, n=1, axis=-1, prepend=None, append=None, name=None, *, out=None):
    """Differences of neighbours along an axis, `n` times."""
    expect_tensors('diff', x=x)
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f'[diff] expected an axis from {-x.ndim} to {x.ndim - 1}, got {axis}')
    if n < 1:
        raise ValueError(f'[diff] expected n of at least 1, got {n}')
    axis = _axis(axis, x.ndim, 'diff')
    parts = [p for p in (prepend, x, append) if p is not None]
    x = paddle.concat(parts, axis) if len(parts) > 1 else x
    lead = (slice(None),) * axis
    for _ in range(
        min(n, x.shape[axis]) if x.shape[axis] >= 0 else n
    ):  # once the axis is empty it stays so
        upper, lower = x[lead + (slice(1, None),)], x[lead + (slice(0, -1),)]
        x = paddle.logical_xor(upper, lower) if str(x.dtype) == 'paddle.bool' else upper - lower
    return _out(x, out)


def _trapezoids(op, y, x, dx, axis):
    if x is not None and dx is not None:
        raise ValueError(f"[{op}] expected x or dx, got both")
    expect_tensors(op, y=y)
    axis = _axis(axis, y.ndim, op)
    lead = (slice(None),) * axis
    if x is not None:
        expect_tensors('trapezoid', x=x)
        step = diff(x, axis=-1 if x.ndim == 1 else axis)
        if x.ndim == 1:
            step = step.reshape([-1] + [1] * (y.ndim - 1 - axis))
    else:
        step = 1.0 if dx is None else dx
    return (y[lead + (slice(1, None),)] + y[lead + (slice(0, -1),)]) * step / 2.0, axis


def trapezoid(y, x=None, dx=None, axis=-1, name=None):
    """The integral by the trapezoidal rule."""
    parts, axis = _trapezoids('trapezoid', y, x, dx, axis)
    return parts.sum(axis)


def cumulative_trapezoid(y, x=None, dx=None, axis=-1, name=None):
    """The running integral by the trapezoidal rule."""
    parts, axis = _trapezoids('cumulative_trapezoid', y, x, dx, axis)
    return paddle.cumsum(parts, axis)


# --- products and distances


def inner(x, y, name=None):
    """Sums of products over the last axes."""
    expect_tensors('inner', x=x, y=y)
    if x.ndim == 0 or y.ndim == 0:
        return x * y
    a, b = extents(x), extents(y)
    flat = paddle.matmul(x.reshape([-1, a[-1]]), y.reshape([-1, b[-1]]), transpose_y=True)
    return flat.reshape(a[:-1] + b[:-1])


def outer(x, y, name=None, *, out=None):
    """Products of each element of x with each of y, both flattened."""
    expect_tensors('outer', x=x, y=y)
    return _out(x.reshape([-1, 1]) * y.reshape([1, -1]), out)


ger = outer


def vecdot(x, y, axis=-1, name=None):
    """Dot products along an axis."""
    return ((x.conj() if paddle.is_complex(x) else x) * y).sum(axis)


def mm(input, mat2, name=None, *, out=None):
    """The matrix product."""
    return _out(paddle.matmul(input, mat2), out)


def baddbmm(input, x, y, beta=1.0, alpha=1.0, name=None, *, out=None):
    """beta * input + alpha * x @ y, batch by batch."""
    expect_tensors('baddbmm', input=input)
    return _out(input * beta + paddle.matmul(x, y) * alpha, out)


def _p_norm(d, p, axis):
    a = paddle.abs(d)
    if p == 0:
        return (a != 0).astype(a.dtype).sum(axis)
    if p == _math.inf:
        return a.max(axis)
    if p == -_math.inf:
        return a.min(axis)
    if p == 1:
        return a.sum(axis)
    if p == 2:
        return _safe_sqrt((a * a).sum(axis))
    return (a**p).sum(axis) ** (1.0 / p)


def _safe_sqrt(x):
    zero = x == 0
    root = paddle.sqrt(paddle.where(zero, paddle.ones_like(x), x))
    return paddle.where(zero, paddle.zeros_like(x), root)


def cdist(x, y, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary', name=None):
    """p-norm distances between each row of x and each of y."""
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
    if x.ndim < 2 or y.ndim < 2:
        raise AssertionError(
            f'[cdist] expected tensors of at least 2 axes, got shapes {x.shape} and {y.shape}'
        )
    if x.shape[-1] != y.shape[-1]:
        raise AssertionError(
            f'[cdist] expected points of one length, got shapes {x.shape} and {y.shape}'
        )
    return _p_norm(x.unsqueeze(-2) - y.unsqueeze(-3), p, -1)


def pdist(x, p=2.0, name=None):
    """p-norm distances between all pairs of rows."""
    expect_tensors('pdist', x=x)
    if x.ndim != 2:
        raise AssertionError(f'[pdist] expected a tensor of 2 axes, got shape {x.shape}')
    n = extents(x)[0]
    pairs = paddle.nonzero(paddle.triu(paddle.ones([n, n]), 1))
    return _p_norm(_C_ops.gather(x, pairs[:, 0], 0) - _C_ops.gather(x, pairs[:, 1], 0), p, -1)


def multigammaln(x, p, name=None):
    """The log of the multivariate gamma function of dimension `p`."""
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


def isin(x, test_x, assume_unique=False, invert=False, name=None):
    """Whether each element is among those of `test_x`."""
    expect_tensors('isin', test_x=test_x, x=x)
    flat = test_x.reshape([-1])
    found = (x.unsqueeze(-1) == flat).any(-1) if flat._numel() else paddle.zeros_like(x, 'bool')
    return paddle.logical_not(found) if invert else found


def bucketize(x, sorted_sequence, out_int32=False, right=False, name=None, *, out=None):
    """The bucket of each element among sorted boundaries."""
    expect_tensors('bucketize', sorted_sequence=sorted_sequence)
    if sorted_sequence.ndim != 1:
        raise ValueError(
            "[bucketize] expected sorted_sequence of one axis, got shape "
            f"{list(sorted_sequence.shape)}"
        )
    return _out(paddle.searchsorted(sorted_sequence, x, out_int32, right), out)


def histogram_bin_edges(input, bins=100, min=0.0, max=0.0, name=None):
    """The edges of equal bins from `min` to `max` (of the data where both are 0)."""
    if min == 0 and max == 0:
        expect_tensors('histogram_bin_edges', input=input)
        low, high = input.min(), input.max()
        if is_recorded(low):
            low, high = low.astype('float32'), high.astype('float32')
            apart = (low == high).astype('float32') * 0.5
            return paddle.linspace(low - apart, high + apart, bins + 1)
        low, high = builtins.float(low), builtins.float(high)
    else:
        low, high = builtins.float(min), builtins.float(max)
    if low > high:
        raise ValueError(f"[histogram_bin_edges] expected min of at most max, got {low} and {high}")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return paddle.linspace(low, high, bins + 1)


def histogramdd(x, bins=10, ranges=None, density=False, weights=None, name=None):
    """A histogram of points; returns the counts and a list of edges."""
    import numpy as np

    expect_tensors('histogramdd', x=x)
    if x.ndim < 2:
        raise AssertionError(
            f'[histogramdd] expected points of at least 2 axes, got shape {x.shape}'
        )
    d = x.shape[-1]
    given = (
        [b.astype('float64').numpy() for b in bins]
        if isinstance(bins, (list, tuple)) and isinstance(bins[0], Tensor)
        else bins
    )
    ends = None if ranges is None else [float(v) for v in items('histogramdd', 'ranges', ranges)]
    if ends is not None and len(ends) != 2 * d:
        raise ValueError(f'[histogramdd] expected {2 * d} numbers in ranges, got {len(ends)}')
    pairs = None if ends is None else list(zip(ends[::2], ends[1::2]))
    counts, edges = np.histogramdd(
        x.astype('float64').numpy().reshape(-1, d),
        given,
        pairs,
        density,
        None if weights is None else weights.astype('float64').numpy().reshape(-1),
    )
    return paddle.to_tensor(counts).astype(x.dtype), [
        paddle.to_tensor(e).astype(x.dtype) for e in edges
    ]


def _picked(results, flags):
    """The first result and those asked for: a tuple unless it is the only one."""
    picked = [results[0]] + [r for r, wanted in zip(results[1:], flags) if wanted]
    return picked[0] if len(picked) == 1 else tuple(picked)


def unique(
    x,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    dtype='int64',
    sorted=True,
    name=None,
):
    """The distinct elements, sorted, with indices, inverse and counts if asked."""
    flags = (return_index, return_inverse, return_counts)
    return _picked(_C_ops.unique(x, *flags, [] if axis is None else [axis], dtype), flags)


def unique_consecutive(
    x, return_inverse=False, return_counts=False, axis=None, dtype='int64', name=None
):
    """Elements without repetitions of their predecessor, with inverse and counts if asked."""
    flags = (return_inverse, return_counts)
    return _picked(
        _C_ops.unique_consecutive(x, *flags, [] if axis is None else [axis], dtype), flags
    )


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
