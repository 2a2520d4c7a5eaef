# SPDX-License-Identifier: Apache-2.0
"""Image transforms as functions, for PIL images, numpy arrays [H, W, C] and tensors [C, H, W]."""

import math
import numbers
from collections.abc import Iterable

import numpy as np

import paddle
from paddle.base.arguments import items, to_array
from paddle.base.documentation import shares

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
    """The module for this kind of image; TypeError when it is none, RuntimeError for a tensor of
    other than 3 or 4 axes.
    """
    if isinstance(img, np.ndarray) and img.ndim in (2, 3):
        from . import functional_cv2

        return functional_cv2
    if isinstance(img, paddle.Tensor):
        if img.ndim not in (3, 4):
            raise RuntimeError(
                f"[transforms] expected a tensor of 3 or 4 axes as image, got shape {img.shape}"
            )
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
    """A float32 tensor of an image; 8-bit values become 0 to 1.

    Args:
        pic (numpy.ndarray or object): The image: an array [H, W, C] or a PIL image.
        data_format (str, default 'CHW'): `CHW` or `HWC`.

    Returns:
        Tensor: of dtype float32.

    Examples:
        >>> import numpy
        >>> img = numpy.array([[[0], [255]]], "uint8")
        >>> paddle.vision.transforms.to_tensor(img).tolist()
        [[[0.0, 1.0]]]
    """
    if not (_is_pil(pic) or isinstance(pic, (np.ndarray, paddle.Tensor))):
        raise TypeError(
            "[to_tensor] expected a PIL image, a tensor or an array of 2 or 3 axes, got "
            f"{type(pic).__name__}"
        )
    if data_format not in ('CHW', 'HWC'):
        raise ValueError(f"[to_tensor] expected data_format 'CHW' or 'HWC', got {data_format!r}")
    if isinstance(pic, paddle.Tensor):
        return pic if data_format == 'CHW' else pic.transpose([1, 2, 0])
    array, eight_bits = _backend(pic).to_array(pic)
    if data_format == 'CHW':
        array = np.transpose(array, (2, 0, 1))
    array = np.ascontiguousarray(array)
    if eight_bits:
        return paddle.to_tensor(array.astype('float32') / np.float32(255.0))
    return paddle.to_tensor(array)


def resize(img, size, interpolation='bilinear'):
    """Resize to (height, width), or the shorter side to an integer.

    Args:
        img (numpy.ndarray, Tensor or object): The image: an array [H, W, C], a tensor [C, H, W] or
            a PIL image.
        size (int or tuple of ints): (height, width), or the shorter side.
        interpolation (str, default 'bilinear'): `nearest`, `bilinear`, `bicubic`, or what else PIL
            or OpenCV have.

    Returns:
        numpy.ndarray, Tensor or object: an image of the kind of img.

    Examples:
        >>> import numpy
        >>> img = numpy.zeros([4, 6, 3], "uint8")
        >>> paddle.vision.transforms.resize(img, 2).shape
        (2, 3, 3)
    """
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
    """Pad by one number, (left-right, top-bottom) or (left, top, right, bottom).

    Args:
        img (numpy.ndarray, Tensor or object): The image: an array [H, W, C], a tensor [C, H, W] or
            a PIL image.
        padding (int or tuple of ints): How much: everywhere, (left-right, top-bottom) or (left,
            top, right, bottom).
        fill (int, float or tuple of ints, default 0): What stands where there was no image.
        padding_mode (str, default 'constant'): `constant`, `edge`, `reflect` or `symmetric`.

    Returns:
        numpy.ndarray, Tensor or object: an image of the kind of img.

    Examples:
        >>> import numpy
        >>> img = numpy.full([1, 1, 1], 5, "uint8")
        >>> paddle.vision.transforms.pad(img, (1, 0, 0, 1)).reshape([2, 2]).tolist()
        [[0, 5], [0, 0]]
    """
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
    """The box of `height` x `width` at (top, left).

    Args:
        img (numpy.ndarray, Tensor or object): The image: an array [H, W, C], a tensor [C, H, W] or
            a PIL image.
        top (int): The first row.
        left (int): The first column.
        height (int): How many rows.
        width (int): How many columns.

    Returns:
        numpy.ndarray, Tensor or object: an image of the kind of img.

    Examples:
        >>> import numpy
        >>> img = numpy.arange(9, dtype="uint8").reshape([3, 3, 1])
        >>> paddle.vision.transforms.crop(img, 0, 1, 2, 2).reshape([2, 2]).tolist()
        [[1, 2], [4, 5]]
    """
    return _backend(img).crop(img, top, left, height, width)


