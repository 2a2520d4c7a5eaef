# SPDX-License-Identifier: Apache-2.0
"""Normalisations: batch, layer, group, instance, root mean square, local response, p-norm."""

import paddle
from paddle import _C_ops
from paddle.base.arguments import integer, items, second_names
from paddle.base.libpaddle import ends_in, expect_tensors
from paddle.tensor.manipulation import extents

from . import _parse

__all__ = [
    "batch_norm",
    "layer_norm",
    "group_norm",
    "instance_norm",
    "rms_norm",
    "local_response_norm",
    "normalize",
]

_CHANNEL_LAST = ("NLC", "NHWC", "NDHWC")
_FORMATS = ("NCL", "NCHW", "NCDHW", *_CHANNEL_LAST)


@second_names(input='x', dim='axis', eps='epsilon')
def normalize(x, p=2, axis=1, epsilon=1e-12, out=None, name=None):
    """x / max(||x||_p along axis, epsilon).

    Args:
        x (Tensor): The values. Also `input`.
        p (float, default 2): The norm's exponent.
        axis (int, default 1): The axis of the vectors. Also `dim`.
        epsilon (float, default 1e-12): The least norm that is divided by. Also `eps`.
        out (Tensor, default None): Takes the result, where given, and is returned.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The vectors over their norms, with the shape of x.

    Examples:
        >>> paddle.nn.functional.normalize(paddle.to_tensor([[3.0, 4.0]])).tolist()
        [[0.6, 0.8]]
    """
    expect_tensors("normalize", x=x)
    if x.ndim == 1:
        axis = 0
    if not -x.ndim <= integer("normalize", "axis", axis) < x.ndim:
        raise ValueError(f"[normalize] expected an axis from {-x.ndim} to {x.ndim - 1}, got {axis}")
    length = _C_ops.p_norm(x, float(p), axis, float(epsilon), True, False)
    floor = paddle.full([1], float(epsilon), dtype=length.dtype)
    result = _C_ops.divide(x, _C_ops.maximum(length, floor))
    return result if out is None else paddle.assign(result, out)


def batch_norm(
    x,
    running_mean,
    running_var,
    weight=None,
    bias=None,
    training=False,
    momentum=0.9,
    epsilon=1e-05,
    data_format="NCHW",
    use_global_stats=None,
    name=None,
):
    """Normalise each channel with batch statistics (updating the running ones) or with the running
    statistics.

    Args:
        x (Tensor): Values of shape [N, C, ...], or channels last.
        running_mean (Tensor): The running means, of shape [C]; training moves them.
        running_var (Tensor): The running variances, of shape [C]; training moves them.
        weight (Tensor, default None): The factors, of shape [C]; None for none.
        bias (Tensor, default None): The summands, of shape [C]; None for none.
        training (bool, default False): Whether the statistics of x are used, else the running ones.
        momentum (float, default 0.9): How much of the running statistics stays in a step.
        epsilon (float, default 1e-05): What keeps a divisor from zero.
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        use_global_stats (bool, default None): Whether the running statistics are used in training
            too; None for evaluation only.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the normalised values, of the shape of x.

    Source: Ioffe and Szegedy, Batch normalization, 2015

    Examples:
        >>> x = paddle.to_tensor([[1.0], [3.0]])
        >>> mean, var = paddle.zeros([1]), paddle.ones([1])
        >>> paddle.nn.functional.batch_norm(x, mean, var, training=True).tolist()
        [[-1.0000], [1.0000]]
        >>> mean.item()
        0.2000
    """
    expect_tensors("batch_norm", x=x)
    if len(x.shape) < 2:
        raise AssertionError(
            f"[batch_norm] expected x of at least 2 axes, got shape {list(x.shape)}"
        )
    _parse.data_format("batch_norm", data_format, "NC", *_FORMATS)
    layout = "NHWC" if data_format in _CHANNEL_LAST else "NCHW"
    if use_global_stats is None:
        use_global_stats = not training
        trainable_statistics = False
    else:
        trainable_statistics = not use_global_stats
    return _C_ops.batch_norm_(
        x,
        running_mean,
        running_var,
        weight,
        bias,
        not training,
        momentum,
        epsilon,
        layout,
        use_global_stats,
        trainable_statistics,
    )[0]


