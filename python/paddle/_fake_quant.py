# SPDX-License-Identifier: Apache-2.0
"""Operations that stand for quantised numbers in training: values rounded to those that integers
express, under the names, arguments and results of the operations.
"""

import paddle


def _round(x, scale, bit_length, round_type):
    """x in steps of scale / (2 ** (bit_length - 1) - 1), cut to [-scale, scale]; the gradient is
    passed on. Ties go to even numbers of steps with round_type 0, away from zero with 1.
    """
    most = 2 ** (bit_length - 1) - 1
    with paddle.no_grad():
        v = paddle.minimum(paddle.maximum(x, -scale), scale) * most
        v = v / paddle.where(scale > 0, scale, paddle.ones_like(scale))
        whole = paddle.trunc(v)
        away = whole + paddle.sign(v) * (paddle.abs(v - whole) >= 0.5).astype(v.dtype)
        out = (away if round_type else paddle.round(v)) * scale / most
    return out if x.stop_gradient else out.detach() + (x - x.detach())


def _checked(op, bit_length, round_type):
    if not 1 < bit_length <= 16:
        raise ValueError(f"[{op}] expected bit_length from 2 to 16, got {bit_length}")
    if round_type not in (0, 1):
        raise ValueError(f"[{op}] expected round_type 0 or 1, got {round_type}")


def fake_quantize_dequantize_abs_max(x, bit_length=8, round_type=1):
    """(x as integers of bit_length bits stand for it, the largest magnitude [1])."""
    _checked('fake_quantize_dequantize_abs_max', bit_length, round_type)
    scale = x.detach().abs().max().reshape([1])
    return _round(x, scale, bit_length, round_type), scale


def fake_channel_wise_quantize_dequantize_abs_max(x, bit_length=8, round_type=1, quant_axis=0):
    """(x as integers of bit_length bits stand for it, the largest magnitude of each place on
    quant_axis).
    """
    op = 'fake_channel_wise_quantize_dequantize_abs_max'
    _checked(op, bit_length, round_type)
    if quant_axis not in (0, 1) or quant_axis >= x.ndim:
        raise ValueError(f"[{op}] expected quant_axis 0 or 1 of x's axes, got {quant_axis}")
    others = [axis for axis in range(x.ndim) if axis != quant_axis]
    largest = x.detach().abs().max(others, keepdim=True)
    return _round(x, largest, bit_length, round_type), largest.reshape([-1])


def fake_quantize_dequantize_moving_average_abs_max(
    x,
    in_scale,
    in_accum=None,
    in_state=None,
    moving_rate=0.9,
    bit_length=8,
    is_test=False,
    round_type=1,
):
    """(x as integers of bit_length bits stand for it, scale, state, sum of magnitudes): the scale
    is the average of the largest magnitudes so far, each step's weight `moving_rate` times that of
    the next; with `is_test` it is in_scale, and the others are None.
    """
    op = 'fake_quantize_dequantize_moving_average_abs_max'
    _checked(op, bit_length, round_type)
    if is_test:
        return _round(x, in_scale.detach(), bit_length, round_type), None, None, None
    if in_accum is None or in_state is None:
        raise ValueError(f"[{op}] expected in_accum and in_state for training, got none")
    with paddle.no_grad():
        state = in_state * moving_rate + 1.0
        total = in_accum * moving_rate + x.detach().abs().max().reshape([1])
        scale = total / state
    return _round(x, scale, bit_length, round_type), scale, state, total
