# SPDX-License-Identifier: Apache-2.0
"""Image transforms as classes."""

import math
import numbers
import random
import sys
import traceback
from collections.abc import Iterable, Sequence

import numpy as np

import paddle
from paddle.base.arguments import items, to_array
from paddle.base.documentation import shares
from paddle.base.known_keywords import KnownKeywords

from . import functional as F

__all__ = [
    'BaseTransform',
    'Compose',
    'Resize',
    'RandomResizedCrop',
    'CenterCrop',
    'RandomHorizontalFlip',
    'RandomVerticalFlip',
    'Transpose',
    'Normalize',
    'BrightnessTransform',
    'SaturationTransform',
    'ContrastTransform',
    'HueTransform',
    'ColorJitter',
    'RandomCrop',
    'Pad',
    'RandomAffine',
    'RandomRotation',
    'RandomPerspective',
    'Grayscale',
    'ToTensor',
    'RandomErasing',
]


class Compose(KnownKeywords):
    """Transforms one after another.

    Args:
        transforms (list of callables): The transforms.

    Examples:
        >>> import numpy
        >>> T = paddle.vision.transforms
        >>> transform = paddle.vision.transforms.Compose([T.Resize(8), T.ToTensor()])
        >>> transform(numpy.zeros([16, 20, 3], "uint8")).shape
        paddle.Size([3, 8, 10])
    """

    def __init__(self, transforms):
        self.transforms = transforms
        for transform in items('Compose', 'transforms', transforms):
            if not callable(transform):
                raise TypeError(
                    f'[Compose] expected transforms that can be called, got {transform!r:.60}'
                )

    def __call__(self, data):
        for transform in self.transforms:
            try:
                data = transform(data)
            except Exception as error:
                print(
                    f"fail to perform transform [{transform}] with error: {error} and stack:\n"
                    f"{traceback.format_exc()}",
                    file=sys.stderr,
                )
                raise
        return data

    def __repr__(self):
        inner = ''.join(f'\n    {t}' for t in self.transforms)
        return f'{self.__class__.__name__}({inner}\n)'


class BaseTransform(KnownKeywords):
    """Base of transforms: `_apply_image` handles inputs whose key is `image`, `_get_params` draws
    what one call uses.

    Args:
        keys (list of strs, default None): What the elements of an input tuple are; None for
            (`image`,).

    Examples:
        >>> class Invert(paddle.vision.transforms.BaseTransform):
        ...     def _apply_image(self, img):
        ...         return 255 - img
        >>> import numpy
        >>> Invert()(numpy.full([1, 1, 1], 55, "uint8")).item()
        200
    """

    def __init__(self, keys=None):
        if keys is None:
            keys = ('image',)
        elif not isinstance(keys, Sequence):
            raise ValueError(
                f"[{type(self).__name__}] expected keys to be a list or tuple, got "
                f"{type(keys).__name__}"
            )
        for key in keys:
            if self._get_apply(key) is None and key not in ('image', 'coords', 'boxes', 'mask'):
                raise NotImplementedError(
                    f"[{type(self).__name__}] expected keys among image, coords, boxes, mask, got "
                    f"{key!r}"
                )
        self.keys = keys
        self.params = None

    def _get_params(self, inputs):
        """Draw the parameters of one call."""

    def __call__(self, inputs):
        alone = not isinstance(inputs, tuple)
        inputs = (inputs,) if alone else inputs
        self.params = self._get_params(inputs)
        outputs = []
        for i in range(min(len(inputs), len(self.keys))):
            apply = self._get_apply(self.keys[i])
            outputs.append(inputs[i] if apply is None else apply(inputs[i]))
        outputs.extend(inputs[len(self.keys) :])
        return outputs[0] if alone or len(outputs) == 1 else tuple(outputs)

    def _get_apply(self, key):
        return getattr(self, f'_apply_{key}', None)

    def _apply_image(self, image):
        raise NotImplementedError(
            f"[{type(self).__name__}._apply_image] expected a subclass to define it, got none"
        )


