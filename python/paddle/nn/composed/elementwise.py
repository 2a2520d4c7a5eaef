# SPDX-License-Identifier: Apache-2.0
"""Activations and label helpers from arithmetic, comparison and random numbers."""
import paddle
from paddle.base.framework import is_recorded, number
from paddle.tensor.manipulation import extents
from .._core import ops as _C_ops


def rrelu(x, lower=0.125, upper=1.0 / 3, is_test=False):
    if is_test:
        return paddle.where(x >= 0, x, x * ((lower + upper) / 2.0))
    # One number is drawn for each negative element, in order.
    negative = paddle.cast(paddle.reshape(x < 0, [-1]), "int64")
    count = number(paddle.sum(negative))
    if not is_recorded(count) and count == 0:
        return x * 1.0
    drawn = paddle.cast(_C_ops.uniform([count], paddle.float32, float(lower), float(upper), 0), x.dtype)
    order = paddle.clip(paddle.cumsum(negative) - 1, min=0)
    return paddle.where(x >= 0, x, x * paddle.reshape(paddle.gather(drawn, order), extents(x)))


def gumbel_softmax(x, temperature=1.0, hard=False, axis=-1):
    if temperature <= 0:
        raise ValueError(f"[gumbel_softmax] expected temperature > 0, got {temperature}")
    u = paddle.cast(_C_ops.uniform(extents(x), paddle.float32, 1e-20, 1.0, 0), x.dtype)
    soft = _C_ops.softmax((x - paddle.log(-paddle.log(u))) / temperature, axis)
    if not hard:
        return soft
    best = paddle.cast(soft == paddle.max(soft, axis=axis, keepdim=True), soft.dtype)
    return (best - soft).detach() + soft
