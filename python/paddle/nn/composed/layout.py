# SPDX-License-Identifier: Apache-2.0
"""Rearrangements from reshape, transpose and indexing; sliding blocks from convolutions with unit kernels."""
import numpy as np

import paddle
from .._core import ops as _C_ops


def pixel_shuffle(x, upscale_factor=1, data_format="NCHW"):
    r = upscale_factor
    if data_format == "NHWC":
        n, h, w, c = x.shape
        _divides(c, r * r, "pixel_shuffle")
        x = paddle.transpose(paddle.reshape(x, [n, h, w, c // (r * r), r, r]), [0, 1, 4, 2, 5, 3])
        return paddle.reshape(x, [n, h * r, w * r, c // (r * r)])
    n, c, h, w = x.shape
    _divides(c, r * r, "pixel_shuffle")
    x = paddle.transpose(paddle.reshape(x, [n, c // (r * r), r, r, h, w]), [0, 1, 4, 2, 5, 3])
    return paddle.reshape(x, [n, c // (r * r), h * r, w * r])


def pixel_unshuffle(x, downscale_factor=1, data_format="NCHW"):
    r = downscale_factor
    if data_format == "NHWC":
        n, h, w, c = x.shape
        _divides(h, r, "pixel_unshuffle")
        _divides(w, r, "pixel_unshuffle")
        x = paddle.transpose(paddle.reshape(x, [n, h // r, r, w // r, r, c]), [0, 1, 3, 5, 2, 4])
        return paddle.reshape(x, [n, h // r, w // r, c * r * r])
    n, c, h, w = x.shape
    _divides(h, r, "pixel_unshuffle")
    _divides(w, r, "pixel_unshuffle")
    x = paddle.transpose(paddle.reshape(x, [n, c, h // r, r, w // r, r]), [0, 1, 3, 5, 2, 4])
    return paddle.reshape(x, [n, c * r * r, h // r, w // r])


def _divides(total, part, op):
    if total % part:
        raise ValueError(f"[{op}] expected a size divisible by {part}, got {total}")


def channel_shuffle(x, groups, data_format="NCHW"):
    shape = list(x.shape)
    axis = 3 if data_format == "NHWC" else 1
    _divides(shape[axis], groups, "channel_shuffle")
    split = shape[:axis] + [groups, shape[axis] // groups] + shape[axis + 1:]
    order = list(range(len(split)))
    order[axis], order[axis + 1] = axis + 1, axis
    return paddle.reshape(paddle.transpose(paddle.reshape(x, split), order), shape)


def temporal_shift(x, seg_num, shift_ratio=0.25, data_format="NCHW"):
    if data_format == "NHWC":
        return paddle.transpose(temporal_shift(paddle.transpose(x, [0, 3, 1, 2]), seg_num, shift_ratio), [0, 2, 3, 1])
    nt, c, h, w = x.shape
    _divides(nt, seg_num, "temporal_shift")
    x = paddle.reshape(x, [nt // seg_num, seg_num, c, h, w])
    first, second = int(c * shift_ratio), int(c * 2 * shift_ratio)
    past, coming, rest = x[:, :, :first], x[:, :, first:second], x[:, :, second:]
    past = paddle.concat([paddle.zeros_like(past[:, :1]), past[:, :-1]], axis=1)
    coming = paddle.concat([coming[:, 1:], paddle.zeros_like(coming[:, :1])], axis=1)
    return paddle.reshape(paddle.concat([past, coming, rest], axis=2), [nt, c, h, w])


def _constant_axis(x, axis, low, high, value):
    """x with `low` and `high` constant slices added (or, if negative, removed) along axis."""
    size = x.shape[axis]
    if low < 0 or high < 0:
        x = paddle.slice(x, [axis], [max(-low, 0)], [size - max(-high, 0)])
    parts = [x]
    for count, at in ((low, 0), (high, len(parts))):
        if count > 0:
            shape = list(x.shape)
            shape[axis] = count
            parts.insert(0 if at == 0 else len(parts), paddle.full(shape, value, dtype=x.dtype))
    return parts[0] if len(parts) == 1 else paddle.concat(parts, axis=axis)


def pad(x, paddings, pad_value=0.0):
    for axis in range(x.ndim):
        low, high = paddings[2 * axis], paddings[2 * axis + 1]
        if low or high:
            x = _constant_axis(x, axis, low, high, pad_value)
    return x


def _source(size, low, high, mode):
    """For each padded position the index it is copied from."""
    position = np.arange(-low, size + high)
    if mode == "replicate":
        return np.clip(position, 0, size - 1)
    if mode == "circular":
        return position % size
    if low >= size or high >= size:
        raise ValueError(f"[pad3d] expected reflect pads smaller than the size {size}, got {low} and {high}")
    position = np.abs(position)
    return np.where(position >= size, 2 * (size - 1) - position, position)


def pad3d(x, paddings, mode="constant", pad_value=0.0, data_format="NCDHW"):
    first = 1 if data_format == "NDHWC" else 2
    for i, axis in enumerate((first + 2, first + 1, first)):
        low, high = int(paddings[2 * i]), int(paddings[2 * i + 1])
        if not (low or high):
            continue
        if mode == "constant":
            x = _constant_axis(x, axis, low, high, pad_value)
        else:
            index = _source(x.shape[axis], low, high, mode).astype("int64")
            x = paddle.index_select(x, paddle.to_tensor(index), axis)
    return x


def _unit_kernels(channels, kernel, dtype):
    """[channels * kh * kw, 1, kh, kw]: kernel number (c, i, j) picks position (i, j)."""
    size = kernel[0] * kernel[1]
    eye = np.eye(size, dtype="float32").reshape(size, 1, *kernel)
    return paddle.cast(paddle.to_tensor(np.tile(eye, (channels, 1, 1, 1))), dtype)


def _edges(paddings):
    top, left, bottom, right = [int(p) for p in paddings]
    return [top, bottom, left, right]


def unfold(x, kernel_sizes, strides, paddings, dilations):
    n, c = x.shape[:2]
    out = _C_ops.conv2d(x, _unit_kernels(c, kernel_sizes, x.dtype), list(strides), _edges(paddings), "EXPLICIT",
                        list(dilations), c, "NCHW")
    return paddle.reshape(out, [n, out.shape[1], -1])


def fold(x, output_sizes, kernel_sizes, strides, paddings, dilations):
    n, rows, blocks = x.shape
    area = kernel_sizes[0] * kernel_sizes[1]
    _divides(rows, area, "fold")
    top, bottom, left, right = _edges(paddings)
    grid = [(o + p - d * (k - 1) - 1) // s + 1 for o, p, d, k, s in zip(
        output_sizes, (top + bottom, left + right), dilations, kernel_sizes, strides)]
    if grid[0] * grid[1] != blocks:
        raise ValueError(f"[fold] expected {grid[0] * grid[1]} blocks, got {blocks}")
    channels = rows // area
    full = [output_sizes[0] + top + bottom, output_sizes[1] + left + right]
    reached = [(g - 1) * s + d * (k - 1) + 1 for g, s, d, k in zip(grid, strides, dilations, kernel_sizes)]
    out = _C_ops.conv2d_transpose(paddle.reshape(x, [n, rows, *grid]), _unit_kernels(channels, kernel_sizes, x.dtype),
                                  list(strides), [0, 0], [], [], "EXPLICIT", channels, list(dilations), "NCHW")
    out = pad(out, [0, 0, 0, 0, -top, full[0] - reached[0] - bottom, -left, full[1] - reached[1] - right])
    return out


def bilinear(x, y, weight, bias=None):
    product = paddle.matmul(paddle.unsqueeze(x, 0), weight) * paddle.unsqueeze(y, 0)
    out = paddle.transpose(paddle.sum(product, axis=2), [1, 0])
    return out if bias is None else out + bias


def gather_tree(ids, parents):
    steps = ids.shape[0]
    beams = paddle.expand(paddle.reshape(paddle.arange(0, ids.shape[2], dtype=parents.dtype), [1, -1]), ids.shape[1:])
    out = [None] * steps
    for t in range(steps - 1, -1, -1):
        out[t] = paddle.take_along_axis(ids[t], beams, 1)
        beams = paddle.take_along_axis(parents[t], beams, 1)
    return paddle.stack(out, axis=0)
