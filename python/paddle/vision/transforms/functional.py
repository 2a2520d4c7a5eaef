# SPDX-License-Identifier: Apache-2.0
"""Image transforms as functions, for PIL images, numpy arrays [H, W, C] and tensors [C, H, W]."""

import math
import numbers
from collections.abc import Iterable

import numpy as np

import paddle
from paddle.base.arguments import items, to_array

__all__ = [
    'to_tensor',
    'hflip',
    'vflip',
    'resize',
    'pad',
    'affine',
    'rotate',
    'perspective',
    'to_grayscale',
    'crop',
    'center_crop',
    'adjust_brightness',
    'adjust_contrast',
    'adjust_hue',
    'adjust_saturation',
    'normalize',
    'erase',
]


def _is_pil(img):
    return type(img).__module__.startswith('PIL.')


def _backend(img):
    """The module for this kind of image; TypeError when it is none."""
    if isinstance(img, np.ndarray) and img.ndim in (2, 3):
        from . import functional_np

        return functional_np
    if isinstance(img, paddle.Tensor):
        from . import functional_tensor

        return functional_tensor
    if _is_pil(img):
        from . import functional_pil

        return functional_pil
    raise TypeError(
        "[transforms] expected a PIL image, a tensor or an array of 2 or 3 axes, got "
        f"{type(img).__name__}"
    )


def image_size(img):
    """(width, height) of any kind of image."""
    return _backend(img).size(img)


def to_tensor(pic, data_format='CHW'):
    """A float32 tensor of an image; 8-bit values become 0 to 1."""
    if not (_is_pil(pic) or isinstance(pic, (np.ndarray, paddle.Tensor))):
        raise TypeError(
            "[to_tensor] expected a PIL image, a tensor or an array of 2 or 3 axes, got "
            f"{type(pic).__name__}"
        )
    if data_format not in ('CHW', 'HWC'):
        raise ValueError(f"[to_tensor] expected data_format 'CHW' or 'HWC', got {data_format!r}")
    if isinstance(pic, paddle.Tensor):
        return pic
    array, eight_bits = _backend(pic).to_array(pic)
    if data_format == 'CHW':
        array = np.transpose(array, (2, 0, 1))
    array = np.ascontiguousarray(array)
    if eight_bits:
        return paddle.to_tensor(array.astype('float32') / np.float32(255.0))
    return paddle.to_tensor(array)


def resize(img, size, interpolation='bilinear'):
    """Resize to (height, width), or the shorter side to an integer."""
    if not (isinstance(size, int) or (isinstance(size, Iterable) and len(size) == 2)):
        raise TypeError(f"[resize] expected size to be an int or two ints, got {size!r}")
    module = _backend(img)
    width, height = module.size(img)
    if isinstance(size, int):
        if (width <= height and width == size) or (height <= width and height == size):
            return img
        if width < height:
            target = (size, int(size * height / width))
        else:
            target = (int(size * width / height), size)
    else:
        target = (int(size[1]), int(size[0]))
    return module.resize(img, target, interpolation)


def pad(img, padding, fill=0, padding_mode='constant'):
    """Pad by one number, (left-right, top-bottom) or (left, top, right, bottom)."""
    if not isinstance(padding, (numbers.Number, list, tuple)):
        raise TypeError(
            "[pad] expected padding to be a number, a list or a tuple, got "
            f"{type(padding).__name__}"
        )
    if not isinstance(fill, (numbers.Number, str, list, tuple)):
        raise TypeError(
            "[pad] expected fill to be a number, a string, a list or a tuple, got "
            f"{type(fill).__name__}"
        )
    if not isinstance(padding_mode, str):
        raise TypeError(
            f"[pad] expected padding_mode to be a string, got {type(padding_mode).__name__}"
        )
    if isinstance(padding, (list, tuple)) and len(padding) not in (2, 4):
        raise ValueError(f"[pad] expected padding to be an int, 2 or 4 ints, got {len(padding)}")
    if padding_mode not in ('constant', 'edge', 'reflect', 'symmetric'):
        raise AssertionError(
            "[pad] expected padding_mode 'constant', 'edge', 'reflect' or 'symmetric', got "
            f"{padding_mode!r}"
        )
    if isinstance(padding, numbers.Number):
        sides = (int(padding),) * 4
    elif len(padding) == 2:
        sides = (padding[0], padding[1], padding[0], padding[1])
    else:
        sides = tuple(items('pad', 'padding', padding))
    return _backend(img).pad(img, sides, fill, padding_mode)


def crop(img, top, left, height, width):
    """The box of `height` x `width` at (top, left)."""
    return _backend(img).crop(img, top, left, height, width)


def center_crop(img, output_size):
    """The middle of the image: an integer or (height, width)."""
    if isinstance(output_size, numbers.Number):
        output_size = (int(output_size), int(output_size))
    width, height = image_size(img)
    th, tw = output_size
    return crop(img, int(round((height - th) / 2.0)), int(round((width - tw) / 2.0)), th, tw)


def hflip(img):
    """Mirror left to right."""
    return _backend(img).hflip(img)


def vflip(img):
    """Mirror top to bottom."""
    return _backend(img).vflip(img)


def adjust_brightness(img, brightness_factor):
    """0 gives black, 1 the image, 2 twice as bright."""
    return _backend(img).adjust_brightness(img, brightness_factor)


