# SPDX-License-Identifier: Apache-2.0
"""Old ops that are more than another name of a new one: `RULES[kind](inputs, attrs, append)` gives
{output: value or list of values}.

`inputs` are lists of tensors by name. `append(kind, inputs, attrs)` records an op of the table
under its old name.
"""

import numpy as np

import paddle
from paddle.base import libpaddle as _core

# Old ops that take what a later one takes.
ALIASES = {
    'reshape': 'reshape2',
    'transpose': 'transpose2',
    'squeeze': 'squeeze2',
    'unsqueeze': 'unsqueeze2',
    'flatten': 'flatten2',
    'depthwise_conv2d_transpose': 'conv2d_transpose',
    'sync_batch_norm': 'batch_norm',
    'crop_tensor': 'crop',
    'memcpy': 'assign',
    'share_data': 'assign',
}
RULES = {}


def _rule(*kinds):
    def enter(function):
        for kind in kinds:
            RULES[kind] = function
        return function

    return enter


def _dtype(number):
    return str(_core.pir._dtype_of_number(number))


def _shape(inputs, attrs):
    """The attribute `shape`, or the tensors that stand for it."""
    if inputs.get('ShapeTensor'):
        return inputs['ShapeTensor'][0]
    return list(inputs.get('ShapeTensorList') or attrs['shape'])


@_rule('fill_constant')
def _fill_constant(inputs, attrs, append):
    text = attrs.pop('str_value', '')
    if text:
        attrs['value'] = (
            float(text)
            if _dtype(attrs['dtype']).startswith(('float', 'bfloat', 'complex'))
            else int(float(text))
            if '.' in text or 'e' in text.lower()
            else int(text)
        )
    return {'Out': append('fill_constant', inputs, attrs)['Out'][0]}


@_rule('range')
def _range(inputs, attrs, append):
    start, end, step = (inputs[k][0] for k in ('Start', 'End', 'Step'))
    return {'Out': paddle.arange(start, end, step, dtype=start.dtype)}


@_rule('mul')
def _mul(inputs, attrs, append):
    (x,), (y,), rows, inner = (
        inputs['X'],
        inputs['Y'],
        attrs.get('x_num_col_dims', 1),
        attrs.get('y_num_col_dims', 1),
    )
    if not 0 < rows < x.ndim or not 0 < inner < y.ndim:
        raise ValueError(
            f"expected x_num_col_dims below {x.ndim} and y_num_col_dims below {y.ndim}, got "
            f"{rows} and {inner}"
        )
    left = x if x.ndim == rows + 1 else paddle.flatten(x, rows)
    right = (
        y
        if y.ndim == 2
        else paddle.reshape(paddle.flatten(y, inner), [-1, int(np.prod(y.shape[inner:]))])
    )
    out = paddle.matmul(left, right)
    return {
        'Out': out
        if y.ndim == inner + 1
        else paddle.reshape(out, [0] * rows + list(y.shape[inner:]))
    }


@_rule('matmul')
def _matmul(inputs, attrs, append):
    (x,), (y,), alpha = inputs['X'], inputs['Y'], attrs.get('alpha', 1.0)
    out = paddle.matmul(x, y, attrs.get('transpose_X', False), attrs.get('transpose_Y', False))
    out = out if alpha == 1.0 else paddle.scale(out, alpha)
    return {'Out': out.reshape([1]) if x.ndim == y.ndim == 1 else out}


@_rule('pow')
def _pow(inputs, attrs, append):
    (x,) = inputs['X']
    return {
        'Out': paddle.pow(
            x,
            paddle.cast(inputs['FactorTensor'][0], x.dtype)
            if inputs.get('FactorTensor')
            else attrs['factor'],
        )
    }


@_rule('assign_value')
def _assign_value(inputs, attrs, append):
    dtype = _dtype(attrs['dtype'])
    for name in (
        'values',
        'fp32_values',
        'fp64_values',
        'int32_values',
        'int64_values',
        'int8_values',
        'bool_values',
    ):
        if attrs.get(name):
            data = attrs[name]
            break
    else:
        data = []
    if int(np.prod(attrs['shape'])) != len(data):
        raise ValueError(
            f"expected as many values as the shape {attrs['shape']} has, got {len(data)}"
        )
    return {'Out': paddle.cast(paddle.assign(np.asarray(data).reshape(attrs['shape'])), dtype)}


