# SPDX-License-Identifier: Apache-2.0
"""Old ops that stand for several operations, or for tables, samples and steps of training: rules as
in `legacy_rules`.
"""

import paddle
from paddle.incubate.nn.functional.norm import layer_normed, rms_normed
from paddle.static.legacy_rules import dtype_of, first_of, rule


@rule('lookup_table_dequant')
def _lookup_table_dequant(inputs, attrs, append):
    table, ids = first_of(inputs, 'W', 'Ids')
    rows = paddle.gather(table, ids.reshape([-1]))
    low, high = rows[:, :1], rows[:, 1:2]
    numbers = rows[:, 2:].contiguous().view(paddle.uint8).astype(table.dtype)
    return {'Out': numbers * ((high - low) / 256) + low}


@rule('c_embedding')
def _c_embedding(inputs, attrs, append):
    table, ids = first_of(inputs, 'W', 'Ids')
    place = ids - attrs.get('start_index', 0)
    inside = paddle.logical_and(place >= 0, place < table.shape[0])
    rows = paddle.nn.functional.embedding(paddle.where(inside, place, place * 0), table)
    return {'Out': rows * inside.unsqueeze(-1).astype(table.dtype)}


@rule('embedding_with_scaled_gradient')
def _embedding_scaled(inputs, attrs, append):
    ids, table = first_of(inputs, 'x', 'weight')
    padding = attrs.get('padding_idx', -1)
    rows = paddle.nn.functional.embedding(ids, table, None if padding == -1 else padding)
    flat = ids.reshape([-1]).astype('int64')
    counts = paddle.zeros([table.shape[0]], 'float32')
    counts = paddle.scatter_nd_add(counts, flat.unsqueeze(1), paddle.ones_like(flat, 'float32'))
    share = (1 / paddle.gather(counts, flat)).reshape([*ids.shape, 1]).astype(table.dtype)
    return {'out': rows * share + (rows * (1 - share)).detach()}


@rule('tdm_sampler')
def _tdm_sampler(inputs, attrs, append):
    items, travel, layer = first_of(inputs, 'X', 'Travel', 'Layer')
    starts, counts = list(attrs['layer_offset']), list(attrs['neg_samples_num_list'])
    if len(starts) != len(counts) + 1 or travel.shape[1] != len(counts):
        raise ValueError(
            f'[tdm_sampler] expected a layer for each of {travel.shape[1]} columns of Travel, got '
            f'layer_offset {starts} and neg_samples_num_list {counts}'
        )
    paths, layer = paddle.gather(travel, items.reshape([-1])), layer.reshape([-1])
    parts, own = [], int(attrs.get('output_positive', True))
    for k, (start, end, count) in enumerate(zip(starts, starts[1:], counts)):
        if not 0 < count + 1 <= end - start:
            raise ValueError(
                f'[tdm_sampler] expected fewer samples than the {end - start} nodes of layer {k}, '
                f'got {count}'
            )
        nodes, here = layer[start:end].unsqueeze(0), paths[:, k : k + 1]
        others = (nodes != here).astype('float32')
        drawn = paddle.topk((1 + paddle.rand_like(others)) * others, count, 1)[1]
        drawn = paddle.gather(layer[start:end], drawn.reshape([-1])).reshape([-1, count])
        found = paddle.concat([here] * own + [drawn], 1)
        there = (here != 0).astype(found.dtype)  # items of shorter paths have no node
        label = [paddle.ones_like(here)] * own + [paddle.zeros_like(drawn)]
        mask = there.expand_as(found)
        parts.append((found * mask, paddle.concat(label, 1) * mask, mask))
    dtype = dtype_of(attrs.get('dtype', 2))
    made = (paddle.concat(list(p), 1).astype(dtype) for p in zip(*parts))
    return dict(zip(('Out', 'Labels', 'Mask'), made))


_BINARY = {'elementwise_add': paddle.add, 'elementwise_mul': paddle.multiply}


def _unary(name, scale):
    if name == 'scale':
        return lambda x: x * scale
    if name not in ('relu', 'tanh', 'sigmoid', 'gelu'):
        raise ValueError(
            f'[fused_elemwise_activation] expected elementwise_add, elementwise_mul, scale, relu, '
            f'tanh, sigmoid or gelu in functor_list, got {name!r}'
        )
    return getattr(paddle.nn.functional, name)