class ToTensor(BaseTransform):
    """Image to float32 tensor; 8-bit values become 0 to 1.

    Args:
        data_format (str, default 'CHW'): `CHW` or `HWC`.
        keys (list of strs, default None): What the elements of an input tuple are; None for
            (`image`,).

    Examples:
        >>> import numpy
        >>> paddle.vision.transforms.ToTensor()(numpy.array([[[0], [255]]], "uint8")).tolist()
        [[[0.0, 1.0]]]
    """

    def __init__(self, data_format='CHW', keys=None):
        super().__init__(keys)
        self.data_format = data_format

    def _apply_image(self, img):
        return F.to_tensor(img, self.data_format)


class Resize(BaseTransform):
    """Resize to (height, width), or the shorter side to an integer.

    Args:
        size (int or tuple of ints): (height, width), or the shorter side.
        interpolation (str, default 'bilinear'): `nearest`, `bilinear`, `bicubic`, or what else PIL
            or OpenCV have.
        keys (list of strs, default None): What the elements of an input tuple are; None for
            (`image`,).

    Examples:
        >>> import numpy
        >>> paddle.vision.transforms.Resize((2, 3))(numpy.zeros([4, 6, 3], "uint8")).shape
        (2, 3, 3)
    """

    def __init__(self, size, interpolation='bilinear', keys=None):
        super().__init__(keys)
        if not (isinstance(size, int) or (isinstance(size, Iterable) and len(size) == 2)):
            raise AssertionError(f"[Resize] expected size to be an int or two ints, got {size!r}")
        self.size = size
        self.interpolation = interpolation

    def _apply_image(self, img):
        return F.resize(img, self.size, self.interpolation)


class RandomResizedCrop(BaseTransform):
    """A random box of a share of the area and an aspect ratio in the given ranges, resized to
    `size`.

    Args:
        size (int or tuple of ints): The side of a square, or (height, width).
        scale (tuple of floats, default (0.08, 1.0)): The least and the largest part of the area.
        ratio (tuple of floats, default (0.75, 1.3333333333333333)): The least and the largest
            aspect ratio.
        interpolation (str, default 'bilinear'): `nearest`, `bilinear`, `bicubic`, or what else PIL
            or OpenCV have.
        keys (list of strs, default None): What the elements of an input tuple are; None for
            (`image`,).

    Source: Szegedy et al., Going deeper with convolutions, 2014

    Examples:
        >>> import numpy
        >>> img = numpy.zeros([16, 20, 3], "uint8")
        >>> paddle.vision.transforms.RandomResizedCrop(8)(img).shape
        (8, 8, 3)
    """

    def __init__(
        self, size, scale=(0.08, 1.0), ratio=(3.0 / 4, 4.0 / 3), interpolation='bilinear', keys=None
    ):
        super().__init__(keys)
        self.size = (size, size) if isinstance(size, int) else size
        if scale[0] > scale[1]:
            raise AssertionError(f"[RandomResizedCrop] expected scale to ascend, got {scale}")
        if ratio[0] > ratio[1]:
            raise AssertionError(f"[RandomResizedCrop] expected ratio to ascend, got {ratio}")
        self.scale = scale
        self.ratio = ratio
        self.interpolation = interpolation

    def _get_param(self, image, attempts=10):
        width, height = F.image_size(image)
        area = width * height
        for _ in range(attempts):
            target = np.random.uniform(*items('RandomResizedCrop', 'scale', self.scale)) * area
            aspect = math.exp(np.random.uniform(*(math.log(x) for x in self.ratio)))
            w, h = int(round(math.sqrt(target * aspect))), int(round(math.sqrt(target / aspect)))
            if 0 < w <= width and 0 < h <= height:
                return random.randint(0, height - h), random.randint(0, width - w), h, w
        whole = float(width) / float(height)
        if whole < min(self.ratio):
            w, h = width, int(round(width / min(self.ratio)))
        elif whole > max(self.ratio):
            w, h = int(round(height * max(self.ratio))), height
        else:
            w, h = width, height
        return (height - h) // 2, (width - w) // 2, h, w

    def _apply_image(self, img):
        i, j, h, w = self._get_param(img)
        return F.resize(F.crop(img, i, j, h, w), self.size, self.interpolation)


