# SPDX-License-Identifier: Apache-2.0
"""The steps of loss scaling, on tensors and on values of programs."""

import paddle

__all__ = ['check_finite_and_unscale', 'update_loss_scaling']


def _tensors(x, op):
    if not isinstance(x, (list, tuple)):
        raise ValueError(f"[{op}] expected x to be a list of tensors, got {type(x).__name__}")
    return list(x)


def check_finite_and_unscale(x, scale, name=None, float_status=None):
    """Divide each tensor of `x` by `scale` in place; by infinity when an element of any is infinite
    or NaN.

    Returns (x, whether there is such an element, a bool of shape [1]).
    """
    if float_status is not None:
        raise ValueError(
            "[check_finite_and_unscale] expected float_status to be None, which is for other "
            "devices, got a value"
        )
    x = _tensors(x, 'check_finite_and_unscale')
    with paddle.no_grad():
        finite = paddle.full([1], True, 'bool')
        for one in x:
            finite = paddle.logical_and(finite, paddle.all(paddle.isfinite(one)))
        factor = paddle.where(finite, 1.0 / scale, paddle.zeros_like(scale))
        for one in x:
            paddle.assign(one * paddle.reshape(factor, []).astype(one.dtype), one)
    return x, paddle.logical_not(finite)


def update_loss_scaling(
    x,
    found_inf,
    prev_loss_scaling,
    num_good_steps,
    num_bad_steps,
    incr_every_n_steps,
    decr_every_n_nan_or_inf,
    incr_ratio,
    decr_ratio,
    stop_update=False,
    name=None,
):
    """Count a step as good, or bad when `found_inf`, and after so many in a row multiply the scale
    by a ratio: not below 1, nor beyond what is finite. In place; `x`, a list of tensors, becomes
    zeros in a bad step. With `stop_update` only that. Returns x."""
    x = _tensors(x, 'update_loss_scaling')
    with paddle.no_grad():
        bad = paddle.reshape(found_inf, [])
        for one in x:
            paddle.assign(paddle.where(bad, paddle.zeros_like(one), one), one)
        if stop_update is True:
            return x
        one = paddle.ones([1], 'int32')
        zero = paddle.zeros([1], 'int32')
        good_now = paddle.where(bad, zero, num_good_steps + one)
        bad_now = paddle.where(bad, num_bad_steps + one, zero)
        raised, lowered = (
            prev_loss_scaling * incr_ratio,
            paddle.clip(prev_loss_scaling * decr_ratio, min=1.0),
        )
        raised = paddle.where(paddle.isfinite(raised), raised, prev_loss_scaling)
        up, down = good_now >= incr_every_n_steps, bad_now >= decr_every_n_nan_or_inf
        paddle.assign(
            paddle.where(up, raised, paddle.where(down, lowered, prev_loss_scaling)),
            prev_loss_scaling,
        )
        paddle.assign(paddle.where(up, zero, good_now), num_good_steps)
        paddle.assign(paddle.where(down, zero, bad_now), num_bad_steps)
    return x
