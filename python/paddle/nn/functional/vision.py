# SPDX-License-Identifier: Apache-2.0
"""Resampling, padding and rearranging of images and volumes."""

import math

import numpy as np

import paddle
from paddle import _C_ops
from paddle.base.arguments import as_float, integer, items, second_names
from paddle.base.documentation import shares
from paddle.base.framework import Tensor, is_recorded, number
from paddle.base.libpaddle import expect_tensors
from paddle.utils.deprecated import deprecated

from . import _parse
from ._texts import RESIZED

__all__ = [
    "interpolate",
    "upsample",
    "pad",
    "zeropad2d",
    "pixel_shuffle",
    "pixel_unshuffle",
    "channel_shuffle",
    "affine_grid",
    "grid_sample",
]

_RANK = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}
_FORMATS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def _scalars(value):
    if isinstance(value, Tensor) and value.ndim == 1:
        value = list(value) if is_recorded(value) else value.tolist()
    if isinstance(value, (list, tuple)):
        return [number(v) for v in value]
    return number(value)


def _int(value):
    return value if is_recorded(value) else int(value)


def _check_resizing(x, n, size, scale_factor, mode, recompute_scale_factor, antialias):
    """Refuse a size or a mode that x, with n axes of space, does not have."""
    if mode not in (*_RANK, "area", "nearest"):
        raise ValueError(
            "[interpolate] expected mode 'area', 'linear', 'bilinear', 'trilinear', 'bicubic' or "
            f"'nearest', got {mode!r}"
        )
    if size is None and scale_factor is None:
        raise ValueError("[interpolate] expected size or scale_factor, got neither")
    if size is not None and scale_factor is not None:
        raise ValueError("[interpolate] expected one of size and scale_factor, got both")
    if size is not None and recompute_scale_factor and mode != "area":
        raise ValueError(
            "[interpolate] expected recompute_scale_factor with scale_factor alone, got it with "
            "size"
        )
    if antialias and mode not in ("bilinear", "bicubic"):
        raise ValueError(
            f"[interpolate] expected mode 'bilinear' or 'bicubic' with antialias, got {mode!r}"
        )
    if n not in (1, 2, 3):
        raise ValueError(f"[interpolate] expected a 3-D, 4-D or 5-D x, got shape {list(x.shape)}")
    if mode in _RANK and _RANK[mode] != n:
        raise ValueError(
            f"[interpolate] expected x of {_RANK[mode] + 2} axes for mode {mode!r}, got shape "
            f"{list(x.shape)}"
        )


def _check_places(x, n, mode, align_corners, align_mode, data_format):
    """Refuse places of elements, or of channels, that the mode or x does not have."""
    if not isinstance(align_corners, bool):
        raise TypeError(
            f"[interpolate] expected align_corners True or False, got {align_corners!r}"
        )
    if align_mode not in (0, 1):
        raise ValueError(f"[interpolate] expected align_mode 0 or 1, got {align_mode!r}")
    if align_corners and mode == "nearest":
        raise ValueError(
            f"[interpolate] expected align_corners=False for mode 'nearest', got {align_corners!r}"
        )
    if data_format not in _FORMATS[n] and not (n == 1 and data_format in ("NCL", "NLC")):
        raise ValueError(
            f"[interpolate] expected a data_format of {n + 2} letters, got {data_format!r} for "
            f"shape {list(x.shape)}"
        )


