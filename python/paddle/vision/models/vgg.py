# SPDX-License-Identifier: Apache-2.0
"""VGG."""

import paddle
from paddle import nn

from ._utils import BATCH_NORM, described, no_pretrained

__all__ = ['VGG', 'vgg11', 'vgg13', 'vgg16', 'vgg19']


class VGG(nn.Layer):
    """A classifier over `features`, a layer whose output has 512 channels.

    Args:
        features (Layer): The layer.
        num_classes (int, default 1000): How many classes there are; 0 or less leaves the classifier
            out.
        with_pool (bool, default True): Whether its output is averaged to 7 by 7.

    Source: Simonyan and Zisserman, Very deep convolutional networks, 2014

    Examples:
        >>> features = paddle.nn.Conv2D(3, 512, 3)
        >>> model = paddle.vision.models.VGG(features, num_classes=0)
        >>> model(paddle.ones([1, 3, 32, 32])).shape
        paddle.Size([1, 512, 7, 7])
    """

    def __init__(self, features, num_classes=1000, with_pool=True):
        super().__init__()
        self.features = features
        self.num_classes = num_classes
        self.with_pool = with_pool
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((7, 7))
        if num_classes > 0:
            self.classifier = nn.Sequential(
                nn.Linear(512 * 7 * 7, 4096),
                nn.ReLU(),
                nn.Dropout(),
                nn.Linear(4096, 4096),
                nn.ReLU(),
                nn.Dropout(),
                nn.Linear(4096, num_classes),
            )

    def forward(self, x):
        x = self.features(x)
        if self.with_pool:
            x = self.avgpool(x)
        if self.num_classes > 0:
            x = self.classifier(paddle.flatten(x, 1))
        return x


_REPEATS = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}


def _vgg(depth, batch_norm, pretrained, kwargs):
    no_pretrained(pretrained, f'vgg{depth}')
    layers, channels = [], 3
    for width, repeats in zip((64, 128, 256, 512, 512), _REPEATS[depth]):
        for _ in range(repeats):
            layers.append(nn.Conv2D(channels, width, kernel_size=3, padding=1))
            if batch_norm:
                layers.append(nn.BatchNorm2D(width))
            layers.append(nn.ReLU())
            channels = width
        layers.append(nn.MaxPool2D(kernel_size=2, stride=2))
    return VGG(nn.Sequential(*layers), **kwargs)


@described('VGG with 11 weight layers.', 'VGG', 128807306, BATCH_NORM)
def vgg11(pretrained=False, batch_norm=False, **kwargs):
    return _vgg(11, batch_norm, pretrained, kwargs)


@described('VGG with 13 weight layers.', 'VGG', 128991818, BATCH_NORM)
def vgg13(pretrained=False, batch_norm=False, **kwargs):
    return _vgg(13, batch_norm, pretrained, kwargs)


@described('VGG with 16 weight layers.', 'VGG', 134301514, BATCH_NORM)
def vgg16(pretrained=False, batch_norm=False, **kwargs):
    return _vgg(16, batch_norm, pretrained, kwargs)


@described('VGG with 19 weight layers.', 'VGG', 139611210, BATCH_NORM)
def vgg19(pretrained=False, batch_norm=False, **kwargs):
    return _vgg(19, batch_norm, pretrained, kwargs)
