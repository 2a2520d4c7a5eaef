# SPDX-License-Identifier: Apache-2.0
"""Operations of training that have no public function: loss scaling, older optimizers, several
parameters at once, scores. They have the names, arguments and results of the operations; those
that end in `_` write their first arguments, or those that their results are named after.
"""

import paddle
from paddle.base.framework import is_recorded
from paddle.static.metric import area_under


def _write(place, value):
    """`place`, which holds `value` from now on."""
    with paddle.no_grad():
        return paddle.assign(value.astype(place.dtype).reshape(place.shape), place)


def check_finite_and_unscale_(x, scale):
    """(the tensors x over `scale`, whether an element of them is not finite [1]): the tensor that
    has one, and those behind it, times 0.
    """
    with paddle.no_grad():
        found = paddle.zeros([1], 'bool')
        inverse = 1.0 / scale
        for t in x:
            found = paddle.logical_or(found, paddle.logical_not(paddle.isfinite(t)).any())
            factor = paddle.where(found, paddle.zeros_like(inverse), inverse)
            _write(t, t * factor)
    return list(x), found


def update_loss_scaling_(
    x,
    found_infinite,
    prev_loss_scaling,
    in_good_steps,
    in_bad_steps,
    incr_every_n_steps,
    decr_every_n_nan_or_inf,
    incr_ratio,
    decr_ratio,
    stop_update=False,
):
    """(x, loss scale, steps without, steps with infinities in a row): the scale grows by incr_ratio
    after incr_every_n_steps of the former, and shrinks, not below 1, after decr_every_n_nan_or_inf
    of the latter, which make x zeros.
    """
    with paddle.no_grad():
        bad = found_infinite.reshape([1])
        for t in x:
            _write(t, paddle.where(bad, paddle.zeros_like(t), t))
        if isinstance(stop_update, paddle.Tensor):
            stop_update = bool(stop_update.item())
        if not stop_update:
            scale, zero = prev_loss_scaling, paddle.zeros_like(in_good_steps)
            goods = paddle.where(bad, zero, in_good_steps + 1)
            bads = paddle.where(bad, in_bad_steps + 1, zero)
            grow, shrink = goods >= incr_every_n_steps, bads >= decr_every_n_nan_or_inf
            larger, smaller = scale * incr_ratio, scale * decr_ratio
            larger = paddle.where(paddle.isfinite(larger), larger, scale)
            smaller = paddle.where(smaller < 1, paddle.ones_like(scale), smaller)
            _write(scale, paddle.where(grow, larger, paddle.where(shrink, smaller, scale)))
            _write(in_good_steps, paddle.where(grow, zero, goods))
            _write(in_bad_steps, paddle.where(shrink, zero, bads))
    return list(x), prev_loss_scaling, in_good_steps, in_bad_steps


_MOST_SUMMED = 16384


def average_accumulates_(
    param,
    in_sum_1,
    in_sum_2,
    in_sum_3,
    in_num_accumulates,
    in_old_num_accumulates,
    in_num_updates,
    average_window=0.0,
    max_average_window=2**63 - 1,
    min_average_window=10000,
):
    """Three sums of a parameter's values and their counts, with the present one added: a window
    that is full begins anew, and what it held is the third sum.
    """
    op = 'average_accumulates_'
    if min_average_window > max_average_window:
        raise ValueError(
            f"[{op}] expected min_average_window of at most max_average_window "
            f"{max_average_window}, got {min_average_window}"
        )
    with paddle.no_grad():
        updates, count = in_num_updates + 1, in_num_accumulates + 1
        first, second = in_sum_1 + param, in_sum_2
        folds = (updates % _MOST_SUMMED == 0).reshape([])
        zero = paddle.zeros_like(first)
        second = paddle.where(folds, second + first, second)
        first = paddle.where(folds, zero, first)
        window = (updates.astype('float64') * average_window).astype('int64')
        window = paddle.minimum(window, paddle.full_like(window, max_average_window))
        full = paddle.logical_and(count >= min_average_window, count >= window)
        whole, none = full.reshape([]), paddle.zeros_like(count)
        for place, value in (
            (in_sum_3, paddle.where(whole, first + second, in_sum_3)),
            (in_sum_1, paddle.where(whole, zero, first)),
            (in_sum_2, paddle.where(whole, zero, second)),
            (in_old_num_accumulates, paddle.where(full, count, in_old_num_accumulates)),
            (in_num_accumulates, paddle.where(full, none, count)),
            (in_num_updates, updates),
        ):
            _write(place, value)
    return (
        in_sum_1,
        in_sum_2,
        in_sum_3,
        in_num_accumulates,
        in_old_num_accumulates,
        in_num_updates,
    )


