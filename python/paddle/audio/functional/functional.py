# SPDX-License-Identifier: Apache-2.0
"""Mel scales, filter banks and decibels."""

import math

import numpy as np

import paddle
from paddle.base.arguments import integer, to_array
from paddle.base.libpaddle import expect_tensors

__all__ = [
    'hz_to_mel',
    'mel_to_hz',
    'mel_frequencies',
    'fft_frequencies',
    'compute_fbank_matrix',
    'power_to_db',
    'create_dct',
]

_STEP = 200.0 / 3
_BREAK_HZ = 1000.0
_BREAK_MEL = _BREAK_HZ / _STEP
_LOG_STEP = math.log(6.4) / 27.0


def _hz_to_mel(freq, htk, of=np):
    if htk:
        return 2595.0 * of.log10(1.0 + freq / 700.0)
    above = _BREAK_MEL + of.log(of.clip(freq, _BREAK_HZ, None) / _BREAK_HZ) / _LOG_STEP
    return of.where(freq >= _BREAK_HZ, above, freq / _STEP)


def _mel_to_hz(mel, htk, of=np):
    if htk:
        return 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
    above = _BREAK_HZ * of.exp(_LOG_STEP * (mel - _BREAK_MEL))
    return of.where(mel >= _BREAK_MEL, above, _STEP * mel)


def _convert(function, name, value, htk):
    if isinstance(value, paddle.Tensor):
        dtype = value.dtype if value.is_floating_point() else paddle.get_default_dtype()
        return function(value.astype('float64'), htk, paddle).astype(dtype)
    return float(function(to_array(name[0], name[1], value, 'float64'), htk))


def hz_to_mel(freq, htk=False):
    """Frequencies in mels.

    Args:
        freq (Tensor or float): Frequencies in Hz.
        htk (bool, default False): Whether mels are HTK's, 2595 log10(1 + freq / 700); otherwise
            Slaney's, which are linear below 1000 Hz.

    Returns:
        Tensor or float: as freq.

    Source: Slaney, Auditory Toolbox (1998); Young and others, The HTK Book.

    Examples:
        >>> paddle.audio.functional.hz_to_mel(1000.0)
        15.0
        >>> round(float(paddle.audio.functional.hz_to_mel(700.0, htk=True)), 3)
        781.173
    """
    return _convert(_hz_to_mel, ('hz_to_mel', 'freq'), freq, htk)


def mel_to_hz(mel, htk=False):
    """Frequencies in Hz.

    Args:
        mel (Tensor or float): Frequencies in mels.
        htk (bool, default False): Whether mels are HTK's; otherwise Slaney's.

    Returns:
        Tensor or float: as mel.

    Examples:
        >>> paddle.audio.functional.mel_to_hz(15.0)
        1000.0
        >>> paddle.audio.functional.mel_to_hz(paddle.to_tensor([0.0, 3.0])).tolist()
        [0.0, 200.0]
    """
    return _convert(_mel_to_hz, ('mel_to_hz', 'mel'), mel, htk)


def mel_frequencies(n_mels=64, f_min=0.0, f_max=11025.0, htk=False, dtype='float32'):
    """Frequencies that are evenly spaced in mels.

    Args:
        n_mels (int, default 64): How many.
        f_min (float, default 0.0): The lowest, in Hz.
        f_max (float, default 11025.0): The highest, in Hz.
        htk (bool, default False): Whether mels are HTK's; otherwise Slaney's.
        dtype (str, default 'float32'): The dtype of the result.

    Returns:
        Tensor: frequencies in Hz, of shape [n_mels].

    Examples:
        >>> paddle.audio.functional.mel_frequencies(4, 0.0, 600.0).tolist()
        [0.0, 200.0, 400.0, 600.0]
    """
    mels = np.linspace(_hz_to_mel(f_min, htk), _hz_to_mel(f_max, htk), n_mels)
    return paddle.to_tensor(_mel_to_hz(mels, htk), dtype=dtype)


