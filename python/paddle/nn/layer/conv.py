# SPDX-License-Identifier: Apache-2.0
"""Convolution layers in one to three dimensions."""

import math

from paddle import get_default_dtype
from paddle.base.arguments import any_of, integer

from .. import functional as F
from ..functional import _parse
from ..functional.conv import check_input, conv_nd
from ..initializer import Normal
from .layers import Layer

__all__ = [
    "Conv1D",
    "Conv2D",
    "Conv3D",
    "Conv1DTranspose",
    "Conv2DTranspose",
    "Conv3DTranspose",
    "Conv1d",
    "Conv2d",
    "Conv3d",
]

_FORMATS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}
_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Layer):
    """Holds the weight, the bias and the parsed arguments of a convolution."""

    def __init__(
        self,
        n,
        transposed,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        padding_mode,
        dilation,
        groups,
        output_padding,
        weight_attr,
        bias_attr,
        data_format,
        bias=True,
        device=None,
        dtype=None,
    ):
        super().__init__()
        op = type(self).__name__
        if weight_attr is False:
            raise AssertionError(f"[{op}] expected a weight, got weight_attr=False")
        if padding_mode not in _PADDING_MODES:
            raise ValueError(
                f"[{op}] expected padding_mode {any_of(_PADDING_MODES)}, got {padding_mode!r}"
            )
        if padding_mode in ("reflect", "replicate", "circular") and not isinstance(padding, int):
            raise TypeError(
                f"[{op}] expected padding to be an int for padding_mode={padding_mode!r}, got "
                f"{type(padding).__name__}"
            )
        _parse.data_format(op, data_format, *_FORMATS[n])
        in_channels = integer(op, "in_channels", in_channels)
        out_channels = integer(op, "out_channels", out_channels)
        groups = integer(op, "groups", groups)
        if groups <= 0:
            raise ValueError(f"[{op}] expected positive groups, got {groups}")
        if in_channels % groups != 0:
            raise ValueError(
                f"[{op}] expected groups that divide the {in_channels} in_channels, got {groups}"
            )
        channel_last = data_format[-1] == "C"
        self._bias_attr = False if bias is False else bias_attr
        self._groups = groups
        self._in_channels = in_channels
        self._out_channels = out_channels
        self._data_format = data_format
        self._padding = padding
        self._padding_mode = padding_mode
        self.output_padding = output_padding
        self._n = n
        self._dtype = get_default_dtype() if dtype is None else dtype
        self._stride = _parse.ints(op, "stride", stride, n)
        self._dilation = _parse.ints(op, "dilation", dilation, n)
        self._kernel_size = _parse.ints(op, "kernel_size", kernel_size, n)
        self._updated_padding, self._padding_algorithm = _parse.padding(
            op, 0 if padding_mode != "zeros" else padding, n, channel_last
        )
        if transposed:
            shape = [in_channels, out_channels // groups, *self._kernel_size]
            default = None
        else:
            if out_channels % groups:
                raise ValueError(
                    f"[{op}] expected groups that divide the {out_channels} out_channels, got "
                    f"{groups}"
                )
            shape = [out_channels, in_channels // groups, *self._kernel_size]
            fan = math.prod(self._kernel_size) * in_channels
            default = Normal(0.0, math.sqrt(2.0 / fan)) if fan else None
        self._edge_padding = [padding] * (2 * n) if padding_mode != "zeros" else None
        self.weight = self.create_parameter(
            shape, weight_attr, self._dtype, default_initializer=default, device=device
        )
        self.bias = self.create_parameter(
            [out_channels], self._bias_attr, self._dtype, True, device=device
        )

    def forward(self, x):
        n = self._n
        if self._edge_padding is not None:
            x = F.pad(x, self._edge_padding, self._padding_mode, 0.0, self._data_format)
        check_input(type(self).__name__, x, n)
        return conv_nd(
            n,
            x,
            *self._weight_and_bias(),
            self._stride,
            self._updated_padding,
            self._padding_algorithm,
            self._dilation,
            self._groups,
            self._data_format,
        )

    def extra_repr(self):
        n = self._n
        parts = [f"{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}"]
        if self._stride != [1] * n:
            parts.append(f"stride={self._stride}")
        if self._padding != 0:
            parts.append(f"padding={self._padding}")
        if self._padding_mode != "zeros":
            parts.append(f"padding_mode={self._padding_mode}")
        if self.output_padding != 0:
            parts.append(f"output_padding={self.output_padding}")
        if self._dilation != [1] * n:
            parts.append(f"dilation={self._dilation}")
        if self._groups != 1:
            parts.append(f"groups={self._groups}")
        parts.append(f"data_format={self._data_format}")
        return ", ".join(parts)


class Conv1D(_ConvNd):
    """Convolution of [N, C, L] (or NLC).

    Args:
        in_channels (int): How many channels the input has.
        out_channels (int): How many the output has.
        kernel_size (int or list of ints): The extents of the kernel.
        stride (int or list of ints, default 1): From one window to the next.
        padding (int, list of ints or str, default 0): What is added on each side, or `SAME` or
            `VALID`.
        dilation (int or list of ints, default 1): From one element of the kernel to the next.
        groups (int, default 1): How many groups of channels have kernels of their own.
        bias (bool, default True): Whether there is a bias.
        padding_mode (str, default 'zeros'): `zeros`, `reflect`, `replicate` or `circular`.
        device (str or place, default None): Where the parameters lie.
        dtype (str or dtype, default None): The dtype of the parameters.
        weight_attr (ParamAttr, default None): How the weight is made.
        bias_attr (ParamAttr or bool, default None): How the bias is made; False for none.
        data_format (str, default 'NCL'): `NCL` or `NLC`.

    Examples:
        >>> layer = paddle.nn.Conv1D(3, 4, kernel_size=3, padding=1)
        >>> layer(paddle.ones([1, 3, 8])).shape
        paddle.Size([1, 4, 8])
        >>> layer.weight.shape
        paddle.Size([4, 3, 3])
        >>> paddle.nn.Conv1d is paddle.nn.Conv1D
        True
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        *,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
        weight_attr=None,
        bias_attr=None,
        data_format="NCL",
    ):
        super().__init__(
            1,
            False,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            padding_mode,
            dilation,
            groups,
            0,
            weight_attr,
            bias_attr,
            data_format,
            bias,
            device,
            dtype,
        )

    def forward(self, x):
        if self._edge_padding is not None:
            x = F.pad(x, self._edge_padding, self._padding_mode, 0.0, self._data_format)
        given = self._padding_algorithm
        return F.conv1d(
            x,
            *self._weight_and_bias(),
            self._stride,
            self._updated_padding if given == "EXPLICIT" else given,
            self._dilation,
            self._groups,
            self._data_format,
        )


class Conv2D(_ConvNd):
    """Convolution of [N, C, H, W] (or NHWC).

    Args:
        in_channels (int): How many channels the input has.
        out_channels (int): How many the output has.
        kernel_size (int or list of ints): The extents of the kernel.
        stride (int or list of ints, default 1): From one window to the next.
        padding (int, list of ints or str, default 0): What is added on each side, or `SAME` or
            `VALID`.
        dilation (int or list of ints, default 1): From one element of the kernel to the next.
        groups (int, default 1): How many groups of channels have kernels of their own.
        bias (bool, default True): Whether there is a bias.
        padding_mode (str, default 'zeros'): `zeros`, `reflect`, `replicate` or `circular`.
        device (str or place, default None): Where the parameters lie.
        dtype (str or dtype, default None): The dtype of the parameters.
        weight_attr (ParamAttr, default None): How the weight is made.
        bias_attr (ParamAttr or bool, default None): How the bias is made; False for none.
        data_format (str, default 'NCHW'): `NCHW` or `NHWC`.

    Examples:
        >>> layer = paddle.nn.Conv2D(3, 4, kernel_size=3, padding=1)
        >>> layer(paddle.ones([1, 3, 8, 8])).shape
        paddle.Size([1, 4, 8, 8])
        >>> layer.weight.shape
        paddle.Size([4, 3, 3, 3])
        >>> paddle.nn.Conv2d is paddle.nn.Conv2D
        True
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        *,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
        weight_attr=None,
        bias_attr=None,
        data_format="NCHW",
    ):
        super().__init__(
            2,
            False,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            padding_mode,
            dilation,
            groups,
            0,
            weight_attr,
            bias_attr,
            data_format,
            bias,
            device,
            dtype,
        )


class Conv3D(_ConvNd):
    """Convolution of [N, C, D, H, W] (or NDHWC).

    Args:
        in_channels (int): How many channels the input has.
        out_channels (int): How many the output has.
        kernel_size (int or list of ints): The extents of the kernel.
        stride (int or list of ints, default 1): From one window to the next.
        padding (int, list of ints or str, default 0): What is added on each side, or `SAME` or
            `VALID`.
        dilation (int or list of ints, default 1): From one element of the kernel to the next.
        groups (int, default 1): How many groups of channels have kernels of their own.
        bias (bool, default True): Whether there is a bias.
        padding_mode (str, default 'zeros'): `zeros`, `reflect`, `replicate` or `circular`.
        device (str or place, default None): Where the parameters lie.
        dtype (str or dtype, default None): The dtype of the parameters.
        weight_attr (ParamAttr, default None): How the weight is made.
        bias_attr (ParamAttr or bool, default None): How the bias is made; False for none.
        data_format (str, default 'NCDHW'): `NCDHW` or `NDHWC`.

    Examples:
        >>> layer = paddle.nn.Conv3D(3, 4, kernel_size=3, padding=1)
        >>> layer(paddle.ones([1, 3, 8, 8, 8])).shape
        paddle.Size([1, 4, 8, 8, 8])
        >>> layer.weight.shape
        paddle.Size([4, 3, 3, 3, 3])
        >>> paddle.nn.Conv3d is paddle.nn.Conv3D
        True
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        *,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
        weight_attr=None,
        bias_attr=None,
        data_format="NCDHW",
    ):
        super().__init__(
            3,
            False,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            padding_mode,
            dilation,
            groups,
            0,
            weight_attr,
            bias_attr,
            data_format,
            bias,
            device,
            dtype,
        )


Conv1d, Conv2d, Conv3d = Conv1D, Conv2D, Conv3D


class Conv1DTranspose(_ConvNd):
    """Transposed convolution of [N, C, L] (or NLC).

    Args:
        in_channels (int): How many channels the input has.
        out_channels (int): How many the output has.
        kernel_size (int or list of ints): The extents of the kernel.
        stride (int or list of ints, default 1): From one window to the next.
        padding (int, list of ints or str, default 0): What is added on each side, or `SAME` or
            `VALID`.
        output_padding (int or list of ints, default 0): What is added on one side of the output.
        groups (int, default 1): How many groups of channels have kernels of their own.
        dilation (int or list of ints, default 1): From one element of the kernel to the next.
        weight_attr (ParamAttr, default None): How the weight is made.
        bias_attr (ParamAttr or bool, default None): How the bias is made; False for none.
        data_format (str, default 'NCL'): `NCL` or `NLC`.

    Examples:
        >>> layer = paddle.nn.Conv1DTranspose(3, 4, kernel_size=2, stride=2)
        >>> layer(paddle.ones([1, 3, 8])).shape
        paddle.Size([1, 4, 16])
        >>> layer.weight.shape
        paddle.Size([3, 4, 2])
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        dilation=1,
        weight_attr=None,
        bias_attr=None,
        data_format="NCL",
    ):
        super().__init__(
            1,
            True,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            "zeros",
            dilation,
            groups,
            output_padding,
            weight_attr,
            bias_attr,
            data_format,
        )

    def forward(self, x, output_size=None):
        return F.conv1d_transpose(
            x,
            self.weight,
            self.bias,
            self._stride,
            self._padding,
            0 if output_size is not None else self.output_padding,
            self._groups,
            self._dilation,
            output_size,
            self._data_format,
        )


