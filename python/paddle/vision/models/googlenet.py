# SPDX-License-Identifier: Apache-2.0
"""GoogLeNet: inception modules with two auxiliary classifiers."""

import paddle
import paddle.nn.functional as F
from paddle import ParamAttr, nn
from paddle.nn.initializer import Uniform

from ._utils import described, no_pretrained

__all__ = ['GoogLeNet', 'googlenet']


def _attr(channels, filter_size):
    stdv = (3.0 / (filter_size**2 * channels)) ** 0.5
    return ParamAttr(initializer=Uniform(-stdv, stdv))


class ConvLayer(nn.Layer):
    """A convolution without bias that keeps the size at stride 1."""

    def __init__(self, num_channels, num_filters, filter_size, stride=1, groups=1):
        super().__init__()
        self._conv = nn.Conv2D(
            num_channels,
            num_filters,
            filter_size,
            stride=stride,
            padding=(filter_size - 1) // 2,
            groups=groups,
            bias_attr=False,
        )

    def forward(self, inputs):
        return self._conv(inputs)


class Inception(nn.Layer):
    """1x1, 3x3, 5x5 and pooling branches side by side."""

    def __init__(self, input_channels, filter1, filter3r, filter3, filter5r, filter5, proj):
        super().__init__()
        self._conv1 = ConvLayer(input_channels, filter1, 1)
        self._conv3r = ConvLayer(input_channels, filter3r, 1)
        self._conv3 = ConvLayer(filter3r, filter3, 3)
        self._conv5r = ConvLayer(input_channels, filter5r, 1)
        self._conv5 = ConvLayer(filter5r, filter5, 5)
        self._pool = nn.MaxPool2D(kernel_size=3, stride=1, padding=1)
        self._convprj = ConvLayer(input_channels, proj, 1)

    def forward(self, inputs):
        parts = [
            self._conv1(inputs),
            self._conv3(self._conv3r(inputs)),
            self._conv5(self._conv5r(inputs)),
            self._convprj(self._pool(inputs)),
        ]
        return F.relu(paddle.concat(parts, axis=1))


_BLOCKS = (
    ('3a', 192, 64, 96, 128, 16, 32, 32),
    ('3b', 256, 128, 128, 192, 32, 96, 64),
    ('4a', 480, 192, 96, 208, 16, 48, 64),
    ('4b', 512, 160, 112, 224, 24, 64, 64),
    ('4c', 512, 128, 128, 256, 24, 64, 64),
    ('4d', 512, 112, 144, 288, 32, 64, 64),
    ('4e', 528, 256, 160, 320, 32, 128, 128),
    ('5a', 832, 256, 160, 320, 32, 128, 128),
    ('5b', 832, 384, 192, 384, 48, 128, 128),
)


class GoogLeNet(nn.Layer):
    """Inception modules with two auxiliary heads; gives (scores, scores of the first head, scores
    of the second).

    Args:
        num_classes (int, default 1000): How many classes there are; 0 or less leaves the classifier
            out.
        with_pool (bool, default True): Whether the features are averaged over the image.

    Source: Szegedy et al., Going deeper with convolutions, 2014

    Examples:
        >>> model = paddle.vision.models.GoogLeNet(num_classes=10)
        >>> [scores.shape for scores in model(paddle.ones([1, 3, 224, 224]))]
        [paddle.Size([1, 10]), paddle.Size([1, 10]), paddle.Size([1, 10])]
    """

    def __init__(self, num_classes=1000, with_pool=True):
        super().__init__()
        self.num_classes = num_classes
        self.with_pool = with_pool
        self._conv = ConvLayer(3, 64, 7, 2)
        self._pool = nn.MaxPool2D(kernel_size=3, stride=2)
        self._conv_1 = ConvLayer(64, 64, 1)
        self._conv_2 = ConvLayer(64, 192, 3)
        for name, *widths in _BLOCKS:
            setattr(self, f'_ince{name}', Inception(*widths))
        if with_pool:
            self._pool_5 = nn.AdaptiveAvgPool2D(1)
            self._pool_o1 = nn.AvgPool2D(kernel_size=5, stride=3)
            self._pool_o2 = nn.AvgPool2D(kernel_size=5, stride=3)
        if num_classes > 0:
            self._drop = nn.Dropout(p=0.4, mode='downscale_in_infer')
            self._fc_out = nn.Linear(1024, num_classes, weight_attr=_attr(1024, 1))
            self._conv_o1 = ConvLayer(512, 128, 1)
            self._fc_o1 = nn.Linear(1152, 1024, weight_attr=_attr(2048, 1))
            self._drop_o1 = nn.Dropout(p=0.7, mode='downscale_in_infer')
            self._out1 = nn.Linear(1024, num_classes, weight_attr=_attr(1024, 1))
            self._conv_o2 = ConvLayer(528, 128, 1)
            self._fc_o2 = nn.Linear(1152, 1024, weight_attr=_attr(2048, 1))
            self._drop_o2 = nn.Dropout(p=0.7, mode='downscale_in_infer')
            self._out2 = nn.Linear(1024, num_classes, weight_attr=_attr(1024, 1))

    def forward(self, inputs):
        x = self._pool(self._conv(inputs))
        x = self._pool(self._conv_2(self._conv_1(x)))
        x = self._pool(self._ince3b(self._ince3a(x)))
        first = self._ince4a(x)
        second = self._ince4d(self._ince4c(self._ince4b(first)))
        out = self._ince5b(self._ince5a(self._pool(self._ince4e(second))))
        out1, out2 = first, second
        if self.with_pool:
            out, out1, out2 = self._pool_5(out), self._pool_o1(out1), self._pool_o2(out2)
        if self.num_classes > 0:
            out = paddle.squeeze(self._drop(out), axis=[2, 3])
            out = self._fc_out(out)
            out1 = paddle.flatten(self._conv_o1(out1), start_axis=1, stop_axis=-1)
            out1 = self._out1(self._drop_o1(F.relu(self._fc_o1(out1))))
            out2 = paddle.flatten(self._conv_o2(out2), start_axis=1, stop_axis=-1)
            out2 = self._out2(self._drop_o2(self._fc_o2(out2)))
        return [out, out1, out2]


@described('GoogLeNet.', 'GoogLeNet', 8491486)
def googlenet(pretrained=False, **kwargs):
    no_pretrained(pretrained, 'googlenet')
    return GoogLeNet(**kwargs)
