# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms on gpu:0, values and gradients, against the CPU in float64: what differs by
more than rounding, as JSON. Argument: `few` for one of each kind, twice; `captured` for graphs.
"""

import json
import sys

import numpy as np
import paddle

BARS = {'float32': 3e-6, 'float64': 1e-14, 'complex64': 3e-6, 'complex128': 1e-14}


def cases():
    """{name: (shape, whether the input is complex, function)}"""
    fft, signal = paddle.fft, paddle.signal
    window = np.hanning(8)
    return {
        'fft': ([3, 12], True, fft.fft),
        'ifft': ([3, 7], True, fft.ifft),
        'rfft': ([5, 9], False, fft.rfft),
        'irfft': ([5, 6], True, lambda x: fft.irfft(x, n=10)),
        'hfft': ([3, 5], True, lambda x: fft.hfft(x, n=9)),
        'ihfft': ([3, 8], False, fft.ihfft),
        'whole': ([2, 5, 4], False, lambda x: fft.fftn(x, axes=[0, 2])),
        'ortho': ([2, 6], True, lambda x: fft.ifft(x, norm='ortho')),
        'forward': ([2, 6], False, lambda x: fft.rfft(x, norm='forward')),
        'first': ([6, 2, 3], True, lambda x: fft.fft(x, axis=0)),
        'middle': ([2, 6, 3], True, lambda x: fft.fft(x, axis=1)),
        'many': ([12, 5, 11], False, lambda x: fft.rfft(x, axis=1)),
        'many-real': ([12, 4, 11], True, lambda x: fft.irfft(x, n=7, axis=1)),
        'two': ([2, 4, 6], True, fft.fft2),
        'two-real': ([2, 4, 5], False, fft.rfft2),
        'to-two': ([2, 4, 3], True, lambda x: fft.irfft2(x, s=[4, 4])),
        'order': ([4, 3, 6], False, lambda x: fft.rfftn(x, axes=[2, 0])),
        'to-order': ([4, 3, 6], True, lambda x: fft.irfftn(x, axes=[2, 0])),
        'hermitian': ([3, 4, 5], True, fft.hfftn),
        'to-hermitian': ([3, 4, 5], False, fft.ihfftn),
        'four': ([2, 3, 2, 3], True, fft.fftn),
        'four-real': ([3, 2, 2, 4], False, fft.rfftn),
        'padded': ([2, 5], True, lambda x: fft.fft(x, n=8)),
        'view': ([6, 9], True, lambda x: fft.fft(x.t()[1:8])),
        'odd-rows': ([3, 9], False, lambda x: fft.rfft(x[1:])),
        'frame': ([2, 20], False, lambda x: signal.frame(x, 6, 3)),
        'frame-first': ([20, 2], False, lambda x: signal.frame(x, 6, 3, axis=0)),
        'overlap': ([2, 6, 5], False, lambda x: signal.overlap_add(x, 2)),
        'overlap-first': ([5, 6, 2], True, lambda x: signal.overlap_add(x, 4, axis=0)),
        'stft': (
            [2, 40],
            False,
            lambda x: signal.stft(x, 8, 4, window=paddle.to_tensor(window).astype(x.dtype)),
        ),
    }


def numbers(shape, is_complex):
    rng = np.random.RandomState(sum(shape))
    x = rng.randn(*shape)
    return x + 1j * rng.randn(*shape) if is_complex else x


def both(place, array, dtype, function, has_gradient=True):
    """The result and the gradient of a weighted sum of it."""
    paddle.set_device(place)
    x = paddle.to_tensor(array).astype(dtype)
    x.stop_gradient = not has_gradient
    y = function(x)
    if not has_gradient:
        assert y.place.is_gpu_place() == (place != 'cpu')
        return y.numpy(), None
    parts = paddle.as_real(y) if y.is_complex() else y
    weights = paddle.cos(paddle.arange(parts.size, dtype='float64')).reshape(parts.shape)
    (parts * weights.astype(parts.dtype)).sum().backward()
    assert y.place.is_gpu_place() == x.grad.place.is_gpu_place() == (place != 'cpu')
    return y.numpy(), x.grad.numpy()


def compare(name, dtype, array, function):
    wide = 'complex128' if np.iscomplexobj(array) else 'float64'
    wanted = both('cpu', array, wide, function)
    for got, want, what in zip(
        both('gpu:0', array, dtype, function), wanted, ('value', 'gradient')
    ):
        error = np.abs(got - want).max() / max(np.abs(want).max(), 1)
        if not error <= BARS[dtype]:
            yield f'{name}-{dtype}-{what}', float(error)


def captured():
    """A transform that is known and one that is not, in a graph."""
    paddle.set_device('gpu:0')
    x = paddle.ones([4, 8])
    paddle.fft.rfft(x)
    graph = paddle.device.cuda.graphs.CUDAGraph()
    graph.capture_begin()
    y = paddle.fft.rfft(x)
    try:
        paddle.fft.rfft(x[:3])
        refused = ''
    except RuntimeError as e:
        refused = str(e)
    graph.capture_end()
    x.fill_(3.0)
    graph.replay()
    assert paddle.as_real(y)[:, 0, 0].tolist() == [24.0] * 4, y
    assert 'fft_r2c' in refused, refused


if __name__ == '__main__':
    wrong = {}
    if 'captured' in sys.argv:
        captured()
    else:
        few = 'few' in sys.argv
        for name, (shape, is_complex, function) in cases().items():
            if few and name not in ('fft', 'rfft', 'irfft'):
                continue
            array = numbers(shape, is_complex)
            for dtype in ('complex64', 'complex128') if is_complex else ('float32', 'float64'):
                for _ in range(1 + few):
                    wrong |= dict(compare(name, dtype, array, function))
        empty = paddle.fft.fft(paddle.zeros([0, 4], 'complex64'))
        assert empty.shape == [0, 4] and empty.place.is_gpu_place()
    print(json.dumps(wrong))
