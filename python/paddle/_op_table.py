# SPDX-License-Identifier: Apache-2.0
"""Names of `paddle._C_ops` that follow from other functions: operations and gradients with
PaddlePaddle's arguments in its order, each an expression or a rule. `function(name)` makes one.

- `_FORMS`: operations that are functions here.
- `_GRADIENTS`: gradients that are operations.
- `_CALLS`: gradients found by calling the operation again and differentiating it.
- `sparse_<op>` and `sparse_<op>_grad`: functions of `paddle.sparse`.
- `<op>_grad_`: `<op>_grad`, whose first result is written into the gradient it is given.
"""

import inspect

import paddle
from paddle.base.libpaddle import expect_tensors


def _axes(axis):
    axes = [axis] if isinstance(axis, int) else list(axis or ())
    return axes or None


def _norm(x, axis, epsilon=1e-10, is_test=False):
    length = (x.square().sum(axis, keepdim=True) + epsilon).sqrt()
    return x / length, length


def _top_p(x, ps, threshold=None, topp_seed=None, seed=-1, k=0, mode='truncated'):
    return paddle.tensor.top_p_sampling(x, ps, threshold, topp_seed, seed, k, mode, return_top=True)


def _parts(x, start, length):
    for part in x:
        first = start + part.shape[1] if start < 0 else start
        yield part[:, first:] if length < 0 else part[:, first : first + length]


def _channels(x, scale, bias, data_layout='AnyLayout'):
    shape = [-1] if data_layout == 'NHWC' else [-1] + [1] * (x.ndim - 2)
    return x * scale.reshape(shape) + bias.reshape(shape)


_FUSED = 'abs clip gelu hardswish leaky_relu mish relu relu6 sigmoid sqrt swish tanh'.split()


def _fused(name, combine):
    def call(
        x,
        y,
        axis=-1,
        fuse_activation='',
        fuse_alpha=0.0,
        fuse_beta=0.0,
        fused_output_scale=1.0,
        fused_unsqueeze2_axes=(),
        scale_x=1.0,
        scale_y=1.0,
        scale_out=1.0,
    ):
        if not x.is_floating_point() and (scale_x, scale_y, scale_out) != (1.0, 1.0, 1.0):
            raise NotImplementedError(
                f'[{name}] expected scales of integers to be 1.0, got {scale_x}, {scale_y} and '
                f'{scale_out}'
            )
        if 0 <= axis < x.ndim - y.ndim:
            y = y.reshape([*y.shape, *[1] * (x.ndim - axis - y.ndim)])
        out = combine(x, y)
        rest = {'leaky_relu': (fuse_alpha,), 'clip': (fuse_alpha, fuse_beta), 'relu6': ()}.get(
            fuse_activation, ()
        )
        if fuse_activation and fuse_activation not in _FUSED:
            raise ValueError(
                f"[{name}] expected fuse_activation {', '.join(_FUSED)}, got {fuse_activation!r}"
            )
        if fuse_activation:
            home = paddle if hasattr(paddle, fuse_activation) else paddle.nn.functional
            out = getattr(home, fuse_activation)(out, *rest)
        out = out if fused_output_scale == 1.0 else out * fused_output_scale
        return out.unsqueeze(list(fused_unsqueeze2_axes)) if fused_unsqueeze2_axes else out

    return call


def _fc(input, w, bias=None, in_num_col_dims=1, activation_type='', padding_weights=False):
    if padding_weights:
        raise NotImplementedError('[fc] expected weights without padding, got padding_weights')
    if activation_type not in ('', 'relu'):
        raise ValueError(f"[fc] expected activation_type '' or 'relu', got {activation_type!r}")
    lead = list(input.shape[:in_num_col_dims])
    out = input.reshape([-1, w.shape[0]]) @ w
    out = out if bias is None else out + bias.reshape([-1])
    return (paddle.nn.functional.relu(out) if activation_type == 'relu' else out).reshape(
        [*lead, w.shape[1]]
    )


def _repeated_fc_relu(x, w, bias):
    made = []
    for one, b in zip(w, bias):
        x = paddle.nn.functional.relu(_fc(x, one, b))
        made.append(x)
    return made[:-1], made[-1]


def _squared_mat_sub(x, y, scalar=1.0):
    product, squares = paddle.matmul(x, y), (x * x, y * y)
    return (*squares, product * product, (product * product - paddle.matmul(*squares)) * scalar)


