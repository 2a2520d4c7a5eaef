# SPDX-License-Identifier: Apache-2.0
"""Activations that need more than one op: casts, broadcast weights, random slopes."""

import paddle
from paddle import _lazy
from paddle.base.framework import to_dtype
from paddle.base.libpaddle import expect_tensors
from paddle.tensor.inplace import written

from .._core import ops as _C_ops
from . import _parse

__all__ = [
    "softmax",
    "softmax_",
    "log_softmax",
    "gumbel_softmax",
    "prelu",
    "rrelu",
    "glu",
    "maxout",
    "swiglu",
    "celu",
    "elu_",
]


def softmax(x, axis=-1, dtype=None, name=None, *, out=None):
    """exp(x) / sum(exp(x)) along `axis`, computed after a cast to `dtype` if one is given."""
    if dtype is not None:
        x = _C_ops.cast(x, to_dtype(dtype))
    result = _C_ops.softmax(x, axis)
    return result if out is None else paddle.assign(result, out)


def log_softmax(x, axis=-1, dtype=None, name=None):
    """Logarithm of softmax along `axis`, computed after a cast to `dtype` if one is given."""
    if dtype is not None:
        x = _C_ops.cast(x, to_dtype(dtype))
    return _C_ops.log_softmax(x, axis)


def gumbel_softmax(x, temperature=1.0, hard=False, axis=-1, name=None):
    """softmax((x + Gumbel noise) / temperature); one-hot with the soft gradient when `hard`."""
    return _C_ops.gumbel_softmax(x, temperature, hard, axis)


def celu(x, alpha=1.0, name=None):
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)); ZeroDivisionError where alpha is 0."""
    if alpha == 0:
        raise ZeroDivisionError("[celu] expected alpha other than 0, got 0")
    return _C_ops.celu(x, alpha)


def prelu(x, weight, data_format="NCHW", name=None):
    """x where x > 0, else weight * x; the weight has one element or one per channel."""
    expect_tensors("prelu", weight=weight)
    mode = "all"
    if weight.shape[0] > 1:
        formats = ("NC", "NCL", "NCHW", "NCDHW", "NLC", "NHWC", "NDHWC")
        _parse.data_format("prelu", data_format, *formats)
        if len(x.shape) < 2:
            raise AssertionError(
                "[prelu] expected x of at least 2 axes for a weight of each channel, got shape "
                f"{list(x.shape)}"
            )
        mode = "channel"
        data_format = "NHWC" if data_format[-1] == "C" and data_format != "NC" else "NCHW"
        channels = x.shape[-1] if data_format == "NHWC" else x.shape[1]
        if weight.shape[0] != channels:
            raise AssertionError(
                f"[prelu] expected one weight or {channels}, one for each channel, got "
                f"{weight.shape[0]}"
            )
    return _C_ops.prelu(x, weight, data_format if mode == "channel" else "NCHW", mode)


def rrelu(x, lower=0.125, upper=0.3333333333333333, training=True, name=None):
    """x where x >= 0, else a * x with a from U(lower, upper) while training, (lower + upper) / 2
    otherwise.
    """
    for value, what in ((lower, "lower"), (upper, "upper")):
        if not isinstance(value, (int, float)):
            raise TypeError(f"[rrelu] expected {what} to be a number, got {type(value).__name__}")
    if lower < 0 or lower > 1:
        raise ValueError(f"[rrelu] expected lower from 0 to 1, got {lower}")
    if upper < lower:
        raise ValueError(f"[rrelu] expected upper of at least lower, got {upper} and {lower}")
    if upper > 1:
        raise ValueError(f"[rrelu] expected upper of at most 1, got {upper}")
    return _C_ops.rrelu(x, lower, upper, not training)


def glu(x, axis=-1, name=None):
    """a * sigmoid(b) for the two halves a, b of x along `axis`."""
    expect_tensors("glu", x=x)
    rank = x.ndim
    if not isinstance(axis, int):
        raise TypeError(f"[glu] expected axis to be an int, got {type(axis).__name__}")
    if not -rank <= axis < rank:
        raise ValueError(f"[glu] expected an axis from {-rank} to {rank - 1}, got {axis}")
    a, b = _C_ops.split_with_num(x, 2, axis % rank)
    return a * _C_ops.sigmoid(b)


def maxout(x, groups, axis=1, name=None):
    """Maximum over groups of channels: [N, C, H, W] -> [N, C / groups, H, W]."""
    if axis not in (1, -1, 3):
        raise ValueError(f"[maxout] expected axis 1, -1 or 3, that of the channels, got {axis}")
    if groups < 2:
        raise ValueError(f"[maxout] expected at least 2 groups, got {groups}")
    return _C_ops.maxout(x, groups, axis if axis != -1 else 3)


def swiglu(x, y=None, name=None):
    """silu(x) * y; without y the two halves of x along the last axis."""
    return _C_ops.swiglu(x, y)


def softmax_(x, axis=-1, dtype=None, name=None):
    """softmax written back to x; with another `dtype` x takes that."""
    return written(x, "softmax_", lambda old: softmax(old, axis, dtype))


def elu_(x, alpha=1.0, name=None):
    """elu written back to x; alpha must not be negative."""
    if alpha < 0.0:
        raise AssertionError(f"[elu_] expected alpha of at least 0, got {alpha}")
    return _C_ops.elu_(x, alpha)


_lazy.serve(globals())
