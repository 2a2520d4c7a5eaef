# SPDX-License-Identifier: Apache-2.0
"""The convolution, normalisation, activation block that the models and `paddle.vision.ops`
share.
"""

from paddle import nn
from paddle.nn.functional import _parse

__all__ = ['ConvNormActivation']


class ConvNormActivation(nn.Sequential):
    """Convolution, then normalisation, then activation; None leaves a part out."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size=3,
        stride=1,
        padding=None,
        groups=1,
        norm_layer=nn.BatchNorm2D,
        activation_layer=nn.ReLU,
        dilation=1,
        bias=None,
    ):
        if padding is None:
            sides = zip(
                _parse.ints('ConvNormActivation', 'kernel_size', kernel_size, 2),
                _parse.ints('ConvNormActivation', 'dilation', dilation, 2),
            )
            padding = [(size - 1) // 2 * step for size, step in sides]
        if bias is None:
            bias = norm_layer is None
        layers = [
            nn.Conv2D(
                in_channels,
                out_channels,
                kernel_size,
                stride,
                padding,
                dilation=dilation,
                groups=groups,
                bias_attr=None if bias else False,
            )
        ]
        if norm_layer is not None:
            layers.append(norm_layer(out_channels))
        if activation_layer is not None:
            layers.append(activation_layer())
        super().__init__(*layers)
