# SPDX-License-Identifier: Apache-2.0
"""What values a random variable can have, as functions that say so for each element."""

import paddle

__all__ = ['Constraint', 'Real', 'Range', 'Positive', 'Simplex', 'real', 'positive', 'simplex']


class Constraint:
    """A function of values: whether each is possible."""

    def __call__(self, value):
        raise NotImplementedError(
            f"[{type(self).__name__}] expected a subclass that defines __call__, got "
            f"{type(value).__name__} to check"
        )


class Real(Constraint):
    """Any number but NaN."""

    def __call__(self, value):
        return value == value


class Range(Constraint):
    """Numbers from `lower` to `upper`."""

    def __init__(self, lower, upper):
        self._lower, self._upper = lower, upper

    def __call__(self, value):
        return paddle.logical_and(value >= self._lower, value <= self._upper)


class Positive(Constraint):
    """Numbers from 0 on."""

    def __call__(self, value):
        return value >= 0.0


class Simplex(Constraint):
    """Vectors, along the last axis, of numbers from 0 on whose sum is 1, to 1e-6."""

    def __call__(self, value):
        return paddle.logical_and(paddle.all(value >= 0, axis=-1), (value.sum(-1) - 1).abs() < 1e-6)


real, positive, simplex = Real(), Positive(), Simplex()
