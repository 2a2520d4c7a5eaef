# SPDX-License-Identifier: Apache-2.0
"""Image classification models."""

from paddle import _lazy

from .alexnet import AlexNet, alexnet
from .densenet import DenseNet, densenet121, densenet161, densenet169, densenet201, densenet264
from .googlenet import GoogLeNet, googlenet
from .inceptionv3 import InceptionV3, inception_v3
from .lenet import LeNet
from .mobilenet import (
    MobileNetV1,
    MobileNetV2,
    MobileNetV3Large,
    MobileNetV3Small,
    mobilenet_v1,
    mobilenet_v2,
    mobilenet_v3_large,
    mobilenet_v3_small,
)
from .resnet import (
    ResNet,
    resnet101,
    resnet152,
    resnet18,
    resnet34,
    resnet50,
    resnext101_32x4d,
    resnext101_64x4d,
    resnext152_32x4d,
    resnext152_64x4d,
    resnext50_32x4d,
    resnext50_64x4d,
    wide_resnet101_2,
    wide_resnet50_2,
)
from .shufflenetv2 import (
    ShuffleNetV2,
    shufflenet_v2_swish,
    shufflenet_v2_x0_25,
    shufflenet_v2_x0_33,
    shufflenet_v2_x0_5,
    shufflenet_v2_x1_0,
    shufflenet_v2_x1_5,
    shufflenet_v2_x2_0,
)
from .squeezenet import SqueezeNet, squeezenet1_0, squeezenet1_1
from .vgg import VGG, vgg11, vgg13, vgg16, vgg19

__all__ = [
    'AlexNet',
    'DenseNet',
    'GoogLeNet',
    'InceptionV3',
    'LeNet',
    'MobileNetV1',
    'MobileNetV2',
    'MobileNetV3Large',
    'MobileNetV3Small',
    'ResNet',
    'ShuffleNetV2',
    'SqueezeNet',
    'VGG',
    'alexnet',
    'densenet121',
    'densenet161',
    'densenet169',
    'densenet201',
    'densenet264',
    'googlenet',
    'inception_v3',
    'mobilenet_v1',
    'mobilenet_v2',
    'mobilenet_v3_large',
    'mobilenet_v3_small',
    'resnet101',
    'resnet152',
    'resnet18',
    'resnet34',
    'resnet50',
    'resnext101_32x4d',
    'resnext101_64x4d',
    'resnext152_32x4d',
    'resnext152_64x4d',
    'resnext50_32x4d',
    'resnext50_64x4d',
    'shufflenet_v2_swish',
    'shufflenet_v2_x0_25',
    'shufflenet_v2_x0_33',
    'shufflenet_v2_x0_5',
    'shufflenet_v2_x1_0',
    'shufflenet_v2_x1_5',
    'shufflenet_v2_x2_0',
    'squeezenet1_0',
    'squeezenet1_1',
    'vgg11',
    'vgg13',
    'vgg16',
    'vgg19',
    'wide_resnet101_2',
    'wide_resnet50_2',
]

_lazy.serve(globals())