class CenterCrop(BaseTransform):
    """The middle of the image.

    Args:
        size (int or tuple of ints): The side of a square, or (height, width).
        keys (list of strs, default None): What the elements of an input tuple are; None for
            (`image`,).

    Examples:
        >>> import numpy
        >>> img = numpy.arange(16, dtype="uint8").reshape([4, 4, 1])
        >>> paddle.vision.transforms.CenterCrop(2)(img).reshape([2, 2]).tolist()
        [[5, 6], [9, 10]]
    """

    def __init__(self, size, keys=None):
        super().__init__(keys)
        self.size = (int(size), int(size)) if isinstance(size, numbers.Number) else size

    def _apply_image(self, img):
        return F.center_crop(img, self.size)


class RandomHorizontalFlip(BaseTransform):
    """Mirror left to right with probability `prob`.

    Args:
        prob (float, default 0.5): The probability.
        keys (list of strs, default None): What the elements of an input tuple are; None for
            (`image`,).

    Examples:
        >>> import numpy
        >>> img = numpy.array([[[1], [2]]], "uint8")
        >>> paddle.vision.transforms.RandomHorizontalFlip(1.0)(img).flatten().tolist()
        [2, 1]
    """

    def __init__(self, prob=0.5, keys=None):
        super().__init__(keys)
        if not 0 <= prob <= 1:
            raise AssertionError(f"[RandomHorizontalFlip] expected prob from 0 to 1, got {prob}")
        self.prob = prob

    def _apply_image(self, img):
        return F.hflip(img) if random.random() < self.prob else img


@shares(RandomHorizontalFlip)
class RandomVerticalFlip(BaseTransform):
    """Mirror top to bottom with probability `prob`.

    Args:
        {prob, keys}

    Examples:
        >>> import numpy
        >>> img = numpy.array([[[1]], [[2]]], "uint8")
        >>> paddle.vision.transforms.RandomVerticalFlip(1.0)(img).flatten().tolist()
        [2, 1]
    """

    def __init__(self, prob=0.5, keys=None):
        super().__init__(keys)
        if not 0 <= prob <= 1:
            raise AssertionError(f"[RandomVerticalFlip] expected prob from 0 to 1, got {prob}")
        self.prob = prob

    def _apply_image(self, img):
        return F.vflip(img) if random.random() < self.prob else img


class Normalize(BaseTransform):
    """(img - mean) / std, channel by channel.

    Args:
        mean (float or list of floats, default 0.0): The means.
        std (float or list of floats, default 1.0): The standard deviations.
        data_format (str, default 'CHW'): `CHW` or `HWC`.
        to_rgb (bool, default False): Whether channels are reversed first.
        keys (list of strs, default None): What the elements of an input tuple are; None for
            (`image`,).

    Examples:
        >>> img = paddle.full([3, 1, 1], 1.0)
        >>> paddle.vision.transforms.Normalize(0.5, 0.25)(img).flatten().tolist()
        [2.0, 2.0, 2.0]
    """

    def __init__(self, mean=0.0, std=1.0, data_format='CHW', to_rgb=False, keys=None):
        super().__init__(keys)
        self.mean = [mean, mean, mean] if isinstance(mean, numbers.Number) else mean
        self.std = [std, std, std] if isinstance(std, numbers.Number) else std
        self.data_format = data_format
        self.to_rgb = to_rgb

    def _apply_image(self, img):
        return F.normalize(img, self.mean, self.std, self.data_format, self.to_rgb)


class Transpose(BaseTransform):
    """Image to an array with its axes in `order`.

    Args:
        order (tuple of ints, default (2, 0, 1)): Which axis stands in each place.
        keys (list of strs, default None): What the elements of an input tuple are; None for
            (`image`,).

    Examples:
        >>> import numpy
        >>> paddle.vision.transforms.Transpose()(numpy.zeros([4, 6, 3], "uint8")).shape
        (3, 4, 6)
    """

    def __init__(self, order=(2, 0, 1), keys=None):
        super().__init__(keys)
        self.order = order

    def _apply_image(self, img):
        if isinstance(img, paddle.Tensor):
            return img.transpose(self.order)
        array = to_array('Transpose', 'img', img)
        if array.ndim == 2:
            array = array[..., None]
        return array.transpose(self.order)


