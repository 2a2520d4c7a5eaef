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
    """Values from N(mean, std^2)."""

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
    """Values from N(mean, std^2) conditioned on lying in [a, b]."""

    def __init__(self, mean=0.0, std=1.0, a=-2.0, b=2.0, name=None):
        super().__init__(mean, std, 0, a, b)
