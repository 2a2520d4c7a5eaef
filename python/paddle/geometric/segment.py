# SPDX-License-Identifier: Apache-2.0
"""Reductions over rows that share a segment number."""

import numpy as np

import paddle
from paddle.base.framework import is_recorded
from paddle.base.libpaddle import expect_tensors

__all__ = ['segment_sum', 'segment_mean', 'segment_min', 'segment_max', 'reduce_rows']


def _extreme(data, ids, count, largest):
    """Row-wise max or min by gathering, for each segment and column, the row that holds it; 0 for
    an empty segment.
    """
    flat = data.reshape([data.shape[0], -1])
    values = (flat.astype('float32') if data.dtype == paddle.bfloat16 else flat).numpy()
    best = np.full([count, values.shape[1]], -1, 'int64')
    top = np.zeros([count, values.shape[1]], values.dtype)
    for row, segment in enumerate(ids):
        better = values[row] > top[segment] if largest else values[row] < top[segment]
        better |= best[segment] < 0
        top[segment] = np.where(better, values[row], top[segment])
        best[segment] = np.where(better, row, best[segment])
    found = best >= 0
    columns = np.arange(values.shape[1])
    at = np.where(found, best, 0) * values.shape[1] + columns
    if flat.shape[0] == 0:
        return paddle.zeros([count] + list(data.shape[1:]), dtype=data.dtype)
    picked = paddle.gather(flat.reshape([-1]), paddle.to_tensor(at.reshape(-1)), axis=0)
    picked = picked.reshape([count] + list(data.shape[1:]))
    mask = paddle.to_tensor(found.reshape([count] + list(data.shape[1:])))
    return paddle.where(mask, picked, paddle.zeros_like(picked))


def reduce_rows(data, ids, count, how):
    """Reduce the rows of `data` that share a number in the array `ids` to `count` rows: sum, mean,
    min or max. For sum and mean `ids` may be a tensor of a program.
    """
    if how not in ('sum', 'mean', 'min', 'max'):
        raise ValueError(
            f"[geometric] expected reduce_op 'sum', 'mean', 'min' or 'max', got {how!r}"
        )
    recorded = is_recorded(ids)
    if not recorded and ids.size and (ids.min() < 0 or ids.max() >= count):
        raise ValueError(
            f"[segment_{how}] expected segment numbers from 0 to {count - 1}, got {ids.min()} to "
            f"{ids.max()}"
        )
    if how in ('min', 'max'):
        return _extreme(data, ids, count, how == 'max')
    shape = [count] + list(data.shape[1:])
    total = paddle.zeros(shape, dtype=data.dtype)
    at = ids.astype('int64').reshape([-1]) if recorded else paddle.to_tensor(ids.astype('int64'))
    if recorded or ids.size:
        total = paddle.index_add(total, at, 0, data)
    if how == 'mean':
        each = paddle.index_add(paddle.zeros([count]), at, 0, paddle.ones(at.shape))
        counts = paddle.clip(each, min=1.0).reshape([-1] + [1] * (data.ndim - 1))
        total = total / counts.astype(data.dtype)
    return total


def _segments(data, segment_ids, how):
    expect_tensors(f'segment_{how}', data=data, segment_ids=segment_ids)
    ids = segment_ids.numpy().reshape(-1)
    if ids.size != data.shape[0]:
        raise ValueError(
            f"[segment_{how}] expected a segment number for each of {data.shape[0]} rows, got "
            f"{ids.size}"
        )
    return reduce_rows(data, ids, int(ids[-1]) + 1 if ids.size else 0, how)


def segment_sum(data, segment_ids, name=None):
    """Sum the rows of each segment; `segment_ids` rise."""
    return _segments(data, segment_ids, 'sum')


def segment_mean(data, segment_ids, name=None):
    """Average the rows of each segment."""
    return _segments(data, segment_ids, 'mean')


def segment_min(data, segment_ids, name=None):
    """The least of each segment, 0 for an empty one."""
    return _segments(data, segment_ids, 'min')


def segment_max(data, segment_ids, name=None):
    """The largest of each segment, 0 for an empty one."""
    return _segments(data, segment_ids, 'max')
