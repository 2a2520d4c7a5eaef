# SPDX-License-Identifier: Apache-2.0
"""Deformable convolution."""

from paddle import _C_ops, nn

__all__ = ['deform_conv2d', 'DeformConv2D']


def _pair(value):
    return [value, value] if isinstance(value, int) else [int(v) for v in value]


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
    out = _C_ops.deformable_conv(
        x,
        offset,
        weight,
        mask,
        _pair(stride),
        _pair(padding),
        _pair(dilation),
        deformable_groups,
        groups,
        1,
    )
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
