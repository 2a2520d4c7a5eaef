# SPDX-License-Identifier: Apache-2.0
"""Statistics of tensors, differences and integrals of samples, sets of elements. Gradients flow
through the parts.
"""

import builtins
import functools
import math as _math
import operator

import paddle
from paddle import _C_ops, _lazy
from paddle.base.arguments import items, second_names, write_out
from paddle.base.framework import is_recorded
from paddle.base.libpaddle import Tensor, expect_tensors

from .manipulation import _axis, extents


_HALVES = (paddle.float16, paddle.bfloat16)


def _axes(axis, ndim):
    if axis is None or (isinstance(axis, (list, tuple)) and not axis):
        return list(range(ndim))
    axes = [
        _axis(a, builtins.max(ndim, 1), 'axis') for a in ([axis] if isinstance(axis, int) else axis)
    ]
    return axes if ndim else []


@second_names(input='x', dim='axis')
def var(x, axis=None, unbiased=None, keepdim=False, name=None, *, correction=1, out=None):
    """The variance, by squares over n - correction.

    Args:
        x (Tensor): The values. Also `input`.
        axis (int or list of ints, default None): The axes that are reduced, counted from the
            end where negative; None for all. Also `dim`.
        unbiased (bool, default None): False for correction 0.
        keepdim (bool, default False): Whether reduced axes stay, with extent 1.
        name (str, default None): Taken for compatibility; it has no effect.
        correction (int, default 1): What n is lessened by.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The results, without the reduced axes unless keepdim.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 6.0]])
        >>> paddle.var(x).item()
        4.6667
        >>> paddle.var(x, axis=1, unbiased=False).tolist()
        [0.25, 2.25]
    """
    expect_tensors('var', x=x)
    if unbiased is not None:
        if correction != 1:
            raise ValueError(
                f'[var] expected one of unbiased and correction, got {unbiased} and {correction}'
            )
        correction = 1 if unbiased else 0
    if not (x.is_floating_point() or x.is_complex()):
        x = x.astype(paddle.get_default_dtype())
    if x.dtype in _HALVES:  # sums of squares exceed them long before the result does
        return write_out(
            var(x.astype('float32'), axis, None, keepdim, correction=correction).astype(x.dtype),
            out,
        )
    axes = _axes(axis, x.ndim)
    apart = x - x.mean(axes, keepdim=True)
    square = (apart * apart.conj()).real() if x.is_complex() else apart**2
    total = square.sum(axes, keepdim=keepdim)
    if builtins.any(x.shape[a] < 0 for a in axes):
        count = paddle.full_like(x, 1).sum(axes, keepdim=keepdim)
        return write_out(total / (count - correction), out)
    count = 1
    for a in axes:
        count *= x.shape[a]
    return write_out(total / builtins.float(builtins.max(count - correction, 0)), out)


@second_names()
def std(x, axis=None, unbiased=True, keepdim=False, name=None, *, correction=1, out=None):
    """The standard deviation, by squares over n - correction.

    Args:
        x (Tensor): The values.
        axis (int or list of ints, default None): The axes that are reduced, counted from the end
            where negative; None for all.
        unbiased (bool, default True): False for correction 0.
        keepdim (bool, default False): Whether reduced axes stay, with extent 1.
        name (str, default None): Taken for compatibility; it has no effect.
        correction (int, default 1): What n is lessened by.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The results, without the reduced axes unless keepdim.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 6.0]])
        >>> paddle.std(x).item()
        2.1602
        >>> paddle.std(x, axis=1, unbiased=False).tolist()
        [0.5, 1.5]
    """
    expect_tensors('std', x=x)
    given = None if unbiased and correction != 1 else unbiased
    wide = x.astype('float32') if x.dtype in _HALVES else x
    result = paddle.sqrt(var(wide, axis, given, keepdim, correction=correction))
    return write_out(result if wide is x else result.astype(x.dtype), out)