def _factor_range(value, name, center=1.0, bound=(0, float('inf')), clip=True):
    """[low, high] from a number (center +- value) or a pair; None when nothing changes."""
    if isinstance(value, numbers.Number):
        if value < 0:
            raise ValueError(f"[transforms] expected {name} of at least 0, got {value}")
        value = [center - value, center + value]
        if clip:
            value[0] = max(value[0], 0)
    elif isinstance(value, (tuple, list)) and len(value) == 2:
        if not bound[0] <= value[0] <= value[1] <= bound[1]:
            raise ValueError(
                f"[transforms] expected {name} from {bound[0]} to {bound[1]}, ascending, got "
                f"{value}"
            )
    else:
        raise TypeError(
            f"[transforms] expected {name} to be a number or two numbers, got {value!r}"
        )
    return None if value[0] == value[1] == center else value


class _Jitter(BaseTransform):
    """`_adjust(img, factor)` by a random factor of a range; the image itself when the range is one
    neutral value.
    """

    def __init__(self, value, keys, adjust, name, **bounds):
        super().__init__(keys)
        self.value = _factor_range(value, name, **bounds)
        self._adjust = adjust

    def _apply_image(self, img):
        return img if self.value is None else self._adjust(img, random.uniform(*self.value))


class BrightnessTransform(_Jitter):
    """Brightness by a random factor in [max(0, 1 - value), 1 + value].

    Args:
        value (float): How far the factor may be from 1.
        keys (list of strs, default None): What the elements of an input tuple are; None for
            (`image`,).

    Examples:
        >>> import numpy
        >>> img = numpy.full([1, 1, 3], 100, "uint8")
        >>> out = paddle.vision.transforms.BrightnessTransform(0.5)(img)
        >>> bool((out >= 50).all() and (out <= 150).all())
        True
    """

    def __init__(self, value, keys=None):
        super().__init__(value, keys, F.adjust_brightness, 'brightness')


@shares(BrightnessTransform)
class ContrastTransform(_Jitter):
    """Contrast by a random factor in [max(0, 1 - value), 1 + value].

    Args:
        {value, keys}

    Examples:
        >>> import numpy
        >>> img = numpy.zeros([2, 2, 3], "uint8")
        >>> paddle.vision.transforms.ContrastTransform(0.5)(img).shape
        (2, 2, 3)
    """

    def __init__(self, value, keys=None):
        if isinstance(value, numbers.Number) and value < 0:
            raise ValueError(f"[ContrastTransform] expected value of at least 0, got {value}")
        super().__init__(value, keys, F.adjust_contrast, 'contrast')


@shares(BrightnessTransform)
class SaturationTransform(_Jitter):
    """Saturation by a random factor in [max(0, 1 - value), 1 + value].

    Args:
        {value, keys}

    Examples:
        >>> import numpy
        >>> img = numpy.full([1, 1, 3], 100, "uint8")
        >>> paddle.vision.transforms.SaturationTransform(0.5)(img).shape
        (1, 1, 3)
    """

    def __init__(self, value, keys=None):
        super().__init__(value, keys, F.adjust_saturation, 'saturation')


class HueTransform(_Jitter):
    """Hue turned by a random amount in [-value, value], at most 0.5.

    Args:
        value (float): The largest part of the circle, from 0 to 0.5.
        keys (list of strs, default None): What the elements of an input tuple are; None for
            (`image`,).

    Examples:
        >>> import numpy
        >>> img = numpy.full([1, 1, 3], 100, "uint8")
        >>> paddle.vision.transforms.HueTransform(0.5)(img).flatten().tolist()
        [100, 100, 100]
    """

    def __init__(self, value, keys=None):
        super().__init__(value, keys, F.adjust_hue, 'hue', center=0, bound=(-0.5, 0.5), clip=False)


