# SPDX-License-Identifier: Apache-2.0
"""Sampling of what to say next from probabilities."""

from paddle import _C_ops

__all__ = ['top_p_sampling']


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
    results = _C_ops.top_p_sampling(x, ps, threshold, topp_seed, seed, k, mode)
    return results if return_top else results[:2]
