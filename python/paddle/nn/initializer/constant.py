# SPDX-License-Identifier: Apache-2.0
"""Constant initializer."""

import paddle

from .initializer import Initializer

__all__ = ["Constant"]


class ConstantInitializer(Initializer):
    """Every element is `value`."""

    def __init__(self, value=0.0, force_cpu=False):
        self._value = value

    def create(self, shape, dtype):
        return paddle._C_ops.full(shape, self._value, dtype)


class Constant(ConstantInitializer):
    """Every element is `value`."""

    def __init__(self, value=0.0):
        super().__init__(value)
