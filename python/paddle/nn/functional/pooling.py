# SPDX-License-Identifier: Apache-2.0
"""Average, maximum, power and adaptive pooling in one to three dimensions."""

import math

from paddle import _C_ops
from paddle.base.arguments import second_names
from paddle.base.documentation import shares
from paddle.base.libpaddle import expect_tensors
from paddle.tensor.manipulation import extents

from . import _parse
from ._texts import ADAPTIVE, WINDOW
from .conv import check_input

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "lp_pool1d",
    "lp_pool2d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
]

_FORMATS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def _window(op, n, kernel_size, stride, padding, channel_last, ceil_mode=False):
    kernel = _parse.ints(op, "kernel_size", kernel_size, n)
    stride = list(kernel) if stride is None else _parse.ints(op, "stride", stride, n)
    pads, algorithm = _parse.padding(op, padding, n, channel_last)
    if ceil_mode and algorithm == "VALID":
        raise ValueError(f"[{op}] expected ceil_mode=False for padding='VALID', got True")
    return kernel, stride, pads, algorithm


def _pool(
    n,
    x,
    kernel,
    stride,
    pads,
    ceil_mode,
    exclusive,
    data_format,
    kind,
    adaptive=False,
    algorithm="EXPLICIT",
):
    op = _C_ops.pool2d if n == 2 else _C_ops.pool3d
    return op(
        x, kernel, stride, pads, ceil_mode, exclusive, data_format, kind, False, adaptive, algorithm
    )


def _up(x):
    return _C_ops.unsqueeze(x, [2])


def _down(x):
    return _C_ops.squeeze(x, [2])


def _line(kernel, stride, pads):
    pads = [0, pads[0]] if len(pads) == 1 else [0, 0, pads[0], pads[1]]
    return [1, kernel[0]], [1, stride[0]], pads


def _avg(n, x, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format):
    op = f"avg_pool{n}d"
    _parse.data_format(op, data_format, *_FORMATS[n])
    check_input(op, x, n)
    kernel, stride, pads, algorithm = _window(
        op, n, kernel_size, stride, padding, data_format[-1] == "C", ceil_mode
    )
    out = _pool(
        n, x, kernel, stride, pads, ceil_mode, exclusive, data_format, "avg", False, algorithm
    )
    if divisor_override is not None:
        if divisor_override == 0:
            raise ValueError(f"[{op}] expected divisor_override other than 0, got 0")
        out = out * (math.prod(kernel) / divisor_override)
    return out


@shares(WINDOW)
def avg_pool1d(x, kernel_size, stride=None, padding=0, exclusive=True, ceil_mode=False, name=None):
    """Mean over windows of x [N, C, L]; padding is not counted when `exclusive`.

    Args:
        x (Tensor): Values of shape [N, C, L].
        {kernel_size, stride, padding, exclusive, ceil_mode, name}

    Returns:
        Tensor: the means, of shape [N, C, L'].

    Examples:
        >>> x = paddle.to_tensor([[[1.0, 2.0, 3.0, 4.0]]])
        >>> paddle.nn.functional.avg_pool1d(x, kernel_size=2).tolist()
        [[[1.5, 3.5]]]
        >>> paddle.nn.functional.avg_pool1d(x, 2, stride=1).tolist()
        [[[1.5, 2.5, 3.5]]]
    """
    check_input("avg_pool1d", x, 1)
    kernel, stride, pads, algorithm = _window(
        "avg_pool1d", 1, kernel_size, stride, padding, False, ceil_mode
    )
    kernel, stride, pads = _line(kernel, stride, pads)
    return _down(
        _pool(
            2, _up(x), kernel, stride, pads, ceil_mode, exclusive, "NCHW", "avg", False, algorithm
        )
    )


