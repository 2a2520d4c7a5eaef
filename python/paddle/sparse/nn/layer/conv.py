# SPDX-License-Identifier: Apache-2.0
"""Convolution layers of sparse images and volumes."""

import math

from paddle.nn import Layer
from paddle.nn.initializer import Normal

from .. import functional as F
from ..functional.windows import numbers

__all__ = ['Conv2D', 'Conv3D', 'SubmConv2D', 'SubmConv3D']


class _Conv(Layer):
    """A weight [*kernel, in_channels, out_channels], a bias, and the arguments of `_function`."""

    _axes = 3

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        dilation,
        groups,
        padding_mode,
        weight_attr,
        bias_attr,
        data_format,
    ):
        super().__init__()
        op = type(self).__name__
        if weight_attr is False:
            raise AssertionError(f'[{op}] expected a weight, got weight_attr=False')
        if padding_mode != 'zeros':
            raise AssertionError(f"[{op}] expected padding_mode='zeros', got {padding_mode!r}")
        if groups != 1:
            raise AssertionError(f'[{op}] expected groups=1, got {groups}')
        (in_channels,) = numbers(op, 'in_channels', [in_channels], 1, 1)
        (out_channels,) = numbers(op, 'out_channels', [out_channels], 1, 1)
        self._in_channels, self._out_channels = in_channels, out_channels
        self._kernel_size = numbers(op, 'kernel_size', kernel_size, self._axes, 1)
        self._stride = numbers(op, 'stride', stride, self._axes, 1)
        self._dilation = numbers(op, 'dilation', dilation, self._axes, 1)
        self._padding, self._groups, self._data_format = padding, groups, data_format
        fan = math.prod(self._kernel_size) * in_channels
        self.weight = self.create_parameter(
            [*self._kernel_size, in_channels, out_channels],
            weight_attr,
            default_initializer=Normal(0.0, (2.0 / max(fan, 1)) ** 0.5),
        )
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x):
        return self._function(
            x,
            self.weight,
            self.bias,
            self._stride,
            self._padding,
            self._dilation,
            self._groups,
            self._data_format,
        )

    def extra_repr(self):
        text = f'{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}'
        if self._stride != [1] * self._axes:
            text += f', stride={self._stride}'
        if self._padding != 0:
            text += f', padding={self._padding}'
        if self._dilation != [1] * self._axes:
            text += f', dilation={self._dilation}'
        return text + f', data_format={self._data_format}'


_ARGS = """

    Args:
        in_channels (int): The channels of the input.
        out_channels (int): The channels of the result.
        kernel_size (int or list of int): The extents of the window.
        stride (int or list of int, default 1): Its steps.
        padding (int, str or list, default 0): Zeros around the input.
        dilation (int or list of int, default 1): Steps within the window.
        groups (int, default 1): It must be 1.
        padding_mode (str, default 'zeros'): It must be 'zeros'."""
_ATTRS = """
        weight_attr (ParamAttr, default None): How the weight is made.
        bias_attr (ParamAttr or bool, default None): How the bias is made; False for none.
        data_format (str, default '{layout}'): It must be the default."""
_EXAMPLE = """

    Examples:
        >>> layer = paddle.sparse.nn.{name}(1, 8, 3)
        >>> layer(paddle.ones([1, {axes}, 1]).to_sparse_coo({sparse})).shape
        paddle.Size([1, {out}, 8])
    """


def _layer(name, axes, data_format, function):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        padding_mode='zeros',
        weight_attr=None,
        bias_attr=None,
        data_format=data_format,
    ):
        _Conv.__init__(
            self,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            padding_mode,
            weight_attr,
            bias_attr,
            data_format,
        )

    return _made(name, axes, function, __init__, '')


def _subm_layer(name, axes, data_format, function, igemm):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        padding_mode='zeros',
        key=None,
        weight_attr=None,
        bias_attr=None,
        data_format=data_format,
        backend=None,
    ):
        if backend not in (None, 'igemm'):
            raise ValueError(f"[{name}] expected backend None or 'igemm', got {backend!r}")
        _Conv.__init__(
            self,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            padding_mode,
            weight_attr,
            bias_attr,
            data_format,
        )
        self._key = key
        if backend == 'igemm':
            self._function = igemm

    more = """
        key (str, default None): Taken for compatibility: places are kept with the tensor."""
    backend = """
        backend (str, default None): None or 'igemm': the results are the same."""
    return _made(name, axes, function, __init__, more, backend)


def _made(name, axes, function, init, more, backend=''):
    init.__qualname__ = f'{name}.__init__'
    doc = f'`paddle.sparse.nn.functional.{function.__name__}` as a layer.'
    attrs = _ATTRS.format(layout={2: 'NHWC', 3: 'NDHWC'}[axes])
    extents = {kind: ', '.join(kind * axes) for kind in '24'}
    example = _EXAMPLE.format(
        name=name, axes=extents['4'], sparse=axes + 1, out=extents['4' if 'Subm' in name else '2']
    )
    return type(
        name,
        (_Conv,),
        {
            '__init__': init,
            '__doc__': doc + _ARGS + more + attrs + backend + example,
            '__module__': __name__,
            '_axes': axes,
            '_function': staticmethod(function),
        },
    )


Conv2D = _layer('Conv2D', 2, 'NHWC', F.conv2d)
Conv3D = _layer('Conv3D', 3, 'NDHWC', F.conv3d)
SubmConv2D = _subm_layer('SubmConv2D', 2, 'NHWC', F.subm_conv2d, F.subm_conv2d_igemm)
SubmConv3D = _subm_layer('SubmConv3D', 3, 'NDHWC', F.subm_conv3d, F.subm_conv3d_igemm)
