# SPDX-License-Identifier: Apache-2.0
"""AlexNet."""

import math

import paddle
import paddle.nn.functional as F
from paddle import ParamAttr, nn
from paddle.nn.initializer import Uniform

from ._utils import described, no_pretrained

__all__ = ['AlexNet', 'alexnet']


def _attr(stdv):
    return ParamAttr(initializer=Uniform(-stdv, stdv))


class ConvPoolLayer(nn.Layer):
    """Convolution, ReLU, max pooling."""

    def __init__(self, in_channels, out_channels, kernel, stride, padding, stdv):
        super().__init__()
        self.relu = nn.ReLU()
        self._conv = nn.Conv2D(
            in_channels,
            out_channels,
            kernel,
            stride,
            padding,
            weight_attr=_attr(stdv),
            bias_attr=_attr(stdv),
        )
        self._pool = nn.MaxPool2D(kernel_size=3, stride=2, padding=0)

    def forward(self, inputs):
        return self._pool(self.relu(self._conv(inputs)))


class AlexNet(nn.Layer):
    """AlexNet for images of at least 224x224.

    Args:
        num_classes (int, default 1000): How many classes there are; 0 or less leaves the classifier
            out.

    Source: Krizhevsky et al., ImageNet classification with deep convolutional neural networks, 2012

    Examples:
        >>> model = paddle.vision.models.AlexNet(num_classes=10)
        >>> model(paddle.ones([1, 3, 224, 224])).shape
        paddle.Size([1, 10])
    """

    def __init__(self, num_classes=1000):
        super().__init__()
        self.num_classes = num_classes
        stdv = 1.0 / math.sqrt(3 * 11 * 11)
        self._conv1 = ConvPoolLayer(3, 64, 11, 4, 2, stdv)
        stdv = 1.0 / math.sqrt(64 * 5 * 5)
        self._conv2 = ConvPoolLayer(64, 192, 5, 1, 2, stdv)
        stdv = 1.0 / math.sqrt(192 * 3 * 3)
        self._conv3 = nn.Conv2D(192, 384, 3, 1, 1, weight_attr=_attr(stdv), bias_attr=_attr(stdv))
        stdv = 1.0 / math.sqrt(384 * 3 * 3)
        self._conv4 = nn.Conv2D(384, 256, 3, 1, 1, weight_attr=_attr(stdv), bias_attr=_attr(stdv))
        stdv = 1.0 / math.sqrt(256 * 3 * 3)
        self._conv5 = ConvPoolLayer(256, 256, 3, 1, 1, stdv)
        if num_classes > 0:
            stdv = 1.0 / math.sqrt(256 * 6 * 6)
            self._drop1 = nn.Dropout(p=0.5, mode='downscale_in_infer')
            self._fc6 = nn.Linear(256 * 6 * 6, 4096, weight_attr=_attr(stdv), bias_attr=_attr(stdv))
            self._drop2 = nn.Dropout(p=0.5, mode='downscale_in_infer')
            self._fc7 = nn.Linear(4096, 4096, weight_attr=_attr(stdv), bias_attr=_attr(stdv))
            self._fc8 = nn.Linear(4096, num_classes, weight_attr=_attr(stdv), bias_attr=_attr(stdv))

    def forward(self, inputs):
        x = self._conv2(self._conv1(inputs))
        x = F.relu(self._conv4(F.relu(self._conv3(x))))
        x = self._conv5(x)
        if self.num_classes > 0:
            x = self._drop1(paddle.flatten(x, start_axis=1, stop_axis=-1))
            x = self._drop2(F.relu(self._fc6(x)))
            x = self._fc8(F.relu(self._fc7(x)))
        return x


@described('AlexNet.', 'AlexNet', 57044810)
def alexnet(pretrained=False, **kwargs):
    no_pretrained(pretrained, 'alexnet')
    return AlexNet(**kwargs)
