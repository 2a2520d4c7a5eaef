# SPDX-License-Identifier: Apache-2.0
"""The largest magnitude that was seen."""

import paddle

from ..base_observer import BaseObserver
from ..factory import QuanterFactory

__all__ = ['AbsmaxObserver', 'AbsmaxObserverLayer']


class AbsmaxObserver(QuanterFactory):
    """Makes `AbsmaxObserverLayer`s."""

    def __init__(self, quant_bits=8):
        super().__init__(quant_bits=quant_bits)

    def _get_class(self):
        return AbsmaxObserverLayer


class AbsmaxObserverLayer(BaseObserver):
    """The scale is the largest magnitude of all inputs, at least `INIT_ABS_MAX`."""

    INIT_ABS_MAX = 1e-7

    def __init__(self, layer, quant_bits=8):
        super().__init__()
        self._quant_bits = quant_bits
        self._max = None

    def forward(self, input):
        with paddle.no_grad():
            largest = input.detach().abs().max().astype('float32')
            before = self.INIT_ABS_MAX if self._max is None else self._max
            self._max = paddle.maximum(largest, paddle.full([], before, 'float32'))
        return input

    def cal_thresholds(self):
        """Nothing: the scale is up to date."""

    def scales(self):
        if self._max is None:
            raise RuntimeError(
                '[AbsmaxObserver.scales] expected inputs to have been observed, got none'
            )
        return self._max

    def zero_points(self):
        return paddle.zeros_like(self.scales())

    def quant_axis(self):
        return -1

    def bit_length(self):
        return self._quant_bits
