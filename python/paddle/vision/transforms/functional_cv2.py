# SPDX-License-Identifier: Apache-2.0
"""Transforms of arrays [H, W] or [H, W, C], with OpenCV's pixels and conventions: points are
indices of pixels, and colours are blue, green, red where their order matters.

OpenCV makes them where it is installed and takes the array; else NumPy does, which differs from it
by rounding: OpenCV interpolates with weights of a few bits.
"""

import functools
import importlib
import importlib.util

import numpy as np

from paddle.base import arguments


@functools.lru_cache(maxsize=None)
def _installed():
    return importlib.import_module('cv2') if importlib.util.find_spec('cv2') else None


def _opencv(img, interpolation):
    """OpenCV and its flag of `interpolation`, or (None, None) where NumPy has to do."""
    flag = {
        'nearest': 'INTER_NEAREST',
        'bilinear': 'INTER_LINEAR',
        'bicubic': 'INTER_CUBIC',
        'area': 'INTER_AREA',
        'lanczos': 'INTER_LANCZOS4',
    }.get(interpolation)
    taken = img.dtype in ('uint8', 'uint16', 'int16', 'float32', 'float64')
    if not taken or not flag or not img.size or img.ndim == 3 and img.shape[2] > 4:
        return None, None
    cv2 = _installed()
    return cv2, cv2 and getattr(cv2, flag)


def _made(function, img, target, *args, **kwargs):
    """What OpenCV's function of the image makes, with the axis of one channel that it drops."""
    try:
        out = function(img, *args, **kwargs)
    except _installed().error as error:
        raise ValueError(
            f'[{function.__name__}] expected a width and a height that OpenCV takes, got {target} '
            f'for an image of {list(img.shape)}'
        ) from error
    return out[:, :, None] if out.ndim < img.ndim else out


def _border(img, fill):
    """`fill` as a number for each channel."""
    fill = arguments.to_array('transforms', 'fill', fill, np.float64)
    return np.broadcast_to(fill, img.shape[2:] or (1,)).tolist()


def size(img):
    """(width, height)."""
    return img.shape[1], img.shape[0]


def to_array(pic):
    """An array [H, W, C] and whether its values are 0 to 255."""
    return pic[:, :, None] if pic.ndim == 2 else pic, pic.dtype == np.uint8


def _like(values, img):
    if img.dtype.kind in 'ui':
        info = np.iinfo(img.dtype)
        return np.clip(np.rint(values), info.min, info.max).astype(img.dtype)
    return values.astype(img.dtype)


def _cubic(t):
    a = -0.75
    t = np.abs(t)
    return np.where(
        t <= 1,
        ((a + 2) * t - (a + 3)) * t * t + 1,
        np.where(t < 2, ((a * t - 5 * a) * t + 8 * a) * t - 4 * a, 0.0),
    )


def _taps(length, target, interpolation):
    """Indices and weights [target, k] of a resize along one axis."""
    if interpolation == 'nearest':
        at = np.minimum((np.arange(target) * (length / target)).astype(int), length - 1)
        return at[:, None], np.ones((target, 1))
    scale = length / target
    if interpolation == 'area' and scale > 1:
        edges = np.arange(target + 1) * scale
        count = int(np.ceil(scale)) + 1
        base = np.floor(edges[:-1]).astype(int)
        at = base[:, None] + np.arange(count)
        weight = (
            np.clip(np.minimum(at + 1, edges[1:, None]) - np.maximum(at, edges[:-1, None]), 0, None)
            / scale
        )
        return np.minimum(at, length - 1), weight
    centre = (np.arange(target) + 0.5) * scale - 0.5
    low = np.floor(centre).astype(int)
    if interpolation in ('bilinear', 'area'):
        at = low[:, None] + np.arange(2)
        weight = 1 - np.abs(centre[:, None] - at)
    elif interpolation == 'bicubic':
        at = low[:, None] + np.arange(-1, 3)
        weight = _cubic(centre[:, None] - at)
    elif interpolation == 'lanczos':
        at = low[:, None] + np.arange(-3, 5)
        weight = _lanczos(centre[:, None] - at, 1)
    else:
        raise ValueError(f"[resize] expected the name of an interpolation, got {interpolation!r}")
    return np.clip(at, 0, length - 1), weight


def resize(img, target, interpolation):
    width, height = target
    cv2, flag = _opencv(img, interpolation)
    if cv2:
        return _made(cv2.resize, img, target, (width, height), interpolation=flag)
    work = img
    for axis, length in ((0, height), (1, width)):
        at, weight = _taps(work.shape[axis], length, interpolation)
        if at.shape[1] == 1:
            work = np.take(work, at[:, 0], axis=axis)
            continue
        shape = [1] * work.ndim
        shape[axis] = length
        work = sum(
            np.take(work, at[:, k], axis=axis).astype(np.float64) * weight[:, k].reshape(shape)
            for k in range(at.shape[1])
        )
    return work if work.dtype == img.dtype else _like(work, img)