class ColorJitter(BaseTransform):
    """Brightness, contrast, saturation and hue at random, in random order.

    Args:
        brightness (float, default 0): How far its factor may be from 1.
        contrast (float, default 0): How far its factor may be from 1.
        saturation (float, default 0): How far its factor may be from 1.
        hue (float, default 0): The largest turn, from 0 to 0.5.
        keys (list of strs, default None): What the elements of an input tuple are; None for
            (`image`,).

    Examples:
        >>> import numpy
        >>> img = numpy.full([2, 2, 3], 100, "uint8")
        >>> paddle.vision.transforms.ColorJitter(0.4, 0.4, 0.4, 0.1)(img).shape
        (2, 2, 3)
    """

    def __init__(self, brightness=0, contrast=0, saturation=0, hue=0, keys=None):
        super().__init__(keys)
        self.brightness = brightness
        self.contrast = contrast
        self.saturation = saturation
        self.hue = hue

    def _get_param(self, brightness, contrast, saturation, hue):
        transforms = [
            BrightnessTransform(brightness),
            ContrastTransform(contrast),
            SaturationTransform(saturation),
            HueTransform(hue),
        ]
        random.shuffle(transforms)
        return Compose(transforms)

    def _apply_image(self, img):
        return self._get_param(self.brightness, self.contrast, self.saturation, self.hue)(img)


class RandomCrop(BaseTransform):
    """A random box of `size`, after padding.

    Args:
        size (int or tuple of ints): The side of a square, or (height, width).
        padding (int or tuple of ints, default None): What is added before, as for `Pad`.
        pad_if_needed (bool, default False): Whether a smaller image is padded.
        fill (int, float or tuple of ints, default 0): What stands where there was no image.
        padding_mode (str, default 'constant'): `constant`, `edge`, `reflect` or `symmetric`.
        keys (list of strs, default None): What the elements of an input tuple are; None for
            (`image`,).

    Examples:
        >>> import numpy
        >>> img = numpy.zeros([4, 6, 3], "uint8")
        >>> paddle.vision.transforms.RandomCrop(3)(img).shape
        (3, 3, 3)
    """

    def __init__(
        self, size, padding=None, pad_if_needed=False, fill=0, padding_mode='constant', keys=None
    ):
        super().__init__(keys)
        self.size = (int(size), int(size)) if isinstance(size, numbers.Number) else size
        self.padding = padding
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self.padding_mode = padding_mode

    def _get_param(self, img, output_size):
        width, height = F.image_size(img)
        th, tw = output_size
        if width == tw and height == th:
            return 0, 0, height, width
        if width < tw or height < th:
            raise ValueError(
                f"[RandomCrop] expected an image of at least {th}x{tw}, got {height}x{width}"
            )
        return random.randint(0, height - th), random.randint(0, width - tw), th, tw

    def _apply_image(self, img):
        if self.padding is not None:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        width, height = F.image_size(img)
        if self.pad_if_needed and width < self.size[1]:
            img = F.pad(img, (self.size[1] - width, 0), self.fill, self.padding_mode)
        if self.pad_if_needed and height < self.size[0]:
            img = F.pad(img, (0, self.size[0] - height), self.fill, self.padding_mode)
        i, j, h, w = self._get_param(img, self.size)
        return F.crop(img, i, j, h, w)