def _last_axes(op, x, normalized_shape):
    """(`normalized_shape` as a list, its first axis in x or None where x ends in other extents)."""
    expect_tensors(op, x=x)
    shape = (
        [normalized_shape]
        if isinstance(normalized_shape, int)
        else items(op, 'normalized_shape', normalized_shape)
    )
    extents = x.shape
    begin = len(extents) - len(shape)
    ends = extents[begin:] if begin > 0 else extents
    # Extents of -1 are known only when a program runs.
    fits = ends == shape or (begin >= 0 and all(n in (-1, d) for n, d in zip(ends, shape)))
    return shape, begin if fits else None


@second_names(input='x', eps='epsilon')
def layer_norm(x, normalized_shape, weight=None, bias=None, epsilon=1e-05, name=None):
    """Normalise over the last dimensions, which must equal `normalized_shape`.

    Args:
        x (Tensor): The values. Also `input`.
        normalized_shape (int or list of ints): The extents of the last axes, over which is
            normalised.
        weight (Tensor, default None): The factors; None for 1.
        bias (Tensor, default None): What is added; None for 0.
        epsilon (float, default 1e-05): What keeps a divisor from zero. Also `eps`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The normalised values, with the shape of x.

    Examples:
        >>> paddle.nn.functional.layer_norm(paddle.to_tensor([[1.0, 3.0]]), 2).tolist()
        [[-1.0000, 1.0000]]
    """
    begin = ends_in(x, normalized_shape)
    if begin is None:
        shape, begin = _last_axes('layer_norm', x, normalized_shape)
        if begin is None:
            text = ", ".join(str(s) for s in shape)
            raise ValueError(
                f"[layer_norm] expected input whose shape ends with [{text}], got {list(x.shape)}"
            )
    return _C_ops.layer_norm(x, weight, bias, epsilon, begin)


def rms_norm(input, normalized_shape, weight=None, eps=1e-05, name=None):
    """Divide by the root mean square over the last dimensions, which must equal `normalized_shape`.

    Args:
        input (Tensor): The values.
        normalized_shape (int or list of ints): The extents of the last axes, over which is
            normalised.
        weight (Tensor, default None): The factors, of shape normalized_shape; None for none.
        eps (float, default 1e-05): What keeps a divisor from zero.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the normalised values, of the shape of input.

    Source: Zhang and Sennrich, Root mean square layer normalization, 2019

    Examples:
        >>> paddle.nn.functional.rms_norm(paddle.to_tensor([[3.0, 4.0]]), [2]).tolist()
        [[0.8485, 1.1314]]
    """
    shape = [normalized_shape] if type(normalized_shape) is int else normalized_shape
    if ends_in(input, shape) is None:
        shape, begin = _last_axes('rms_norm', input, normalized_shape)
        if begin is None:
            raise ValueError(
                f"[rms_norm] expected the last dimensions of the input to be {shape}, got shape "
                f"{list(input.shape)}"
            )
    return _C_ops.rms_norm(input, weight, shape, eps)[0]


def group_norm(x, num_groups, epsilon=1e-05, weight=None, bias=None, data_format="NCHW", name=None):
    """Normalise over groups of channels and all spatial positions.

    Args:
        x (Tensor): Values of shape [N, C, ...], or channels last.
        num_groups (int): How many groups of channels there are.
        epsilon (float, default 1e-05): What keeps a divisor from zero.
        weight (Tensor, default None): The factors, of shape [C]; None for none.
        bias (Tensor, default None): The summands, of shape [C]; None for none.
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the normalised values, of the shape of x.

    Source: Wu and He, Group normalization, 2018

    Examples:
        >>> x = paddle.to_tensor([[1.0, 3.0, 5.0, 9.0]]).reshape([1, 4, 1, 1])
        >>> paddle.nn.functional.group_norm(x, 2).flatten().tolist()
        [-1.0000, 1.0000, -1.0000, 1.0000]
        >>> paddle.group_norm(x, 2).shape
        paddle.Size([1, 4, 1, 1])
    """
    _parse.data_format("group_norm", data_format, *_FORMATS)
    return _C_ops.group_norm(
        x, weight, bias, epsilon, num_groups, "NHWC" if data_format[-1] == "C" else "NCHW"
    )


