# SPDX-License-Identifier: Apache-2.0
"""Assign: start from given values."""

import paddle
from paddle.base.framework import Tensor

from .initializer import Initializer

__all__ = ["Assign"]


class NumpyArrayInitializer(Initializer):
    """The values of a numpy array, cast to the parameter's dtype."""

    def __init__(self, value):
        import numpy as np

        if not isinstance(value, np.ndarray):
            raise TypeError(f"[Assign] expected a numpy.ndarray, got {type(value).__name__}")
        self._value = value

    def create(self, shape, dtype):
        """The values in their own shape, whatever `shape` says."""
        import numpy as np

        return paddle.to_tensor(np.asarray(self._value, order='C')).astype(dtype)


class Assign(NumpyArrayInitializer):
    """The values of a numpy array, list, tuple or Tensor. The parameter has their shape, also where
    another one was asked for.

    Args:
        value (array, list of numbers or Tensor): The values.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> attr = paddle.ParamAttr(initializer=paddle.nn.initializer.Assign([1.0, 2.0]))
        >>> paddle.create_parameter([2], "float32", attr=attr).tolist()
        [1.0, 2.0]
    """

    def __init__(self, value, name=None):
        import numpy as np

        if not isinstance(value, (np.ndarray, list, tuple, Tensor)):
            raise TypeError(
                "[Assign] expected a numpy.ndarray, list, tuple or Tensor, got "
                + type(value).__name__
            )
        if isinstance(value, Tensor):
            value = value.numpy()
        elif not isinstance(value, np.ndarray):
            value = np.array([v.numpy() if isinstance(v, Tensor) else v for v in value])
        super().__init__(value)