def _position(x, axes, keepdim, mode, ignored):
    function = paddle.nanmedian if ignored else paddle.median
    return function(x, _axes(axes), keepdim, mode)


def _written(name, function):
    """`function`, whose first result takes the place of its first argument, gradients included."""
    signature = inspect.signature(function)

    def call(*args, **kwargs):
        given = signature.bind(*args, **kwargs)
        first, x = next(iter(given.arguments.items()))
        if paddle.is_grad_enabled() and not x.stop_gradient and x.is_leaf:
            raise ValueError(
                f'[{name}] expected a tensor that can be written in place, got a leaf tensor that '
                'needs gradients'
            )
        given.arguments[first] = paddle.assign(x)  # which gradients may read
        made = function(*given.args, **given.kwargs)
        if isinstance(made, tuple):
            return (paddle.assign(made[0], x), *made[1:])
        return paddle.assign(made, x)

    call.__signature__ = signature
    return call


def _transposed_conv(
    x,
    filter,
    strides=(1, 1),
    paddings=(0, 0),
    output_padding=(),
    output_size=(),
    padding_algorithm='EXPLICIT',
    groups=1,
    dilations=(1, 1),
    data_format='NCHW',
):
    lists = [list(v) for v in (strides, paddings, output_padding, output_size)]
    return paddle._C_ops.conv2d_transpose(
        x, filter, *lists, padding_algorithm, groups, list(dilations), data_format
    )


def _transposed_conv_bias(
    x,
    filter,
    bias,
    strides=(1, 1),
    paddings=(0, 0),
    output_padding=(),
    output_size=(),
    padding_algorithm='EXPLICIT',
    groups=1,
    dilations=(1, 1),
    data_format='NCHW',
):
    out = _transposed_conv(
        x,
        filter,
        strides,
        paddings,
        output_padding,
        output_size,
        padding_algorithm,
        groups,
        dilations,
        data_format,
    )
    return out + bias.reshape([1, -1, 1, 1] if data_format == 'NCHW' else [1, 1, 1, -1])


def _uniform_of_rows(
    input,
    shape,
    input_dim_idx=0,
    output_dim_idx=0,
    min=-1.0,
    max=1.0,
    seed=0,
    diag_num=0,
    diag_step=0,
    diag_val=1.0,
    dtype='float32',
):
    shape = list(shape)
    extent = input.shape[input_dim_idx]
    shape[output_dim_idx] = extent if extent >= 0 else paddle.shape(input)[input_dim_idx]
    return with_diagonal(
        paddle.uniform(shape, dtype, min, max, seed), diag_num, diag_step, diag_val
    )


def with_diagonal(out, count, step, value):
    """`out` with `count` elements that are `value`: those that are `step` elements apart, from the
    first on.
    """
    if not count:
        return out
    last = (count - 1) * (step + 1)
    if count < 0 or step < 0 or (-1 not in out.shape and last >= out.size):
        raise ValueError(
            f'[uniform_random] expected diag_num elements diag_step apart in shape '
            f'{list(out.shape)}, got {count} and {step}'
        )
    places = paddle.arange(0, last + 1, step + 1, dtype='int64')
    flat = paddle.scatter(out.reshape([-1]), places, paddle.full([count], value, out.dtype))
    return flat.reshape(out.shape)


def _placed(out, place):
    """`out` on a place, None for where it is."""
    if place is None or paddle.base.libpaddle.to_place(place).is_cpu_place():
        return out
    return out.to(place)


def _filled(output, shape, value, dtype='float32', place=None):
    return paddle.assign(_placed(paddle.full(shape, value, dtype), place), output)


def _values(shape, dtype, values, place=None):
    return _placed(paddle.to_tensor(list(values), dtype=dtype).reshape(list(shape)), place)