def decayed_adagrad(param, grad, moment, learning_rate, decay=0.95, epsilon=1e-6):
    """(parameter, moment) after a step: the moment is an average of squares that decays."""
    with paddle.no_grad():
        moment = decay * moment + (1 - decay) * grad * grad
        return param - learning_rate * grad / (moment.sqrt() + epsilon), moment


def ftrl(
    param,
    squared_accumulator,
    linear_accumulator,
    grad,
    learning_rate,
    l1=0.0,
    l2=0.0,
    lr_power=-0.5,
):
    """(parameter, squared and linear sums) after a step that follows the regularised leader
    (McMahan et al. 2013, Ad Click Prediction).
    """
    l1, l2 = l1 + 1e-10, l2 + 1e-10
    with paddle.no_grad():
        squares = squared_accumulator + grad * grad
        before, after = (paddle.pow(s, -lr_power) for s in (squared_accumulator, squares))
        linear = linear_accumulator + grad - (after - before) / learning_rate * param
        factor = after / learning_rate + 2 * l2
        kept = (l1 * paddle.sign(linear) - linear) / factor
        param = paddle.where(linear.abs() > l1, kept, paddle.zeros_like(param))
    return param, squares, linear


def lars_momentum_(
    param,
    grad,
    velocity,
    learning_rate,
    master_param=None,
    mu=0.9,
    lars_coeff=0.001,
    lars_weight_decay=(0.0005,),
    epsilon=0.0,
    multi_precision=False,
    rescale_grad=1.0,
):
    """(parameters, velocities, masters) after a step of momentum whose rate is that of each
    parameter's norm over its gradient's (You et al. 2017, Large Batch Training).
    """
    with paddle.no_grad():
        for k, (p, g, v, rate) in enumerate(zip(param, grad, velocity, learning_rate)):
            master = master_param[k] if multi_precision and master_param else None
            whole = p if master is None else master
            decay = lars_weight_decay[k]
            g = g.astype(whole.dtype) * rescale_grad
            norm, g_norm = (paddle.sqrt((t * t).sum()) for t in (whole, g))
            local = rate * lars_coeff * norm / (g_norm + decay * norm + epsilon)
            if decay > 0:
                scaled = paddle.logical_and(norm > 0, g_norm > 0)
                rate = paddle.where(scaled, local, rate)
            _write(v, v * mu + rate * (g + decay * whole))
            _write(whole, whole - v)
            if master is not None:
                _write(p, master)
    return list(param), list(velocity), master_param


def merged_momentum_(
    param,
    grad,
    velocity,
    learning_rate,
    master_param,
    mu,
    use_nesterov=False,
    regularization_method=(),
    regularization_coeff=(),
    multi_precision=False,
    rescale_grad=1.0,
):
    """`momentum_` on each of several parameters."""
    for k, (p, g, v) in enumerate(zip(param, grad, velocity)):
        paddle._C_ops.momentum_(
            p,
            g,
            v,
            learning_rate[k % len(learning_rate)],
            master_param[k] if master_param else None,
            mu,
            use_nesterov,
            regularization_method[k] if regularization_method else '',
            regularization_coeff[k] if regularization_coeff else 0.0,
            multi_precision,
            rescale_grad,
        )
    return list(param), list(velocity), master_param


def _item(tensors, k):
    return tensors[k] if tensors else None


