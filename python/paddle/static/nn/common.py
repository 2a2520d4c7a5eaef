# SPDX-License-Identifier: Apache-2.0
"""Layers as functions: each call makes its own parameters and applies them to values of the
program.
"""

import math

import paddle
from paddle import _lazy
from paddle.base.arguments import only
import paddle.nn.functional as F
from paddle.nn.functional import _parse
from paddle.base.framework import make_parameter
from paddle.base.param_attr import ParamAttr, WeightNormParamAttr
from paddle.nn.initializer import Constant
from paddle.nn.initializer.initializer import Initializer
from paddle.utils import unique_name

__all__ = [
    'bilinear_tensor_product',
    'embedding',
    'fc',
    'nce',
    'prelu',
    'row_conv',
    'sparse_embedding',
]


def parameter(scope, shape, dtype, attr, is_bias=False, default=None):
    """A new parameter of the layer `scope`; None for a false `attr`, direction times length for a
    WeightNormParamAttr.
    """
    if isinstance(attr, WeightNormParamAttr):
        return _normed_parameter(scope, shape, dtype, attr, default)
    return make_parameter(scope, shape, dtype, attr, is_bias, default)


def _normed_parameter(scope, shape, dtype, attr, default):
    """g * v / |v| for parameters g and v; |v| is taken over all axes but `attr.dim`, or over all of
    them.
    """
    name = attr.name or unique_name.generate(scope + '.w')
    plain = attr._to_kwargs()
    plain.pop('optimize_attr')
    plain['learning_rate'] = attr.learning_rate
    direct = ParamAttr(**{**plain, 'name': name + '_v', 'initializer': attr.initializer})
    direction = make_parameter(scope, shape, dtype, direct, False, default)
    axes = (
        None if attr.dim is None else [a for a in range(len(shape)) if a != attr.dim % len(shape)]
    )
    extents = (
        [1]
        if axes is None
        else [d if a == attr.dim % len(shape) else 1 for a, d in enumerate(shape)]
    )

    def length(x):
        norm = paddle.sqrt(paddle.sum(paddle.square(x), axis=axes, keepdim=True))
        return paddle.reshape(norm, extents)

    scale = make_parameter(
        scope,
        extents,
        dtype,
        ParamAttr(**{**plain, 'name': name + '_g'}),
        False,
        _LengthOf(direction, length),
    )
    WeightNormParamAttr.params_with_weight_norm.append(direction)
    return direction * (scale / length(direction))


class _LengthOf(Initializer):
    def __init__(self, direction, length):
        self._direction, self._length = direction, length

    def create(self, shape, dtype):
        with paddle.no_grad():
            return self._length(self._direction).detach()


def extents(x, first, name):
    shape = list(x.shape)[first:]
    if any(d < 0 for d in shape):
        raise ValueError(
            f"[{name}] expected known extents from axis {first} on, got shape {list(x.shape)}"
        )
    return shape


def activated(x, activation):
    return x if activation is None else getattr(F, activation)(x)


def fc(x, size, num_flatten_dims=1, weight_attr=None, bias_attr=None, activation=None, name=None):
    """activation(x @ w + b) over the axes of `x` from `num_flatten_dims` on, flattened; several
    inputs are summed.
    """
    inputs = x if isinstance(x, (list, tuple)) else [x]
    scope = name or unique_name.generate('fc')
    attrs = weight_attr if isinstance(weight_attr, (list, tuple)) else [weight_attr] * len(inputs)
    if len(attrs) != len(inputs):
        raise ValueError(
            f"[fc] expected one weight_attr for each of {len(inputs)} inputs, got {len(attrs)}"
        )
    total = None
    for one, attr in zip(inputs, attrs):
        first = num_flatten_dims if num_flatten_dims >= 0 else len(one.shape) + num_flatten_dims
        if not 0 < first < len(one.shape):
            raise ValueError(
                f"[fc] expected num_flatten_dims between 1 and {len(one.shape) - 1}, got "
                f"{num_flatten_dims}"
            )
        width = math.prod(extents(one, first, 'fc'))
        weight = parameter(scope, [width, size], one.dtype, attr)
        flat = one if len(one.shape) == first + 1 else paddle.flatten(one, first)
        part = paddle.matmul(flat, weight)
        total = part if total is None else total + part
    bias = parameter(scope, [size], inputs[0].dtype, bias_attr, True)
    return activated(total if bias is None else total + bias, activation)