@rule('fused_elemwise_activation', 'fused_elemwise_add_activation')
def _fused_elemwise(inputs, attrs, append):
    x, y = first_of(inputs, 'X', 'Y')
    names, scale = list(attrs['functor_list']), attrs.get('scale', 0.0)
    if len(names) != 2 or (names[0] in _BINARY) == (names[1] in _BINARY):
        raise ValueError(
            f'[fused_elemwise_activation] expected a binary and a unary function in functor_list, '
            f'got {names}'
        )
    axis = attrs.get('axis', -1)
    behind = list(range(y.ndim, x.ndim - axis)) if axis >= 0 else []  # axes that y lacks
    if names[0] in _BINARY:
        between = _unary(names[1], scale)(y)
        out = _BINARY[names[0]](x, between.unsqueeze(behind) if behind else between)
    else:
        between = _BINARY[names[1]](x, y.unsqueeze(behind) if behind else y)
        out = _unary(names[0], scale)(between)
    return {'Out': out, 'IntermediateOut': between}


_QUANTIZATION = 'quant_scale quant_round_type quant_max_bound quant_min_bound'.split()


def _norm_of_sum(normed, kind, inputs, attrs):
    """What a norm of x + bias + residual_alpha * residual gives, and the sum."""
    x, bias, residual, scale, shift = first_of(
        inputs, 'x', 'bias', 'residual', 'norm_weight', 'norm_bias'
    )
    y = x if bias is None else x + bias
    y = y if residual is None else y + residual * attrs.get('residual_alpha', 1.0)
    first = attrs['begin_norm_axis'] % x.ndim
    quantization = [attrs.get(name, -1) for name in _QUANTIZATION]
    return *normed(kind, y, scale, shift, attrs['epsilon'], first, x.dtype, quantization), y


@rule('fused_bias_residual_layernorm')
def _bias_residual_norm(inputs, attrs, append):
    out, mean, inverse, y = _norm_of_sum(
        layer_normed, 'fused_bias_residual_layernorm', inputs, attrs
    )
    return {
        'out': out,
        'residual_out': y,
        'mean': mean.reshape([-1]),
        'variance': inverse.reshape([-1]),
    }


@rule('self_dp_attention')
def _self_attention(inputs, attrs, append):
    (x,) = inputs['X']
    q, k, v = (x[:, :, i].transpose([0, 2, 1, 3]) for i in range(3))
    weights = paddle.nn.functional.softmax(
        paddle.matmul(q, k, transpose_y=True) * attrs.get('alpha', 1.0), -1
    )
    return {'Out': paddle.matmul(weights, v).transpose([0, 2, 1, 3])}


@rule('fused_conv2d', 'fused_conv3d')
def _fused_conv(inputs, attrs, append):
    x, weight, bias, residual = first_of(inputs, 'Input', 'Filter', 'Bias', 'ResidualData')
    algorithm = attrs.get('padding_algorithm', 'EXPLICIT')
    axes = x.ndim - 2
    last = attrs.get('data_format', '').endswith('C')
    out = getattr(paddle.nn.functional, f'conv{axes}d')(
        x,
        weight,
        bias,
        list(attrs['strides']),
        algorithm if algorithm != 'EXPLICIT' else list(attrs['paddings']),
        list(attrs['dilations']),
        attrs['groups'],
        {2: ('NCHW', 'NHWC'), 3: ('NCDHW', 'NDHWC')}[axes][last],
    )
    out = out if residual is None else out + residual
    name = attrs.get('fuse_activation', '')
    if name not in ('', 'identity', 'relu', 'relu6', 'swish', 'sigmoid', 'tanh', 'gelu', 'mish'):
        raise NotImplementedError(
            f"[fused_conv{axes}d] expected fuse_activation relu, relu6, swish, sigmoid, tanh, "
            f"gelu or mish, got {name!r}"
        )
    plain = name in ('', 'identity')
    return {'Output': out if plain else getattr(paddle.nn.functional, name)(out)}


