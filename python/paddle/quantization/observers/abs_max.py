# SPDX-License-Identifier: Apache-2.0
"""The largest magnitude that was seen."""

import paddle

from ..factory import QuanterFactory
from .largest import LargestObserver

__all__ = ['AbsmaxObserver', 'AbsmaxObserverLayer']


class AbsmaxObserver(QuanterFactory):
    """Makes `AbsmaxObserverLayer`s."""

    def __init__(self, quant_bits=8):
        super().__init__(quant_bits=quant_bits)

    def _get_class(self):
        return AbsmaxObserverLayer


class AbsmaxObserverLayer(LargestObserver):
    """The scale is the largest magnitude of all inputs, at least `INIT_ABS_MAX`."""

    INIT_ABS_MAX = 1e-7

    def forward(self, input):
        with paddle.no_grad():
            largest = input.detach().abs().max().astype('float32')
            before = self.INIT_ABS_MAX if self._max is None else self._max
            self._max = paddle.maximum(largest, paddle.full([], before, 'float32'))
        return input
