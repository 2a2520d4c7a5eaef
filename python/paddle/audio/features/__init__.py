# SPDX-License-Identifier: Apache-2.0
"""Spectral features as layers."""

from .layers import MFCC, LogMelSpectrogram, MelSpectrogram, Spectrogram

__all__ = ['LogMelSpectrogram', 'MelSpectrogram', 'MFCC', 'Spectrogram']
