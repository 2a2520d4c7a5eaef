# SPDX-License-Identifier: Apache-2.0
"""Xavier (Glorot) initializers."""

import math

from paddle.base.documentation import shares

from .initializer import Initializer, compute_fans, gaussian, uniform

__all__ = ["XavierUniform", "XavierNormal"]


class XavierInitializer(Initializer):
    """Variance 2 * gain^2 / (fan_in + fan_out), uniform or normal."""

    def __init__(self, uniform=True, fan_in=None, fan_out=None, seed=0, gain=1.0):
        self._uniform = uniform
        self._fan_in = fan_in
        self._fan_out = fan_out
        self._seed = seed
        self._gain = gain

    def create(self, shape, dtype):
        fan_in, fan_out = compute_fans(shape)
        fan_in = fan_in if self._fan_in is None else self._fan_in
        fan_out = fan_out if self._fan_out is None else self._fan_out
        total = float(fan_in + fan_out)
        if self._uniform:
            limit = self._gain * math.sqrt(6.0 / total) if total else 0.0
            return uniform(shape, dtype, -limit, limit, self._seed)
        std = self._gain * math.sqrt(2.0 / total) if total else 0.0
        return gaussian(shape, dtype, 0.0, std, self._seed)


class XavierUniform(XavierInitializer):
    """Values from U(-x, x), x = gain * sqrt(6 / (fan_in + fan_out)).

    Args:
        fan_in (float, default None): How many inputs count; None for those of the shape.
        fan_out (float, default None): How many outputs count; None for those of the shape.
        gain (float, default 1.0): The factor.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Glorot and Bengio, Understanding the difficulty of training deep feedforward networks,
    2010

    Examples:
        >>> init = paddle.nn.initializer.XavierUniform()
        >>> weight = paddle.create_parameter([3, 3], "float32", default_initializer=init)
        >>> bool((weight.abs() <= 1.0).all())
        True
    """

    def __init__(self, fan_in=None, fan_out=None, gain=1.0, name=None):
        super().__init__(True, fan_in, fan_out, 0, gain)


@shares(XavierUniform)
class XavierNormal(XavierInitializer):
    """Values from N(0, s^2), s = gain * sqrt(2 / (fan_in + fan_out)).

    Args:
        {fan_in, fan_out, gain, name}

    Source: Glorot and Bengio, Understanding the difficulty of training deep feedforward networks,
    2010

    Examples:
        >>> init = paddle.nn.initializer.XavierNormal()
        >>> weight = paddle.create_parameter([100, 100], "float32", default_initializer=init)
        >>> round(weight.std().item(), 1)
        0.1
    """

    def __init__(self, fan_in=None, fan_out=None, gain=1.0, name=None):
        super().__init__(False, fan_in, fan_out, 0, gain)
