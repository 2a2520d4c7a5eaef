# SPDX-License-Identifier: Apache-2.0
"""A convolution with quanters of its input and its weight."""

import paddle.nn.functional as F

from .linear import QuantedWeightLayer

__all__ = ['QuantedConv2D']


class QuantedConv2D(QuantedWeightLayer):
    """What takes a `Conv2D`'s place."""

    def __init__(self, layer, q_config):
        super().__init__(layer, q_config)
        self._edge_padding = layer._edge_padding
        self._padding_mode = layer._padding_mode
        self._options = {
            'stride': layer._stride,
            'padding': 0 if layer._edge_padding is not None else layer._padding,
            'dilation': layer._dilation,
            'groups': layer._groups,
            'data_format': layer._data_format,
        }

    def forward(self, input):
        input, weight = self._rounded(input)
        if self._edge_padding is not None:
            layout = self._options['data_format']
            input = F.pad(input, self._edge_padding, self._padding_mode, 0.0, layout)
        return F.conv2d(input, weight, self.bias, **self._options)
