# SPDX-License-Identifier: Apache-2.0
"""Normalisations as functions: each call makes its own scale, shift and running statistics."""

import math

import paddle
import paddle.nn.functional as F
from paddle import _C_ops as ops
from paddle.base.documentation import shares
from paddle.base.param_attr import ParamAttr
from paddle.nn.initializer import Constant, Normal
from paddle.static.nn.common import activated, extents, parameter
from paddle.utils import unique_name

__all__ = ['batch_norm', 'group_norm', 'instance_norm', 'layer_norm', 'spectral_norm']


def _statistic(scope, shape, dtype, name, initial, averaged=True):
    attr = ParamAttr(name=name, initializer=initial, trainable=False, do_model_average=averaged)
    made = parameter(scope, shape, dtype, attr)
    made.stop_gradient = True
    return made


def _channel_count(input, data_layout, what):
    if len(input.shape) < 2:
        raise ValueError(
            f"[{what}] expected an input of at least 2 axes, got shape {list(input.shape)}"
        )
    channels = input.shape[1 if data_layout.startswith('NC') else -1]
    if channels < 0:
        raise ValueError(
            f"[{what}] expected a known number of channels, got shape {list(input.shape)}"
        )
    return channels


def batch_norm(
    input,
    act=None,
    is_test=False,
    momentum=0.9,
    epsilon=1e-05,
    param_attr=None,
    bias_attr=None,
    data_layout='NCHW',
    in_place=False,
    name=None,
    moving_mean_name=None,
    moving_variance_name=None,
    do_model_average_for_mean_and_var=True,
    use_global_stats=False,
):
    """Normalisation of each channel over a batch, with new parameters and running statistics.

    Args:
        input (Tensor): Of shape [N, C, ...], or [N, ..., C].
        act (str, default None): The name of a function of `paddle.nn.functional`.
        is_test (bool, default False): Whether the running statistics normalise, and stay as they
            are.
        momentum (float or Tensor, default 0.9): How much of a running statistic a run keeps.
        epsilon (float, default 1e-05): What is added to the variance.
        param_attr (ParamAttr, default None): Attributes of the scale, 1 at first.
        bias_attr (ParamAttr, default None): Attributes of the shift, 0 at first.
        data_layout (str, default 'NCHW'): Where the channels are: `NCHW` or `NHWC`.
        in_place (bool, default False): Taken for compatibility; it has no effect.
        name (str, default None): The beginning of the parameters' names.
        moving_mean_name (str, default None): The name of the running mean.
        moving_variance_name (str, default None): The name of the running variance.
        do_model_average_for_mean_and_var (bool, default True): Whether averages of a model include
            the running statistics.
        use_global_stats (bool, default False): Whether the running statistics normalise in training
            too.

    Returns:
        Tensor: as input.

    Source: Ioffe and Szegedy, Batch normalization, https://arxiv.org/abs/1502.03167.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 1])
        ...     y = paddle.static.nn.batch_norm(x, epsilon=0.0)
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> exe.run(main, feed={"x": [[1.0], [3.0]]}, fetch_list=[y])[0].tolist()
        [[-1.0], [1.0]]
    """
    scope, count = (
        name or unique_name.generate('batch_norm'),
        [_channel_count(input, data_layout, 'batch_norm')],
    )
    dtype = 'float32' if str(input.dtype).endswith('float16') else input.dtype
    weight = parameter(scope, count, dtype, param_attr, default=Constant(1.0))
    bias = parameter(scope, count, dtype, bias_attr, True)
    averaged = do_model_average_for_mean_and_var
    mean = _statistic(scope, count, dtype, moving_mean_name, Constant(0.0), averaged)
    variance = _statistic(scope, count, dtype, moving_variance_name, Constant(1.0), averaged)
    out = ops.batch_norm_(
        input,
        mean,
        variance,
        weight,
        bias,
        is_test,
        momentum,
        epsilon,
        data_layout,
        use_global_stats,
        False,
    )[0]
    return activated(out, act)


def layer_norm(
    input,
    scale=True,
    shift=True,
    begin_norm_axis=1,
    epsilon=1e-05,
    param_attr=None,
    bias_attr=None,
    act=None,
    name=None,
):
    """Normalisation of each sample over its last axes, with new parameters.

    Args:
        input (Tensor): The input.
        scale (bool, default True): Whether there is a scale, 1 at first.
        shift (bool, default True): Whether there is a shift, 0 at first.
        begin_norm_axis (int, default 1): The first of the axes that are normalised together.
        epsilon (float, default 1e-05): What is added to the variance.
        param_attr (ParamAttr, default None): Attributes of the scale.
        bias_attr (ParamAttr, default None): Attributes of the shift.
        act (str, default None): The name of a function of `paddle.nn.functional`.
        name (str, default None): The beginning of the parameters' names.

    Returns:
        Tensor: as input.

    Source: Ba, Kiros and Hinton, Layer normalization, https://arxiv.org/abs/1607.06450.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 2])
        ...     y = paddle.static.nn.layer_norm(x, epsilon=0.0)
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> exe.run(main, feed={"x": [[1.0, 3.0], [8.0, 4.0]]}, fetch_list=[y])[0].tolist()
        [[-1.0, 1.0], [1.0, -1.0]]
    """
    scope = name or unique_name.generate('layer_norm')
    shape = extents(input, begin_norm_axis, 'layer_norm')
    count = [math.prod(shape)]
    weight = (
        parameter(scope, count, input.dtype, param_attr, default=Constant(1.0)) if scale else None
    )
    bias = parameter(scope, count, input.dtype, bias_attr, True) if shift else None
    weight, bias = (None if p is None else paddle.reshape(p, shape) for p in (weight, bias))
    return activated(F.layer_norm(input, shape, weight, bias, epsilon), act)


