# SPDX-License-Identifier: Apache-2.0
"""When rows of a sparse table are admitted, which `static.nn.sparse_embedding` is told.

A row has points, 0 at first; a lookup adds some.
"""

import paddle

__all__ = ['CountFilterEntry', 'ProbabilityEntry']


class EntryAttr:
    """What rules of entry have in common: their text."""

    def __init__(self):
        self._name = None

    def _to_attr(self):
        raise NotImplementedError(
            f'[EntryAttr] expected a subclass to define _to_attr, got {type(self).__name__}'
        )


class ProbabilityEntry(EntryAttr):
    """A row of `static.nn.sparse_embedding` is admitted by chance, at each lookup.

    Args:
        probability (float): Between 0 and 1, without both.

    Raises:
        ValueError: probability is no float, or not between 0 and 1.

    Examples:
        >>> paddle.enable_static()
        >>> ids = paddle.static.data("ids", [None], "int64")
        >>> rows = paddle.static.nn.sparse_embedding(
        ...     ids, [10, 2], entry=paddle.distributed.ProbabilityEntry(0.25))
        >>> rows.shape
        paddle.Size([-1, 2])
    """

    def __init__(self, probability):
        super().__init__()
        if not isinstance(probability, float) or not 0 < probability < 1:
            raise ValueError(
                f'[ProbabilityEntry] expected probability to be a float in (0, 1), got '
                f'{probability!r}'
            )
        self._name, self._probability = 'probability_entry', probability

    def _points(self, ids):
        return paddle.bernoulli(paddle.full_like(ids, self._probability, 'float32')).astype('int64')

    def _admitted(self, points):
        return points > 0

    def _to_attr(self):
        return f'{self._name}:{self._probability}'


class CountFilterEntry(EntryAttr):
    """A row of `static.nn.sparse_embedding` is admitted when it has been looked up often enough.

    Args:
        count_filter (int): At which lookup it is, at least 0.

    Raises:
        ValueError: count_filter is no int, or negative.

    Examples:
        >>> paddle.enable_static()
        >>> ids = paddle.static.data("ids", [None], "int64")
        >>> rows = paddle.static.nn.sparse_embedding(
        ...     ids, [10, 2], entry=paddle.distributed.CountFilterEntry(5))
        >>> rows.shape
        paddle.Size([-1, 2])
    """

    def __init__(self, count_filter):
        super().__init__()
        if not isinstance(count_filter, int) or count_filter < 0:
            raise ValueError(
                f'[CountFilterEntry] expected count_filter to be an int of at least 0, got '
                f'{count_filter!r}'
            )
        self._name, self._count_filter = 'count_filter_entry', count_filter

    def _points(self, ids):
        return paddle.ones_like(ids, 'int64')

    def _admitted(self, points):
        return points >= self._count_filter

    def _to_attr(self):
        return f'{self._name}:{self._count_filter}'
