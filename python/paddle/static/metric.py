# SPDX-License-Identifier: Apache-2.0
"""Metrics inside programs: accuracy, area under a curve, and sums for click-through models, kept in
variables over runs.
"""

import paddle
from paddle.static.program import create_global_var

__all__ = ['accuracy', 'auc', 'ctr_metric_bundle']


def accuracy(input, label, k=1, correct=None, total=None):
    """The share of rows whose class is among the `k` highest scores.

    Args:
        input (Tensor): Scores or probabilities, of shape [rows, classes].
        label (Tensor): The class of each row, integers of shape [rows, 1].
        k (int, default 1): How many of the highest scores count.
        correct (Tensor, default None): An int32 or int64 variable that receives how many rows are
            right.
        total (Tensor, default None): An int32 or int64 variable that receives how many rows there
            are.

    Returns:
        Tensor: the share, a float32 scalar without a gradient.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     scores = paddle.static.data("scores", [None, 3])
        ...     label = paddle.static.data("label", [None, 1], "int64")
        ...     share = paddle.static.accuracy(scores, label)
        >>> exe = paddle.static.Executor()
        >>> feed = {"scores": [[0.1, 0.7, 0.2], [0.8, 0.1, 0.1]], "label": [[1], [2]]}
        >>> exe.run(main, feed=feed, fetch_list=[share])[0].item()
        0.5
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


def area_under(positive, negative, curve):
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
    """The area under a curve of binary predictions, over all runs of the program.

    The program keeps counts of positive and negative rows by score, and adds to them in each run.

    Args:
        input (Tensor): Probabilities between 0 and 1; the last column is that of the positive
            class.
        label (Tensor): 0 or 1 for each row, integers of shape [rows, 1].
        curve (str, default 'ROC'): `ROC` (receiver operating characteristic) or `PR` (precision and
            recall).
        num_thresholds (int, default 4095): Into how many intervals scores are counted.
        topk (int, default 1): Only 1.
        slide_steps (int, default 1): Of how many of the last runs the second result is; 0 for all.
        ins_tag_weight (Tensor, default None): A number for each row; 0 leaves the row out.

    Returns:
        tuple: the area over all runs (Tensor, float64), that over the last `slide_steps` runs, and
            the list of the four variables with counts: positives and negatives of the last runs,
            positives and negatives of all runs.

    Raises:
        ValueError: An unknown curve, or topk that is not 1.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     score = paddle.static.data("score", [None, 1])
        ...     label = paddle.static.data("label", [None, 1], "int64")
        ...     area, recent, counts = paddle.static.auc(score, label)
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> feed = {"score": [[0.1], [0.4], [0.35], [0.8]], "label": [[0], [0], [1], [1]]}
        >>> exe.run(main, feed=feed, fetch_list=[area])[0].item()
        0.75
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
    batch = area_under(
        paddle.sum(state['recent_pos'], 0), paddle.sum(state['recent_neg'], 0), curve
    )
    whole = area_under(state['pos'], state['neg'], curve)
    return whole, batch, [state['recent_pos'], state['recent_neg'], state['pos'], state['neg']]


def ctr_metric_bundle(input, label, ins_tag_weight=None):
    """Sums over all runs that metrics of click-through models are made of.

    Args:
        input (Tensor): Predictions, of shape [rows, 1].
        label (Tensor): 0 or 1 for each row, of shape [rows, 1].
        ins_tag_weight (Tensor, default None): The weight of each row.

    Returns:
        tuple of Tensors: variables of shape [1] that each run adds to: the squared error, the
            absolute error, the predictions, the sigmoid of the predictions, the positives, the
            rows.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     score = paddle.static.data("score", [None, 1])
        ...     label = paddle.static.data("label", [None, 1])
        ...     sums = paddle.static.ctr_metric_bundle(score, label)
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> feed = {"score": [[0.5], [0.75]], "label": [[0.0], [1.0]]}
        >>> [v.item() for v in exe.run(main, feed=feed, fetch_list=list(sums))]
        [0.3125, 0.75, 1.25, 1.301638126373291, 1.0, 2.0]
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
