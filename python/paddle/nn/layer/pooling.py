# SPDX-License-Identifier: Apache-2.0
"""Pooling layers in one to three dimensions."""

from paddle.base.documentation import shares

from .. import functional as F
from ..functional._texts import ADAPTIVE, WINDOW
from .alias import aliases, reads
from .layers import Layer

__all__ = [
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "LPPool1D",
    "LPPool2D",
    "LPPool1d",
    "LPPool2d",
    "AdaptiveAvgPool1D",
    "AdaptiveAvgPool2D",
    "AdaptiveAvgPool3D",
    "AdaptiveMaxPool1D",
    "AdaptiveMaxPool2D",
    "AdaptiveMaxPool3D",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "MaxUnPool1D",
    "MaxUnPool2D",
    "MaxUnPool3D",
    "FractionalMaxPool2D",
    "FractionalMaxPool3D",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


class _Interval(Layer):
    """Attributes of a window of one dimension."""

    def __init__(self, kernel_size, stride, padding, ceil_mode, name):
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding
        self.ceil_mode, self.name = ceil_mode, name

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


@shares(WINDOW)
class AvgPool1D(_Interval):
    """Mean over windows of [N, C, L].

    Args:
        {kernel_size, stride, padding, exclusive, ceil_mode, name}

    Examples:
        >>> paddle.nn.AvgPool1D(2)(paddle.to_tensor([[[1.0, 2.0, 3.0, 4.0]]])).tolist()
        [[[1.5, 3.5]]]
    """

    def __init__(
        self, kernel_size, stride=None, padding=0, exclusive=True, ceil_mode=False, name=None
    ):
        super().__init__(kernel_size, stride, padding, ceil_mode, name)
        self.exclusive = exclusive

    def forward(self, x):
        return F.avg_pool1d(
            x, self.kernel_size, self.stride, self.padding, self.exclusive, self.ceil_mode
        )


class _Window(Layer):
    """Attributes of a two or three dimensional window."""

    def __init__(self, kernel_size, stride, padding, ceil_mode, data_format, name):
        super().__init__()
        self.ksize = kernel_size
        self.stride = stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.data_format = data_format
        self.name = name

    def extra_repr(self):
        return f"kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"


@shares(WINDOW)
class AvgPool2D(_Window):
    """Mean over windows of [N, C, H, W].

    Args:
        {kernel_size, stride, padding, ceil_mode, exclusive, divisor_override}
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]).reshape([1, 1, 2, 2])
        >>> paddle.nn.AvgPool2D(2)(x).flatten().tolist()
        [2.5]
    """

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode=False,
        exclusive=True,
        divisor_override=None,
        data_format="NCHW",
        name=None,
    ):
        super().__init__(kernel_size, stride, padding, ceil_mode, data_format, name)
        self.exclusive = exclusive
        self.divisor = divisor_override

    def forward(self, x):
        return F.avg_pool2d(
            x,
            self.ksize,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.exclusive,
            self.divisor,
            self.data_format,
        )


@shares(WINDOW)
class AvgPool3D(_Window):
    """Mean over windows of [N, C, D, H, W].

    Args:
        {kernel_size, stride, padding, ceil_mode, exclusive, divisor_override}
        data_format (str, default 'NCDHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> paddle.nn.AvgPool3D(2)(x).tolist()
        [[[[[3.5]]]]]
    """

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode=False,
        exclusive=True,
        divisor_override=None,
        data_format="NCDHW",
        name=None,
    ):
        super().__init__(kernel_size, stride, padding, ceil_mode, data_format, name)
        self.exclusive = exclusive
        self.divisor = divisor_override

    def forward(self, x):
        return F.avg_pool3d(
            x,
            self.ksize,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.exclusive,
            self.divisor,
            self.data_format,
        )


@shares(WINDOW)
class MaxPool1D(_Interval):
    """Maximum over windows of [N, C, L].

    Args:
        {kernel_size, stride, padding, return_mask, ceil_mode, name}

    Examples:
        >>> paddle.nn.MaxPool1D(2)(paddle.to_tensor([[[1.0, 5.0, 3.0, 4.0]]])).tolist()
        [[[5.0, 4.0]]]
    """

    def __init__(
        self, kernel_size, stride=None, padding=0, return_mask=False, ceil_mode=False, name=None
    ):
        super().__init__(kernel_size, stride, padding, ceil_mode, name)
        self.return_mask = return_mask

    def forward(self, input):
        return F.max_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.return_mask, self.ceil_mode
        )


