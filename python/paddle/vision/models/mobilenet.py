# SPDX-License-Identifier: Apache-2.0
"""MobileNet, versions 1 to 3."""

from functools import partial

import paddle
from paddle import nn
from paddle.base.documentation import shares

from ..ops_block import ConvNormActivation
from ._utils import SCALE, described, make_divisible, no_pretrained

__all__ = [
    'MobileNetV1',
    'mobilenet_v1',
    'MobileNetV2',
    'mobilenet_v2',
    'MobileNetV3Small',
    'MobileNetV3Large',
    'mobilenet_v3_small',
    'mobilenet_v3_large',
]


class DepthwiseSeparable(nn.Layer):
    """Depthwise 3x3, then pointwise convolution."""

    def __init__(self, in_channels, out_channels1, out_channels2, num_groups, stride, scale):
        super().__init__()
        self._depthwise_conv = ConvNormActivation(
            in_channels, int(out_channels1 * scale), 3, stride, 1, int(num_groups * scale)
        )
        self._pointwise_conv = ConvNormActivation(
            int(out_channels1 * scale), int(out_channels2 * scale), 1, 1, 0
        )

    def forward(self, x):
        return self._pointwise_conv(self._depthwise_conv(x))


_V1 = (
    ('conv2_1', 32, 64, 1),
    ('conv2_2', 64, 128, 2),
    ('conv3_1', 128, 128, 1),
    ('conv3_2', 128, 256, 2),
    ('conv4_1', 256, 256, 1),
    ('conv4_2', 256, 512, 2),
    ('conv5_1', 512, 512, 1),
    ('conv5_2', 512, 512, 1),
    ('conv5_3', 512, 512, 1),
    ('conv5_4', 512, 512, 1),
    ('conv5_5', 512, 512, 1),
    ('conv5_6', 512, 1024, 2),
    ('conv6', 1024, 1024, 1),
)


