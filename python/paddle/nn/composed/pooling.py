# SPDX-License-Identifier: Apache-2.0
"""Power pooling, unpooling and fractional pooling from average pooling, scattering and
gathering.
"""

import math

import numpy as np

import paddle
from paddle.base.arguments import only
from paddle.base.framework import is_recorded
from paddle.tensor.manipulation import extents
from .._core import ops as _C_ops


def lp_pool2d(
    x,
    kernel_size,
    strides,
    paddings,
    ceil_mode,
    exclusive,
    data_format,
    pooling_type,
    global_pooling,
    adaptive,
    padding_algorithm,
    norm_type,
):
    only(
        'lp_pool2d',
        'windows are given by kernel_size',
        global_pooling=(global_pooling, False),
        adaptive=(adaptive, False),
    )
    if ceil_mode and padding_algorithm == "EXPLICIT":
        # Rounding the extents up is rounding them down with stride - 1 more zeros at the end, which
        # add nothing.
        ends = paddings if len(paddings) == 4 else [p for p in paddings for _ in range(2)]
        paddings = [
            p + (s - 1) * last
            for (p, last), s in zip(zip(ends, (0, 1, 0, 1)), (strides[0], *strides, strides[1]))
        ]
    powers = x * x if norm_type == 2.0 else x if norm_type == 1.0 else paddle.pow(x, norm_type)
    mean = _C_ops.pool2d(
        powers,
        kernel_size,
        strides,
        paddings,
        False,
        False,
        data_format,
        "avg",
        False,
        False,
        padding_algorithm,
    )
    total = mean * float(math.prod(kernel_size))
    return total if norm_type == 1.0 else paddle.pow(total, 1.0 / norm_type)


def _unpool(x, indices, output_size):
    n, c = extents(x)[:2]
    area = math.prod(output_size)
    flat = paddle.cast(paddle.reshape(indices, [n, c, -1]), "int64")
    if not is_recorded(flat) and bool(paddle.any(paddle.logical_or(flat < 0, flat >= area))):
        raise ValueError(f"[unpool] expected indices in [0, {area}), got one outside")
    zeros = paddle.zeros([n, c, area], dtype=x.dtype)
    out = paddle.put_along_axis(zeros, flat, paddle.reshape(x, [n, c, -1]), 2)
    return paddle.reshape(out, [n, c, *output_size])


def unpool(x, indices, ksize, strides, padding, output_size, data_format="NCHW"):
    only('unpool', 'channels come first', data_format=(data_format, "NCHW"))
    return _unpool(x, indices, [int(s) for s in output_size[-2:]])


def unpool3d(x, indices, ksize, strides, paddings, output_size, data_format="NCDHW"):
    only('unpool3d', 'channels come first', data_format=(data_format, "NCDHW"))
    return _unpool(x, indices, [int(s) for s in output_size[-3:]])


def _windows(size, out, kernel, u):
    """(first, last + 1) of each window of one axis."""
    alpha = size / out
    if kernel > 0:
        alpha = (size - kernel) / (out - 1) if out > 1 else 0.0
        starts = [int((i + u) * alpha) - int(u * alpha) for i in range(out)]
        if out > 1:
            starts[-1] = size - kernel
        return [(s, s + kernel) for s in starts]
    base = size // out
    top = (base + 1 - u) if u > 0 else base
    u_max = min((base + 2) / alpha - 1, (size + 1 - base) / alpha - (out - 1))
    u = u * u_max if top else u
    edge = lambda i: int((i + u) * alpha) - int(u * alpha)  # noqa: E731
    return [(edge(i), min(edge(i + 1), size)) for i in range(out)]


def _fractional(x, output_size, kernel_size, random_u, n):
    sizes = list(x.shape[2:])
    windows = [
        _windows(s, int(o), int(k), random_u) for s, o, k in zip(sizes, output_size, kernel_size)
    ]
    index = np.arange(math.prod(sizes)).reshape(sizes)
    cells = [index[tuple(slice(*w) for w in cell)].ravel() for cell in _product(windows)]
    width = max(len(c) for c in cells)
    table = np.stack([np.pad(c, (0, width - len(c)), mode="edge") for c in cells]).astype("int64")
    outer = extents(x)[:2]
    flat = paddle.reshape(x, [*outer, -1])
    picked = paddle.reshape(
        paddle.index_select(flat, paddle.to_tensor(table.ravel()), 2), [*outer, len(cells), width]
    )
    shape = [*outer, *[int(o) for o in output_size]]
    best = paddle.argmax(picked, axis=-1, keepdim=True)
    out = paddle.take_along_axis(picked, best, 3, broadcast=False)
    rows = paddle.reshape(paddle.arange(0, len(cells)), [1, 1, -1, 1]) * width
    mask = paddle.gather(paddle.to_tensor(table.ravel()), paddle.reshape(best + rows, [-1]))
    return paddle.reshape(out, shape), paddle.cast(paddle.reshape(mask, shape), "int32")


def _product(windows):
    import itertools

    return itertools.product(*windows)


def fractional_max_pool2d(x, output_size, kernel_size=(0, 0), random_u=0.0, return_mask=True):
    return _fractional(x, output_size, kernel_size, random_u, 2)


def fractional_max_pool3d(x, output_size, kernel_size=(0, 0, 0), random_u=0.0, return_mask=True):
    return _fractional(x, output_size, kernel_size, random_u, 3)
