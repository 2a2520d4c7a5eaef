# SPDX-License-Identifier: Apache-2.0
"""`Initializer`, the base of all initializers, the global defaults, fans and gains."""

import math

import paddle
from paddle.base.arguments import instance
from paddle.base.framework import dtype_name
from paddle.base.known_keywords import KnownKeywords
from paddle.base.libpaddle import expect_tensors

__all__ = ["Initializer", "calculate_gain", "set_global_initializer"]

_global = {"weight": None, "bias": None}


class Initializer(KnownKeywords):
    """Gives a parameter its first value. Subclasses define `create(shape, dtype)` or `forward(var,
    block)`.
    """

    def __init__(self):
        super().__init__()

    def __call__(self, var, block=None):
        """Fill `var` in place."""
        return self.forward(var, block)

    def forward(self, var, block=None):
        if type(self).create is Initializer.create:
            raise NotImplementedError(
                f"[{type(self).__name__}] expected a subclass with create or forward, got neither"
            )
        expect_tensors(type(self).__name__, var=var)
        with paddle.no_grad():
            var.set_value(self.create(list(var.shape), var.dtype))
        return var

    def create(self, shape, dtype):
        """A new Tensor of `shape` and `dtype` with the initial value."""
        tensor = paddle._C_ops.full(shape, 0.0, dtype)
        with paddle.no_grad():
            self(tensor)
        return tensor


def choose(given, default, is_bias):
    """The initializer to use: the attribute's, else the global one, else the layer's default, else
    the framework's.
    """
    if given is not None:
        return given
    chosen = _global["bias" if is_bias else "weight"]
    if chosen is None:
        chosen = default
    if chosen is None:
        from .constant import Constant
        from .xavier import XavierUniform

        chosen = Constant(0.0) if is_bias else XavierUniform()
    return chosen


def set_global_initializer(weight_init, bias_init=None):
    """Initializers for parameters whose ParamAttr gives none.

    Args:
        weight_init (Initializer or None): That of weights; None for the default.
        bias_init (Initializer, default None): That of biases; None for the default.

    Returns:
        None.

    Examples:
        >>> paddle.nn.initializer.set_global_initializer(paddle.nn.initializer.Constant(2.0))
        >>> paddle.nn.Linear(1, 2).weight.tolist()
        [[2.0, 2.0]]
        >>> paddle.nn.initializer.set_global_initializer(None)
    """
    for what, value in (("weight_init", weight_init), ("bias_init", bias_init)):
        if value is not None and not isinstance(value, Initializer):
            raise TypeError(
                f"[set_global_initializer] expected {what} to be an Initializer or None, "
                f"got {type(value).__name__}"
            )
    _global["weight"] = weight_init
    _global["bias"] = bias_init


def compute_fans(shape):
    """(fan_in, fan_out) of a weight: [in, out] for a matrix, [out, in, *kernel] otherwise."""
    if len(shape) == 0:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    if len(shape) == 2:
        return shape[0], shape[1]
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def is_half(dtype):
    return dtype_name(dtype) in ("float16", "bfloat16")


def uniform(shape, dtype, low, high, seed=0):
    """Uniform values; half types are drawn in float32."""
    if is_half(dtype):
        return paddle._C_ops.uniform(shape, paddle.float32, low, high, seed).astype(dtype)
    return paddle._C_ops.uniform(shape, dtype, low, high, seed)


def gaussian(shape, dtype, mean, std, seed=0):
    """Normal values; half types are drawn in float32."""
    if is_half(dtype):
        return paddle._C_ops.gaussian(shape, mean, std, seed, paddle.float32).astype(dtype)
    return paddle._C_ops.gaussian(shape, mean, std, seed, dtype)


def calculate_gain(nonlinearity, param=None):
    """Recommended scale of weights before an activation.

    Args:
        nonlinearity (str): The activation, or the name of a linear function: `relu`, `tanh`,
            `leaky_relu`, `conv2d`, ...
        param (float, default None): The slope of `leaky_relu`; None for 0.01.

    Returns:
        float: the scale.

    Raises:
        ValueError: No gain is known.

    Examples:
        >>> paddle.nn.initializer.calculate_gain("relu")
        1.4142
        >>> paddle.nn.initializer.calculate_gain("leaky_relu", 1.0)
        1.0
    """
    instance("calculate_gain", "nonlinearity", nonlinearity, str, "the name of an activation")
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else float(param)
        return math.sqrt(2.0 / (1 + slope**2))
    gains = {
        "sigmoid": 1,
        "linear": 1,
        "conv1d": 1,
        "conv2d": 1,
        "conv3d": 1,
        "conv1d_transpose": 1,
        "conv2d_transpose": 1,
        "conv3d_transpose": 1,
        "conv_transpose1d": 1,
        "conv_transpose2d": 1,
        "conv_transpose3d": 1,
        "tanh": 5.0 / 3,
        "relu": math.sqrt(2.0),
        "selu": 3.0 / 4,
    }
    if nonlinearity in gains:
        return gains[nonlinearity]
    raise ValueError(
        "[calculate_gain] expected the name of an activation with a known gain, got "
        f"{nonlinearity!r}"
    )
