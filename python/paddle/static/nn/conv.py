# SPDX-License-Identifier: Apache-2.0
"""Convolutions as functions: each call makes its own filters and applies them to values of the
program.
"""

import math

import paddle
import paddle.nn.functional as F
from paddle.nn.initializer import Normal
from paddle.static.nn.common import activated, parameter
from paddle.utils import unique_name

__all__ = ['conv2d', 'conv2d_transpose', 'conv3d', 'conv3d_transpose', 'deform_conv2d']


def _each(value, rank, what):
    """`value` for each spatial axis."""
    values = list(value) if isinstance(value, (list, tuple)) else [value] * rank
    if len(values) != rank:
        raise ValueError(f"[{what}] expected {rank} numbers, got {value!r}")
    return [int(v) for v in values]


def _channels(input, groups, data_format, what):
    channels = input.shape[1 if data_format.startswith('NC') else -1]
    if channels < 0 or channels % groups:
        raise ValueError(
            f"[{what}] expected a known number of channels that {groups} groups divide, got "
            f"{channels}"
        )
    return channels


def _convolved(
    rank,
    input,
    num_filters,
    filter_size,
    stride,
    padding,
    dilation,
    groups,
    param_attr,
    bias_attr,
    act,
    name,
    data_format,
):
    what = f'conv{rank}d'
    scope, groups, kernel = (
        name or unique_name.generate(what),
        groups or 1,
        _each(filter_size, rank, what),
    )
    channels = _channels(input, groups, data_format, what)
    if num_filters % groups:
        raise ValueError(
            f"[{what}] expected num_filters that {groups} groups divide, got {num_filters}"
        )
    spread = math.sqrt(2.0 / (math.prod(kernel) * channels))
    weight = parameter(
        scope,
        [num_filters, channels // groups, *kernel],
        input.dtype,
        param_attr,
        default=Normal(0.0, spread),
    )
    bias = parameter(scope, [num_filters], input.dtype, bias_attr, True)
    out = getattr(F, what)(input, weight, bias, stride, padding, dilation, groups, data_format)
    return activated(out, act)


def conv2d(
    input,
    num_filters,
    filter_size,
    stride=1,
    padding=0,
    dilation=1,
    groups=None,
    param_attr=None,
    bias_attr=None,
    use_cudnn=True,
    act=None,
    name=None,
    data_format='NCHW',
):
    """A two-dimensional convolution with `num_filters` new filters."""
    return _convolved(
        2,
        input,
        num_filters,
        filter_size,
        stride,
        padding,
        dilation,
        groups,
        param_attr,
        bias_attr,
        act,
        name,
        data_format,
    )


def conv3d(
    input,
    num_filters,
    filter_size,
    stride=1,
    padding=0,
    dilation=1,
    groups=None,
    param_attr=None,
    bias_attr=None,
    use_cudnn=True,
    act=None,
    name=None,
    data_format='NCDHW',
):
    """A three-dimensional convolution with `num_filters` new filters."""
    return _convolved(
        3,
        input,
        num_filters,
        filter_size,
        stride,
        padding,
        dilation,
        groups,
        param_attr,
        bias_attr,
        act,
        name,
        data_format,
    )


def _kernel_for(output_size, input, stride, padding, dilation, data_format, what):
    """The filter extents that give `output_size`."""
    rank = len(stride)
    if isinstance(padding, str) or len(padding) != rank:
        raise ValueError(
            f"[{what}] expected one padding number an axis when filter_size is to be found, got "
            f"{padding!r}"
        )
    spatial = input.shape[2:] if data_format.startswith('NC') else input.shape[1:-1]
    return [
        (o - (i - 1) * s + 2 * p - 1) // d + 1
        for o, i, s, p, d in zip(output_size, spatial, stride, padding, dilation)
    ]


def _spread(
    rank,
    input,
    num_filters,
    output_size,
    filter_size,
    padding,
    stride,
    dilation,
    groups,
    param_attr,
    bias_attr,
    act,
    name,
    data_format,
):
    what = f'conv{rank}d_transpose'
    scope, groups = name or unique_name.generate(what), groups or 1
    channels = _channels(input, groups, data_format, what)
    stride, dilation = _each(stride, rank, what), _each(dilation, rank, what)
    if output_size is not None:
        output_size = _each(output_size, rank, what)
    if filter_size is None:
        if output_size is None:
            raise ValueError("[conv_transpose] expected output_size or filter_size, got neither")
        given = padding if isinstance(padding, str) else _each(padding, rank, what)
        kernel = _kernel_for(output_size, input, stride, given, dilation, data_format, what)
    else:
        kernel = _each(filter_size, rank, what)
    weight = parameter(scope, [channels, num_filters // groups, *kernel], input.dtype, param_attr)
    bias = parameter(scope, [num_filters], input.dtype, bias_attr, True)
    out = getattr(F, what)(
        input,
        weight,
        bias,
        stride=stride,
        padding=padding,
        groups=groups,
        dilation=dilation,
        output_size=output_size,
        data_format=data_format,
    )
    return activated(out, act)


def conv2d_transpose(
    input,
    num_filters,
    output_size=None,
    filter_size=None,
    padding=0,
    stride=1,
    dilation=1,
    groups=None,
    param_attr=None,
    bias_attr=None,
    use_cudnn=True,
    act=None,
    name=None,
    data_format='NCHW',
):
    """A two-dimensional transposed convolution with new filters; one of `output_size` and
    `filter_size` may be left out.
    """
    return _spread(
        2,
        input,
        num_filters,
        output_size,
        filter_size,
        padding,
        stride,
        dilation,
        groups,
        param_attr,
        bias_attr,
        act,
        name,
        data_format,
    )


def conv3d_transpose(
    input,
    num_filters,
    output_size=None,
    filter_size=None,
    padding=0,
    stride=1,
    dilation=1,
    groups=None,
    param_attr=None,
    bias_attr=None,
    use_cudnn=True,
    act=None,
    name=None,
    data_format='NCDHW',
):
    """A three-dimensional transposed convolution with new filters; one of `output_size` and
    `filter_size` may be left out.
    """
    return _spread(
        3,
        input,
        num_filters,
        output_size,
        filter_size,
        padding,
        stride,
        dilation,
        groups,
        param_attr,
        bias_attr,
        act,
        name,
        data_format,
    )


def deform_conv2d(
    x,
    offset,
    mask,
    num_filters,
    filter_size,
    stride=1,
    padding=0,
    dilation=1,
    groups=1,
    deformable_groups=1,
    im2col_step=1,
    weight_attr=None,
    bias_attr=None,
    name=None,
):
    """A deformable convolution with new filters; `mask` (None: version 1) weighs the samples."""
    scope, kernel = (
        name or unique_name.generate('deformable_conv'),
        _each(filter_size, 2, 'deform_conv2d'),
    )
    channels = _channels(x, groups, 'NCHW', 'deform_conv2d')
    spread = math.sqrt(2.0 / (math.prod(kernel) * channels))
    weight = parameter(
        scope,
        [num_filters, channels // groups, *kernel],
        x.dtype,
        weight_attr,
        default=Normal(0.0, spread),
    )
    bias = parameter(scope, [num_filters], x.dtype, bias_attr, True)
    return paddle.vision.ops.deform_conv2d(
        x, offset, weight, bias, stride, padding, dilation, deformable_groups, groups, mask
    )
