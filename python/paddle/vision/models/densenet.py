# SPDX-License-Identifier: Apache-2.0
"""DenseNet."""

import math

import paddle
from paddle import ParamAttr, nn
from paddle.base.arguments import any_of
from paddle.nn.initializer import Uniform

from ._utils import described, no_pretrained

__all__ = ['DenseNet', 'densenet121', 'densenet161', 'densenet169', 'densenet201', 'densenet264']


class BNACConvLayer(nn.Layer):
    """Normalisation, activation, convolution."""

    def __init__(
        self, num_channels, num_filters, filter_size, stride=1, pad=0, groups=1, act='relu'
    ):
        super().__init__()
        self._batch_norm = nn.BatchNorm(num_channels, act=act)
        self._conv = nn.Conv2D(
            num_channels,
            num_filters,
            filter_size,
            stride=stride,
            padding=pad,
            groups=groups,
            weight_attr=ParamAttr(),
            bias_attr=False,
        )

    def forward(self, input):
        return self._conv(self._batch_norm(input))


class ConvBNLayer(nn.Layer):
    """Convolution, normalisation, activation."""

    def __init__(
        self, num_channels, num_filters, filter_size, stride=1, pad=0, groups=1, act='relu'
    ):
        super().__init__()
        self._conv = nn.Conv2D(
            num_channels,
            num_filters,
            filter_size,
            stride=stride,
            padding=pad,
            groups=groups,
            weight_attr=ParamAttr(),
            bias_attr=False,
        )
        self._batch_norm = nn.BatchNorm(num_filters, act=act)

    def forward(self, input):
        return self._batch_norm(self._conv(input))


class DenseLayer(nn.Layer):
    """1x1 and 3x3 convolution whose output is appended to the input."""

    def __init__(self, num_channels, growth_rate, bn_size, dropout):
        super().__init__()
        self.dropout = dropout
        self.bn_ac_func1 = BNACConvLayer(num_channels, bn_size * growth_rate, 1)
        self.bn_ac_func2 = BNACConvLayer(bn_size * growth_rate, growth_rate, 3, pad=1)
        if dropout:
            self.dropout_func = nn.Dropout(p=dropout, mode='downscale_in_infer')

    def forward(self, input):
        x = self.bn_ac_func2(self.bn_ac_func1(input))
        if self.dropout:
            x = self.dropout_func(x)
        return paddle.concat([input, x], axis=1)


class DenseBlock(nn.Layer):
    """Dense layers one after another."""

    def __init__(self, num_channels, num_layers, bn_size, growth_rate, dropout, name):
        super().__init__()
        self.dropout = dropout
        self.dense_layer_func = []
        for layer in range(num_layers):
            made = DenseLayer(num_channels + layer * growth_rate, growth_rate, bn_size, dropout)
            self.dense_layer_func.append(self.add_sublayer(f'{name}_{layer + 1}', made))

    def forward(self, input):
        for layer in self.dense_layer_func:
            input = layer(input)
        return input


class TransitionLayer(nn.Layer):
    """1x1 convolution and average pooling between blocks."""

    def __init__(self, num_channels, num_output_features):
        super().__init__()
        self.conv_ac_func = BNACConvLayer(num_channels, num_output_features, 1)
        self.pool2d_avg = nn.AvgPool2D(kernel_size=2, stride=2, padding=0)

    def forward(self, input):
        return self.pool2d_avg(self.conv_ac_func(input))


_SPECS = {
    121: (64, 32, (6, 12, 24, 16)),
    161: (96, 48, (6, 12, 36, 24)),
    169: (64, 32, (6, 12, 32, 32)),
    201: (64, 32, (6, 12, 48, 32)),
    264: (64, 32, (6, 12, 64, 48)),
}


class DenseNet(nn.Layer):
    """DenseNet of 121, 161, 169, 201 or 264 `layers`.

    Args:
        layers (int, default 121): How many layers.
        bn_size (int, default 4): The factor of the channels of bottlenecks.
        dropout (float, default 0.0): The dropout after each layer.
        num_classes (int, default 1000): How many classes there are; 0 or less leaves the classifier
            out.
        with_pool (bool, default True): Whether the features are averaged over the image.

    Source: Huang et al., Densely connected convolutional networks, 2016

    Examples:
        >>> model = paddle.vision.models.DenseNet(num_classes=10)
        >>> model(paddle.ones([1, 3, 64, 64])).shape
        paddle.Size([1, 10])
    """

    def __init__(self, layers=121, bn_size=4, dropout=0.0, num_classes=1000, with_pool=True):
        super().__init__()
        self.num_classes = num_classes
        self.with_pool = with_pool
        if layers not in _SPECS:
            raise AssertionError(f"[DenseNet] expected layers {any_of(_SPECS)}, got {layers!r}")
        features, growth, blocks = _SPECS[layers]
        self.conv1_func = ConvBNLayer(3, features, 7, stride=2, pad=3)
        self.pool2d_max = nn.MaxPool2D(kernel_size=3, stride=2, padding=1)
        self.block_config = list(blocks)
        self.dense_block_func_list = []
        self.transition_func_list = []
        for i, count in enumerate(blocks):
            block = DenseBlock(features, count, bn_size, growth, dropout, f'conv{i + 2}')
            self.dense_block_func_list.append(self.add_sublayer(f'db_conv_{i + 2}', block))
            features += count * growth
            if i != len(blocks) - 1:
                transition = TransitionLayer(features, features // 2)
                self.transition_func_list.append(
                    self.add_sublayer(f'tr_conv{i + 2}_blk', transition)
                )
                features //= 2
        self.batch_norm = nn.BatchNorm(features, act='relu')
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            stdv = 1.0 / math.sqrt(features * 1.0)
            self.out = nn.Linear(
                features,
                num_classes,
                weight_attr=ParamAttr(initializer=Uniform(-stdv, stdv)),
                bias_attr=ParamAttr(),
            )

    def forward(self, input):
        x = self.pool2d_max(self.conv1_func(input))
        for i, block in enumerate(self.dense_block_func_list):
            x = block(x)
            if i < len(self.transition_func_list):
                x = self.transition_func_list[i](x)
        x = self.batch_norm(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        if self.num_classes > 0:
            x = self.out(paddle.flatten(x, start_axis=1, stop_axis=-1))
        return x


@described('DenseNet of 121 layers.', 'DenseNet', 7047754)
def densenet121(pretrained=False, **kwargs):
    no_pretrained(pretrained, 'densenet121')
    return DenseNet(layers=121, **kwargs)


@described('DenseNet of 161 layers.', 'DenseNet', 26714026)
def densenet161(pretrained=False, **kwargs):
    no_pretrained(pretrained, 'densenet161')
    return DenseNet(layers=161, **kwargs)


@described('DenseNet of 169 layers.', 'DenseNet', 12659530)
def densenet169(pretrained=False, **kwargs):
    no_pretrained(pretrained, 'densenet169')
    return DenseNet(layers=169, **kwargs)


@described('DenseNet of 201 layers.', 'DenseNet', 18341194)
def densenet201(pretrained=False, **kwargs):
    no_pretrained(pretrained, 'densenet201')
    return DenseNet(layers=201, **kwargs)


@described('DenseNet of 264 layers.', 'DenseNet', 31074122)
def densenet264(pretrained=False, **kwargs):
    no_pretrained(pretrained, 'densenet264')
    return DenseNet(layers=264, **kwargs)