@second_names()
def count_nonzero(x, axis=None, keepdim=False, name=None):
    """How many elements are not zero, int64.

    Args:
        x (Tensor): The values.
        axis (int or list of ints, default None): The axes that are reduced, counted from the end
            where negative; None for all.
        keepdim (bool, default False): Whether reduced axes stay, with extent 1.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The numbers, int64, without the reduced axes unless keepdim.

    Examples:
        >>> paddle.count_nonzero(paddle.to_tensor([[0, 1], [2, 3]]), axis=1).tolist()
        [1, 2]
    """
    expect_tensors('count_nonzero', x=x)
    return (x != 0).astype('int64').sum(axis, keepdim=keepdim)


def _no_nan(x):
    return paddle.where(paddle.isnan(x), paddle.zeros_like(x), x)


@second_names()
def nansum(x, axis=None, dtype=None, keepdim=False, name=None):
    """The sum, NaN counting as 0.

    Args:
        x (Tensor): The values.
        axis (int or list of ints, default None): The axes that are reduced, counted from the end
            where negative; None for all.
        dtype (str or dtype, default None): Dtype to sum in; None for that of x.
        keepdim (bool, default False): Whether reduced axes stay, with extent 1.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The sums, without the reduced axes unless keepdim.

    Examples:
        >>> x = paddle.to_tensor([1.0, float('nan'), 3.0])
        >>> paddle.nansum(x).item()
        4.0
    """
    return paddle.sum(_no_nan(x), axis, dtype, keepdim)


@second_names()
def nanmean(x, axis=None, keepdim=False, name=None):
    """The mean of the elements that are not NaN.

    Args:
        x (Tensor): The values.
        axis (int or list of ints, default None): The axes that are reduced, counted from the end
            where negative; None for all.
        keepdim (bool, default False): Whether reduced axes stay, with extent 1.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The means, without the reduced axes unless keepdim; NaN of nothing.

    Examples:
        >>> x = paddle.to_tensor([1.0, float('nan'), 3.0])
        >>> paddle.nanmean(x).item()
        2.0
    """
    expect_tensors('nanmean', x=x)
    if x.dtype in _HALVES:  # their sums are not those of so many numbers
        return nanmean(x.astype('float32'), axis, keepdim).astype(x.dtype)
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