def center_crop(img, output_size):
    """The middle of the image: an integer or (height, width).

    Args:
        img (numpy.ndarray, Tensor or object): The image: an array [H, W, C], a tensor [C, H, W] or
            a PIL image.
        output_size (int or tuple of ints): The side of a square, or (height, width).

    Returns:
        numpy.ndarray, Tensor or object: an image of the kind of img.

    Examples:
        >>> import numpy
        >>> img = numpy.arange(16, dtype="uint8").reshape([4, 4, 1])
        >>> paddle.vision.transforms.center_crop(img, 2).reshape([2, 2]).tolist()
        [[5, 6], [9, 10]]
    """
    if isinstance(output_size, numbers.Number):
        output_size = (int(output_size), int(output_size))
    width, height = image_size(img)
    th, tw = output_size
    return crop(img, int(round((height - th) / 2.0)), int(round((width - tw) / 2.0)), th, tw)


def hflip(img):
    """Mirror left to right.

    Args:
        img (numpy.ndarray, Tensor or object): The image: an array [H, W, C], a tensor [C, H, W] or
            a PIL image.

    Returns:
        numpy.ndarray, Tensor or object: an image of the kind of img.

    Examples:
        >>> import numpy
        >>> img = numpy.array([[[1], [2]], [[3], [4]]], "uint8")
        >>> paddle.vision.transforms.hflip(img)[:, :, 0].tolist()
        [[2, 1], [4, 3]]
    """
    return _backend(img).hflip(img)


@shares(hflip)
def vflip(img):
    """Mirror top to bottom.

    Args:
        {img}

    Returns:
        numpy.ndarray, Tensor or object: an image of the kind of img.

    Examples:
        >>> import numpy
        >>> img = numpy.array([[[1], [2]], [[3], [4]]], "uint8")
        >>> paddle.vision.transforms.vflip(img)[:, :, 0].tolist()
        [[3, 4], [1, 2]]
    """
    return _backend(img).vflip(img)


def adjust_brightness(img, brightness_factor):
    """0 gives black, 1 the image, 2 twice as bright.

    Args:
        img (numpy.ndarray, Tensor or object): The image: an array [H, W, C], a tensor [C, H, W] or
            a PIL image.
        brightness_factor (float): The factor.

    Returns:
        numpy.ndarray, Tensor or object: an image of the kind of img.

    Examples:
        >>> import numpy
        >>> img = numpy.full([1, 2, 3], 100, "uint8")
        >>> paddle.vision.transforms.adjust_brightness(img, 0.5)[0, 0].tolist()
        [50, 50, 50]
    """
    return _backend(img).adjust_brightness(img, brightness_factor)


def adjust_contrast(img, contrast_factor):
    """0 gives plain gray, 1 the image. The gray is the mean of the image, or 74 for arrays of 8
    bits.

    Args:
        img (numpy.ndarray, Tensor or object): The image: an array [H, W, C], a tensor [C, H, W] or
            a PIL image.
        contrast_factor (float): The factor of what differs from the mean gray.

    Returns:
        numpy.ndarray, Tensor or object: an image of the kind of img.

    Examples:
        >>> import numpy
        >>> img = numpy.array([[[0, 0, 0], [200, 200, 200]]], "uint8")
        >>> paddle.vision.transforms.adjust_contrast(img, 0.5)[0].tolist()
        [[37, 37, 37], [137, 137, 137]]
    """
    return _backend(img).adjust_contrast(img, contrast_factor)


