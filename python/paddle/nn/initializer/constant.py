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
    """Every element is `value`.

    Args:
        value (float, default 0.0): The value.

    Examples:
        >>> attr = paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(3.0))
        >>> paddle.create_parameter([2], "float32", attr=attr).tolist()
        [3.0, 3.0]
    """

    def __init__(self, value=0.0):
        super().__init__(value)