def _extents(x, n, spatial, size, scale_factor, recompute_scale_factor):
    """(the extents of the result, factors or []) of the n axes of space."""
    size, scale_factor = _scalars(size), _scalars(scale_factor)
    scales = []
    if size is not None:
        sizes = [_int(v) for v in (size if isinstance(size, (list, tuple)) else [size] * n)]
        if len(sizes) != n:
            raise ValueError(
                f"[interpolate] expected {n} sizes for shape {list(x.shape)}, got {len(sizes)}"
            )
    else:
        scales = [
            as_float("interpolate", "scale_factor", v)
            for v in (
                scale_factor if isinstance(scale_factor, (list, tuple)) else [scale_factor] * n
            )
        ]
        if len(scales) == 1:
            scales = scales * n
        if len(scales) != n:
            raise ValueError(
                f"[interpolate] expected {n} scale factors for shape {list(x.shape)}, got "
                f"{len(scales)}"
            )
        if any(s <= 0 for s in scales):
            raise ValueError(f"[interpolate] expected positive scale factors, got {scales}")
        if any(not d * s < 2**31 for d, s in zip(spatial, scales)):
            raise ValueError(
                f"[interpolate] expected output sizes below 2^31, got scales {scales} for extents "
                f"{spatial}"
            )
        sizes = [int(math.floor(d * s)) if d >= 0 else -1 for d, s in zip(spatial, scales)]
        if recompute_scale_factor:
            scales = []
    return sizes, scales


@second_names(input='x')
@shares(RESIZED)
def interpolate(
    x,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=False,
    align_mode=0,
    data_format=None,
    recompute_scale_factor=None,
    antialias=False,
    name=None,
):
    """Resize the spatial dimensions of a 3-D, 4-D or 5-D batch to `size` or by `scale_factor`.

    Args:
        x (Tensor): Values of shape [N, C, L], [N, C, H, W] or [N, C, D, H, W]. Also `input`.
        {size, scale_factor, mode, align_corners, align_mode, data_format, recompute_scale_factor}
        {antialias, name}

    Returns:
        Tensor: x with other spatial extents.

    Examples:
        >>> x = paddle.to_tensor([[[[1.0, 3.0]]]])
        >>> paddle.nn.functional.interpolate(x, size=[1, 4]).tolist()
        [[[[1.0, 1.0, 3.0, 3.0]]]]
        >>> f = paddle.nn.functional.interpolate
        >>> f(x, [1, 3], mode="bilinear", align_corners=True).tolist()
        [[[[1.0, 2.0, 3.0]]]]
    """
    expect_tensors("interpolate", x=x)
    mode = mode.lower()
    n = len(x.shape) - 2
    if data_format is None and n in _FORMATS:
        data_format = _FORMATS[n][0]
    _check_resizing(x, n, size, scale_factor, mode, recompute_scale_factor, antialias)
    _check_places(x, n, mode, align_corners, align_mode, data_format)
    channel_last = data_format[-1] == "C"
    spatial = list(x.shape[1:-1] if channel_last else x.shape[2:])
    sizes, scales = _extents(x, n, spatial, size, scale_factor, recompute_scale_factor)
    if any(is_recorded(v) for v in sizes):
        if mode == "area" or antialias:
            raise TypeError(
                "[interpolate] expected known sizes for mode 'area' and for antialias, got a "
                "tensor that is being recorded"
            )
        return _resample(x, mode, n, sizes, [], align_corners, align_mode, channel_last)
    if mode == "area":
        return _area(x, sizes, n, channel_last)
    if any(s == 0 or s < -1 for s in sizes) or (not scales and -1 in sizes):
        raise AssertionError(f"[interpolate] expected positive output sizes, got {sizes}")
    if antialias:
        return _antialiased(x, mode, spatial, sizes, scales, align_corners, channel_last)
    return _resample(x, mode, n, sizes, scales, align_corners, align_mode, channel_last)


def _cubic(t):
    """The cubic convolution kernel with a = -1/2."""
    near, far = (1.5 * t - 2.5) * t * t + 1, ((-0.5 * t + 2.5) * t - 4) * t + 2
    return np.where(t < 1, near, np.where(t < 2, far, 0.0))


def _triangle(t):
    return np.maximum(1 - t, 0.0)


