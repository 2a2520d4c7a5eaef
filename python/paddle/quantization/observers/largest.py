# SPDX-License-Identifier: Apache-2.0
"""Observers whose scales are the largest magnitudes they saw."""

import paddle

from ..base_observer import BaseObserver

__all__ = []


class LargestObserver(BaseObserver):
    """A subclass keeps the magnitudes in `_max`, which is None before the first input."""

    def __init__(self, layer, quant_bits=8):
        super().__init__()
        self._quant_bits = quant_bits
        self._max = None

    def cal_thresholds(self):
        """Nothing: the scales are up to date."""

    def scales(self):
        if self._max is None:
            raise RuntimeError(
                f'[{type(self).__name__}.scales] expected inputs to have been observed, got none'
            )
        return self._max

    def zero_points(self):
        return paddle.zeros_like(self.scales())

    def quant_axis(self):
        return -1

    def bit_length(self):
        return self._quant_bits
