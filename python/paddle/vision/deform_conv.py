# SPDX-License-Identifier: Apache-2.0
"""Deformable convolution."""

import numpy as np

import paddle
from paddle import nn
from paddle.base.libpaddle import expect_tensors

__all__ = ['deform_conv2d', 'DeformConv2D']


def _pair(value):
    return [value, value] if isinstance(value, int) else [int(v) for v in value]


def _sample(x, y, x_at, height, width):
    """Bilinear values of x [N, G, C, H*W] at points [N, G, P]; zero outside: [N, G, C, P]."""
    y0, x0 = y.floor(), x_at.floor()
    total = None
    for dy in (0, 1):
        for dx in (0, 1):
            yi, xi = y0 + dy, x0 + dx
            weight = (1 - (y - yi).abs()) * (1 - (x_at - xi).abs())
            inside = (
                (yi >= 0).astype(x.dtype)
                * (yi <= height - 1).astype(x.dtype)
                * (xi >= 0).astype(x.dtype)
                * (xi <= width - 1).astype(x.dtype)
            )
            at = (
                (yi.clip(0, height - 1) * width + xi.clip(0, width - 1))
                .detach()
                .astype('int64')
                .unsqueeze(2)
            )
            at = at.expand([at.shape[0], at.shape[1], x.shape[2], at.shape[3]])
            part = paddle.take_along_axis(x, at, axis=3, broadcast=False) * (
                weight * inside.detach()
            ).unsqueeze(2)
            total = part if total is None else total + part
    return total


def _compose(x, offset, weight, mask, stride, padding, dilation, deformable_groups, groups):
    expect_tensors('deform_conv2d', x=x, offset=offset, weight=weight)
    n, channels, height, width = x.shape
    out_channels, _, kh, kw = weight.shape
    out_h = (height + 2 * padding[0] - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    out_w = (width + 2 * padding[1] - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    g, k, size = deformable_groups, kh * kw, out_h * out_w
    if list(offset.shape) != [n, 2 * g * k, out_h, out_w]:
        raise ValueError(
            f"[deform_conv2d] expected offset of shape {[n, 2 * g * k, out_h, out_w]}, got "
            f"{list(offset.shape)}"
        )
    rows = (np.arange(kh) * dilation[0])[:, None, None, None] + (
        np.arange(out_h) * stride[0] - padding[0]
    )[:, None]
    columns = (
        (np.arange(kw) * dilation[1])[:, None, None] + np.arange(out_w) * stride[1] - padding[1]
    )
    shape = (kh, kw, out_h, out_w)
    base_y = (
        np.broadcast_to(rows.reshape(kh, 1, out_h, 1), shape)
        .reshape(1, 1, k * size)
        .astype('float32')
    )
    base_x = (
        np.broadcast_to(columns.reshape(1, kw, 1, out_w), shape)
        .reshape(1, 1, k * size)
        .astype('float32')
    )
    moves = offset.reshape([n, g, k, 2, size])
    y = moves[:, :, :, 0].reshape([n, g, k * size]) + paddle.to_tensor(base_y).astype(x.dtype)
    x_at = moves[:, :, :, 1].reshape([n, g, k * size]) + paddle.to_tensor(base_x).astype(x.dtype)
    values = _sample(x.reshape([n, g, channels // g, height * width]), y, x_at, height, width)
    if mask is not None:
        values = values * mask.reshape([n, g, 1, k * size])
    values = values.reshape([n, groups, channels // groups * k, size])
    kernels = weight.reshape([1, groups, out_channels // groups, channels // groups * k])
    return paddle.matmul(kernels, values).reshape([n, out_channels, out_h, out_w])


def deform_conv2d(
    x,
    offset,
    weight,
    bias=None,
    stride=1,
    padding=0,
    dilation=1,
    deformable_groups=1,
    groups=1,
    mask=None,
    name=None,
):
    """Convolution whose samples are moved by `offset` and scaled by `mask` (version 2, when
    given).
    """
    stride, padding, dilation = _pair(stride), _pair(padding), _pair(dilation)
    out = _compose(x, offset, weight, mask, stride, padding, dilation, deformable_groups, groups)
    return out if bias is None else out + bias.reshape([1, -1, 1, 1])


class DeformConv2D(nn.Layer):
    """`deform_conv2d` as a layer with weight and bias."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        deformable_groups=1,
        groups=1,
        weight_attr=None,
        bias_attr=None,
    ):
        super().__init__()
        kernel = _pair(kernel_size)
        self._options = (stride, padding, dilation, deformable_groups, groups)
        std = (2.0 / (kernel[0] * kernel[1] * in_channels)) ** 0.5
        self.weight = self.create_parameter(
            [out_channels, in_channels // groups, *kernel],
            attr=weight_attr,
            default_initializer=nn.initializer.Normal(0.0, std),
        )
        self.bias = self.create_parameter([out_channels], attr=bias_attr, is_bias=True)

    def forward(self, x, offset, mask=None):
        return deform_conv2d(x, offset, self.weight, self.bias, *self._options, mask=mask)
