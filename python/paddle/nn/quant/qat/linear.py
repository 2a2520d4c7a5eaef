# SPDX-License-Identifier: Apache-2.0
"""A linear layer with quanters of its input and its weight."""

import paddle.nn.functional as F

from ..format import ConvertibleQuantedLayer

__all__ = ['QuantedLinear', 'QuantedWeightLayer']


class QuantedWeightLayer(ConvertibleQuantedLayer):
    """The parameters of `layer`, and the quanters of a configuration, each may be None."""

    def __init__(self, layer, q_config):
        super().__init__()
        self.weight = layer.weight
        self.bias = layer.bias
        self.weight_quanter = self.activation_quanter = None
        if q_config.weight is not None:
            self.weight_quanter = q_config.weight._instance(layer)
        if q_config.activation is not None:
            self.activation_quanter = q_config.activation._instance(layer)

    def _rounded(self, input):
        """The input and the weight as the quanters give them."""
        weight = self.weight
        if self.activation_quanter is not None:
            input = self.activation_quanter(input)
        if self.weight_quanter is not None:
            weight = self.weight_quanter(weight)
        return input, weight

    def weights_to_quanters(self):
        return [('weight', 'weight_quanter')]

    def activation_quanters(self):
        return ['activation_quanter']


class QuantedLinear(QuantedWeightLayer):
    """What takes a `Linear`'s place."""

    def __init__(self, layer, q_config):
        super().__init__(layer, q_config)
        self.name = layer.name

    def forward(self, input):
        input, weight = self._rounded(input)
        return F.linear(input, weight, self.bias, self.name)