_FORMS = {
    'affine_channel': _channels,
    'affine_channel_': _written('affine_channel_', _channels),
    'array_length': lambda x: paddle.tensor.array_length(x),
    'array_read': lambda array, i: paddle.tensor.array_read(array, i),
    'array_write_': lambda array, x, i: paddle.tensor.array_write(x, i, array),
    'assign_': lambda x: x,
    'assign_value_': lambda output, shape, dtype, values, place=None: paddle.assign(
        _values(shape, dtype, values, place), output
    ),
    'baddbmm': lambda input, x, y, beta=1.0, alpha=1.0: paddle.baddbmm(input, x, y, beta, alpha),
    'baddbmm_': lambda input, x, y, beta=1.0, alpha=1.0: paddle.baddbmm_(input, x, y, beta, alpha),
    'batch_fc': lambda input, w, bias: paddle.bmm(input, w) + bias.unsqueeze(1),
    'bce_loss_': _written('bce_loss_', lambda input, label: paddle._C_ops.bce_loss(input, label)),
    'create_array': lambda dtype: paddle.tensor.create_array(dtype),
    'conv2d_transpose_bias': _transposed_conv_bias,
    'depthwise_conv2d_transpose': _transposed_conv,
    'dropout_': _written(
        'dropout_',
        lambda x, seed_tensor, p, is_test, mode, seed=0, fix_seed=False: paddle._C_ops.dropout(
            x, seed_tensor, p, is_test, mode, seed, fix_seed
        ),
    ),
    'cross_entropy_with_softmax_': _written(
        'cross_entropy_with_softmax_',
        lambda input, label, soft_label=False, use_softmax=True, numeric_stable_mode=True, *rest: (
            paddle._C_ops.cross_entropy_with_softmax(
                input, label, soft_label, use_softmax, numeric_stable_mode, *rest
            )
        ),
    ),
    'div_scale': lambda x, scalar: x / scalar,
    'decode_jpeg': lambda x, mode, place=None: _placed(
        paddle.vision.ops.decode_jpeg(x, mode), place
    ),
    'einsum': lambda x, equation: (paddle.einsum(equation, *x), [], []),
    'fc': _fc,
    'full_': _filled,
    'fused_elementwise_add': _fused('fused_elementwise_add', lambda x, y: x + y),
    'fused_elementwise_div': _fused('fused_elementwise_div', lambda x, y: x / y),
    'fused_elementwise_mul': _fused('fused_elementwise_mul', lambda x, y: x * y),
    'fused_elementwise_sub': _fused('fused_elementwise_sub', lambda x, y: x - y),
    'fusion_repeated_fc_relu': _repeated_fc_relu,
    'fusion_squared_mat_sub': _squared_mat_sub,
    'empty_like': lambda x, dtype=None, place=None: _placed(paddle.empty_like(x, dtype), place),
    'equal_': lambda x, y: paddle.equal_(x, y),
    'fused_dropout_add': lambda x, y, seed_tensor, p, is_test, mode, seed=0, fix_seed=False: (
        paddle.incubate.nn.functional.fused_dropout_add(x, y, p, not is_test, mode),
        None,
    ),
    'fused_rotary_position_embedding': lambda *args, **kwargs: (
        paddle.incubate.nn.functional.fused_rotary_position_embedding(*args, **kwargs)
    ),
    'fused_softmax_mask': lambda x, mask: paddle.incubate.softmax_mask_fuse(x, mask),
    'fused_softmax_mask_upper_triangle': lambda X: paddle.incubate.softmax_mask_fuse_upper_triangle(
        X
    ),
    'gammaincc_': lambda x, y: paddle.gammaincc_(x, y),
    'greater_equal_': lambda x, y: paddle.greater_equal_(x, y),
    'greater_than_': lambda x, y: paddle.greater_than_(x, y),
    'hinge_loss': lambda logits, labels: paddle.nn.functional.relu(
        1 - logits * (2 * labels.astype(logits.dtype) - 1)
    ),
    'identity_loss': lambda x, reduction=1: paddle.incubate.identity_loss(x, reduction),
    'index_select_strided': lambda x, index, axis=0: paddle.unbind(x, axis)[index],
    'l1_norm': lambda x: x.abs().sum(),
    'l1_norm_': _written('l1_norm_', lambda x: x.abs().sum()),
    'identity_loss_': _written(
        'identity_loss_', lambda x, reduction=1: paddle.incubate.identity_loss(x, reduction)
    ),
    'sigmoid_cross_entropy_with_logits_': _written(
        'sigmoid_cross_entropy_with_logits_',
        lambda x, label, pos_weight=None, normalize=False, ignore_index=-100: (
            paddle._C_ops.sigmoid_cross_entropy_with_logits(
                x, label, pos_weight, normalize, ignore_index
            )
        ),
    ),
    'uniform_random_batch_size_like': _uniform_of_rows,
    'trunc_divide_': _written(
        'trunc_divide_', lambda x, y: paddle.divide(x, y, rounding_mode='trunc')
    ),
    'less_equal_': lambda x, y: paddle.less_equal_(x, y),
    'less_than_': lambda x, y: paddle.less_than_(x, y),
    'logical_and_': lambda x, y: paddle.logical_and_(x, y),
    'logical_not_': lambda x: paddle.logical_not_(x),
    'logical_or_': lambda x, y: paddle.logical_or_(x, y),
    'logical_xor_': lambda x, y: paddle.logical_xor_(x, y),
    'logspace': lambda start, stop, num, base, dtype, place=None: _placed(
        paddle.logspace(start, stop, num, base, dtype), place
    ),
    'matmul_with_flatten': lambda x, y, x_num_col_dims=1, y_num_col_dims=1: paddle.matmul(
        x.flatten(0, x_num_col_dims - 1).flatten(1), y.flatten(0, y_num_col_dims - 1).flatten(1)
    ).reshape(list(x.shape[:x_num_col_dims]) + list(y.shape[y_num_col_dims:])),
    'nansum': lambda x, axis=(), dtype=None, keepdim=False: paddle.nansum(
        x, _axes(axis), dtype, keepdim
    ),
    'norm': _norm,
    'not_equal_': lambda x, y: paddle.not_equal_(x, y),
    'ones_like': lambda x, dtype=None, place=None: _placed(paddle.ones_like(x, dtype), place),
    'partial_concat': lambda x, start_index=0, length=-1: paddle.concat(
        list(_parts(x, start_index, length)), 1
    ),
    'partial_sum': lambda x, start_index=0, length=-1: paddle.add_n(
        list(_parts(x, start_index, length))
    ),
    'polygamma_': lambda x, n: paddle.polygamma_(x, n),
    'pow_': lambda x, y=1.0: paddle.pow_(x, y),
    'read_file': lambda filename='', dtype=None, place=None: _placed(
        paddle.vision.ops.read_file(filename), place
    ),
    'rint': lambda x: paddle.round(x),
    'rint_': lambda x: paddle.round_(x),
    'sequence_mask': lambda x, max_len, out_dtype: paddle.nn.functional.sequence_mask(
        x, max_len, out_dtype
    ),
    'share_data': lambda x: x.detach(),
    'shuffle_channel': lambda x, group=1: paddle.nn.functional.channel_shuffle(x, group),
    'softmax_': lambda x, axis=-1: paddle.nn.functional.softmax_(x, axis),
    'std': lambda x, axis=(), keepdim=False, unbiased=True, correction=1: paddle.std(
        x, _axes(axis), unbiased, keepdim
    ),
    'top_p_sampling': _top_p,
    'trunc_divide': lambda x, y: paddle.divide(x, y, rounding_mode='trunc'),
    'variance': lambda x, axis=(), keepdim=False: paddle.var(
        x, _axes(axis), unbiased=False, keepdim=keepdim
    ),
    'view_shape': lambda input, dims=(): input.view(list(dims)),
    'view_slice': lambda input, begin_idx, end_idx: input[begin_idx:end_idx],
    'where_': lambda condition, x, y: paddle.where_(condition, x, y),
    'zeros_like': lambda x, dtype=None, place=None: _placed(paddle.zeros_like(x, dtype), place),
}


