# SPDX-License-Identifier: Apache-2.0
"""ResNet, ResNeXt and wide ResNet."""

import paddle
from paddle import nn

from ._utils import described, no_pretrained

__all__ = ['ResNet', 'BasicBlock', 'BottleneckBlock']


class BasicBlock(nn.Layer):
    """Two 3x3 convolutions and a shortcut."""

    expansion = 1

    def __init__(
        self,
        inplanes,
        planes,
        stride=1,
        downsample=None,
        groups=1,
        base_width=64,
        dilation=1,
        norm_layer=None,
    ):
        super().__init__()
        norm_layer = norm_layer or nn.BatchNorm2D
        if groups != 1 or base_width != 64:
            raise ValueError(
                f"[BasicBlock] expected groups 1 and base_width 64, got {groups} and {base_width}"
            )
        if dilation > 1:
            raise NotImplementedError(f"[BasicBlock] expected dilation=1, got {dilation}")
        self.conv1 = nn.Conv2D(inplanes, planes, 3, padding=1, stride=stride, bias_attr=False)
        self.bn1 = norm_layer(planes)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2D(planes, planes, 3, padding=1, bias_attr=False)
        self.bn2 = norm_layer(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out = out + (x if self.downsample is None else self.downsample(x))
        return self.relu(out)


class BottleneckBlock(nn.Layer):
    """1x1, 3x3 and 1x1 convolutions and a shortcut."""

    expansion = 4

    def __init__(
        self,
        inplanes,
        planes,
        stride=1,
        downsample=None,
        groups=1,
        base_width=64,
        dilation=1,
        norm_layer=None,
    ):
        super().__init__()
        norm_layer = norm_layer or nn.BatchNorm2D
        width = int(planes * (base_width / 64.0)) * groups
        self.conv1 = nn.Conv2D(inplanes, width, 1, bias_attr=False)
        self.bn1 = norm_layer(width)
        self.conv2 = nn.Conv2D(
            width,
            width,
            3,
            padding=dilation,
            stride=stride,
            groups=groups,
            dilation=dilation,
            bias_attr=False,
        )
        self.bn2 = norm_layer(width)
        self.conv3 = nn.Conv2D(width, planes * self.expansion, 1, bias_attr=False)
        self.bn3 = norm_layer(planes * self.expansion)
        self.relu = nn.ReLU()
        self.downsample = downsample
        self.stride = stride

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        out = out + (x if self.downsample is None else self.downsample(x))
        return self.relu(out)


_LAYERS = {
    18: (2, 2, 2, 2),
    34: (3, 4, 6, 3),
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
}


class ResNet(nn.Layer):
    """Residual network of `block`s. `width` and `groups` make the wide and the ResNeXt forms.

    Args:
        block (class): `BasicBlock` or `BottleneckBlock` of `paddle.vision.models.resnet`.
        depth (int, default 50): 18, 34, 50, 101 or 152.
        width (int, default 64): The base width of a group.
        num_classes (int, default 1000): How many classes there are; 0 or less leaves the classifier
            out.
        with_pool (bool, default True): Whether the features are averaged over the image.
        groups (int, default 1): How many groups the convolutions of blocks have.

    Source: He et al., Deep residual learning for image recognition, 2015

    Examples:
        >>> from paddle.vision.models.resnet import BasicBlock
        >>> model = paddle.vision.models.ResNet(BasicBlock, 18, num_classes=10)
        >>> model(paddle.ones([1, 3, 64, 64])).shape
        paddle.Size([1, 10])
    """

    def __init__(self, block, depth=50, width=64, num_classes=1000, with_pool=True, groups=1):
        super().__init__()
        layers = _LAYERS[depth]
        self.groups = groups
        self.base_width = width
        self.num_classes = num_classes
        self.with_pool = with_pool
        self._norm_layer = nn.BatchNorm2D
        self.inplanes = 64
        self.dilation = 1
        self.conv1 = nn.Conv2D(
            3, self.inplanes, kernel_size=7, stride=2, padding=3, bias_attr=False
        )
        self.bn1 = self._norm_layer(self.inplanes)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2D(kernel_size=3, stride=2, padding=1)
        self.layer1 = self._make_layer(block, 64, layers[0])
        self.layer2 = self._make_layer(block, 128, layers[1], stride=2)
        self.layer3 = self._make_layer(block, 256, layers[2], stride=2)
        self.layer4 = self._make_layer(block, 512, layers[3], stride=2)
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((1, 1))
        if num_classes > 0:
            self.fc = nn.Linear(512 * block.expansion, num_classes)

    def _make_layer(self, block, planes, blocks, stride=1, dilate=False):
        if dilate:
            self.dilation *= stride
            stride = 1
        downsample = None
        if stride != 1 or self.inplanes != planes * block.expansion:
            downsample = nn.Sequential(
                nn.Conv2D(
                    self.inplanes, planes * block.expansion, 1, stride=stride, bias_attr=False
                ),
                self._norm_layer(planes * block.expansion),
            )
        made = [
            block(
                self.inplanes,
                planes,
                stride,
                downsample,
                self.groups,
                self.base_width,
                1 if not dilate else self.dilation,
                self._norm_layer,
            )
        ]
        self.inplanes = planes * block.expansion
        for _ in range(1, blocks):
            made.append(
                block(
                    self.inplanes,
                    planes,
                    groups=self.groups,
                    base_width=self.base_width,
                    norm_layer=self._norm_layer,
                )
            )
        return nn.Sequential(*made)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        if self.with_pool:
            x = self.avgpool(x)
        if self.num_classes > 0:
            x = self.fc(paddle.flatten(x, 1))
        return x


# Depth, base width, groups, and the parameters of a model with 10 classes.
_FORMS = {
    'resnet18': (18, 64, 1, 11191242),
    'resnet34': (34, 64, 1, 21306826),
    'resnet50': (50, 64, 1, 23581642),
    'resnet101': (101, 64, 1, 42625994),
    'resnet152': (152, 64, 1, 58315722),
    'resnext50_32x4d': (50, 4, 32, 23068618),
    'resnext50_64x4d': (50, 4, 64, 43262410),
    'resnext101_32x4d': (101, 4, 32, 42287050),
    'resnext101_64x4d': (101, 4, 64, 81629642),
    'resnext152_32x4d': (152, 4, 32, 58122186),
    'resnext152_64x4d': (152, 4, 64, 113238474),
    'wide_resnet50_2': (50, 128, 1, 66922954),
    'wide_resnet101_2': (101, 128, 1, 124996042),
}
__all__ += list(_FORMS)


def _maker(name, depth, width, groups, count):
    def make(pretrained=False, **kwargs):
        no_pretrained(pretrained, name)
        block = BasicBlock if depth < 50 else BottleneckBlock
        if width != 64:
            kwargs['width'] = width
        if groups != 1:
            kwargs['groups'] = groups
        return ResNet(block, depth, **kwargs)

    make.__name__ = make.__qualname__ = name
    what = f"{name}: depth {depth}, base width {width}, {groups} group{'s' if groups > 1 else ''}."
    return described(what, 'ResNet', count)(make)


for _name, _form in _FORMS.items():
    globals()[_name] = _maker(_name, *_form)
