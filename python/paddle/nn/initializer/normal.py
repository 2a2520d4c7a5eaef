# SPDX-License-Identifier: Apache-2.0
"""Normal and truncated normal initializers."""

import paddle

from .initializer import Initializer, gaussian, is_half

__all__ = ["Normal", "TruncatedNormal"]


class NormalInitializer(Initializer):
    """Values from N(loc, scale^2)."""

    def __init__(self, loc=0.0, scale=1.0, seed=0):
        for value in (loc, scale):
            if isinstance(value, (str, type(None))):
                raise TypeError(f"[Normal] expected a number, got {value!r}")
        self._mean = loc
        self._std_dev = scale
        self._seed = seed

    def create(self, shape, dtype):
        return gaussian(shape, dtype, self._mean, self._std_dev, self._seed)


class Normal(NormalInitializer):
    """Values from N(mean, std^2).

    Args:
        mean (float, default 0.0): The mean.
        std (float, default 1.0): The standard deviation.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> init = paddle.nn.initializer.Normal(5.0, 0.1)
        >>> weight = paddle.create_parameter([100, 100], "float32", default_initializer=init)
        >>> round(weight.mean().item(), 1), round(weight.std().item(), 1)
        (5.0, 0.1)
    """

    def __init__(self, mean=0.0, std=1.0, name=None):
        super().__init__(mean, std)


class TruncatedNormalInitializer(Initializer):
    """Values from N(loc, scale^2) conditioned on lying in [a, b]."""

    def __init__(self, loc=0.0, scale=1.0, seed=0, a=-2.0, b=2.0):
        self._mean = loc
        self._std_dev = scale
        self._seed = seed
        self._a = a
        self._b = b

    def create(self, shape, dtype):
        draw = paddle.float32 if is_half(dtype) else dtype
        out = paddle._C_ops.truncated_gaussian_random(
            shape, self._mean, self._std_dev, self._seed, self._a, self._b, draw
        )
        return out.astype(dtype) if draw != dtype else out


class TruncatedNormal(TruncatedNormalInitializer):
    """Values from N(mean, std^2) conditioned on lying in [a, b].

    Args:
        mean (float, default 0.0): The mean.
        std (float, default 1.0): The standard deviation.
        a (float, default -2.0): The least value.
        b (float, default 2.0): The greatest value.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> init = paddle.nn.initializer.TruncatedNormal(a=-1.0, b=1.0)
        >>> weight = paddle.create_parameter([100], "float32", default_initializer=init)
        >>> bool((weight.abs() <= 1.0).all())
        True
    """

    def __init__(self, mean=0.0, std=1.0, a=-2.0, b=2.0, name=None):
        super().__init__(mean, std, 0, a, b)