@rule('quantize')
def _quantize(inputs, attrs, append):
    (x,) = inputs['Input']
    if attrs.get('bfloat16', False):
        return {'Output': x.astype('bfloat16')}
    shift = attrs.get('Shift', 0.0)
    signed = attrs.get('is_negative_input', False) and not shift
    low, high = (-128, 127) if signed else (0, 255)
    whole = paddle.round(x * attrs.get('Scale', 1.0) + shift)
    return {'Output': paddle.clip(whole, low, high).astype('int8' if signed else 'uint8')}


@rule('set')
def _set(inputs, attrs, append):
    (source,) = inputs['source']
    dims, stride = list(attrs['dims']), list(attrs['stride'])
    return {'out': paddle.as_strided(source, dims, stride, attrs['offset']).clone()}


@rule('dequantize')
def _dequantize(inputs, attrs, append):
    (x,) = inputs['Input']
    return {'Output': (x.astype('float32') - attrs.get('Shift', 0.0)) / attrs.get('Scale', 1.0)}


@rule('requantize')
def _requantize(inputs, attrs, append):
    (x,) = inputs['Input']
    factor = attrs['Scale_out'] / attrs['Scale_in']
    # Both shifts are one zero point, a number of 0 to 255.
    zero = min(max(int(attrs['Shift_out'] - factor * attrs['Shift_in'] + 0.5), 0), 255)
    low, high = (-128, 127) if x.dtype == paddle.int8 else (0, 255)
    moved = paddle.round(x.astype('float32') * factor + zero)
    return {'Output': paddle.clip(moved, low, high).astype(x.dtype)}


@rule('fused_rms_norm_quant')
def _rms_norm_quant(inputs, attrs, append):
    out, inverse, y = _norm_of_sum(rms_normed, 'fused_rms_norm_quant', inputs, attrs)
    return {'out': out, 'residual_out': y, 'inv_var': inverse.reshape([-1])}


@rule('interp_antialias')
def _interp_antialias(inputs, attrs, append):
    x, size, scale = first_of(inputs, 'x', 'out_size', 'scale_tensor')
    extents = [attrs[f'out_{k}'] for k in 'dhw'[5 - x.ndim :]]
    if size is not None or inputs.get('size_tensor') or scale is not None:
        raise NotImplementedError(
            '[interp_antialias] expected out_h and out_w or scale, got tensors'
        )
    out = paddle.nn.functional.interpolate(
        x,
        extents if min(extents) > 0 else None,
        None if min(extents) > 0 else list(attrs['scale']),
        attrs['interp_method'],
        attrs['align_corners'],
        attrs['align_mode'],
        attrs['data_format'],
        antialias=True,
    )
    return {'output': out}


@rule('shuffle_batch')
def _shuffle_batch(inputs, attrs, append):
    x, seed = first_of(inputs, 'X', 'Seed')
    rows = x.reshape([-1, x.shape[-1]])
    order = paddle.argsort(paddle.uniform(paddle.shape(rows)[:1], 'float64'))
    out = paddle.reshape(paddle.gather(rows, order), paddle.shape(x))
    return {'Out': out, 'ShuffleIdx': order, 'SeedOut': seed + 1}


@rule('sparse_momentum')
def _sparse_momentum(inputs, attrs, append):
    param, grad, velocity, index, rate, master = first_of(
        inputs, 'Param', 'Grad', 'Velocity', 'Index', 'LearningRate', 'MasterParam'
    )
    axis = inputs['Axis'][0].item() if inputs.get('Axis') else attrs.get('axis', 0)
    whole = paddle.index_add(paddle.zeros_like(param, grad.dtype), index, axis, grad)
    words = 'mu use_nesterov regularization_method regularization_coeff multi_precision'.split()
    made = paddle._C_ops.momentum_(
        param.clone(),
        whole,
        velocity.clone(),
        rate,
        None if master is None else master.clone(),
        *(attrs[w] for w in words),
        attrs.get('rescale_grad', 1.0),
    )
    return dict(zip(('ParamOut', 'VelocityOut', 'MasterParamOut'), made))


@rule('dpsgd')
def _dpsgd(inputs, attrs, append):
    param, grad, rate = first_of(inputs, 'Param', 'Grad', 'LearningRate')
    with paddle.no_grad():
        length = paddle.sqrt((grad * grad).sum())
        cut = paddle.maximum(length / attrs['clip'], paddle.ones_like(length))
        noise = paddle._C_ops.gaussian([1], 0.0, attrs['sigma'], attrs['seed'], 'float32')
        step = grad / cut + noise.astype(grad.dtype) / attrs['batch_size']
        return {'ParamOut': param - rate * step}


