# SPDX-License-Identifier: Apache-2.0
"""Accuracy, precision, recall and AUC."""

import abc

import numpy as np

import paddle
from paddle.base.arguments import items, keywords
from paddle.base.libpaddle import expect_tensors

__all__ = ['Metric', 'Accuracy', 'Precision', 'Recall', 'Auc', 'accuracy']


def _array(value, name):
    if isinstance(value, paddle.Tensor):
        return (value.astype('float32') if value.dtype == paddle.bfloat16 else value).numpy()
    if not isinstance(value, np.ndarray):
        raise ValueError(
            f"[metric] expected {name} to be an array or a tensor, got {type(value).__name__}"
        )
    return value


class Metric(metaclass=abc.ABCMeta):
    """Base of metrics: `compute` runs on tensors of a batch, `update` takes its result,
    `accumulate` gives the value.

    Examples:
        >>> class Count(paddle.metric.Metric):
        ...     total = 0
        ...     def reset(self):
        ...         self.total = 0
        ...     def update(self, x):
        ...         self.total += len(x)
        ...     def accumulate(self):
        ...         return self.total
        ...     def name(self):
        ...         return "count"
        >>> metric = Count()
        >>> metric.update([1, 2, 3])
        >>> metric.accumulate()
        3
    """

    @abc.abstractmethod
    def reset(self):
        """Forget everything."""

    @abc.abstractmethod
    def update(self, *args):
        """Take one batch."""

    @abc.abstractmethod
    def accumulate(self):
        """The value so far."""

    @abc.abstractmethod
    def name(self):
        """Name, or list of names."""

    def compute(self, *args):
        """What `update` receives; by default the arguments themselves."""
        return args


class Accuracy(Metric):
    """Share of samples whose label is among the k highest scores, for each k in `topk`.

    Args:
        topk (tuple of ints, default (1,)): The numbers of highest scores.
        name (str, default None): The name of the metric.
        *args (object): Taken for compatibility.
        **kwargs (object): Taken for compatibility.

    Examples:
        >>> metric = paddle.metric.Accuracy()
        >>> x = paddle.to_tensor([[0.1, 0.9], [0.8, 0.2]])
        >>> y = paddle.to_tensor([[1], [1]])
        >>> scores, label = x, y
        >>> _ = metric.update(metric.compute(scores, label))
        >>> metric.accumulate()
        0.5
    """

    def __init__(self, topk=(1,), name=None, *args, **kwargs):
        keywords('Accuracy', kwargs)
        super().__init__(*args)
        self.topk = topk = tuple(items('Accuracy', 'topk', topk))
        self.maxk = max(topk)
        base = name or 'acc'
        self._name = [f'{base}_top{k}' for k in topk] if self.maxk != 1 else [base]
        self.reset()

    def compute(self, pred, label, *args):
        """Scores [..., C] and labels (indices or one-hot) to a float [..., maxk] of hits."""
        order = paddle.argsort(pred, descending=True)[..., : self.maxk]
        if len(label.shape) == 1 or (len(label.shape) == 2 and label.shape[-1] == 1):
            label = paddle.reshape(label, [-1, 1])
        elif label.shape[-1] != 1:
            label = paddle.argmax(label, axis=-1, keepdim=True)
        return paddle.cast(order == paddle.cast(label, order.dtype), 'float32')

    def update(self, correct, *args):
        """Count the hits of `compute`; returns the accuracy of this batch."""
        correct = _array(correct, 'correct')
        count = int(np.prod(correct.shape[:-1]))
        batch = []
        for i, k in enumerate(self.topk):
            hits = correct[..., :k].sum()
            batch.append(float(hits) / count if count else 0.0)
            self.total[i] += hits
            self.count[i] += count
        return batch[0] if len(self.topk) == 1 else batch

    def reset(self):
        self.total = [0.0] * len(self.topk)
        self.count = [0] * len(self.topk)

    def accumulate(self):
        values = [float(t) / c if c > 0 else 0.0 for t, c in zip(self.total, self.count)]
        return values[0] if len(self.topk) == 1 else values

    def name(self):
        return self._name


