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
    except wave.Error as error:
        raise NotImplementedError(
            f"[wave_backend] expected a PCM WAV file, got one that fails with: {error}"
        ) from None
    except EOFError:
        raise EOFError(
            '[wave_backend] expected a WAV file, got one that ends before its header'
        ) from None


def info(filepath):
    """What a PCM wave file says of itself.

    Args:
        filepath (str): The path.

    Returns:
        AudioInfo: has `sample_rate` (Hz), `num_samples`, `num_channels`, `bits_per_sample` and
            `encoding`.

    Raises:
        NotImplementedError: It is no PCM wave file.
        EOFError: It ends before a header does.
        OSError: It is missing.

    Examples:
        >>> paddle.audio.save("a.wav", paddle.zeros([1, 800]), 16000)
        >>> found = paddle.audio.info("a.wav")
        >>> found.sample_rate, found.num_samples, found.num_channels, found.bits_per_sample
        (16000, 800, 1, 16)
    """
    with _open(filepath) as stream:
        return AudioInfo(
            stream.getframerate(),
            stream.getnframes(),
            stream.getnchannels(),
            stream.getsampwidth() * 8,
            'PCM_S',
        )


def load(filepath, frame_offset=0, num_frames=-1, normalize=True, channels_first=True):
    """The samples of a wave file of 16 bits, and its rate.

    Args:
        filepath (str): The path.
        frame_offset (int, default 0): The first sample.
        num_frames (int, default -1): How many samples; -1 for all that follow.
        normalize (bool, default True): Whether samples are in [-1, 1]; otherwise they are the
            whole numbers of the file, in float32, too.
        channels_first (bool, default True): Whether the shape is [channels, samples]; otherwise
            [samples, channels].

    Returns:
        tuple: the samples, a Tensor, and the rate in Hz.

    Raises:
        NotImplementedError: It is no PCM wave file.
        EOFError: It ends before a header does.
        ValueError: Its samples have other than 16 bits.
        OSError: It is missing.

    Examples:
        >>> paddle.audio.save("a.wav", paddle.to_tensor([[0.0, 0.5, -0.5, 0.25]]), 16000)
        >>> samples, rate = paddle.audio.load("a.wav", frame_offset=1)
        >>> samples.tolist(), rate
        ([[0.5, -0.5, 0.25]], 16000)
    """
    with _open(filepath) as stream:
        channels, rate, width = stream.getnchannels(), stream.getframerate(), stream.getsampwidth()
        data = b''.join(
            iter(lambda: stream.readframes(_BLOCK), b'')
        )  # its header may ask for any number of frames
    if width != 2:
        raise ValueError(f"[wave_backend] expected samples of 16 bits, got {width * 8} bits")
    array = np.frombuffer(data, '<i2').reshape(-1, channels)
    stop = None if num_frames < 0 else frame_offset + num_frames
    array = array[frame_offset:stop]
    array = array.astype('float32') / (2**15 if normalize else 1)
    return paddle.to_tensor(np.ascontiguousarray(array.T if channels_first else array)), rate


def save(filepath, src, sample_rate, channels_first=True, encoding=None, bits_per_sample=16):
    """Write samples as a wave file of 16 bits.

    Args:
        filepath (str): The path.
        src (Tensor): Samples: floats in [-1, 1], or integers.
        sample_rate (int): How many a second.
        channels_first (bool, default True): Whether the shape is [channels, samples]; otherwise
            [samples, channels].
        encoding (str, default None): `PCM_16` or `PCM_S`, as None.
        bits_per_sample (int, default 16): 16, as None.

    Returns:
        None.

    Raises:
        AssertionError: src has not two axes.
        ValueError: Another encoding, other bits, or channels and a rate that a wave file cannot
            hold.

    Examples:
        >>> paddle.audio.save("a.wav", paddle.to_tensor([[0.0, 0.5, -1.0]]), 8000)
        >>> paddle.audio.load("a.wav", normalize=False)[0].tolist()
        [[0.0, 16384.0, -32768.0]]
    """
    if src.ndim != 2:
        raise AssertionError(f"[save] expected a 2D tensor as src, got shape {src.shape}")
    if bits_per_sample not in (None, 16):
        raise ValueError(
            f"[audio.save] expected bits_per_sample 16 or None, got {bits_per_sample!r}"
        )
    if encoding not in (None, 'PCM_16', 'PCM_S'):
        raise ValueError(f"[save] expected encoding None, 'PCM_16' or 'PCM_S', got {encoding!r}")
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