class Conv2DTranspose(_ConvNd):
    """Transposed convolution of [N, C, H, W] (or NHWC).

    Args:
        in_channels (int): How many channels the input has.
        out_channels (int): How many the output has.
        kernel_size (int or list of ints): The extents of the kernel.
        stride (int or list of ints, default 1): From one window to the next.
        padding (int, list of ints or str, default 0): What is added on each side, or `SAME` or
            `VALID`.
        output_padding (int or list of ints, default 0): What is added on one side of the output.
        dilation (int or list of ints, default 1): From one element of the kernel to the next.
        groups (int, default 1): How many groups of channels have kernels of their own.
        weight_attr (ParamAttr, default None): How the weight is made.
        bias_attr (ParamAttr or bool, default None): How the bias is made; False for none.
        data_format (str, default 'NCHW'): `NCHW` or `NHWC`.

    Examples:
        >>> layer = paddle.nn.Conv2DTranspose(3, 4, kernel_size=2, stride=2)
        >>> layer(paddle.ones([1, 3, 8, 8])).shape
        paddle.Size([1, 4, 16, 16])
        >>> layer.weight.shape
        paddle.Size([3, 4, 2, 2])
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        dilation=1,
        groups=1,
        weight_attr=None,
        bias_attr=None,
        data_format="NCHW",
    ):
        super().__init__(
            2,
            True,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            "zeros",
            dilation,
            groups,
            output_padding,
            weight_attr,
            bias_attr,
            data_format,
        )

    def forward(self, x, output_size=None):
        return F.conv2d_transpose(
            x,
            self.weight,
            self.bias,
            self._stride,
            self._padding,
            0 if output_size is not None else self.output_padding,
            self._dilation,
            self._groups,
            output_size,
            self._data_format,
        )


class Conv3DTranspose(_ConvNd):
    """Transposed convolution of [N, C, D, H, W] (or NDHWC).

    Args:
        in_channels (int): How many channels the input has.
        out_channels (int): How many the output has.
        kernel_size (int or list of ints): The extents of the kernel.
        stride (int or list of ints, default 1): From one window to the next.
        padding (int, list of ints or str, default 0): What is added on each side, or `SAME` or
            `VALID`.
        output_padding (int or list of ints, default 0): What is added on one side of the output.
        dilation (int or list of ints, default 1): From one element of the kernel to the next.
        groups (int, default 1): How many groups of channels have kernels of their own.
        weight_attr (ParamAttr, default None): How the weight is made.
        bias_attr (ParamAttr or bool, default None): How the bias is made; False for none.
        data_format (str, default 'NCDHW'): `NCDHW` or `NDHWC`.

    Examples:
        >>> layer = paddle.nn.Conv3DTranspose(3, 4, kernel_size=2, stride=2)
        >>> layer(paddle.ones([1, 3, 8, 8, 8])).shape
        paddle.Size([1, 4, 16, 16, 16])
        >>> layer.weight.shape
        paddle.Size([3, 4, 2, 2, 2])
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        dilation=1,
        groups=1,
        weight_attr=None,
        bias_attr=None,
        data_format="NCDHW",
    ):
        super().__init__(
            3,
            True,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            "zeros",
            dilation,
            groups,
            output_padding,
            weight_attr,
            bias_attr,
            data_format,
        )

    def forward(self, x, output_size=None):
        return F.conv3d_transpose(
            x,
            self.weight,
            self.bias,
            self._stride,
            self._padding,
            0 if output_size is not None else self.output_padding,
            self._groups,
            self._dilation,
            output_size,
            self._data_format,
        )
