# SPDX-License-Identifier: Apache-2.0
"""InceptionV3 for images of 299x299."""

import math

import paddle
from paddle import ParamAttr, nn
from paddle.nn.initializer import Uniform

from ..ops_block import ConvNormActivation
from ._utils import described, no_pretrained

__all__ = ['InceptionV3', 'inception_v3']


class InceptionStem(nn.Layer):
    """From 3 channels to 192 at an eighth of the size."""

    def __init__(self):
        super().__init__()
        self.conv_1a_3x3 = ConvNormActivation(3, 32, 3, stride=2, padding=0)
        self.conv_2a_3x3 = ConvNormActivation(32, 32, 3, stride=1, padding=0)
        self.conv_2b_3x3 = ConvNormActivation(32, 64, 3, padding=1)
        self.max_pool = nn.MaxPool2D(kernel_size=3, stride=2, padding=0)
        self.conv_3b_1x1 = ConvNormActivation(64, 80, 1, padding=0)
        self.conv_4a_3x3 = ConvNormActivation(80, 192, 3, padding=0)

    def forward(self, x):
        x = self.conv_2b_3x3(self.conv_2a_3x3(self.conv_1a_3x3(x)))
        x = self.conv_4a_3x3(self.conv_3b_1x1(self.max_pool(x)))
        return self.max_pool(x)


class InceptionA(nn.Layer):
    """1x1, 5x5, double 3x3 and pooling branches."""

    def __init__(self, num_channels, pool_features):
        super().__init__()
        self.branch1x1 = ConvNormActivation(num_channels, 64, 1, padding=0)
        self.branch5x5_1 = ConvNormActivation(num_channels, 48, 1, padding=0)
        self.branch5x5_2 = ConvNormActivation(48, 64, 5, padding=2)
        self.branch3x3dbl_1 = ConvNormActivation(num_channels, 64, 1, padding=0)
        self.branch3x3dbl_2 = ConvNormActivation(64, 96, 3, padding=1)
        self.branch3x3dbl_3 = ConvNormActivation(96, 96, 3, padding=1)
        self.branch_pool = nn.AvgPool2D(kernel_size=3, stride=1, padding=1, exclusive=False)
        self.branch_pool_conv = ConvNormActivation(num_channels, pool_features, 1, padding=0)

    def forward(self, x):
        return paddle.concat(
            [
                self.branch1x1(x),
                self.branch5x5_2(self.branch5x5_1(x)),
                self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x))),
                self.branch_pool_conv(self.branch_pool(x)),
            ],
            axis=1,
        )


class InceptionB(nn.Layer):
    """Halves the size: 3x3, double 3x3 and max pooling."""

    def __init__(self, num_channels):
        super().__init__()
        self.branch3x3 = ConvNormActivation(num_channels, 384, 3, stride=2, padding=0)
        self.branch3x3dbl_1 = ConvNormActivation(num_channels, 64, 1, padding=0)
        self.branch3x3dbl_2 = ConvNormActivation(64, 96, 3, padding=1)
        self.branch3x3dbl_3 = ConvNormActivation(96, 96, 3, stride=2, padding=0)
        self.branch_pool = nn.MaxPool2D(kernel_size=3, stride=2)

    def forward(self, x):
        return paddle.concat(
            [
                self.branch3x3(x),
                self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x))),
                self.branch_pool(x),
            ],
            axis=1,
        )


class InceptionC(nn.Layer):
    """1x1, 7x7 and double 7x7 in rows and columns, and pooling."""

    def __init__(self, num_channels, c7):
        super().__init__()
        row, column = (
            dict(kernel_size=(1, 7), stride=1, padding=(0, 3)),
            dict(kernel_size=(7, 1), stride=1, padding=(3, 0)),
        )
        self.branch1x1 = ConvNormActivation(num_channels, 192, 1, padding=0)
        self.branch7x7_1 = ConvNormActivation(num_channels, c7, 1, stride=1, padding=0)
        self.branch7x7_2 = ConvNormActivation(c7, c7, **row)
        self.branch7x7_3 = ConvNormActivation(c7, 192, **column)
        self.branch7x7dbl_1 = ConvNormActivation(num_channels, c7, 1, padding=0)
        self.branch7x7dbl_2 = ConvNormActivation(c7, c7, **column)
        self.branch7x7dbl_3 = ConvNormActivation(c7, c7, **row)
        self.branch7x7dbl_4 = ConvNormActivation(c7, c7, **column)
        self.branch7x7dbl_5 = ConvNormActivation(c7, 192, **row)
        self.branch_pool = nn.AvgPool2D(kernel_size=3, stride=1, padding=1, exclusive=False)
        self.branch_pool_conv = ConvNormActivation(num_channels, 192, 1, padding=0)

    def forward(self, x):
        double = self.branch7x7dbl_3(self.branch7x7dbl_2(self.branch7x7dbl_1(x)))
        return paddle.concat(
            [
                self.branch1x1(x),
                self.branch7x7_3(self.branch7x7_2(self.branch7x7_1(x))),
                self.branch7x7dbl_5(self.branch7x7dbl_4(double)),
                self.branch_pool_conv(self.branch_pool(x)),
            ],
            axis=1,
        )