def _filter(mode, extent, size, scale, align_corners):
    """The weights [size, extent] of a filter that is as wide as a step between outputs, or one
    element.
    """
    if align_corners:
        step = (extent - 1) / (size - 1) if size > 1 else 0.0
    else:
        step = 1 / scale if scale else extent / size
    wide = max(step, 1.0)
    kernel, reach = (_cubic, 2 * wide) if mode == "bicubic" else (_triangle, wide)
    centre = step * (np.arange(size)[:, None] + 0.5)
    low = np.maximum((centre - reach + 0.5).astype(np.int64), 0)
    high = np.minimum((centre + reach + 0.5).astype(np.int64), extent)
    at = np.arange(extent)[None, :]
    weights = np.where((at >= low) & (at < high), kernel(np.abs((at - centre + 0.5) / wide)), 0.0)
    total = weights.sum(1, keepdims=True)
    return weights / np.where(total == 0, 1.0, total)


def _antialiased(x, mode, spatial, sizes, scales, align_corners, channel_last):
    if any(d < 0 for d in spatial):
        raise TypeError(f"[interpolate] expected known extents with antialias, got {list(x.shape)}")
    if channel_last:
        x = paddle.transpose(x, [0, 3, 1, 2])
    rows, columns = (
        paddle.to_tensor(_filter(mode, d, s, scale, align_corners), dtype=x.dtype)
        for d, s, scale in zip(spatial, sizes, scales or [None, None])
    )
    out = paddle.matmul(paddle.matmul(rows, x), columns, transpose_y=True)
    return paddle.transpose(out, [0, 2, 3, 1]) if channel_last else out


def _resample(x, mode, n, sizes, scales, align_corners, align_mode, channel_last):
    if mode == "nearest" and n == 1:
        axis = 1 if channel_last else 2
        out = _resample(
            _C_ops.unsqueeze(x, [axis]),
            mode,
            2,
            [1, *sizes],
            [1.0, *scales] if scales else [],
            align_corners,
            align_mode,
            channel_last,
        )
        return _C_ops.squeeze(out, [axis])
    op = {
        "nearest": "nearest_interp",
        "linear": "linear_interp",
        "bilinear": "bilinear_interp",
        "bicubic": "bicubic_interp",
        "trilinear": "trilinear_interp",
    }[mode]
    out_size = None
    if any(is_recorded(v) for v in sizes):
        out_size = paddle.stack(
            [
                v.reshape([]).astype("int32") if is_recorded(v) else paddle.full([], v, "int32")
                for v in sizes
            ]
        )
        sizes = [-1] * n
    out = [-1] * (3 - n) + sizes
    return getattr(_C_ops, op)(
        x,
        out_size,
        None,
        None,
        "NHWC" if channel_last else "NCHW",
        *out,
        scales,
        mode,
        align_corners,
        align_mode,
    )


def _area(x, sizes, n, channel_last):
    from . import pooling

    if n == 1:
        if channel_last:
            return paddle.transpose(
                _area(paddle.transpose(x, [0, 2, 1]), sizes, 1, False), [0, 2, 1]
            )
        return pooling.adaptive_avg_pool1d(x, sizes[0])
    if n == 2:
        return pooling.adaptive_avg_pool2d(x, sizes, "NHWC" if channel_last else "NCHW")
    return pooling.adaptive_avg_pool3d(x, sizes, "NDHWC" if channel_last else "NCDHW")


@shares(RESIZED)
def upsample(
    x,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=False,
    align_mode=0,
    data_format=None,
    name=None,
):
    """`interpolate` under its older name.

    Args:
        x (Tensor): Values of shape [N, C, L], [N, C, H, W] or [N, C, D, H, W].
        {size, scale_factor, mode, align_corners, align_mode, data_format, name}

    Returns:
        Tensor: x with other spatial extents.

    Examples:
        >>> paddle.nn.functional.upsample(paddle.ones([1, 1, 2, 3]), scale_factor=2).shape
        paddle.Size([1, 1, 4, 6])
    """
    return interpolate(x, size, scale_factor, mode, align_corners, align_mode, data_format)