def _like(out_grad, *attrs, **named):
    return paddle.zeros_like(out_grad)


def _passed(out_grad, *attrs, **named):
    return paddle.assign(out_grad)


def _inverse(perm):
    axes = [a % len(perm) for a in perm]
    return [axes.index(k) for k in range(len(axes))]


def _of_dropped(mask, out_grad, p, is_test=False, mode='downgrade_in_infer'):
    p = float(p)
    if is_test:
        return paddle.assign(out_grad) if mode == 'upscale_in_train' else out_grad * (1 - p)
    kept = out_grad * mask.astype(out_grad.dtype)
    return kept if mode != 'upscale_in_train' else kept / (1 - p) if p < 1 else kept * 0


def _of_entropy(
    label,
    softmax,
    loss_grad,
    soft_label=False,
    use_softmax=True,
    numeric_stable_mode=True,
    ignore_index=-100,
    axis=-1,
):
    op = 'cross_entropy_with_softmax_grad'
    expect_tensors(op, label=label, softmax=softmax, loss_grad=loss_grad)
    rank = softmax.ndim
    if not -rank <= axis < rank:
        raise ValueError(f'[{op}] expected axis in [{-rank}, {rank}), got {axis}')
    whole = list(softmax.shape)
    rows = [1 if k == axis % rank else n for k, n in enumerate(whole)]
    label = label if soft_label or label.ndim == rank else label.unsqueeze(axis)
    for name, value, want in (
        ('label', label, whole if soft_label else rows),
        ('loss_grad', loss_grad, rows),
    ):
        shape = list(value.shape)
        if len(shape) != rank or any(-1 not in (n, d) and n != d for n, d in zip(shape, want)):
            raise ValueError(f'[{op}] expected {name} of shape {want}, got {shape}')
    if soft_label and not use_softmax:
        return -label / softmax * loss_grad
    if soft_label:
        return (softmax * label.sum(axis, keepdim=True) - label) * loss_grad
    kept = label != ignore_index
    places = paddle.where(kept, label, label * 0)
    ones = paddle.put_along_axis(
        paddle.zeros_like(softmax), places, paddle.ones_like(loss_grad), axis
    )
    grad = softmax - ones if use_softmax else -ones / softmax
    return grad * loss_grad * kept.astype(softmax.dtype)


