# SPDX-License-Identifier: Apache-2.0
"""Sampling at arbitrary positions by gathering, and the grids it takes."""
import math

import numpy as np

import paddle


def _line(size, align_corners):
    if align_corners:
        return np.linspace(-1, 1, size) if size > 1 else np.zeros(1)
    return (np.arange(size) * 2 + 1) / size - 1


def affine_grid(theta, output_shape, align_corners=True):
    spatial = [int(s) for s in output_shape[2:]]
    axes = np.meshgrid(*(_line(s, align_corners) for s in spatial), indexing="ij")
    base = np.stack([*axes[::-1], np.ones(spatial)], -1).reshape(-1, len(spatial) + 1).astype("float32")
    grid = paddle.matmul(paddle.cast(paddle.to_tensor(base), theta.dtype), paddle.transpose(theta, [0, 2, 1]))
    return paddle.reshape(grid, [theta.shape[0], *spatial, len(spatial)])


def _reflect(p, low, high):
    """p mirrored into [low, high], differentiable almost everywhere."""
    span = float(high - low)
    if span <= 0:
        return p * 0.0
    distance = paddle.abs(p - low)
    turns = paddle.floor(distance / span)
    extra = distance - turns * span
    even = paddle.cast((turns - 2.0 * paddle.floor(turns / 2.0)) == 0, p.dtype)
    return even * (extra + low) + (1.0 - even) * (high - extra)


def _pixel(coordinate, size, padding_mode, align_corners):
    p = (coordinate + 1.0) * ((size - 1) / 2.0) if align_corners else ((coordinate + 1.0) * size - 1.0) / 2.0
    if padding_mode == "reflection":
        p = _reflect(p, 0.0, size - 1.0) if align_corners else _reflect(p, -0.5, size - 0.5)
    return paddle.clip(p, 0.0, size - 1.0) if padding_mode != "zeros" else p


def grid_sample(x, grid, mode="bilinear", padding_mode="zeros", align_corners=True):
    sizes = list(x.shape[2:])
    n, c, dims = x.shape[0], x.shape[1], len(sizes)
    if grid.ndim != x.ndim or grid.shape[-1] != dims:
        raise ValueError(f"[grid_sample] expected a grid [N, ..., {dims}] for x {list(x.shape)}, got "
                         f"{list(grid.shape)}")
    pixels = [_pixel(grid[..., dims - 1 - i], size, padding_mode, align_corners) for i, size in enumerate(sizes)]
    if mode == "nearest":
        corners = [([_round_half_even(p) for p in pixels], None)]
    else:
        lows = [paddle.floor(p.detach()) for p in pixels]
        corners = []
        for bits in range(2 ** dims):
            at, weight = [], None
            for i in range(dims):
                up = (bits >> i) & 1
                part = pixels[i] - lows[i] if up else lows[i] + 1.0 - pixels[i]
                at.append(lows[i] + float(up))
                weight = part if weight is None else weight * part
            corners.append((at, weight))
    flat = paddle.reshape(x, [n, c, -1])
    shape = list(grid.shape[1:-1])
    out = None
    for at, weight in corners:
        index, inside = None, None
        for position, size in zip(at, sizes):
            ok = paddle.logical_and(position >= 0, position <= size - 1)
            step = paddle.cast(paddle.clip(position, 0.0, size - 1.0), "int64")
            index = step if index is None else index * size + step
            inside = ok if inside is None else paddle.logical_and(inside, ok)
        index = paddle.expand(paddle.reshape(index, [n, 1, -1]), [n, c, math.prod(shape)])
        value = paddle.reshape(paddle.take_along_axis(flat, index, 2, broadcast=False), [n, c, *shape])
        factor = paddle.cast(inside, x.dtype)
        factor = factor if weight is None else factor * weight
        value = value * paddle.unsqueeze(factor, 1)
        out = value if out is None else out + value
    return out


def _round_half_even(p):
    return paddle.round(p.detach())
