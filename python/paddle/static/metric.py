# SPDX-License-Identifier: Apache-2.0
"""Metrics inside programs: accuracy, area under a curve, and sums for click-through models, kept in
variables over runs.
"""

import paddle
from paddle.static.program import create_global_var

__all__ = ['accuracy', 'auc', 'ctr_metric_bundle']


def accuracy(input, label, k=1, correct=None, total=None):
    """The share of rows whose class is among the `k` highest of `input` (rows, classes), a float32
    scalar.

    `correct` and `total`, int32 or int64 variables, receive the counts.
    """
    _, best = paddle.topk(input, k)
    hits = paddle.any(best == paddle.reshape(paddle.cast(label, best.dtype), [-1, 1]), axis=1)
    right = paddle.sum(paddle.cast(hits, 'int64'))
    rows = paddle.sum(paddle.ones_like(paddle.cast(hits, 'int64')))
    for place, count in ((correct, right), (total, rows)):
        if place is not None:
            paddle.assign(paddle.reshape(paddle.cast(count, place.dtype), place.shape), place)
    result = paddle.cast(right, 'float32') / paddle.cast(rows, 'float32')
    result.stop_gradient = True
    return result


def _area(positive, negative, curve):
    """The area under the curve, from counts by ascending score."""
    positive, negative = (
        paddle.cast(paddle.flip(paddle.flatten(x), [0]), 'float64') for x in (positive, negative)
    )
    hits, misses = paddle.cumsum(positive), paddle.cumsum(negative)
    zero = paddle.zeros([1], 'float64')
    before, wrong_before = paddle.concat([zero, hits[:-1]]), paddle.concat([zero, misses[:-1]])
    if curve == 'ROC':
        total = paddle.sum(positive) * paddle.sum(negative)
        area = paddle.sum((misses - wrong_before) * (hits + before) / 2)
    else:
        tiny = 1e-7
        share = (hits + tiny) / (hits + misses + tiny)
        share_before = (before + tiny) / (before + wrong_before + tiny)
        total = paddle.sum(positive)
        area = paddle.sum((hits - before) * (share + share_before) / 2)
    return paddle.where(
        total > 0,
        area / paddle.maximum(total, paddle.full([], 1e-300, 'float64')),
        paddle.zeros([], 'float64'),
    )


def auc(input, label, curve='ROC', num_thresholds=4095, topk=1, slide_steps=1, ins_tag_weight=None):
    """The area under the ROC or PR curve of the scores in the last column of `input`: (over all
    runs, over the last `slide_steps` runs, [counts of the last runs and of all runs, of positives
    and negatives by score]). `ins_tag_weight` 0 leaves a row out.
    """
    if curve not in ('ROC', 'PR'):
        raise ValueError(f"[auc] expected curve to be ROC or PR, got {curve!r}")
    if topk != 1:
        raise ValueError(f"[auc] expected topk to be 1, got {topk}")
    bins, steps = num_thresholds + 1, max(int(slide_steps), 1)
    state = {
        name: create_global_var(shape, 0, 'int64', persistable=True)
        for name, shape in (
            ('recent_pos', [steps, bins]),
            ('recent_neg', [steps, bins]),
            ('pos', [1, bins]),
            ('neg', [1, bins]),
        )
    }
    place = paddle.cast(paddle.flatten(input[:, -1:]) * num_thresholds, 'int64')
    marked = paddle.cast(paddle.flatten(label), 'int64')
    rows = paddle.ones_like(marked)
    if ins_tag_weight is not None:
        rows = paddle.cast(paddle.flatten(ins_tag_weight) > 0, 'int64')
    for kind, weight in (('pos', marked * rows), ('neg', (1 - marked) * rows)):
        now = paddle.scatter_nd_add(
            paddle.zeros([bins], 'int64'), paddle.unsqueeze(place, 1), weight
        )
        now = paddle.reshape(now, [1, bins])
        recent, ever = state['recent_' + kind], state[kind]
        paddle.assign(ever + now, ever)
        if slide_steps == 0:
            paddle.assign(ever, recent)
        else:
            paddle.assign(paddle.concat([recent[1:], now]) if steps > 1 else now, recent)
    batch = _area(paddle.sum(state['recent_pos'], 0), paddle.sum(state['recent_neg'], 0), curve)
    whole = _area(state['pos'], state['neg'], curve)
    return whole, batch, [state['recent_pos'], state['recent_neg'], state['pos'], state['neg']]


def ctr_metric_bundle(input, label, ins_tag_weight=None):
    """Sums over all runs for predictions and labels of shape (rows, 1): squared error, absolute
    error, prediction, sigmoid of the prediction, positives, rows. `ins_tag_weight` weighs the rows.
    """
    label = paddle.cast(label, 'float32')
    weight = (
        paddle.ones_like(label)
        if ins_tag_weight is None
        else paddle.reshape(paddle.cast(ins_tag_weight, 'float32'), [-1, 1])
    )
    off = (input - label) * weight
    now = [
        paddle.sum(v)
        for v in (
            off * off,
            paddle.abs(off),
            input * weight,
            paddle.nn.functional.sigmoid(input) * weight,
            label * weight,
            weight,
        )
    ]
    sums = []
    for value in now:
        held = create_global_var([1], 0.0, 'float32', persistable=True)
        paddle.assign(held + paddle.reshape(value, [1]), held)
        sums.append(held)
    return tuple(sums)
