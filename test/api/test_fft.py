# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms against numpy, and the short-time transform's round trip."""

import numpy as np
import pytest

import paddle

RNG = np.random.RandomState(0)
REAL = RNG.randn(4, 6, 5)
COMPLEX = REAL + 1j * RNG.randn(4, 6, 5)


@pytest.mark.parametrize('name', ['fft', 'ifft', 'rfft', 'irfft', 'hfft', 'ihfft'])
@pytest.mark.parametrize(
    'options', [{}, dict(n=3), dict(n=9, axis=1), dict(axis=0, norm='ortho'), dict(norm='forward')]
)
def test_one_axis(name, options):
    x = REAL if name in ('rfft', 'ihfft') else COMPLEX
    np.testing.assert_allclose(
        getattr(paddle.fft, name)(paddle.to_tensor(x), **options).numpy(),
        getattr(np.fft, name)(x, **options),
        atol=1e-12,
    )


@pytest.mark.parametrize('name', ['fftn', 'ifftn', 'rfftn', 'irfftn'])
@pytest.mark.parametrize(
    'options', [{}, dict(s=(3, 8), axes=(1, 2)), dict(axes=(0, 2), norm='ortho')]
)
def test_several_axes(name, options):
    x = REAL if name == 'rfftn' else COMPLEX
    np.testing.assert_allclose(
        getattr(paddle.fft, name)(paddle.to_tensor(x), **options).numpy(),
        getattr(np.fft, name)(x, **options),
        atol=1e-12,
    )


@pytest.mark.parametrize('n', [5, 8])
def test_frequencies_and_shifts(n):
    np.testing.assert_allclose(
        paddle.fft.fftfreq(n, 0.3).numpy(), np.fft.fftfreq(n, 0.3), rtol=1e-6
    )
    np.testing.assert_allclose(
        paddle.fft.rfftfreq(n, 0.3).numpy(), np.fft.rfftfreq(n, 0.3), rtol=1e-6
    )
    x = np.arange(3 * n).reshape(n, 3)
    np.testing.assert_array_equal(
        paddle.fft.fftshift(paddle.to_tensor(x)).numpy(), np.fft.fftshift(x)
    )
    np.testing.assert_array_equal(
        paddle.fft.ifftshift(paddle.to_tensor(x)).numpy(), np.fft.ifftshift(x)
    )


def test_bad_arguments():
    x = paddle.ones([4])
    with pytest.raises(ValueError):
        paddle.fft.fft(x, n=0)
    with pytest.raises(ValueError):
        paddle.fft.fft(x, norm='both')
    with pytest.raises(ValueError):
        paddle.fft.fft(x, axis=2)


@pytest.mark.parametrize('options', [dict(n_fft=16), dict(n_fft=16, hop_length=3, normalized=True)])
def test_short_time_round_trip(options):
    x = paddle.to_tensor(RNG.randn(2, 96))
    frames = paddle.signal.stft(x, **options)
    assert frames.shape[1] == 9
    np.testing.assert_allclose(
        paddle.signal.istft(frames, length=96, **options).numpy(), x.numpy(), atol=1e-10
    )
