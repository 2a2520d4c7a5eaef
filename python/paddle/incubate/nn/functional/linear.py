# SPDX-License-Identifier: Apache-2.0
"""Products with what follows them: bias, activation, dropout, residual, norm."""

import numbers

import paddle
from paddle import _C_ops
from paddle.nn import functional as F

__all__ = [
    'fused_linear',
    'fused_matmul_bias',
    'fused_linear_activation',
    'fused_dropout_add',
    'fused_bias_act',
    'fused_bias_dropout_residual_layer_norm',
    'fused_feedforward',
]


def fused_matmul_bias(x, y, bias=None, transpose_x=False, transpose_y=False, name=None):
    """x @ y + bias, with the last two axes of either swapped on request."""
    out = paddle.matmul(x, y, transpose_x, transpose_y)
    return out if bias is None else out + bias


def fused_linear(x, weight, bias=None, transpose_weight=False, name=None):
    """x @ weight + bias, the weight [in, out], or [out, in] with `transpose_weight`."""
    return fused_matmul_bias(x, weight, bias, False, transpose_weight)


def fused_linear_activation(x, y, bias, trans_x=False, trans_y=False, activation=None):
    """activation(x @ y + bias) for the activations 'gelu', 'relu' and 'none' (or None)."""
    if activation not in (None, 'none', 'gelu', 'relu'):
        raise ValueError(
            f"[fused_linear_activation] expected activation to be none, gelu or relu, got "
            f"{activation}"
        )
    out = fused_matmul_bias(x, y, bias, trans_x, trans_y)
    return out if activation in (None, 'none') else getattr(F, activation)(out)


def fused_dropout_add(x, y, p=0.5, training=True, mode='upscale_in_train', name=None):
    """dropout(x) + y."""
    return F.dropout(x, p, training=training, mode=mode) + y


_GATED = {'swiglu': F.silu, 'geglu': F.gelu}


def quantize(x, scale, round_type, highest, lowest):
    """x * scale * highest as int8 from `lowest` to `highest`: ties go to even (round_type 0) or
    away from zero (1).
    """
    for value in (scale, highest, lowest):
        if not isinstance(value, (numbers.Number, paddle.Tensor)):
            raise TypeError(
                f"[quantization] expected a number for its scale and bounds, got "
                f"{type(value).__name__}"
            )
    x = x * (scale * highest)
    x = paddle.round(x) if round_type == 0 else paddle.sign(x) * paddle.floor(paddle.abs(x) + 0.5)
    return paddle.clip(x, lowest, highest).astype('int8')


def fused_bias_act(
    x,
    bias=None,
    dequant_scales=None,
    shift=None,
    smooth=None,
    act_method='gelu',
    compute_dtype='default',
    quant_scale=-1,
    quant_round_type=0,
    quant_max_bound=0,
    quant_min_bound=0,
):
    """act(x * dequant_scales + bias), then (out + shift) * smooth; int8 when `quant_scale` is
    positive.

    `act_method`: gelu, relu, silu, or swiglu and geglu, which gate the second half of the last axis
    by the first. `compute_dtype` (fp16, bf16, fp32) is the type of the result for integer `x`.
    """
    names = {'default': None, 'fp16': 'float16', 'bf16': 'bfloat16', 'fp32': 'float32'}
    if compute_dtype not in names:
        raise ValueError(
            f"[fused_bias_act] expected compute_dtype to be one of {sorted(names)}, got "
            f"{compute_dtype}"
        )
    if act_method not in ('gelu', 'relu', 'silu', *_GATED):
        raise ValueError(
            "[fused_bias_act] expected act_method to be gelu, relu, silu, swiglu or geglu, got "
            f"{act_method}"
        )
    if not paddle.is_floating_point(x):
        if names[compute_dtype] is None:
            raise ValueError(
                f"[fused_bias_act] expected compute_dtype fp16, bf16 or fp32 for x of {x.dtype}, "
                f"got "
                "default"
            )
        x = x.astype(names[compute_dtype])
    if dequant_scales is not None:
        x = x * dequant_scales.astype(x.dtype)
    if bias is not None:
        x = x + bias.astype(x.dtype)
    if act_method in _GATED:
        gate, value = _C_ops.split_with_num(x, 2, x.ndim - 1)
        x = _GATED[act_method](gate) * value
    else:
        x = getattr(F, act_method)(x)
    if shift is not None:
        x = x + shift.astype(x.dtype)
    if smooth is not None:
        x = x * smooth.astype(x.dtype)
    return (
        quantize(x, quant_scale, quant_round_type, quant_max_bound, quant_min_bound)
        if quant_scale > 0
        else x
    )


def fused_bias_dropout_residual_layer_norm(
    x,
    residual,
    bias=None,
    ln_scale=None,
    ln_bias=None,
    dropout_rate=0.5,
    ln_epsilon=1e-05,
    training=True,
    mode='upscale_in_train',
    name=None,
):
    """layer_norm(residual + dropout(x + bias)) over the last axis."""
    out = x if bias is None else x + bias
    out = residual + F.dropout(out, dropout_rate, training=training, mode=mode)
    return F.layer_norm(out, out.shape[-1], ln_scale, ln_bias, ln_epsilon)


def fused_feedforward(
    x,
    linear1_weight,
    linear2_weight,
    linear1_bias=None,
    linear2_bias=None,
    ln1_scale=None,
    ln1_bias=None,
    ln2_scale=None,
    ln2_bias=None,
    dropout1_rate=0.5,
    dropout2_rate=0.5,
    activation='relu',
    ln1_epsilon=1e-05,
    ln2_epsilon=1e-05,
    pre_layer_norm=False,
    training=True,
    mode='upscale_in_train',
    ring_id=-1,
    add_residual=True,
    name=None,
):
    """The feed-forward block of a Transformer: linear, activation, dropout, linear, dropout, with
    residual and norm.

    The norm (`ln1`) comes first with `pre_layer_norm`, otherwise (`ln2`) after the residual.
    """
    if ring_id != -1:
        raise ValueError(
            f"[fused_feedforward] expected ring_id -1, a block on one device, got {ring_id}"
        )
    out = F.layer_norm(x, x.shape[-1], ln1_scale, ln1_bias, ln1_epsilon) if pre_layer_norm else x
    out = getattr(F, activation)(F.linear(out, linear1_weight, linear1_bias))
    out = F.linear(
        F.dropout(out, dropout1_rate, training=training, mode=mode), linear2_weight, linear2_bias
    )
    out = F.dropout(out, dropout2_rate, training=training, mode=mode)
    if add_residual:
        out = x + out
    return (
        out
        if pre_layer_norm
        else F.layer_norm(out, out.shape[-1], ln2_scale, ln2_bias, ln2_epsilon)
    )
