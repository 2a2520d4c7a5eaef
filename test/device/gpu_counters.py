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


def cases():
    """By name: what an op reads, and the op."""
    x = rows(1 << 18)
    out = {
        'add': ([x, x * 2], lambda a, b: a + b),
        'relu': ([x], F.relu),
        'scale': ([x], lambda a: a * 3.0),
        'where': ([x > 0, x, x * 2], paddle.where),
        'axpy': ([x, x * 2], lambda a, b: paddle.lerp(a, b, 0.5)),
    }
    for dtype in ('float32', 'bfloat16'):
        for shape in ((16384, 64), (2048, 1024)):
            y = paddle.linspace(-1, 1, shape[0] * shape[1]).reshape(shape).astype(dtype)
            out[f'columns-{dtype}-{shape[0]}'] = ([y], lambda y: y.sum(0))
        y, w = paddle.rand([4096, 1024]).astype(dtype), paddle.ones([1024], dtype)
        out[f'many-sum-{dtype}'] = ([y], lambda y: y.sum(-1))
        out[f'many-softmax-{dtype}'] = ([y], F.softmax)
        out[f'many-rms_norm-{dtype}'] = ([y, w], lambda y, w: F.rms_norm(y, w.shape, w))
        out[f'many-layer_norm-{dtype}'] = ([y, w], lambda y, w: F.layer_norm(y, w.shape, w, w))
        out[f'many-exp-{dtype}'] = ([y], paddle.exp)
    out['columns-whole-0'] = ([rows(1 << 15)], lambda y: y.sum())
    for n in (1000, 1024, 4096, 8192):
        for dtype in ('float32', 'bfloat16'):
            y = rows(n).astype(dtype)
            w, b = paddle.linspace(0, 1, n).astype(dtype), paddle.linspace(1, 2, n).astype(dtype)
            out[f'softmax-{dtype}-{n}'] = ([y], F.softmax)
            out[f'log_softmax-{dtype}-{n}'] = ([y], F.log_softmax)
            out[f'rms_norm-{dtype}-{n}'] = ([y, w], lambda y, w: F.rms_norm(y, w.shape, w))
            out[f'layer_norm-{dtype}-{n}'] = (
                [y, w, b],
                lambda y, w, b: F.layer_norm(y, w.shape, w, b),
            )
    for shape, layout in (
        ([8, 4, 64, 64], 'NCHW'),
        ([16, 4, 63, 63], 'NCHW'),
        ([8, 32, 32, 64], 'NHWC'),
    ):
        for dtype in ('float32', 'bfloat16'):
            name = f'{dtype}-{layout}-{shape[-1]}'
            x = paddle.rand(shape).astype(dtype)
            x.stop_gradient = False
            norm = paddle.nn.BatchNorm2D(shape[layout.index('C')], data_format=layout)
            g, of_grad = paddle.rand(shape).astype(dtype), [x, norm.weight, norm.bias]
            y = norm(x)
            out[f'batch_norm-{name}'] = ([x], norm, 3)

            def backward(g, y=y, of_grad=of_grad):
                return paddle.grad([y], of_grad, [g], retain_graph=True)[0]

            out[f'batch_norm_grad-{name}'] = ([g], backward, 5)
    return out


def counted(driver, inputs, op, passes=None):
    """`passes`: how often the tensor is to be read or written, where that is not once each."""
    op(*inputs)
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
                name: counted(driver, *case)
                for name, case in cases().items()
                if name.startswith(tuple(sys.argv[1:] or ['']))
            }
        )
    )
