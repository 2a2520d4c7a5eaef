# SPDX-License-Identifier: Apache-2.0
"""The largest magnitudes of groups of a weight's rows."""

import paddle

from ..factory import QuanterFactory
from .largest import LargestObserver

__all__ = ['GroupWiseWeightObserver', 'GroupWiseWeightObserverLayer']


class GroupWiseWeightObserver(QuanterFactory):
    """Makes `GroupWiseWeightObserverLayer`s."""

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
