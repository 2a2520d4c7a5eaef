# SPDX-License-Identifier: Apache-2.0
"""Transforms of tensors [C, H, W] or [N, C, H, W], made of operations: gradients pass them, and
programs record them. Integers go through float32.
"""

import math

import numpy as np

import paddle
from paddle.nn import functional as nn

_GRAY = (0.2989, 0.587, 0.114)
_RANGES = {'paddle.uint8': (0, 255), 'paddle.int8': (-128, 127), 'paddle.int16': (-32768, 32767)}


def size(img):
    """(width, height)."""
    return img.shape[-1], img.shape[-2]


def _is_float(img):
    return img.dtype in (paddle.float16, paddle.bfloat16, paddle.float32, paddle.float64)


def _as_float(img):
    return img if _is_float(img) else img.astype('float32')


def _highest(img):
    """What white is."""
    return 1.0 if _is_float(img) else 255.0


def _rounded(values, img):
    """`values` in the dtype of img."""
    if _is_float(img):
        return values.astype(img.dtype)
    if str(img.dtype) in _RANGES:
        values = values.clip(*_RANGES[str(img.dtype)])
    return values.round().astype(img.dtype)


def resize(img, target, interpolation):
    width, height = target
    batch = img if img.ndim == 4 else img.unsqueeze(0)
    if not _is_float(img) and interpolation not in ('nearest', 'bilinear'):
        batch = batch.astype('float32')
    out = nn.interpolate(batch, size=[height, width], mode=interpolation)
    out = out if out.dtype == img.dtype else _rounded(out, img)
    return out if img.ndim == 4 else out.squeeze(0)


def pad(img, padding, fill, padding_mode):
    left, top, right, bottom = padding
    if padding_mode == 'constant':
        return _padded(img, padding, fill)
    mode = {'edge': 'edge', 'reflect': 'reflect', 'symmetric': 'symmetric'}[padding_mode]
    for axis, sides in ((-2, (top, bottom)), (-1, (left, right))):
        at = np.pad(np.arange(img.shape[axis]), sides, mode)
        img = paddle.index_select(img, paddle.to_tensor(at), axis=img.ndim + axis)
    return img


def _padded(img, padding, fill):
    left, top, right, bottom = padding
    sides = [0, 0] * (img.ndim - 2) + [top, bottom, left, right]
    if not isinstance(fill, (list, tuple)):
        return nn.pad(img, sides, 'constant', fill, pad_from_left_axis=True)
    # Each channel has its own number.
    fill = paddle.to_tensor(list(fill), dtype=img.dtype).reshape([-1, 1, 1])
    edge = nn.pad(paddle.zeros_like(img), sides, 'constant', 1, pad_from_left_axis=True)
    padded = nn.pad(img, sides, 'constant', 0, pad_from_left_axis=True)
    return paddle.where(edge == 1, fill.expand_as(padded), padded)


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


def _gray(img):
    """[..., 1, H, W] in floating point."""
    values = _as_float(img)
    if values.shape[-3] < 3:
        return values[..., :1, :, :]
    red, green, blue = (values[..., k : k + 1, :, :] for k in range(3))
    return red * _GRAY[0] + green * _GRAY[1] + blue * _GRAY[2]


def to_grayscale(img, num_output_channels):
    gray = _rounded(_gray(img), img)
    return paddle.concat([gray] * num_output_channels, axis=-3)


def _blend(img, other, factor):
    values = _as_float(img) * float(factor) + other * (1 - float(factor))
    values = values.clip(0.0, _highest(img))
    return values if _is_float(img) else values.astype(img.dtype)


def adjust_brightness(img, factor):
    return _blend(img, 0.0, factor)


def adjust_contrast(img, factor):
    return _blend(img, _gray(img).mean([-3, -2, -1], keepdim=True), factor)


def adjust_saturation(img, factor):
    return img if img.shape[-3] < 3 else _blend(img, _gray(img), factor)


