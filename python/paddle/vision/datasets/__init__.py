# SPDX-License-Identifier: Apache-2.0
"""Image datasets read from local files. Nothing is downloaded."""

from .cifar import Cifar10, Cifar100
from .flowers import Flowers
from .folder import DatasetFolder, ImageFolder
from .mnist import MNIST, FashionMNIST
from .voc2012 import VOC2012

__all__ = [
    'DatasetFolder',
    'ImageFolder',
    'MNIST',
    'FashionMNIST',
    'Flowers',
    'Cifar10',
    'Cifar100',
    'VOC2012',
]