def merged_adam_(
    param,
    grad,
    learning_rate,
    moment1,
    moment2,
    moment2_max,
    beta1_pow,
    beta2_pow,
    master_param,
    beta1=0.9,
    beta2=0.999,
    epsilon=1e-8,
    multi_precision=False,
    use_global_beta_pow=False,
    amsgrad=False,
):
    """`adam_` on each of several parameters."""
    for k, p in enumerate(param):
        paddle._C_ops.adam_(
            p,
            grad[k],
            learning_rate[k % len(learning_rate)],
            moment1[k],
            moment2[k],
            _item(moment2_max, k),
            beta1_pow[k],
            beta2_pow[k],
            _item(master_param, k),
            None,
            beta1,
            beta2,
            epsilon,
            False,
            1000,
            multi_precision,
            use_global_beta_pow,
            amsgrad,
        )
    return param, moment1, moment2, moment2_max, beta1_pow, beta2_pow, master_param


def fused_adam_(
    params,
    grads,
    learning_rate,
    moments1,
    moments2,
    moments2_max,
    beta1_pows,
    beta2_pows,
    master_params,
    skip_update,
    beta1,
    beta2,
    epsilon,
    chunk_size,
    weight_decay,
    use_adamw,
    multi_precision,
    use_global_beta_pow,
    amsgrad=False,
):
    """`adam_`, or `adamw_` with use_adamw, on each of several parameters."""
    for k, p in enumerate(params):
        rest = [
            p,
            grads[k],
            learning_rate,
            moments1[k],
            moments2[k],
            _item(moments2_max, k),
            beta1_pows[k],
            beta2_pows[k],
            _item(master_params, k),
            skip_update,
            beta1,
            beta2,
            epsilon,
        ]
        last = [False, 1000, multi_precision, use_global_beta_pow, amsgrad]
        if use_adamw:
            last = [1.0, weight_decay, True, *last]
            paddle._C_ops.adamw_(*rest, *last)
        else:
            paddle._C_ops.adam_(*rest, *last)
    return params, moments1, moments2, moments2_max, beta1_pows, beta2_pows, master_params


def auc(
    x,
    label,
    stat_pos,
    stat_neg,
    ins_tag_weight=None,
    curve='ROC',
    num_thresholds=(2 << 12) - 1,
    slide_steps=1,
):
    """(area under the curve, counts of positive and negative examples by bucket of the prediction):
    the counts so far are stat_pos and stat_neg.
    """
    if curve not in ('ROC', 'PR'):
        raise ValueError(f"[auc] expected curve ROC or PR, got {curve!r}")
    buckets = num_thresholds + 1
    with paddle.no_grad():
        scores = x[:, -1].astype('float64')
        inside = (scores >= 0) & (scores <= 1)
        if not is_recorded(inside) and not bool(inside.all()):
            low, high = scores.min().item(), scores.max().item()
            raise RuntimeError(
                f'[auc] expected scores in [0, 1], got some from {low:g} to {high:g}'
            )
        index = (scores * num_thresholds).astype('int64').unsqueeze(1)
        right = label.reshape([-1]).astype('int64')
        kept = paddle.ones_like(right)
        if ins_tag_weight is not None:
            kept = (ins_tag_weight.reshape([-1]) > 0).astype('int64') * kept
        sums, outs = [], []
        for stats, mine in ((stat_pos, right), (stat_neg, 1 - right)):
            now = paddle.scatter_nd_add(paddle.zeros([buckets], 'int64'), index, mine * kept)
            flat = stats.reshape([-1])
            if slide_steps == 0:
                sums.append(flat[:buckets] + now)
                outs.append(sums[-1].reshape(stats.shape))
            else:
                out, total = _slid(flat, now, buckets, slide_steps)
                sums.append(total)
                outs.append(out)
        return area_under(*sums, curve), *outs


def _slid(stats, now, buckets, steps):
    """(counts of the last `steps` steps, their sum and the steps so far, as one row; the sum)."""
    end = steps * buckets
    blocks, total, number = stats[:end].reshape([steps, buckets]), stats[end:-1], stats[-1:]
    here = (paddle.arange(steps, dtype='int64') == number % steps).unsqueeze(1)
    oldest = paddle.where(here, blocks, paddle.zeros_like(blocks)).sum(0)
    total = total - oldest + now
    blocks = paddle.where(here, now.unsqueeze(0), blocks)
    return paddle.concat([blocks.reshape([-1]), total, number + 1]), total