def _of_huber(residual, out_grad, delta):
    grad = out_grad * paddle.clip(residual, -delta, delta)
    return -grad, grad


_GRADIENTS = {
    'as_complex_grad': lambda out_grad: paddle.as_real(out_grad),
    'as_real_grad': lambda out_grad: paddle.as_complex(out_grad),
    'assign_grad': _passed,
    'ceil_grad': _like,
    'channel_shuffle_grad': lambda out_grad, groups, data_format='NCHW': (
        paddle.nn.functional.channel_shuffle(
            out_grad, out_grad.shape[-1 if data_format == 'NHWC' else 1] // groups, data_format
        )
    ),
    'conj_grad': lambda out_grad: paddle.conj(out_grad),
    'cross_entropy_with_softmax_grad': _of_entropy,
    'dropout_grad': _of_dropped,
    'exponential__grad': _like,
    'fake_channel_wise_quantize_dequantize_abs_max_grad': _passed,
    'fake_quantize_dequantize_abs_max_grad': _passed,
    'fake_quantize_dequantize_moving_average_abs_max_grad': _passed,
    'fill_diagonal_grad': lambda out_grad, value=0.0, offset=0, wrap=False: (
        paddle._C_ops.fill_diagonal(out_grad, 0.0, offset, wrap)
    ),
    'fill_grad': _like,
    'huber_loss_grad': _of_huber,
    'rint_grad': _like,
    'shuffle_channel_grad': lambda out_grad, group=1: paddle.nn.functional.channel_shuffle(
        out_grad, out_grad.shape[1] // group
    ),
    'flip_grad': lambda out_grad, axis: paddle.flip(out_grad, axis),
    'floor_grad': _like,
    'gaussian_inplace_grad': _like,
    'gumbel_softmax_grad': lambda out, out_grad, axis=-1: paddle._C_ops.softmax_grad(
        out, out_grad, axis
    ),
    'imag_grad': lambda out_grad: paddle.complex(paddle.zeros_like(out_grad), out_grad),
    'index_add_grad': lambda index, add_value, out_grad, axis=0: (
        paddle.assign(out_grad),
        paddle.index_select(out_grad, index, axis),
    ),
    'label_smooth_grad': lambda out_grad, epsilon: out_grad * (1 - epsilon),
    'pixel_shuffle_grad': lambda out_grad, upscale_factor, data_format='NCHW': (
        paddle.nn.functional.pixel_unshuffle(out_grad, upscale_factor, data_format)
    ),
    'pixel_unshuffle_grad': lambda out_grad, downscale_factor, data_format='NCHW': (
        paddle.nn.functional.pixel_shuffle(out_grad, downscale_factor, data_format)
    ),
    'poisson_grad': _like,
    'random_grad': _like,
    'real_grad': lambda out_grad: paddle.complex(out_grad, paddle.zeros_like(out_grad)),
    'reverse_grad': lambda out_grad, axis: paddle.flip(out_grad, axis),
    'round_grad': _like,
    'scatter_grad': lambda index, updates, out_grad, overwrite=True: (
        paddle.scatter(out_grad, index, paddle.zeros_like(updates)),
        paddle.gather(out_grad, index),
    ),
    'scatter_nd_add_grad': lambda index, updates, out_grad: (
        paddle.assign(out_grad),
        paddle.gather_nd(out_grad, index),
    ),
    'sign_grad': _like,
    'sparse_transpose_grad': lambda out_grad, perm: paddle.sparse.transpose(
        out_grad, _inverse(perm)
    ),
    'split_grad': lambda out_grad, axis=-1: paddle.concat(out_grad, axis),
    'split_with_num_grad': lambda out_grad, axis=-1: paddle.concat(out_grad, axis),
    'transpose_grad': lambda out_grad, perm: paddle.transpose(out_grad, _inverse(perm)),
    'tril_grad': lambda out_grad, diagonal=0: paddle.tril(out_grad, diagonal),
    'triu_grad': lambda out_grad, diagonal=0: paddle.triu(out_grad, diagonal),
    'trunc_grad': _like,
    'unbind_grad': lambda out_grad, axis=0: paddle.stack(out_grad, axis),
    'uniform_inplace_grad': _like,
    'unstack_grad': lambda out_grad, axis=0: paddle.stack(out_grad, axis),
}

