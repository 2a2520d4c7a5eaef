# SPDX-License-Identifier: Apache-2.0
"""Pictures as arrays of rows, columns and channels (blue, green, red), by OpenCV."""

import numpy as np

from paddle.utils import try_import

__all__ = []


def load_image_bytes(bytes, is_color=True):
    """The picture in the bytes of a file."""
    return try_import('cv2').imdecode(np.frombuffer(bytes, 'uint8'), int(is_color))


def load_image(file, is_color=True):
    """The picture in a file."""
    return try_import('cv2').imread(file, int(is_color))


def resize_short(im, size):
    """Scaled so that the shorter side has `size` pixels."""
    height, width = im.shape[:2]
    if height > width:
        shape = (size, size * height // width)
    else:
        shape = (size * width // height, size)
    cv2 = try_import('cv2')
    return cv2.resize(im, shape, interpolation=cv2.INTER_CUBIC)


def to_chw(im, order=(2, 0, 1)):
    """The axes in this order: that of channels first."""
    if len(im.shape) != len(order):
        raise AssertionError(f'[to_chw] expected an array of {len(order)} axes, got {im.ndim}')
    return im.transpose(order)


def _cut(im, size, top, left):
    return im[top : top + size, left : left + size]


def center_crop(im, size, is_color=True):
    """The square of `size` pixels in the middle."""
    return _cut(im, size, (im.shape[0] - size) // 2, (im.shape[1] - size) // 2)


def random_crop(im, size, is_color=True):
    """A square of `size` pixels anywhere, by NumPy's generator."""
    top = np.random.randint(0, im.shape[0] - size + 1)
    return _cut(im, size, top, np.random.randint(0, im.shape[1] - size + 1))


def left_right_flip(im, is_color=True):
    """Mirrored."""
    return im[:, ::-1]


def simple_transform(im, resize_size, crop_size, is_train, is_color=True, mean=None):
    """Scaled, cropped and, to train, mirrored half of the time; float32 less `mean`, one number a
    channel or an array, with the axis of channels first.
    """
    im = resize_short(im, resize_size)
    if is_train:
        im = random_crop(im, crop_size)
        if np.random.randint(2) == 0:
            im = left_right_flip(im)
    else:
        im = center_crop(im, crop_size)
    if im.ndim == 3:
        im = to_chw(im)
    im = im.astype('float32')
    if mean is not None:
        mean = np.array(mean, 'float32')
        im -= mean[:, None, None] if mean.ndim == 1 and is_color else mean
    return im


def load_and_transform(filename, resize_size, crop_size, is_train, is_color=True, mean=None):
    """`simple_transform` of the picture in a file."""
    im = load_image(filename, is_color)
    return simple_transform(im, resize_size, crop_size, is_train, is_color, mean)
