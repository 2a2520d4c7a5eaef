# SPDX-License-Identifier: Apache-2.0
"""Normalisations as functions: each call makes its own scale, shift and running statistics."""

import math

import paddle
import paddle.nn.functional as F
from paddle import _C_ops as ops
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
    """Normalisation by the batch's mean and variance a channel, or by the running ones with
    `is_test` or `use_global_stats`.
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
    """Normalisation over the axes from `begin_norm_axis` on, with new scale and shift."""
    scope = name or unique_name.generate('layer_norm')
    shape = extents(input, begin_norm_axis, 'layer_norm')
    count = [math.prod(shape)]
    weight = (
        parameter(scope, count, input.dtype, param_attr, default=Constant(1.0)) if scale else None
    )
    bias = parameter(scope, count, input.dtype, bias_attr, True) if shift else None
    weight, bias = (None if p is None else paddle.reshape(p, shape) for p in (weight, bias))
    return activated(F.layer_norm(input, shape, weight, bias, epsilon), act)


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
    """Normalisation over each of `groups` groups of channels, with new scale and shift."""
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


def instance_norm(input, epsilon=1e-05, param_attr=None, bias_attr=None, name=None):
    """Normalisation of each channel of each sample, with new scale and shift unless both attributes
    are False.
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
    """`weight` divided by its largest singular value, found by `power_iters` steps of power
    iteration on axis `dim` against the rest.
    """
    scope, rank = name or unique_name.generate('spectral_norm'), len(weight.shape)
    if not 0 <= dim < rank:
        raise ValueError(f"[spectral_norm] expected dim between 0 and {rank - 1}, got {dim}")
    shape = extents(weight, 0, 'spectral_norm')
    u = _statistic(scope, [shape[dim]], weight.dtype, None, Normal(0.0, 1.0))
    v = _statistic(scope, [math.prod(shape) // shape[dim]], weight.dtype, None, Normal(0.0, 1.0))
    return ops.spectral_norm(weight, u, v, dim, power_iters, eps)