class MobileNetV1(nn.Layer):
    """Depthwise separable convolutions; `scale` multiplies the channels.

    Args:
        scale (float, default 1.0): The factor of the channels.
        num_classes (int, default 1000): How many classes there are; 0 or less leaves the classifier
            out.
        with_pool (bool, default True): Whether the features are averaged over the image.

    Source: Howard et al., MobileNets, 2017

    Examples:
        >>> model = paddle.vision.models.MobileNetV1(0.25, num_classes=10)
        >>> model(paddle.ones([1, 3, 64, 64])).shape
        paddle.Size([1, 10])
    """

    def __init__(self, scale=1.0, num_classes=1000, with_pool=True):
        super().__init__()
        self.scale = scale
        self.dwsl = []
        self.num_classes = num_classes
        self.with_pool = with_pool
        self.conv1 = ConvNormActivation(3, int(32 * scale), 3, 2, 1)
        for name, width, out, stride in _V1:
            layer = DepthwiseSeparable(int(width * scale), width, out, width, stride, scale)
            self.dwsl.append(self.add_sublayer(name, layer))
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.fc = nn.Linear(int(1024 * scale), num_classes)

    def forward(self, x):
        x = self.conv1(x)
        for layer in self.dwsl:
            x = layer(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        if self.num_classes > 0:
            x = self.fc(paddle.flatten(x, 1))
        return x


class InvertedResidual(nn.Layer):
    """Expand, depthwise, project, with a shortcut where shapes agree."""

    def __init__(self, inp, oup, stride, expand_ratio, norm_layer=nn.BatchNorm2D):
        super().__init__()
        self.stride = stride
        hidden = int(round(inp * expand_ratio))
        self.use_res_connect = stride == 1 and inp == oup
        layers = []
        if expand_ratio != 1:
            layers.append(
                ConvNormActivation(inp, hidden, 1, norm_layer=norm_layer, activation_layer=nn.ReLU6)
            )
        layers += [
            ConvNormActivation(
                hidden,
                hidden,
                stride=stride,
                groups=hidden,
                norm_layer=norm_layer,
                activation_layer=nn.ReLU6,
            ),
            nn.Conv2D(hidden, oup, 1, 1, 0, bias_attr=False),
            norm_layer(oup),
        ]
        self.conv = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


_V2 = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


@shares(MobileNetV1)
class MobileNetV2(nn.Layer):
    """Inverted residuals; `scale` multiplies the channels.

    Args:
        {scale, num_classes, with_pool}

    Source: Sandler et al., MobileNetV2, 2018

    Examples:
        >>> model = paddle.vision.models.MobileNetV2(0.5, num_classes=10)
        >>> model(paddle.ones([1, 3, 64, 64])).shape
        paddle.Size([1, 10])
    """

    def __init__(self, scale=1.0, num_classes=1000, with_pool=True):
        super().__init__()
        self.num_classes = num_classes
        self.with_pool = with_pool
        channels = make_divisible(32 * scale, 8)
        last = make_divisible(1280 * max(1.0, scale), 8)
        features = [ConvNormActivation(3, channels, stride=2, activation_layer=nn.ReLU6)]
        for expand, out, repeats, stride in _V2:
            out = make_divisible(out * scale, 8)
            for i in range(repeats):
                features.append(InvertedResidual(channels, out, stride if i == 0 else 1, expand))
                channels = out
        features.append(ConvNormActivation(channels, last, 1, activation_layer=nn.ReLU6))
        self.features = nn.Sequential(*features)
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(last, num_classes))

    def forward(self, x):
        x = self.features(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        if self.num_classes > 0:
            x = self.classifier(paddle.flatten(x, 1))
        return x


class SqueezeExcitation(nn.Layer):
    """Channels rescaled by a gate computed from their means."""

    def __init__(
        self, input_channels, squeeze_channels, activation=nn.ReLU, scale_activation=nn.Sigmoid
    ):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2D(1)
        self.fc1 = nn.Conv2D(input_channels, squeeze_channels, 1)
        self.fc2 = nn.Conv2D(squeeze_channels, input_channels, 1)
        self.activation = activation()
        self.scale_activation = scale_activation()

    def forward(self, x):
        gate = self.scale_activation(self.fc2(self.activation(self.fc1(self.avgpool(x)))))
        return gate * x


class InvertedResidualV3(nn.Layer):
    """Expand, depthwise, squeeze-excite, project, with a shortcut where shapes agree."""

    def __init__(
        self, in_channels, expanded, out_channels, kernel, stride, use_se, activation, norm_layer
    ):
        super().__init__()
        self.use_res_connect = stride == 1 and in_channels == out_channels
        self.use_se = use_se
        self.expand = in_channels != expanded
        if self.expand:
            self.expand_conv = ConvNormActivation(
                in_channels,
                expanded,
                1,
                stride=1,
                padding=0,
                norm_layer=norm_layer,
                activation_layer=activation,
            )
        self.bottleneck_conv = ConvNormActivation(
            expanded,
            expanded,
            kernel,
            stride=stride,
            padding=(kernel - 1) // 2,
            groups=expanded,
            norm_layer=norm_layer,
            activation_layer=activation,
        )
        if use_se:
            self.mid_se = SqueezeExcitation(
                expanded, make_divisible(expanded // 4), scale_activation=nn.Hardsigmoid
            )
        self.linear_conv = ConvNormActivation(
            expanded,
            out_channels,
            1,
            stride=1,
            padding=0,
            norm_layer=norm_layer,
            activation_layer=None,
        )

    def forward(self, x):
        out = self.bottleneck_conv(self.expand_conv(x) if self.expand else x)
        if self.use_se:
            out = self.mid_se(out)
        out = self.linear_conv(out)
        return x + out if self.use_res_connect else out


# in, kernel, expanded, out, squeeze-excite, hard-swish, stride
_SMALL = (
    (16, 3, 16, 16, True, False, 2),
    (16, 3, 72, 24, False, False, 2),
    (24, 3, 88, 24, False, False, 1),
    (24, 5, 96, 40, True, True, 2),
    (40, 5, 240, 40, True, True, 1),
    (40, 5, 240, 40, True, True, 1),
    (40, 5, 120, 48, True, True, 1),
    (48, 5, 144, 48, True, True, 1),
    (48, 5, 288, 96, True, True, 2),
    (96, 5, 576, 96, True, True, 1),
    (96, 5, 576, 96, True, True, 1),
)
_LARGE = (
    (16, 3, 16, 16, False, False, 1),
    (16, 3, 64, 24, False, False, 2),
    (24, 3, 72, 24, False, False, 1),
    (24, 5, 72, 40, True, False, 2),
    (40, 5, 120, 40, True, False, 1),
    (40, 5, 120, 40, True, False, 1),
    (40, 3, 240, 80, False, True, 2),
    (80, 3, 200, 80, False, True, 1),
    (80, 3, 184, 80, False, True, 1),
    (80, 3, 184, 80, False, True, 1),
    (80, 3, 480, 112, True, True, 1),
    (112, 3, 672, 112, True, True, 1),
    (112, 5, 672, 160, True, True, 2),
    (160, 5, 960, 160, True, True, 1),
    (160, 5, 960, 160, True, True, 1),
)


class MobileNetV3(nn.Layer):
    """MobileNetV3 from rows of (in, kernel, expanded, out, squeeze-excite, hard-swish, stride)."""

    def __init__(self, config, last_channel, scale=1.0, num_classes=1000, with_pool=True):
        super().__init__()
        self.scale = scale
        self.num_classes = num_classes
        self.with_pool = with_pool
        norm = partial(nn.BatchNorm2D, epsilon=0.001, momentum=0.99)

        def width(channels):
            return make_divisible(channels * scale)

        self.conv = ConvNormActivation(
            3,
            width(config[0][0]),
            3,
            stride=2,
            padding=1,
            norm_layer=norm,
            activation_layer=nn.Hardswish,
        )
        self.blocks = nn.Sequential(
            *[
                InvertedResidualV3(
                    width(i), width(e), width(o), k, s, se, nn.Hardswish if hs else nn.ReLU, norm
                )
                for i, k, e, o, se, hs, s in config
            ]
        )
        first, last = width(config[-1][3]), width(config[-1][3]) * 6
        self.lastconv = ConvNormActivation(
            first, last, 1, stride=1, padding=0, norm_layer=norm, activation_layer=nn.Hardswish
        )
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.classifier = nn.Sequential(
                nn.Linear(last, last_channel),
                nn.Hardswish(),
                nn.Dropout(p=0.2),
                nn.Linear(last_channel, num_classes),
            )

    def forward(self, x):
        x = self.lastconv(self.blocks(self.conv(x)))
        if self.with_pool:
            x = self.avgpool(x)
        if self.num_classes > 0:
            x = self.classifier(paddle.flatten(x, 1))
        return x


@shares(MobileNetV1)
class MobileNetV3Small(MobileNetV3):
    """The small MobileNetV3.

    Args:
        {scale, num_classes, with_pool}

    Source: Howard et al., Searching for MobileNetV3, 2019

    Examples:
        >>> model = paddle.vision.models.MobileNetV3Small(0.5, num_classes=10)
        >>> model(paddle.ones([1, 3, 64, 64])).shape
        paddle.Size([1, 10])
    """

    def __init__(self, scale=1.0, num_classes=1000, with_pool=True):
        super().__init__(_SMALL, make_divisible(1024 * scale), scale, num_classes, with_pool)


@shares(MobileNetV1)
class MobileNetV3Large(MobileNetV3):
    """The large MobileNetV3.

    Args:
        {scale, num_classes, with_pool}

    Source: Howard et al., Searching for MobileNetV3, 2019

    Examples:
        >>> model = paddle.vision.models.MobileNetV3Large(0.5, num_classes=10)
        >>> model(paddle.ones([1, 3, 64, 64])).shape
        paddle.Size([1, 10])
    """

    def __init__(self, scale=1.0, num_classes=1000, with_pool=True):
        super().__init__(_LARGE, make_divisible(1280 * scale), scale, num_classes, with_pool)


@described('MobileNetV1.', 'MobileNetV1', 3239114, SCALE)
def mobilenet_v1(pretrained=False, scale=1.0, **kwargs):
    no_pretrained(pretrained, f'mobilenetv1_{scale}')
    return MobileNetV1(scale=scale, **kwargs)


@described('MobileNetV2.', 'MobileNetV2', 2270794, SCALE)
def mobilenet_v2(pretrained=False, scale=1.0, **kwargs):
    no_pretrained(pretrained, f'mobilenetv2_{scale}')
    return MobileNetV2(scale=scale, **kwargs)


@described('MobileNetV3, small.', 'MobileNetV3Small', 1540218, SCALE)
def mobilenet_v3_small(pretrained=False, scale=1.0, **kwargs):
    no_pretrained(pretrained, f'mobilenet_v3_small_x{scale}')
    return MobileNetV3Small(scale=scale, **kwargs)


@described('MobileNetV3, large.', 'MobileNetV3Large', 4239242, SCALE)
def mobilenet_v3_large(pretrained=False, scale=1.0, **kwargs):
    no_pretrained(pretrained, f'mobilenet_v3_large_x{scale}')
    return MobileNetV3Large(scale=scale, **kwargs)