class Pad(BaseTransform):
    """Pad by one number, (left-right, top-bottom) or (left, top, right, bottom).

    Args:
        padding (int or tuple of ints): How much: everywhere, (left-right, top-bottom) or (left,
            top, right, bottom).
        fill (int, float or tuple of ints, default 0): What stands where there was no image.
        padding_mode (str, default 'constant'): `constant`, `edge`, `reflect` or `symmetric`.
        keys (list of strs, default None): What the elements of an input tuple are; None for
            (`image`,).

    Examples:
        >>> import numpy
        >>> img = numpy.full([1, 1, 1], 5, "uint8")
        >>> paddle.vision.transforms.Pad(1)(img).reshape([3, 3]).tolist()
        [[0, 0, 0], [0, 5, 0], [0, 0, 0]]
    """

    def __init__(self, padding, fill=0, padding_mode='constant', keys=None):
        super().__init__(keys)
        if not isinstance(padding, (numbers.Number, list, tuple)):
            raise AssertionError(
                "[Pad] expected padding to be a number, a list or a tuple, got "
                f"{type(padding).__name__}"
            )
        if padding_mode not in ('constant', 'edge', 'reflect', 'symmetric'):
            raise AssertionError(
                "[Pad] expected padding_mode 'constant', 'edge', 'reflect' or 'symmetric', got "
                f"{padding_mode!r}"
            )
        if isinstance(padding, (list, tuple)) and len(padding) not in (2, 4):
            raise ValueError(
                f"[Pad] expected padding to be an int, 2 or 4 ints, got {len(padding)}"
            )
        self.padding = padding
        self.fill = fill
        self.padding_mode = padding_mode

    def _apply_image(self, img):
        return F.pad(img, self.padding, self.fill, self.padding_mode)


def _angle_range(value, name):
    if isinstance(value, numbers.Number):
        if value < 0:
            raise ValueError(f"[transforms] expected {name} of at least 0, got {value}")
        return (-value, value)
    if len(value) not in (2, 4):
        raise ValueError(f"[transforms] expected 2 or 4 numbers as {name}, got {len(value)}")
    return tuple(value)


class RandomAffine(BaseTransform):
    """Random rotation, translation, scale and shear in the given ranges.

    Args:
        degrees (float or tuple of floats): The largest angle, or the least and the largest.
        translate (tuple of floats, default None): The largest shift along x and y, in parts of the
            image.
        scale (tuple of floats, default None): The least and the largest factor.
        shear (float or tuple of floats, default None): The largest angle of shear, or the ranges
            along x and y.
        interpolation (str, default 'nearest'): `nearest`, `bilinear`, `bicubic`, or what else PIL
            or OpenCV have.
        fill (int, float or tuple of ints, default 0): What stands where there was no image.
        center (tuple of floats, default None): The fixed point (x, y); None for the middle of the
            image.
        keys (list of strs, default None): What the elements of an input tuple are; None for
            (`image`,).

    Examples:
        >>> import numpy
        >>> img = numpy.zeros([4, 6, 3], "uint8")
        >>> transform = paddle.vision.transforms.RandomAffine(30, translate=(0.1, 0.1))
        >>> transform(img).shape
        (4, 6, 3)
    """

    def __init__(
        self,
        degrees,
        translate=None,
        scale=None,
        shear=None,
        interpolation='nearest',
        fill=0,
        center=None,
        keys=None,
    ):
        super().__init__(keys)
        self.degrees = _angle_range(degrees, 'degrees')
        if translate is not None:
            if not isinstance(translate, (list, tuple)) or len(translate) != 2:
                raise TypeError(
                    f"[RandomAffine] expected translate to be two numbers, got {translate!r}"
                )
            if any(not 0.0 <= t <= 1.0 for t in translate):
                raise ValueError(f"[RandomAffine] expected translate from 0 to 1, got {translate}")
        if scale is not None:
            if not isinstance(scale, (list, tuple)) or len(scale) != 2:
                raise TypeError(f"[RandomAffine] expected scale to be two numbers, got {scale!r}")
            if any(s <= 0 for s in scale):
                raise ValueError(f"[RandomAffine] expected a positive scale, got {scale}")
        self.translate = translate
        self.scale = scale
        self.shear = None if shear is None else _angle_range(shear, 'shear')
        self.interpolation = interpolation
        self.fill = fill
        self.center = center

    def _get_param(self, img_size):
        angle = random.uniform(*self.degrees)
        move = (0, 0)
        if self.translate is not None:
            max_x, max_y = self.translate[0] * img_size[0], self.translate[1] * img_size[1]
            move = (int(random.uniform(-max_x, max_x)), int(random.uniform(-max_y, max_y)))
        scale = 1.0 if self.scale is None else random.uniform(*self.scale)
        shear = (0.0, 0.0)
        if self.shear is not None:
            first = random.uniform(self.shear[0], self.shear[1])
            shear = (
                first,
                random.uniform(self.shear[2], self.shear[3]) if len(self.shear) == 4 else 0.0,
            )
        return angle, move, scale, shear

    def _apply_image(self, img):
        angle, move, scale, shear = self._get_param(F.image_size(img))
        return F.affine(img, angle, move, scale, shear, self.interpolation, self.fill, self.center)


