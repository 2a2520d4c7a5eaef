# SPDX-License-Identifier: Apache-2.0
"""Kaiming (He) initializers."""

import math

from paddle.base.documentation import shares

from .initializer import Initializer, calculate_gain, compute_fans, gaussian, uniform

__all__ = ["KaimingUniform", "KaimingNormal"]


class MSRAInitializer(Initializer):
    """Variance gain^2 / fan, uniform or normal; `mode` chooses the fan."""

    def __init__(
        self,
        uniform=True,
        fan_in=None,
        seed=0,
        negative_slope=0,
        nonlinearity="relu",
        mode="fan_in",
    ):
        if mode not in ("fan_in", "fan_out"):
            raise ValueError(f"[Kaiming] expected mode 'fan_in' or 'fan_out', got {mode!r}")
        self._uniform = uniform
        self._fan_in = fan_in
        self._seed = seed
        self._negative_slope = negative_slope
        self._nonlinearity = nonlinearity
        self._mode = mode

    def create(self, shape, dtype):
        fan_in, fan_out = compute_fans(shape)
        fan = (
            fan_out
            if self._mode == "fan_out"
            else (fan_in if self._fan_in is None else self._fan_in)
        )
        gain = calculate_gain(self._nonlinearity, self._negative_slope)
        if self._uniform:
            limit = gain * math.sqrt(3.0 / float(fan)) if fan else 0.0
            return uniform(shape, dtype, -limit, limit, self._seed)
        std = gain / math.sqrt(float(fan)) if fan else 0.0
        return gaussian(shape, dtype, 0.0, std, self._seed)


class KaimingNormal(MSRAInitializer):
    """Values from N(0, gain^2 / fan).

    Args:
        fan_in (float, default None): How many inputs count; None for those of the shape.
        negative_slope (float, default 0.0): The slope of `leaky_relu`.
        nonlinearity (str, default 'relu'): The activation that follows, which tells the gain.
        mode (str, default 'fan_in'): `fan_in` or `fan_out`.

    Source: He et al., Delving deep into rectifiers, 2015

    Examples:
        >>> init = paddle.nn.initializer.KaimingNormal()
        >>> weight = paddle.create_parameter([200, 100], "float32", default_initializer=init)
        >>> round(weight.std().item(), 2)
        0.1
    """

    def __init__(self, fan_in=None, negative_slope=0.0, nonlinearity="relu", mode="fan_in"):
        super().__init__(False, fan_in, 0, negative_slope, nonlinearity, mode)


@shares(KaimingNormal)
class KaimingUniform(MSRAInitializer):
    """Values from U(-x, x), x = gain * sqrt(3 / fan).

    Args:
        {fan_in, negative_slope, nonlinearity, mode}

    Source: He et al., Delving deep into rectifiers, 2015

    Examples:
        >>> init = paddle.nn.initializer.KaimingUniform()
        >>> weight = paddle.create_parameter([6, 100], "float32", default_initializer=init)
        >>> bool((weight.abs() <= 1.0).all())
        True
    """

    def __init__(self, fan_in=None, negative_slope=0.0, nonlinearity="relu", mode="fan_in"):
        super().__init__(True, fan_in, 0, negative_slope, nonlinearity, mode)
