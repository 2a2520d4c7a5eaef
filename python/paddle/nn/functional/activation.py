# SPDX-License-Identifier: Apache-2.0
"""Activations that need more than one op: casts, broadcast weights, random slopes."""

import paddle
from paddle import _C_ops, _lazy
from paddle.base.arguments import integer, second_names
from paddle.base.libpaddle import expect_tensors
from paddle.tensor.inplace import written

from . import _parse

__all__ = [
    "softmax_",
    "gumbel_softmax",
    "prelu",
    "rrelu",
    "glu",
    "maxout",
    "swiglu",
    "celu",
    "elu_",
]


@second_names()
def gumbel_softmax(x, temperature=1.0, hard=False, axis=-1, name=None):
    """softmax((x + Gumbel noise) / temperature); one-hot with the soft gradient when `hard`.

    Args:
        x (Tensor): Scores.
        temperature (float, default 1.0): The divisor; the smaller, the nearer to one-hot.
        hard (bool, default False): Whether the result is one-hot, with the gradient of the soft
            one.
        axis (int, default -1): The axis of classes.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: probabilities, of the shape of x.

    Source: Jang et al., Categorical reparameterization with Gumbel-softmax, 2016

    Examples:
        >>> draw = paddle.nn.functional.gumbel_softmax(paddle.zeros([5, 3]), hard=True)
        >>> draw.sum(axis=1).tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0]
    """
    return _C_ops.gumbel_softmax(x, temperature, hard, axis)


def celu(x, alpha=1.0, name=None):
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)); ZeroDivisionError where alpha is 0.

    Args:
        x (Tensor): The values.
        alpha (float, default 1.0): How far negative values reach.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the result, of the shape of x.

    Raises:
        ZeroDivisionError: alpha is 0.

    Source: Barron, Continuously differentiable exponential linear units, 2017

    Examples:
        >>> paddle.nn.functional.celu(paddle.to_tensor([-1.0, 2.0])).tolist()
        [-0.6321, 2.0]
    """
    if alpha == 0:
        raise ZeroDivisionError("[celu] expected alpha other than 0, got 0")
    return _C_ops.celu(x, alpha)


def prelu(x, weight, data_format="NCHW", name=None):
    """x where x > 0, else weight * x; the weight has one element or one per channel.

    Args:
        x (Tensor): The values.
        weight (Tensor): The slopes left of zero, one or one for each channel.
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The results, with the shape of x.

    Source: He et al., Delving Deep into Rectifiers, 2015 (arXiv:1502.01852)

    Examples:
        >>> x = paddle.to_tensor([[-2.0, 3.0]])
        >>> y = paddle.to_tensor([0.25])
        >>> paddle.nn.functional.prelu(x, y).tolist()
        [[-0.5, 3.0]]
    """
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

    Args:
        x (Tensor): The values.
        lower (float, default 0.125): The least slope.
        upper (float, default 0.3333333333333333): The greatest slope.
        training (bool, default True): Whether slopes are drawn.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the result, of the shape of x.

    Source: Xu et al., Empirical evaluation of rectified activations in convolutional network, 2015

    Examples:
        >>> x = paddle.to_tensor([-1.0, 2.0])
        >>> paddle.nn.functional.rrelu(x, 0.25, 0.75, training=False).tolist()
        [-0.5, 2.0]
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


@second_names(input='x', dim='axis')
def glu(x, axis=-1, name=None):
    """a * sigmoid(b) for the two halves a, b of x along `axis`.

    Args:
        x (Tensor): The values. Also `input`.
        axis (int, default -1): The axis that is halved. Also `dim`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: Half of the extent of x along axis.

    Source: Dauphin et al., Language Modeling with Gated Convolutional Networks, 2016
    (arXiv:1612.08083)

    Examples:
        >>> paddle.nn.functional.glu(paddle.to_tensor([1.0, 2.0, 0.0, 0.0])).tolist()
        [0.5, 1.0]
    """
    expect_tensors("glu", x=x)
    rank = x.ndim
    if not isinstance(axis, int):
        raise TypeError(f"[glu] expected axis to be an int, got {type(axis).__name__}")
    if not -rank <= axis < rank:
        raise ValueError(f"[glu] expected an axis from {-rank} to {rank - 1}, got {axis}")
    a, b = _C_ops.split_with_num(x, 2, axis % rank)
    return a * _C_ops.sigmoid(b)


def maxout(x, groups, axis=1, name=None):
    """Maximum over groups of channels: [N, C, H, W] -> [N, C / groups, H, W].

    Args:
        x (Tensor): The values.
        groups (int): How many channels a group has.
        axis (int, default 1): The axis of channels: 1, or the last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The maxima; axis has its extent over groups.

    Source: Goodfellow et al., Maxout Networks, 2013 (arXiv:1302.4389)

    Examples:
        >>> x = paddle.to_tensor([1.0, 5.0, 3.0, 2.0])
        >>> paddle.nn.functional.maxout(x.reshape([1, 4, 1, 1]), groups=2).flatten().tolist()
        [5.0, 3.0]
    """
    if axis not in (1, -1, 3):
        raise ValueError(f"[maxout] expected axis 1, -1 or 3, that of the channels, got {axis}")
    if integer("maxout", "groups", groups) < 2:
        raise ValueError(f"[maxout] expected at least 2 groups, got {groups}")
    return _C_ops.maxout(x, groups, axis if axis != -1 else 3)


def swiglu(x, y=None, name=None):
    """silu(x) * y; without y the two halves of x along the last axis.

    Args:
        x (Tensor): The values.
        y (Tensor, default None): The factors; None for the second half of x.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The products.

    Source: Shazeer, GLU Variants Improve Transformer, 2020 (arXiv:2002.05202)

    Examples:
        >>> paddle.nn.functional.swiglu(paddle.to_tensor([1.0, 2.0, 3.0, 4.0])).tolist()
        [2.1932, 7.0464]
    """
    return _C_ops.swiglu(x, y)


def softmax_(x, axis=-1, dtype=None, name=None):
    """softmax written back to x; with another `dtype` x takes that.

    Args:
        x (Tensor): The values.
        axis (int, default -1): The axis of classes.
        dtype (str or dtype, default None): What x takes first; None for its own.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x itself, with the result.

    Examples:
        >>> x = paddle.zeros([1, 4])
        >>> paddle.nn.functional.softmax_(x).tolist()
        [[0.25, 0.25, 0.25, 0.25]]
    """
    return written(x, "softmax_", lambda old: paddle.nn.functional.softmax(old, axis, dtype))


def elu_(x, alpha=1.0, name=None):
    """elu written back to x; alpha must not be negative.

    Args:
        x (Tensor): The values.
        alpha (float, default 1.0): How far negative values reach.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x itself, with the result.

    Examples:
        >>> x = paddle.to_tensor([-1.0, 2.0])
        >>> _ = paddle.nn.functional.elu_(x)
        >>> x.tolist()
        [-0.6321, 2.0]
    """
    if alpha < 0.0:
        raise AssertionError(f"[elu_] expected alpha of at least 0, got {alpha}")
    return _C_ops.elu_(x, alpha)


_lazy.serve(globals())
