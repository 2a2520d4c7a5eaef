# SPDX-License-Identifier: Apache-2.0
"""Products of matrices, convolutions, sorting, scans and indexed writes on gpu:0 against float64 on
the CPU. Prints, as JSON, the largest error of each case in units of the last place of the dtype,
relative to the sum of magnitudes (float16: or of its least number); and what is raised of indices
that lie outside.
"""

import json
import sys

import numpy as np
import paddle
import paddle.nn.functional as F

EPSILON = {'float64': 2.0**-52, 'float32': 2.0**-23, 'float16': 2.0**-10, 'bfloat16': 2.0**-7}
RNG = np.random.RandomState(0)


def sizes():
    """Rows, columns and summed extents: long sums in every layout, whole tiles, parts of them, and
    those that halves do not read as vectors.
    """
    fixed = [(136, 72, 808), (40, 72, 672), (72, 136, 544), (64, 64, 808)]
    fixed += [(1, 1, 1), (128, 128, 32), (64, 64, 16), (129, 127, 33), (1, 300, 7), (257, 1, 64)]
    return fixed + [tuple(int(v) for v in RNG.randint(1, 140, 3)) for _ in range(44)]


def on(place, dtype, arrays, function):
    paddle.set_device(place)
    xs = [paddle.to_tensor(a).astype(dtype) for a in arrays]
    out = function(*xs)
    paddle.set_device('cpu')
    return out.astype('float64').numpy()


def error(dtype, arrays, function):
    """Of the result on the GPU, of what the dtype makes of the arrays."""
    rounded = [on('cpu', dtype, [a], lambda x: x) for a in arrays]
    want = on('cpu', 'float64', rounded, function)
    scale = on('cpu', 'float64', [np.abs(a) for a in rounded], function)
    got = on('gpu:0', dtype, arrays, function)
    assert got.shape == want.shape
    room = EPSILON[dtype] * scale + (2.0**-24 if dtype == 'float16' else 1e-30)
    return float(np.max(np.abs(got - want) / room, initial=0))


def matrices(dtype):
    for k, (m, n, depth) in enumerate(sizes()):
        tx, ty = bool(k & 1), bool(k & 2)
        x = RNG.rand(*([depth, m] if tx else [m, depth])) - 0.5
        y = RNG.rand(*([n, depth] if ty else [depth, n])) - 0.5
        yield (
            f'{m}x{n}x{depth}-{tx}{ty}',
            [x, y],
            lambda a, b, tx=tx, ty=ty: paddle.matmul(a, b, tx, ty),
        )
    x, y = RNG.rand(2, 1, 3, 20, 24) - 0.5, RNG.rand(5, 1, 24, 17) - 0.5
    yield 'batches', [x, y], paddle.matmul
    yield 'more batches', [RNG.rand(2, 3, 1, 2, 8, 8), RNG.rand(3, 2, 1, 8, 8)], paddle.matmul
    yield 'one matrix', [RNG.rand(3, 4, 16, 24), RNG.rand(24, 40)], paddle.matmul
    yield (
        'strides',
        [RNG.rand(40, 3, 32), RNG.rand(3, 24, 32)],
        lambda a, b: paddle.matmul(
            a.transpose([1, 0, 2])[:, 3:37, 8:], b.transpose([0, 2, 1])[:, 8:, ::2]
        ),
    )
    yield 'vectors', [RNG.rand(33), RNG.rand(33)], paddle.matmul
    yield 'row', [RNG.rand(33), RNG.rand(4, 33, 5)], paddle.matmul
    yield 'bias', [RNG.rand(7, 24), RNG.rand(24, 40), RNG.rand(40)], F.linear
    yield 'none', [RNG.rand(4, 0), RNG.rand(0, 5)], paddle.matmul


