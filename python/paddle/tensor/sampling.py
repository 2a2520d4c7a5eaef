# SPDX-License-Identifier: Apache-2.0
"""Sampling of what to say next from probabilities."""

import paddle
from paddle.base.libpaddle import expect_tensors

__all__ = ['top_p_sampling']

_OP = 'top_p_sampling'


def _column(name, given, rows, dtype):
    if given.size != rows:
        raise ValueError(
            f"[{_OP}] expected {name} of {rows} elements, one for each row of x, got shape "
            f"{list(given.shape)}"
        )
    return given.reshape([rows, 1]).astype(dtype)


def top_p_sampling(
    x,
    ps,
    threshold=None,
    topp_seed=None,
    seed=-1,
    k=0,
    mode='truncated',
    return_top=False,
    name=None,
):
    """One place of each row of probabilities, drawn from the fewest largest that sum to `ps`:
    (their probabilities [rows, 1], their places [rows, 1][, the k largest probabilities, their
    places]).

    Args:
        x (Tensor): Probabilities, one distribution a row.
        ps (Tensor): The sum that the places to draw from reach, for each row.
        threshold (Tensor, optional): Places with less are not drawn, but the largest.
        topp_seed (Tensor, optional): A seed for each row.
        seed (int): A seed for all rows; below 0 the generator's numbers are used.
        k (int): How many of the largest `return_top` gives; 0 means 1.
        mode (str): 'truncated': the last place counts with what is missing to `ps`;
            'non-truncated': with all its probability.
        return_top (bool): Whether to give the largest as well.
    """
    expect_tensors(_OP, x=x, ps=ps)
    if x.ndim != 2 or x.shape[1] == 0:
        raise ValueError(f"[{_OP}] expected x [rows, places], got shape {list(x.shape)}")
    if mode not in ('truncated', 'truncate', 'non-truncated', 'non-truncate'):
        raise ValueError(f"[{_OP}] expected mode 'truncated' or 'non-truncated', got {mode!r}")
    rows = x.shape[0]
    order = paddle.argsort(x, axis=1, descending=True, stable=True)
    ordered = paddle.take_along_axis(x, order, 1)
    sums = paddle.cumsum(ordered.astype('float32'), 1)
    wanted = _column('ps', ps, rows, 'float32')
    # Places before the last of those to draw from.
    last = (sums < wanted).astype('int64').sum(1, keepdim=True).clip(max=x.shape[1] - 1)
    if threshold is not None:
        likely = (ordered >= _column('threshold', threshold, rows, x.dtype)).astype('int64')
        last = paddle.minimum(last, (likely.sum(1, keepdim=True) - 1).clip(min=0))
    reach = paddle.take_along_axis(sums, last, 1)
    if mode.startswith('truncate'):
        reach = paddle.minimum(reach, wanted)
    if topp_seed is not None:
        seeds = _column('topp_seed', topp_seed, rows, 'int64').reshape([-1]).tolist()
        draw = paddle.concat([_uniform(1, s) for s in seeds]) if seeds else _uniform(0, 0)
    else:
        draw = _uniform(rows, seed)
    at = (sums <= draw * reach).astype('int64').sum(1, keepdim=True)
    at = paddle.minimum(at, last)
    results = paddle.take_along_axis(ordered, at, 1), paddle.take_along_axis(order, at, 1)
    return (*results, *paddle.topk(x, k or 1, axis=1)) if return_top else results


def _uniform(rows, seed):
    """[rows, 1] numbers of [0, 1): the generator's, or those of a seed of 0 and more."""
    if seed < 0:
        return paddle.rand([rows, 1])
    # 0 means the generator to the op.
    return paddle.uniform([rows, 1], min=0.0, max=1.0, seed=int(seed) % (2**31 - 1) + 1)
