# SPDX-License-Identifier: Apache-2.0
"""Transforms of PIL images."""

import numbers

import numpy as np
from PIL import Image, ImageEnhance, ImageOps

from paddle.base.arguments import items

_MODES = {
    'nearest': Image.NEAREST,
    'bilinear': Image.BILINEAR,
    'bicubic': Image.BICUBIC,
    'box': Image.BOX,
    'lanczos': Image.LANCZOS,
    'hamming': Image.HAMMING,
}


def size(img):
    """(width, height)."""
    return img.size


def to_array(pic):
    """An array [H, W, C] and whether its values are 0 to 255."""
    if pic.mode == 'I':
        array = np.array(pic, np.int32, copy=True)
    elif pic.mode == 'I;16':
        array = np.array(pic, np.int16, copy=True)
    elif pic.mode == 'F':
        array = np.array(pic, np.float32, copy=True)
    elif pic.mode == '1':
        array = 255 * np.array(pic, np.uint8, copy=True)
    else:
        array = np.array(pic, copy=True)
    return array[:, :, None] if array.ndim == 2 else array, array.dtype == np.uint8


def resize(img, target, interpolation):
    return img.resize(target, _MODES[interpolation])


def pad(img, padding, fill, padding_mode):
    left, top, right, bottom = padding
    if padding_mode == 'constant':
        if img.mode == 'P':
            palette = img.getpalette()
            image = ImageOps.expand(img, border=padding, fill=fill)
            image.putpalette(palette)
            return image
        return ImageOps.expand(img, border=padding, fill=_fill(img, fill))
    mode = {'reflect': 'reflect', 'symmetric': 'symmetric', 'edge': 'edge'}[padding_mode]
    palette = img.getpalette() if img.mode == 'P' else None
    array = np.asarray(img)
    widths = ((top, bottom), (left, right)) + ((0, 0),) * (array.ndim - 2)
    image = Image.fromarray(np.pad(array, widths, mode))
    if palette is not None:
        image = image.convert('P')
        image.putpalette(palette)
    return image


def crop(img, top, left, height, width):
    return img.crop((left, top, left + width, top + height))


def hflip(img):
    return img.transpose(Image.FLIP_LEFT_RIGHT)


def vflip(img):
    return img.transpose(Image.FLIP_TOP_BOTTOM)


def adjust_brightness(img, factor):
    return ImageEnhance.Brightness(img).enhance(factor)


def adjust_contrast(img, factor):
    return ImageEnhance.Contrast(img).enhance(factor)


def adjust_saturation(img, factor):
    return ImageEnhance.Color(img).enhance(factor)


def adjust_hue(img, factor):
    mode = img.mode
    if mode in ('L', '1', 'I', 'F'):
        return img
    h, s, v = img.convert('HSV').split()
    hue = np.array(h, dtype=np.uint8)
    hue = (hue.astype(np.int16) + int(factor * 255)).astype(np.uint8)
    return Image.merge('HSV', (Image.fromarray(hue), s, v)).convert(mode)


def _fill(img, fill):
    bands = len(img.getbands())
    if isinstance(fill, numbers.Number) and bands > 1:
        return tuple([fill] * bands)
    if not isinstance(fill, numbers.Number) and len(fill) == 1:
        return fill[0] if bands == 1 else tuple(items('pad', 'fill', fill) * bands)
    return fill if isinstance(fill, numbers.Number) else tuple(items('pad', 'fill', fill))


def affine(img, matrix, interpolation, fill):
    return img.transform(
        img.size, Image.AFFINE, matrix, _MODES[interpolation], fillcolor=_fill(img, fill)
    )


def rotate(img, angle, interpolation, expand, center, fill):
    return img.rotate(angle, _MODES[interpolation], expand, center, fillcolor=_fill(img, fill))


def perspective(img, coeffs, interpolation, fill):
    return img.transform(
        img.size, Image.PERSPECTIVE, coeffs, _MODES[interpolation], fillcolor=_fill(img, fill)
    )


def to_grayscale(img, num_output_channels):
    if num_output_channels == 1:
        return img.convert('L')
    gray = np.array(img.convert('L'), dtype=np.uint8)
    return Image.fromarray(np.dstack([gray, gray, gray]))


def erase(img, i, j, h, w, v):
    array = np.array(img)
    array[i : i + h, j : j + w, ...] = v
    return Image.fromarray(array)