def avg_pool2d(
    x,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode=False,
    exclusive=True,
    divisor_override=None,
    data_format="NCHW",
    name=None,
):
    """The mean of each window.

    Args:
        x (Tensor): Input, [N, C, H, W], or [N, H, W, C] with data_format 'NHWC'.
        kernel_size (int or list of ints): The extents of the window.
        stride (int or list of ints, default None): The step of the window; None: its extents.
        padding (int, str, list of ints or list of lists, default 0): Zeros around the input: a
            number, one for each dimension, one for each side, 'SAME' or 'VALID'.
        ceil_mode (bool, default False): Whether a last window that is cut off counts.
        exclusive (bool, default True): Whether padding is left out of the mean.
        divisor_override (int, default None): What sums are divided by, in place of the count.
        data_format (str, default 'NCHW'): The order of axes: 'NCHW' or 'NHWC'.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The means.

    Examples:
        >>> x = paddle.arange(16, dtype='float32').reshape([1, 1, 4, 4])
        >>> paddle.nn.functional.avg_pool2d(x, 2).tolist()
        [[[[2.5, 4.5], [10.5, 12.5]]]]
    """
    return _avg(
        2, x, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format
    )


@shares(WINDOW)
def avg_pool3d(
    x,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode=False,
    exclusive=True,
    divisor_override=None,
    data_format="NCDHW",
    name=None,
):
    """Mean over windows of x [N, C, D, H, W] (or NDHWC); padding is not counted when `exclusive`.

    Args:
        x (Tensor): Values of shape [N, C, D, H, W], or NDHWC.
        {kernel_size, stride, padding, ceil_mode, exclusive, divisor_override}
        data_format (str, default 'NCDHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the means, with the axes of x.

    Examples:
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> paddle.nn.functional.avg_pool3d(x, kernel_size=2).tolist()
        [[[[[3.5]]]]]
    """
    return _avg(
        3, x, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format
    )


