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
    'share_data': 'assign',
}
RULES = {}
# Rules whose first result can take the place of the first input, for the forms with `_`.
IN_PLACE = frozenset(
    'affine_channel baddbmm exponential fill_any flatten2 polygamma put_along_axis rint '
    'trunc_divide uniform_random_inplace'.split()
)


# Results that an op reads, where they have a value: when it is told that it does not train, always.
READ = {'fake_channel_wise_quantize_abs_max': 'OutScale'}
READ_ALWAYS = {'write_to_array': 'Out'}


def rule(*kinds):
    def enter(function):
        for kind in kinds:
            RULES[kind] = function
        return function

    return enter


# Ops whose results are as the variables that receive them say: see `legacy_effects`.
DECLARED = {}


def declared(kind):
    def enter(function):
        DECLARED[kind] = function
        return function

    return enter


def first_of(inputs, *names):
    """The first tensor of each input, None for one that is left out."""
    return [(inputs.get(name) or [None])[0] for name in names]


def dtype_of(number):
    """The name of the dtype that old programs give this number."""
    return str(_core.pir._dtype_of_number(number))


def _shape(inputs, attrs):
    """The attribute `shape`, or the tensors that stand for it."""
    if inputs.get('ShapeTensor'):
        return inputs['ShapeTensor'][0]
    return list(inputs.get('ShapeTensorList') or attrs['shape'])


@rule('fill_constant')
def _fill_constant(inputs, attrs, append):
    text = attrs.pop('str_value', '')
    if text:
        attrs['value'] = (
            float(text)
            if dtype_of(attrs['dtype']).startswith(('float', 'bfloat', 'complex'))
            else int(float(text))
            if '.' in text or 'e' in text.lower()
            else int(text)
        )
    return {'Out': append('fill_constant', inputs, attrs)['Out'][0]}


@rule('range')
def _range(inputs, attrs, append):
    start, end, step = (inputs[k][0] for k in ('Start', 'End', 'Step'))
    return {'Out': paddle.arange(start, end, step, dtype=start.dtype)}


@rule('range_v2')
def _range_with_end(inputs, attrs, append):
    start, end, step = (inputs[k][0].reshape([]) for k in ('Start', 'End', 'Step'))
    count = paddle.floor((end - start).astype('float64') / step.astype('float64')) + 1
    return {'Out': start + paddle.arange(count.astype('int64')).astype(start.dtype) * step}


@rule('npu_identity')
def _identity(inputs, attrs, append):
    return {'out': paddle.assign(inputs['x'][0])}


@rule('mul')
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


@rule('matmul')
def _matmul(inputs, attrs, append):
    (x,), (y,), alpha = inputs['X'], inputs['Y'], attrs.get('alpha', 1.0)
    out = paddle.matmul(x, y, attrs.get('transpose_X', False), attrs.get('transpose_Y', False))
    out = out if alpha == 1.0 else paddle.scale(out, alpha)
    return {'Out': out}


@rule('pow')
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


@rule('assign_value')
def _assign_value(inputs, attrs, append):
    dtype = dtype_of(attrs['dtype'])
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


@rule('split')
def _split(inputs, attrs, append):
    axis = inputs['AxisTensor'][0] if inputs.get('AxisTensor') else attrs.get('axis', 0)
    sections = list(inputs.get('SectionsTensorList') or attrs.get('sections') or [])
    return {'Out': paddle.split(inputs['X'][0], sections or attrs['num'], axis)}


@rule('norm')
def _norm(inputs, attrs, append):
    (x,) = inputs['X']
    length = paddle.sqrt(
        paddle.sum(x * x, attrs['axis'], keepdim=True) + attrs.get('epsilon', 1e-10)
    )
    return {'Out': x / length, 'Norm': length.detach()}


@rule('top_k')
def _top_k(inputs, attrs, append):
    values, indices = paddle.topk(inputs['X'][0], inputs['K'][0] if inputs.get('K') else attrs['k'])
    return {'Out': values, 'Indices': indices}


@rule('take_along_axis')
def _take_along_axis(inputs, attrs, append):
    return {
        'Result': paddle.take_along_axis(
            inputs['Input'][0], inputs['Index'][0], attrs['Axis'], broadcast=False
        )
    }


@rule('put_along_axis')
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


@rule('tril_triu')
def _tril_triu(inputs, attrs, append):
    return {
        'Out': (paddle.tril if attrs.get('lower', True) else paddle.triu)(
            inputs['X'][0], attrs.get('diagonal', 0)
        )
    }


@rule('flatten2')
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


