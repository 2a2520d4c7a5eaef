# SPDX-License-Identifier: Apache-2.0
"""Operations on quantised numbers that programs made by PaddlePaddle's quantisation passes hold,
under the names, arguments and results of the operations. `_fake_quant` has those that keep x's
range; these give whole numbers, or take them.
"""

import paddle
from paddle._fake_quant import (
    _averaged,
    _checked,
    _checked_rounding,
    _largest,
    _most,
    _passed,
    _steps,
)


def whole(x, scale, bit_length, round_type):
    """x as whole numbers of bit_length bits, by the largest magnitude `scale`; the gradient is
    passed on.
    """
    return _passed(x, _steps(x, scale, _most(bit_length), round_type))


def fake_quantize_abs_max(x, bit_length=8, round_type=1):
    """(x as whole numbers of bit_length bits, the largest magnitude [1])."""
    _checked('fake_quantize_abs_max', bit_length, round_type, 1)
    scale = _largest(x)
    return whole(x, scale, bit_length, round_type), scale


def fake_channel_wise_quantize_abs_max(x, bit_length=8, round_type=1, quant_axis=0, is_test=False):
    """(x as whole numbers of bit_length bits, the largest magnitudes along quant_axis); with
    `is_test` the scales would be given, which there is no place for: only old programs have one.
    """
    op = 'fake_channel_wise_quantize_abs_max'
    _checked(op, bit_length, round_type, 1)
    if quant_axis not in (0, 1) or quant_axis >= x.ndim:
        raise ValueError(f"[{op}] expected quant_axis 0 or 1 of x's axes, got {quant_axis}")
    if is_test:
        raise RuntimeError(f'[{op}] expected is_test=False, as no scales are given, got True')
    scale = _largest(x, quant_axis)
    return whole(x, scale, bit_length, round_type), scale.reshape([-1])


def _ranged(x, in_scale, iteration, window_size):
    """(scale [1], scales) of a window of the largest magnitudes."""
    now = _largest(x)
    with paddle.no_grad():
        places = paddle.arange(window_size, dtype='int64')
        at = 0 if iteration is None else iteration.reshape([1]).astype('int64') % window_size
        scales = paddle.where(places == at, now, paddle.zeros_like(now))
        return paddle.maximum(now, in_scale.reshape([1])), scales


def fake_quantize_range_abs_max(
    x, in_scale, iter=None, window_size=10000, bit_length=8, is_test=False, round_type=1
):
    """(x as whole numbers of bit_length bits, the largest magnitude so far [1], those of the
    window); with `is_test` the scale is in_scale and the window is None.
    """
    _checked('fake_quantize_range_abs_max', bit_length, round_type, 1)
    if is_test:
        return whole(x, in_scale, bit_length, round_type), None, None
    scale, scales = _ranged(x, in_scale, iter, window_size)
    return whole(x, scale, bit_length, round_type), scale, scales


def fake_quantize_moving_average_abs_max(
    x,
    in_scale,
    in_accum=None,
    in_state=None,
    moving_rate=0.9,
    bit_length=8,
    is_test=False,
    round_type=1,
):
    """(x as whole numbers of bit_length bits, scale, state, sum of magnitudes): as
    `fake_quantize_dequantize_moving_average_abs_max`.
    """
    op = 'fake_quantize_moving_average_abs_max'
    _checked(op, bit_length, round_type, 1)
    if is_test:
        return whole(x, in_scale, bit_length, round_type), None, None, None
    scale, state, total = _averaged(op, x, in_accum, in_state, moving_rate)
    return whole(x, scale, bit_length, round_type), scale, state, total


def moving_average_abs_max_scale(x, in_accum=None, in_state=None, moving_rate=0.9, is_test=False):
    """(x, scale, state, sum of magnitudes): the average of the largest magnitudes so far; with
    `is_test` x alone.
    """
    if is_test:
        return paddle.assign(x), None, None, None
    scale, state, total = _averaged(
        'moving_average_abs_max_scale', x, in_accum, in_state, moving_rate
    )
    return paddle.assign(x), scale, state, total


def fake_dequantize_max_abs(x, scale, max_range):
    """x times scale / max_range."""
    return x * scale / max_range


def fake_channel_wise_dequantize_max_abs(
    x, scales, quant_bits=(8,), quant_axis=0, x_num_col_dims=1
):
    """Whole numbers as what they stand for: one scale for each place on quant_axis; of two scales
    (those of a weight, and one) for each place on axis x_num_col_dims.
    """
    scales = list(scales) if isinstance(scales, (list, tuple)) else [scales]
    axis = quant_axis if len(scales) == 1 else x_num_col_dims
    shape = [-1 if a == axis else 1 for a in range(x.ndim)]
    out = x * scales[0].reshape(shape) / _most(quant_bits[0])
    return out if len(scales) == 1 else out * scales[1] / _most(quant_bits[1])


def dequantize_abs_max(x, scale, max_range):
    """x as floating numbers, times scale / max_range."""
    return x.astype(scale.dtype) * scale / max_range


def dequantize_log(x, dict):
    """The numbers of the table `dict` [128] at the codes x, int8; the negative of code + 128 below
    zero.
    """
    code = x.astype('int64')
    found = paddle.gather(dict, paddle.where(code < 0, code + 128, code).reshape([-1]))
    return paddle.where(code.reshape([-1]) < 0, -found, found).reshape(x.shape)


def channel_scale(scale, x, quant_axis):
    """Scales of the places on quant_axis, or one, with as many axes as x."""
    if scale.ndim == 0 or scale.size == 1:
        return scale.reshape([1] * max(x.ndim, 1)) if x.ndim else scale.reshape([])
    return scale.reshape([-1 if a == quant_axis % x.ndim else 1 for a in range(x.ndim)])


def _checked_most(op, qmax):
    if qmax < 1:
        raise ValueError(f"[{op}] expected qmax of at least 1, got {qmax}")


def quantize_linear(
    x,
    scale,
    zero_point=None,
    in_accum=None,
    in_state=None,
    quant_axis=0,
    bit_length=8,
    qmin=-128,
    qmax=127,
    round_type=0,
    is_test=True,
    only_observer=False,
):
    """(x as whole numbers up to qmax by `scale`, state, sum of magnitudes, scale): one
    scale, or one for each place on quant_axis. In training (`is_test` False) the scale is the
    average of the largest magnitudes so far, or the largest of each place. With `only_observer`
    the first result is x.
    """
    op = 'quantize_linear'
    _checked_rounding(op, round_type)
    _checked_most(op, qmax)
    state = total = None
    if not is_test and quant_axis < 0:
        scale, state, total = _averaged(op, x, in_accum, in_state, 0.9)
    elif not is_test:
        scale = _largest(x, quant_axis).reshape([-1])
    if only_observer:
        return paddle.assign(x), state, total, scale
    out = _steps(x, channel_scale(scale, x, quant_axis), qmax, round_type)
    return _passed(x, out), state, total, scale


def dequantize_linear(
    x,
    scale,
    zero_point=None,
    in_accum=None,
    in_state=None,
    quant_axis=0,
    bit_length=8,
    qmin=-128,
    qmax=127,
    round_type=0,
    is_test=True,
    only_observer=False,
):
    """(what whole numbers x of at most qmax stand for by `scale`, None, None, None)."""
    _checked_most('dequantize_linear', qmax)
    if only_observer:
        return paddle.assign(x), None, None, None
    whole = x.astype(scale.dtype)
    return whole * channel_scale(scale, x, quant_axis) / qmax, None, None, None
