# SPDX-License-Identifier: Apache-2.0
"""Operations of training that have no public function: loss scaling, older optimizers, several
parameters at once, scores. They have the names, arguments and results of the operations; those
that end in `_` write their first arguments, or those that their results are named after.
"""

import paddle
from paddle.base.arguments import only
from paddle.base.framework import is_recorded


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
        updates = int(in_num_updates.item()) + 1
        count, old = int(in_num_accumulates.item()) + 1, int(in_old_num_accumulates.item())
        _write(in_sum_1, in_sum_1 + param)
        if updates % _MOST_SUMMED == 0:
            _write(in_sum_2, in_sum_2 + in_sum_1)
            _write(in_sum_1, paddle.zeros_like(in_sum_1))
        if count >= min_average_window and count >= min(
            max_average_window, int(updates * average_window)
        ):
            _write(in_sum_3, in_sum_1 + in_sum_2)
            _write(in_sum_1, paddle.zeros_like(in_sum_1))
            _write(in_sum_2, paddle.zeros_like(in_sum_2))
            old, count = count, 0
        for place, value in (
            (in_num_accumulates, count),
            (in_old_num_accumulates, old),
            (in_num_updates, updates),
        ):
            _write(place, paddle.full([1], value, 'int64'))
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
            size, slope = (paddle.sqrt((t * t).sum()) for t in (whole, g))
            local = rate * lars_coeff * size / (slope + decay * size + epsilon)
            usual = decay <= 0 or not bool((size > 0) & (slope > 0))
            _write(v, v * mu + (rate if usual else local) * (g + decay * whole))
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


def check_numerics(
    tensor, op_type='', var_name='', check_nan_inf_level=0, stack_height_limit=-1, output_dir=''
):
    """(counts of NaNs, infinities and zeros, the largest, the least and the mean element)."""
    only('check_numerics', 'numbers are in the results', output_dir=(output_dir, ''))
    kinds = {'nan': paddle.isnan, 'inf': paddle.isinf}
    with paddle.no_grad():
        counts = [test(tensor).astype('int64').sum() for test in kinds.values()]
        stats = paddle.stack([*counts, (tensor == 0).astype('int64').sum()])
        if tensor.size == 0:
            return stats, paddle.zeros([3])
        numbers = paddle.logical_not(paddle.isnan(tensor))
        held = tensor[numbers] if bool(numbers.any()) else tensor
        values = paddle.stack([held.max(), held.min(), tensor.mean()]).astype('float32')
    if int(stats[0]) + int(stats[1]) and check_nan_inf_level == 0:
        raise RuntimeError(
            f"[check_numerics] expected finite numbers in {var_name or 'the tensor'} of "
            f"{op_type or 'the operation'}, got {int(stats[0])} NaNs and {int(stats[1])} infinities"
        )
    return stats, values


def accuracy_check(x, y, fn_name, rtol=1e-5, atol=1e-8, equal_nan=False):
    """True for each element of x, as y is close everywhere; RuntimeError where it is not."""
    if x.shape != y.shape:
        raise RuntimeError(
            f'[accuracy_check] expected results of {fn_name} of one shape, got {list(x.shape)} and '
            f'{list(y.shape)}'
        )
    wide = 'complex128' if x.is_complex() or y.is_complex() else 'float64'
    x, y = x.astype(wide), y.astype(wide)
    if not paddle.allclose(x, y, rtol, atol, equal_nan):
        raise RuntimeError(
            f'[accuracy_check] expected equal results of {fn_name}, got some that differ by '
            f'{float((x - y).abs().max()):g}'
        )
    return paddle.ones_like(x, 'bool')


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
    only('auc', 'examples have equal weights', ins_tag_weight=(ins_tag_weight, None))
    only('auc', 'the curve is that of rates', curve=(curve, 'ROC'))
    buckets = num_thresholds + 1
    with paddle.no_grad():
        scores = x[:, -1].astype('float64')
        inside = (scores >= 0) & (scores <= 1)
        if not is_recorded(inside) and not bool(inside.all()):
            low, high = scores.min().item(), scores.max().item()
            raise RuntimeError(
                f'[auc] expected scores in [0, 1], got some from {low:g} to {high:g}'
            )
        index = (scores * num_thresholds).astype('int64')
        right = label.reshape([-1]).astype('int64')
        size = paddle.zeros([buckets], 'int64')
        pos = paddle.scatter_nd_add(size, index.unsqueeze(1), right)
        neg = paddle.scatter_nd_add(size, index.unsqueeze(1), 1 - right)
        flat_pos, flat_neg = (s.reshape([-1]) for s in (stat_pos, stat_neg))
        if slide_steps == 0:
            pos, neg = flat_pos[:buckets] + pos, flat_neg[:buckets] + neg
            out_pos, out_neg = pos.reshape(stat_pos.shape), neg.reshape(stat_neg.shape)
        else:
            out_pos, pos = _slid(flat_pos, pos, buckets, slide_steps)
            out_neg, neg = _slid(flat_neg, neg, buckets, slide_steps)
        right, wrong = (paddle.cumsum(paddle.flip(v, 0)).astype('float64') for v in (pos, neg))
        zero = paddle.zeros([1], 'float64')
        right, wrong = paddle.concat([zero, right]), paddle.concat([zero, wrong])
        area = ((wrong[1:] - wrong[:-1]) * (right[1:] + right[:-1]) / 2).sum()
        most = right[-1] * wrong[-1]
        area = paddle.where(most > 0, area / most, paddle.zeros_like(area))
    return area, out_pos, out_neg


def _slid(stats, now, buckets, steps):
    """(counts of the last `steps` steps, their sum and the steps so far, as one row; the sum)."""
    end = steps * buckets
    blocks, total, number = stats[:end].reshape([steps, buckets]), stats[end:-1], stats[-1:]
    at = int(number.item()) % steps
    total = total - blocks[at] + now
    blocks = paddle.concat([blocks[:at], now.unsqueeze(0), blocks[at + 1 :]])
    return paddle.concat([blocks.reshape([-1]), total, number + 1]), total
