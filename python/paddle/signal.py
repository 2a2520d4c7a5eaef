# SPDX-License-Identifier: Apache-2.0
"""Short-time Fourier transform and its inverse."""

import paddle
from paddle import _C_ops
from paddle.base.framework import is_recorded
from paddle.base.libpaddle import expect_tensors
from paddle.tensor.manipulation import extents as _extents

__all__ = ['stft', 'istft']


def _check_window(op, window, win_length, n_fft, like):
    if window is None:
        window = paddle.ones([win_length], dtype=like)
    elif list(window.shape) != [win_length]:
        raise AssertionError(
            f"[{op}] expected a window of shape [{win_length}], win_length, got "
            f"{list(window.shape)}"
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
    """Short-time Fourier transform.

    Args:
        x (Tensor): Samples, of shape [T] or [N, T], real or complex.
        n_fft (int): How many samples a frame has.
        hop_length (int, default None): From one frame to the next; None for n_fft // 4.
        win_length (int, default None): How many samples the window has; None for n_fft.
        window (Tensor, default None): The window, of win_length numbers; None for ones.
        center (bool, default True): Whether x is padded so that frames are centred at their
            samples.
        pad_mode (str, default 'reflect'): How: `reflect` or `constant`.
        normalized (bool, default False): Whether results are divided by sqrt(n_fft).
        onesided (bool, default None): Whether n_fft // 2 + 1 frequencies are kept; None for a real
            x.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: complex, of shape [..., frequencies, frames].

    Raises:
        ValueError: Lengths do not fit.

    Examples:
        >>> x = paddle.ones([16])
        >>> y = paddle.signal.stft(x, n_fft=8, hop_length=4)
        >>> y.shape, y[0].real().tolist()
        (paddle.Size([5, 5]), [8.0, 8.0, 8.0, 8.0, 8.0])
    """
    expect_tensors("stft", x=x)
    rank = len(x.shape)
    if rank not in (1, 2):
        raise AssertionError(f"[stft] expected x of 1 or 2 axes, got shape {list(x.shape)}")
    complex_input = 'complex' in str(x.dtype)
    if onesided is None:
        onesided = not complex_input
    if onesided and complex_input:
        raise AssertionError("[stft] expected onesided=False for complex x or window, got True")
    if rank == 1:
        x = x.unsqueeze(0)
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    if hop_length <= 0:
        raise AssertionError(f"[stft] expected a positive hop_length, got {hop_length}")
    if center and pad_mode == "reflect" and 0 <= x.shape[-1] <= n_fft // 2:
        raise AssertionError(
            f"[stft] expected n_fft of at most {2 * x.shape[-1] - 1} for the length {x.shape[-1]} "
            f"that is reflected, got {n_fft}"
        )
    if n_fft <= 0 or 0 <= x.shape[-1] < n_fft - (2 * (n_fft // 2) if center else 0):
        raise AssertionError(
            f"[stft] expected n_fft from 1 to the length {x.shape[-1]}, got {n_fft}"
        )
    if not 0 < win_length <= n_fft:
        raise AssertionError(
            f"[stft] expected win_length from 1 to n_fft {n_fft}, got {win_length}"
        )
    window = _check_window('stft', window, win_length, n_fft, _real_of(x.dtype))
    if center:
        if pad_mode not in ('constant', 'reflect'):
            raise AssertionError(
                f"[stft] expected pad_mode 'reflect' or 'constant', got {pad_mode!r}"
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
    """Inverse of `stft`.

    Args:
        x (Tensor): What `stft` gives, of shape [frequencies, frames] or [N, frequencies, frames].
        n_fft (int): How many samples a frame has.
        hop_length (int, default None): From one frame to the next; None for n_fft // 4.
        win_length (int, default None): How many samples the window has; None for n_fft.
        window (Tensor, default None): The window, of win_length numbers; None for ones.
        center (bool, default True): Whether `stft` padded.
        normalized (bool, default False): Whether `stft` divided by sqrt(n_fft).
        onesided (bool, default True): Whether `stft` kept n_fft // 2 + 1 frequencies.
        length (int, default None): How many samples are returned; None for all.
        return_complex (bool, default False): Whether the result is complex.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [T] or [N, T].

    Examples:
        >>> x = paddle.arange(16, dtype="float32")
        >>> window = paddle.ones([8])
        >>> y = paddle.signal.stft(x, 8, hop_length=4, window=window)
        >>> z = paddle.signal.istft(y, 8, hop_length=4, window=window)
        >>> bool(paddle.allclose(z, x, atol=1e-4))
        True
    """
    expect_tensors("istft", x=x)
    if 'complex' not in str(x.dtype):
        raise TypeError(f"[istft] expected a complex tensor, got {x.dtype}")
    rank = len(x.shape)
    if rank not in (2, 3):
        raise AssertionError(f"[istft] expected x of 2 or 3 axes, got shape {list(x.shape)}")
    if rank == 2:
        x = x.unsqueeze(0)
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    if not 0 < hop_length <= win_length:
        raise AssertionError(
            f"[istft] expected hop_length from 1 to win_length {win_length}, got {hop_length}"
        )
    if not 0 < win_length <= n_fft:
        raise AssertionError(
            f"[istft] expected win_length from 1 to n_fft {n_fft}, got {win_length}"
        )
    frames, bins = x.shape[-1], x.shape[-2]
    if bins != (n_fft // 2 + 1 if onesided else n_fft):
        raise AssertionError(
            f"[istft] expected {n_fft // 2 + 1 if onesided else n_fft} frequencies for "
            f"onesided={onesided}, got {bins}"
        )
    window = _check_window('istft', window, win_length, n_fft, _real_of(x.dtype))
    x = paddle.transpose(x, [0, 2, 1])
    norm = 'ortho' if normalized else 'backward'
    if return_complex:
        if onesided:
            raise AssertionError(
                "[istft] expected onesided=False for a complex window or result, got True"
            )
        out = _C_ops.fft_c2c(x, [2], norm, False)
    else:
        if 'complex' in str(window.dtype):
            raise AssertionError(
                f"[istft] expected a real window for return_complex=False, got {window.dtype}"
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
        out = paddle.concat([out, paddle.zeros([_extents(out)[0], short], out.dtype)], axis=-1)
        envelope = paddle.concat([envelope, paddle.ones([short], envelope.dtype)])
    out, envelope = out[:, start:stop], envelope[start:stop]
    least = envelope.abs().min()
    if is_recorded(least):
        paddle.static.nn.control_flow.Assert(least >= 1e-11, [least])
    elif float(least) < 1e-11:
        raise ValueError(
            "[istft] expected windows that leave no sample out, got an envelope with zeros"
        )
    out = out / envelope
    return out.squeeze(0) if rank == 2 else out


def _positive(op, name, value):
    if not isinstance(value, int) or value <= 0:
        raise ValueError(f"[{op}] expected {name} to be a positive int, got {value!r}")


def _first_or_last(op, axis):
    if axis not in (0, -1):
        raise ValueError(f"[{op}] expected axis 0 or -1, got {axis}")


def frame(x, frame_length, hop_length, axis=-1, name=None):
    """Frames of `frame_length` elements, each `hop_length` further, along the last axis [..., T] ->
    [..., frame_length, frames] or the first [T, ...] -> [frames, frame_length, ...]."""
    expect_tensors("frame", x=x)
    _first_or_last('frame', axis)
    _positive('frame', 'frame_length', frame_length)
    _positive('frame', 'hop_length', hop_length)
    if 0 <= x.shape[axis] < frame_length:
        raise ValueError(
            f"[frame] expected frame_length of at most the extent {x.shape[axis]}, got "
            f"{frame_length}"
        )
    return _C_ops.frame(x, frame_length, hop_length, axis)


def overlap_add(x, hop_length, axis=-1, name=None):
    """The sum of frames, each `hop_length` further than the one before: what `frame` takes
    apart.
    """
    _first_or_last('overlap_add', axis)
    _positive('overlap_add', 'hop_length', hop_length)
    return _C_ops.overlap_add(x, hop_length, axis)
