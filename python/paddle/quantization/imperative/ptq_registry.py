# SPDX-License-Identifier: Apache-2.0
"""The kinds of layers that are quantised, and how PaddlePaddle calls their tensors."""

import paddle
from paddle import nn

__all__ = ['PTQRegistry']


class LayerInfo:
    """A kind of layer, and the names of the tensors of its operation."""

    def __init__(self, layer, input_names, weight_names, output_names):
        self.layer = layer
        self.input_names = input_names
        self.weight_names = weight_names
        self.output_names = output_names


_WEIGHTS = [
    LayerInfo(nn.Conv2D, ['Input'], ['Filter'], ['Output']),
    LayerInfo(nn.Linear, ['X'], ['Y'], ['Out']),
]
_POINTWISE = (
    *(nn.AdaptiveMaxPool2D, nn.AdaptiveAvgPool2D, nn.AvgPool2D, nn.MaxPool2D),
    *(nn.ReLU, nn.ReLU6, nn.Hardswish, nn.Swish, nn.Sigmoid, nn.Softmax, nn.Tanh),
)
_LAYERS = {
    info.layer: info
    for info in (
        *_WEIGHTS,
        LayerInfo(nn.BatchNorm2D, ['X'], [], ['Y']),
        *(LayerInfo(kind, ['X'], [], ['Out']) for kind in _POINTWISE),
        LayerInfo(paddle.nn.quant.add, ['X', 'Y'], [], ['Out']),
    )
}


def channel_axis(layer):
    """Which axis of a layer's weight is that of its results."""
    return 1 if isinstance(layer, nn.Linear) else 0


class PTQRegistry:
    """Answers of what is known of a layer, or of a class of layers."""

    supported_layers_map = _LAYERS

    @classmethod
    def _kind(cls, layer):
        return layer if isinstance(layer, type) else type(layer)

    @classmethod
    def is_supported_layer(cls, layer):
        """Whether the layer is observed."""
        return cls._kind(layer) in _LAYERS

    is_registered_layer = is_supported_layer

    @classmethod
    def is_simulated_quant_layer(cls, layer):
        """Whether a quantised model rounds the layer's input and weight."""
        return cls._kind(layer) in [info.layer for info in _WEIGHTS]

    @classmethod
    def layer_info(cls, layer):
        """The `LayerInfo` of a layer that is observed; AssertionError for another."""
        if not cls.is_supported_layer(layer):
            raise AssertionError(
                f'[PTQRegistry] expected a layer that can be quantised, got {cls._kind(layer)}'
            )
        return _LAYERS[cls._kind(layer)]
