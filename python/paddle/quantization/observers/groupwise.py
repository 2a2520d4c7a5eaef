# SPDX-License-Identifier: Apache-2.0
"""The largest magnitudes of groups of a weight's rows."""

import paddle

from ..factory import QuanterFactory
from .largest import LargestObserver

__all__ = ['GroupWiseWeightObserver', 'GroupWiseWeightObserverLayer']


class GroupWiseWeightObserver(QuanterFactory):
    """A factory of observers of weights, with a scale for each group of rows of a column.

    Args:
        quant_bits (int, default 8): The bits of an integer.
        group_size (int, default 128): How many rows a group has; it divides the rows of the weight.

    Examples:
        >>> from paddle.quantization import PTQ, QuantConfig
        >>> from paddle.quantization.observers import GroupWiseWeightObserver
        >>> net = paddle.nn.Sequential(paddle.nn.Linear(4, 2))
        >>> _ = net.eval()
        >>> config = QuantConfig(None, GroupWiseWeightObserver(group_size=2))
        >>> observed = PTQ(config).quantize(net)
        >>> _ = observed(paddle.ones([1, 4]))
        >>> [list(o.scales().shape) for o in observed.sublayers() if hasattr(o, "scales")]
        [[2, 2]]
    """

    def __init__(self, quant_bits=8, group_size=128):
        super().__init__(quant_bits=quant_bits, group_size=group_size)

    def _get_class(self):
        return GroupWiseWeightObserverLayer


class GroupWiseWeightObserverLayer(LargestObserver):
    """The scales [rows / group_size, columns] of a weight [rows, columns]: each is the largest
    magnitude of a column's `group_size` rows.
    """

    def __init__(self, layer, quant_bits=8, group_size=128):
        super().__init__(layer, quant_bits)
        self.group_size = group_size

    def forward(self, input):
        if input.ndim != 2 or input.shape[0] % self.group_size:
            raise AssertionError(
                '[GroupWiseWeightObserver] expected a weight of two axes, the first a multiple of '
                f'group_size {self.group_size}, got shape {list(input.shape)}'
            )
        with paddle.no_grad():
            groups = input.detach().abs().reshape([-1, self.group_size, input.shape[1]])
            self._max = groups.max(axis=1).astype('float32').clip(min=1e-7)
        return input
