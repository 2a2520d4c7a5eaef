# SPDX-License-Identifier: Apache-2.0
"""What every quanter tells."""

import abc

from paddle.nn import Layer

__all__ = ['BaseQuanter']


class BaseQuanter(Layer, metaclass=abc.ABCMeta):
    """A layer that rounds its input as integers of `bit_length` bits would hold it, or looks at it
    only.
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