@_rule('split')
def _split(inputs, attrs, append):
    axis = inputs['AxisTensor'][0] if inputs.get('AxisTensor') else attrs.get('axis', 0)
    sections = list(inputs.get('SectionsTensorList') or attrs.get('sections') or [])
    return {'Out': paddle.split(inputs['X'][0], sections or attrs['num'], axis)}


@_rule('norm')
def _norm(inputs, attrs, append):
    (x,) = inputs['X']
    length = paddle.sqrt(
        paddle.sum(x * x, attrs['axis'], keepdim=True) + attrs.get('epsilon', 1e-10)
    )
    return {'Out': x / length, 'Norm': length}


@_rule('top_k')
def _top_k(inputs, attrs, append):
    values, indices = paddle.topk(inputs['X'][0], inputs['K'][0] if inputs.get('K') else attrs['k'])
    return {'Out': values, 'Indices': indices}


@_rule('take_along_axis')
def _take_along_axis(inputs, attrs, append):
    return {
        'Result': paddle.take_along_axis(
            inputs['Input'][0], inputs['Index'][0], attrs['Axis'], broadcast=False
        )
    }


@_rule('put_along_axis')
def _put_along_axis(inputs, attrs, append):
    out = paddle.put_along_axis(
        inputs['Input'][0],
        inputs['Index'][0],
        inputs['Value'][0],
        attrs['Axis'],
        attrs.get('Reduce', 'assign'),
        attrs.get('Include_self', True),
        broadcast=False,
    )
    return {'Result': out}


@_rule('tril_triu')
def _tril_triu(inputs, attrs, append):
    return {
        'Out': (paddle.tril if attrs.get('lower', True) else paddle.triu)(
            inputs['X'][0], attrs.get('diagonal', 0)
        )
    }


@_rule('flatten2')
def _flatten(inputs, attrs, append):
    (x,) = inputs['X']
    axis = attrs.get('axis', 1)
    if not 0 <= axis <= x.ndim:
        raise ValueError(f"expected an axis from 0 to {x.ndim}, got {axis}")
    x = paddle.unsqueeze(x, 0) if axis == 0 else x
    x = paddle.unsqueeze(x, -1) if axis == x.ndim else x
    axis = max(axis, 1)
    x = paddle.flatten(x, axis) if x.ndim - axis > 1 else x
    return {'Out': paddle.flatten(x, 0, axis - 1) if axis > 1 else x}


@_rule('lookup_table')
def _lookup_table(inputs, attrs, append):
    ids, padding = inputs['Ids'][0].squeeze(-1), attrs.get('padding_idx', -1)
    return {
        'Out': paddle.nn.functional.embedding(
            ids, inputs['W'][0], None if padding == -1 else padding
        )
    }


@_rule('fill_zeros_like')
def _fill_zeros_like(inputs, attrs, append):
    return {'Out': paddle.zeros_like(inputs['X'][0])}


@_rule('expand')
def _expand(inputs, attrs, append):
    times = (
        inputs['ExpandTimes'][0]
        if inputs.get('ExpandTimes')
        else list(inputs.get('expand_times_tensor') or attrs['expand_times'])
    )
    return {'Out': paddle.tile(inputs['X'][0], times)}


@_rule('pad2d')
def _pad2d(inputs, attrs, append):
    top, bottom, left, right = attrs['paddings']
    mode = attrs.get('mode', 'constant')
    return {
        'Out': paddle.nn.functional.pad(
            inputs['X'][0],
            [left, right, top, bottom],
            {'edge': 'replicate'}.get(mode, mode),
            attrs.get('pad_value', 0.0),
            attrs.get('data_format', 'NCHW'),
        )
    }