@shares(layer_norm)
def group_norm(
    input,
    groups,
    epsilon=1e-05,
    param_attr=None,
    bias_attr=None,
    act=None,
    data_layout='NCHW',
    name=None,
):
    """Normalisation of each sample over groups of its channels, with new parameters.

    Args:
        input (Tensor): Of shape [N, C, ...], or [N, ..., C].
        groups (int): Into how many groups the channels are divided.
        {epsilon}
        param_attr (ParamAttr or bool, default None): Attributes of the scale; False for none.
        bias_attr (ParamAttr or bool, default None): Attributes of the shift; False for none.
        {act}
        data_layout (str, default 'NCHW'): Where the channels are: `NCHW` or `NHWC`.
        {name}

    Returns:
        Tensor: as input.

    Raises:
        ValueError: Another data_layout.

    Source: Wu and He, Group normalization, https://arxiv.org/abs/1803.08494.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 4, 1])
        ...     y = paddle.static.nn.group_norm(x, 2, epsilon=0.0)
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> exe.run(main, feed={"x": [[[1.0], [3.0], [8.0], [4.0]]]}, fetch_list=[y])[0].tolist()
        [[[-1.0], [1.0], [1.0], [-1.0]]]
    """
    if data_layout not in ('NCHW', 'NHWC'):
        raise ValueError(
            f"[static.nn.group_norm] expected data_layout 'NCHW' or 'NHWC', got {data_layout!r}"
        )
    scope, count = (
        name or unique_name.generate('group_norm'),
        [_channel_count(input, data_layout, 'group_norm')],
    )
    weight = parameter(scope, count, input.dtype, param_attr, default=Constant(1.0))
    bias = parameter(scope, count, input.dtype, bias_attr, True)
    return activated(F.group_norm(input, groups, epsilon, weight, bias, data_layout), act)


@shares(layer_norm)
def instance_norm(input, epsilon=1e-05, param_attr=None, bias_attr=None, name=None):
    """Normalisation of each channel of each sample, with new parameters.

    Args:
        input (Tensor): Of shape [N, C, ...].
        {epsilon}
        param_attr (ParamAttr or bool, default None): Attributes of the scale; False, as bias_attr
            too, for none.
        bias_attr (ParamAttr or bool, default None): Attributes of the shift; False, as param_attr
            too, for none.
        {name}

    Returns:
        Tensor: as input.

    Raises:
        AssertionError: One attribute is False, the other is not.

    Source: Ulyanov, Vedaldi and Lempitsky, Instance normalization,
        https://arxiv.org/abs/1607.08022.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 1, 1, 2])
        ...     y = paddle.static.nn.instance_norm(x, epsilon=0.0)
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> exe.run(main, feed={"x": [[[[1.0, 3.0]]]]}, fetch_list=[y])[0].tolist()
        [[[[-1.0, 1.0]]]]
    """
    if (param_attr is False) != (bias_attr is False):
        raise AssertionError(
            "[static.nn.instance_norm] expected param_attr and bias_attr to be False together, "
            f"got {param_attr!r} and {bias_attr!r}"
        )
    scope, count = (
        name or unique_name.generate('instance_norm'),
        [_channel_count(input, 'NCHW', 'instance_norm')],
    )
    weight = parameter(scope, count, input.dtype, param_attr, default=Constant(1.0))
    bias = parameter(scope, count, input.dtype, bias_attr, True)
    return F.instance_norm(input, weight=weight, bias=bias, eps=epsilon)


def spectral_norm(weight, dim=0, power_iters=1, eps=1e-12, name=None):
    """A weight divided by its largest singular value, which power iteration finds.

    Args:
        weight (Tensor): The weight.
        dim (int, default 0): The axis that makes the rows of the matrix; the others make its
            columns.
        power_iters (int, default 1): How many steps of power iteration a run takes.
        eps (float, default 1e-12): What is added to norms.
        name (str, default None): The beginning of the names of the two vectors that are kept.

    Returns:
        Tensor: as weight.

    Raises:
        ValueError: dim is no axis.

    Source: Miyato, Kataoka, Koyama and Yoshida, Spectral normalization for generative adversarial
        networks, https://arxiv.org/abs/1802.05957.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     w = paddle.static.data("w", [2, 2])
        ...     y = paddle.static.nn.spectral_norm(w, power_iters=30)
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> exe.run(main, feed={"w": [[4.0, 0.0], [0.0, 1.0]]}, fetch_list=[y])[0].round(3).tolist()
        [[1.0, 0.0], [0.0, 0.25]]
    """
    scope, rank = name or unique_name.generate('spectral_norm'), len(weight.shape)
    if not 0 <= dim < rank:
        raise ValueError(f"[spectral_norm] expected dim between 0 and {rank - 1}, got {dim}")
    shape = extents(weight, 0, 'spectral_norm')
    u = _statistic(scope, [shape[dim]], weight.dtype, None, Normal(0.0, 1.0))
    v = _statistic(scope, [math.prod(shape) // shape[dim]], weight.dtype, None, Normal(0.0, 1.0))
    return ops.spectral_norm(weight, u, v, dim, power_iters, eps)