def instance_norm(
    x,
    running_mean=None,
    running_var=None,
    weight=None,
    bias=None,
    use_input_stats=True,
    momentum=0.9,
    eps=1e-05,
    data_format="NCHW",
    name=None,
):
    """Normalise each channel of each sample over its spatial positions.

    With `use_input_stats` False by the running statistics; with both, they move to those of x by 1
    - momentum.

    Args:
        x (Tensor): Values of shape [N, C, ...].
        running_mean (Tensor, default None): The running means, of shape [C]; None for none.
        running_var (Tensor, default None): The running variances, of shape [C]; None for none.
        weight (Tensor, default None): The factors, of shape [C]; None for none.
        bias (Tensor, default None): The summands, of shape [C]; None for none.
        use_input_stats (bool, default True): Whether the statistics of x are used, else the running
            ones.
        momentum (float, default 0.9): How much of the running statistics stays in a step.
        eps (float, default 1e-05): What keeps a divisor from zero.
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the normalised values, of the shape of x.

    Source: Ulyanov et al., Instance normalization, 2016

    Examples:
        >>> x = paddle.to_tensor([[[1.0, 3.0], [10.0, 30.0]]])
        >>> paddle.nn.functional.instance_norm(x).tolist()
        [[[-1.0000, 1.0000], [-1.0000, 1.0000]]]
    """
    use_input_stats = True if use_input_stats is None else use_input_stats
    data_format = "NCHW" if data_format is None else data_format
    _parse.data_format("instance_norm", data_format, "NC", *_FORMATS)
    if data_format in ("NLC", "NHWC", "NDHWC"):
        out = instance_norm(
            paddle.moveaxis(x, -1, 1),
            running_mean,
            running_var,
            weight,
            bias,
            use_input_stats,
            momentum,
            eps,
            "NC" + data_format[1:-1],
        )
        return paddle.moveaxis(out, 1, -1)
    if (running_mean is None) != (running_var is None) or (
        running_mean is None and not use_input_stats
    ):
        raise ValueError(
            "[instance_norm] expected running_mean and running_var together, and with "
            "use_input_stats "
            f"False both, got {running_mean} and {running_var}"
        )
    if not use_input_stats:
        return batch_norm(x, running_mean, running_var, weight, bias, False, momentum, eps)
    out = _C_ops.instance_norm(x, weight, bias, eps)
    if running_mean is not None:
        with paddle.no_grad():
            axes = list(range(2, len(x.shape)))
            values = x.astype(running_mean.dtype)
            mean = paddle.mean(values, axes, keepdim=True)
            variance = paddle.mean((values - mean) ** 2, axes)
            # Both before either is written: a bad argument leaves them as they are.
            moved = [
                running * momentum + seen * (1 - momentum)
                for running, seen in (
                    (running_mean, paddle.mean(mean, [0, *axes])),
                    (running_var, paddle.mean(variance, 0)),
                )
            ]
            for running, value in zip((running_mean, running_var), moved):
                if list(running.shape) != list(value.shape):
                    raise ValueError(
                        f"[instance_norm] expected running statistics of shape "
                        f"{list(value.shape[-1:])}, got {list(running.shape)} for input "
                        f"shape {list(x.shape)}"
                    )
            running_mean.copy_(moved[0], True)
            running_var.copy_(moved[1], True)
    return out


def local_response_norm(x, size, alpha=0.0001, beta=0.75, k=1.0, data_format="NCHW", name=None):
    """x / (k + alpha * mean of x^2 over `size` neighbouring channels) ^ beta.

    Args:
        x (Tensor): Values of shape [N, C, ...], or channels last.
        size (int): How many neighbouring channels count.
        alpha (float, default 0.0001): The factor of the mean square.
        beta (float, default 0.75): The exponent.
        k (float, default 1.0): What is added.
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of the shape of x.

    Source: Krizhevsky et al., ImageNet classification with deep convolutional neural networks, 2012

    Examples:
        >>> x = paddle.ones([1, 3, 1, 1])
        >>> f = paddle.nn.functional.local_response_norm
        >>> f(x, 3, alpha=3.0, beta=1.0).flatten().tolist()
        [0.3333, 0.25, 0.3333]
    """
    expect_tensors("local_response_norm", x=x)
    _parse.data_format("local_response_norm", data_format, *_FORMATS)
    if len(x.shape) < 3:
        raise ValueError(
            f"[local_response_norm] expected x of at least 3 axes, got shape {list(x.shape)}"
        )
    shape = extents(x)
    channel_last = data_format[-1] == "C"
    squares = x * x
    if channel_last:
        squares = paddle.reshape(squares, [0, 1, -1, shape[-1]])
        kernel, pads = [1, size], [0, 0, size // 2, (size - 1) // 2]
    else:
        squares = paddle.reshape(squares, [0, 1, shape[1], -1])
        kernel, pads = [size, 1], [size // 2, (size - 1) // 2, 0, 0]
    mean = _C_ops.pool2d(
        squares, kernel, [1, 1], pads, False, False, "NCHW", "avg", False, False, "EXPLICIT"
    )
    return x / paddle.pow(paddle.reshape(mean, shape) * alpha + k, beta)
