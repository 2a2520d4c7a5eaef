# SPDX-License-Identifier: Apache-2.0
"""Discrete Fourier transforms."""

import numbers
import operator

import paddle
from paddle import _C_ops
from paddle.base.arguments import items, second_names
from paddle.base.arguments import write_out as _out
from paddle.base.libpaddle import expect_tensors
from paddle.tensor.creation import _finish
from paddle.tensor.manipulation import extents as _extents

__all__ = [
    'fft',
    'ifft',
    'rfft',
    'irfft',
    'hfft',
    'ihfft',
    'fft2',
    'ifft2',
    'rfft2',
    'irfft2',
    'hfft2',
    'ihfft2',
    'fftn',
    'ifftn',
    'rfftn',
    'irfftn',
    'hfftn',
    'ihfftn',
    'fftfreq',
    'rfftfreq',
    'fftshift',
    'ifftshift',
]

_NORMS = ('forward', 'backward', 'ortho')


def _name(dtype):
    return str(dtype).rsplit('.', 1)[-1]


def _is_complex(x):
    expect_tensors('fft', x=x)
    return _name(x.dtype).startswith('complex')


def _check_norm(norm):
    if norm not in _NORMS:
        raise ValueError(f"[fft] expected norm 'forward', 'backward' or 'ortho', got {norm!r}")


def _real_input(x):
    if _is_complex(x):
        raise RuntimeError(f'[fft] expected a real tensor, got {x.dtype}')
    return x if _name(x.dtype) in ('float32', 'float64') else x.astype(paddle.get_default_dtype())


def _complex_input(x):
    if _is_complex(x):
        return x
    x = _real_input(x)
    return x.astype('complex64' if _name(x.dtype) == 'float32' else 'complex128')


def _one_axis(axis):
    return [-1 if axis is None else axis]


def _axes(x, s, axes, default_all):
    """(lengths or None, axes) with axes not negative and checked."""
    rank = len(x.shape)
    if s is not None and not hasattr(s, '__iter__'):
        raise ValueError(f"[fft] expected s to be a list of ints, got {type(s).__name__}")
    if axes is None:
        axes = (
            list(range(rank))
            if s is None or default_all is False
            else list(range(rank - len(s), rank))
        )
    axes = [int(a) for a in (axes if hasattr(axes, '__iter__') else [axes])]
    for a in axes:
        if not -rank <= a < rank:
            raise ValueError(f"[fft] expected an axis from {-rank} to {rank - 1}, got {a}")
    axes = [a % rank for a in axes]
    if len(set(axes)) != len(axes):
        raise ValueError(f"[fft] expected each axis once, got axes {axes}")
    if s is not None:
        s = [int(v) for v in s]
        if len(s) != len(axes):
            raise ValueError(
                f"[fft] expected an extent in s for each of {len(axes)} axes, got {len(s)}"
            )
        if any(v <= 0 for v in s):
            raise ValueError(f"[fft] expected positive extents in s, got {s}")
    return s, axes


def _resize(x, lengths, axes):
    """Cut or zero-pad `x` to `lengths` along `axes`; None keeps a length."""
    for length, axis in zip(lengths, axes):
        have = x.shape[axis]
        if length is None or length == have:
            continue
        if have < length:  # one that is not known is filled up by enough, then cut
            shape = _extents(x)
            shape[axis] = length - max(have, 0)
            x = paddle.concat([x, paddle.zeros(shape, x.dtype)], axis=axis)
        if not 0 <= have < length:
            x = paddle.slice(x, [axis], [0], [length])
    return x


def _c2c(x, s, axes, norm, forward):
    _check_norm(norm)
    x = _complex_input(x)
    s, axes = _axes(x, s, axes, True)
    if s is not None:
        x = _resize(x, s, axes)
    return _C_ops.fft_c2c(x, axes, norm, forward)


def _r2c(x, s, axes, norm, forward):
    _check_norm(norm)
    x = _real_input(x)
    s, axes = _axes(x, s, axes, True)
    if s is not None:
        x = _resize(x, s, axes)
    return _C_ops.fft_r2c(x, axes, norm, forward, True)


