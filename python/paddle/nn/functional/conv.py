# SPDX-License-Identifier: Apache-2.0
"""Convolutions and transposed convolutions in one to three dimensions."""

import paddle
from paddle import _C_ops
from paddle.base.arguments import second_names
from paddle.base.documentation import shares
from paddle.base.libpaddle import expect_tensors
from paddle.tensor.manipulation import extents

from . import _parse
from .vision import pad

__all__ = ["conv1d", "conv2d", "conv3d", "conv1d_transpose", "conv2d_transpose", "conv3d_transpose"]

_FORMATS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def _add_bias(out, bias, channel_last):
    if bias is None:
        return out
    if not channel_last:
        bias = _C_ops.reshape(bias, [1, -1] + [1] * (len(out.shape) - 2))
    return _C_ops.add(out, bias)


def check_input(op, x, n):
    """ValueError unless `x` has `n` axes besides batch and channels."""
    expect_tensors(op, x=x)
    if len(x.shape) != n + 2:
        raise ValueError(f"[{op}] expected x of {n + 2} axes, got shape {list(x.shape)}")


def _check_weight(op, weight, n):
    expect_tensors(op, weight=weight)
    if len(weight.shape) != n + 2:
        raise ValueError(
            f"[{op}] expected a weight of {n + 2} axes, got shape {list(weight.shape)}"
        )


def conv_nd(n, x, weight, bias, stride, pads, algorithm, dilation, groups, data_format):
    """Convolution whose arguments are parsed already: lists of n ints, `pads` of n or 2n."""
    channel_last = data_format[-1] == "C"
    if algorithm == "SAME":
        spatial = x.shape[1:-1] if channel_last else x.shape[2:]
        if any(step > 1 and extent < 0 for step, extent in zip(stride, spatial)):
            x, algorithm = _padded_alike(n, x, weight, stride, dilation, data_format), "VALID"
    if n == 2:
        out = _C_ops.conv2d(x, weight, stride, pads, algorithm, dilation, groups, data_format)
    elif n == 3:
        out = _C_ops.conv3d(x, weight, stride, pads, algorithm, groups, dilation, data_format)
    else:
        axis = 1 if channel_last else 2
        pads = [0, pads[0]] if len(pads) == 1 else [0, 0, pads[0], pads[1]]
        out = _C_ops.conv2d(
            _C_ops.unsqueeze(x, [axis]),
            _C_ops.unsqueeze(weight, [2]),
            [1, stride[0]],
            pads,
            algorithm,
            [1, dilation[0]],
            groups,
            "NHWC" if channel_last else "NCHW",
        )
        out = _C_ops.squeeze(out, [axis])
    return _add_bias(out, bias, channel_last)


def _conv(n, x, weight, bias, stride, padding, dilation, groups, data_format):
    op = f"conv{n}d"
    _parse.data_format(op, data_format, *_FORMATS[n])
    check_input(op, x, n)
    _check_weight(op, weight, n)
    channel_last = data_format[-1] == "C"
    channels = x.shape[-1 if channel_last else 1]
    if groups <= 0:
        raise ValueError(f"[{op}] expected positive groups, got {groups}")
    if channels >= 0 and channels % groups != 0:
        raise ValueError(
            f"[{op}] expected groups that divide the {channels} input channels, got {groups}"
        )
    if weight.shape[0] >= 0 and weight.shape[0] % groups != 0:
        raise ValueError(
            f"[{op}] expected groups that divide the {weight.shape[0]} output channels, got "
            f"{groups}"
        )
    if n == 1 and channels >= 0 and channels != weight.shape[1] * groups:
        raise ValueError(  # what computes it sees four axes
            f"[{op}] expected {weight.shape[1]} * groups {groups} input channels for weight shape "
            f"{list(weight.shape)}, got input shape {list(x.shape)}"
        )
    pads, algorithm = _parse.padding(op, padding, n, channel_last)
    return conv_nd(
        n,
        x,
        weight,
        bias,
        _parse.ints(op, "stride", stride, n),
        pads,
        algorithm,
        _parse.ints(op, "dilation", dilation, n),
        groups,
        data_format,
    )