@shares(WINDOW)
class MaxPool2D(_Window):
    """Maximum over windows of [N, C, H, W].

    Args:
        {kernel_size, stride, padding, return_mask, ceil_mode}
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]).reshape([1, 1, 2, 2])
        >>> paddle.nn.MaxPool2D(2)(x).flatten().tolist()
        [4.0]
    """

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        return_mask=False,
        ceil_mode=False,
        data_format="NCHW",
        name=None,
    ):
        super().__init__(kernel_size, stride, padding, ceil_mode, data_format, name)
        self.return_mask = return_mask

    def forward(self, x):
        return F.max_pool2d(
            x,
            self.ksize,
            self.stride,
            self.padding,
            self.return_mask,
            self.ceil_mode,
            self.data_format,
        )


@shares(WINDOW)
class MaxPool3D(_Window):
    """Maximum over windows of [N, C, D, H, W].

    Args:
        {kernel_size, stride, padding, return_mask, ceil_mode}
        data_format (str, default 'NCDHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> paddle.nn.MaxPool3D(2)(x).tolist()
        [[[[[7.0]]]]]
    """

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        return_mask=False,
        ceil_mode=False,
        data_format="NCDHW",
        name=None,
    ):
        super().__init__(kernel_size, stride, padding, ceil_mode, data_format, name)
        self.return_mask = return_mask

    def forward(self, x):
        return F.max_pool3d(
            x,
            self.ksize,
            self.stride,
            self.padding,
            self.return_mask,
            self.ceil_mode,
            self.data_format,
        )


@shares(WINDOW)
class LPPool1D(_Interval):
    """Power-average over windows of [N, C, L].

    Args:
        norm_type (float): The exponent of the norm.
        {kernel_size, stride, padding, ceil_mode}
        data_format (str, default 'NCL'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> paddle.nn.LPPool1D(2.0, 2)(paddle.to_tensor([[[3.0, 4.0, 6.0, 8.0]]])).tolist()
        [[[5.0, 10.0]]]
        >>> paddle.nn.LPPool1d is paddle.nn.LPPool1D
        True
    """

    def __init__(
        self,
        norm_type,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode=False,
        data_format="NCL",
        name=None,
    ):
        super().__init__(kernel_size, stride, padding, ceil_mode, name)
        self.norm_type, self.data_format = float(norm_type), data_format

    def forward(self, x):
        return F.lp_pool1d(
            x,
            self.norm_type,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.data_format,
        )

    def extra_repr(self):
        return f"norm_type={self.norm_type}, " + super().extra_repr()


@shares(WINDOW)
class LPPool2D(_Window):
    """Power-average over windows of [N, C, H, W].

    Args:
        norm_type (float): The exponent of the norm.
        {kernel_size, stride, padding, ceil_mode}
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> paddle.nn.LPPool2D(2.0, 2)(paddle.full([1, 1, 2, 2], 2.0)).item()
        4.0
        >>> paddle.nn.LPPool2d is paddle.nn.LPPool2D
        True
    """

    def __init__(
        self,
        norm_type,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode=False,
        data_format="NCHW",
        name=None,
    ):
        super().__init__(
            kernel_size,
            kernel_size if stride is None else stride,
            padding,
            ceil_mode,
            data_format,
            name,
        )
        self.norm_type = float(norm_type)

    def forward(self, x):
        return F.lp_pool2d(
            x,
            self.norm_type,
            self.ksize,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.data_format,
        )

    def extra_repr(self):
        return f"norm_type={self.norm_type}, " + super().extra_repr()


LPPool1d, LPPool2d = LPPool1D, LPPool2D


class AdaptiveAvgPool1D(Layer):
    """Mean over windows that make L equal to output_size.

    Args:
        output_size (int): The extent of the result.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> paddle.nn.AdaptiveAvgPool1D(2)(paddle.to_tensor([[[1.0, 2.0, 3.0, 4.0]]])).tolist()
        [[[1.5, 3.5]]]
    """

    def __init__(self, output_size, name=None):
        super().__init__()
        self.output_size = output_size
        self.name = name

    def forward(self, input):
        return F.adaptive_avg_pool1d(input, self.output_size)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveAvgPool2D(Layer):
    """Mean over windows that make H, W equal to output_size.

    Args:
        output_size (int or list of ints): The height and width of the output; None keeps an
            extent.
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]).reshape([1, 1, 2, 2])
        >>> paddle.nn.AdaptiveAvgPool2D(1)(x).flatten().tolist()
        [2.5]
    """

    output_size = reads("_output_size")

    def __init__(self, output_size, data_format="NCHW", name=None):
        super().__init__()
        self._output_size = output_size
        self._data_format = data_format
        self._name = name

    def forward(self, x):
        return F.adaptive_avg_pool2d(x, self._output_size, self._data_format)

    def extra_repr(self):
        return f"output_size={self._output_size}"