def pad(img, padding, fill, padding_mode):
    left, top, right, bottom = padding
    widths = ((top, bottom), (left, right)) + ((0, 0),) * (img.ndim - 2)
    if padding_mode == 'constant':
        if not np.isscalar(fill) and img.ndim == 3:
            out = np.empty(
                (img.shape[0] + top + bottom, img.shape[1] + left + right, img.shape[2]), img.dtype
            )
            out[...] = np.asarray(fill, img.dtype)
            out[top : top + img.shape[0], left : left + img.shape[1]] = img
            return out
        value = fill if np.isscalar(fill) else fill[0]
        return np.pad(img, widths, 'constant', constant_values=value)
    return np.pad(img, widths, padding_mode)


def crop(img, top, left, height, width):
    return img[top : top + height, left : left + width]


def hflip(img):
    return np.ascontiguousarray(img[:, ::-1])


def vflip(img):
    return np.ascontiguousarray(img[::-1])


def _gray(img):
    return img[..., :3].astype(np.float64) @ np.array([0.299, 0.587, 0.114])


def _blend(img, other, factor):
    factor = float(factor)
    values = img.astype(np.float64) * factor + other * (1 - factor)
    if img.dtype == np.uint8:
        return np.clip(values, 0, 255).astype(np.uint8)
    return values.astype(img.dtype)


def adjust_brightness(img, factor):
    return _blend(img, 0.0, factor)


def adjust_contrast(img, factor):
    if img.dtype == np.uint8:  # about one gray for every image
        return np.clip((img.astype(np.float64) - 74) * float(factor) + 74, 0, 255).astype(np.uint8)
    gray = _gray(img) if img.ndim == 3 and img.shape[2] >= 3 else img.astype(np.float64)
    return _blend(img, float(gray.mean()), factor)


def adjust_saturation(img, factor):
    if img.ndim == 2 or img.shape[2] == 1:
        return img
    gray = _gray(img)[..., None]
    return _blend(img, np.rint(gray) if img.dtype == np.uint8 else gray, factor)


def adjust_hue(img, factor):
    if img.ndim == 2 or img.shape[2] == 1:
        return img
    cv2 = _installed()
    if cv2 and img.dtype == np.uint8 and img.shape[2] == 3:
        hsv = cv2.cvtColor(img, cv2.COLOR_BGR2HSV_FULL)
        hsv[..., 0] += np.uint8(int(factor * 255) % 256)
        return cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR_FULL)
    scale = 255.0 if img.dtype.kind in 'ui' else 1.0
    rgb = img[..., 2::-1].astype(np.float64) / scale
    top, low = rgb.max(axis=-1), rgb.min(axis=-1)
    span = top - low
    safe = np.where(span == 0, 1.0, span)
    r, g, b = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    hue = (
        np.where(
            top == r, (g - b) / safe % 6, np.where(top == g, (b - r) / safe + 2, (r - g) / safe + 4)
        )
        / 6
    )
    hue = np.where(span == 0, 0.0, hue)
    hue = (hue + factor) % 1.0
    saturation = np.where(top == 0, 0.0, span / np.where(top == 0, 1.0, top))
    sector = (hue * 6)[..., None] + np.array([5.0, 3.0, 1.0])
    k = sector % 6
    out = top[..., None] * (1 - saturation[..., None] * np.clip(np.minimum(k, 4 - k), 0, 1))
    out = out[..., ::-1]
    if img.shape[2] > 3:
        out = np.concatenate([out, img[..., 3:] / scale], axis=-1)
    return _like(out * scale, img)


_REACH = {'bilinear': 2, 'area': 2, 'bicubic': 4, 'lanczos': 8}  # pixels along an axis


def _shares(past, first, interpolation):
    """The weights of the pixels from `first` on, for points so far behind pixel 0."""
    reach = _REACH[interpolation]
    far = np.stack([past - k for k in range(first, first + reach)])
    if reach == 2:
        return 1 - np.abs(far)
    if reach == 4:
        return _cubic(far)
    return _lanczos(far, 0)


def _lanczos(far, axis):
    weight = np.sinc(far) * np.sinc(far / 4) * (np.abs(far) < 4)
    return weight / weight.sum(axis=axis, keepdims=True)


