# SPDX-License-Identifier: Apache-2.0
"""Operations whose results are lists, choices, counts or special functions, on gpu:0 against the
CPU. Prints, as JSON, the largest difference of each (relative to 1 + its size; null: another
shape, dtype or NaN elsewhere), of results and of gradients, and what is raised of wrong arguments.
"""

import json

import numpy as np
import paddle
import paddle.nn.functional as F
from gpu_rows import difference

RNG = np.random.RandomState(7)
ops = paddle._C_ops


def floats(*shape):
    return RNG.randn(*shape)


def some(*shape):
    """Few values, so that there are equal ones, among them NaN and infinities."""
    x = RNG.randint(-3, 4, shape).astype('float64')
    x.flat[:: max(1, x.size // 5)] = [np.nan, np.inf, -np.inf, np.nan, 1.0, 2.0, 0.0][
        : len(x.flat[:: max(1, x.size // 5)])
    ]
    return x


def integers(most, *shape):
    return RNG.randint(0, most, shape)


EDGES = integers(6, 11), integers(4, 11)
MASK = RNG.rand(7, 90) > 0.6
REAL = ['float32', 'float64', 'float16', 'bfloat16', 'int32', 'int64']
HALVES = ['float32', 'float64', 'float16', 'bfloat16']
FLOATS = ['float32', 'float64']
INTEGERS = ['int32', 'int64']


def cases():
    """name, dtypes of the first operand, arrays, function of tensors"""
    geometric, linalg = paddle.geometric, paddle.linalg
    wide, cube = floats(7, 90), floats(3, 9, 4)
    square = floats(2, 5, 5) + 3 * np.eye(5)
    weight = floats(24, 10)
    yield 'numel', FLOATS, [wide], paddle.numel
    yield 'shape', FLOATS, [cube], paddle.shape
    yield 'is_empty', FLOATS, [cube], paddle.is_empty
    yield (
        'full_with_tensor',
        REAL,
        [np.array([3.0])],
        lambda x: ops.full_with_tensor(x, [4, 70], x.dtype),
    )
    yield (
        'full_int_array',
        FLOATS,
        [wide],
        lambda x: paddle._C_ops.full_int_array([3, -1], 'int64', x.place),
    )
    yield 'complex', FLOATS, [wide, floats(90)], paddle.complex
    yield 'angle', HALVES, [np.concatenate([some(40), floats(40)])], paddle.angle
    yield 'angle_pairs', ['complex64', 'complex128'], [wide + 1j * floats(7, 90)], paddle.angle
    for left in (True, False):
        for arithmetic in (True, False):
            shift = paddle.bitwise_left_shift if left else paddle.bitwise_right_shift
            yield (
                f'shift{left:d}{arithmetic:d}',
                INTEGERS,
                [RNG.randint(-(2**31), 2**31, (5, 30)), RNG.randint(-2, 70, (30,))],
                lambda x, y, s=shift, a=arithmetic: s(x, y.astype(x.dtype), a),
            )
    for offset in (-9, -2, 0, 3, 8):
        for rows, columns in ((5, 7), (7, 4)):
            for at in (paddle.tril_indices, paddle.triu_indices):
                yield (
                    f'{at.__name__}{offset}{rows}',
                    INTEGERS,
                    [wide],
                    (lambda x, f=at, o=offset, r=rows, c=columns: f(r, c, o, dtype=x.dtype)),
                )
    for n in (1, 2, 7, 500):
        yield (
            f'linspace{n}',
            REAL,
            [wide],
            (lambda x, n=n: paddle.linspace(-3, 12.5, n, dtype=x.dtype)),
        )
    near = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 6e-8, 65504.0])
    yield (
        'nextafter',
        HALVES,
        [near[:, None], near],
        lambda x, y: paddle.nextafter(x, y.astype(x.dtype)),
    )
    for n in range(4):
        yield (
            f'polygamma{n}',
            HALVES,
            [np.append(floats(200) * 4, [0.0, -2.0, np.inf, np.nan])],
            (lambda x, n=n: paddle.polygamma(x, n)),
        )
    shapes, bounds = (
        np.abs(floats(60, 1)) * 10.0 ** (np.arange(60) % 6 - 1)[:, None],
        np.abs(floats(40)) * 30,
    )
    for f in (paddle.gammainc, paddle.gammaincc):
        yield f.__name__, FLOATS, [shapes, bounds], lambda x, y, f=f: f(x, y.astype(x.dtype))
    for axis in (0, 1, 2):
        for f in (paddle.cummax, paddle.cummin):
            yield f'{f.__name__}{axis}', REAL, [cube * 3], lambda x, f=f, a=axis: f(x, a)
        yield f'logcumsumexp{axis}', HALVES, [cube], lambda x, a=axis: paddle.logcumsumexp(x, a)
        yield f'kthvalue{axis}', REAL, [cube * 3], lambda x, a=axis: paddle.kthvalue(x, 3, a)
        yield (
            f'mode{axis}',
            REAL,
            [np.rint(cube)],
            lambda x, a=axis: paddle.mode(x, a, keepdim=True),
        )
    yield 'cummax_nan', FLOATS, [some(2, 40)], paddle.cummax
    for axis in (0, 1):
        for reverse in (False, True):
            for exclusive in (False, True):
                yield (
                    f'logcumsumexp_nan{axis}{reverse:d}{exclusive:d}',
                    FLOATS,
                    [some(4, 10)],
                    lambda x, a=axis, e=exclusive, r=reverse: ops.logcumsumexp(x, a, False, e, r),
                )
    yield 'mode_nan', FLOATS, [some(5, 9)], paddle.mode
    yield (
        'searchsorted',
        REAL,
        [np.sort(np.rint(wide * 3)), np.rint(floats(7, 12) * 4)],
        (lambda s, v: paddle.searchsorted(s, v.astype(s.dtype), right=True)),
    )
    yield (
        'bucketize',
        FLOATS,
        [np.sort(floats(30)), some(4, 9)],
        (lambda s, v: paddle.bucketize(v.astype(s.dtype), s, out_int32=True)),
    )
    yield 'bincount', INTEGERS, [integers(20, 300)], lambda x: paddle.bincount(x, minlength=30)
    yield (
        'bincount_weights',
        INTEGERS,
        [integers(20, 300), floats(300)],
        (lambda x, w: paddle.bincount(x, w.astype('float32'))),
    )
    yield 'histogram', REAL, [wide * 20], lambda x: paddle.histogram(x, 13)
    yield 'histogram_range', FLOATS, [some(300)], lambda x: paddle.histogram(x, 7, -2, 2)
    yield (
        'histogram_weight',
        FLOATS,
        [wide, floats(7, 90)],
        (lambda x, w: paddle.histogram(x, 5, -1, 1, weight=w.astype(x.dtype), density=True)),
    )
    pictures = floats(2, 3, 9, 8)
    yield 'unfold', HALVES, [pictures], lambda x: F.unfold(x, [3, 2], 2, [1, 0, 2, 1], [1, 2])
    yield 'fold', HALVES, [floats(2, 12, 20)], lambda x: F.fold(x, [6, 7], [2, 2], [1, 2], [0, 1])
    yield (
        'unpool',
        HALVES,
        [floats(2, 3, 4, 4), integers(64, 2, 3, 4, 4)],
        (lambda x, at: ops.unpool(x, at, [2, 2], [2, 2], [0, 0], [8, 8], 'NCHW')),
    )
    yield (
        'unpool3d',
        FLOATS,
        [floats(1, 2, 2, 2, 2), integers(64, 1, 2, 2, 2, 2)],
        (lambda x, at: ops.unpool3d(x, at, [2] * 3, [2] * 3, [0] * 3, [4] * 3, 'NCDHW')),
    )
    for dtype in (*REAL, 'bool', 'uint8', 'complex64'):
        yield f'nonzero-{dtype}', [dtype], [np.rint(wide)], paddle.nonzero
    yield 'nonzero_long', ['int32'], [RNG.rand(130, 70) > 0.5], paddle.nonzero
    yield 'nonzero_none', FLOATS, [np.zeros((3, 4))], paddle.nonzero
    yield 'masked_select', REAL, [wide, MASK], paddle.masked_select
    yield 'mask_index', FLOATS, [wide, MASK], lambda x, m: x[m]
    yield 'mask_rows', FLOATS, [cube, np.array([True, False, True])], lambda x, m: x[m]
    yield 'mask_put', FLOATS, [wide, MASK], lambda x, m: paddle.index_put(x, (m,), x.max())
    yield 'where_places', FLOATS, [wide], lambda x: paddle.where(x > 0.5)
    for wrap in (True, False):
        for offset in (-1, 0, 2):
            yield (
                f'fill_diagonal{wrap:d}{offset}',
                REAL,
                [floats(9, 4)],
                (lambda x, w=wrap, o=offset: ops.fill_diagonal(x, 2.0, o, w)),
            )
    yield (
        'repeat',
        REAL,
        [cube, integers(4, 9)],
        (lambda x, n: paddle.repeat_interleave(x, n.astype('int64'), 1)),
    )
    heads = [floats(12, 2, 8) for _ in range(3)]
    cuts = paddle.to_tensor([0, 5, 5, 12], 'int32', place='cpu')
    yield (
        'unpadded',
        HALVES,
        heads,
        lambda q, k, v: F.flash_attention.flash_attn_unpadded(
            q, k.astype(q.dtype), v.astype(q.dtype), cuts, cuts, 7, 7, 0.3, causal=True
        )[0],
    )
    boxes = np.array([[0, 0, 5, 4], [-1, 2.5, 8, 7.2], [3, 3, 3, 3], [1, 1, 20, 9.0]])
    yield (
        'roi_align',
        HALVES,
        [pictures],
        lambda x: paddle.vision.ops.roi_align(
            x, paddle.to_tensor(boxes, x.dtype), paddle.to_tensor([1, 3], 'int32'), [3, 2]
        ),
    )
    for bits in (8, 4):
        algo = f'weight_only_int{bits}'
        stored, scale = paddle.nn.quant.weight_quantize(
            paddle.to_tensor(weight.astype('float32'), place='cpu'), algo
        )
        yield (
            f'dequantize{bits}',
            FLOATS[:1],
            [wide],
            (
                lambda x, w=stored, s=scale, a=algo: paddle.nn.quant.weight_dequantize(
                    w.to(x.place), s.to(x.place), a
                )
            ),
        )
        for bias in (None, floats(10)):
            yield (
                f'weight_only{bits}{bias is None}',
                HALVES[:1],
                [floats(3, 24)],
                (
                    lambda x, w=stored, s=scale, b=bias, n=bits: paddle.nn.quant.weight_only_linear(
                        x,
                        w.to(x.place),
                        None if b is None else paddle.to_tensor(b, x.dtype),
                        s.to(x.place),
                        f'int{n}',
                    )
                ),
            )
    for x in (square, floats(2, 6, 4), floats(3, 5)):
        lu, pivots = (t.numpy() for t in linalg.lu(paddle.to_tensor(x, place='cpu')))
        yield (
            f'lu_unpack{x.shape[-1]}{x.ndim}',
            FLOATS,
            [lu, pivots],
            (lambda x, y: linalg.lu_unpack(x, y.astype('int32'))),
        )
    src, dst = EDGES
    row, edge = floats(6, 3), floats(11, 3)
    for how in ('sum', 'mean', 'min', 'max'):
        yield (
            f'send_u_recv_{how}',
            REAL,
            [row * 3, src, dst],
            (lambda x, s, d, h=how: geometric.send_u_recv(x, s, d, h)),
        )
        yield (
            f'send_ue_recv_{how}',
            FLOATS,
            [row, edge, src, dst],
            (
                lambda x, e, s, d, h=how: geometric.send_ue_recv(
                    x, e.astype(x.dtype), s, d, 'mul', h
                )
            ),
        )
        yield (
            f'segment_{how}',
            REAL,
            [edge * 3, np.sort(dst)],
            (lambda x, i, h=how: getattr(geometric, f'segment_{h}')(x, i)),
        )
    yield (
        'send_uv',
        REAL,
        [floats(6, 1, 3) * 3, floats(6, 4, 1) * 3, src, dst],
        (lambda x, y, s, d: geometric.send_uv(x, y.astype(x.dtype), s, d, 'add')),
    )


def refusals():
    """Calls with wrong arguments."""
    x, edge = paddle.ones([2, 3, 2, 2]), paddle.to_tensor([0, 9])
    yield lambda: ops.unpool(
        x, paddle.full([2, 3, 2, 2], 16, 'int64'), [2, 2], [2, 2], [0, 0], [4, 4], 'NCHW'
    )
    yield lambda: paddle.bincount(paddle.to_tensor([1, -1]))
    yield lambda: paddle.gammainc(paddle.to_tensor([1.0, -1.0]), paddle.to_tensor([1.0, 1.0]))
    yield lambda: paddle.geometric.send_u_recv(paddle.ones([3, 2]), edge, edge)
    yield lambda: paddle.geometric.segment_sum(paddle.ones([2, 2]), paddle.to_tensor([3, 1]))
    yield lambda: paddle.linalg.lu_unpack(paddle.eye(2), paddle.to_tensor([3, 2], 'int32'))
    yield lambda: paddle.ones([2, 2])[paddle.to_tensor([True, False, True])]


def results(dtype, arrays, function):
    first = paddle.to_tensor(arrays[0]).astype(dtype)
    rest = [paddle.to_tensor(a) for a in arrays[1:]]
    rest = [t.astype(dtype) if t.is_floating_point() else t for t in rest]
    first.stop_gradient = not first.is_floating_point()
    out = function(first, *rest)
    outs = list(out) if isinstance(out, (list, tuple)) else [out]
    grads = []
    if not first.stop_gradient and outs[0].is_floating_point() and not outs[0].stop_gradient:
        weight = np.linspace(-1, 2, outs[0].size).reshape(outs[0].shape)
        grads = paddle.grad([outs[0]], [first], [paddle.to_tensor(weight).astype(outs[0].dtype)])
    wide = [t.astype('float32') if t.dtype == paddle.bfloat16 else t for t in [*outs, *grads]]
    return [t.numpy() for t in wide]


def main():
    found = {}
    for name, dtypes, arrays, function in cases():
        for dtype in dtypes:
            both = []
            for place in ('cpu', 'gpu:0'):
                paddle.set_device(place)
                both.append(results(dtype, arrays, function))
            want, got = both
            assert len(want) == len(got)
            found[f'{name.replace("-", "_")}-{dtype}'] = [
                difference(g, w) for w, g in zip(want, got)
            ]
    raised = []
    for place in ('cpu', 'gpu:0'):
        paddle.set_device(place)
        for call in refusals():
            try:
                call()
                raised.append('nothing')
            except Exception as e:
                raised.append(f'{type(e).__name__}: {e}')
    print(json.dumps({'differences': found, 'raised': raised}))


if __name__ == '__main__':
    with np.errstate(all='ignore'):
        main()
