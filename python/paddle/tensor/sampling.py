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
    """One place of each row of probabilities, drawn from the fewest largest that sum to `ps`.

    Args:
        x (Tensor): Probabilities, of shape [rows, places].
        ps (Tensor): For each row the sum, of shape [rows] or [rows, 1].
        threshold (Tensor, default None): For each row the probability below which a place is not
            drawn, but for the largest; None for none.
        topp_seed (Tensor, default None): For each row a seed, int64; None for the generator.
        seed (int, default -1): A seed for all rows; -1 for the generator.
        k (int, default 0): How many of the largest probabilities return_top gives; 0 means 1.
        mode (str, default 'truncated'): `truncated`: the last place counts with what is missing to
            ps; `non-truncated`: with all of its probability.
        return_top (bool, default False): Whether the k largest probabilities and their places are
            returned too.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the probability and the place that were drawn, each of shape [rows, 1];
            with return_top also the k largest and their places.

    Source: Holtzman and others, The curious case of neural text degeneration,
        https://arxiv.org/abs/1904.09751.

    Examples:
        >>> x = paddle.to_tensor([[0.1, 0.7, 0.2], [0.05, 0.05, 0.9]])
        >>> value, place = paddle.Tensor.top_p_sampling(x, paddle.to_tensor([0.5, 0.5]))
        >>> value.tolist(), place.tolist()
        ([[0.699999988079071], [0.8999999761581421]], [[1], [2]])
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