def _sample(img, x, y, interpolation, fill):
    """Values of `img` at the points (x, y); outside it, `fill`."""
    height, width = img.shape[:2]
    fill = np.broadcast_to(
        arguments.to_array('transforms', 'fill', fill, np.float64), img.shape[2:]
    )
    if interpolation == 'nearest':
        xi, yi = np.floor(x + 0.5).astype(int), np.floor(y + 0.5).astype(int)
        inside = (xi >= 0) & (xi < width) & (yi >= 0) & (yi < height)
        values = img[np.clip(yi, 0, height - 1), np.clip(xi, 0, width - 1)]
        mask = inside if img.ndim == 2 else inside[..., None]
        return np.where(mask, values, _like(fill, img))
    if interpolation not in _REACH:
        raise ValueError(
            f"[transform] expected interpolation 'nearest', {', '.join(map(repr, _REACH))}, got "
            f"{interpolation!r}"
        )
    first, reach = 1 - _REACH[interpolation] // 2, _REACH[interpolation]
    x0, y0 = np.floor(x).astype(int), np.floor(y).astype(int)
    of_x, of_y = (_shares(at - np.floor(at), first, interpolation) for at in (x, y))
    out = 0.0
    for i in range(reach):
        for j in range(reach):
            xi, yi = x0 + first + i, y0 + first + j
            weight = of_x[i] * of_y[j]
            inside = (xi >= 0) & (xi < width) & (yi >= 0) & (yi < height)
            values = img[np.clip(yi, 0, height - 1), np.clip(xi, 0, width - 1)].astype(np.float64)
            if img.ndim == 3:
                weight, inside = weight[..., None], inside[..., None]
            out = out + weight * np.where(inside, values, fill)
    return _like(out, img)


def _grid(width, height):
    return np.meshgrid(np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64))


def affine(img, matrix, interpolation, fill):
    a, b, c, d, e, f = matrix
    # From points of the image, whose pixels have their centres at halves, to indices.
    matrix = [[a, b, c + (a + b - 1) / 2], [d, e, f + (d + e - 1) / 2]]
    return _warped(img, np.array(matrix), (img.shape[1], img.shape[0]), interpolation, fill)


def _warped(img, matrix, target, interpolation, fill):
    """The image of `target` (width, height) whose pixel (x, y) comes from matrix @ (x, y, 1)."""
    cv2, flag = _opencv(img, interpolation)
    if cv2:
        flag |= cv2.WARP_INVERSE_MAP
        border = _border(img, fill)
        return _made(cv2.warpAffine, img, target, matrix, target, flags=flag, borderValue=border)
    x, y = _grid(*target)
    (a, b, c), (d, e, f) = matrix
    return _sample(img, a * x + b * y + c, d * x + e * y + f, interpolation, fill)


def rotate(img, angle, interpolation, expand, center, fill):
    height, width = img.shape[:2]
    cx, cy = (width / 2.0, height / 2.0) if center is None else center
    turn = np.deg2rad(float(angle))
    cos, sin = np.cos(turn), np.sin(turn)
    new_w, new_h = width, height
    if expand:
        corners = [(x - cx, y - cy) for x, y in ((0, 0), (width, 0), (width, height), (0, height))]
        xs = [round(cos, 15) * x - round(sin, 15) * y + cx for x, y in corners]
        ys = [round(sin, 15) * x + round(cos, 15) * y + cy for x, y in corners]
        new_w = int(np.ceil(max(xs)) - np.floor(min(xs)))
        new_h = int(np.ceil(max(ys)) - np.floor(min(ys)))
    px, py = cx + (new_w - width) / 2.0, cy + (new_h - height) / 2.0
    matrix = [[cos, -sin, cx - cos * px + sin * py], [sin, cos, cy - sin * px - cos * py]]
    return _warped(img, np.array(matrix), (new_w, new_h), interpolation, fill)


def perspective(img, coeffs, interpolation, fill):
    cv2, flag = _opencv(img, interpolation)
    if cv2:
        matrix = np.array([*coeffs, 1.0]).reshape(3, 3)
        target = img.shape[1], img.shape[0]
        flag |= cv2.WARP_INVERSE_MAP
        border = _border(img, fill)
        return _made(
            cv2.warpPerspective, img, target, matrix, target, flags=flag, borderValue=border
        )
    x, y = _grid(img.shape[1], img.shape[0])
    a, b, c, d, e, f, g, h = coeffs
    below = g * x + h * y + 1
    return _sample(
        img, (a * x + b * y + c) / below, (d * x + e * y + f) / below, interpolation, fill
    )


def to_grayscale(img, num_output_channels):
    gray = (
        _like(_gray(img), img)
        if img.ndim == 3 and img.shape[2] >= 3
        else img.reshape(img.shape[:2])
    )
    return np.repeat(gray[..., None], num_output_channels, axis=-1)


def erase(img, i, j, h, w, v):
    out = img.copy()
    out[i : i + h, j : j + w, ...] = v
    return out