@shares(F.rotate)
class RandomRotation(BaseTransform):
    """Rotation by a random angle in [-degrees, degrees] or the given range.

    Args:
        degrees (float or tuple of floats): The largest angle, or the least and the largest.
        {interpolation, expand, center, fill}
        keys (list of strs, default None): What the elements of an input tuple are; None for
            (`image`,).

    Examples:
        >>> import numpy
        >>> img = numpy.array([[[1], [2]], [[3], [4]]], "uint8")
        >>> turn = paddle.vision.transforms.RandomRotation((90, 90), center=(0.5, 0.5))
        >>> turn(img).reshape([2, 2]).tolist()
        [[2, 4], [1, 3]]
    """

    def __init__(
        self, degrees, interpolation='nearest', expand=False, center=None, fill=0, keys=None
    ):
        self.degrees = _angle_range(degrees, 'degrees')
        super().__init__(keys)
        self.interpolation = interpolation
        self.expand = expand
        self.center = center
        self.fill = fill

    def _get_param(self, degrees):
        return random.uniform(degrees[0], degrees[1])

    def _apply_image(self, img):
        return F.rotate(
            img,
            self._get_param(self.degrees),
            self.interpolation,
            self.expand,
            self.center,
            self.fill,
        )


@shares(RandomRotation)
class RandomPerspective(BaseTransform):
    """A random change of perspective with probability `prob`.

    Args:
        prob (float, default 0.5): The probability.
        distortion_scale (float, default 0.5): How far corners may move, from 0 to 1.
        {interpolation, fill, keys}

    Examples:
        >>> import numpy
        >>> img = numpy.zeros([4, 6, 3], "uint8")
        >>> paddle.vision.transforms.RandomPerspective(1.0)(img).shape
        (4, 6, 3)
    """

    def __init__(self, prob=0.5, distortion_scale=0.5, interpolation='nearest', fill=0, keys=None):
        super().__init__(keys)
        if not 0 <= prob <= 1:
            raise AssertionError(f"[RandomPerspective] expected prob from 0 to 1, got {prob}")
        if not 0 <= distortion_scale <= 1:
            raise AssertionError(
                f"[RandomPerspective] expected distortion_scale from 0 to 1, got {distortion_scale}"
            )
        self.prob = prob
        self.distortion_scale = distortion_scale
        self.interpolation = interpolation
        self.fill = fill

    def get_params(self, width, height, distortion_scale):
        """Corners of the image and where they go."""
        half_h, half_w = height // 2, width // 2
        reach_w, reach_h = int(distortion_scale * half_w), int(distortion_scale * half_h)
        ends = [
            [int(random.uniform(0, reach_w + 1)), int(random.uniform(0, reach_h + 1))],
            [int(random.uniform(width - reach_w - 1, width)), int(random.uniform(0, reach_h + 1))],
            [
                int(random.uniform(width - reach_w - 1, width)),
                int(random.uniform(height - reach_h - 1, height)),
            ],
            [
                int(random.uniform(0, reach_w + 1)),
                int(random.uniform(height - reach_h - 1, height)),
            ],
        ]
        starts = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]
        return starts, ends

    def _apply_image(self, img):
        if random.random() >= self.prob:
            return img
        width, height = F.image_size(img)
        starts, ends = self.get_params(width, height, self.distortion_scale)
        return F.perspective(img, starts, ends, self.interpolation, self.fill)


