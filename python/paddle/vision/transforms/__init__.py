# SPDX-License-Identifier: Apache-2.0
"""Image transforms: classes, and functions they are made of."""
from . import functional  # noqa: F401
from .functional import (  # noqa: F401
    adjust_brightness, adjust_contrast, adjust_hue, affine, center_crop, crop, erase, hflip, normalize, pad,
    perspective, resize, rotate, to_grayscale, to_tensor, vflip, adjust_saturation,
)
from .transforms import (
    BaseTransform, BrightnessTransform, CenterCrop, ColorJitter, Compose, ContrastTransform, Grayscale,
    HueTransform, Normalize, Pad, RandomAffine, RandomCrop, RandomErasing, RandomHorizontalFlip,
    RandomPerspective, RandomResizedCrop, RandomRotation, RandomVerticalFlip, Resize, SaturationTransform,
    ToTensor, Transpose,
)

__all__ = [
    'BaseTransform', 'BrightnessTransform', 'CenterCrop', 'ColorJitter', 'Compose', 'ContrastTransform',
    'Grayscale', 'HueTransform', 'Normalize', 'Pad', 'RandomAffine', 'RandomCrop', 'RandomErasing',
    'RandomHorizontalFlip', 'RandomPerspective', 'RandomResizedCrop', 'RandomRotation', 'RandomVerticalFlip',
    'Resize', 'SaturationTransform', 'ToTensor', 'Transpose', 'adjust_brightness', 'adjust_contrast',
    'adjust_hue', 'affine', 'center_crop', 'crop', 'erase', 'hflip', 'normalize', 'pad', 'perspective',
    'resize', 'rotate', 'to_grayscale', 'to_tensor', 'vflip',
]
