# SPDX-License-Identifier: Apache-2.0
"""Layers as functions: each call makes its own parameters and applies them to values of the program."""
import math

import paddle
import paddle.nn.functional as F
from paddle.base.framework import make_parameter
from paddle.utils import unique_name

__all__ = ['fc', 'embedding', 'conv2d', 'layer_norm']


def _parameter(scope, shape, dtype, attr, is_bias=False, default=None):
    return make_parameter(scope, shape, dtype, attr, is_bias, default)


def _extents(x, first, name):
    shape = list(x.shape)[first:]
    if any(d < 0 for d in shape):
        raise ValueError(f"[{name}] expected known extents from axis {first} on, got shape {list(x.shape)}")
    return shape


def _activated(x, activation):
    return x if activation is None else getattr(F, activation)(x)


def fc(x, size, num_flatten_dims=1, weight_attr=None, bias_attr=None, activation=None, name=None):
    """activation(x @ w + b) over the axes of `x` from `num_flatten_dims` on, flattened; several inputs are summed."""
    inputs = x if isinstance(x, (list, tuple)) else [x]
    scope = name or unique_name.generate('fc')
    total = None
    for one in inputs:
        first = num_flatten_dims if num_flatten_dims >= 0 else len(one.shape) + num_flatten_dims
        if not 0 < first < len(one.shape):
            raise ValueError(f"[fc] expected num_flatten_dims between 1 and {len(one.shape) - 1}, got {num_flatten_dims}")
        width = math.prod(_extents(one, first, 'fc'))
        weight = _parameter(scope, [width, size], one.dtype, weight_attr)
        flat = one if len(one.shape) == first + 1 else paddle.flatten(one, first)
        part = paddle.matmul(flat, weight)
        total = part if total is None else total + part
    bias = _parameter(scope, [size], inputs[0].dtype, bias_attr, True)
    return _activated(total if bias is None else total + bias, activation)


def embedding(input, size, is_sparse=False, is_distributed=False, padding_idx=None, param_attr=None, dtype='float32'):
    """Rows of a new table of shape `size`, chosen by the integers of `input`."""
    table = _parameter(unique_name.generate('embedding'), size, dtype, param_attr)
    return F.embedding(input, table, padding_idx=padding_idx)


def conv2d(input, num_filters, filter_size, stride=1, padding=0, dilation=1, groups=None, param_attr=None, bias_attr=None,
           use_cudnn=True, act=None, name=None, data_format='NCHW'):
    """A two-dimensional convolution with `num_filters` new filters."""
    scope = name or unique_name.generate('conv2d')
    groups = groups or 1
    height, width = filter_size if isinstance(filter_size, (list, tuple)) else (filter_size, filter_size)
    channels = input.shape[1 if data_format == 'NCHW' else 3]
    if channels < 0 or channels % groups:
        raise ValueError(f"[conv2d] expected a known number of channels that {groups} groups divide, got {channels}")
    spread = math.sqrt(2.0 / (height * width * channels))
    weight = _parameter(scope, [num_filters, channels // groups, height, width], input.dtype, param_attr,
                        default=paddle.nn.initializer.Normal(0.0, spread))
    bias = _parameter(scope, [num_filters], input.dtype, bias_attr, True)
    out = F.conv2d(input, weight, bias, stride, padding, dilation, groups, data_format)
    return _activated(out, act)


def layer_norm(input, scale=True, shift=True, begin_norm_axis=1, epsilon=1e-05, param_attr=None, bias_attr=None, act=None, name=None):
    """Normalisation over the axes from `begin_norm_axis` on, with new scale and shift."""
    scope = name or unique_name.generate('layer_norm')
    shape = _extents(input, begin_norm_axis, 'layer_norm')
    count = [math.prod(shape)]
    weight = _parameter(scope, count, input.dtype, param_attr, default=paddle.nn.initializer.Constant(1.0)) if scale else None
    bias = _parameter(scope, count, input.dtype, bias_attr, True) if shift else None
    weight, bias = (None if p is None else paddle.reshape(p, shape) for p in (weight, bias))
    return _activated(F.layer_norm(input, shape, weight, bias, epsilon), act)
