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
    """Convolution whose samples are moved by `offset` and scaled by `mask` (version 2, when given).

    Args:
        x (Tensor): Values of shape [N, C, H, W].
        offset (Tensor): Shifts (y, x) of each element of the kernel, of shape [N, 2 * groups * kh *
            kw, H', W'].
        weight (Tensor): Of shape [out, C / groups, kh, kw].
        bias (Tensor, default None): Of shape [out]; None for none.
        stride (int or list of ints, default 1): From one window to the next.
        padding (int or list of ints, default 0): What is added on each side.
        dilation (int or list of ints, default 1): From one element of the kernel to the next.
        deformable_groups (int, default 1): How many groups of channels have offsets of their own.
        groups (int, default 1): How many groups of channels have kernels of their own.
        mask (Tensor, default None): The factors, of shape [N, groups * kh * kw, H', W'].
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [N, out, H', W'].

    Source: Dai et al., Deformable convolutional networks, 2017

    Examples:
        >>> x, weight = paddle.ones([1, 1, 3, 3]), paddle.ones([1, 1, 2, 2])
        >>> offset = paddle.zeros([1, 8, 2, 2])
        >>> paddle.vision.ops.deform_conv2d(x, offset, weight).tolist()
        [[[[4.0, 4.0], [4.0, 4.0]]]]
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
    """`deform_conv2d` as a layer with weight and bias.

    Args:
        in_channels (int): How many channels the input has.
        out_channels (int): How many the output has.
        kernel_size (int or list of ints): The extents of the kernel.
        stride (int or list of ints, default 1): From one window to the next.
        padding (int or list of ints, default 0): What is added on each side.
        dilation (int or list of ints, default 1): From one element of the kernel to the next.
        deformable_groups (int, default 1): How many groups of channels have offsets of their own.
        groups (int, default 1): How many groups of channels have kernels of their own.
        weight_attr (ParamAttr, default None): How the weight is made.
        bias_attr (ParamAttr or bool, default None): How the bias is made; False for none.

    Examples:
        >>> layer = paddle.vision.ops.DeformConv2D(3, 4, 3)
        >>> layer(paddle.ones([1, 3, 5, 5]), paddle.zeros([1, 18, 3, 3])).shape
        paddle.Size([1, 4, 3, 3])
    """

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
