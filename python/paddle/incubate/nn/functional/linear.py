# SPDX-License-Identifier: Apache-2.0
"""Products with what follows them: bias, activation, dropout, residual, norm."""

import numbers

import paddle
from paddle import _C_ops
from paddle.base.arguments import only
from paddle.base.libpaddle import expect_tensors
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


def _joins(x, y, bias, features):
    """Whether a bias is a part of the product with a matrix."""
    return (
        bias is not None
        and y.ndim == 2
        and bias.shape == [features]
        and x.ndim > 1
        and x.dtype == y.dtype == bias.dtype
    )


def _on_gpu(x):
    """Whether a library may apply what follows a product; elsewhere it is the operations, which
    placements go through.
    """
    return x.place.is_gpu_place() and not x.is_dist()


def fused_matmul_bias(x, y, bias=None, transpose_x=False, transpose_y=False, name=None):
    """x @ y + bias.

    Args:
        x (Tensor): Of shape [..., m, k].
        y (Tensor): Of shape [..., k, n].
        bias (Tensor, default None): What is added, of shape [n]; None for nothing.
        transpose_x (bool, default False): Whether the last two axes of x are swapped.
        transpose_y (bool, default False): Whether those of y are.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [..., m, n].

    Examples:
        >>> x, y = paddle.to_tensor([[1.0, 2.0]]), paddle.to_tensor([[3.0], [4.0]])
        >>> paddle.incubate.nn.functional.fused_matmul_bias(x, y, paddle.to_tensor([0.5])).tolist()
        [[11.5]]
    """
    if not transpose_x and not transpose_y:
        return F.linear(x, y, bias)
    if not transpose_x and _joins(x, y, bias, y.shape[0]):
        return _C_ops.linear_v2(x, y, bias, True)
    out = paddle.matmul(x, y, transpose_x, transpose_y)
    return out if bias is None else out + bias


def fused_linear(x, weight, bias=None, transpose_weight=False, name=None):
    """x @ weight + bias.

    Args:
        x (Tensor): Of shape [..., in].
        weight (Tensor): Of shape [in, out].
        bias (Tensor, default None): What is added, of shape [out]; None for nothing.
        transpose_weight (bool, default False): Whether weight is [out, in].
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [..., out].

    Examples:
        >>> x, w = paddle.to_tensor([[1.0, 2.0]]), paddle.to_tensor([[3.0, 4.0]])
        >>> paddle.incubate.nn.functional.fused_linear(x, w, transpose_weight=True).tolist()
        [[11.0]]
    """
    return fused_matmul_bias(x, weight, bias, False, transpose_weight)


def fused_linear_activation(x, y, bias, trans_x=False, trans_y=False, activation=None):
    """activation(x @ y + bias).

    Args:
        x (Tensor): Of shape [..., m, k].
        y (Tensor): Of shape [..., k, n].
        bias (Tensor): What is added, of shape [n].
        trans_x (bool, default False): Whether the last two axes of x are swapped.
        trans_y (bool, default False): Whether those of y are.
        activation (str, default None): `gelu`, by its approximation with tanh, `relu` or `none`, as
            None.

    Returns:
        Tensor: of shape [..., m, n].

    Raises:
        ValueError: Another activation.

    Examples:
        >>> x, y = paddle.to_tensor([[1.0, 2.0]]), paddle.to_tensor([[3.0, -3.0], [4.0, -4.0]])
        >>> paddle.incubate.nn.functional.fused_linear_activation(
        ...     x, y, paddle.zeros([2]), activation="relu").tolist()
        [[11.0, 0.0]]
    """
    if activation not in (None, 'none', 'gelu', 'relu'):
        raise ValueError(
            f"[fused_linear_activation] expected activation to be none, gelu or relu, got "
            f"{activation}"
        )
    expect_tensors('fused_linear_activation', x=x, y=y)
    joins = _on_gpu(x) and not (trans_x and x.ndim > 2)
    if joins and _joins(x, y, bias, y.shape[0 if trans_y else -1]):
        return _C_ops.fused_gemm_epilogue(x, y, bias, trans_x, trans_y, activation or 'none')[0]
    out = fused_matmul_bias(x, y, bias, trans_x, trans_y)
    if activation == 'relu':
        return F.relu(out)
    return F.gelu(out, approximate=True) if activation == 'gelu' else out


