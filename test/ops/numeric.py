# SPDX-License-Identifier: Apache-2.0
"""First and second derivatives against central differences in float64."""

import numpy as np

import paddle


def _weights(shape, seed):
    return paddle.to_tensor(np.random.RandomState(seed).randn(*shape))


def _tensors(arrays):
    out = []
    for a in arrays:
        t = paddle.to_tensor(a)
        if np.asarray(a).dtype.kind == 'f':
            t.stop_gradient = False
        out.append(t)
    return out


def check_grad(function, *arrays, order=2, eps=1e-5, places=5):
    """Compare the derivatives of a random projection of `function(*arrays)` at some places of each
    float array.
    """
    floats = [i for i, a in enumerate(arrays) if np.asarray(a).dtype.kind == 'f']

    def value(tensors):
        out = function(*tensors)
        out = out[0] if isinstance(out, (list, tuple)) else out
        return (out * _weights(out.shape, 7)).sum()

    def gradient(tensors):
        grads = paddle.grad(value(tensors), [tensors[i] for i in floats], create_graph=order > 1)
        return grads, sum((g * _weights(g.shape, 11 + k) * g).sum() for k, g in enumerate(grads))

    def moved(i, place, step):
        changed = [np.array(a, copy=True) for a in arrays]
        changed[i].flat[place] += step
        return _tensors(changed)

    tensors = _tensors(arrays)
    grads, norm = gradient(tensors)
    second = [None] * len(floats)
    if order > 1 and not norm.stop_gradient:
        second = paddle.grad(norm, [tensors[i] for i in floats], allow_unused=True)
    for k, i in enumerate(floats):
        size = np.asarray(arrays[i]).size
        for place in np.random.RandomState(3).permutation(size)[:places]:
            want = (float(value(moved(i, place, eps))) - float(value(moved(i, place, -eps)))) / (
                2 * eps
            )
            np.testing.assert_allclose(grads[k].numpy().flat[place], want, rtol=1e-5, atol=1e-5)
            if order > 1:
                want = (
                    float(gradient(moved(i, place, eps))[1])
                    - float(gradient(moved(i, place, -eps))[1])
                ) / (2 * eps)
                have = 0.0 if second[k] is None else second[k].numpy().flat[place]
                np.testing.assert_allclose(have, want, rtol=2e-4, atol=2e-4)