class AdaptiveAvgPool3D(Layer):
    """Mean over windows that make D, H, W equal to output_size.

    Args:
        output_size (int or list of ints): The extents of the result; None keeps an axis as it is.
        data_format (str, default 'NCDHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> paddle.nn.AdaptiveAvgPool3D([1, 2, 2])(paddle.ones([1, 2, 4, 4, 4])).shape
        paddle.Size([1, 2, 1, 2, 2])
    """

    output_size = reads("_output_size")

    def __init__(self, output_size, data_format="NCDHW", name=None):
        super().__init__()
        self._output_size = output_size
        self._data_format = data_format
        self._name = name

    def forward(self, x):
        return F.adaptive_avg_pool3d(x, self._output_size, self._data_format)

    def extra_repr(self):
        return f"output_size={self._output_size}"


@aliases(return_indices="return_mask")
@shares(ADAPTIVE)
class AdaptiveMaxPool1D(Layer):
    """Maximum over windows that make L equal to output_size.

    Args:
        output_size (int): The extent of the result.
        {return_mask, name}

    Examples:
        >>> paddle.nn.AdaptiveMaxPool1D(2)(paddle.to_tensor([[[1.0, 5.0, 3.0, 4.0]]])).tolist()
        [[[5.0, 4.0]]]
        >>> paddle.nn.AdaptiveMaxPool1d is paddle.nn.AdaptiveMaxPool1D
        True
    """

    return_indices = reads("return_mask")

    def __init__(self, output_size, return_mask=False, name=None):
        super().__init__()
        self.output_size = output_size
        self.return_mask = return_mask
        self.name = name

    def forward(self, input):
        return F.adaptive_max_pool1d(input, self.output_size, self.return_mask)

    def extra_repr(self):
        return f"output_size={self.output_size}, return_mask={self.return_mask}"


@aliases(return_indices="return_mask")
@shares(ADAPTIVE)
class AdaptiveMaxPool2D(Layer):
    """Maximum over windows that make H, W equal to output_size.

    Args:
        {output_size, return_mask, name}

    Examples:
        >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
        >>> paddle.nn.AdaptiveMaxPool2D(2)(x).tolist()
        [[[[5.0, 7.0], [13.0, 15.0]]]]
        >>> paddle.nn.AdaptiveMaxPool2d is paddle.nn.AdaptiveMaxPool2D
        True
    """

    return_indices = reads("_return_mask")

    def __init__(self, output_size, return_mask=False, name=None):
        super().__init__()
        self._output_size = output_size
        self._return_mask = return_mask
        self._name = name

    def forward(self, x):
        return F.adaptive_max_pool2d(x, self._output_size, self._return_mask)

    def extra_repr(self):
        return f"output_size={self._output_size}, return_mask={self._return_mask}"


class AdaptiveMaxPool3D(AdaptiveMaxPool2D):
    """Maximum over windows that make D, H, W equal to output_size.

    Args:
        output_size (int or list of ints): The extents of the result; None keeps an axis as it is.
        return_mask (bool, default False): Whether the places of the maxima are returned too.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> paddle.nn.AdaptiveMaxPool3D([2, 1, 1])(paddle.ones([1, 2, 4, 4, 4])).shape
        paddle.Size([1, 2, 2, 1, 1])
        >>> paddle.nn.AdaptiveMaxPool3d is paddle.nn.AdaptiveMaxPool3D
        True
    """

    def forward(self, x):
        return F.adaptive_max_pool3d(x, self._output_size, self._return_mask)


AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d = (
    AdaptiveMaxPool1D,
    AdaptiveMaxPool2D,
    AdaptiveMaxPool3D,
)


class _MaxUnPool(Layer):
    _fn = None

    def _setup(self, kernel_size, stride, padding, data_format, output_size, name):
        Layer.__init__(self)
        self.ksize, self.stride, self.padding = kernel_size, stride, padding
        self.data_format, self.output_size, self.name = data_format, output_size, name

    def forward(self, x, indices, output_size=None):
        return getattr(F, self._fn)(
            x,
            indices,
            self.ksize,
            self.stride,
            self.padding,
            self.data_format,
            self.output_size if output_size is None else output_size,
        )

    def extra_repr(self):
        return f"output_size={self.output_size}"