def adjust_hue(img, factor):
    if img.shape[-3] < 3:
        return img
    rgb = _as_float(img)[..., :3, :, :] / _highest(img)
    top, low = rgb.max(-3, keepdim=True), rgb.min(-3, keepdim=True)
    span = top - low
    one = paddle.ones_like(span)
    safe = paddle.where(span == 0, one, span)
    r, g, b = (rgb[..., k : k + 1, :, :] for k in range(3))
    hue = paddle.where(
        top == r, (g - b) / safe, paddle.where(top == g, (b - r) / safe + 2, (r - g) / safe + 4)
    )
    hue = (hue / 6 + factor) % 1.0
    saturation = span / paddle.where(top == 0, one, top)
    k = (hue * 6 + paddle.to_tensor([5.0, 3.0, 1.0], dtype=hue.dtype).reshape([-1, 1, 1])) % 6
    out = top * (1 - saturation * paddle.minimum(k, 4 - k).clip(0.0, 1.0))
    out = (out * _highest(img)).astype(img.dtype)
    rest = img[..., 3:, :, :]
    return paddle.concat([out, rest], axis=-3) if rest.shape[-3] else out


def _points(width, height):
    """x and y of the centres of the pixels of an image, from its middle."""
    return np.meshgrid(np.arange(width) - (width - 1) / 2, np.arange(height) - (height - 1) / 2)


def _sampled(img, grid, interpolation, fill):
    """`img` at `grid` [H, W, 2], from its middle, -1 to 1. Where the grid leaves the image, `fill`,
    which blends with it where interpolation does.
    """
    batch = img if img.ndim == 4 else img.unsqueeze(0)
    if img.dtype != paddle.float64:  # half numbers do not tell points apart
        batch = batch.astype('float32')
    grid = paddle.to_tensor(grid.astype('float32')).astype(batch.dtype)
    grid = grid.unsqueeze(0).expand([batch.shape[0], -1, -1, -1])
    inside = paddle.ones_like(batch[:, :1])
    out = nn.grid_sample(
        paddle.concat([batch, inside], 1), grid, interpolation, 'zeros', align_corners=False
    )
    out, inside = out[:, :-1], out[:, -1:]
    fill = list(fill) if isinstance(fill, (list, tuple)) else [fill]
    fill = paddle.to_tensor([float(v) for v in fill], dtype=batch.dtype).reshape([-1, 1, 1])
    if interpolation == 'nearest':
        out = paddle.where(inside < 0.5, fill.expand_as(out), out)
    else:
        out = out * inside + fill * (1 - inside)
    out = _rounded(out, img)
    return out if img.ndim == 4 else out.squeeze(0)


def _turned(img, theta, target, interpolation, fill):
    """The image of `target` (width, height) whose points come from theta @ (x, y, 1)."""
    width, height = size(img)
    x, y = _points(*target)
    (a, b, c), (d, e, f) = theta
    x, y = a * x + b * y + c, d * x + e * y + f
    return _sampled(img, np.stack([2 * x / width, 2 * y / height], -1), interpolation, fill)


def affine(img, matrix, interpolation, fill):
    width, height = size(img)
    a, b, c, d, e, f = matrix
    x, y = width / 2, height / 2
    theta = [[a, b, a * x + b * y + c - x], [d, e, d * x + e * y + f - y]]
    return _turned(img, theta, (width, height), interpolation, fill)


def rotate(img, angle, interpolation, expand, center, fill):
    width, height = size(img)
    x, y = (0.0, 0.0) if center is None else (center[0] - width / 2, center[1] - height / 2)
    turn = math.radians(float(angle))
    cos, sin = math.cos(turn), math.sin(turn)
    theta = [[cos, -sin, x - cos * x + sin * y], [sin, cos, y - sin * x - cos * y]]
    target = width, height
    if expand:  # the least image about the same middle that holds the turned corners
        corners = [(w / 2, h / 2) for w in (-width, width) for h in (-height, height)]
        target = []
        for a, b, c in theta:
            ends = [math.trunc((a * x + b * y + c) * 1e4) * 1e-4 for x, y in corners]
            target.append(math.ceil(max(ends)) - math.floor(min(ends)))
    return _turned(img, theta, target, interpolation, fill)


def perspective(img, coeffs, interpolation, fill):
    width, height = size(img)
    a, b, c, d, e, f, g, h = coeffs
    x, y = _points(width, height)
    x, y = x + width / 2, y + height / 2
    below = g * x + h * y + 1
    x, y = (a * x + b * y + c) / below, (d * x + e * y + f) / below
    grid = np.stack([2 * x / width - 1, 2 * y / height - 1], -1)
    return _sampled(img, grid, interpolation, fill)
