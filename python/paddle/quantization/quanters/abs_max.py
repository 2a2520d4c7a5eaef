# SPDX-License-Identifier: Apache-2.0
"""Rounding by a moving average of the largest magnitude."""

import paddle
from paddle.base import unique_name
from paddle.nn import initializer
from paddle.nn.quant.format import rounded

from ..base_quanter import BaseQuanter
from ..factory import QuanterFactory

__all__ = ['FakeQuanterWithAbsMaxObserver', 'FakeQuanterWithAbsMaxObserverLayer']


class FakeQuanterWithAbsMaxObserver(QuanterFactory):
    """A factory of quanters that round by a moving average of the largest magnitude.

    The gradient of the result is passed on to the input.

    Args:
        moving_rate (float, default 0.9): How much of the average an input keeps.
        bit_length (int, default 8): The bits of an integer.
        dtype (str, default 'float32'): The dtype of the scale.
        name (str, default None): The beginning of the names of its state; None for that of the
            layer.

    Examples:
        >>> from paddle.quantization import QAT, QuantConfig
        >>> from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
        >>> config = QuantConfig(activation=FakeQuanterWithAbsMaxObserver(), weight=None)
        >>> model = QAT(config).quantize(paddle.nn.Sequential(paddle.nn.Linear(1, 1)))
        >>> _ = model(paddle.to_tensor([[3.0]]))
        >>> round(model[0].activation_quanter.scales().item(), 4)  # (0.9 * 1 + 3) / (0.9 * 1 + 1)
        2.0526
    """

    def __init__(self, moving_rate=0.9, bit_length=8, dtype='float32', name=None):
        super().__init__(name=name, moving_rate=moving_rate, bit_length=bit_length, dtype=dtype)

    def _get_class(self):
        return FakeQuanterWithAbsMaxObserverLayer


class FakeQuanterWithAbsMaxObserverLayer(BaseQuanter):
    """The input as integers of `bit_length` bits stand for it; its gradient is passed on. In
    training the scale is the moving average of each input's largest magnitude.
    """

    def __init__(self, layer, name=None, moving_rate=0.9, bit_length=8, dtype='float32'):
        super().__init__()
        self._moving_rate = moving_rate
        self._bit_length = bit_length
        prefix = name or f'{layer.full_name() if layer is not None else "quant"}_quanter'
        for state, value in (('scale', 0.001), ('state', 1.0), ('accum', 1.0)):
            parameter = self.create_parameter(
                [1],
                paddle.ParamAttr(
                    name=unique_name.generate(f'{prefix}.{state}'),
                    initializer=initializer.Constant(value),
                    trainable=False,
                ),
                dtype,
            )
            parameter.stop_gradient = True
            setattr(self, f'_{state}', parameter)

    def forward(self, input):
        if self.training:
            with paddle.no_grad():
                rate, dtype = self._moving_rate, self._scale.dtype
                largest = input.detach().abs().max().reshape([1]).astype(dtype)
                paddle.assign(self._state * rate + 1.0, self._state)
                paddle.assign(self._accum * rate + largest, self._accum)
                paddle.assign(self._accum / self._state, self._scale)
        return rounded(input, self._scale.detach().clone(), self._bit_length)

    def scales(self):
        return self._scale

    def zero_points(self):
        return None

    def quant_axis(self):
        return -1

    def bit_length(self):
        return self._bit_length
