# SPDX-License-Identifier: Apache-2.0
"""The largest magnitude that was seen."""

import paddle

from ..factory import QuanterFactory
from .largest import LargestObserver

__all__ = ['AbsmaxObserver', 'AbsmaxObserverLayer']


class AbsmaxObserver(QuanterFactory):
    """A factory of observers whose scale is the largest magnitude of all inputs.

    Args:
        quant_bits (int, default 8): The bits of an integer.

    Examples:
        >>> from paddle.quantization import PTQ, QuantConfig
        >>> from paddle.quantization.observers import AbsmaxObserver
        >>> net = paddle.nn.Sequential(paddle.nn.Linear(4, 2))
        >>> _ = net.eval()
        >>> observed = PTQ(QuantConfig(AbsmaxObserver(), None)).quantize(net)
        >>> _ = observed(paddle.to_tensor([[1.0, -3.0, 2.0, 0.0]]))
        >>> [layer.scales().item() for layer in observed.sublayers() if hasattr(layer, "scales")]
        [3.0]
    """

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