class Grayscale(BaseTransform):
    """Black and white, in 1 or 3 equal channels.

    Args:
        num_output_channels (int, default 1): 1 or 3.
        keys (list of strs, default None): What the elements of an input tuple are; None for
            (`image`,).

    Examples:
        >>> import numpy
        >>> img = numpy.full([1, 2, 3], 100, "uint8")
        >>> paddle.vision.transforms.Grayscale()(img).flatten().tolist()
        [100, 100]
    """

    def __init__(self, num_output_channels=1, keys=None):
        super().__init__(keys)
        self.num_output_channels = num_output_channels

    def _apply_image(self, img):
        return F.to_grayscale(img, self.num_output_channels)


class RandomErasing(BaseTransform):
    """Erase a random box with probability `prob`; `value` is a number, one for each channel, or
    'random'.

    Args:
        prob (float, default 0.5): The probability.
        scale (tuple of floats, default (0.02, 0.33)): The least and the largest part of the area.
        ratio (tuple of floats, default (0.3, 3.3)): The least and the largest aspect ratio.
        value (float, list of floats or str, default 0): What stands there: a number, one for each
            channel, or `random`.
        inplace (bool, default False): Whether the image is written.
        keys (list of strs, default None): What the elements of an input tuple are; None for
            (`image`,).

    Source: Zhong et al., Random erasing data augmentation, 2017

    Examples:
        >>> img = paddle.ones([3, 8, 8])
        >>> out = paddle.vision.transforms.RandomErasing(prob=1.0)(img)
        >>> bool((out == 0.0).any())
        True
    """

    def __init__(
        self, prob=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False, keys=None
    ):
        super().__init__(keys)
        if not isinstance(scale, (tuple, list)) or not 0 <= scale[0] <= scale[1] <= 1:
            raise AssertionError(
                "[RandomErasing] expected scale to be two ascending numbers from 0 to 1, got "
                f"{scale!r}"
            )
        if not isinstance(ratio, (tuple, list)) or not 0 <= ratio[0] <= ratio[1]:
            raise AssertionError(
                f"[RandomErasing] expected ratio to be two ascending numbers, got {ratio!r}"
            )
        if not 0 <= prob <= 1:
            raise AssertionError(f"[RandomErasing] expected prob from 0 to 1, got {prob}")
        if not isinstance(value, (numbers.Number, str, tuple, list)):
            raise AssertionError(
                "[RandomErasing] expected value to be a number, a list, a tuple or 'random', got "
                f"{type(value).__name__}"
            )
        if isinstance(value, str) and value != 'random':
            raise ValueError(
                f"[RandomErasing] expected the string 'random' as value, got {value!r}"
            )
        self.prob = prob
        self.scale = scale
        self.ratio = ratio
        self.value = value
        self.inplace = inplace

    def _get_param(self, img):
        width, height = F.image_size(img)
        channels = (
            img.shape[-3] if isinstance(img, paddle.Tensor) else (np.asarray(img).shape + (1,))[2]
        )
        logs = np.log(np.array(self.ratio))
        for _ in range(10):
            target = np.random.uniform(*self.scale) * height * width
            aspect = np.exp(np.random.uniform(*logs))
            h, w = int(round(np.sqrt(target * aspect))), int(round(np.sqrt(target / aspect)))
            if not (h < height and w < width):
                continue
            value = self.value
            if value == 'random':
                value = (
                    paddle.normal(shape=[channels, h, w]).astype(img.dtype)
                    if isinstance(img, paddle.Tensor)
                    else np.random.normal(size=[h, w, channels]) * 255
                )
            elif isinstance(value, (list, tuple)):
                value = np.array(value)
                if isinstance(img, paddle.Tensor):
                    value = value.reshape(-1, 1, 1)
            if isinstance(img, paddle.Tensor) and isinstance(value, np.ndarray):
                value = (
                    paddle.to_tensor(value.astype('float32'))
                    .astype(img.dtype)
                    .expand([channels, h, w])
                )
            return (
                np.random.randint(0, height - h + 1),
                np.random.randint(0, width - w + 1),
                h,
                w,
                value,
            )
        return 0, 0, height, width, img

    def _apply_image(self, img):
        if random.random() >= self.prob:
            return img
        top, left, h, w, value = self._get_param(img)
        return F.erase(img, top, left, h, w, value, self.inplace)
