# SPDX-License-Identifier: Apache-2.0
"""Short-time Fourier transform and its inverse."""

import paddle
from paddle import _C_ops

__all__ = ['stft', 'istft']


def _check_window(window, win_length, n_fft, like):
    if window is None:
        window = paddle.ones([win_length], dtype=like)
    elif list(window.shape) != [win_length]:
        raise AssertionError(
            f"expected a 1D window tensor of size equal to win_length({win_length}), but got "
            f"window with shape {list(window.shape)}."
        )
    if win_length < n_fft:
        left = (n_fft - win_length) // 2
        right = n_fft - win_length - left
        window = paddle.concat(
            [paddle.zeros([left], window.dtype), window, paddle.zeros([right], window.dtype)]
        )
    return window


def _real_of(dtype):
    return {'complex64': 'float32', 'complex128': 'float64'}.get(
        str(dtype).rsplit('.', 1)[-1], str(dtype).rsplit('.', 1)[-1]
    )


def stft(
    x,
    n_fft,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    pad_mode='reflect',
    normalized=False,
    onesided=None,
    name=None,
):
    """Short-time Fourier transform of [T] or [N, T]: complex [..., frequencies, frames].

    `onesided` keeps n_fft // 2 + 1 frequencies (the default for real input). ValueError or
    AssertionError for lengths that do not fit.
    """
    rank = len(x.shape)
    if rank not in (1, 2):
        raise AssertionError(f"x should be a 1D or 2D real tensor, but got rank of x is {rank}")
    complex_input = 'complex' in str(x.dtype)
    if onesided is None:
        onesided = not complex_input
    if onesided and complex_input:
        raise AssertionError("onesided should be False when input or window is a complex Tensor.")
    if rank == 1:
        x = x.unsqueeze(0)
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    if hop_length <= 0:
        raise AssertionError(f"hop_length should be > 0, but got {hop_length}.")
    if n_fft <= 0 or 0 <= x.shape[-1] < n_fft - (2 * (n_fft // 2) if center else 0):
        raise AssertionError(f"n_fft should be in (0, seq_length({x.shape[-1]})], but got {n_fft}.")
    if not 0 < win_length <= n_fft:
        raise AssertionError(f"win_length should be in (0, n_fft({n_fft})], but got {win_length}.")
    window = _check_window(window, win_length, n_fft, _real_of(x.dtype))
    if center:
        if pad_mode not in ('constant', 'reflect'):
            raise AssertionError(
                f'pad_mode should be "reflect" or "constant", but got "{pad_mode}".'
            )
        half = n_fft // 2
        x = paddle.nn.functional.pad(
            x.unsqueeze(-1), pad=[half, half], mode=pad_mode, data_format='NLC'
        ).squeeze(-1)
    frames = _C_ops.frame(x, n_fft, hop_length, -1)
    frames = paddle.transpose(frames, [0, 2, 1]) * window
    norm = 'ortho' if normalized else 'backward'
    if 'complex' in str(frames.dtype):
        out = _C_ops.fft_c2c(frames, [2], norm, True)
    else:
        out = _C_ops.fft_r2c(frames, [2], norm, True, onesided)
    out = paddle.transpose(out, [0, 2, 1])
    return out.squeeze(0) if rank == 1 else out


def istft(
    x,
    n_fft,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    normalized=False,
    onesided=True,
    length=None,
    return_complex=False,
    name=None,
):
    """Inverse of `stft`: [frequencies, frames] or [N, frequencies, frames] to [T] or [N, T]."""
    if 'complex' not in str(x.dtype):
        raise TypeError(f"[istft] expected a complex tensor, got {x.dtype}")
    rank = len(x.shape)
    if rank not in (2, 3):
        raise AssertionError(f"x should be a 2D or 3D complex tensor, but got rank of x is {rank}")
    if rank == 2:
        x = x.unsqueeze(0)
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    if not 0 < hop_length <= win_length:
        raise AssertionError(
            f"hop_length should be in (0, win_length({win_length})], but got {hop_length}."
        )
    if not 0 < win_length <= n_fft:
        raise AssertionError(f"win_length should be in (0, n_fft({n_fft})], but got {win_length}.")
    frames, bins = x.shape[-1], x.shape[-2]
    if bins != (n_fft // 2 + 1 if onesided else n_fft):
        raise AssertionError(
            f"fft_size of input should be {'n_fft // 2 + 1' if onesided else 'n_fft'}, got {bins}"
        )
    window = _check_window(window, win_length, n_fft, _real_of(x.dtype))
    x = paddle.transpose(x, [0, 2, 1])
    norm = 'ortho' if normalized else 'backward'
    if return_complex:
        if onesided:
            raise AssertionError(
                "onesided should be False when input(output of istft) or window is a complex "
                "Tensor."
            )
        out = _C_ops.fft_c2c(x, [2], norm, False)
    else:
        if 'complex' in str(window.dtype):
            raise AssertionError(
                "Data type of window should not be complex when return_complex is False."
            )
        if not onesided:
            x = paddle.slice(x, [2], [0], [n_fft // 2 + 1])
        out = _C_ops.fft_c2r(x, [2], norm, False, n_fft)
    out = paddle.transpose(out * window, [0, 2, 1])
    out = _C_ops.overlap_add(out, hop_length, -1)
    squares = paddle.tile((window * window).unsqueeze(0), [frames, 1])
    envelope = _C_ops.overlap_add(paddle.transpose(squares, [1, 0]), hop_length, -1)
    start = n_fft // 2 if center else 0
    stop = out.shape[-1] - start if length is None else start + length
    if length is not None and stop > out.shape[-1]:
        short = stop - out.shape[-1]
        out = paddle.concat([out, paddle.zeros([out.shape[0], short], out.dtype)], axis=-1)
        envelope = paddle.concat([envelope, paddle.ones([short], envelope.dtype)])
    out, envelope = out[:, start:stop], envelope[start:stop]
    if float(envelope.abs().min()) < 1e-11:
        raise ValueError("Abort istft because Nonzero Overlap Add (NOLA) condition failed.")
    out = out / envelope
    return out.squeeze(0) if rank == 2 else out


def _positive(value, what):
    if not isinstance(value, int) or value <= 0:
        raise ValueError(f"Unexpected {what}: {value}. It should be an positive integer.")


def _first_or_last(axis):
    if axis not in (0, -1):
        raise ValueError(f"Unexpected axis: {axis}. It should be 0 or -1.")


def frame(x, frame_length, hop_length, axis=-1, name=None):
    """Frames of `frame_length` elements, each `hop_length` further, along the last axis [..., T] ->
    [..., frame_length, frames] or the first [T, ...] -> [frames, frame_length, ...]."""
    _first_or_last(axis)
    _positive(frame_length, 'frame_length')
    _positive(hop_length, 'hop_length')
    if 0 <= x.shape[axis] < frame_length:
        raise ValueError(
            f"Attribute frame_length should be less equal than sequence length, but got "
            f"({frame_length}) > ({x.shape[axis]})."
        )
    return _C_ops.frame(x, frame_length, hop_length, axis)


def overlap_add(x, hop_length, axis=-1, name=None):
    """The sum of frames, each `hop_length` further than the one before: what `frame` takes
    apart.
    """
    _first_or_last(axis)
    _positive(hop_length, 'hop_length')
    return _C_ops.overlap_add(x, hop_length, axis)
