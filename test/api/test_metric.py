# SPDX-License-Identifier: Apache-2.0
"""Metrics against counts made by hand."""

import numpy as np
import pytest

import paddle
from paddle.metric import Accuracy, Auc, Metric, Precision, Recall, accuracy

SCORES = np.array([[0.1, 0.2, 0.7], [0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]], 'float32')
LABELS = np.array([[2], [0], [0], [1]])


def test_accuracy_metric():
    metric = Accuracy(topk=(1, 2))
    hits = metric.compute(paddle.to_tensor(SCORES), paddle.to_tensor(LABELS))
    assert hits.numpy().tolist() == [[1, 0], [1, 0], [0, 0], [0, 1]]
    assert list(metric.update(hits)) == [0.5, 0.75]
    metric.update(hits)
    assert list(metric.accumulate()) == [0.5, 0.75]
    assert metric.name() == ['acc_top1', 'acc_top2']
    metric.reset()
    assert list(metric.accumulate()) == [0.0, 0.0]
    one_hot = np.eye(3, dtype='float32')[LABELS[:, 0]]
    np.testing.assert_array_equal(
        metric.compute(paddle.to_tensor(SCORES), paddle.to_tensor(one_hot)).numpy(), hits.numpy()
    )


def test_accuracy_function():
    scores, labels = paddle.to_tensor(SCORES), paddle.to_tensor(LABELS)
    assert float(accuracy(scores, labels).numpy()) == 0.5
    assert float(accuracy(scores, labels, k=2).numpy()) == 0.75
    with pytest.raises(ValueError):
        accuracy(scores, labels.flatten())


def test_accuracy_counts_the_rows_that_are_fed():
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            scores = paddle.static.data('scores', [None, 3])
            labels = paddle.static.data('labels', [None, 1], 'int64')
            counts = [
                paddle.static.create_global_var([], 0, 'int32', persistable=True) for _ in range(2)
            ]
            accuracy(scores, labels, 1, *counts)
        feed = {'scores': SCORES, 'labels': LABELS}
        got = paddle.static.Executor().run(main, feed=feed, fetch_list=counts)
    finally:
        paddle.disable_static()
    assert [g.item() for g in got] == [2, 4]


def test_precision_and_recall():
    preds, labels = np.array([0.1, 0.6, 0.7, 0.8]), np.array([0, 1, 1, 0])
    precision, recall = Precision(), Recall()
    for metric in (precision, recall):
        assert metric.accumulate() == 0.0
        metric.update(preds, labels)
    assert precision.accumulate() == pytest.approx(2 / 3)
    assert recall.accumulate() == 1.0
    with pytest.raises(ValueError):
        precision.update('a', labels)


def test_auc_against_ranks():
    rng = np.random.RandomState(0)
    scores = rng.permutation(200) / 200.0
    labels = (rng.rand(200) < scores).astype('int64')
    metric = Auc()
    for part in (slice(0, 80), slice(80, 200)):
        metric.update(np.stack([1 - scores[part], scores[part]], 1), labels[part][:, None])
    positive, negative = scores[labels == 1], scores[labels == 0]
    assert metric.accumulate() == pytest.approx(
        (positive[:, None] > negative[None]).mean(), abs=1e-6
    )
    metric.reset()
    assert metric.accumulate() == 0.0


def test_base_is_abstract():
    with pytest.raises(TypeError):
        Metric()
