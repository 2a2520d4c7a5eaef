# SPDX-License-Identifier: Apache-2.0
"""Activations and label helpers from arithmetic, comparison and random numbers."""
import paddle
from .._core import ops as _C_ops


def label_smooth(label, prior_dist=None, epsilon=0.0):
    if prior_dist is None:
        return label * (1.0 - epsilon) + epsilon / label.shape[-1]
    return label * (1.0 - epsilon) + paddle.reshape(prior_dist, [1] * (label.ndim - 1) + [-1]) * epsilon


def swiglu(x, y=None):
    if y is None:
        x, y = paddle.split(x, 2, axis=-1)
    return _C_ops.silu(x) * y


def prelu(x, alpha, data_format="NCHW", mode="all"):
    if mode == "channel":
        shape = [1] * x.ndim
        shape[-1 if data_format == "NHWC" else 1] = -1
        alpha = paddle.reshape(alpha, shape)
    elif mode == "element":
        alpha = paddle.reshape(alpha, [1, *x.shape[1:]])
    return paddle.where(x > 0, x, alpha * x)


def rrelu(x, lower=0.125, upper=1.0 / 3, is_test=False):
    if is_test:
        return paddle.where(x >= 0, x, x * ((lower + upper) / 2.0))
    # One number is drawn for each negative element, in order.
    negative = paddle.cast(paddle.reshape(x < 0, [-1]), "int64")
    count = int(paddle.sum(negative))
    if count == 0:
        return x * 1.0
    drawn = paddle.cast(_C_ops.uniform([count], paddle.float32, float(lower), float(upper), 0), x.dtype)
    order = paddle.clip(paddle.cumsum(negative) - 1, min=0)
    return paddle.where(x >= 0, x, x * paddle.reshape(paddle.gather(drawn, order), list(x.shape)))


def maxout(x, groups, axis=1):
    axis = axis % x.ndim
    shape = list(x.shape)
    if shape[axis] % groups:
        raise ValueError(f"[maxout] expected groups that divide the {shape[axis]} channels, got {groups}")
    return paddle.max(paddle.reshape(x, shape[:axis] + [shape[axis] // groups, groups] + shape[axis + 1:]),
                      axis=axis + 1)


def gumbel_softmax(x, temperature=1.0, hard=False, axis=-1):
    if temperature <= 0:
        raise ValueError(f"[gumbel_softmax] expected temperature > 0, got {temperature}")
    u = paddle.cast(_C_ops.uniform(list(x.shape), paddle.float32, 1e-20, 1.0, 0), x.dtype)
    soft = _C_ops.softmax((x - paddle.log(-paddle.log(u))) / temperature, axis)
    if not hard:
        return soft
    best = paddle.cast(soft == paddle.max(soft, axis=axis, keepdim=True), soft.dtype)
    return (best - soft).detach() + soft


def one_hot(x, num_classes):
    if bool(paddle.any(paddle.logical_or(x < 0, x >= num_classes))):
        raise ValueError(f"[one_hot] expected class ids in [0, {num_classes}), got one outside")
    return paddle.cast(paddle.unsqueeze(x, -1) == paddle.arange(0, num_classes, dtype=x.dtype), "float32")