def _lower_median(function):
    """PyTorch's words for arguments ask for its median: the lower of two middle elements."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        if ('dim' in kwargs or 'input' in kwargs) and len(args) < 4:
            kwargs.setdefault('mode', 'min')
        return function(*args, **kwargs)

    return call


@_lower_median
@second_names(input='x', dim='axis')
def median(x, axis=None, keepdim=False, mode='avg', name=None, *, out=None):
    """The middle element.

    Args:
        x (Tensor): The values. Also `input`.
        axis (int or list of ints, default None): The axes that are reduced, counted from the
            end where negative; None for all. Also `dim`.
        keepdim (bool, default False): Whether reduced axes stay, with extent 1.
        mode (str, default 'avg'): `avg` for the mean of two middle elements, `min` for the lower
            one. `min` is the default where `input` or `dim` is given by that name.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor or tuple of Tensors: the medians; with mode `min` and an axis also their positions.

    Examples:
        >>> x = paddle.to_tensor([1.0, 4.0, 3.0, 2.0])
        >>> paddle.median(x).item()
        2.5
        >>> paddle.median(x, mode='min').item()
        2.0
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
            return write_out(middle.reshape(shape), out[0] if pair else out)
        index = paddle.where(
            bad, paddle.argmax(nan.astype('int32'), -1), at(paddle.argsort(flat, -1), (n - 1) // 2)
        )
        results = middle.reshape(shape), index.reshape(shape)
        if out is None:
            return results
        return tuple(write_out(result, place) for result, place in zip(results, out))
    values = values.astype('float64' if str(x.dtype) == 'paddle.float64' else 'float32')
    if isinstance(n, Tensor):
        middle = (at(values, (n - 1) // 2) + at(values, n // 2)) / 2
    else:
        middle = (
            values[..., n // 2] if n % 2 else (values[..., n // 2 - 1] + values[..., n // 2]) / 2
        )
    middle = paddle.where(bad, paddle.full_like(middle, _math.nan), middle)
    return write_out(middle.reshape(shape), out[0] if pair else out)


@second_names()
def nanmedian(x, axis=None, keepdim=False, mode='avg', name=None):
    """The middle of the elements that are not NaN.

    Args:
        x (Tensor): The values.
        axis (int or list of ints, default None): The axes that are reduced, counted from the end
            where negative; None for all.
        keepdim (bool, default False): Whether reduced axes stay, with extent 1.
        mode (str, default 'avg'): `avg` for the mean of two middle elements, `min` for the lower
            one.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor or tuple of Tensors: the medians; with mode `min` and one axis also their
            positions.

    Examples:
        >>> x = paddle.to_tensor([1.0, float('nan'), 3.0])
        >>> paddle.nanmedian(x).item()
        2.0
    """
    if mode not in ('avg', 'min'):
        raise ValueError(f"[nanmedian] expected mode 'avg' or 'min', got {mode!r}")
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
    op = 'nanquantile' if ignore_nan else 'quantile'
    expect_tensors(op, x=x)
    single = not isinstance(q, (list, tuple)) and not (isinstance(q, Tensor) and q.ndim)
    qs = [q] if single else items(op, 'q', q)
    qs = [float(v) for v in qs]
    if builtins.any(not 0 <= v <= 1 for v in qs):
        raise ValueError(f"[{op}] expected q from 0 to 1, got {qs}")
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
            raise ValueError(f'[{op}] expected a known interpolation, got {interpolation!r}')
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


@second_names(input='x', dim='axis')
def quantile(x, q, axis=None, keepdim=False, interpolation='linear', name=None, *, out=None):
    """Quantiles along an axis; NaN where there is one among the elements.

    Args:
        x (Tensor): The values. Also `input`.
        q (float, list of floats or Tensor): Which, in [0, 1].
        axis (int or list of ints, default None): The axes that are reduced, counted from the
            end where negative; None for all. Also `dim`.
        keepdim (bool, default False): Whether reduced axes stay, with extent 1.
        interpolation (str, default 'linear'): What lies between two elements: `linear`, `lower`,
            `higher`, `midpoint` or `nearest`.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The quantiles, of several q in a first axis.

    Examples:
        >>> x = paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
        >>> paddle.quantile(x, 0.5).item()
        2.5
        >>> paddle.quantile(x, [0.25, 0.75]).tolist()
        [1.75, 3.25]
        >>> paddle.quantile(x, 0.5, interpolation='lower').item()
        2.0
    """
    return write_out(_quantile(x, q, axis, keepdim, interpolation, False), out)


@second_names()
def nanquantile(x, q, axis=None, keepdim=False, interpolation='linear'):
    """Quantiles of the elements that are not NaN.

    Args:
        x (Tensor): The values.
        q (float, list of floats or Tensor): Which, in [0, 1].
        axis (int or list of ints, default None): The axes that are reduced, counted from the end
            where negative; None for all.
        keepdim (bool, default False): Whether reduced axes stay, with extent 1.
        interpolation (str, default 'linear'): What lies between two elements: `linear`, `lower`,
            `higher`, `midpoint` or `nearest`.

    Returns:
        Tensor: The quantiles, of several q in a first axis.

    Examples:
        >>> x = paddle.to_tensor([1.0, float('nan'), 3.0])
        >>> paddle.nanquantile(x, 0.5).item()
        2.0
    """
    return _quantile(x, q, axis, keepdim, interpolation, True)


def _check_weights(name, weights, count, whole):
    expect_tensors('cov', **{name: weights})
    if weights.ndim != 1 or (weights.shape[0] != count and -1 not in (weights.shape[0], count)):
        raise ValueError(f'[cov] expected {count} {name}, got shape {list(weights.shape)}')
    wrong = weights < 0
    if whole and weights.is_floating_point():
        wrong = wrong | (weights != paddle.floor(weights))
    if not is_recorded(wrong) and bool(wrong.any()):
        kind = 'integers' if whole else 'numbers'
        raise ValueError(f'[cov] expected {kind} of at least 0 in {name}, got {weights.tolist()}')


def cov(x, rowvar=True, ddof=True, fweights=None, aweights=None, name=None):
    """The covariance matrix of variables in rows (or columns).

    Args:
        x (Tensor): 1-D or 2-D.
        rowvar (bool, default True): Whether variables stand in rows, else in columns.
        ddof (bool, default True): Whether squares are divided by n - 1, else by n.
        fweights (Tensor, default None): How often each observation counts, integers.
        aweights (Tensor, default None): What each observation weighs.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The matrix, 0-D of one variable.

    Examples:
        >>> paddle.linalg.cov(paddle.to_tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])).tolist()
        [[1.0, -1.0], [-1.0, 1.0]]
    """
    expect_tensors('cov', x=x)
    if x.ndim > 2 or x.ndim < 1:
        raise ValueError(f"[cov] expected x of 1 or 2 axes, got shape {list(x.shape)}")
    data = x.reshape([1, -1]) if x.ndim == 1 else x if rowvar else x.t()
    weights = None
    if fweights is not None:
        _check_weights('fweights', fweights, data.shape[1], True)
        weights = fweights.astype(x.dtype)
    if aweights is not None:
        _check_weights('aweights', aweights, data.shape[1], False)
        weights = (
            aweights.astype(x.dtype) if weights is None else weights * aweights.astype(x.dtype)
        )
    if weights is None:
        total = extents(data)[1]
        mean = data.mean(1, keepdim=True)
        norm = total - builtins.int(ddof)
        norm = norm.astype(data.real().dtype) if isinstance(norm, Tensor) else norm
    else:
        total = weights.sum()
        mean = (data * weights).sum(1, keepdim=True) / total
        norm = (
            total
            - ((weights * aweights.astype(x.dtype)).sum() / total if aweights is not None else 1)
            if ddof
            else total
        )
    apart = data - mean
    turned = apart.conj().t() if paddle.is_complex(x) else apart.t()
    result = paddle.matmul(apart if weights is None else apart * weights, turned) / norm
    return result.squeeze() if result._numel() == 1 else result


def corrcoef(x, rowvar=True, name=None):
    """Pearson correlation coefficients of variables in rows (or columns).

    Args:
        x (Tensor): 1-D or 2-D.
        rowvar (bool, default True): Whether variables stand in rows, else in columns.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The matrix, 0-D of one variable.

    Examples:
        >>> paddle.linalg.corrcoef(paddle.to_tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])).tolist()
        [[1.0, -1.0], [-1.0, 1.0]]
    """
    c = cov(x, rowvar)
    if c.ndim == 0:
        return c / c
    d = paddle.sqrt(paddle.diag(c))
    return paddle.clip(c / d.unsqueeze(-1) / d.unsqueeze(0), -1, 1)


@second_names(input='x', dim='axis')
def diff(x, n=1, axis=-1, prepend=None, append=None, name=None, *, out=None):
    """Differences of neighbours along an axis, `n` times.

    Args:
        x (Tensor): The values. Also `input`.
        n (int, default 1): How often.
        axis (int, default -1): The axis, counted from the end where negative. Also `dim`.
        prepend (Tensor, default None): What is put in front of x first.
        append (Tensor, default None): What is put behind x first.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The differences; axis has n elements fewer.

    Examples:
        >>> x = paddle.to_tensor([1, 4, 9, 16])
        >>> paddle.diff(x).tolist()
        [3, 5, 7]
        >>> paddle.diff(x, n=2).tolist()
        [2, 2]
    """
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
    return write_out(x, out)


def _trapezoids(op, y, x, dx, axis):
    if x is not None and dx is not None:
        raise ValueError(f"[{op}] expected x or dx, got both")
    expect_tensors(op, y=y)
    axis = _axis(axis, y.ndim, op)
    lead = (slice(None),) * axis
    if x is not None:
        expect_tensors(op, x=x)
        step = diff(x, axis=-1 if x.ndim == 1 else axis)
        if x.ndim == 1:
            step = step.reshape([-1] + [1] * (y.ndim - 1 - axis))
    else:
        step = 1.0 if dx is None else dx
    return (y[lead + (slice(1, None),)] + y[lead + (slice(0, -1),)]) * step / 2.0, axis


@second_names()
def trapezoid(y, x=None, dx=None, axis=-1, name=None):
    """The integral by the trapezoidal rule.

    Args:
        y (Tensor): The values.
        x (Tensor, default None): Where they are; None for steps of dx.
        dx (float, default None): The step; None for 1.
        axis (int, default -1): The axis of integration, counted from the end where negative.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The integrals, without axis.

    Examples:
        >>> paddle.trapezoid(paddle.to_tensor([1.0, 2.0, 3.0])).item()
        4.0
    """
    parts, axis = _trapezoids('trapezoid', y, x, dx, axis)
    return parts.sum(axis)


def cumulative_trapezoid(y, x=None, dx=None, axis=-1, name=None):
    """The running integral by the trapezoidal rule.

    Args:
        y (Tensor): The values.
        x (Tensor, default None): Where they are; None for steps of dx.
        dx (float, default None): The step; None for 1.
        axis (int, default -1): The axis of integration, counted from the end where negative.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The integrals up to each point but the first.

    Examples:
        >>> paddle.cumulative_trapezoid(paddle.to_tensor([1.0, 2.0, 3.0])).tolist()
        [1.5, 4.0]
    """
    parts, axis = _trapezoids('cumulative_trapezoid', y, x, dx, axis)
    return paddle.cumsum(parts, axis)


_FEW = 64  # elements of which each is compared with all


def _is_searched(x):
    return x.dtype in (paddle.float32, paddle.float64, paddle.int32, paddle.int64)


def isin(x, test_x, assume_unique=False, invert=False, name=None):
    """Whether each element is among those of `test_x`.

    Args:
        x (Tensor): The values.
        test_x (Tensor): Among which they are sought.
        assume_unique (bool, default False): Whether both have no element twice; it changes no
            result.
        invert (bool, default False): Whether the answers are turned.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: bool, with the shape of x.

    Examples:
        >>> paddle.isin(paddle.to_tensor([1, 2, 3]), paddle.to_tensor([2, 5])).tolist()
        [False, True, False]
    """
    expect_tensors('isin', test_x=test_x, x=x)
    flat = test_x.reshape([-1])
    if flat._numel() == 0:
        found = paddle.zeros_like(x, 'bool')
    elif x.dtype == flat.dtype and _is_searched(x) and x._numel() > _FEW and flat._numel() > _FEW:
        rising = paddle.sort(flat)
        place = paddle.clip(paddle.searchsorted(rising, x), max=flat._numel() - 1)
        found = rising[place] == x
    else:
        found = (x.unsqueeze(-1) == flat).any(-1)
    return paddle.logical_not(found) if invert else found


@second_names(input='x', boundaries='sorted_sequence')
def bucketize(x, sorted_sequence, out_int32=False, right=False, name=None, *, out=None):
    """The bucket of each element among sorted boundaries.

    Args:
        x (Tensor): The values. Also `input`.
        sorted_sequence (Tensor): The boundaries, rising, 1-D. Also `boundaries`.
        out_int32 (bool, default False): Whether buckets are int32, else int64.
        right (bool, default False): Whether a boundary belongs to the bucket on its right.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The buckets, from 0 on, with the shape of x.

    Examples:
        >>> paddle.bucketize(paddle.to_tensor([0, 3, 9]), paddle.to_tensor([1, 3, 5])).tolist()
        [0, 1, 3]
    """
    expect_tensors('bucketize', sorted_sequence=sorted_sequence)
    if sorted_sequence.ndim != 1:
        raise ValueError(
            "[bucketize] expected sorted_sequence of one axis, got shape "
            f"{list(sorted_sequence.shape)}"
        )
    return write_out(paddle.searchsorted(sorted_sequence, x, out_int32, right), out)


def histogram_bin_edges(input, bins=100, min=0.0, max=0.0, name=None):
    """The edges of equal bins from `min` to `max` (of the data where both are 0).

    Args:
        input (Tensor): The values.
        bins (int, default 100): How many bins.
        min (float, default 0.0): The first edge.
        max (float, default 0.0): The last edge.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: [bins + 1].

    Examples:
        >>> paddle.histogram_bin_edges(paddle.to_tensor([1.0, 3.0]), bins=2).tolist()
        [1.0, 2.0, 3.0]
    """
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
    """A histogram of points; returns the counts and a list of edges.

    Args:
        x (Tensor): Points, [count, dimensions].
        bins (int, list of ints or list of Tensors, default 10): How many bins in each dimension,
            or their edges.
        ranges (list of floats, default None): The first and the last edge of each dimension; None
            for the extremes of x.
        density (bool, default False): Whether the result is a density, whose integral is 1.
        weights (Tensor, default None): What each point counts; None for 1.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple: the counts, one axis for each dimension, and the list of edges.

    Examples:
        >>> points = paddle.to_tensor([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0]])
        >>> counts, edges = paddle.histogramdd(points, bins=[2, 2])
        >>> counts.tolist()
        [[1.0, 0.0], [1.0, 1.0]]
        >>> [e.tolist() for e in edges]
        [[0.0, 0.5, 1.0], [0.0, 0.5, 1.0]]
    """
    expect_tensors('histogramdd', x=x)
    if x.ndim < 2:
        raise AssertionError(
            f'[histogramdd] expected points of at least 2 axes, got shape {x.shape}'
        )
    d = x.shape[-1]
    ends = None if ranges is None else [float(v) for v in items('histogramdd', 'ranges', ranges)]
    if ends is not None and len(ends) != 2 * d:
        raise ValueError(f'[histogramdd] expected {2 * d} numbers in ranges, got {len(ends)}')
    pairs = [None] * d if ends is None else list(zip(ends[::2], ends[1::2]))
    each = list(bins) if isinstance(bins, (list, tuple)) else [bins] * d
    if len(each) != d:
        raise ValueError(f'[histogramdd] expected bins for {d} dimensions, got {len(each)}')
    points = x.detach().astype('float64').reshape([-1, d])
    edges = [_edges(points[:, k], each[k], pairs[k]) for k in range(d)]
    if x.is_floating_point():  # points are beside the edges that are returned
        edges = [edge.astype(x.dtype).astype('float64') for edge in edges]
    weight = paddle.ones_like(points[:, 0]) if weights is None else weights.detach().flatten()
    if -1 not in (*weight.shape, *points.shape) and weight.shape[0] != points.shape[0]:
        raise ValueError(
            f'[histogramdd] expected a weight for each of {points.shape[0]} points, got '
            f'{weight.shape[0]}'
        )
    place, sizes = None, []
    for k, edge in enumerate(edges):  # bins, with one before and one behind for points outside
        values = points[:, k]
        found = paddle.searchsorted(edge, values, right=True)
        found = found - (values == edge[-1]).astype('int64')
        sizes.append(edge.shape[0] + 1)
        place = found if place is None else place * sizes[-1] + found
    counts = paddle.zeros([_math.prod(sizes)], 'float64')
    counts = paddle.index_add(counts, place, 0, weight.astype('float64')).reshape(sizes)
    counts = counts[(slice(1, -1),) * d]
    if density:
        total = counts.sum()
        for k, edge in enumerate(edges):
            widths = paddle.diff(edge).reshape([-1 if k == j else 1 for j in range(d)])
            counts = counts / widths
        counts = counts / total
    return counts.astype(x.dtype), [edge.astype(x.dtype) for edge in edges]


def _edges(values, bins, ends):
    """The edges of the bins of one dimension, float64."""
    if isinstance(bins, Tensor):
        edges = bins.detach().astype('float64')
        if edges.ndim != 1 or edges.shape[0] < 0:
            raise ValueError(
                '[histogramdd] expected edges of one axis of known extent in bins, got shape '
                f'{edges.shape}'
            )
        falls = (edges[:-1] > edges[1:]).any()
        if not is_recorded(falls) and bool(falls):
            raise ValueError(
                '[histogramdd] expected edges that do not fall in bins, got some that do'
            )
        return edges
    count = operator.index(bins)
    if count < 1:
        raise ValueError(f'[histogramdd] expected positive numbers in bins, got {count}')
    if ends is not None:
        low, high = ends
        if not (low <= high and _math.isfinite(low) and _math.isfinite(high)):
            raise ValueError(f'[histogramdd] expected finite ranges that grow, got {low}, {high}')
        low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
    elif values.shape[0] == 0:
        low, high = 0.0, 1.0
    else:
        low, high = values.min(), values.max()
        if not (is_recorded(low) or bool(paddle.isfinite(low) & paddle.isfinite(high))):
            raise ValueError('[histogramdd] expected finite points without ranges, got others')
        apart = (low == high).astype('float64') * 0.5
        low, high = low - apart, high + apart
    steps = paddle.arange(count, dtype='float64') * ((high - low) / count) + low
    return paddle.concat([steps, paddle.full([1], high, 'float64')])


def _picked(results, flags):
    """The first result and those asked for: a tuple unless it is the only one."""
    picked = [results[0]] + [r for r, wanted in zip(results[1:], flags) if wanted]
    return picked[0] if len(picked) == 1 else tuple(picked)


@second_names()
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
    """The distinct elements, sorted, with indices, inverse and counts if asked.

    Args:
        x (Tensor): The values.
        return_index (bool, default False): Whether the first places of the elements in x are
            returned.
        return_inverse (bool, default False): Whether the places of the elements of x in the
            result are returned.
        return_counts (bool, default False): Whether is returned how often each occurs.
        axis (int, default None): The axis whose slices are compared; None for single elements.
        dtype (str or dtype, default 'int64'): The dtype of positions and counts, int32 or int64.
        sorted (bool, default True): Whether the elements are in order; here they always are.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor or tuple of Tensors: the elements, then index, inverse and counts as asked.

    Examples:
        >>> x = paddle.to_tensor([2, 1, 2])
        >>> paddle.unique(x).tolist()
        [1, 2]
        >>> values, counts = paddle.unique(x, return_counts=True)
        >>> counts.tolist()
        [1, 2]
    """
    flags = (return_index, return_inverse, return_counts)
    return _picked(_C_ops.unique(x, *flags, [] if axis is None else [axis], dtype), flags)


@second_names(input='x', dim='axis')
def unique_consecutive(
    x, return_inverse=False, return_counts=False, axis=None, dtype='int64', name=None
):
    """Elements without repetitions of their predecessor, with inverse and counts if asked.

    Args:
        x (Tensor): The values. Also `input`.
        return_inverse (bool, default False): Whether the places of the elements of x in the
            result are returned.
        return_counts (bool, default False): Whether is returned how often each occurs.
        axis (int, default None): The axis whose slices are compared; None for single elements.
            Also `dim`.
        dtype (str or dtype, default 'int64'): The dtype of positions and counts, int32 or int64.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor or tuple of Tensors: the elements, then inverse and counts as asked.

    Examples:
        >>> x = paddle.to_tensor([1, 1, 2, 1])
        >>> paddle.unique_consecutive(x).tolist()
        [1, 2, 1]
        >>> paddle.unique_consecutive(x, return_counts=True)[1].tolist()
        [2, 1, 1]
    """
    flags = (return_inverse, return_counts)
    return _picked(
        _C_ops.unique_consecutive(x, *flags, [] if axis is None else [axis], dtype), flags
    )


_lazy.serve(globals())