class InceptionD(nn.Layer):
    """Halves the size: 3x3, 7x7 then 3x3, and max pooling."""

    def __init__(self, num_channels):
        super().__init__()
        self.branch3x3_1 = ConvNormActivation(num_channels, 192, 1, padding=0)
        self.branch3x3_2 = ConvNormActivation(192, 320, 3, stride=2, padding=0)
        self.branch7x7x3_1 = ConvNormActivation(num_channels, 192, 1, padding=0)
        self.branch7x7x3_2 = ConvNormActivation(192, 192, (1, 7), stride=1, padding=(0, 3))
        self.branch7x7x3_3 = ConvNormActivation(192, 192, (7, 1), stride=1, padding=(3, 0))
        self.branch7x7x3_4 = ConvNormActivation(192, 192, 3, stride=2, padding=0)
        self.branch_pool = nn.MaxPool2D(kernel_size=3, stride=2)

    def forward(self, x):
        seven = self.branch7x7x3_4(self.branch7x7x3_3(self.branch7x7x3_2(self.branch7x7x3_1(x))))
        return paddle.concat(
            [self.branch3x3_2(self.branch3x3_1(x)), seven, self.branch_pool(x)], axis=1
        )


class InceptionE(nn.Layer):
    """1x1, 3x3 and double 3x3 split in rows and columns, and pooling."""

    def __init__(self, num_channels):
        super().__init__()
        row, column = (
            dict(kernel_size=(1, 3), padding=(0, 1)),
            dict(kernel_size=(3, 1), padding=(1, 0)),
        )
        self.branch1x1 = ConvNormActivation(num_channels, 320, 1, padding=0)
        self.branch3x3_1 = ConvNormActivation(num_channels, 384, 1, padding=0)
        self.branch3x3_2a = ConvNormActivation(384, 384, **row)
        self.branch3x3_2b = ConvNormActivation(384, 384, **column)
        self.branch3x3dbl_1 = ConvNormActivation(num_channels, 448, 1, padding=0)
        self.branch3x3dbl_2 = ConvNormActivation(448, 384, 3, padding=1)
        self.branch3x3dbl_3a = ConvNormActivation(384, 384, **row)
        self.branch3x3dbl_3b = ConvNormActivation(384, 384, **column)
        self.branch_pool = nn.AvgPool2D(kernel_size=3, stride=1, padding=1, exclusive=False)
        self.branch_pool_conv = ConvNormActivation(num_channels, 192, 1, padding=0)

    def forward(self, x):
        three = self.branch3x3_1(x)
        double = self.branch3x3dbl_2(self.branch3x3dbl_1(x))
        return paddle.concat(
            [
                self.branch1x1(x),
                self.branch3x3_2a(three),
                self.branch3x3_2b(three),
                self.branch3x3dbl_3a(double),
                self.branch3x3dbl_3b(double),
                self.branch_pool_conv(self.branch_pool(x)),
            ],
            axis=1,
        )


class InceptionV3(nn.Layer):
    """InceptionV3.

    Args:
        num_classes (int, default 1000): How many classes there are; 0 or less leaves the classifier
            out.
        with_pool (bool, default True): Whether the features are averaged over the image.

    Source: Szegedy et al., Rethinking the inception architecture, 2015

    Examples:
        >>> model = paddle.vision.models.InceptionV3(num_classes=10)
        >>> model(paddle.ones([1, 3, 96, 96])).shape
        paddle.Size([1, 10])
    """

    def __init__(self, num_classes=1000, with_pool=True):
        super().__init__()
        self.num_classes = num_classes
        self.with_pool = with_pool
        self.inception_stem = InceptionStem()
        self.inception_block_list = nn.LayerList(
            [InceptionA(192, 32), InceptionA(256, 64), InceptionA(288, 64), InceptionB(288)]
            + [InceptionC(768, c7) for c7 in (128, 160, 160, 192)]
            + [InceptionD(768), InceptionE(1280), InceptionE(2048)]
        )
        if with_pool:
            self.avg_pool = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.dropout = nn.Dropout(p=0.2, mode='downscale_in_infer')
            stdv = 1.0 / math.sqrt(2048 * 1.0)
            self.fc = nn.Linear(
                2048,
                num_classes,
                weight_attr=ParamAttr(initializer=Uniform(-stdv, stdv)),
                bias_attr=ParamAttr(),
            )

    def forward(self, x):
        x = self.inception_stem(x)
        for block in self.inception_block_list:
            x = block(x)
        if self.with_pool:
            x = self.avg_pool(x)
        if self.num_classes > 0:
            x = self.fc(self.dropout(paddle.reshape(x, [-1, 2048])))
        return x


@described('InceptionV3.', 'InceptionV3', 21840490)
def inception_v3(pretrained=False, **kwargs):
    no_pretrained(pretrained, 'inception_v3')
    return InceptionV3(**kwargs)
