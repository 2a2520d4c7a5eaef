# SPDX-License-Identifier: Apache-2.0
"""What the kernels of some ops do, as the driver's double counts it: as JSON, counters by op, with
`elements` of the largest tensor and the `least` bytes that it can read and write, where a vector
that each row needs counts for each row: it comes from the cache. Batch norms read twice what they
reduce.
"""

import ctypes
import json
import os
import sys

import paddle
import paddle.nn.functional as F

NAMES = (
    'launches blocks lanes moves integer floating special divisions conversions comparisons loads '
    'stores atomics branches barriers_and_fences warp tensor requests sectors bytes_read '
    'bytes_written vector_requests shared_requests bank_conflicts barriers'
).split()


class Counters(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in NAMES]


def rows(n):
    return paddle.linspace(-1, 1, 16 * n).reshape([16, n])


def flat(op, *factors):
    """The operands of an elementwise op, when they are asked for, and the op."""
    return lambda: ([rows(1 << 18) * factor for factor in factors], op)


def of_rows(op, n, dtype, vectors):
    return lambda: (
        [
            rows(n).astype(dtype),
            *(paddle.linspace(k, k + 1, n).astype(dtype) for k in range(vectors)),
        ],
        op,
    )


def of_many(op, dtype, vectors=0):
    return lambda: (
        [paddle.rand([4096, 1024]).astype(dtype), *[paddle.ones([1024], dtype)] * vectors],
        op,
    )


def columns(dtype, shape):
    def make():
        y = paddle.linspace(-1, 1, shape[0] * shape[1]).reshape(shape).astype(dtype)
        return [y], lambda y: y.sum(0)

    return make


def batch_norm(dtype, shape, layout, backward):
    def make():
        x = paddle.rand(shape).astype(dtype)
        x.stop_gradient = False
        norm = paddle.nn.BatchNorm2D(shape[layout.index('C')], data_format=layout)
        if not backward:
            return [x], norm, 3
        y, of_grad = norm(x), [x, norm.weight, norm.bias]
        return [paddle.rand(shape).astype(dtype)], lambda g: paddle.grad([y], of_grad, [g])[0], 5

    return make


def rms_norm(y, w):
    return F.rms_norm(y, w.shape, w)


def layer_norm(y, w, b):
    return F.layer_norm(y, w.shape, w, b)


def cases():
    """By name: what makes what an op reads, the op, and how often it reads or writes a tensor."""
    out = {
        'add': flat(lambda a, b: a + b, 1, 2),
        'relu': flat(F.relu, 1),
        'scale': flat(lambda a: a * 3.0, 1),
        'axpy': flat(lambda a, b: paddle.lerp(a, b, 0.5), 1, 2),
        'where': lambda: ([rows(1 << 18) > 0, rows(1 << 18), rows(1 << 18) * 2], paddle.where),
        'columns-whole-0': lambda: ([rows(1 << 15)], lambda y: y.sum()),
    }
    for dtype in ('float32', 'bfloat16'):
        for shape in ((16384, 64), (2048, 1024)):
            out[f'columns-{dtype}-{shape[0]}'] = columns(dtype, shape)
        out[f'many-sum-{dtype}'] = of_many(lambda y: y.sum(-1), dtype)
        out[f'many-softmax-{dtype}'] = of_many(F.softmax, dtype)
        out[f'many-rms_norm-{dtype}'] = of_many(rms_norm, dtype, 1)
        out[f'many-layer_norm-{dtype}'] = of_many(layer_norm, dtype, 2)
        out[f'many-exp-{dtype}'] = of_many(paddle.exp, dtype)
    for n in (1000, 1024, 4096, 8192):
        for dtype in ('float32', 'bfloat16'):
            out[f'softmax-{dtype}-{n}'] = of_rows(F.softmax, n, dtype, 0)
            out[f'log_softmax-{dtype}-{n}'] = of_rows(F.log_softmax, n, dtype, 0)
            out[f'rms_norm-{dtype}-{n}'] = of_rows(rms_norm, n, dtype, 1)
            out[f'layer_norm-{dtype}-{n}'] = of_rows(layer_norm, n, dtype, 2)
    for shape, layout in (
        ([8, 4, 64, 64], 'NCHW'),
        ([16, 4, 63, 63], 'NCHW'),
        ([8, 32, 32, 64], 'NHWC'),
    ):
        for dtype in ('float32', 'bfloat16'):
            name = f'{dtype}-{layout}-{shape[-1]}'
            out[f'batch_norm-{name}'] = batch_norm(dtype, shape, layout, False)
            out[f'batch_norm_grad-{name}'] = batch_norm(dtype, shape, layout, True)
    return out


def counted(driver, inputs, op, passes=None):
    """`passes`: how often the tensor is to be read or written, where that is not once each."""
    driver.fakecuda_reset_counters()
    result = op(*inputs)
    found = Counters()
    driver.fakecuda_counters(ctypes.byref(found))
    rows = result.shape[0] if result.ndim > 1 else 1
    least = (
        passes * result.numel().item() * result.element_size()
        if passes
        else sum(
            t.numel().item() * t.element_size() * (rows if t.ndim == 1 else 1)
            for t in (*inputs, result)
        )
    )
    numbers = {name: getattr(found, name) for name in NAMES}
    elements = max(t.numel().item() for t in (*inputs, result))
    return {**numbers, 'elements': elements, 'least': least}


if __name__ == '__main__':
    paddle.set_device('gpu')
    paddle.ones([1]).numpy()
    driver = ctypes.CDLL(os.environ['FLAGS_cuda_driver'])
    print(
        json.dumps(
            {
                name: counted(driver, *make())
                for name, make in cases().items()
                if name.startswith(tuple(sys.argv[1:] or ['']))
            }
        )
    )
