# SPDX-License-Identifier: Apache-2.0
"""Spectrograms and cepstral coefficients of [N, T] signals."""

import paddle
from paddle import nn
from paddle.base.documentation import shares

from ..functional import compute_fbank_matrix, create_dct, get_window, power_to_db

__all__ = ['Spectrogram', 'MelSpectrogram', 'LogMelSpectrogram', 'MFCC']


class Spectrogram(nn.Layer):
    """The magnitudes of a short-time Fourier transform, to a power.

    A call takes signals of shape [N, samples] and gives [N, n_fft // 2 + 1, frames].

    Args:
        n_fft (int, default 512): The length of a transform.
        hop_length (int, default 512): How many samples lie between the beginnings of frames; None
            for a quarter of n_fft.
        win_length (int, default None): The length of the window; None for n_fft.
        window (str or tuple, default 'hann'): The window, as `paddle.audio.functional.get_window`
            takes it.
        power (float, default 1.0): The power of the magnitudes: 1 for the magnitudes, 2 for the
            power.
        center (bool, default True): Whether frames are centred at their times, with a padded
            signal.
        pad_mode (str, default 'reflect'): How it is padded: `reflect` or `constant`.
        dtype (str, default 'float32'): The dtype of the window.

    Raises:
        AssertionError: power is not positive.

    Examples:
        >>> t = paddle.arange(400, dtype="float32") / 100.0
        >>> layer = paddle.audio.features.Spectrogram(n_fft=100, hop_length=100, center=False)
        >>> out = layer(paddle.sin(2 * 3.14159265 * 20.0 * t).unsqueeze(0))
        >>> out.shape, out[0, :, 0].argmax().item()
        (paddle.Size([1, 51, 4]), 20)
    """

    def __init__(
        self,
        n_fft=512,
        hop_length=512,
        win_length=None,
        window='hann',
        power=1.0,
        center=True,
        pad_mode='reflect',
        dtype='float32',
    ):
        super().__init__()
        if power <= 0:
            raise AssertionError(f"[Spectrogram] expected a positive power, got {power!r}")
        self.power = power
        win_length = n_fft if win_length is None else win_length
        self.fft_window = get_window(window, win_length, fftbins=True, dtype=dtype)
        self._options = dict(
            n_fft=n_fft,
            hop_length=hop_length,
            win_length=win_length,
            center=center,
            pad_mode=pad_mode,
        )

    def forward(self, x):
        return paddle.signal.stft(x, window=self.fft_window, **self._options).abs().pow(self.power)


@shares(Spectrogram)
class MelSpectrogram(nn.Layer):
    """A spectrogram through filters that are evenly spaced in mels.

    A call takes signals of shape [N, samples] and gives [N, n_mels, frames].

    Args:
        sr (int, default 22050): The rate of the signals in Hz.
        n_fft (int, default 2048): The length of a transform.
        {hop_length, win_length, window}
        power (float, default 2.0): The power of the magnitudes: 1 for the magnitudes, 2 for the
            power.
        {center, pad_mode}
        n_mels (int, default 64): How many filters there are.
        f_min (float, default 50.0): Where the lowest begins, in Hz.
        f_max (float, default None): Where the highest ends, in Hz; None for half of sr.
        htk (bool, default False): Whether mels are HTK's, not Slaney's.
        norm (str, float or None, default 'slaney'): `slaney` for filters of equal area, a number p
            for equal p-norms, None for equal heights.
        dtype (str, default 'float32'): The dtype of the window and the filters.

    Examples:
        >>> layer = paddle.audio.features.MelSpectrogram(sr=16000, n_fft=512, n_mels=40)
        >>> layer(paddle.zeros([2, 16000])).shape
        paddle.Size([2, 40, 32])
    """

    def __init__(
        self,
        sr=22050,
        n_fft=2048,
        hop_length=512,
        win_length=None,
        window='hann',
        power=2.0,
        center=True,
        pad_mode='reflect',
        n_mels=64,
        f_min=50.0,
        f_max=None,
        htk=False,
        norm='slaney',
        dtype='float32',
    ):
        super().__init__()
        self._spectrogram = Spectrogram(
            n_fft, hop_length, win_length, window, power, center, pad_mode, dtype
        )
        self.n_mels = n_mels
        self.f_min = f_min
        self.f_max = sr // 2 if f_max is None else f_max
        self.htk = htk
        self.norm = norm
        self.fbank_matrix = compute_fbank_matrix(
            sr, n_fft, n_mels, f_min, self.f_max, htk, norm, dtype
        )

    def forward(self, x):
        return paddle.matmul(self.fbank_matrix, self._spectrogram(x))