def _c2r(x, s, axes, norm, forward):
    _check_norm(norm)
    x = _complex_input(x)
    s, axes = _axes(x, s, axes, True)
    last = 0
    if s is not None:
        last = s[-1]
        x = _resize(x, s[:-1] + [last // 2 + 1], axes)
    return _C_ops.fft_c2r(x, axes, norm, forward, last)


def _one(n):
    if n is None:
        return None
    if not isinstance(n, int) or n <= 0:
        raise ValueError(f"[fft] expected n to be a positive int, got {n!r}")
    return [n]


@second_names(input='x', dim='axis')
def fft(x, n=None, axis=-1, norm='backward', name=None, *, out=None):
    """Transform along `axis`, of length `n` (cut or zero-padded); complex result of the same
    shape.

    Args:
        x (Tensor): The values. Also `input`.
        n (int, default None): The length, to which x is cut or filled up with zeros; None for
            that of x.
        axis (int, default -1): The axis, counted from the end where negative; None
            is the last. Also `dim`.
        norm (str, default 'backward'): Where the factor 1 / n stands: `backward` for the inverse,
            `forward`, or `ortho` for its root in both.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: Complex numbers, with the shape of x but along the transformed axes.

    Examples:
        >>> paddle.fft.fft(paddle.to_tensor([1.0, 0.0, -1.0, 0.0])).abs().tolist()
        [0.0, 2.0, 0.0, 2.0]
    """
    return _out(_c2c(x, _one(n), _one_axis(axis), norm, True), out)


@second_names(input='x', dim='axis')
def ifft(x, n=None, axis=-1, norm='backward', name=None, *, out=None):
    """Inverse of `fft`.

    Args:
        x (Tensor): The values. Also `input`.
        n (int, default None): The length, to which x is cut or filled up with zeros; None for
            that of x.
        axis (int, default -1): The axis, counted from the end where negative; None
            is the last. Also `dim`.
        norm (str, default 'backward'): Where the factor 1 / n stands: `backward` for the inverse,
            `forward`, or `ortho` for its root in both.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: Complex numbers, with the shape of x but along the transformed axes.

    Examples:
        >>> paddle.fft.ifft(paddle.to_tensor([1.0, 0.0, -1.0, 0.0])).abs().tolist()
        [0.0, 0.5, 0.0, 0.5]
    """
    return _out(_c2c(x, _one(n), _one_axis(axis), norm, False), out)


@second_names(input='x', dim='axis')
def rfft(x, n=None, axis=-1, norm='backward', name=None, *, out=None):
    """Transform of real input: the n // 2 + 1 first values along `axis`.

    Args:
        x (Tensor): Real numbers. Also `input`.
        n (int, default None): The length, to which x is cut or filled up with zeros; None for
            that of x.
        axis (int, default -1): The axis, counted from the end where negative; None
            is the last. Also `dim`.
        norm (str, default 'backward'): Where the factor 1 / n stands: `backward` for the inverse,
            `forward`, or `ortho` for its root in both.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: Complex numbers; axis has n // 2 + 1.

    Examples:
        >>> paddle.fft.rfft(paddle.to_tensor([1.0, 0.0, -1.0, 0.0])).abs().tolist()
        [0.0, 2.0, 0.0]
    """
    return _out(_r2c(x, _one(n), _one_axis(axis), norm, True), out)


@second_names(input='x', dim='axis')
def irfft(x, n=None, axis=-1, norm='backward', name=None, *, out=None):
    """Inverse of `rfft`: n real values, 2 * (length - 1) by default.

    Args:
        x (Tensor): The first half of a Hermitian signal. Also `input`.
        n (int, default None): The length, to which x is cut or filled up with zeros; None for
            that of x.
        axis (int, default -1): The axis, counted from the end where negative; None
            is the last. Also `dim`.
        norm (str, default 'backward'): Where the factor 1 / n stands: `backward` for the inverse,
            `forward`, or `ortho` for its root in both.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: Real numbers; axis has n.

    Examples:
        >>> paddle.fft.irfft(paddle.to_tensor([0j, 2 + 0j, 0j])).tolist()
        [1.0, 0.0, -1.0, 0.0]
    """
    return _out(_c2r(x, _one(n), _one_axis(axis), norm, False), out)


@second_names(input='x', dim='axis')
def hfft(x, n=None, axis=-1, norm='backward', name=None, *, out=None):
    """Transform of a Hermitian signal given by its first half: real values.

    Args:
        x (Tensor): The first half of a Hermitian signal. Also `input`.
        n (int, default None): The length, to which x is cut or filled up with zeros; None for
            that of x.
        axis (int, default -1): The axis, counted from the end where negative; None
            is the last. Also `dim`.
        norm (str, default 'backward'): Where the factor 1 / n stands: `backward` for the inverse,
            `forward`, or `ortho` for its root in both.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: Real numbers; axis has n, 2 * (length - 1) by default.

    Examples:
        >>> paddle.fft.hfft(paddle.to_tensor([1 + 0j, 2 + 0j, 1 + 0j])).tolist()
        [6.0, 0.0, -2.0, 0.0]
    """
    return _out(_c2r(x, _one(n), _one_axis(axis), norm, True), out)


@second_names(input='x', dim='axis')
def ihfft(x, n=None, axis=-1, norm='backward', name=None, *, out=None):
    """Inverse of `hfft`.

    Args:
        x (Tensor): Real numbers. Also `input`.
        n (int, default None): The length, to which x is cut or filled up with zeros; None for
            that of x.
        axis (int, default -1): The axis, counted from the end where negative; None
            is the last. Also `dim`.
        norm (str, default 'backward'): Where the factor 1 / n stands: `backward` for the inverse,
            `forward`, or `ortho` for its root in both.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: Complex numbers; axis has n // 2 + 1.

    Examples:
        >>> paddle.fft.ihfft(paddle.to_tensor([1.0, 0.0, -1.0, 0.0])).abs().tolist()
        [0.0, 0.5, 0.0]
    """
    return _out(_r2c(x, _one(n), _one_axis(axis), norm, False), out)


@second_names(input='x', dim='axes')
def fftn(x, s=None, axes=None, norm='backward', name=None, *, out=None):
    """Transform along several axes, all by default.

    Args:
        x (Tensor): The values. Also `input`.
        s (list of ints, default None): The lengths, to which x is cut or filled up with zeros;
            None for those of x.
        axes (list of ints, default None): The axes; None for all. Also `dim`.
        norm (str, default 'backward'): Where the factor 1 / n stands: `backward` for the inverse,
            `forward`, or `ortho` for its root in both.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: Complex numbers, with the shape of x but along the transformed axes.

    Examples:
        >>> paddle.fft.fftn(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])).abs().tolist()
        [[10.0, 2.0], [4.0, 0.0]]
    """
    return _out(_c2c(x, s, axes, norm, True), out)


@second_names(input='x', dim='axes')
def ifftn(x, s=None, axes=None, norm='backward', name=None, *, out=None):
    """Inverse of `fftn`.

    Args:
        x (Tensor): The values. Also `input`.
        s (list of ints, default None): The lengths, to which x is cut or filled up with zeros;
            None for those of x.
        axes (list of ints, default None): The axes; None for all. Also `dim`.
        norm (str, default 'backward'): Where the factor 1 / n stands: `backward` for the inverse,
            `forward`, or `ortho` for its root in both.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: Complex numbers, with the shape of x but along the transformed axes.

    Examples:
        >>> paddle.fft.ifftn(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])).abs().tolist()
        [[2.5, 0.5], [1.0, 0.0]]
    """
    return _out(_c2c(x, s, axes, norm, False), out)


@second_names(input='x', dim='axes')
def rfftn(x, s=None, axes=None, norm='backward', name=None, *, out=None):
    """Transform of real input along several axes; the last one keeps its first half.

    Args:
        x (Tensor): Real numbers. Also `input`.
        s (list of ints, default None): The lengths, to which x is cut or filled up with zeros;
            None for those of x.
        axes (list of ints, default None): The axes; None for all. Also `dim`.
        norm (str, default 'backward'): Where the factor 1 / n stands: `backward` for the inverse,
            `forward`, or `ortho` for its root in both.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: Complex numbers; the last axis has n // 2 + 1.

    Examples:
        >>> paddle.fft.rfftn(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])).abs().tolist()
        [[10.0, 2.0], [4.0, 0.0]]
    """
    return _out(_r2c(x, s, axes, norm, True), out)


@second_names(input='x', dim='axes')
def irfftn(x, s=None, axes=None, norm='backward', name=None, *, out=None):
    """Inverse of `rfftn`.

    Args:
        x (Tensor): The first half of a Hermitian signal. Also `input`.
        s (list of ints, default None): The lengths, to which x is cut or filled up with zeros;
            None for those of x.
        axes (list of ints, default None): The axes; None for all. Also `dim`.
        norm (str, default 'backward'): Where the factor 1 / n stands: `backward` for the inverse,
            `forward`, or `ortho` for its root in both.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: Real numbers.

    Examples:
        >>> paddle.fft.irfftn(paddle.to_tensor([[4 + 0j, 0j], [0j, 0j]])).tolist()
        [[1.0, 1.0], [1.0, 1.0]]
    """
    return _out(_c2r(x, s, axes, norm, False), out)


@second_names(input='x', dim='axes')
def hfftn(x, s=None, axes=None, norm='backward', name=None, *, out=None):
    """Transform of a Hermitian signal along several axes: real values.

    Args:
        x (Tensor): The first half of a Hermitian signal. Also `input`.
        s (list of ints, default None): The lengths, to which x is cut or filled up with zeros;
            None for those of x.
        axes (list of ints, default None): The axes; None for all. Also `dim`.
        norm (str, default 'backward'): Where the factor 1 / n stands: `backward` for the inverse,
            `forward`, or `ortho` for its root in both.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: Real numbers.

    Examples:
        >>> paddle.fft.hfftn(paddle.to_tensor([[4 + 0j, 0j], [0j, 0j]])).tolist()
        [[4.0, 4.0], [4.0, 4.0]]
    """
    return _out(_c2r(x, s, axes, norm, True), out)


@second_names(input='x', dim='axes')
def ihfftn(x, s=None, axes=None, norm='backward', name=None, *, out=None):
    """Inverse of `hfftn`.

    Args:
        x (Tensor): Real numbers. Also `input`.
        s (list of ints, default None): The lengths, to which x is cut or filled up with zeros;
            None for those of x.
        axes (list of ints, default None): The axes; None for all. Also `dim`.
        norm (str, default 'backward'): Where the factor 1 / n stands: `backward` for the inverse,
            `forward`, or `ortho` for its root in both.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: Complex numbers; the last axis has n // 2 + 1.

    Examples:
        >>> paddle.fft.ihfftn(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])).abs().tolist()
        [[2.5, 0.5], [1.0, 0.0]]
    """
    return _out(_r2c(x, s, axes, norm, False), out)


def _two(s, axes):
    if s is not None and len(items('fft', 's', s)) != 2:
        raise ValueError(f"[fft] expected two extents in s, got {s}")
    if axes is not None and len(items('fft', 'axes', axes)) != 2:
        raise ValueError(f"[fft] expected two axes, got {axes}")


@second_names(input='x', dim='axes')
def fft2(x, s=None, axes=(-2, -1), norm='backward', name=None, *, out=None):
    """Transform along two axes.

    Args:
        x (Tensor): The values. Also `input`.
        s (list of ints, default None): The lengths, to which x is cut or filled up with zeros;
            None for those of x.
        axes (list of ints, default (-2, -1)): The axes. Also `dim`.
        norm (str, default 'backward'): Where the factor 1 / n stands: `backward` for the inverse,
            `forward`, or `ortho` for its root in both.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: Complex numbers, with the shape of x but along the transformed axes.

    Examples:
        >>> paddle.fft.fft2(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])).abs().tolist()
        [[10.0, 2.0], [4.0, 0.0]]
    """
    _two(s, axes)
    return fftn(x, s, axes, norm, name, out=out)


@second_names(input='x', dim='axes')
def ifft2(x, s=None, axes=(-2, -1), norm='backward', name=None, *, out=None):
    """Inverse of `fft2`.

    Args:
        x (Tensor): The values. Also `input`.
        s (list of ints, default None): The lengths, to which x is cut or filled up with zeros;
            None for those of x.
        axes (list of ints, default (-2, -1)): The axes. Also `dim`.
        norm (str, default 'backward'): Where the factor 1 / n stands: `backward` for the inverse,
            `forward`, or `ortho` for its root in both.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: Complex numbers, with the shape of x but along the transformed axes.

    Examples:
        >>> paddle.fft.ifft2(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])).abs().tolist()
        [[2.5, 0.5], [1.0, 0.0]]
    """
    _two(s, axes)
    return ifftn(x, s, axes, norm, name, out=out)


@second_names(input='x', dim='axes')
def rfft2(x, s=None, axes=(-2, -1), norm='backward', name=None, *, out=None):
    """Transform of real input along two axes; the last one keeps its first half.

    Args:
        x (Tensor): Real numbers. Also `input`.
        s (list of ints, default None): The lengths, to which x is cut or filled up with zeros;
            None for those of x.
        axes (list of ints, default (-2, -1)): The axes. Also `dim`.
        norm (str, default 'backward'): Where the factor 1 / n stands: `backward` for the inverse,
            `forward`, or `ortho` for its root in both.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: Complex numbers; the last axis has n // 2 + 1.

    Examples:
        >>> paddle.fft.rfft2(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])).abs().tolist()
        [[10.0, 2.0], [4.0, 0.0]]
    """
    _two(s, axes)
    return rfftn(x, s, axes, norm, name, out=out)


@second_names(input='x', dim='axes')
def irfft2(x, s=None, axes=(-2, -1), norm='backward', name=None, *, out=None):
    """Inverse of `rfft2`.

    Args:
        x (Tensor): The first half of a Hermitian signal. Also `input`.
        s (list of ints, default None): The lengths, to which x is cut or filled up with zeros;
            None for those of x.
        axes (list of ints, default (-2, -1)): The axes. Also `dim`.
        norm (str, default 'backward'): Where the factor 1 / n stands: `backward` for the inverse,
            `forward`, or `ortho` for its root in both.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: Real numbers.

    Examples:
        >>> paddle.fft.irfft2(paddle.to_tensor([[4 + 0j, 0j], [0j, 0j]])).tolist()
        [[1.0, 1.0], [1.0, 1.0]]
    """
    _two(s, axes)
    return irfftn(x, s, axes, norm, name, out=out)


@second_names(input='x', dim='axes')
def hfft2(x, s=None, axes=(-2, -1), norm='backward', name=None, *, out=None):
    """Transform of a Hermitian signal along two axes: real values.

    Args:
        x (Tensor): The first half of a Hermitian signal. Also `input`.
        s (list of ints, default None): The lengths, to which x is cut or filled up with zeros;
            None for those of x.
        axes (list of ints, default (-2, -1)): The axes. Also `dim`.
        norm (str, default 'backward'): Where the factor 1 / n stands: `backward` for the inverse,
            `forward`, or `ortho` for its root in both.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: Real numbers.

    Examples:
        >>> paddle.fft.hfft2(paddle.to_tensor([[4 + 0j, 0j], [0j, 0j]])).tolist()
        [[4.0, 4.0], [4.0, 4.0]]
    """
    _two(s, axes)
    return hfftn(x, s, axes, norm, name, out=out)


@second_names(input='x', dim='axes')
def ihfft2(x, s=None, axes=(-2, -1), norm='backward', name=None, *, out=None):
    """Inverse of `hfft2`.

    Args:
        x (Tensor): Real numbers. Also `input`.
        s (list of ints, default None): The lengths, to which x is cut or filled up with zeros;
            None for those of x.
        axes (list of ints, default (-2, -1)): The axes. Also `dim`.
        norm (str, default 'backward'): Where the factor 1 / n stands: `backward` for the inverse,
            `forward`, or `ortho` for its root in both.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: Complex numbers; the last axis has n // 2 + 1.

    Examples:
        >>> paddle.fft.ihfft2(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])).abs().tolist()
        [[2.5, 0.5], [1.0, 0.0]]
    """
    _two(s, axes)
    return ihfftn(x, s, axes, norm, name, out=out)


def _frequencies(n, d, negative, dtype, out, device, requires_grad):
    """0, 1, ... and, where `negative`, the second half of them below zero, over n * d."""
    if not isinstance(d, (numbers.Number, paddle.Tensor)):
        raise TypeError(f"[fftfreq] expected d to be a number, got {type(d).__name__}")
    n = operator.index(n)
    if d * n == 0:
        raise ValueError(f"[fftfreq] expected n and d other than 0, got {n} and {d}")
    dtype = dtype or paddle.get_default_dtype()
    if negative:
        values = paddle.concat(
            [
                paddle.arange((n - 1) // 2 + 1, dtype='int64'),
                paddle.arange(-(n // 2), 0, dtype='int64'),
            ]
        )
    else:
        values = paddle.arange(n // 2 + 1, dtype='int64')
    return _finish(values.astype(dtype) * (1.0 / (n * d)), out, device, requires_grad)


def fftfreq(n, d=1.0, dtype=None, name=None, *, out=None, device=None, requires_grad=False):
    """Frequencies of the n values of `fft` for a sample spacing `d`.

    Args:
        n (int): How many samples.
        d (float, default 1.0): From one sample to the next.
        dtype (str or dtype, default None): The dtype; None for the default dtype.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.
        device (str or place, default None): Where the result lies; None for the current device.
        requires_grad (bool, default False): Whether gradients flow to the result.

    Returns:
        Tensor: The frequencies, 1-D.

    Examples:
        >>> paddle.fft.fftfreq(4, d=0.5).tolist()
        [0.0, 0.5, -1.0, -0.5]
    """
    return _frequencies(n, d, True, dtype, out, device, requires_grad)


def rfftfreq(n, d=1.0, dtype=None, name=None, *, out=None, device=None, requires_grad=False):
    """Frequencies of the n // 2 + 1 values of `rfft` for a sample spacing `d`.

    Args:
        n (int): How many samples.
        d (float, default 1.0): From one sample to the next.
        dtype (str or dtype, default None): The dtype; None for the default dtype.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.
        device (str or place, default None): Where the result lies; None for the current device.
        requires_grad (bool, default False): Whether gradients flow to the result.

    Returns:
        Tensor: The frequencies, 1-D.

    Examples:
        >>> paddle.fft.rfftfreq(4, d=0.5).tolist()
        [0.0, 0.5, 1.0]
    """
    return _frequencies(n, d, False, dtype, out, device, requires_grad)


def _shift(x, axes, sign):
    expect_tensors('fftshift', x=x)
    if axes is None:
        axes = list(range(len(x.shape)))
    axes = [axes] if isinstance(axes, int) else items('fftshift', 'axes', axes)
    sizes = _extents(x)
    shifts = [sizes[a] // 2 * sign for a in axes]
    return paddle.roll(x, shifts, axes)


@second_names(input='x', dim='axes')
def fftshift(x, axes=None, name=None):
    """Move the zero frequency to the middle.

    Args:
        x (Tensor): The values. Also `input`.
        axes (int or list of ints, default None): The axes; None for all. Also `dim`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The elements in the other order, with the shape of x.

    Examples:
        >>> paddle.fft.fftshift(paddle.to_tensor([0, 1, 2, 3, 4])).tolist()
        [3, 4, 0, 1, 2]
    """
    return _shift(x, axes, 1)


@second_names(input='x', dim='axes')
def ifftshift(x, axes=None, name=None):
    """Inverse of `fftshift`.

    Args:
        x (Tensor): The values. Also `input`.
        axes (int or list of ints, default None): The axes; None for all. Also `dim`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The elements in the other order, with the shape of x.

    Examples:
        >>> paddle.fft.ifftshift(paddle.to_tensor([0, 1, 2, 3, 4])).tolist()
        [2, 3, 4, 0, 1]
    """
    return _shift(x, axes, -1)
