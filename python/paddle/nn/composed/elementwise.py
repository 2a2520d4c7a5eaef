# SPDX-License-Identifier: Apache-2.0
"""Activations and label helpers from arithmetic, comparison and random numbers."""

import paddle
from paddle.base.framework import is_recorded, number
from paddle.base.libpaddle import expect_tensors
from paddle.tensor.manipulation import extents

from .._core import ops as _C_ops


def rrelu(x, lower=0.125, upper=1.0 / 3, is_test=False):
    if not paddle.is_floating_point(x):
        raise RuntimeError(
            f"[rrelu] expected a floating dtype, got {x.dtype}: the kernel is not registered for it"
        )
    if is_test:
        return paddle.where(x >= 0, x, x * ((lower + upper) / 2.0))
    # One number is drawn for each negative element, in order.
    negative = paddle.cast(paddle.reshape(x < 0, [-1]), "int64")
    count = number(paddle.sum(negative))
    if not is_recorded(count) and count == 0:
        return x * 1.0
    drawn = paddle.cast(
        _C_ops.uniform([count], paddle.float32, float(lower), float(upper), 0), x.dtype
    )
    if is_recorded(count):  # there may be none, of which `order` would be no place
        drawn = paddle.concat([drawn, paddle.zeros([1], drawn.dtype)])
    order = paddle.clip(paddle.cumsum(negative) - 1, min=0)
    return paddle.where(x >= 0, x, x * paddle.reshape(paddle.gather(drawn, order), extents(x)))


def gumbel_softmax(x, temperature=1.0, hard=False, axis=-1):
    if temperature <= 0:
        raise ValueError(f"[gumbel_softmax] expected temperature > 0, got {temperature}")
    expect_tensors("gumbel_softmax", x=x)
    # In float32: rounded to a half first, u may be 1, whose noise is infinite.
    u = _C_ops.uniform(extents(x), paddle.float32, 1e-20, 1.0, 0)
    soft = _C_ops.softmax(
        (x - paddle.cast(paddle.log(-paddle.log(u)), x.dtype)) / temperature, axis
    )
    if not hard:
        return soft
    best = paddle.argmax(soft, axis=axis, keepdim=True)
    chosen = paddle.put_along_axis(paddle.zeros_like(soft), best, 1.0, axis)
    return (chosen - soft).detach() + soft
