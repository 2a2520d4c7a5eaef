# SPDX-License-Identifier: Apache-2.0
"""Operations that stand for quantised numbers in training: values rounded to those that integers
express, under the names, arguments and results of the operations.
"""

import paddle


def _most(bit_length):
    return 2.0 ** (bit_length - 1) - 1


def _steps(x, scale, most, round_type):
    """x in steps of scale / most, as whole numbers. With round_type 0 they go from -most - 1, and
    ties to even numbers; with 1 from -most, and ties away from zero.
    """
    dtype = x.dtype
    with paddle.no_grad():
        if dtype in (paddle.float16, paddle.bfloat16):
            x, scale = x.astype('float32'), scale.astype('float32')
        # A scale of nothing is a very small one.
        steps = most / paddle.where(scale > 1e-30, scale, scale + 1e-6)
        if round_type == 0:
            return paddle.clip(paddle.round(x * steps), -most - 1, most).astype(dtype)
        v = paddle.minimum(paddle.maximum(x, -scale), scale) * steps
        whole = paddle.trunc(v)
        away = (paddle.abs(v - whole) >= 0.5).astype(v.dtype)
        return (whole + paddle.sign(v) * away).astype(dtype)


def _passed(x, out):
    """`out` with the gradient of x."""
    if x.stop_gradient or not paddle.is_grad_enabled():
        return out
    return out.detach() + (x - x.detach())


def _largest(x, quant_axis=None):
    others = None if quant_axis is None else [a for a in range(x.ndim) if a != quant_axis]
    with paddle.no_grad():
        largest = x.abs().max(others, keepdim=quant_axis is not None)
        return largest.reshape([1]) if quant_axis is None else largest


def _averaged(op, x, in_accum, in_state, rate):
    if in_accum is None or in_state is None:
        raise ValueError(f"[{op}] expected in_accum and in_state for training, got none")
    with paddle.no_grad():
        state = in_state * rate + 1.0
        total = in_accum * rate + _largest(x)
        return total / state, state, total


def _round(x, scale, bit_length, round_type):
    """What x in steps of scale / (2 ** (bit_length - 1) - 1) stands for, with the gradient of x."""
    most = _most(bit_length)
    with paddle.no_grad():
        out = _steps(x, scale, most, round_type) * scale / most
    return _passed(x, out)


def _checked(op, bit_length, round_type, least=2):
    if not least <= bit_length <= 16:
        raise ValueError(f"[{op}] expected bit_length from {least} to 16, got {bit_length}")
    _checked_rounding(op, round_type)


def _checked_rounding(op, round_type):
    if round_type not in (0, 1):
        raise ValueError(f"[{op}] expected round_type 0 or 1, got {round_type}")


def fake_quantize_dequantize_abs_max(x, bit_length=8, round_type=1):
    """(x as integers of bit_length bits stand for it, the largest magnitude [1])."""
    _checked('fake_quantize_dequantize_abs_max', bit_length, round_type)
    scale = _largest(x)
    return _round(x, scale, bit_length, round_type), scale


def fake_channel_wise_quantize_dequantize_abs_max(x, bit_length=8, round_type=1, quant_axis=0):
    """(x as integers of bit_length bits stand for it, the largest magnitude of each place on
    quant_axis).
    """
    op = 'fake_channel_wise_quantize_dequantize_abs_max'
    _checked(op, bit_length, round_type)
    if quant_axis not in (0, 1) or quant_axis >= x.ndim:
        raise ValueError(f"[{op}] expected quant_axis 0 or 1 of x's axes, got {quant_axis}")
    largest = _largest(x, quant_axis)
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
    scale, state, total = _averaged(op, x, in_accum, in_state, moving_rate)
    return _round(x, scale, bit_length, round_type), scale, state, total