def fft_frequencies(sr, n_fft, dtype='float32'):
    """The frequencies of the values of a real Fourier transform.

    Args:
        sr (int): The rate of the signal in Hz.
        n_fft (int): The length of the transform.
        dtype (str, default 'float32'): The dtype of the result.

    Returns:
        Tensor: frequencies in Hz, of shape [n_fft // 2 + 1].

    Examples:
        >>> paddle.audio.functional.fft_frequencies(16000, 8).tolist()
        [0.0, 2000.0, 4000.0, 6000.0, 8000.0]
    """
    return paddle.to_tensor(np.linspace(0, float(sr) / 2, 1 + n_fft // 2), dtype=dtype)


def compute_fbank_matrix(
    sr, n_fft, n_mels=64, f_min=0.0, f_max=None, htk=False, norm='slaney', dtype='float32'
):
    """Triangular filters that are evenly spaced in mels.

    Args:
        sr (int): The rate of the signal in Hz.
        n_fft (int): The length of the transform.
        n_mels (int, default 64): How many filters there are.
        f_min (float, default 0.0): Where the lowest begins, in Hz.
        f_max (float, default None): Where the highest ends, in Hz; None for half of sr.
        htk (bool, default False): Whether mels are HTK's; otherwise Slaney's.
        norm (str, float or None, default 'slaney'): `slaney` for filters of equal area, a number p
            for equal p-norms, None for equal heights.
        dtype (str, default 'float32'): The dtype of the result.

    Returns:
        Tensor: the filters, of shape [n_mels, n_fft // 2 + 1].

    Examples:
        >>> filters = paddle.audio.functional.compute_fbank_matrix(800, 8, 3, norm=None)
        >>> filters.shape, filters.argmax(1).tolist()
        (paddle.Size([3, 5]), [1, 2, 3])
    """
    f_min, f_max = float(f_min), float(sr) / 2 if f_max is None else float(f_max)
    bins = np.linspace(0, float(sr) / 2, 1 + n_fft // 2)
    edges = _mel_to_hz(np.linspace(_hz_to_mel(f_min, htk), _hz_to_mel(f_max, htk), n_mels + 2), htk)
    gaps = np.diff(edges)
    slopes = edges[:, None] - bins[None]
    rising, falling = -slopes[:-2] / gaps[:-1, None], slopes[2:] / gaps[1:, None]
    weights = np.maximum(0.0, np.minimum(rising, falling))
    if norm == 'slaney':
        weights *= (2.0 / (edges[2 : n_mels + 2] - edges[:n_mels]))[:, None]
    elif isinstance(norm, (int, float)):
        weights = weights / np.maximum(
            np.linalg.norm(weights, ord=norm, axis=-1, keepdims=True), 1e-12
        )
    return paddle.to_tensor(weights, dtype=dtype)


def power_to_db(spect, ref_value=1.0, amin=1e-10, top_db=80.0):
    """10 log10(spect / ref_value), not far below its maximum.

    Args:
        spect (Tensor): Powers.
        ref_value (float, default 1.0): What is 0 dB.
        amin (float, default 1e-10): Smaller values count as this one.
        top_db (float, default 80.0): How far values may be below the maximum; None for as far as
            they are.

    Returns:
        Tensor: decibels, as spect.

    Raises:
        Exception: amin or ref_value is not positive, or top_db negative.

    Examples:
        >>> paddle.audio.functional.power_to_db(paddle.to_tensor([1.0, 10.0, 1e-12])).tolist()
        [0.0, 10.0, -70.0]
    """
    expect_tensors('power_to_db', spect=spect)
    if amin <= 0:
        raise Exception(f"[power_to_db] expected a positive amin, got {amin!r}")
    if ref_value <= 0:
        raise Exception(f"[power_to_db] expected a positive ref_value, got {ref_value!r}")
    db = 10.0 * (spect.clip(min=amin).log() / math.log(10.0)) - 10.0 * math.log10(
        max(ref_value, amin)
    )
    if top_db is not None:
        if top_db < 0:
            raise Exception(f"[power_to_db] expected top_db of at least 0, got {top_db!r}")
        db = paddle.maximum(db, db.max() - top_db)
    return db


def create_dct(n_mfcc, n_mels, norm='ortho', dtype='float32'):
    """The matrix of a cosine transform of type II.

    Args:
        n_mfcc (int): How many coefficients it gives.
        n_mels (int): Of how many values.
        norm (str, default 'ortho'): `ortho` for an orthonormal one; None for twice the sums.
        dtype (str, default 'float32'): The dtype of the result.

    Returns:
        Tensor: of shape [n_mels, n_mfcc]: values @ matrix are the coefficients.

    Raises:
        AssertionError: Another norm.

    Examples:
        >>> paddle.audio.functional.create_dct(2, 2).tolist()
        [[0.7071067690849304, 0.7071067690849304], [0.7071067690849304, -0.7071067690849304]]
    """
    n = np.arange(integer('create_dct', 'n_mels', n_mels))
    order = np.arange(integer('create_dct', 'n_mfcc', n_mfcc))
    dct = np.cos(math.pi / float(n_mels) * (n + 0.5) * order[:, None])
    if norm is None:
        dct *= 2.0
    elif norm == 'ortho':
        dct[0] *= 1.0 / math.sqrt(2.0)
        dct *= math.sqrt(2.0 / float(n_mels))
    else:
        raise AssertionError(f"[create_dct] expected norm 'ortho' or None, got {norm!r}")
    return paddle.to_tensor(np.ascontiguousarray(dct.T), dtype=dtype)