def _constant_pad_all(x, pairs, value):
    return _C_ops.pad(x, [_int(v) for p in pairs for v in p], value)


@second_names(input='x')
def pad(x, pad, mode="constant", value=0.0, data_format=None, pad_from_left_axis=True, name=None):
    """Pad x. With 2 * ndim numbers and mode `constant` every dimension is padded, otherwise the
    spatial ones.

    Args:
        x (Tensor): The values. Also `input`.
        pad (int, list of ints or Tensor): How much is added before and after each axis. Spatial
            pads start from the last axis.
        mode (str, default 'constant'): `constant`, `reflect`, `replicate` or `circular`.
        value (float, default 0.0): What is added in mode `constant`.
        data_format (str, default None): The order of axes; None for channels first.
        pad_from_left_axis (bool, default True): Whether 2 * ndim numbers begin with the first axis,
            else with the last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x with larger axes.

    Examples:
        >>> x = paddle.to_tensor([[[1.0, 2.0, 3.0]]])
        >>> paddle.nn.functional.pad(x, [1, 2]).tolist()
        [[[0.0, 1.0, 2.0, 3.0, 0.0, 0.0]]]
        >>> paddle.nn.functional.pad(x, [1, 1], mode="reflect").tolist()
        [[[2.0, 1.0, 2.0, 3.0, 2.0]]]
    """
    expect_tensors("pad", x=x)
    mode = mode.lower()
    if mode not in ("reflect", "replicate", "constant", "circular"):
        raise AssertionError(
            f"[pad] expected mode 'constant', 'reflect', 'replicate' or 'circular', got {mode!r}"
        )
    rank = len(x.shape)
    if isinstance(pad, int):
        pad = [pad] * (
            2 * (rank - 2) if data_format is not None or mode != "constant" else 2 * rank
        )
    pads = [_int(v) for v in _scalars(pad)]
    if len(pads) % 2:
        if mode != "constant" or len(pads) > 2 * rank:
            raise ValueError(f"[pad] expected an even number of pads, got {pads}")
        pads.append(0)
    if mode == "constant" and len(pads) == 2 * rank:
        pairs = [pads[2 * i : 2 * i + 2] for i in range(rank)]
        return _constant_pad_all(x, pairs if pad_from_left_axis else pairs[::-1], value)
    if data_format is None:
        if mode == "constant" and (rank not in (3, 4, 5) or len(pads) != 2 * (rank - 2)):
            if len(pads) > 2 * rank:
                raise ValueError(
                    f"[pad] expected at most {2 * rank} pads for shape {list(x.shape)}, got {pads}"
                )
            pairs = [[0, 0]] * (rank - len(pads) // 2) + [
                pads[2 * i : 2 * i + 2] for i in range(len(pads) // 2)
            ][::-1]
            return _constant_pad_all(x, pairs, value)
        data_format = {3: "NCL", 4: "NCHW", 5: "NCDHW"}.get(rank)
    if rank not in (3, 4, 5):
        raise ValueError(
            f"[pad] expected x of 3, 4 or 5 axes for mode {mode!r}, got shape {list(x.shape)}"
        )
    allowed = {3: ("NCL", "NLC"), 4: ("NCHW", "NHWC"), 5: ("NCDHW", "NDHWC")}[rank]
    _parse.data_format("pad", data_format, *allowed)
    n = rank - 2
    if len(pads) > 2 * n:
        raise ValueError(
            f"[pad] expected at most {2 * n} pads for shape {list(x.shape)}, got {pads}"
        )
    pads = pads + [0] * (2 * n - len(pads))
    channel_last = data_format[-1] == "C"
    if (
        mode == "constant" and isinstance(value, int) and abs(value) > 2**53
    ):  # pad3d takes a floating number
        spatial = [pads[2 * i : 2 * i + 2] for i in range(n)][::-1]
        none = [0, 0]
        return _constant_pad_all(
            x, [none, *spatial, none] if channel_last else [none, none, *spatial], value
        )
    missing = 3 - n
    if missing:
        axes = list(range(1, 1 + missing)) if channel_last else list(range(2, 2 + missing))
        x = _C_ops.unsqueeze(x, axes)
        pads = pads + [0, 0] * missing
    out = _C_ops.pad3d(x, pads, mode, value, "NDHWC" if channel_last else "NCDHW")
    return _C_ops.squeeze(out, axes) if missing else out


@deprecated('paddle.nn.ZeroPad2D', '3.0.0', level=1)
def zeropad2d(x, padding, data_format="NCHW", name=None):
    """Zeros around H and W: padding is one int or [left, right, top, bottom].

    Args:
        x (Tensor): Values of shape [N, C, H, W], or NHWC.
        padding (int, list of ints or Tensor): What is added left, right, above and below.
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x with H and W larger.

    Examples:
        >>> paddle.nn.functional.zeropad2d(paddle.ones([1, 1, 1, 2]), [1, 0, 0, 1]).tolist()
        [[[[0.0, 1.0, 1.0], [0.0, 0.0, 0.0]]]]
    """
    return pad(
        x, [padding] * 4 if isinstance(padding, int) else padding, "constant", 0.0, data_format
    )


def pixel_shuffle(x, upscale_factor, data_format="NCHW", name=None):
    """[N, C * r * r, H, W] -> [N, C, H * r, W * r].

    Args:
        x (Tensor): Values of shape [N, C * r * r, H, W], or NHWC.
        upscale_factor (int): The factor r.
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the same elements, of shape [N, C, H * r, W * r].

    Source: Shi et al., Real-time single image and video super-resolution, 2016

    Examples:
        >>> x = paddle.arange(4, dtype="float32").reshape([1, 4, 1, 1])
        >>> paddle.nn.functional.pixel_shuffle(x, 2).tolist()
        [[[[0.0, 1.0], [2.0, 3.0]]]]
    """
    if not isinstance(upscale_factor, int):
        raise TypeError(
            "[pixel_shuffle] expected upscale_factor to be an int, got "
            f"{type(upscale_factor).__name__}"
        )
    _parse.data_format("pixel_shuffle", data_format, "NCHW", "NHWC")
    return _C_ops.pixel_shuffle(x, upscale_factor, data_format)


def pixel_unshuffle(x, downscale_factor, data_format="NCHW", name=None):
    """[N, C, H * r, W * r] -> [N, C * r * r, H, W].

    Args:
        x (Tensor): Values of shape [N, C, H * r, W * r], or NHWC.
        downscale_factor (int): The factor r.
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the same elements, of shape [N, C * r * r, H, W].

    Examples:
        >>> x = paddle.arange(4, dtype="float32").reshape([1, 1, 2, 2])
        >>> paddle.nn.functional.pixel_unshuffle(x, 2).flatten().tolist()
        [0.0, 1.0, 2.0, 3.0]
    """
    expect_tensors("pixel_unshuffle", x=x)
    if len(x.shape) != 4:
        raise ValueError(f"[pixel_unshuffle] expected x of 4 axes, got shape {list(x.shape)}")
    if not isinstance(downscale_factor, int):
        raise TypeError(
            "[pixel_unshuffle] expected downscale_factor to be an int, got "
            f"{type(downscale_factor).__name__}"
        )
    if downscale_factor <= 0:
        raise ValueError(
            f"[pixel_unshuffle] expected a positive downscale_factor, got {downscale_factor}"
        )
    _parse.data_format("pixel_unshuffle", data_format, "NCHW", "NHWC")
    return _C_ops.pixel_unshuffle(x, downscale_factor, data_format)


def channel_shuffle(x, groups, data_format="NCHW", name=None):
    """Interleave the channels of `groups` groups.

    Args:
        x (Tensor): Values of shape [N, C, H, W], or NHWC.
        groups (int): How many groups there are.
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x with the channels interleaved.

    Examples:
        >>> x = paddle.arange(4, dtype="float32").reshape([1, 4, 1, 1])
        >>> paddle.nn.functional.channel_shuffle(x, 2).flatten().tolist()
        [0.0, 2.0, 1.0, 3.0]
    """
    expect_tensors("channel_shuffle", x=x)
    if len(x.shape) != 4:
        raise ValueError(f"[channel_shuffle] expected x of 4 axes, got shape {list(x.shape)}")
    if not isinstance(groups, int):
        raise TypeError(
            f"[channel_shuffle] expected groups to be an int, got {type(groups).__name__}"
        )
    if groups <= 0:
        raise ValueError(f"[channel_shuffle] expected positive groups, got {groups}")
    _parse.data_format("channel_shuffle", data_format, "NCHW", "NHWC")
    return _C_ops.channel_shuffle(x, groups, data_format)


def affine_grid(theta, out_shape, align_corners=True, name=None):
    """Sampling grid of the affine maps theta [N, 2, 3] (or [N, 3, 4]) for an output of `out_shape`.

    Args:
        theta (Tensor): The maps, of shape [N, 2, 3], or [N, 3, 4] for volumes.
        out_shape (list of ints or Tensor): The shape of the images, [N, C, H, W] or [N, C, D, H,
            W].
        align_corners (bool, default True): Whether -1 and 1 are the centres of the outermost
            elements, rather than their edges.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: positions (x, y), or (x, y, z), of shape [N, H, W, 2] or [N, D, H, W, 3].

    Examples:
        >>> theta = paddle.to_tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        >>> paddle.nn.functional.affine_grid(theta, [1, 1, 2, 2]).tolist()
        [[[[-1.0, -1.0], [1.0, -1.0]], [[-1.0, 1.0], [1.0, 1.0]]]]
    """
    if isinstance(out_shape, Tensor):
        return _C_ops.affine_grid(
            theta, out_shape if is_recorded(out_shape) else out_shape.tolist(), align_corners
        )
    return _C_ops.affine_grid(
        theta,
        [
            v if is_recorded(v) else integer("affine_grid", "out_shape", number(v))
            for v in items("affine_grid", "out_shape", out_shape)
        ],
        align_corners,
    )


def grid_sample(x, grid, mode="bilinear", padding_mode="zeros", align_corners=True, name=None):
    """Sample x at the normalised positions of `grid`; mode 'bilinear' or 'nearest'.

    Args:
        x (Tensor): Values of shape [N, C, H, W], or [N, C, D, H, W].
        grid (Tensor): Positions (x, y) from -1 to 1, of shape [N, H', W', 2], or (x, y, z) of
            volumes.
        mode (str, default 'bilinear'): `bilinear` or `nearest`.
        padding_mode (str, default 'zeros'): What stands outside: `zeros`, `border` or `reflection`.
        align_corners (bool, default True): Whether -1 and 1 are the centres of the outermost
            elements, rather than their edges.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the values found, of shape [N, C, H', W'].

    Examples:
        >>> x = paddle.to_tensor([[[[0.0, 1.0], [2.0, 3.0]]]])
        >>> grid = paddle.to_tensor([[[[0.0, 0.0], [1.0, -1.0]]]])
        >>> paddle.nn.functional.grid_sample(x, grid).tolist()
        [[[[1.5, 1.0]]]]
    """
    if mode not in ("bilinear", "nearest"):
        raise ValueError(f"[grid_sample] expected mode 'bilinear' or 'nearest', got {mode!r}")
    if padding_mode not in ("zeros", "reflection", "border"):
        raise ValueError(
            "[grid_sample] expected padding_mode 'zeros', 'reflection' or 'border', got "
            f"{padding_mode!r}"
        )
    if not isinstance(align_corners, bool):
        raise ValueError(
            f"[grid_sample] expected align_corners to be a bool, got {align_corners!r}"
        )
    return _C_ops.grid_sample(x, grid, mode, padding_mode, align_corners)