def fused_dropout_add(x, y, p=0.5, training=True, mode='upscale_in_train', name=None):
    """dropout(x) + y.

    Args:
        x (Tensor): What elements are dropped of.
        y (Tensor): What is added, of the shape of x.
        p (float, default 0.5): The probability that an element of x becomes 0.
        training (bool, default True): Whether elements are dropped.
        mode (str, default 'upscale_in_train'): `upscale_in_train`, or `downscale_in_infer`, as
            `paddle.nn.functional.dropout` has them.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: as x.

    Examples:
        >>> x, y = paddle.ones([2]), paddle.to_tensor([1.0, 2.0])
        >>> paddle.incubate.nn.functional.fused_dropout_add(x, y, training=False).tolist()
        [2.0, 3.0]
    """
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
    """act(x * dequant_scales + bias), then (out + shift) * smooth; int8 with a quant_scale.

    Args:
        x (Tensor): The input.
        bias (Tensor, default None): What is added, of the extent of the last axis; None for
            nothing.
        dequant_scales (Tensor, default None): Factors of x; None for none.
        shift (Tensor, default None): What is added to the result; None for nothing.
        smooth (Tensor, default None): Factors of that; None for none.
        act_method (str, default 'gelu'): `gelu`, `relu`, `silu`, or `swiglu` and `geglu`, which
            gate the second half of the last axis by the first.
        compute_dtype (str, default 'default'): The dtype of the result of integers: `fp16`, `bf16`
            or `fp32`.
        quant_scale (float, default -1): The factor, with quant_max_bound, of int8 results; -1 for
            results that are not.
        quant_round_type (int, default 0): 0 rounds ties to even, 1 away from zero.
        quant_max_bound (float, default 0): The largest int8.
        quant_min_bound (float, default 0): The smallest int8.

    Returns:
        Tensor: as x; of half the last axis for gated activations.

    Raises:
        ValueError: Another act_method or compute_dtype, or integers without one.

    Examples:
        >>> x = paddle.to_tensor([[-1.0, 2.0]])
        >>> paddle.incubate.nn.functional.fused_bias_act(
        ...     x, paddle.to_tensor([0.5, 0.5]), act_method="relu").tolist()
        [[0.0, 2.5]]
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
    """layer_norm(residual + dropout(x + bias)) over the last axis.

    Args:
        x (Tensor): The input, of shape [..., width].
        residual (Tensor): What is added, of the shape of x.
        bias (Tensor, default None): What is added to x, of shape [width]; None for nothing.
        ln_scale (Tensor, default None): The scale of the norm, of shape [width]; None for 1.
        ln_bias (Tensor, default None): Its shift, of shape [width]; None for 0.
        dropout_rate (float, default 0.5): The probability that an element becomes 0.
        ln_epsilon (float, default 1e-05): What is added to the variance.
        training (bool, default True): Whether elements are dropped.
        mode (str, default 'upscale_in_train'): `upscale_in_train`, or `downscale_in_infer`, as
            `paddle.nn.functional.dropout` has them.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: as x.

    Examples:
        >>> x, residual = paddle.to_tensor([[1.0, 2.0]]), paddle.to_tensor([[0.0, 1.0]])
        >>> paddle.incubate.nn.functional.fused_bias_dropout_residual_layer_norm(
        ...     x, residual, dropout_rate=0.0).round(3).tolist()
        [[-1.0, 1.0]]
    """
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
    """The feed-forward block of a Transformer: linear, activation, linear, and what is around.

    Around are dropouts, a residual and a norm.

    Args:
        x (Tensor): The input, of shape [batch, length, width].
        linear1_weight (Tensor): Of shape [width, hidden].
        linear2_weight (Tensor): Of shape [hidden, width].
        linear1_bias (Tensor, default None): Of shape [hidden]; None for none.
        linear2_bias (Tensor, default None): Of shape [width]; None for none.
        ln1_scale (Tensor, default None): The scale of a norm before; None for 1.
        ln1_bias (Tensor, default None): Its shift; None for 0.
        ln2_scale (Tensor, default None): The scale of a norm behind; None for 1.
        ln2_bias (Tensor, default None): Its shift; None for 0.
        dropout1_rate (float, default 0.5): The dropout behind the activation.
        dropout2_rate (float, default 0.5): The dropout behind the second layer.
        activation (str, default 'relu'): The name of a function of `paddle.nn.functional`.
        ln1_epsilon (float, default 1e-05): What is added to the variance of a norm before.
        ln2_epsilon (float, default 1e-05): What is added to that of a norm behind.
        pre_layer_norm (bool, default False): Whether the norm is before the block, not behind it.
        training (bool, default True): Whether elements are dropped.
        mode (str, default 'upscale_in_train'): `upscale_in_train`, or `downscale_in_infer`, as
            `paddle.nn.functional.dropout` has them.
        ring_id (int, default -1): Only -1.
        add_residual (bool, default True): Whether x is added to the result.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: as x.

    Raises:
        NotImplementedError: Another ring_id.

    Examples:
        >>> x = paddle.to_tensor([[[1.0, -1.0]]])
        >>> eye = paddle.eye(2)
        >>> paddle.incubate.nn.functional.fused_feedforward(
        ...     x, eye, eye, training=False, pre_layer_norm=True).round(3).tolist()
        [[[2.0, -1.0]]]
    """
    only('fused_feedforward', 'the block is on one device', ring_id=(ring_id, -1))
    out = F.layer_norm(x, x.shape[-1], ln1_scale, ln1_bias, ln1_epsilon) if pre_layer_norm else x
    whole = not dropout1_rate or (not training and mode == 'upscale_in_train')
    if (
        whole
        and activation == 'relu'
        and _on_gpu(out)
        and _joins(out, linear1_weight, linear1_bias, linear1_weight.shape[-1])
        and _joins(out, linear2_weight, linear2_bias, linear2_weight.shape[-1])
    ):
        layers = (linear1_weight, linear1_bias, linear2_weight, linear2_bias)
        out = _C_ops._linear_pair(out, *layers)[0]
    else:
        out = getattr(F, activation)(F.linear(out, linear1_weight, linear1_bias))
        out = F.dropout(out, dropout1_rate, training=training, mode=mode)
        out = F.linear(out, linear2_weight, linear2_bias)
    out = F.dropout(out, dropout2_rate, training=training, mode=mode)
    if add_residual:
        out = x + out
    return (
        out
        if pre_layer_norm
        else F.layer_norm(out, out.shape[-1], ln2_scale, ln2_bias, ln2_epsilon)
    )
