# SPDX-License-Identifier: Apache-2.0
"""SqueezeNet, versions 1.0 and 1.1."""

import paddle
import paddle.nn.functional as F
from paddle import nn

from ._utils import described, no_pretrained

__all__ = ['SqueezeNet', 'squeezenet1_0', 'squeezenet1_1']


class MakeFireConv(nn.Layer):
    """Convolution and ReLU."""

    def __init__(self, input_channels, output_channels, filter_size, padding=0):
        super().__init__()
        self._conv = nn.Conv2D(input_channels, output_channels, filter_size, padding=padding)

    def forward(self, x):
        return F.relu(self._conv(x))


class MakeFire(nn.Layer):
    """Squeeze to few channels, expand by 1x1 and by 3x3."""

    def __init__(self, input_channels, squeeze, expand1, expand3):
        super().__init__()
        self._conv = MakeFireConv(input_channels, squeeze, 1)
        self._conv_path1 = MakeFireConv(squeeze, expand1, 1)
        self._conv_path2 = MakeFireConv(squeeze, expand3, 3, padding=1)

    def forward(self, inputs):
        x = self._conv(inputs)
        return paddle.concat([self._conv_path1(x), self._conv_path2(x)], axis=1)


_FIRES = ((16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192), (64, 256), (64, 256))


class SqueezeNet(nn.Layer):
    """Fire modules; `version` is '1.0' or '1.1'.

    Args:
        version (str): `1.0` or `1.1`.
        num_classes (int, default 1000): How many classes there are; 0 or less leaves the classifier
            out.
        with_pool (bool, default True): Whether the features are averaged over the image.

    Source: Iandola et al., SqueezeNet, 2016

    Examples:
        >>> model = paddle.vision.models.SqueezeNet("1.1", num_classes=10)
        >>> model(paddle.ones([1, 3, 64, 64])).shape
        paddle.Size([1, 10])
    """

    def __init__(self, version, num_classes=1000, with_pool=True):
        super().__init__()
        if version not in ('1.0', '1.1'):
            raise AssertionError(f"[SqueezeNet] expected version '1.0' or '1.1', got {version!r}")
        self.version = version
        self.num_classes = num_classes
        self.with_pool = with_pool
        channels = 96 if version == '1.0' else 64
        if version == '1.0':
            self._conv = nn.Conv2D(3, 96, 7, stride=2)
        else:
            self._conv = nn.Conv2D(3, 64, 3, stride=2, padding=1)
        self._pool = nn.MaxPool2D(kernel_size=3, stride=2, padding=0)
        for i, (squeeze, expand) in enumerate(_FIRES, 1):
            setattr(self, f'_conv{i}', MakeFire(channels, squeeze, expand, expand))
            channels = 2 * expand
        self._drop = nn.Dropout(p=0.5, mode='downscale_in_infer')
        self._conv9 = nn.Conv2D(512, num_classes if num_classes > 0 else 1000, 1)
        self._avg_pool = nn.AdaptiveAvgPool2D(1)

    def forward(self, inputs):
        x = self._pool(F.relu(self._conv(inputs)))
        pooled_after = (3, 7) if self.version == '1.0' else (2, 4)
        for i in range(1, 9):
            x = getattr(self, f'_conv{i}')(x)
            if i in pooled_after:
                x = self._pool(x)
        x = F.relu(self._conv9(self._drop(x)))
        if self.with_pool:
            x = self._avg_pool(x)
        return paddle.squeeze(x, axis=[2, 3])


@described('SqueezeNet 1.0.', 'SqueezeNet', 740554)
def squeezenet1_0(pretrained=False, **kwargs):
    no_pretrained(pretrained, 'squeezenet1_0')
    return SqueezeNet('1.0', **kwargs)


@described('SqueezeNet 1.1.', 'SqueezeNet', 727626)
def squeezenet1_1(pretrained=False, **kwargs):
    no_pretrained(pretrained, 'squeezenet1_1')
    return SqueezeNet('1.1', **kwargs)