@_rule('uniform_random')
def _uniform_random(inputs, attrs, append):
    return {
        'Out': paddle.uniform(
            _shape(inputs, attrs),
            _dtype(attrs['dtype']),
            attrs['min'],
            attrs['max'],
            attrs.get('seed', 0),
        )
    }


@_rule('gaussian_random')
def _gaussian_random(inputs, attrs, append):
    out = paddle.normal(attrs['mean'], attrs['std'], _shape(inputs, attrs))
    return {'Out': paddle.cast(out, _dtype(attrs['dtype']))}


@_rule('assert')
def _assert(inputs, attrs, append):
    paddle.static.nn.control_flow.Assert(
        inputs['Cond'][0], inputs.get('Data') or None, attrs.get('summarize', 20)
    )
    return {}


@_rule(
    'nearest_interp',
    'bilinear_interp',
    'trilinear_interp',
    'bicubic_interp',
    'linear_interp',
    'nearest_interp_v2',
    'bilinear_interp_v2',
    'trilinear_interp_v2',
    'bicubic_interp_v2',
    'linear_interp_v2',
)
def _interp(inputs, attrs, append):
    method, axes = attrs['interp_method'], inputs['X'][0].ndim - 2
    scale = attrs.get('scale', [])
    if not isinstance(scale, (list, tuple)):  # before version 2
        scale = [scale] * axes if scale > 0 else []
    inputs, sizes = dict(inputs), inputs.get('SizeTensor') or []
    if sizes:  # each extent in a tensor of its own
        inputs['OutSize'] = [
            paddle.concat([paddle.reshape(paddle.cast(s, 'int32'), [1]) for s in sizes])
        ]
        inputs['SizeTensor'] = []
    return {'Out': append(f'{method}_interp_v2', inputs, {**attrs, 'scale': scale})['Out'][0]}


@_rule('set_value')
def _set_value(inputs, attrs, append):
    (x,) = inputs['Input']

    def bounds(name):
        return list(inputs.get(f'{name.capitalize()}TensorList') or attrs.get(name) or [])

    where = [
        bounds('starts'),
        bounds('ends'),
        bounds('steps'),
        attrs['axes'],
        attrs.get('decrease_axes', []),
        attrs.get('none_axes', []),
    ]
    value = (
        inputs['ValueTensor'][0]
        if inputs.get('ValueTensor')
        else _assign_value({}, attrs, append)['Out']
    )
    return {'Out': paddle._C_ops.set_value_with_tensor(x, value, *where)}


@_rule('print')
def _print(inputs, attrs, append):
    return {'Out': inputs['In'][0]}


# Old ops that are functions of `_C_ops` under the same name, with the inputs and attributes of the
# declaration in its order.
FUNCTIONS = (
    'affine_channel anchor_generator dequantize_abs_max dequantize_linear dequantize_log '
    'fake_channel_wise_dequantize_max_abs fake_channel_wise_quantize_abs_max '
    'fake_channel_wise_quantize_dequantize_abs_max fake_dequantize_max_abs fake_quantize_abs_max '
    'fake_quantize_dequantize_abs_max fake_quantize_dequantize_moving_average_abs_max '
    'fake_quantize_moving_average_abs_max fake_quantize_range_abs_max hinge_loss identity_loss '
    'l1_norm moving_average_abs_max_scale partial_concat partial_sum quantize_linear reduce_as '
    'rint shard_index shuffle_channel trunc_divide'
).split()


def _function(kind):
    @_rule(kind)
    def call(inputs, attrs, append):
        from paddle._legacy_protos import PROTOS

        names, outputs, attributes = (part.split() for part in PROTOS[kind])
        given = [
            inputs.get(name.partition('[')[0], [])
            if '[]' in name
            else (inputs.get(name.rstrip('?')) or [None])[0]
            for name in names
        ]
        known = [word.split(':')[0] for word in attributes]
        own = {name: attrs[name] for name in known if name in attrs}
        made = getattr(paddle._C_ops, kind)(*given, **own)
        several = isinstance(made, (list, tuple)) and len(outputs) > 1
        return dict(zip((o.rstrip('?~[]') for o in outputs), made if several else [made]))


for _kind in FUNCTIONS:
    _function(_kind)