def _numbers(x, kernel, stride, algorithm, pads):
    """The padding an algorithm stands for, low and high of each axis: that of the masked pool is
    numbers.
    """
    if algorithm == "EXPLICIT":
        return pads
    if algorithm == "VALID":
        return [0] * len(kernel)
    out = []
    for size, k, s in zip(extents(x)[2:], kernel, stride):
        if not isinstance(size, int):
            raise ValueError(
                "[max_pool] expected known extents for padding 'SAME' and return_mask, got shape "
                f"{list(x.shape)}"
            )
        total = max((-(-size // s) - 1) * s + k - size, 0)
        out += [total // 2, total - total // 2]
    return out


def _max(n, x, kernel_size, stride, padding, return_mask, ceil_mode, data_format):
    op = f"max_pool{n}d"
    expect_tensors(op, x=x)
    _parse.data_format(op, data_format, *_FORMATS[n])
    if not return_mask and n > 1 and len(x.shape) != n + 2 or return_mask and len(x.shape) != n + 2:
        check_input(op, x, n)
    if return_mask and data_format[-1] == "C":
        raise ValueError(
            f"[{op}] expected data_format {_FORMATS[n][0]!r} for return_mask=True, got "
            f"{data_format!r}"
        )
    kernel, stride, pads, algorithm = _window(
        op, n, kernel_size, stride, padding, data_format[-1] == "C", ceil_mode
    )
    if return_mask:
        kernel_op = _C_ops.max_pool2d_with_index if n == 2 else _C_ops.max_pool3d_with_index
        return tuple(
            kernel_op(
                x,
                kernel,
                stride,
                _numbers(x, kernel, stride, algorithm, pads),
                False,
                False,
                ceil_mode,
            )
        )
    return _pool(n, x, kernel, stride, pads, ceil_mode, True, data_format, "max", False, algorithm)


@shares(WINDOW)
def max_pool1d(
    x, kernel_size, stride=None, padding=0, return_mask=False, ceil_mode=False, name=None
):
    """Maximum over windows of x [N, C, L]; with `return_mask` also the index of each maximum
    (int32).

    Args:
        x (Tensor): Values of shape [N, C, L].
        {kernel_size, stride, padding, return_mask, ceil_mode, name}

    Returns:
        Tensor or tuple of Tensors: the maxima, of shape [N, C, L']; with return_mask also where
            they are.

    Examples:
        >>> x = paddle.to_tensor([[[1.0, 5.0, 3.0, 4.0]]])
        >>> paddle.nn.functional.max_pool1d(x, 2).tolist()
        [[[5.0, 4.0]]]
        >>> _, places = paddle.nn.functional.max_pool1d(x, 2, return_mask=True)
        >>> places.tolist()
        [[[1, 3]]]
    """
    check_input("max_pool1d", x, 1)
    kernel, stride, pads, algorithm = _window(
        "max_pool1d", 1, kernel_size, stride, padding, False, ceil_mode
    )
    kernel, stride, pads = _line(kernel, stride, pads)
    if return_mask:
        x = _up(x)
        out, mask = _C_ops.max_pool2d_with_index(
            x, kernel, stride, _numbers(x, kernel, stride, algorithm, pads), False, False, ceil_mode
        )
        return _down(out), _down(mask)
    return _down(
        _pool(2, _up(x), kernel, stride, pads, ceil_mode, True, "NCHW", "max", False, algorithm)
    )


def max_pool2d(
    x,
    kernel_size,
    stride=None,
    padding=0,
    return_mask=False,
    ceil_mode=False,
    data_format="NCHW",
    name=None,
):
    """The largest element of each window.

    Args:
        x (Tensor): Input, [N, C, H, W], or [N, H, W, C] with data_format 'NHWC'.
        kernel_size (int or list of ints): The extents of the window.
        stride (int or list of ints, default None): The step of the window; None: its extents.
        padding (int, str, list of ints or list of lists, default 0): How far windows reach
            beyond the input: a number, one for each dimension, one for each side, 'SAME' or
            'VALID'.
        return_mask (bool, default False): Whether the flat place of each maximum within H and W
            is returned too.
        ceil_mode (bool, default False): Whether a last window that is cut off counts.
        data_format (str, default 'NCHW'): The order of axes: 'NCHW' or 'NHWC'.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor or tuple of Tensors: The maxima, and with return_mask their places.

    Examples:
        >>> x = paddle.arange(16, dtype='float32').reshape([1, 1, 4, 4])
        >>> paddle.nn.functional.max_pool2d(x, 2).tolist()
        [[[[5.0, 7.0], [13.0, 15.0]]]]
    """
    return _max(2, x, kernel_size, stride, padding, return_mask, ceil_mode, data_format)


@shares(WINDOW)
def max_pool3d(
    x,
    kernel_size,
    stride=None,
    padding=0,
    return_mask=False,
    ceil_mode=False,
    data_format="NCDHW",
    name=None,
):
    """Maximum over windows of x [N, C, D, H, W] (or NDHWC); with `return_mask` also the flat index
    (int32).

    Args:
        x (Tensor): Values of shape [N, C, D, H, W], or NDHWC.
        {kernel_size, stride, padding, return_mask, ceil_mode}
        data_format (str, default 'NCDHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor or tuple of Tensors: the maxima, with the axes of x; with return_mask also their flat
            places.

    Examples:
        >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 2, 2, 4])
        >>> paddle.nn.functional.max_pool3d(x, kernel_size=2).tolist()
        [[[[[13.0, 15.0]]]]]
    """
    return _max(3, x, kernel_size, stride, padding, return_mask, ceil_mode, data_format)


def _output_size(op, x, output_size, n, channel_last):
    sizes = (
        list(output_size)
        if isinstance(output_size, (list, tuple))
        else _parse.ints(op, "output_size", output_size, n)
    )
    if len(sizes) == 1:
        sizes = sizes * n
    if len(sizes) != n:
        raise ValueError(f"[{op}] expected an output_size of {n} elements, got {output_size}")
    spatial = x.shape[1:-1] if channel_last else x.shape[2:]
    if any(size is None and extent < 0 for extent, size in zip(spatial, sizes)):
        raise ValueError(
            f"[{op}] expected known extents where output_size is None, got shape {list(x.shape)} "
            f"and output_size {output_size}"
        )
    return [int(s) if size is None else int(size) for s, size in zip(spatial, sizes)]


def _adaptive_avg(n, x, output_size, data_format):
    op = f"adaptive_avg_pool{n}d"
    _parse.data_format(op, data_format, *_FORMATS[n])
    check_input(op, x, n)
    sizes = _output_size(op, x, output_size, n, data_format[-1] == "C")
    return _pool(n, x, sizes, [1] * n, [0] * n, False, True, data_format, "avg", True)


@second_names(input='x')
def adaptive_avg_pool1d(x, output_size, name=None):
    """Mean over windows chosen so that L becomes `output_size`.

    Args:
        x (Tensor): Values of shape [N, C, L]. Also `input`.
        output_size (int): The extent of the result.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the means, of shape [N, C, output_size].

    Examples:
        >>> x = paddle.to_tensor([[[1.0, 2.0, 3.0, 4.0]]])
        >>> paddle.nn.functional.adaptive_avg_pool1d(x, 2).tolist()
        [[[1.5, 3.5]]]
    """
    check_input("adaptive_avg_pool1d", x, 1)
    size = _parse.ints("adaptive_avg_pool1d", "output_size", output_size, 1)
    return _down(_pool(2, _up(x), [1, size[0]], [1, 1], [0, 0], False, True, "NCHW", "avg", True))


@second_names(input='x')
def adaptive_avg_pool2d(x, output_size, data_format="NCHW", name=None):
    """The mean of windows chosen so that the result has given extents.

    Args:
        x (Tensor): Input, [N, C, H, W], or [N, H, W, C] with data_format 'NHWC'. Also `input`.
        output_size (int or list of ints): The extents of the result; None keeps one.
        data_format (str, default 'NCHW'): The order of axes: 'NCHW' or 'NHWC'.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The means.

    Examples:
        >>> x = paddle.arange(16, dtype='float32').reshape([1, 1, 4, 4])
        >>> paddle.nn.functional.adaptive_avg_pool2d(x, 1).item()
        7.5
    """
    return _adaptive_avg(2, x, output_size, data_format)


@second_names(input='x')
def adaptive_avg_pool3d(x, output_size, data_format="NCDHW", name=None):
    """Mean over windows chosen so that D, H, W become `output_size` (None keeps a dimension).

    Args:
        x (Tensor): Values of shape [N, C, D, H, W], or NDHWC. Also `input`.
        output_size (int or list of ints): The extents of the result; None keeps an axis as it is.
        data_format (str, default 'NCDHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the means, D, H and W being output_size.

    Examples:
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> paddle.nn.functional.adaptive_avg_pool3d(x, [1, 1, 2]).flatten().tolist()
        [3.0, 4.0]
    """
    return _adaptive_avg(3, x, output_size, data_format)


def _adaptive_max(n, x, output_size, return_mask):
    op = f"adaptive_max_pool{n}d"
    check_input(op, x, n)
    sizes = _output_size(op, x, output_size, n, False)
    kernel_op = _C_ops.max_pool2d_with_index if n == 2 else _C_ops.max_pool3d_with_index
    out, mask = kernel_op(x, sizes, [1] * n, [0] * n, False, True, False)
    return (out, mask) if return_mask else out


@second_names(input='x', return_indices='return_mask')
@shares(ADAPTIVE)
def adaptive_max_pool1d(x, output_size, return_mask=False, name=None):
    """Maximum over windows chosen so that L becomes `output_size`.

    Args:
        x (Tensor): Values of shape [N, C, L]. Also `input`.
        output_size (int): The extent of the result.
        {return_mask, name}

    Returns:
        Tensor or tuple of Tensors: the maxima, of shape [N, C, output_size]; with return_mask also
            where they are.

    Examples:
        >>> x = paddle.to_tensor([[[1.0, 5.0, 3.0, 4.0]]])
        >>> paddle.nn.functional.adaptive_max_pool1d(x, 2).tolist()
        [[[5.0, 4.0]]]
    """
    check_input("adaptive_max_pool1d", x, 1)
    size = _parse.ints("adaptive_max_pool1d", "output_size", output_size, 1)
    out, mask = _C_ops.max_pool2d_with_index(
        _up(x), [1, size[0]], [1, 1], [0, 0], False, True, False
    )
    return (_down(out), _down(mask)) if return_mask else _down(out)


@second_names(input='x', return_indices='return_mask')
@shares(ADAPTIVE)
def adaptive_max_pool2d(x, output_size, return_mask=False, name=None):
    """Maximum over windows chosen so that H, W become `output_size` (None keeps a dimension).

    Args:
        x (Tensor): Values of shape [N, C, H, W]. Also `input`.
        {output_size, return_mask, name}

    Returns:
        Tensor or tuple of Tensors: the maxima, H and W being output_size; with return_mask also
            their flat places.

    Examples:
        >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
        >>> paddle.nn.functional.adaptive_max_pool2d(x, 2).tolist()
        [[[[5.0, 7.0], [13.0, 15.0]]]]
    """
    return _adaptive_max(2, x, output_size, return_mask)


@second_names(input='x', return_indices='return_mask')
@shares(ADAPTIVE)
def adaptive_max_pool3d(x, output_size, return_mask=False, name=None):
    """Maximum over windows chosen so that D, H, W become `output_size` (None keeps a dimension).

    Args:
        x (Tensor): Values of shape [N, C, D, H, W]. Also `input`.
        {output_size, return_mask, name}

    Returns:
        Tensor or tuple of Tensors: the maxima, D, H and W being output_size; with return_mask also
            their flat places.

    Examples:
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> paddle.nn.functional.adaptive_max_pool3d(x, [2, 1, 1]).flatten().tolist()
        [3.0, 7.0]
    """
    return _adaptive_max(3, x, output_size, return_mask)


@second_names(input='x')
@shares(WINDOW)
def lp_pool1d(
    x, norm_type, kernel_size, stride=None, padding=0, ceil_mode=False, data_format="NCL", name=None
):
    """(sum |x|^p)^(1/p) over windows of x [N, C, L]; p = inf gives the maximum.

    Args:
        x (Tensor): Values of shape [N, C, L], or NLC. Also `input`.
        norm_type (float): The exponent p.
        {kernel_size, stride, padding, ceil_mode}
        data_format (str, default 'NCL'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the norms, with the axes of x.

    Examples:
        >>> x = paddle.to_tensor([[[3.0, 4.0, 6.0, 8.0]]])
        >>> paddle.nn.functional.lp_pool1d(x, 2.0, kernel_size=2).tolist()
        [[[5.0, 10.0]]]
    """
    _parse.data_format("lp_pool1d", data_format, *_FORMATS[1])
    check_input("lp_pool1d", x, 1)
    channel_last = data_format == "NLC"
    axis = 1 if channel_last else 2
    kernel, stride, pads, algorithm = _window(
        "lp_pool1d", 1, kernel_size, stride, padding, channel_last, ceil_mode
    )
    kernel, stride, pads = _line(kernel, stride, pads)
    out = _lp(
        _C_ops.unsqueeze(x, [axis]),
        norm_type,
        kernel,
        stride,
        pads,
        ceil_mode,
        "NHWC" if channel_last else "NCHW",
        algorithm,
    )
    return _C_ops.squeeze(out, [axis])


def _lp(x, norm_type, kernel, stride, pads, ceil_mode, data_format, algorithm):
    if norm_type == 0:
        raise ValueError("[lp_pool] expected a norm_type other than 0, got 0")
    if norm_type == float("inf"):
        return _pool(
            2, x, kernel, stride, pads, ceil_mode, True, data_format, "max", False, algorithm
        )
    return _C_ops.lp_pool2d(
        x,
        kernel,
        stride,
        pads,
        ceil_mode,
        True,
        data_format,
        "lp",
        False,
        False,
        algorithm,
        float(norm_type),
    )


@second_names(input='x')
@shares(WINDOW)
def lp_pool2d(
    x,
    norm_type,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode=False,
    data_format="NCHW",
    name=None,
):
    """(sum |x|^p)^(1/p) over windows of x [N, C, H, W]; p = inf gives the maximum.

    Args:
        x (Tensor): Values of shape [N, C, H, W], or NHWC. Also `input`.
        norm_type (float): The exponent p.
        {kernel_size, stride, padding, ceil_mode}
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the norms, with the axes of x.

    Examples:
        >>> x = paddle.full([1, 1, 2, 2], 2.0)
        >>> paddle.nn.functional.lp_pool2d(x, 2.0, kernel_size=2).item()
        4.0
    """
    _parse.data_format("lp_pool2d", data_format, *_FORMATS[2])
    check_input("lp_pool2d", x, 2)
    kernel, stride, pads, algorithm = _window(
        "lp_pool2d", 2, kernel_size, stride, padding, data_format[-1] == "C", ceil_mode
    )
    return _lp(x, norm_type, kernel, stride, pads, ceil_mode, data_format, algorithm)


def _unpool_window(n, kernel_size, stride, padding, channel_last):
    op = f"max_unpool{n}d"
    if isinstance(padding, str):
        raise ValueError(
            f"[max_unpool{n}d] expected padding as an int or {n} ints, got {padding!r}"
        )
    window = _window(op, n, kernel_size, stride, padding, channel_last)
    if len(window[2]) != n:
        raise ValueError(f"[{op}] expected padding as an int or {n} ints, got {padding!r}")
    return window


def _unpool_size(op, x, kernel, stride, pads, output_size, n):
    expect_tensors(op, x=x)
    if min(x.shape[2:]) < 0:
        raise ValueError(f"[{op}] expected known spatial extents, got shape {list(x.shape)}")
    default = [(d - 1) * s - 2 * p + k for d, s, p, k in zip(x.shape[2:], stride, pads, kernel)]
    if output_size is None:
        return default
    size = [int(v) for v in output_size]
    if len(size) == n + 2:
        size = size[2:]
    if len(size) != n:
        raise ValueError(f"[{op}] expected output_size of {n} or {n + 2} ints, got {len(size)}")
    for d in range(n):
        low, high = default[d] - stride[d], default[d] + stride[d]
        if not low < size[d] < high:
            raise ValueError(
                f"[{op}] expected output_size from {low + 1} to {high - 1} in axis {d}, got "
                f"{size[d]}"
            )
    return size


@shares(WINDOW)
def max_unpool1d(
    x, indices, kernel_size, stride=None, padding=0, data_format="NCL", output_size=None, name=None
):
    """Inverse of max_pool1d: put x at `indices`, zeros elsewhere.

    Args:
        x (Tensor): Maxima, of shape [N, C, L].
        indices (Tensor): Where they were, as `max_pool1d` tells with `return_mask`.
        {kernel_size, stride, padding}
        data_format (str, default 'NCL'): The order of axes, channels first or last.
        {output_size, name}

    Returns:
        Tensor: of shape [N, C, L'], zero but at indices.

    Examples:
        >>> x = paddle.to_tensor([[[1.0, 5.0, 3.0, 4.0]]])
        >>> top, places = paddle.nn.functional.max_pool1d(x, 2, return_mask=True)
        >>> paddle.nn.functional.max_unpool1d(top, places, 2).tolist()
        [[[0.0, 5.0, 0.0, 4.0]]]
    """
    _parse.data_format("max_unpool1d", data_format, "NCL")
    kernel, stride, pads, _ = _unpool_window(1, kernel_size, stride, padding, False)
    size = _unpool_size("max_unpool1d", x, kernel, stride, pads, output_size, 1)
    out = _C_ops.unpool(
        _up(x), _up(indices), [1, kernel[0]], [1, stride[0]], [0, pads[0]], [1, size[0]], "NCHW"
    )
    return _down(out)


def _unpool(n, x, indices, kernel_size, stride, padding, data_format, output_size):
    op = f"max_unpool{n}d"
    check_input(op, x, n)
    kernel, stride, pads, _ = _unpool_window(n, kernel_size, stride, padding, False)
    size = _unpool_size(op, x, kernel, stride, pads, output_size, n)
    kernel_op = _C_ops.unpool if n == 2 else _C_ops.unpool3d
    return kernel_op(x, indices, kernel, stride, pads, size, data_format)


@shares(WINDOW)
def max_unpool2d(
    x, indices, kernel_size, stride=None, padding=0, data_format="NCHW", output_size=None, name=None
):
    """Inverse of max_pool2d: put x at `indices`, zeros elsewhere.

    Args:
        x (Tensor): Maxima, of shape [N, C, H, W].
        indices (Tensor): Where they were, as `max_pool2d` tells with `return_mask`.
        {kernel_size, stride, padding}
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        {output_size, name}

    Returns:
        Tensor: of shape [N, C, H', W'], zero but at indices.

    Examples:
        >>> x = paddle.to_tensor([[[[1.0, 5.0], [3.0, 4.0]]]])
        >>> top, places = paddle.nn.functional.max_pool2d(x, 2, return_mask=True)
        >>> paddle.nn.functional.max_unpool2d(top, places, 2).tolist()
        [[[[0.0, 5.0], [0.0, 0.0]]]]
    """
    _parse.data_format("max_unpool2d", data_format, "NCHW")
    return _unpool(2, x, indices, kernel_size, stride, padding, data_format, output_size)


@shares(WINDOW)
def max_unpool3d(
    x,
    indices,
    kernel_size,
    stride=None,
    padding=0,
    data_format="NCDHW",
    output_size=None,
    name=None,
):
    """Inverse of max_pool3d: put x at `indices`, zeros elsewhere.

    Args:
        x (Tensor): Maxima, of shape [N, C, D, H, W].
        indices (Tensor): Where they were, as `max_pool3d` tells with `return_mask`.
        {kernel_size, stride, padding}
        data_format (str, default 'NCDHW'): The order of axes, channels first or last.
        {output_size, name}

    Returns:
        Tensor: of shape [N, C, D', H', W'], zero but at indices.

    Examples:
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> top, places = paddle.nn.functional.max_pool3d(x, 2, return_mask=True)
        >>> paddle.nn.functional.max_unpool3d(top, places, 2).flatten().tolist()
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 7.0]
    """
    _parse.data_format("max_unpool3d", data_format, "NCDHW")
    return _unpool(3, x, indices, kernel_size, stride, padding, data_format, output_size)


def _fractional(n, x, output_size, kernel_size, random_u, return_mask):
    op = f"fractional_max_pool{n}d"
    check_input(op, x, n)
    if random_u is not None and not 0 < random_u < 1:
        raise ValueError(f"[{op}] expected random_u above 0 and below 1, got {random_u}")
    sizes = _output_size(op, x, output_size, n, False)
    kernel = [0] * n if kernel_size is None else _parse.ints(op, "kernel_size", kernel_size, n)
    for size, have, window in zip(sizes, x.shape[2:], kernel):
        if have >= 0 and not 1 <= size <= have + 1 - max(window, 1):
            raise ValueError(
                f"[fractional_max_pool{n}d] expected output_size from 1 to "
                f"{have + 1 - max(window, 1)} for an extent of {have} and windows of "
                f"{window or 'any size'}, got {size}"
            )
    kernel_op = _C_ops.fractional_max_pool2d if n == 2 else _C_ops.fractional_max_pool3d
    out, mask = kernel_op(x, sizes, kernel, float(random_u or 0.0), return_mask)
    return (out, mask) if return_mask else out


def fractional_max_pool2d(
    x, output_size, kernel_size=None, random_u=None, return_mask=False, name=None
):
    """Maximum over windows of random size that turn H, W into `output_size`.

    Args:
        x (Tensor): Values of shape [N, C, H, W].
        output_size (int or list of ints): The extents of the result.
        kernel_size (int or list of ints, default None): The extents of windows that overlap; None
            for windows that share no element.
        random_u (float, default None): What tells the windows, between 0 and 1; None draws it.
        return_mask (bool, default False): Whether the places of the maxima are returned too.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor or tuple of Tensors: the maxima; with return_mask also their flat places.

    Source: Graham, Fractional Max-Pooling, 2014

    Examples:
        >>> x = paddle.arange(25, dtype="float32").reshape([1, 1, 5, 5])
        >>> paddle.nn.functional.fractional_max_pool2d(x, 2, random_u=0.5).tolist()
        [[[[12.0, 14.0], [22.0, 24.0]]]]
    """
    return _fractional(2, x, output_size, kernel_size, random_u, return_mask)


@shares(fractional_max_pool2d)
def fractional_max_pool3d(
    x, output_size, kernel_size=None, random_u=None, return_mask=False, name=None
):
    """Maximum over windows of random size that turn D, H, W into `output_size`.

    Args:
        x (Tensor): Values of shape [N, C, D, H, W].
        {output_size, kernel_size, random_u, return_mask, name}

    Returns:
        Tensor or tuple of Tensors: the maxima; with return_mask also their flat places.

    Source: Graham, Fractional Max-Pooling, 2014

    Examples:
        >>> x = paddle.rand([1, 2, 5, 5, 5])
        >>> paddle.nn.functional.fractional_max_pool3d(x, 2, random_u=0.5).shape
        paddle.Size([1, 2, 2, 2, 2])
    """
    return _fractional(3, x, output_size, kernel_size, random_u, return_mask)