@rule('nce')
def _nce(inputs, attrs, append):
    x, label, weight, bias, share = first_of(
        inputs, 'Input', 'Label', 'Weight', 'Bias', 'SampleWeight'
    )
    classes, count, kind = (attrs[k] for k in ('num_total_classes', 'num_neg_samples', 'sampler'))
    label = label.flatten(1) if label.ndim > 1 else label.unsqueeze(1)
    if kind == 0:
        chance = paddle.full([classes], 1.0 / classes, x.dtype)
    elif kind == 1:  # chances of the classes but the last one add up to 1, so that is never drawn
        steps = paddle.arange(classes, dtype=x.dtype)
        chance = (paddle.log(steps + 2) - paddle.log(steps + 1)) / paddle.log(
            paddle.full([], float(classes), x.dtype)
        )
    else:
        chance = first_of(inputs, 'CustomDistProbs')[0].astype(x.dtype)
    last = classes - 2 if kind == 1 else classes - 1
    rows = x.shape[0] if x.shape[0] >= 0 else paddle.shape(x)[0]
    place = paddle.uniform([rows, count], 'float64', 0.0, 1.0, attrs['seed'])
    ends = paddle.cumsum(chance.astype('float64'))
    drawn = paddle.clip(paddle.searchsorted(ends, place, right=True), 0, last)
    which = paddle.concat([label, drawn], 1)
    flat = which.reshape([-1])
    chosen = paddle.gather(weight, flat).reshape([-1, which.shape[1], weight.shape[1]])
    logits = (chosen * x.unsqueeze(1)).sum(-1)
    if bias is not None:
        logits = logits + paddle.gather(bias.reshape([-1]), flat).reshape(which.shape)
    found = paddle.nn.functional.sigmoid(logits)
    noise = paddle.gather(chance, flat).reshape(which.shape) * count
    true = paddle.arange(which.shape[1]).unsqueeze(0) < label.shape[1]
    cost = -paddle.log(paddle.where(true, found, noise) / (found + noise))
    cost = cost if share is None else cost * share.reshape([-1, 1])
    return {'Cost': cost.sum(1, keepdim=True), 'SampleLogits': found, 'SampleLabels': which}


@rule('conv2d_transpose_bias')
def _conv2d_transpose_bias(inputs, attrs, append):
    if not attrs.pop('is_test', False):
        raise ValueError('[conv2d_transpose_bias] expected is_test=True, got False')
    bias = inputs.pop('Bias')[0]
    (out,) = append('conv2d_transpose', inputs, attrs).values()
    last = attrs.get('data_format', 'NCHW') == 'NHWC'
    return {'Output': out[0] + (bias if last else bias.reshape([1, -1, 1, 1]))}


@rule('dgc_clip_by_norm')
def _dgc_clip_by_norm(inputs, attrs, append):
    x, step = first_of(inputs, 'X', 'current_step')
    begin = int(attrs.get('rampup_begin_step', -1.0))
    if begin < 0:  # the result keeps what it has
        return {}
    clipped = append('clip_by_norm', {'X': [x]}, {'max_norm': attrs['max_norm']})['Out'][0]
    return {'Out': paddle.where(step.reshape([]) < begin, x, clipped)}


@rule('dgc_momentum')
def _dgc_momentum(inputs, attrs, append):
    param, grad, velocity, rate, step, ranks = first_of(
        inputs, 'Param', 'Grad', 'Velocity', 'LearningRate', 'current_step', 'nranks'
    )
    begin, mu = int(attrs.get('rampup_begin_step', -1.0)), attrs['mu']
    if begin < 0:  # nothing is written
        return {}
    given = grad * attrs.get('rescale_grad', 1.0)
    if attrs.get('regularization_method') == 'l2_decay':
        given = given + param * attrs.get('regularization_coeff', 0.0)
    moved = velocity * mu + given
    direction = given + moved * mu if attrs.get('use_nesterov', False) else moved
    early = step.reshape([]) < begin
    return {
        'ParamOut': param - rate * paddle.where(early, direction, grad),
        'VelocityOut': paddle.where(early, moved, velocity),
        'Grad_out': grad / ranks,
    }
