# SPDX-License-Identifier: Apache-2.0
"""Convolutions as functions: each call makes its own filters and applies them to values of the
program.
"""

import math

import paddle
from paddle.base.documentation import shares
import paddle.nn.functional as F
from paddle.nn.initializer import Normal
from paddle.static.nn.common import activated, parameter
from paddle.utils import unique_name
from paddle.utils.deprecated import deprecated

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


@deprecated('paddle.nn.Conv2D', '3.0.0', level=1)
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
    """A two-dimensional convolution with new filters.

    Args:
        input (Tensor): Of shape [N, C, H, W], or [N, H, W, C] for `NHWC`.
        num_filters (int): How many channels the result has.
        filter_size (int or list of ints): The extents of a filter: one number, or one for each
            spatial axis.
        stride (int or list of ints, default 1): The step of the filter.
        padding (int, list of ints or str, default 0): The zeros around the input, or `SAME` or
            `VALID`.
        dilation (int or list of ints, default 1): The distance of the elements that a filter sees.
        groups (int, default None): Into how many parts channels are divided, each with filters of
            its own; None for 1.
        param_attr (ParamAttr, default None): Attributes of the filters.
        bias_attr (ParamAttr or bool, default None): Attributes of the bias; False for none.
        use_cudnn (bool, default True): Taken for compatibility; it has no effect.
        act (str, default None): The name of a function of `paddle.nn.functional`.
        name (str, default None): The beginning of the parameters' names.
        data_format (str, default 'NCHW'): `NCHW` or `NHWC`.

    Returns:
        Tensor: of as many axes as input, with num_filters channels.

    Raises:
        ValueError: groups do not divide the channels or num_filters, or a number for each axis is
            not given.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 1, 3, 3])
        ...     y = paddle.static.nn.conv2d(x, 1, 2, param_attr=paddle.nn.initializer.Constant(1.0))
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> feed = {"x": [[[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]]]}
        >>> exe.run(main, feed=feed, fetch_list=[y])[0].tolist()
        [[[[8.0, 12.0], [20.0, 24.0]]]]
    """
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


@shares(conv2d)
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
    """A three-dimensional convolution with new filters.

    Args:
        input (Tensor): Of shape [N, C, D, H, W], or [N, D, H, W, C] for `NDHWC`.
        {num_filters, filter_size, stride, padding, dilation, groups, param_attr, bias_attr}
        {use_cudnn, act, name}
        data_format (str, default 'NCDHW'): `NCDHW` or `NDHWC`.

    Returns:
        Tensor: of as many axes as input, with num_filters channels.

    Raises:
        ValueError: groups do not divide the channels or num_filters, or a number for each axis is
            not given.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 1, 2, 2, 2])
        ...     y = paddle.static.nn.conv3d(x, 1, 2, param_attr=paddle.nn.initializer.Constant(1.0))
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> feed = {"x": [[[[[0.0, 1.0], [2.0, 3.0]], [[4.0, 5.0], [6.0, 7.0]]]]]}
        >>> exe.run(main, feed=feed, fetch_list=[y])[0].tolist()
        [[[[[28.0]]]]]
    """
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


@shares(conv2d)
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
    """A two-dimensional transposed convolution with new filters.

    Args:
        {input, num_filters}
        output_size (int or list of ints, default None): The spatial extents of the result; None for
            what the filter gives.
        filter_size (int or list of ints, default None): The extents of a filter; None for those
            that give output_size.
        {padding, stride, dilation, groups, param_attr, bias_attr, use_cudnn, act, name}
        {data_format}

    Returns:
        Tensor: of as many axes as input, with num_filters channels.

    Raises:
        ValueError: Neither output_size nor filter_size is given, or groups do not divide the
            channels.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 1, 2, 2])
        ...     y = paddle.static.nn.conv2d_transpose(
        ...         x, 1, filter_size=2, stride=2, param_attr=paddle.nn.initializer.Constant(1.0))
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> feed = {"x": [[[[1.0, 2.0], [3.0, 4.0]]]]}
        >>> exe.run(main, feed=feed, fetch_list=[y])[0].tolist()
        [[[[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0], [3.0, 3.0, 4.0, 4.0], [3.0, 3.0, 4.0, 4.0]]]]
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


@shares(conv2d_transpose)
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
    """A three-dimensional transposed convolution with new filters.

    Args:
        input (Tensor): Of shape [N, C, D, H, W], or [N, D, H, W, C] for `NDHWC`.
        {num_filters, output_size, filter_size, padding, stride, dilation, groups, param_attr}
        {bias_attr, use_cudnn, act, name}
        data_format (str, default 'NCDHW'): `NCDHW` or `NDHWC`.

    Returns:
        Tensor: of as many axes as input, with num_filters channels.

    Raises:
        ValueError: Neither output_size nor filter_size is given, or groups do not divide the
            channels.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 1, 1, 1, 2])
        ...     y = paddle.static.nn.conv3d_transpose(
        ...         x, 1, filter_size=[1, 1, 2], param_attr=paddle.nn.initializer.Constant(1.0))
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> exe.run(main, feed={"x": [[[[[1.0, 2.0]]]]]}, fetch_list=[y])[0].tolist()
        [[[[[1.0, 3.0, 2.0]]]]]
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


@shares(conv2d)
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
    """A deformable convolution with new filters: it samples its input beside the grid.

    Args:
        x (Tensor): Of shape [N, C, H, W].
        offset (Tensor): How far each sample is off, of shape [N, 2 * deformable_groups * kernel
            elements, H_out, W_out].
        mask (Tensor or None): A factor of each sample, of shape [N, deformable_groups * kernel
            elements, H_out, W_out]; None for version 1, which has none.
        {num_filters, filter_size, stride}
        padding (int or list of ints, default 0): The zeros around the input.
        {dilation}
        groups (int, default 1): Into how many parts channels are divided, each with filters of its
            own.
        deformable_groups (int, default 1): Into how many parts channels are divided, each with
            offsets of its own.
        im2col_step (int, default 1): Taken for compatibility; it has no effect.
        weight_attr (ParamAttr, default None): Attributes of the filters.
        {bias_attr, name}

    Returns:
        Tensor: of shape [N, num_filters, H_out, W_out].

    Source: Zhu, Hu, Lin and Dai, Deformable ConvNets v2, https://arxiv.org/abs/1811.11168.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 1, 2, 2])
        ...     offset = paddle.static.data("offset", [None, 2, 2, 2])
        ...     y = paddle.static.nn.deform_conv2d(
        ...         x, offset, None, 1, 1, weight_attr=paddle.nn.initializer.Constant(1.0))
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> zero, half = [[0.0, 0.0], [0.0, 0.0]], [[0.5, 0.0], [0.0, 0.0]]
        >>> feed = {"x": [[[[1.0, 2.0], [3.0, 4.0]]]], "offset": [[zero, half]]}
        >>> exe.run(main, feed=feed, fetch_list=[y])[0].tolist()
        [[[[1.5, 2.0], [3.0, 4.0]]]]
    """
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