def embedding(
    input,
    size,
    is_sparse=False,
    is_distributed=False,
    padding_idx=None,
    param_attr=None,
    dtype='float32',
):
    """Rows of a new table of shape `size`, chosen by the integers of `input`."""
    only('embedding', 'the table is on one process', is_distributed=(is_distributed, False))
    table = parameter(unique_name.generate('embedding'), size, dtype, param_attr)
    return F.embedding(input, table, padding_idx=padding_idx)


def sparse_embedding(
    input,
    size,
    padding_idx=None,
    is_test=False,
    entry=None,
    table_class='MemorySparseTable',
    param_attr=None,
    dtype='float32',
    slot=None,
):
    """Rows of a new table of shape `size`; without a parameter server the table is an ordinary
    parameter of this process.
    """
    if table_class not in ('CommonSparseTable', 'SSDSparseTable', 'MemorySparseTable'):
        raise ValueError(
            "[sparse_embedding] expected table_class CommonSparseTable, SSDSparseTable or "
            "MemorySparseTable, got "
            f"{table_class!r}"
        )
    only('sparse_embedding', 'slots need a parameter server', slot=(slot, None))
    if entry is not None:
        raise ValueError(
            f"[sparse_embedding] expected entry to be None, got {entry!r}: rules of admission "
            f"need a parameter server"
        )
    table = parameter(unique_name.generate('embedding'), size, dtype, param_attr)
    return F.embedding(input, table, padding_idx=padding_idx)


def prelu(x, mode, param_attr=None, data_format='NCHW', name=None):
    """max(x, 0) + alpha * min(x, 0) with a new alpha: one ('all'), one a channel ('channel') or one
    an element ('element').
    """
    if mode not in ('all', 'channel', 'element'):
        raise ValueError(
            f"[static.nn.prelu] expected mode 'all', 'channel' or 'element', got {mode!r}"
        )
    _parse.data_format(
        'static.nn.prelu', data_format, 'NC', 'NCL', 'NCHW', 'NCDHW', 'NLC', 'NHWC', 'NDHWC'
    )
    channels_last = data_format in ('NHWC', 'NLC', 'NDHWC')
    shape = [1]
    if mode == 'channel':
        if len(x.shape) < 2:
            raise ValueError(
                f"[prelu] expected at least 2 axes in mode 'channel', got shape {list(x.shape)}"
            )
        axis = len(x.shape) - 1 if channels_last else 1
        shape = [x.shape[axis] if a == axis else 1 for a in range(len(x.shape))]
    elif mode == 'element':
        shape = [1, *extents(x, 1, 'prelu')]
    alpha = parameter(
        name or unique_name.generate('prelu'), shape, x.dtype, param_attr, default=Constant(0.25)
    )
    return paddle.maximum(x, paddle.zeros([1], x.dtype)) + alpha * paddle.minimum(
        x, paddle.zeros([1], x.dtype)
    )


def bilinear_tensor_product(x, y, size, act=None, name=None, param_attr=None, bias_attr=None):
    """act(x @ W_i @ y^T + b) for i < `size`: (batch, m) and (batch, n) give (batch, size)."""
    scope = name or unique_name.generate('bilinear_tensor_product')
    weight = parameter(scope, [size, x.shape[1], y.shape[1]], x.dtype, param_attr)
    bias = parameter(scope, [1, size], x.dtype, bias_attr, True)
    return activated(F.bilinear(x, y, weight, bias), act)