# Arguments of a gradient -> its results. What is no argument of the operation (`out`) is not read:
# the operation is called with the others.
_CALLS = {
    'add_position_encoding_grad': 'x out_grad alpha=1.0 beta=1.0 -> x_grad',
    'affine_channel_grad': 'x scale bias out_grad data_layout="AnyLayout" '
    '-> x_grad scale_grad bias_grad',
    'baddbmm_grad': 'input x y out_grad alpha=1.0 beta=1.0 -> input_grad x_grad y_grad',
    'batch_fc_grad': 'input w bias out_grad -> input_grad w_grad bias_grad',
    'depthwise_conv2d_transpose_grad': 'x filter out_grad strides=[1,1] paddings=[0,0] '
    'output_padding=[] output_size=[] padding_algorithm="EXPLICIT" groups=1 dilations=[1,1] '
    'data_format="NCHW" -> x_grad filter_grad',
    'expand_as_grad': 'x out_grad target_shape=None -> x_grad',
    'gru_unit_grad': 'input hidden_prev weight bias gate reset_hidden_prev hidden_grad '
    'activation=2 gate_activation=1 origin_mode=False '
    '-> input_grad hidden_prev_grad weight_grad bias_grad',
    'identity_loss_grad': 'x out_grad reduction=1 -> x_grad',
    'im2sequence_grad': 'x y out_grad kernels strides=[1,1] paddings=[0,0,0,0] out_stride=[1,1] '
    '-> x_grad',
    'index_select_strided_grad': 'x out_grad index axis=0 -> x_grad',
    'lp_pool2d_grad': 'x out out_grad kernel_size strides paddings ceil_mode exclusive data_format '
    'pooling_type global_pooling adaptive padding_algorithm norm_type -> x_grad',
    'norm_grad': 'x norm out_grad axis epsilon=1e-10 is_test=False -> x_grad',
    'spectral_norm_grad': 'weight u v out_grad dim=0 power_iters=1 eps=1e-12 -> weight_grad',
    'std_grad': 'x out out_grad axis=() keepdim=False unbiased=True correction=1 -> x_grad',
    'stft_grad': 'x window out_grad n_fft hop_length normalized onesided -> x_grad',
    'affine_grid_grad': 'input output_grad output_shape align_corners=True -> input_grad',
    'broadcast_tensors_grad': 'input out_grad -> input_grad',
    'cast_grad': 'x out_grad -> x_grad',
    'complex_grad': 'real imag out_grad -> real_grad imag_grad',
    'concat_grad': 'x out_grad axis=0 -> x_grad',
    'copysign_grad': 'x y out_grad -> x_grad y_grad',
    'crop_grad': 'x out_grad offsets -> x_grad',
    'cross_grad': 'x y out_grad axis=9 -> x_grad y_grad',
    'dist_grad': 'x y out out_grad p=2.0 -> x_grad y_grad',
    'dot_grad': 'x y out_grad -> x_grad y_grad',
    'grid_sample_grad': 'x grid out_grad mode="bilinear" padding_mode="zeros" align_corners=True '
    '-> x_grad grid_grad',
    'hinge_loss_grad': 'logits labels loss_grad -> logits_grad',
    'index_put_grad': 'x indices value out_grad accumulate=False -> x_grad value_grad',
    'kldiv_loss_grad': 'x label out_grad reduction="mean" log_target=False -> x_grad',
    'kron_grad': 'x y out_grad -> x_grad y_grad',
    'l1_norm_grad': 'x out_grad -> x_grad',
    'masked_fill_grad': 'x mask value out_grad -> x_grad value_grad',
    'matmul_with_flatten_grad': 'x y out_grad x_num_col_dims=1 y_num_col_dims=1 -> x_grad y_grad',
    'matrix_power_grad': 'x out out_grad n -> x_grad',
    'maxout_grad': 'x out out_grad groups axis=1 -> x_grad',
    'meshgrid_grad': 'inputs out_grad -> inputs_grad',
    'multi_dot_grad': 'x out_grad -> x_grad',
    'multiplex_grad': 'inputs index out_grad -> inputs_grad',
    'nansum_grad': 'x out_grad axis=() keepdim=False -> x_grad',
    'partial_concat_grad': 'x out_grad start_index=0 length=-1 -> x_grad',
    'partial_sum_grad': 'x out_grad start_index=0 length=-1 -> x_grad',
    'renorm_grad': 'x out_grad p axis max_norm -> x_grad',
    'reshape_grad': 'x out_grad -> x_grad',
    'stack_grad': 'x out_grad axis=0 -> x_grad',
    'trace_grad': 'x out_grad offset=0 axis1=0 axis2=1 -> x_grad',
    'view_shape_grad': 'input out_grad dims=() -> input_grad',
}