def adjust_saturation(img, saturation_factor):
    """0 gives black and white, 1 the image."""
    return _backend(img).adjust_saturation(img, saturation_factor)


def adjust_hue(img, hue_factor):
    """Turn the hue by a fraction of the circle, -0.5 to 0.5. Channels of an array are blue, green,
    red, as OpenCV reads them.

    Args:
        img (numpy.ndarray, Tensor or object): The image: an array [H, W, C], a tensor [C, H, W] or
            a PIL image.
        hue_factor (float): By which part of the circle, from -0.5 to 0.5.

    Returns:
        numpy.ndarray, Tensor or object: an image of the kind of img.

    Raises:
        ValueError: hue_factor is beyond -0.5 or 0.5.

    Examples:
        >>> import numpy
        >>> img = numpy.array([[[255, 0, 0], [90, 90, 90]]], "uint8")
        >>> out = paddle.vision.transforms.adjust_hue(img, 0.5)
        >>> out[0, 0, 1] > 200 > out[0, 0, 0] and out[0, 1].tolist() == [90, 90, 90]
        True
    """
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
    """Rotate by `angle` degrees, move by `translate`, scale and shear, keeping the size.

    Args:
        img (numpy.ndarray, Tensor or object): The image: an array [H, W, C], a tensor [C, H, W] or
            a PIL image.
        angle (float): The angle in degrees, clockwise.
        translate (tuple of ints): How far to the right and down.
        scale (float): The factor of the size.
        shear (float or tuple of floats): Angles of shear in degrees, along x and y.
        interpolation (str, default 'nearest'): `nearest`, `bilinear`, `bicubic`, or what else PIL
            or OpenCV have.
        fill (int, float or tuple of ints, default 0): What stands where there was no image.
        center (tuple of floats, default None): The fixed point (x, y); None for the middle of the
            image.

    Returns:
        numpy.ndarray, Tensor or object: an image of the kind and the size of img.

    Examples:
        >>> import numpy
        >>> img = numpy.arange(9, dtype="uint8").reshape([3, 3, 1])
        >>> out = paddle.vision.transforms.affine(img, 0.0, (1, 0), 1.0, (0.0, 0.0))
        >>> out.reshape([3, 3]).tolist()
        [[0, 0, 1], [0, 3, 4], [0, 6, 7]]
    """
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


@shares(affine)
def rotate(img, angle, interpolation='nearest', expand=False, center=None, fill=0):
    """Rotate counter-clockwise by `angle` degrees; `expand` enlarges the image to hold the result.

    Args:
        {img}
        angle (float): The angle in degrees, counter-clockwise.
        {interpolation}
        expand (bool, default False): Whether the image becomes large enough to hold the result.
        {center, fill}

    Returns:
        numpy.ndarray, Tensor or object: an image of the kind of img.

    Examples:
        >>> import numpy
        >>> img = numpy.array([[[1], [2]], [[3], [4]]], "uint8")
        >>> out = paddle.vision.transforms.rotate(img, 90, center=(0.5, 0.5))
        >>> out.reshape([2, 2]).tolist()
        [[2, 4], [1, 3]]
    """
    return _backend(img).rotate(img, angle, interpolation, expand, center, fill)


def _perspective_coeffs(startpoints, endpoints):
    for name, points in (('startpoints', startpoints), ('endpoints', endpoints)):
        if len(points) != 4 or any(len(point) != 2 for point in points):
            raise ValueError(f'[perspective] expected {name} of four points (x, y), got {points!r}')
    rows, values = [], []
    for (sx, sy), (ex, ey) in zip(startpoints, endpoints):
        rows.append([ex, ey, 1, 0, 0, 0, -sx * ex, -sx * ey])
        rows.append([0, 0, 0, ex, ey, 1, -sy * ex, -sy * ey])
        values += [sx, sy]
    return np.linalg.lstsq(np.array(rows, float), np.array(values, float), rcond=None)[0].tolist()


