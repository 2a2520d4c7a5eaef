# SPDX-License-Identifier: Apache-2.0
"""Uniform initializer."""

from paddle.base.arguments import only

from .initializer import Initializer, uniform

__all__ = ["Uniform"]


class UniformInitializer(Initializer):
    """Values from U[low, high)."""

    def __init__(self, low=-1.0, high=1.0, seed=0, diag_num=0, diag_step=0, diag_val=1.0):
        if not high >= low:
            raise AssertionError(f"[Uniform] expected low <= high, got {low} and {high}")
        self._low = low
        self._high = high
        only(
            'Uniform',
            'every element is drawn',
            diag_num=(diag_num, 0),
            diag_step=(diag_step, 0),
            diag_val=(diag_val, 1.0),
        )
        self._seed = seed

    def create(self, shape, dtype):
        return uniform(shape, dtype, self._low, self._high, self._seed)


class Uniform(UniformInitializer):
    """Values from U[low, high).

    Args:
        low (float, default -1.0): The least value.
        high (float, default 1.0): What values stay below.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> init = paddle.nn.initializer.Uniform(2.0, 3.0)
        >>> weight = paddle.create_parameter([100], "float32", default_initializer=init)
        >>> bool(((weight >= 2.0) & (weight < 3.0)).all())
        True
    """

    def __init__(self, low=-1.0, high=1.0, name=None):
        super().__init__(low, high)
