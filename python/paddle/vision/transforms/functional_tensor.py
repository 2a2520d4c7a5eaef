# SPDX-License-Identifier: Apache-2.0
"""Transforms of tensors [C, H, W]. Geometry goes through numpy, so gradients do not pass these."""

import numpy as np

import paddle

from . import functional_np as F_np


def _apply(function, img, *args):
    array = np.transpose(img.numpy(), (1, 2, 0))
    out = function(array, *args)
    out = out[:, :, None] if out.ndim == 2 else out
    return paddle.to_tensor(np.ascontiguousarray(np.transpose(out, (2, 0, 1))))


def size(img):
    """(width, height)."""
    return img.shape[-1], img.shape[-2]


def crop(img, top, left, height, width):
    return img[..., top : top + height, left : left + width]


def hflip(img):
    return paddle.flip(img, axis=[-1])


def vflip(img):
    return paddle.flip(img, axis=[-2])


def erase(img, i, j, h, w, v):
    out = img.clone()
    out[..., i : i + h, j : j + w] = v
    return out


def _through(name):
    def call(img, *args):
        return _apply(getattr(F_np, name), img, *args)

    call.__name__ = name
    return call


for _name in (
    'resize',
    'pad',
    'adjust_brightness',
    'adjust_contrast',
    'adjust_saturation',
    'adjust_hue',
    'affine',
    'rotate',
    'perspective',
    'to_grayscale',
):
    globals()[_name] = _through(_name)
