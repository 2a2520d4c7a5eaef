# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms, framing and overlap-add composed of matrix products, for cores without these operators.

A length splits into factors of at most 32 (Cooley and Tukey), each a small matrix product; a large prime goes through
a convolution of a power of two (Bluestein). Everything is differentiable.
"""
import functools
import math

import numpy as np

import paddle

__all__ = ['fft_c2c', 'fft_r2c', 'fft_c2r', 'frame', 'overlap_add']

_SMALL = 32


def _dtype(x):
    return 'complex128' if 'complex128' in str(x.dtype) or 'float64' in str(x.dtype) else 'complex64'


@functools.lru_cache(maxsize=256)
def _matrix(n, sign, dtype):
    k = np.arange(n)
    return paddle.to_tensor(np.exp(sign * 2j * math.pi * (np.outer(k, k) % n) / n).astype(dtype))


@functools.lru_cache(maxsize=256)
def _twiddle(n1, n2, sign, dtype):
    return paddle.to_tensor(np.exp(sign * 2j * math.pi * np.outer(np.arange(n1), np.arange(n2)) / (n1 * n2)).astype(dtype))


@functools.lru_cache(maxsize=64)
def _chirp(n, sign, dtype):
    k = np.arange(n, dtype=np.int64)
    w = np.exp(sign * 1j * math.pi * (k * k % (2 * n)) / n)
    m = 1 << (2 * n - 1).bit_length()
    wrapped = np.zeros(m, complex)
    wrapped[:n] = w.conj()
    wrapped[m - n + 1:] = w[:0:-1].conj()
    return paddle.to_tensor(w.astype(dtype)), paddle.to_tensor(np.fft.fft(wrapped).astype(dtype)), m


def _factor(n):
    """The largest factor of n up to _SMALL, 1 for a prime beyond it."""
    return max(f for f in range(1, min(_SMALL, n) + 1) if n % f == 0)


def _last(x, sign):
    """The unscaled transform of the last axis."""
    n, dtype = x.shape[-1], _dtype(x)
    if n <= _SMALL:
        return paddle.matmul(x, _matrix(n, sign, dtype)) if n > 1 else x
    n1 = _factor(n)
    lead = list(x.shape[:-1])
    if n1 == 1:
        w, spectrum, m = _chirp(n, sign, dtype)
        y = paddle.concat([x * w, paddle.zeros(lead + [m - n], dtype=dtype)], axis=-1)
        y = _last(_last(y, -1) * spectrum, 1) / m
        return paddle.slice(y, [y.ndim - 1], [0], [n]) * w
    n2 = n // n1
    y = paddle.matmul(_matrix(n1, sign, dtype), x.reshape(lead + [n1, n2])) * _twiddle(n1, n2, sign, dtype)
    y = _last(y, sign)
    rank = y.ndim
    return y.transpose(list(range(rank - 2)) + [rank - 1, rank - 2]).reshape(lead + [n])


def _along(x, axis, sign):
    rank = x.ndim
    if axis == rank - 1:
        return _last(x, sign)
    order = [a for a in range(rank) if a != axis] + [axis]
    back = [order.index(a) for a in range(rank)]
    return _last(x.transpose(order), sign).transpose(back)


def _scaled(x, count, normalization, forward):
    if normalization == 'ortho':
        return x * (1.0 / math.sqrt(count))
    return x * (1.0 / count) if (normalization == 'forward') == forward else x


def fft_c2c(x, axes, normalization, forward):
    """Complex to complex along `axes`."""
    count = 1
    for axis in axes:
        count *= x.shape[axis]
        x = _along(x, axis, -1 if forward else 1)
    return _scaled(x, count, normalization, forward)


def fft_r2c(x, axes, normalization, forward, onesided):
    """Real to complex; the last of `axes` keeps its first half if `onesided`."""
    x = fft_c2c(paddle.complex(x, paddle.zeros_like(x)), axes, normalization, forward)
    if not onesided:
        return x
    return paddle.slice(x, [axes[-1]], [0], [x.shape[axes[-1]] // 2 + 1])


def fft_c2r(x, axes, normalization, forward, last_dim_size=0):
    """Complex to real, the last of `axes` given by its first half and `last_dim_size` long after."""
    last = axes[-1]
    n = last_dim_size or 2 * (x.shape[last] - 1)
    count = n
    for axis in axes[:-1]:
        count *= x.shape[axis]
        x = _along(x, axis, -1 if forward else 1)
    rest = n - x.shape[last]
    if rest > 0:
        tail = paddle.flip(paddle.slice(x, [last], [1], [rest + 1]), [last])
        x = paddle.concat([x, paddle.conj(tail)], axis=last)
    return _scaled(paddle.real(_along(x, last, -1 if forward else 1)), count, normalization, forward)


def frame(x, frame_length, hop_length, axis=-1):
    """[..., T] to [..., frame_length, frames]."""
    total = x.shape[-1]
    frames = 1 + (total - frame_length) // hop_length
    at = np.arange(frame_length)[:, None] + hop_length * np.arange(frames)
    flat = x.reshape([-1, total])
    out = paddle.gather(flat, paddle.to_tensor(at.reshape(-1)), axis=1)
    return out.reshape(list(x.shape[:-1]) + [frame_length, frames])


def overlap_add(x, hop_length, axis=-1):
    """[..., frame_length, frames] to [..., T], adding where frames overlap."""
    length, frames = x.shape[-2], x.shape[-1]
    total = (frames - 1) * hop_length + length
    rank = x.ndim
    x = x.transpose(list(range(rank - 2)) + [rank - 1, rank - 2])
    lead = list(x.shape[:-2])
    parts = -(-length // hop_length)
    pad = parts * hop_length - length
    if pad:
        x = paddle.concat([x, paddle.zeros(lead + [frames, pad], dtype=x.dtype)], axis=-1)
    x = x.reshape(lead + [frames, parts, hop_length])
    out = None
    for k in range(parts):
        piece = paddle.slice(x, [x.ndim - 2], [k], [k + 1]).reshape(lead + [frames * hop_length])
        sides = []
        if k:
            sides.append(paddle.zeros(lead + [k * hop_length], dtype=x.dtype))
        sides.append(piece)
        if parts - 1 - k:
            sides.append(paddle.zeros(lead + [(parts - 1 - k) * hop_length], dtype=x.dtype))
        piece = paddle.concat(sides, axis=-1) if len(sides) > 1 else piece
        out = piece if out is None else out + piece
    return paddle.slice(out, [out.ndim - 1], [0], [total])