@rule('lookup_table')
def _lookup_table(inputs, attrs, append):
    ids, padding = inputs['Ids'][0].squeeze(-1), attrs.get('padding_idx', -1)
    return {
        'Out': paddle.nn.functional.embedding(
            ids, inputs['W'][0], None if padding == -1 else padding
        )
    }


@rule('fill_zeros_like')
def _fill_zeros_like(inputs, attrs, append):
    return {'Out': paddle.zeros_like(inputs['X'][0])}


@rule('expand')
def _expand(inputs, attrs, append):
    times = (
        inputs['ExpandTimes'][0]
        if inputs.get('ExpandTimes')
        else list(inputs.get('expand_times_tensor') or attrs['expand_times'])
    )
    return {'Out': paddle.tile(inputs['X'][0], times)}


@rule('pad2d')
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


@rule('uniform_random')
def _uniform_random(inputs, attrs, append):
    from paddle._op_table import with_diagonal

    bounds = attrs['min'], attrs['max'], attrs.get('seed', 0)
    drawn = paddle.uniform(_shape(inputs, attrs), dtype_of(attrs['dtype']), *bounds)
    diagonal = (attrs.get(k, 0) for k in ('diag_num', 'diag_step', 'diag_val'))
    return {'Out': with_diagonal(drawn, *diagonal)}


@rule('gaussian_random')
def _gaussian_random(inputs, attrs, append):
    numbers = attrs['mean'], attrs['std'], attrs.get('seed', 0), dtype_of(attrs['dtype'])
    return {'Out': paddle._C_ops.gaussian(_shape(inputs, attrs), *numbers)}


@rule('randint')
def _randint(inputs, attrs, append):
    seed = attrs.pop('seed', 0)
    if not seed:
        return {'Out': append('randint', inputs, attrs)['Out'][0]}
    low, high = attrs['low'], attrs['high']
    drawn = paddle.uniform(_shape(inputs, attrs), 'float64', 0.0, float(high - low), seed)
    return {'Out': (paddle.floor(drawn) + low).astype(dtype_of(attrs.get('dtype', 3)))}


@rule('assert')
def _assert(inputs, attrs, append):
    paddle.static.nn.control_flow.Assert(
        inputs['Cond'][0], inputs.get('Data') or None, attrs.get('summarize', 20)
    )
    return {}


