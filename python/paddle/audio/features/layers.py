# SPDX-License-Identifier: Apache-2.0
"""Spectrograms and cepstral coefficients of [N, T] signals."""

import paddle
from paddle import nn

from ..functional import compute_fbank_matrix, create_dct, get_window, power_to_db

__all__ = ['Spectrogram', 'MelSpectrogram', 'LogMelSpectrogram', 'MFCC']


class Spectrogram(nn.Layer):
    """|stft|^power, [N, n_fft // 2 + 1, frames]."""

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


class MelSpectrogram(nn.Layer):
    """The spectrogram through mel filters, [N, n_mels, frames]."""

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


class LogMelSpectrogram(nn.Layer):
    """The mel spectrogram in decibels."""

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


class MFCC(nn.Layer):
    """Mel-frequency cepstral coefficients, [N, n_mfcc, frames]."""

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