def _padded_alike(n, x, weight, stride, dilation, data_format):
    """x with the zeros of padding 'SAME', whose number its program finds when it runs."""
    pads = []
    for axis in reversed(range(n)):
        extent = extents(x)[axis + (1 if data_format[-1] == "C" else 2)]
        field = (extents(weight)[axis + 2] - 1) * dilation[axis] + 1
        windows = (extent + stride[axis] - 1) // stride[axis]
        total = (windows - 1) * stride[axis] + field - extent
        total = max(total, 0) if isinstance(total, int) else paddle.clip(total, min=0)
        pads += [total // 2, total - total // 2]
    return pad(x, pads, data_format=data_format)


@second_names(input='x')
def conv1d(
    x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NCL", name=None
):
    """Convolution of 1 spatial dimension.

    Args:
        x (Tensor): Input, [N, C, L] or, with data_format 'NLC', channels last. Also `input`.
        weight (Tensor): Filters, [out, C / groups, k].
        bias (Tensor, default None): One number for each output channel.
        stride (int or list of ints, default 1): The step of the window.
        padding (int, str, list of ints or list of lists, default 0): Zeros around the input: a
            number, one for each dimension, one for each side, 'SAME' or 'VALID'.
        dilation (int or list of ints, default 1): The distance of the window's elements.
        groups (int, default 1): Into how many parts channels fall that do not meet.
        data_format (str, default 'NCL'): The order of axes: 'NCL' or 'NLC'.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The sums, in the order of axes of x.

    Examples:
        >>> x = paddle.ones([1, 2, 4])
        >>> w = paddle.ones([3, 2, 3])
        >>> paddle.nn.functional.conv1d(x, w, padding=1).shape
        paddle.Size([1, 3, 4])
    """
    return _conv(1, x, weight, bias, stride, padding, dilation, groups, data_format)


@second_names(input='x')
def conv2d(
    x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NCHW", name=None
):
    """Convolution of 2 spatial dimensions.

    Args:
        x (Tensor): Input, [N, C, H, W] or, with data_format 'NHWC', channels last. Also
            `input`.
        weight (Tensor): Filters, [out, C / groups, kh, kw].
        bias (Tensor, default None): One number for each output channel.
        stride (int or list of ints, default 1): The step of the window.
        padding (int, str, list of ints or list of lists, default 0): Zeros around the input: a
            number, one for each dimension, one for each side, 'SAME' or 'VALID'.
        dilation (int or list of ints, default 1): The distance of the window's elements.
        groups (int, default 1): Into how many parts channels fall that do not meet.
        data_format (str, default 'NCHW'): The order of axes: 'NCHW' or 'NHWC'.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The sums, in the order of axes of x.

    Examples:
        >>> x = paddle.ones([1, 2, 4, 4])
        >>> w = paddle.ones([3, 2, 3, 3])
        >>> paddle.nn.functional.conv2d(x, w, padding=1).shape
        paddle.Size([1, 3, 4, 4])
    """
    return _conv(2, x, weight, bias, stride, padding, dilation, groups, data_format)


@second_names(input='x')
def conv3d(
    x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NCDHW", name=None
):
    """Convolution of 3 spatial dimensions.

    Args:
        x (Tensor): Input, [N, C, D, H, W] or, with data_format 'NDHWC', channels last. Also
            `input`.
        weight (Tensor): Filters, [out, C / groups, kd, kh, kw].
        bias (Tensor, default None): One number for each output channel.
        stride (int or list of ints, default 1): The step of the window.
        padding (int, str, list of ints or list of lists, default 0): Zeros around the input: a
            number, one for each dimension, one for each side, 'SAME' or 'VALID'.
        dilation (int or list of ints, default 1): The distance of the window's elements.
        groups (int, default 1): Into how many parts channels fall that do not meet.
        data_format (str, default 'NCDHW'): The order of axes: 'NCDHW' or 'NDHWC'.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The sums, in the order of axes of x.

    Examples:
        >>> x = paddle.ones([1, 2, 4, 4, 4])
        >>> w = paddle.ones([3, 2, 3, 3, 3])
        >>> paddle.nn.functional.conv3d(x, w, padding=1).shape
        paddle.Size([1, 3, 4, 4, 4])
    """
    return _conv(3, x, weight, bias, stride, padding, dilation, groups, data_format)


def _conv_transpose(
    n, x, weight, bias, stride, padding, output_padding, dilation, groups, output_size, data_format
):
    op = f"conv{n}d_transpose"
    _parse.data_format(op, data_format, *_FORMATS[n])
    check_input(op, x, n)
    _check_weight(op, weight, n)
    channel_last = data_format[-1] == "C"
    channels = x.shape[-1 if channel_last else 1]
    if groups <= 0 or (channels >= 0 and channels % groups != 0):
        raise ValueError(
            f"[{op}] expected groups that divide the {channels} input channels, got {groups}"
        )
    if n == 1 and channels >= 0 and channels != weight.shape[0]:
        raise ValueError(
            f"[{op}] expected {weight.shape[0]} input channels for weight shape "
            f"{list(weight.shape)}, got input shape {list(x.shape)}"
        )
    pads, algorithm = _parse.padding(op, padding, n, channel_last)
    stride = _parse.ints(op, "stride", stride, n)
    dilation = _parse.ints(op, "dilation", dilation, n)
    output_padding = _parse.ints(op, "output_padding", output_padding, n)
    if output_size is None:
        size = []
    else:
        if any(output_padding):
            raise ValueError(f"[{op}] expected output_padding or output_size, got both")
        size = _parse.ints(op, "output_size", output_size, n)
    extra = output_padding if any(output_padding) else []
    if n == 1:
        axis = 1 if channel_last else 2
        pads = [0, pads[0]] if len(pads) == 1 else [0, 0, pads[0], pads[1]]
        out = _C_ops.conv2d_transpose(
            _C_ops.unsqueeze(x, [axis]),
            _C_ops.unsqueeze(weight, [2]),
            [1, stride[0]],
            pads,
            [0, extra[0]] if extra else [],
            [1, size[0]] if size else [],
            algorithm,
            groups,
            [1, dilation[0]],
            "NHWC" if channel_last else "NCHW",
        )
        out = _C_ops.squeeze(out, [axis])
    elif n == 2:
        out = _C_ops.conv2d_transpose(
            x, weight, stride, pads, extra, size, algorithm, groups, dilation, data_format
        )
    else:
        out = _C_ops.conv3d_transpose(
            x, weight, stride, pads, extra, size, algorithm, groups, dilation, data_format
        )
    return _add_bias(out, bias, channel_last)


def conv1d_transpose(
    x,
    weight,
    bias=None,
    stride=1,
    padding=0,
    output_padding=0,
    groups=1,
    dilation=1,
    output_size=None,
    data_format="NCL",
    name=None,
):
    """Transposed convolution of x [N, C, L] with weight [C, out / groups, k].

    Args:
        x (Tensor): Values of shape [N, C, L], or NLC.
        weight (Tensor): Of shape [C, out / groups, k].
        bias (Tensor, default None): Of shape [out]; None for none.
        stride (int or list of ints, default 1): From one window of the result to the next.
        padding (int, list of ints or str, default 0): What is added on each side, or `SAME` or
            `VALID`.
        output_padding (int or list of ints, default 0): What is added to one side of the result.
        groups (int, default 1): How many groups of channels have kernels of their own.
        dilation (int or list of ints, default 1): From one element of the kernel to the next.
        output_size (int or list of ints, default None): The extents of the result, instead of
            output_padding.
        data_format (str, default 'NCL'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [N, out, L'].

    Examples:
        >>> x, weight = paddle.ones([1, 1, 2]), paddle.ones([1, 1, 2])
        >>> paddle.nn.functional.conv1d_transpose(x, weight, stride=1).tolist()
        [[[1.0, 2.0, 1.0]]]
    """
    return _conv_transpose(
        1,
        x,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        dilation,
        groups,
        output_size,
        data_format,
    )


@shares(conv1d_transpose)
def conv2d_transpose(
    x,
    weight,
    bias=None,
    stride=1,
    padding=0,
    output_padding=0,
    dilation=1,
    groups=1,
    output_size=None,
    data_format="NCHW",
    name=None,
):
    """Transposed convolution of x [N, C, H, W] with weight [C, out / groups, kh, kw].

    Args:
        x (Tensor): Values of shape [N, C, H, W], or NHWC.
        weight (Tensor): Of shape [C, out / groups, kh, kw].
        {bias, stride, padding, output_padding, dilation, groups, output_size}
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [N, out, H', W'].

    Examples:
        >>> x, weight = paddle.ones([1, 1, 2, 2]), paddle.ones([1, 1, 2, 2])
        >>> paddle.nn.functional.conv2d_transpose(x, weight).tolist()
        [[[[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]]]
    """
    return _conv_transpose(
        2,
        x,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        dilation,
        groups,
        output_size,
        data_format,
    )


@shares(conv1d_transpose)
def conv3d_transpose(
    x,
    weight,
    bias=None,
    stride=1,
    padding=0,
    output_padding=0,
    groups=1,
    dilation=1,
    output_size=None,
    data_format="NCDHW",
    name=None,
):
    """Transposed convolution of x [N, C, D, H, W] with weight [C, out / groups, kd, kh, kw].

    Args:
        x (Tensor): Values of shape [N, C, D, H, W], or NDHWC.
        weight (Tensor): Of shape [C, out / groups, kd, kh, kw].
        {bias, stride, padding, output_padding, groups, dilation, output_size}
        data_format (str, default 'NCDHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [N, out, D', H', W'].

    Examples:
        >>> x, weight = paddle.ones([1, 2, 3, 3, 3]), paddle.ones([2, 4, 2, 2, 2])
        >>> paddle.nn.functional.conv3d_transpose(x, weight, stride=2).shape
        paddle.Size([1, 4, 6, 6, 6])
    """
    return _conv_transpose(
        3,
        x,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        dilation,
        groups,
        output_size,
        data_format,
    )