def row_conv(input, future_context_size, param_attr=None, act=None):
    """out[:, t] = the sum over k <= `future_context_size` of input[:, t + k] * w[k], for input of
    shape (batch, time, features).
    """
    if len(input.shape) != 3:
        raise ValueError(
            f"[row_conv] expected input of shape (batch, time, features), got {list(input.shape)}"
        )
    features = extents(input, 2, 'row_conv')[0]
    weight = parameter(
        unique_name.generate('row_conv'),
        [future_context_size + 1, features],
        input.dtype,
        param_attr,
    )
    padded = F.pad(input, [0, future_context_size], data_format='NLC')
    total = None
    for k in range(future_context_size + 1):
        end = k - future_context_size
        part = (padded[:, k:end] if end else padded[:, k:]) * weight[k]
        total = part if total is None else total + part
    return activated(total, act)


def nce(
    input,
    label,
    num_total_classes,
    sample_weight=None,
    param_attr=None,
    bias_attr=None,
    num_neg_samples=None,
    name=None,
    sampler='uniform',
    custom_dist=None,
    seed=0,
    is_sparse=False,
):
    """Noise-contrastive estimation of a classifier with new weights: the cost of each row, shape
    (batch, 1).

    The classes of `label` (batch, labels) are compared with `num_neg_samples` classes drawn by
    `sampler`: 'uniform', 'log_uniform' or 'custom_dist' with the probabilities `custom_dist`.
    `sample_weight` (batch, 1) multiplies the rows.
    """
    only('nce', 'classes are drawn from the global generator', seed=(seed, 0))
    if sampler not in ('uniform', 'log_uniform', 'custom_dist'):
        raise Exception(
            f"[nce] expected sampler 'uniform', 'log_uniform' or 'custom_dist', got {sampler!r}"
        )
    if sampler == 'custom_dist' and (custom_dist is None or len(custom_dist) != num_total_classes):
        raise ValueError(
            f"[nce] expected custom_dist to have {num_total_classes} probabilities, got "
            f"{None if custom_dist is None else len(custom_dist)}"
        )
    scope, width = name or unique_name.generate('nce'), extents(input, 1, 'nce')[0]
    weight = parameter(scope, [num_total_classes, width], input.dtype, param_attr)
    bias = parameter(scope, [num_total_classes, 1], input.dtype, bias_attr, True)
    count = 10 if num_neg_samples is None else int(num_neg_samples)
    if sampler == 'uniform':
        odds = [1.0 / num_total_classes] * num_total_classes
    elif sampler == 'log_uniform':
        odds = [
            math.log((c + 2.0) / (c + 1.0)) / math.log(num_total_classes + 1.0)
            for c in range(num_total_classes)
        ]
    else:
        odds = [float(p) for p in custom_dist]
    odds = paddle.to_tensor(odds, input.dtype)
    drawn = paddle.multinomial(odds, count, replacement=True)
    label = paddle.cast(label, 'int64')

    def score(classes):
        flat, each = paddle.flatten(classes), classes.shape[1]
        logit = paddle.sum(
            paddle.unsqueeze(input, 1) * paddle.gather(weight, flat).reshape([-1, each, width]), -1
        )
        if bias is not None:
            logit = logit + paddle.gather(bias, flat).reshape([-1, each])
        noise = paddle.gather(odds, flat).reshape([-1, each]) * count
        return F.sigmoid(logit), noise

    hit, noise = score(label)
    cost = paddle.sum(-paddle.log(hit / (hit + noise)), 1, keepdim=True)
    hit, noise = score(paddle.unsqueeze(drawn, 0))
    cost = cost + paddle.sum(-paddle.log(noise / (hit + noise)), 1, keepdim=True)
    if sample_weight is not None:
        cost = cost * paddle.reshape(sample_weight, [-1, 1])
    return cost


_lazy.serve(globals())