def convolutions(dtype):
    def of(x, w, transposed=False, **how):
        def both(a, b):
            a.stop_gradient = b.stop_gradient = False
            name = f'conv{a.ndim - 2}d' + ('_transpose' if transposed else '')
            out = getattr(F, name)(a, b, **how)
            weight = paddle.to_tensor(
                np.linspace(0.5, 1, int(np.prod(out.shape))).reshape(out.shape)
            )
            grads = paddle.grad([out], [a, b], [weight.astype(out.dtype)])
            return paddle.concat([t.flatten() for t in (out, *grads)])

        return [RNG.rand(*x), RNG.rand(*w)], both

    yield 'plain', *of([2, 3, 9, 8], [5, 3, 3, 3])
    yield 'strided', *of([2, 4, 11, 10], [6, 4, 3, 2], stride=[2, 3], padding=[1, 2])
    yield (
        'dilated',
        *of([1, 2, 12, 13], [3, 2, 3, 3], dilation=2, padding=[[0, 0], [0, 0], [2, 1], [0, 3]]),
    )
    yield 'groups', *of([2, 6, 7, 7], [4, 3, 3, 3], groups=2, padding=1)
    yield 'depthwise', *of([2, 6, 7, 7], [6, 1, 3, 3], groups=6, padding=1)
    yield 'last', *of([2, 8, 7, 4], [5, 4, 3, 3], data_format='NHWC', padding=1)
    yield 'line', *of([2, 3, 20], [4, 3, 5], stride=2)
    yield 'transposed', *of([2, 4, 5, 6], [4, 3, 3, 3], True, stride=2, padding=1)
    yield (
        'grown',
        *of([1, 4, 5], [4, 2, 3], True, stride=3, output_padding=2, groups=2, dilation=2),
    )
    yield 'volume', *of([1, 2, 5, 6, 4], [3, 2, 2, 3, 2], stride=[1, 2, 1], padding=1)


def exact(dtype):
    """Cases without rounding, or with the CPU's: 0, or the count of elements that differ."""
    x = RNG.rand(5, 37, 3)
    x[1, 3, 2], x[0, 5] = np.nan, x[0, 4]
    at = RNG.randint(-5, 5, [64])
    put = RNG.randint(0, 37, [5, 11, 3])
    cases = {
        'sort': lambda a: paddle.sort(a, 1),
        'argsort': lambda a: paddle.argsort(a, 1, descending=True),
        'topk': lambda a: paddle.topk(a, 4, 1)[1],
        'smallest': lambda a: paddle.topk(a, 4, 0, largest=False)[0],
        'cumsum': lambda a: paddle.cumsum(a, 1),
        'cumprod': lambda a: paddle.cumprod(a, 0),
        'index_add': lambda a: paddle.index_add(
            a, paddle.to_tensor(at), 0, paddle.cumsum(a[:1].expand([64, 37, 3]), 0)
        ),
        'put': lambda a: paddle.put_along_axis(a, paddle.to_tensor(put), a[:, :11] * 2, 1),
        'take': lambda a: paddle.take_along_axis(a, paddle.to_tensor(put), 1),
        'concat': lambda a: paddle.concat(
            [a.transpose([2, 1, 0]), a.transpose([2, 1, 0])[:, ::2]], 1
        ),
        'tile': lambda a: a.tile([2, 1, 3]),
        'strided': lambda a: a.transpose([2, 0, 1])[:, ::-1, 3:].contiguous(),
    }
    for name, function in cases.items():
        want, got = (on(place, dtype, [x], function) for place in ('cpu', 'gpu:0'))
        yield name, int(np.sum(~((want == got) | (np.isnan(want) & np.isnan(got)))))


def outside():
    """What indices outside raise on both places."""
    x, index = np.arange(12.0).reshape(4, 3), np.array([[1, 2], [3, 3]])
    for place in ('cpu', 'gpu:0'):
        paddle.set_device(place)
        for call in (
            lambda: paddle.gather_nd(paddle.to_tensor(x), paddle.to_tensor(index)),
            lambda: paddle.index_add(
                paddle.to_tensor(x), paddle.to_tensor([0, 4]), 0, paddle.ones([2, 3], 'float64')
            ),
        ):
            try:
                call().numpy()
                yield 'nothing'
            except Exception as e:
                yield f'{type(e).__name__}: {e}'


if __name__ == '__main__':
    out = {}
    for dtype in sys.argv[1:]:
        for cases in (matrices, convolutions):
            for name, arrays, function in cases(dtype):
                out[f'{cases.__name__}-{name}-{dtype}'] = error(dtype, arrays, function)
        out.update({f'exact-{name}-{dtype}': n for name, n in exact(dtype)})
    out['outside'] = list(outside())
    print(json.dumps(out))