@rule(
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


@rule('set_value')
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


@rule('gru_unit')
def _gru_unit(inputs, attrs, append):
    from paddle._sequence_ops import gru_unit_whole

    given = [(inputs.get(name) or [None])[0] for name in ('Input', 'HiddenPrev', 'Weight', 'Bias')]
    return dict(zip(('Gate', 'ResetHiddenPrev', 'Hidden'), gru_unit_whole(*given, **attrs)))


@rule('tdm_child')
def _tdm_child(inputs, attrs, append):
    made = paddle._C_ops.tdm_child(
        inputs['X'][0], inputs['TreeInfo'][0], attrs['child_nums'], dtype_of(attrs.get('dtype', 2))
    )
    return dict(zip(('Child', 'LeafMask'), made))


@rule('uniform_random_batch_size_like')
def _uniform_of_rows(inputs, attrs, append):
    attrs = {**attrs, 'dtype': dtype_of(attrs.get('dtype', 5))}
    return {'Out': paddle._C_ops.uniform_random_batch_size_like(inputs['Input'][0], **attrs)}


@rule('nansum')
def _nansum(inputs, attrs, append):
    axis = inputs.get('AxisTensor', [None])[0]
    axis = list(attrs.get('axis', ())) if axis is None else axis.tolist()
    out = paddle.nansum(inputs['x'][0], axis or None, keepdim=attrs.get('keepdim', False))
    return {'out': out}


@rule('logspace')
def _logspace(inputs, attrs, append):
    start, stop, count, base = (inputs[k][0] for k in ('Start', 'Stop', 'Num', 'Base'))
    return {'Out': paddle.logspace(start, stop, count, base, dtype_of(attrs['dtype']))}


@rule('baddbmm')
def _baddbmm(inputs, attrs, append):
    given = (inputs[k][0] for k in ('Input', 'X', 'Y'))
    return {'Out': paddle.baddbmm(*given, attrs.get('Beta', 1.0), attrs.get('Alpha', 1.0))}


@rule('einsum')
def _einsum(inputs, attrs, append):
    return {'Out': paddle.einsum(attrs['equation'], *inputs['Operands'])}


@rule('repeat_interleave')
def _repeat_interleave(inputs, attrs, append):
    repeats = inputs.get('RepeatsTensor', [attrs.get('Repeats')])[0]
    return {'Out': paddle.repeat_interleave(inputs['X'][0], repeats, attrs.get('dim', 0))}


@rule('exponential')
def _exponential(inputs, attrs, append):
    return {'Out': inputs['X'][0].clone().exponential_(attrs.get('lambda', 1.0))}


@rule('sequence_mask')
def _sequence_mask(inputs, attrs, append):
    most = inputs.get('MaxLenTensor', [attrs.get('maxlen', -1)])[0]
    most = None if isinstance(most, int) and most < 0 else most
    dtype = dtype_of(attrs['out_dtype'])
    return {'Y': paddle.nn.functional.sequence_mask(inputs['X'][0], most, dtype)}


@rule('fill_any')
def _fill_any(inputs, attrs, append):
    return {'Out': inputs['X'][0].clone().fill_(attrs.get('value', 0.0))}


@rule('grad_add')
def _grad_add(inputs, attrs, append):
    return {'Out': inputs['X'][0] + inputs['Y'][0]}


@rule('bilinear_tensor_product')
def _bilinear_tensor_product(inputs, attrs, append):
    given = ((inputs.get(k) or [None])[0] for k in ('X', 'Y', 'Weight', 'Bias'))
    return {'Out': paddle.nn.functional.bilinear(*given)}


@rule('cross_entropy')
def _cross_entropy(inputs, attrs, append):
    (x,), (label,) = inputs['X'], inputs['Label']
    logs = paddle.log(paddle.clip(x, 1e-20))
    if attrs.get('soft_label', False):
        return {'Y': -(label * logs).sum(-1, keepdim=True)}
    label = label if label.ndim == x.ndim else label.unsqueeze(-1)
    kept = label != attrs.get('ignore_index', -100)
    found = paddle.take_along_axis(logs, paddle.where(kept, label, label * 0), -1)
    return {'Y': -found * kept.astype(x.dtype)}


@rule('cross_entropy2')
def _cross_entropy2(inputs, attrs, append):
    (x,), (label,) = inputs['X'], inputs['Label']
    label = label if label.ndim == x.ndim else label.unsqueeze(-1)
    kept = label != attrs.get('ignore_index', -100)
    found = paddle.take_along_axis(x, paddle.where(kept, label, label * 0), -1)
    return {'Y': -paddle.log(found) * kept.astype(x.dtype), 'MatchX': found.detach()}


@rule('lrn')
def _lrn(inputs, attrs, append):
    (x,), size = inputs['X'], attrs.get('n', 5)
    if attrs.get('data_format', 'NCHW') not in ('NCHW', 'AnyLayout'):
        raise NotImplementedError(f"[lrn] expected data_format NCHW, got {attrs['data_format']}")
    first, channels = (size - 1) // 2, x.shape[1]
    if not 0 < size <= 2 * channels + 1:
        raise ValueError(f'[lrn] expected n from 1 to {2 * channels + 1}, got {size}')
    wide = paddle.nn.functional.pad(x * x, [0, 0, first, size - 1 - first, 0, 0, 0, 0])
    parts = [wide[:, k : k + channels] for k in range(size)]
    middle = paddle.add_n(parts) * attrs.get('alpha', 1e-4) + attrs.get('k', 2.0)
    return {'Out': x * paddle.pow(middle, -attrs.get('beta', 0.75)), 'MidOut': middle.detach()}


@rule('fill')
def _fill(inputs, attrs, append):
    dtype = dtype_of(attrs.get('dtype', 5))
    return {'Out': paddle.to_tensor(list(attrs['value']), dtype=dtype).reshape(attrs['shape'])}


@rule('share_buffer')
def _share_buffer(inputs, attrs, append):
    given = inputs['X']
    return {'Out': list(given), 'XOut': list(given)}


@rule('deformable_conv_v1')
def _deformable_conv_v1(inputs, attrs, append):
    (x,), (offset,), (weight,) = inputs['Input'], inputs['Offset'], inputs['Filter']
    out = paddle.vision.ops.deform_conv2d(
        x,
        offset,
        weight,
        None,
        list(attrs.get('strides', (1, 1))),
        list(attrs.get('paddings', (0, 0))),
        list(attrs.get('dilations', (1, 1))),
        attrs.get('deformable_groups', 1),
        attrs.get('groups', 1),
    )
    return {'Output': out}


@rule('read_file')
def _read_file(inputs, attrs, append):
    return {'Out': paddle.vision.ops.read_file(attrs['filename'])}


@rule('decode_jpeg')
def _decode_jpeg(inputs, attrs, append):
    return {'Out': paddle.vision.ops.decode_jpeg(inputs['X'][0], attrs.get('mode', 'unchanged'))}


@rule('uniform_random_inplace')
def _uniform_random_inplace(inputs, attrs, append):
    (x,) = inputs['X']
    bounds = attrs.get('min', -1.0), attrs.get('max', 1.0), attrs.get('seed', 0)
    return {'Out': x.clone().uniform_(*bounds)}


def _close(function, inputs, attrs):
    bounds = [
        inputs[name.capitalize()][0] if inputs.get(name.capitalize()) else float(attrs[name])
        for name in ('rtol', 'atol')
    ]
    given = inputs['Input'][0], inputs['Other'][0]
    return {'Out': function(*given, *bounds, attrs.get('equal_nan', False))}


@rule('allclose')
def _allclose(inputs, attrs, append):
    return _close(paddle.allclose, inputs, attrs)


@rule('isclose')
def _isclose(inputs, attrs, append):
    return _close(paddle.isclose, inputs, attrs)


@rule('one_hot_v2')
def _one_hot(inputs, attrs, append):
    (x,) = inputs['X']
    depth = inputs['depth_tensor'][0] if inputs.get('depth_tensor') else attrs['depth']
    if not attrs.get('allow_out_of_range', False):
        made = paddle.nn.functional.one_hot(x, depth)
    else:
        made = x.unsqueeze(-1) == paddle.arange(depth, dtype=x.dtype)
    return {'Out': made.astype(dtype_of(attrs.get('dtype', 5)))}


@rule('memcpy', 'memcpy_d2h', 'memcpy_h2d')
def _memcpy(inputs, attrs, append):
    if attrs['dst_place_type'] not in (-1, 0, 2, 3):  # the host, pinned or not
        raise NotImplementedError(
            f"[memcpy] expected dst_place_type of the host, got {attrs['dst_place_type']}"
        )
    return {'Out': paddle.assign(inputs['X'][0])}


@rule('polygamma')
def _polygamma(inputs, attrs, append):
    return {'out': paddle._C_ops.polygamma(inputs['x'][0], attrs['n'])}


@rule('fake_channel_wise_quantize_abs_max')
def _quantize_channels(inputs, attrs, append):
    from paddle._quantized_ops import channel_scale, fake_channel_wise_quantize_abs_max, whole

    (x,), axis = inputs['X'], attrs['quant_axis']
    if attrs['is_test'] and inputs.get('OutScale'):
        scale = channel_scale(inputs['OutScale'][0], x, axis)
        return {'Out': whole(x, scale, attrs['bit_length'], attrs['round_type'])}
    words = 'bit_length round_type quant_axis is_test'.split()
    made = fake_channel_wise_quantize_abs_max(x, *(attrs[w] for w in words))
    return dict(zip(('Out', 'OutScale'), made))


@rule('seed')
def _seed(inputs, attrs, append):
    return {'Out': paddle.full([1], attrs.get('seed', 0), 'int32')}


@rule('unique')
def _unique(inputs, attrs, append):
    if attrs.get('is_sorted', False):
        return append('unique', inputs, attrs)
    (x,), dtype = inputs['X'], dtype_of(attrs.get('dtype', 2))
    found = paddle.unique(x, return_index=True, return_inverse=True, return_counts=True)
    order = paddle.argsort(found[1])  # as they come first
    place = paddle.argsort(order)
    made = {'Out': found[0], 'Indices': found[1], 'Counts': found[3]}
    made = {name: paddle.gather(v, order) for name, v in made.items()}
    made['Index'] = paddle.gather(place, found[2])
    return {n: v if n == 'Out' else v.astype(dtype) for n, v in made.items()}


@rule('update_loss_scaling')
def _update_loss_scaling(inputs, attrs, append):
    names = ('FoundInfinite', 'PrevLossScaling', 'InGoodSteps', 'InBadSteps')
    words = 'incr_every_n_steps decr_every_n_nan_or_inf incr_ratio decr_ratio'.split()
    stop = (inputs.get('StopUpdate') or [attrs.get('stop_update', False)])[0]
    made = paddle._C_ops.update_loss_scaling_(
        inputs['X'], *(inputs[n][0] for n in names), *(attrs[w] for w in words), stop
    )
    return dict(zip(('Out', 'LossScaling', 'OutGoodSteps', 'OutBadSteps'), made))


_MEDIANS = ('out', 'medians'), ('Out', 'MedianIndex')


@rule('median', 'nanmedian')
def _median(inputs, attrs, append):
    (x,), axis = next(iter(inputs.values())), list(attrs.get('axis') or ())
    nan = 'X' in inputs
    function = paddle.nanmedian if nan else paddle.median
    keep, mode = attrs.get('keepdim', True), attrs.get('mode', 'avg')
    out = function(x, axis or None, keep, 'avg') if mode == 'avg' else None
    kept = [a for a in range(x.ndim) if axis and a not in [k % x.ndim for k in axis]]
    rest = [a for a in range(x.ndim) if a not in kept]
    rows = x.detach().transpose([*kept, *rest]).flatten(len(kept))
    order = paddle.argsort(rows, -1)  # NaNs are behind all numbers
    counted = paddle.logical_not(paddle.isnan(rows)) if nan else paddle.ones_like(rows)
    count = counted.astype('int64').sum(-1, keepdim=True)
    low = paddle.take_along_axis(order, paddle.clip(count - 1, 0) // 2, -1)
    if mode != 'avg':
        out = function(x, axis or None, keep, mode)
        out, place = out if isinstance(out, (list, tuple)) else (out, low)
        places = low.squeeze(-1)
        return dict(zip(_MEDIANS[nan], (out, places.unsqueeze(rest) if keep else places)))
    high = paddle.take_along_axis(order, count // 2, -1)
    places = paddle.concat([low, high], -1)
    return dict(zip(_MEDIANS[nan], (out, places.unsqueeze(rest) if keep else places)))


@rule('select_input')
def _select_input(inputs, attrs, append):
    from paddle.static.nn.control_flow import switch_case

    chosen, given = inputs['Mask'][0].reshape([]), inputs['X']
    branches = [lambda x=x: paddle.assign(x) for x in given]
    return {'Out': switch_case(chosen, dict(enumerate(branches)), branches[-1])}


@rule('transfer_layout')
def _transfer_layout(inputs, attrs, append):
    (x,), ways = inputs['X'], (attrs['src_layout'], attrs['dst_layout'])
    last = x.ndim - 1  # 1: channels are the last axis, 2: the second
    orders = {(2, 1): [0, *range(2, last + 1), 1], (1, 2): [0, last, *range(1, last)]}
    if ways not in orders and ways[0] != ways[1]:
        raise ValueError(f'[transfer_layout] expected layouts 1 and 2, got {ways[0]} and {ways[1]}')
    return {'Out': paddle.transpose(x, orders.get(ways, list(range(x.ndim))))}


# Old ops that are functions of `_C_ops` under the same name, with the inputs and attributes of the
# declaration in its order.
FUNCTIONS = (
    'accuracy add_position_encoding affine_channel anchor_generator auc average_accumulates '
    'batch_fc check_finite_and_unscale '
    'decayed_adagrad dequantize_abs_max dequantize_linear dequantize_log '
    'fake_channel_wise_dequantize_max_abs '
    'fake_channel_wise_quantize_dequantize_abs_max fake_dequantize_max_abs fake_quantize_abs_max '
    'fake_quantize_dequantize_abs_max fake_quantize_dequantize_moving_average_abs_max '
    'fake_quantize_moving_average_abs_max fake_quantize_range_abs_max fc ftrl fused_adam '
    'fused_elementwise_add fused_elementwise_div fused_elementwise_mul fused_elementwise_sub '
    'fused_softmax_mask fused_softmax_mask_upper_triangle fusion_repeated_fc_relu '
    'fusion_squared_mat_sub hinge_loss identity_loss im2sequence index_select_strided l1_norm '
    'lars_momentum merged_adam merged_momentum moving_average_abs_max_scale partial_concat '
    'partial_sum quantize_linear rint shuffle_channel std '
    'trunc_divide variance view_shape view_slice '
).split()


def _function(kind):
    @rule(kind)
    def call(inputs, attrs, append):
        from paddle._legacy_protos import PROTOS

        names, outputs, attributes = (part.split() for part in PROTOS[kind][:3])
        given = [
            inputs.get(name.partition('[')[0], [])
            if '[]' in name
            else (inputs.get(name.rstrip('?')) or [None])[0]
            for name in names
        ]
        known = [word.split(':')[0] for word in attributes]
        own = {name: attrs[name] for name in known if name in attrs}
        function = getattr(paddle._C_ops, kind, None) or getattr(paddle._C_ops, kind + '_')
        made = function(*given, **own)
        several = isinstance(made, (list, tuple)) and len(outputs) > 1
        return dict(zip((o.rstrip('?~[]') for o in outputs), made if several else [made]))


for _kind in FUNCTIONS:
    _function(_kind)
