# SPDX-License-Identifier: Apache-2.0
"""Power pooling from average pooling."""

import math

import paddle
from paddle.base.arguments import only

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