# What an operation is called with where its gradient is not given it.
_FILLED = {
    'cast_grad': {'dtype': lambda given: given['out_grad'].dtype},
    'expand_as_grad': {'target_shape': lambda given: list(given['out_grad'].shape)},
    'crop_grad': {'shape': lambda given: given['out_grad'].shape},
    'reshape_grad': {'shape': lambda given: given['out_grad'].shape},
    'nansum_grad': {'dtype': lambda given: given['out_grad'].dtype},
    'sparse_masked_matmul_grad': {'mask': lambda given: given['out_grad']},
    'sparse_reshape_grad': {'shape': lambda given: given['out_grad'].shape},
}

_SPARSE = {
    'sparse_' + name: home
    for home, names in {
        'sparse': 'abs add addmm asin asinh atan atanh cast coalesce divide expm1 isnan log1p '
        'mask_as masked_matmul matmul multiply mv pow reshape sin sinh slice sqrt square subtract '
        'sum tan tanh transpose',
        'sparse.nn.functional': 'relu relu6 softmax',
    }.items()
    for name in names.split()
}
_SPARSE_FORMS = {
    'sparse_leaky_relu': lambda x, alpha: paddle.sparse.nn.functional.leaky_relu(x, alpha),
    'sparse_indices': lambda x: x.indices(),
    'sparse_to_dense': lambda x: x.to_dense(),
    'sparse_to_sparse_coo': lambda x, sparse_dim: x.to_sparse_coo(sparse_dim),
    'sparse_sparse_coo_tensor': lambda values, indices, shape=(): paddle.sparse.sparse_coo_tensor(
        indices, values, list(shape) or None, stop_gradient=values.stop_gradient
    ),
    'sparse_to_sparse_csr': lambda x: x.to_sparse_csr(),
    'sparse_values': lambda x: x.values(),
}
_CALLS.update(
    {
        f'sparse_{name}_grad': row
        for row, names in {
            'x out_grad -> x_grad': 'abs asin asinh atan atanh log1p sin sinh square tan '
            'to_dense values reshape',
            'x y out_grad -> x_grad y_grad': 'add subtract matmul masked_matmul',
            'x y out out_grad -> x_grad y_grad': 'divide',
            'x vec out_grad -> x_grad vec_grad': 'mv',
            'x mask out_grad -> x_grad': 'mask_as',
            'x out_grad alpha -> x_grad': 'leaky_relu',
            'x out_grad factor -> x_grad': 'pow',
            'x out_grad axes starts ends -> x_grad': 'slice',
            'input x y out_grad alpha=1.0 beta=1.0 -> input_grad x_grad y_grad': 'addmm',
        }.items()
        for name in names.split()
    }
)


# Operations that keep state: places of the results that are written into arguments by their forms
# in place.
_KEPT_STATE = {
    'dequantize_linear_': {},
    'fake_quantize_dequantize_moving_average_abs_max_': {
        1: 'in_scale',
        2: 'in_state',
        3: 'in_accum',
    },
    'fake_quantize_moving_average_abs_max_': {1: 'in_scale', 2: 'in_state', 3: 'in_accum'},
    'fake_quantize_range_abs_max_': {1: 'in_scale'},
    'moving_average_abs_max_scale_': {2: 'in_state', 3: 'in_accum'},
    'quantize_linear_': {1: 'in_state', 2: 'in_accum', 3: 'scale'},
}


