# SPDX-License-Identifier: Apache-2.0
"""Gradients of linear layers, products with an activation and products of float8 on gpu:0, against
the CPU in float64: what differs by more than rounding, as JSON.
"""

import itertools
import json

import numpy as np
import paddle
import paddle.incubate.nn.functional as incubate
import paddle.nn.functional as F

RNG = np.random.RandomState(3)
BARS = {'float32': 2e-6, 'float64': 1e-13, 'float16': 4e-3, 'bfloat16': 3e-2}
WRONG = {}


def ran(place, function, arrays, dtype):
    """The result and the gradients of its arguments, of a weighted sum."""
    paddle.set_device(place)
    tensors = [paddle.to_tensor(a).astype(dtype) for a in arrays]
    for t in tensors:
        t.stop_gradient = False
    out = function(*tensors)
    weight = paddle.to_tensor(np.cos(np.arange(out.size)).reshape(out.shape)).astype(dtype)
    out.backward(weight)
    return [t.astype('float64').numpy() for t in [out, *(t.grad for t in tensors)]]


def compare(name, function, shapes, dtype):
    arrays = [RNG.randn(*s) for s in shapes]
    rounded = [paddle.to_tensor(a).astype(dtype).astype('float64').numpy() for a in arrays]
    got, want = ran('gpu:0', function, arrays, dtype), ran('cpu', function, rounded, 'float64')
    for what, a, b in zip('out x y bias second second-bias'.split(), got, want):
        error = np.abs(a - b).max() / max(1, np.abs(b).max())
        if not error <= BARS[dtype]:
            WRONG[f'{name} {dtype} {what}'] = float(error)


def layers():
    def linear(x, w, b):
        return F.linear(x, w, b)

    for dtype in BARS:
        for m, n, k in ((7, 5, 3), (33, 16, 40), (1, 8, 8), (16, 128, 8)):
            compare('linear', linear, [[m, k], [k, n], [n]], dtype)
        compare('linear of batches', linear, [[2, 3, 6], [6, 4], [4]], dtype)
        compare(
            'a view',
            lambda x, w, b: F.linear(x.transpose([1, 0]), w, b),
            [[6, 5], [6, 4], [4]],
            dtype,
        )
        compare(
            'transposed weight',
            lambda x, w, b: incubate.fused_linear(x, w, b, transpose_weight=True),
            [[9, 6], [4, 6], [4]],
            dtype,
        )


def activations():
    for dtype, activation in itertools.product(BARS, ('none', 'relu', 'gelu')):
        for tx, ty in itertools.product((False, True), repeat=2):
            for m, n, k in ((6, 5, 7), (16, 128, 8)):
                compare(
                    f'{activation} {tx} {ty} {n}',
                    lambda x, y, b: incubate.fused_linear_activation(x, y, b, tx, ty, activation),
                    [[k, m] if tx else [m, k], [n, k] if ty else [k, n], [n]],
                    dtype,
                )
        compare(
            f'{activation} of batches',
            lambda x, y, b: incubate.fused_linear_activation(x, y, b, activation=activation),
            [[2, 3, 8], [8, 16], [16]],
            dtype,
        )
    paddle.set_device('gpu:0')
    x, y, b = (paddle.randn(s) for s in ([4, 8], [8, 16], [16]))
    out, reserve = paddle._C_ops.fused_gemm_epilogue(x, y, b, False, False, 'gelu')
    assert np.abs((reserve - (x @ y + b)).numpy()).max() < 1e-5
    assert np.abs((out - F.gelu(reserve, approximate=True)).numpy()).max() < 1e-6


def pairs():
    """Two layers: the gradient between them comes with the first bias's."""
    for dtype in BARS:
        for lead, k, hidden, n in (([5], 6, 16, 7), ([2, 3], 8, 128, 4), ([4], 5, 13, 3)):
            compare(
                f'pair {hidden}',
                lambda *given: paddle._C_ops._linear_pair(*given)[0],
                [[*lead, k], [k, hidden], [hidden], [hidden, n], [n]],
                dtype,
            )


def second_order():
    """Gradients of gradients do not go by these calls."""
    found = []
    for place in ('cpu', 'gpu:0'):
        paddle.set_device(place)
        x, w, b = (
            paddle.to_tensor(np.sin(np.arange(n * m)).reshape([n, m]), stop_gradient=False)
            for n, m in ((4, 8), (8, 16), (1, 16))
        )
        out = incubate.fused_linear_activation(x, w, b[0], activation='gelu')
        first = paddle.grad((out * out).sum(), [x, w, b], create_graph=True)
        second = paddle.grad(sum((g * g).sum() for g in first), [x, w, b])
        found.append([g.numpy() for g in second])
    for a, b in zip(*found):
        error = np.abs(a - b).max() / np.abs(a).max()
        if not error < 1e-10:
            WRONG['second order'] = float(error)


def float8():
    for dtype, act, bias in itertools.product(
        ('float16', 'bfloat16'), ('identity', 'relu', 'gelu'), (None, 'same', 'float32')
    ):
        for tx, ty in itertools.product((False, True), repeat=2):
            for lead, m, n, k in (((), 16, 32, 48), ((2,), 8, 16, 32), ((), 3, 5, 7)):
                shapes = [
                    [*lead, k, m] if tx else [*lead, m, k],
                    [*lead, n, k] if ty else [*lead, k, n],
                ]
                arrays, found = [RNG.randn(*s) for s in [*shapes, [n]]], []
                for place in ('cpu', 'gpu:0'):
                    paddle.set_device(place)
                    x, y = (paddle.to_tensor(a).astype('float8_e4m3fn') for a in arrays[:2])
                    row = None
                    if bias:
                        row = paddle.to_tensor(arrays[2]).astype(dtype if bias == 'same' else bias)
                    out = paddle.linalg.fp8_fp8_half_gemm_fused(
                        x, y, tx, ty, row, 0.375, dtype, act
                    )
                    assert str(out.dtype) == f'paddle.{dtype}' and out.shape == [*lead, m, n]
                    found.append(out.astype('float64').numpy())
                error = np.abs(found[0] - found[1]).max() / np.abs(found[0]).max()
                if not error <= (1e-3 if dtype == 'float16' else 8e-3):
                    WRONG[f'float8 {dtype} {act} {bias} {tx} {ty} {n}'] = float(error)


if __name__ == '__main__':
    layers()
    activations()
    pairs()
    second_order()
    float8()
    print(json.dumps(WRONG))