@shares(MelSpectrogram)
class LogMelSpectrogram(nn.Layer):
    """A mel spectrogram in decibels.

    A call takes signals of shape [N, samples] and gives [N, n_mels, frames].

    Args:
        {sr}
        n_fft (int, default 512): The length of a transform.
        hop_length (int, default None): How many samples lie between the beginnings of frames; None
            for a quarter of n_fft.
        {win_length, window, power, center, pad_mode, n_mels, f_min, f_max, htk, norm}
        ref_value (float, default 1.0): What is 0 dB.
        amin (float, default 1e-10): Smaller values count as this one.
        top_db (float, default None): How far values may be below the maximum; None for as far as
            they are.
        {dtype}

    Examples:
        >>> layer = paddle.audio.features.LogMelSpectrogram(sr=16000, n_mels=40)
        >>> out = layer(paddle.zeros([2, 16000]))
        >>> out.shape, out.max().item()
        (paddle.Size([2, 40, 126]), -100.0)
    """

    def __init__(
        self,
        sr=22050,
        n_fft=512,
        hop_length=None,
        win_length=None,
        window='hann',
        power=2.0,
        center=True,
        pad_mode='reflect',
        n_mels=64,
        f_min=50.0,
        f_max=None,
        htk=False,
        norm='slaney',
        ref_value=1.0,
        amin=1e-10,
        top_db=None,
        dtype='float32',
    ):
        super().__init__()
        self._melspectrogram = MelSpectrogram(
            sr,
            n_fft,
            hop_length,
            win_length,
            window,
            power,
            center,
            pad_mode,
            n_mels,
            f_min,
            f_max,
            htk,
            norm,
            dtype,
        )
        self.ref_value = ref_value
        self.amin = amin
        self.top_db = top_db

    def forward(self, x):
        return power_to_db(self._melspectrogram(x), self.ref_value, self.amin, self.top_db)


@shares(LogMelSpectrogram)
class MFCC(nn.Layer):
    """Mel-frequency cepstral coefficients: the cosine transform of a mel spectrogram in decibels.

    A call takes signals of shape [N, samples] and gives [N, n_mfcc, frames].

    Args:
        {sr}
        n_mfcc (int, default 40): How many coefficients there are, at most n_mels.
        {n_fft, hop_length, win_length, window, power, center, pad_mode, n_mels, f_min, f_max, htk}
        {norm, ref_value, amin, top_db, dtype}

    Raises:
        AssertionError: n_mfcc is above n_mels.

    Source: Davis and Mermelstein, Comparison of parametric representations for monosyllabic word
        recognition (1980).

    Examples:
        >>> layer = paddle.audio.features.MFCC(sr=16000, n_mfcc=13, n_mels=40)
        >>> layer(paddle.zeros([2, 16000])).shape
        paddle.Size([2, 13, 126])
    """

    def __init__(
        self,
        sr=22050,
        n_mfcc=40,
        n_fft=512,
        hop_length=None,
        win_length=None,
        window='hann',
        power=2.0,
        center=True,
        pad_mode='reflect',
        n_mels=64,
        f_min=50.0,
        f_max=None,
        htk=False,
        norm='slaney',
        ref_value=1.0,
        amin=1e-10,
        top_db=None,
        dtype='float32',
    ):
        super().__init__()
        if n_mfcc > n_mels:
            raise AssertionError(
                f"[MFCC] expected n_mfcc of at most n_mels, got {n_mfcc} of {n_mels}"
            )
        self._log_melspectrogram = LogMelSpectrogram(
            sr,
            n_fft,
            hop_length,
            win_length,
            window,
            power,
            center,
            pad_mode,
            n_mels,
            f_min,
            f_max,
            htk,
            norm,
            ref_value,
            amin,
            top_db,
            dtype,
        )
        self.dct_matrix = create_dct(n_mfcc, n_mels, dtype=dtype)

    def forward(self, x):
        log_mel = self._log_melspectrogram(x)
        return paddle.matmul(log_mel.transpose([0, 2, 1]), self.dct_matrix).transpose([0, 2, 1])