class Precision(Metric):
    """True positives over predicted positives, for binary scores cut at 0.5.

    Args:
        name (str, default 'precision'): The name of the metric.
        *args (object): Taken for compatibility.
        **kwargs (object): Taken for compatibility.

    Examples:
        >>> metric = paddle.metric.Precision()
        >>> metric.update(paddle.to_tensor([0.9, 0.8, 0.2]), paddle.to_tensor([1, 0, 1]))
        >>> metric.accumulate()
        0.5
    """

    def __init__(self, name='precision', *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.tp = 0
        self.fp = 0
        self._name = name

    def update(self, preds, labels):
        preds = np.floor(_array(preds, 'preds') + 0.5).astype('int32').reshape(-1)
        labels = _array(labels, 'labels').reshape(-1)
        self.tp += int(((preds == 1) & (labels == 1)).sum())
        self.fp += int(((preds == 1) & (labels != 1)).sum())

    def reset(self):
        self.tp = 0
        self.fp = 0

    def accumulate(self):
        found = self.tp + self.fp
        return float(self.tp) / found if found != 0 else 0.0

    def name(self):
        return self._name


class Recall(Metric):
    """True positives over actual positives, for binary scores cut at 0.5.

    Args:
        name (str, default 'recall'): The name of the metric.
        *args (object): Taken for compatibility.
        **kwargs (object): Taken for compatibility.

    Examples:
        >>> metric = paddle.metric.Recall()
        >>> metric.update(paddle.to_tensor([0.9, 0.8, 0.2]), paddle.to_tensor([1, 0, 1]))
        >>> metric.accumulate()
        0.5
    """

    def __init__(self, name='recall', *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.tp = 0
        self.fn = 0
        self._name = name

    def update(self, preds, labels):
        preds = np.rint(_array(preds, 'preds')).astype('int32').reshape(-1)
        labels = _array(labels, 'labels').reshape(-1)
        self.tp += int(((labels == 1) & (preds == 1)).sum())
        self.fn += int(((labels == 1) & (preds != 1)).sum())

    def accumulate(self):
        present = self.tp + self.fn
        return float(self.tp) / present if present != 0 else 0.0

    def reset(self):
        self.tp = 0
        self.fn = 0

    def name(self):
        return self._name


class Auc(Metric):
    """Area under a curve, from scores counted in bins.

    Args:
        curve (str, default 'ROC'): `ROC`, or `PR` (precision over recall).
        num_thresholds (int, default 4095): How many bins, less one.
        name (str, default 'auc'): What `name()` gives.
        *args (object): Taken for compatibility; they have no effect.
        **kwargs (object): Taken for compatibility; they have no effect.

    Examples:
        >>> metric = paddle.metric.Auc()
        >>> scores = paddle.to_tensor([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]])
        >>> metric.update(scores, paddle.to_tensor([[0], [1], [1]]))
        >>> float(metric.accumulate())
        1.0
    """

    def __init__(self, curve='ROC', num_thresholds=4095, name='auc', *args, **kwargs):
        super().__init__(*args, **kwargs)
        if curve not in ('ROC', 'PR'):
            raise ValueError(f"[Auc] expected curve to be ROC or PR, got {curve!r}")
        self._curve = curve
        self._num_thresholds = num_thresholds
        self._name = name
        self.reset()

    def update(self, preds, labels):
        """`preds` [N, 2] with the positive score last, `labels` [N, 1]."""
        labels = _array(labels, 'labels').reshape(-1).astype(bool)
        scores = _array(preds, 'preds')[:, 1]
        bins = (scores * self._num_thresholds).astype('int64')
        if bins.size and (bins.min() < 0 or bins.max() > self._num_thresholds):
            raise ValueError(
                f"[Auc] expected scores in [0, 1], got {scores.min()} to {scores.max()}"
            )
        size = self._num_thresholds + 1
        self._stat_pos += np.bincount(bins[labels], minlength=size)
        self._stat_neg += np.bincount(bins[~labels], minlength=size)

    @staticmethod
    def trapezoid_area(x1, x2, y1, y2):
        """Area of one slice."""
        return abs(x1 - x2) * (y1 + y2) / 2.0

    def accumulate(self):
        pos = np.cumsum(self._stat_pos[::-1], dtype='float64')
        neg = np.cumsum(self._stat_neg[::-1], dtype='float64')
        if self._curve == 'PR':
            return self._area_of_precision(pos, neg)
        if pos[-1] <= 0 or neg[-1] <= 0:
            return 0.0
        width = np.diff(neg, prepend=0.0)
        height = (pos + np.concatenate([[0.0], pos[:-1]])) / 2.0
        return float((width * height).sum() / pos[-1] / neg[-1])

    @staticmethod
    def _area_of_precision(pos, neg):
        """From counts of both kinds at and above each score, descending; precision is 1 before the
        first.
        """
        if pos[-1] <= 0:
            return 0.0
        tiny = 1e-7
        precision = np.concatenate([[1.0], (pos + tiny) / (pos + neg + tiny)])
        return float(
            (np.diff(pos, prepend=0.0) * (precision[1:] + precision[:-1]) / 2).sum() / pos[-1]
        )

    def reset(self):
        self._stat_pos = np.zeros(self._num_thresholds + 1)
        self._stat_neg = np.zeros(self._num_thresholds + 1)

    def name(self):
        return self._name


def accuracy(input, label, k=1, correct=None, total=None, name=None):
    """Top-k accuracy of scores [N, C] against labels [N, 1], a float32 tensor of shape [].

    The number of hits is written to `correct` and the number of rows to `total`, where those are
    given.

    Args:
        input (Tensor): Scores, [N, C].
        label (Tensor): The classes, [N, 1].
        k (int, default 1): Among how many highest scores the class is sought.
        correct (Tensor, default None): Takes the number of right ones, where given.
        total (Tensor, default None): Takes the number of samples, where given.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: float32, 0-D.

    Examples:
        >>> scores = paddle.to_tensor([[0.1, 0.9], [0.8, 0.2]])
        >>> paddle.metric.accuracy(scores, paddle.to_tensor([[1], [1]])).item()
        0.5
    """
    expect_tensors('accuracy', label=label)
    if len(label.shape) != 2:
        raise ValueError(
            f"[accuracy] expected label of 2 dimensions, got a label of shape {list(label.shape)}"
        )
    if label.dtype not in (paddle.int32, paddle.int64):
        raise ValueError(f"[accuracy] expected label of dtype int32 or int64, got {label.dtype}")
    _, indices = paddle.topk(input, k=k)
    hits = (indices == label.astype(indices.dtype)).astype('float32').sum(1)
    for given, value in ((correct, hits.sum()), (total, paddle.ones_like(hits, 'int64').sum())):
        if given is not None:
            paddle.assign(value.astype(given.dtype), given)
    return hits.mean()
