# SPDX-License-Identifier: Apache-2.0
"""Reductions over rows that share a segment number."""

from paddle import _C_ops
from paddle.base.documentation import shares
from paddle.base.libpaddle import expect_tensors

__all__ = ['segment_sum', 'segment_mean', 'segment_min', 'segment_max']


def _segments(data, segment_ids, how):
    expect_tensors(f'segment_{how}', data=data, segment_ids=segment_ids)
    return _C_ops.segment_pool(data, segment_ids, how.upper())


def segment_sum(data, segment_ids, name=None):
    """Sum the rows of each segment; `segment_ids` rise.

    Args:
        data (Tensor): The rows.
        segment_ids (Tensor): The segment of each row, rising, int32 or int64.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a row for each segment, 0 for an empty one.

    Examples:
        >>> data = paddle.to_tensor([[1.0], [3.0], [2.0]])
        >>> paddle.geometric.segment_sum(data, paddle.to_tensor([0, 0, 2])).tolist()
        [[4.0], [0.0], [2.0]]
    """
    return _segments(data, segment_ids, 'sum')


@shares(segment_sum)
def segment_mean(data, segment_ids, name=None):
    """Average the rows of each segment.

    Args:
        {data, segment_ids, name}

    Returns:
        Tensor: a row for each segment, 0 for an empty one.

    Examples:
        >>> data = paddle.to_tensor([[1.0], [3.0], [2.0]])
        >>> paddle.geometric.segment_mean(data, paddle.to_tensor([0, 0, 1])).tolist()
        [[2.0], [2.0]]
    """
    return _segments(data, segment_ids, 'mean')


@shares(segment_sum)
def segment_min(data, segment_ids, name=None):
    """The least of each segment, 0 for an empty one.

    Args:
        {data, segment_ids, name}

    Returns:
        Tensor: a row for each segment.

    Examples:
        >>> data = paddle.to_tensor([[1.0], [3.0], [2.0]])
        >>> paddle.geometric.segment_min(data, paddle.to_tensor([0, 0, 1])).tolist()
        [[1.0], [2.0]]
    """
    return _segments(data, segment_ids, 'min')


@shares(segment_sum)
def segment_max(data, segment_ids, name=None):
    """The largest of each segment, 0 for an empty one.

    Args:
        {data, segment_ids, name}

    Returns:
        Tensor: a row for each segment.

    Examples:
        >>> data = paddle.to_tensor([[4.0], [6.0], [5.0]])
        >>> paddle.geometric.segment_max(data, paddle.to_tensor([0, 0, 1])).tolist()
        [[6.0], [5.0]]
    """
    return _segments(data, segment_ids, 'max')
