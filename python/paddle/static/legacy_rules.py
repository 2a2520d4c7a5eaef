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


# Declarations of ops that only a rule or another name has: inputs, outputs and attributes.
DECLARED = {
    'assert': ('Cond Data[]', '', 'summarize:9'),
    'assign_value': ('ValuesTensor?', 'Out', 'shape:3 dtype:0 values:17'),
    'bilinear_interp': (
        'X OutSize? SizeTensor[]? Scale?',
        'Out',
        'data_layout:2 out_d:0 out_h:0 out_w:0 scale:1 interp_method:2 align_corners:6 '
        'align_mode:0',
    ),
    'crop_tensor': (
        'X Shape? ShapeTensor[]? Offsets? OffsetsTensor[]?',
        'Out',
        'shape:3 offsets:3',
    ),
    'depthwise_conv2d_transpose': (
        'Input Filter Bias?~',
        'Output',
        'strides:3 paddings:3 output_padding:3 output_size:3 padding_algorithm:2 groups:0 '
        'dilations:3 data_format:2',
    ),
    'expand': ('X ExpandTimes? expand_times_tensor[]?', 'Out', 'expand_times:3'),
    'flatten2': ('X', 'Out XShape?', 'axis:0'),
    'gaussian_random': (
        'ShapeTensor? ShapeTensorList[]?',
        'Out',
        'shape:11 mean:1 std:1 seed:0 dtype:0',
    ),
    'lookup_table': (
        'W Ids',
        'Out',
        'is_sparse:6 is_distributed:6 padding_idx:9 remote_prefetch:6 entry_config:2 is_test:6 '
        'entry:2 table_class:2 table_names:5 trainer_id:0 grad_inplace:6 epmap:5 '
        'height_sections:11',
    ),
    'matmul': ('X Y', 'Out', 'transpose_X:6 transpose_Y:6 alpha:1 head_number:0'),
    'memcpy': ('X', 'Out', 'dst_place_type:0'),
    'mul': ('X Y', 'Out', 'x_num_col_dims:0 y_num_col_dims:0'),
    'nearest_interp': (
        'X OutSize? SizeTensor[]? Scale?',
        'Out',
        'data_layout:2 out_d:0 out_h:0 out_w:0 scale:1 interp_method:2 align_corners:6 '
        'align_mode:0',
    ),
    'norm': ('X', 'Out Norm?', 'axis:0 epsilon:1 is_test:6'),
    'put_along_axis': ('Input Index Value', 'Result', 'Axis:0 Reduce:2 Include_self:6'),
    'range': ('Start End Step', 'Out', ''),
    'reshape': ('X Shape? ShapeTensor[]?', 'Out', 'shape:3'),
    'share_data': ('X', 'Out', ''),
    'take_along_axis': ('Input Index', 'Result', 'Axis:0'),
    'top_k': ('X K?', 'Out Indices', 'k:0'),
    'transpose': ('X', 'Out', 'axis:3'),
    'tril_triu': ('X', 'Out', 'diagonal:0 lower:6'),
    'uniform_random': (
        'ShapeTensor? ShapeTensorList[]?',
        'Out',
        'shape:11 dtype:0 min:1 max:1 seed:0 diag_num:0 diag_step:0 diag_val:1',
    ),
}

# Old ops that are functions of `_C_ops` under the same name: inputs, outputs and attributes as
# `paddle.base.op_proto` declares them.
FUNCTIONS = {
    'affine_channel': ('X Scale Bias', 'Out', 'data_layout:2'),
    'hinge_loss': ('Logits Labels', 'Loss', ''),
    'identity_loss': ('X', 'Out', 'reduction:0'),
    'l1_norm': ('X', 'Out', ''),
    'partial_concat': ('X[]', 'Out', 'start_index:0 length:0'),
    'partial_sum': ('X[]', 'Out', 'start_index:0 length:0'),
    'reduce_as': ('x target', 'out', ''),
    'rint': ('x', 'out', ''),
    'shard_index': ('X', 'Out', 'index_num:0 nshards:0 shard_id:0 ignore_value:0'),
    'shuffle_channel': ('X', 'Out', 'group:0'),
    'trunc_divide': ('x y', 'out', ''),
    'anchor_generator': (
        'Input',
        'Anchors Variances',
        'anchor_sizes:4 aspect_ratios:4 variances:4 stride:4 offset:1',
    ),
    'fake_channel_wise_quantize_dequantize_abs_max': (
        'X',
        'Out OutScale',
        'bit_length:0 round_type:0 quant_axis:0',
    ),
    'fake_quantize_dequantize_abs_max': ('X', 'Out OutScale', 'bit_length:0 round_type:0'),
    'fake_quantize_dequantize_moving_average_abs_max': (
        'X InScale InAccum? InState?',
        'Out OutScale OutState? OutAccum?',
        'moving_rate:1 bit_length:0 is_test:6 round_type:0',
    ),
}


def _function(kind, names, outputs, attributes):
    known = [word.split(':')[0] for word in attributes.split()]

    @_rule(kind)
    def call(inputs, attrs, append):
        given = [
            inputs[name[:-2]]
            if name.endswith('[]')
            else (inputs.get(name.rstrip('?')) or [None])[0]
            for name in names.split()
        ]
        own = {name: attrs[name] for name in known if name in attrs}
        made = getattr(paddle._C_ops, kind)(*given, **own)
        several = isinstance(made, (list, tuple))
        return dict(zip(outputs.replace('?', '').split(), made if several else [made]))


for _kind, _declared in FUNCTIONS.items():
    _function(_kind, *_declared)
