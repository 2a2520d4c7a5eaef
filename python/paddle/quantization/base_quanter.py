# SPDX-License-Identifier: Apache-2.0
"""What every quanter tells."""

import abc

from paddle.nn import Layer

__all__ = ['BaseQuanter']


class BaseQuanter(Layer, metaclass=abc.ABCMeta):
    """The base of layers that round their input as integers would hold it, or only look at it.

    Its `forward(input)` gives the input, rounded or as it is; `scales()` the largest magnitude that
    the integers stand for, `zero_points()` the integer that stands for 0 (None for 0),
    `quant_axis()` the axis along which scales differ (-1 for none), `bit_length()` the bits of an
    integer.

    Args:
        name_scope (str, default None): The beginning of the names of its parameters.
        dtype (str, default 'float32'): The dtype of its parameters.

    Examples:
        >>> from paddle.quantization import BaseQuanter
        >>> class Rounded(BaseQuanter):
        ...     def forward(self, input):
        ...         return paddle.round(input * 127) / 127
        ...     def scales(self):
        ...         return paddle.to_tensor(1.0)
        ...     def zero_points(self):
        ...         return None
        ...     def quant_axis(self):
        ...         return -1
        ...     def bit_length(self):
        ...         return 8
        >>> (Rounded()(paddle.to_tensor([0.5])) * 127).tolist()
        [64.0]
    """

    @abc.abstractmethod
    def forward(self, input):
        """The input, rounded or as it is."""

    @abc.abstractmethod
    def scales(self):
        """The largest magnitude that the integers stand for."""

    @abc.abstractmethod
    def zero_points(self):
        """The integer that stands for 0; None for 0."""

    @abc.abstractmethod
    def quant_axis(self):
        """The axis along which scales differ, -1 where there is one."""

    @abc.abstractmethod
    def bit_length(self):
        """How many bits an integer has."""