def perspective(img, startpoints, endpoints, interpolation='nearest', fill=0):
    """Move the four corners `startpoints` to `endpoints`.

    Args:
        img (numpy.ndarray, Tensor or object): The image: an array [H, W, C], a tensor [C, H, W] or
            a PIL image.
        startpoints (list of lists): Four points (x, y) of the image.
        endpoints (list of lists): Where they move.
        interpolation (str, default 'nearest'): `nearest`, `bilinear`, `bicubic`, or what else PIL
            or OpenCV have.
        fill (int, float or tuple of ints, default 0): What stands where there was no image.

    Returns:
        numpy.ndarray, Tensor or object: an image of the kind and the size of img.

    Examples:
        >>> import numpy
        >>> img = numpy.arange(9, dtype="uint8").reshape([3, 3, 1])
        >>> corners = [[0, 0], [2, 0], [2, 2], [0, 2]]
        >>> mirrored = [[2, 0], [0, 0], [0, 2], [2, 2]]
        >>> out = paddle.vision.transforms.perspective(img, corners, mirrored)
        >>> out.reshape([3, 3]).tolist()
        [[2, 1, 0], [5, 4, 3], [8, 7, 6]]
    """
    return _backend(img).perspective(
        img, _perspective_coeffs(startpoints, endpoints), interpolation, fill
    )


def to_grayscale(img, num_output_channels=1):
    """Black and white, in 1 or 3 equal channels.

    Args:
        img (numpy.ndarray, Tensor or object): The image: an array [H, W, C], a tensor [C, H, W] or
            a PIL image.
        num_output_channels (int, default 1): 1 or 3.

    Returns:
        numpy.ndarray, Tensor or object: an image of the kind of img.

    Examples:
        >>> import numpy
        >>> img = numpy.full([1, 2, 3], 100, "uint8")
        >>> paddle.vision.transforms.to_grayscale(img).flatten().tolist()
        [100, 100]
    """
    if num_output_channels not in (1, 3):
        raise ValueError(
            f"[to_grayscale] expected num_output_channels 1 or 3, got {num_output_channels!r}"
        )
    return _backend(img).to_grayscale(img, num_output_channels)


def normalize(img, mean, std, data_format='CHW', to_rgb=False):
    """(img - mean) / std, channel by channel.

    Args:
        img (numpy.ndarray, Tensor or object): The image: an array [H, W, C], a tensor [C, H, W] or
            a PIL image.
        mean (list of floats): The means.
        std (list of floats): The standard deviations.
        data_format (str, default 'CHW'): `CHW` or `HWC`.
        to_rgb (bool, default False): Whether channels are reversed first.

    Returns:
        numpy.ndarray or Tensor: of the shape of img.

    Examples:
        >>> img = paddle.full([3, 1, 1], 1.0)
        >>> out = paddle.vision.transforms.normalize(img, [0.5, 0.5, 0.0], [0.5, 0.25, 1.0])
        >>> out.flatten().tolist()
        [1.0, 2.0, 1.0]
    """
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
    """Set the box of h x w at (i, j) to `v`.

    Args:
        img (numpy.ndarray, Tensor or object): The image: an array [H, W, C], a tensor [C, H, W] or
            a PIL image.
        i (int): The first row.
        j (int): The first column.
        h (int): How many rows.
        w (int): How many columns.
        v (float, array or Tensor): What stands there.
        inplace (bool, default False): Whether img is written, where it is an array or a tensor.

    Returns:
        numpy.ndarray, Tensor or object: an image of the kind of img.

    Examples:
        >>> img = paddle.ones([1, 2, 2])
        >>> paddle.vision.transforms.erase(img, 0, 1, 2, 1, paddle.zeros([1])).tolist()
        [[[1.0, 0.0], [1.0, 0.0]]]
    """
    if inplace and isinstance(img, np.ndarray):
        img[i : i + h, j : j + w, ...] = v
        return img
    if inplace and isinstance(img, paddle.Tensor):
        img[..., i : i + h, j : j + w] = v
        return img
    return _backend(img).erase(img, i, j, h, w, v)