def adjust_contrast(img, contrast_factor):
    """0 gives plain gray, 1 the image."""
    return _backend(img).adjust_contrast(img, contrast_factor)


def adjust_saturation(img, saturation_factor):
    """0 gives black and white, 1 the image."""
    return _backend(img).adjust_saturation(img, saturation_factor)


def adjust_hue(img, hue_factor):
    """Turn the hue by a fraction of the circle, -0.5 to 0.5."""
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"[adjust_hue] expected hue_factor from -0.5 to 0.5, got {hue_factor}")
    return _backend(img).adjust_hue(img, hue_factor)


def _inverse_affine(center, angle, translate, scale, shear):
    """Coefficients (a, b, c, d, e, f) that map a point of the result to the source."""
    turn = math.radians(angle)
    sx, sy = math.radians(shear[0]), math.radians(shear[1])
    cx, cy = center
    tx, ty = translate
    a = math.cos(turn - sy) / math.cos(sy)
    b = -math.cos(turn - sy) * math.tan(sx) / math.cos(sy) - math.sin(turn)
    c = math.sin(turn - sy) / math.cos(sy)
    d = -math.sin(turn - sy) * math.tan(sx) / math.cos(sy) + math.cos(turn)
    m = [d / scale, -b / scale, 0.0, -c / scale, a / scale, 0.0]
    m[2] += m[0] * (-cx - tx) + m[1] * (-cy - ty) + cx
    m[5] += m[3] * (-cx - tx) + m[4] * (-cy - ty) + cy
    return m


def affine(img, angle, translate, scale, shear, interpolation='nearest', fill=0, center=None):
    """Rotate by `angle` degrees, move by `translate`, scale and shear, keeping the size."""
    if not isinstance(angle, (int, float)):
        raise TypeError(f"[affine] expected angle to be a number, got {type(angle).__name__}")
    if not isinstance(translate, (list, tuple)) or len(translate) != 2:
        raise TypeError(f"[affine] expected translate to be two numbers, got {translate!r}")
    if scale <= 0.0:
        raise ValueError(f"[affine] expected a positive scale, got {scale}")
    if isinstance(shear, numbers.Number):
        shear = (shear, 0.0)
    if not isinstance(shear, (list, tuple)) or len(shear) not in (1, 2):
        raise ValueError(f"[affine] expected shear to be one or two numbers, got {shear!r}")
    shear = (shear[0], shear[0]) if len(shear) == 1 else tuple(items('affine', 'shear', shear))
    width, height = image_size(img)
    centre = (width * 0.5, height * 0.5) if center is None else center
    return _backend(img).affine(
        img, _inverse_affine(centre, angle, translate, scale, shear), interpolation, fill
    )


def rotate(img, angle, interpolation='nearest', expand=False, center=None, fill=0):
    """Rotate counter-clockwise by `angle` degrees; `expand` enlarges the image to hold the
    result.
    """
    return _backend(img).rotate(img, angle, interpolation, expand, center, fill)


def _perspective_coeffs(startpoints, endpoints):
    rows, values = [], []
    for (sx, sy), (ex, ey) in zip(startpoints, endpoints):
        rows.append([ex, ey, 1, 0, 0, 0, -sx * ex, -sx * ey])
        rows.append([0, 0, 0, ex, ey, 1, -sy * ex, -sy * ey])
        values += [sx, sy]
    return np.linalg.lstsq(np.array(rows, float), np.array(values, float), rcond=None)[0].tolist()


def perspective(img, startpoints, endpoints, interpolation='nearest', fill=0):
    """Move the four corners `startpoints` to `endpoints`."""
    return _backend(img).perspective(
        img, _perspective_coeffs(startpoints, endpoints), interpolation, fill
    )


def to_grayscale(img, num_output_channels=1):
    """Black and white, in 1 or 3 equal channels."""
    if num_output_channels not in (1, 3):
        raise ValueError(
            f"[to_grayscale] expected num_output_channels 1 or 3, got {num_output_channels!r}"
        )
    return _backend(img).to_grayscale(img, num_output_channels)


def normalize(img, mean, std, data_format='CHW', to_rgb=False):
    """(img - mean) / std, channel by channel; `to_rgb` reverses the channels first."""
    if isinstance(img, paddle.Tensor):
        shape = [-1, 1, 1] if data_format == 'CHW' else [1, 1, -1]
        mean = paddle.to_tensor(mean, dtype=img.dtype).reshape(shape)
        std = paddle.to_tensor(std, dtype=img.dtype).reshape(shape)
        return (img - mean) / std
    if _is_pil(img):
        img = np.array(img).astype(np.float32)
    values = to_array('normalize', 'img', img, np.float32)
    if to_rgb:
        values = values[::-1] if data_format == 'CHW' else values[..., ::-1]
    mean, std = (
        to_array('normalize', 'mean', mean, np.float32),
        to_array('normalize', 'std', std, np.float32),
    )
    if data_format == 'CHW':
        mean, std = mean.reshape(-1, 1, 1), std.reshape(-1, 1, 1)
    return (values - mean) / std


def erase(img, i, j, h, w, v, inplace=False):
    """Set the box of h x w at (i, j) to `v`."""
    if inplace and isinstance(img, np.ndarray):
        img[i : i + h, j : j + w, ...] = v
        return img
    if inplace and isinstance(img, paddle.Tensor):
        img[..., i : i + h, j : j + w] = v
        return img
    return _backend(img).erase(img, i, j, h, w, v)