def _with_state(name):
    operation = getattr(paddle._C_ops, name[:-1])
    signature = inspect.signature(operation)

    def call(*args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        made = list(operation(*args, **kwargs))
        for at, key in _KEPT_STATE[name].items():
            place = given.get(key)
            if place is not None and made[at] is not None and made[at] is not place:
                with paddle.no_grad():
                    made[at] = paddle.assign(made[at].reshape(place.shape), place)
        return tuple(made)

    return call, signature


def names():
    """All names but the gradients that are written in place."""
    sparse = [*_SPARSE, *_SPARSE_FORMS]
    return [*_FORMS, *_GRADIENTS, *_CALLS, *_KEPT_STATE, *sparse]


def _called(name, row):
    """The gradient `name` by its row of `_CALLS`."""
    arguments, results = (part.split() for part in row.split('->'))
    signature = inspect.Signature(
        [
            inspect.Parameter(
                key,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=eval(value, {}) if value else inspect.Parameter.empty,
            )
            for key, _, value in (a.partition('=') for a in arguments)
        ]
    )
    taken = [r[: -len('_grad')] for r in results]
    forward = name[: -len('_grad')]
    order = list(inspect.signature(getattr(paddle._C_ops, forward)).parameters)

    def gradient(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        further = False
        leaves, call = {}, {}

        def leaf(key, value):
            nonlocal further
            if not hasattr(value, 'stop_gradient'):  # sparse tensors are none of the class
                expect_tensors(name, **{key: value})
            kept = paddle.is_grad_enabled() and not value.stop_gradient
            further = further or kept
            value = paddle.assign(value) if kept else value.detach()
            value.stop_gradient = False
            return value

        for key in order:
            filled = _FILLED.get(name, {}).get(key)
            if filled is not None:
                call[key] = filled(given)
            elif key in taken:
                many = isinstance(given[key], (list, tuple))
                leaves[key] = [leaf(key, v) for v in (given[key] if many else [given[key]])]
                call[key] = leaves[key] if many else leaves[key][0]
            elif key in given:
                call[key] = given[key]
        seeds = [v for k, v in given.items() if k.endswith('_grad')]
        seeds = seeds[0] if isinstance(seeds[0], (list, tuple)) else seeds
        for seed in seeds:
            if not hasattr(seed, 'stop_gradient'):
                expect_tensors(name, out_grad=seed)
        further = further or any(not s.stop_gradient for s in seeds)
        with paddle.enable_grad():
            made = getattr(paddle._C_ops, forward)(**call)
        made = list(made) if isinstance(made, (list, tuple)) else [made]
        flat = [v for key in taken for v in leaves[key]]
        found = iter(
            paddle.grad(
                made[: len(seeds)],
                flat,
                list(seeds),
                create_graph=further and paddle.is_grad_enabled(),
                allow_unused=True,
            )
        )
        out = []
        for key in taken:
            grads = [next(found) for _ in leaves[key]]
            out.append(grads if isinstance(given[key], (list, tuple)) else grads[0])
        return out[0] if len(out) == 1 else tuple(out)

    return gradient, signature


def _in_place(gradient):
    """The same, that writes its first result into the first gradient it is given."""

    def inplace(*args, **kwargs):
        order = list(inspect.signature(gradient).parameters)
        place = next(v for k, v in (*zip(order, args), *kwargs.items()) if k.endswith('_grad'))
        made = gradient(*args, **kwargs)
        several = isinstance(made, tuple)
        with paddle.no_grad():
            paddle.assign(made[0] if several else made, place)
        return (place, *made[1:]) if several else place

    return inplace


def function(name):
    """The function `name`; None where no row or rule has it."""
    if name in _FORMS or name in _GRADIENTS or name in _SPARSE_FORMS:
        found = _FORMS.get(name) or _GRADIENTS.get(name) or _SPARSE_FORMS[name]
        signature = inspect.signature(found)
    elif name in _KEPT_STATE:
        found, signature = _with_state(name)
    elif name in _CALLS:
        found, signature = _called(name, _CALLS[name])
    elif name in _SPARSE:
        home = paddle
        for part in _SPARSE[name].split('.'):
            home = getattr(home, part)
        return getattr(home, name[len('sparse_') :])
    elif name.endswith('_grad_') and hasattr(paddle._C_ops, name[:-1]):
        gradient = getattr(paddle._C_ops, name[:-1])
        found, signature = _in_place(gradient), inspect.signature(gradient)
    else:
        return None

    def op(*args, **kwargs):
        return found(*args, **kwargs)

    op.__signature__ = signature
    op.__name__ = op.__qualname__ = name
    op.__module__ = 'paddle._C_ops'
    op.__doc__ = f'{name}{signature}'
    return op
