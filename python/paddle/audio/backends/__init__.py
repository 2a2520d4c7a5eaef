# SPDX-License-Identifier: Apache-2.0
"""Reading and writing 16-bit PCM wave files with the standard library."""

import wave
from dataclasses import dataclass

import numpy as np

import paddle
from paddle import _lazy
from paddle.framework.output_file import OutputFile

__all__ = [
    'get_current_backend',
    'list_available_backends',
    'set_backend',
    'info',
    'load',
    'save',
    'AudioInfo',
]


_BLOCK = 1 << 20  # frames read at a time


@dataclass(eq=False)
class AudioInfo:
    """What a wave file says of itself; the rate is in Hz."""

    sample_rate: int
    num_samples: int
    num_channels: int
    bits_per_sample: int
    encoding: str

    num_frames = property(lambda self: self.num_samples)


def list_available_backends():
    """['wave_backend']."""
    return ['wave_backend']


def get_current_backend():
    """'wave_backend'."""
    return 'wave_backend'


def set_backend(backend_name):
    """Choose a backend; there is 'wave_backend' only."""
    if backend_name not in list_available_backends():
        raise NotImplementedError(
            f"[audio.set_backend] expected one of {list_available_backends()}, got {backend_name!r}"
        )


def _open(filepath):
    try:
        return wave.open(filepath, 'rb')
    except (wave.Error, EOFError) as error:
        raise NotImplementedError(
            f"[wave_backend] expected a PCM WAV file, got one that fails with: {error}"
        ) from None


def info(filepath):
    """Sample rate, length, channels and bits of a wave file."""
    with _open(filepath) as stream:
        return AudioInfo(
            stream.getframerate(),
            stream.getnframes(),
            stream.getnchannels(),
            stream.getsampwidth() * 8,
            'PCM_S',
        )


def load(filepath, frame_offset=0, num_frames=-1, normalize=True, channels_first=True):
    """(samples, sample rate) of a wave file: float32 in [-1, 1], or int16 with
    `normalize=False`.
    """
    with _open(filepath) as stream:
        channels, rate, width = stream.getnchannels(), stream.getframerate(), stream.getsampwidth()
        data = b''.join(
            iter(lambda: stream.readframes(_BLOCK), b'')
        )  # its header may ask for any number of frames
    if width != 2:
        raise NotImplementedError(
            f"[wave_backend] expected samples of 16 bits, got {width * 8} bits"
        )
    array = np.frombuffer(data, '<i2').reshape(-1, channels)
    stop = None if num_frames < 0 else frame_offset + num_frames
    array = array[frame_offset:stop]
    array = array.astype('float32') / 2**15 if normalize else array.astype('int16')
    return paddle.to_tensor(np.ascontiguousarray(array.T if channels_first else array)), rate


def save(filepath, src, sample_rate, channels_first=True, encoding=None, bits_per_sample=16):
    """Write samples [channels, T] (or [T, channels]) as a 16-bit wave file; floats are in [-1,
    1].
    """
    if src.ndim != 2:
        raise AssertionError(f"[save] expected a 2D tensor as src, got shape {src.shape}")
    if bits_per_sample not in (None, 16):
        raise ValueError(
            f"[audio.save] expected bits_per_sample 16 or None, got {bits_per_sample!r}"
        )
    if encoding not in (None, 'PCM_16'):
        raise ValueError(f"[save] expected encoding None or 'PCM_16', got {encoding!r}")
    array = src.numpy()
    array = array.T if channels_first else array
    if array.dtype.kind == 'f':
        array = np.clip(array * 2**15, -(2**15), 2**15 - 1).astype('<i2')
    channels, rate = array.shape[1], float(sample_rate)
    if not 1 <= channels < 2**16:
        raise ValueError(f"[save] expected 1 to 65535 channels, got {channels}")
    if not 0.5 < rate < 2**31 / channels:
        raise ValueError(
            f"[save] expected a sample_rate from 1 to {2**31 // channels - 1}, got {sample_rate}"
        )
    with OutputFile(filepath) as file, wave.open(file, 'wb') as stream:
        stream.setnchannels(channels)
        stream.setsampwidth(2)
        stream.setframerate(rate)
        stream.setnframes(array.shape[0])
        stream.writeframesraw(np.ascontiguousarray(array.astype('<i2')).tobytes())


_lazy.serve(globals())