@shares(WINDOW)
class MaxUnPool1D(_MaxUnPool):
    """Inverse of MaxPool1D.

    Args:
        {kernel_size, stride, padding}
        data_format (str, default 'NCL'): The order of axes, channels first or last.
        {output_size, name}

    Examples:
        >>> x = paddle.to_tensor([[[1.0, 5.0, 3.0, 4.0]]])
        >>> top, places = paddle.nn.MaxPool1D(2, return_mask=True)(x)
        >>> paddle.nn.MaxUnPool1D(2)(top, places).tolist()
        [[[0.0, 5.0, 0.0, 4.0]]]
    """

    _fn = "max_unpool1d"

    def __init__(
        self, kernel_size, stride=None, padding=0, data_format="NCL", output_size=None, name=None
    ):
        self._setup(kernel_size, stride, padding, data_format, output_size, name)


@shares(WINDOW)
class MaxUnPool2D(_MaxUnPool):
    """Inverse of MaxPool2D.

    Args:
        {kernel_size, stride, padding}
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        {output_size, name}

    Examples:
        >>> x = paddle.to_tensor([[[[1.0, 5.0], [3.0, 4.0]]]])
        >>> top, places = paddle.nn.MaxPool2D(2, return_mask=True)(x)
        >>> paddle.nn.MaxUnPool2D(2)(top, places).tolist()
        [[[[0.0, 5.0], [0.0, 0.0]]]]
    """

    _fn = "max_unpool2d"

    def __init__(
        self, kernel_size, stride=None, padding=0, data_format="NCHW", output_size=None, name=None
    ):
        self._setup(kernel_size, stride, padding, data_format, output_size, name)


@shares(WINDOW)
class MaxUnPool3D(_MaxUnPool):
    """Inverse of MaxPool3D.

    Args:
        {kernel_size, stride, padding}
        data_format (str, default 'NCDHW'): The order of axes, channels first or last.
        {output_size, name}

    Examples:
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> top, places = paddle.nn.MaxPool3D(2, return_mask=True)(x)
        >>> paddle.nn.MaxUnPool3D(2)(top, places).flatten().tolist()
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 7.0]
    """

    _fn = "max_unpool3d"

    def __init__(
        self, kernel_size, stride=None, padding=0, data_format="NCDHW", output_size=None, name=None
    ):
        self._setup(kernel_size, stride, padding, data_format, output_size, name)


AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d = (
    AdaptiveAvgPool1D,
    AdaptiveAvgPool2D,
    AdaptiveAvgPool3D,
)
MaxUnpool1d, MaxUnpool2d, MaxUnpool3d = MaxUnPool1D, MaxUnPool2D, MaxUnPool3D


class FractionalMaxPool2D(Layer):
    """Maximum over windows of random size for images.

    Args:
        output_size (int or list of ints): The extents of the result.
        kernel_size (int or list of ints, default None): The extents of windows that overlap; None
            for windows that share no element.
        random_u (float, default None): What tells the windows, between 0 and 1; None draws it in
            each call.
        return_mask (bool, default False): Whether the places of the maxima are returned too.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Graham, Fractional Max-Pooling, 2014

    Examples:
        >>> x = paddle.arange(25, dtype="float32").reshape([1, 1, 5, 5])
        >>> paddle.nn.FractionalMaxPool2D(2, random_u=0.5)(x).tolist()
        [[[[12.0, 14.0], [22.0, 24.0]]]]
    """

    def __init__(self, output_size, kernel_size=None, random_u=None, return_mask=False, name=None):
        super().__init__()
        self._output_size = output_size
        self._kernel_size = kernel_size
        self._random_u = random_u
        self._return_mask = return_mask
        self._name = name

    def forward(self, x):
        return F.fractional_max_pool2d(
            x, self._output_size, self._kernel_size, self._random_u, self._return_mask
        )

    def extra_repr(self):
        return f"output_size={self._output_size}, return_mask={self._return_mask}"


@shares(FractionalMaxPool2D)
class FractionalMaxPool3D(FractionalMaxPool2D):
    """Maximum over windows of random size for volumes.

    Args:
        {output_size, kernel_size, random_u, return_mask, name}

    Source: Graham, Fractional Max-Pooling, 2014

    Examples:
        >>> paddle.nn.FractionalMaxPool3D(2)(paddle.rand([1, 2, 5, 5, 5])).shape
        paddle.Size([1, 2, 2, 2, 2])
    """

    def forward(self, x):
        return F.fractional_max_pool3d(
            x, self._output_size, self._kernel_size, self._random_u, self._return_mask
        )
