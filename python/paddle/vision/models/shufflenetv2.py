# SPDX-License-Identifier: Apache-2.0
"""ShuffleNetV2."""

import paddle
from paddle import nn

from ..ops_block import ConvNormActivation
from ._utils import described, no_pretrained

__all__ = [
    'ShuffleNetV2',
    'shufflenet_v2_x0_25',
    'shufflenet_v2_x0_33',
    'shufflenet_v2_x0_5',
    'shufflenet_v2_x1_0',
    'shufflenet_v2_x1_5',
    'shufflenet_v2_x2_0',
    'shufflenet_v2_swish',
]


def _activation(act):
    if act in (None, 'none'):
        return None
    if act not in ('relu', 'swish'):
        raise RuntimeError(f"[ShuffleNetV2] expected act 'relu' or 'swish', got {act!r}")
    return nn.ReLU if act == 'relu' else nn.Swish


def channel_shuffle(x, groups):
    """Interleave the channels of `groups` groups."""
    return nn.functional.channel_shuffle(x, groups)


class InvertedResidual(nn.Layer):
    """Half of the channels through 1x1, depthwise 3x3, 1x1; then a shuffle."""

    def __init__(self, in_channels, out_channels, stride, activation_layer=nn.ReLU):
        super().__init__()
        half = out_channels // 2
        self._conv_pw = ConvNormActivation(
            in_channels // 2, half, 1, 1, 0, activation_layer=activation_layer
        )
        self._conv_dw = ConvNormActivation(
            half, half, 3, stride, 1, groups=half, activation_layer=None
        )
        self._conv_linear = ConvNormActivation(
            half, half, 1, 1, 0, activation_layer=activation_layer
        )

    def forward(self, inputs):
        kept, x = paddle.split(
            inputs, num_or_sections=[inputs.shape[1] // 2, inputs.shape[1] // 2], axis=1
        )
        x = self._conv_linear(self._conv_dw(self._conv_pw(x)))
        return channel_shuffle(paddle.concat([kept, x], axis=1), 2)


class InvertedResidualDS(nn.Layer):
    """The form that halves the resolution: both branches are convolved."""

    def __init__(self, in_channels, out_channels, stride, activation_layer=nn.ReLU):
        super().__init__()
        half = out_channels // 2
        self._conv_dw_1 = ConvNormActivation(
            in_channels, in_channels, 3, stride, 1, groups=in_channels, activation_layer=None
        )
        self._conv_linear_1 = ConvNormActivation(
            in_channels, half, 1, 1, 0, activation_layer=activation_layer
        )
        self._conv_pw_2 = ConvNormActivation(
            in_channels, half, 1, 1, 0, activation_layer=activation_layer
        )
        self._conv_dw_2 = ConvNormActivation(
            half, half, 3, stride, 1, groups=half, activation_layer=None
        )
        self._conv_linear_2 = ConvNormActivation(
            half, half, 1, 1, 0, activation_layer=activation_layer
        )

    def forward(self, inputs):
        first = self._conv_linear_1(self._conv_dw_1(inputs))
        second = self._conv_linear_2(self._conv_dw_2(self._conv_pw_2(inputs)))
        return channel_shuffle(paddle.concat([first, second], axis=1), 2)


_WIDTHS = {
    0.25: (24, 24, 48, 96, 512),
    0.33: (24, 32, 64, 128, 512),
    0.5: (24, 48, 96, 192, 1024),
    1.0: (24, 116, 232, 464, 1024),
    1.5: (24, 176, 352, 704, 1024),
    2.0: (24, 224, 488, 976, 2048),
}


class ShuffleNetV2(nn.Layer):
    """ShuffleNetV2 of a `scale` in 0.25, 0.33, 0.5, 1.0, 1.5, 2.0 with activation 'relu' or
    'swish'.

    Args:
        scale (float, default 1.0): The factor of the channels.
        act (str, default 'relu'): The activation.
        num_classes (int, default 1000): How many classes there are; 0 or less leaves the classifier
            out.
        with_pool (bool, default True): Whether the features are averaged over the image.

    Source: Ma et al., ShuffleNet V2, 2018

    Examples:
        >>> model = paddle.vision.models.ShuffleNetV2(0.25, num_classes=10)
        >>> model(paddle.ones([1, 3, 64, 64])).shape
        paddle.Size([1, 10])
    """

    def __init__(self, scale=1.0, act='relu', num_classes=1000, with_pool=True):
        super().__init__()
        self.scale = scale
        self.num_classes = num_classes
        self.with_pool = with_pool
        if scale not in _WIDTHS:
            raise NotImplementedError(
                f"[ShuffleNetV2] expected a scale among {sorted(_WIDTHS)}, got {scale}"
            )
        widths = _WIDTHS[scale]
        activation = _activation(act)
        self._conv1 = ConvNormActivation(3, widths[0], 3, 2, 1, activation_layer=activation)
        self._max_pool = nn.MaxPool2D(kernel_size=3, stride=2, padding=1)
        self._block_list = []
        for stage, repeats in enumerate((4, 8, 4)):
            for i in range(repeats):
                if i == 0:
                    block = InvertedResidualDS(widths[stage], widths[stage + 1], 2, activation)
                else:
                    block = InvertedResidual(widths[stage + 1], widths[stage + 1], 1, activation)
                self._block_list.append(self.add_sublayer(f'{stage + 2}_{i + 1}', block))
        self._last_conv = ConvNormActivation(
            widths[-2], widths[-1], 1, 1, 0, activation_layer=activation
        )
        if with_pool:
            self._pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self._fc = nn.Linear(widths[-1], num_classes)

    def forward(self, inputs):
        x = self._max_pool(self._conv1(inputs))
        for block in self._block_list:
            x = block(x)
        x = self._last_conv(x)
        if self.with_pool:
            x = self._pool2d_avg(x)
        if self.num_classes > 0:
            x = self._fc(paddle.flatten(x, start_axis=1, stop_axis=-1))
        return x


def _maker(name, scale, count, act='relu'):
    def make(pretrained=False, **kwargs):
        no_pretrained(pretrained, name)
        return ShuffleNetV2(scale=scale, act=act, **kwargs)

    make.__name__ = make.__qualname__ = name
    return described(f"ShuffleNetV2 of scale {scale} with {act}.", 'ShuffleNetV2', count)(make)


shufflenet_v2_x0_25 = _maker('shufflenet_v2_x0_25', 0.25, 99842)
shufflenet_v2_x0_33 = _maker('shufflenet_v2_x0_33', 0.33, 144394)
shufflenet_v2_x0_5 = _maker('shufflenet_v2_x0_5', 0.5, 359994)
shufflenet_v2_x1_0 = _maker('shufflenet_v2_x1_0', 1.0, 1280034)
shufflenet_v2_x1_5 = _maker('shufflenet_v2_x1_5', 1.5, 2512314)
shufflenet_v2_x2_0 = _maker('shufflenet_v2_x2_0', 2.0, 5371442)
shufflenet_v2_swish = _maker('shufflenet_v2_swish', 1.0, 1280034, 'swish')
