# SPDX-License-Identifier: Apache-2.0
"""Tokens brought into the order of the experts they are sent to, and back."""

import paddle
from paddle.base.arguments import items
from paddle.base.libpaddle import expect_tensors

__all__ = ['moe_permute', 'moe_unpermute']


def _routes(op, route, num_experts):
    if route.ndim != 2:
        raise ValueError(
            f"[{op}] expected expert_routemap_topk [tokens, k], got shape {list(route.shape)}"
        )
    if num_experts < 1:
        raise ValueError(f"[{op}] expected num_experts above 0, got {num_experts}")


def _token_counts(op, given, num_experts):
    counts = items(op, 'tokens_per_expert', given)
    if len(counts) != num_experts:
        raise ValueError(
            f"[{op}] expected tokens_per_expert of {num_experts} numbers, got {len(counts)}"
        )
    return counts


def moe_permute(
    hidden_states,
    scale,
    expert_routemap_topk,
    expert_prob_topk,
    num_experts,
    tokens_per_expert,
    padding_alignment,
    do_gather=True,
    using_ue8m0_scale=False,
    return_expert_indices=False,
    override_buffer_size=-1,
    name=None,
):
    """Tokens in the order of the experts that they are sent to, each expert's padded with zeros.

    Args:
        hidden_states (Tensor): Tokens, of shape [tokens, width].
        scale (Tensor or None): Scales of tokens of float8_e4m3fn; None of another dtype.
        expert_routemap_topk (Tensor): The experts of each token, int32 of shape [tokens, k]; -1 for
            none.
        expert_prob_topk (Tensor): Their probabilities, of shape [tokens, k].
        num_experts (int): How many experts there are.
        tokens_per_expert (list of ints): How many tokens each has.
        padding_alignment (int): Of what the rows of an expert are a multiple.
        do_gather (bool, default True): Whether rows are made; otherwise there are none.
        using_ue8m0_scale (bool, default False): Taken for compatibility: scales are moved as they
            are.
        return_expert_indices (bool, default False): Whether the expert of each row is returned too.
        override_buffer_size (int, default -1): How many rows there are; -1 for what the experts
            need.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the rows, the row of each token for each expert ([tokens, experts], -1 for
            none), the probability of each row, its scale, and with return_expert_indices its expert
            (-1 for padding).

    Raises:
        ValueError: Arguments that do not fit each other.

    Examples:
        >>> x = paddle.to_tensor([[1.0], [2.0], [3.0]])
        >>> experts = paddle.to_tensor([[1], [0], [1]], "int32")
        >>> rows, row_of, prob, _ = paddle.nn.functional.moe_permute(
        ...     x, None, experts, paddle.ones([3, 1]), 2, [1, 2], padding_alignment=2)
        >>> rows.tolist(), row_of.tolist(), prob.tolist()
        ([[2.0], [0.0], [1.0], [3.0]], [[-1, 2], [0, -1], [-1, 3]], [1.0, 0.0, 1.0, 1.0])
    """
    op = 'moe_permute'
    expect_tensors(
        op,
        hidden_states=hidden_states,
        expert_routemap_topk=expert_routemap_topk,
        expert_prob_topk=expert_prob_topk,
    )
    route = expert_routemap_topk.astype('int64')
    _routes(op, route, num_experts)
    counts = _token_counts(op, tokens_per_expert, num_experts)
    if padding_alignment < 1:
        raise ValueError(f"[{op}] expected padding_alignment above 0, got {padding_alignment}")
    eight = str(hidden_states.dtype).endswith('float8_e4m3fn')
    if eight and scale is None:
        raise ValueError(f"[{op}] expected scale for tokens of {hidden_states.dtype}, got none")
    tokens = route.shape[0]
    spans = [-(-n // padding_alignment) * padding_alignment for n in counts]
    first = paddle.to_tensor([sum(spans[:i]) for i in range(num_experts)], 'int64')
    total = sum(spans) if override_buffer_size < 0 else override_buffer_size
    # sent[s, e] is 1 + the column of route in which token s names expert e, or 0.
    experts = paddle.arange(num_experts, dtype='int64')
    named = (route.unsqueeze(-1) == experts).astype('int64')
    columns = paddle.arange(1, route.shape[1] + 1, dtype='int64').unsqueeze(-1)
    sent = (named * columns).max(1)
    chosen = sent > 0
    found = chosen.astype('int64').sum(0)
    if found.tolist() != counts:
        raise ValueError(
            f"[{op}] expected tokens_per_expert {found.tolist()}, as expert_routemap_topk has "
            f"them, got {counts}"
        )
    if total < sum(spans):
        raise ValueError(
            f"[{op}] expected override_buffer_size of at least {sum(spans)}, got {total}"
        )
    place = first + paddle.cumsum(chosen.astype('int64'), 0) - 1
    rowmap = paddle.where(chosen, place, paddle.full_like(place, -1))
    at = paddle.where(chosen, place, paddle.full_like(place, total)).reshape([-1])

    def spread(values, empty):
        """values [S, experts] at their rows, `empty` where there is none."""
        made = paddle.full([total + 1], empty, values.dtype)
        return paddle.scatter(made, at, values.reshape([-1]))[:total]

    number = paddle.arange(tokens, dtype='int64').unsqueeze(-1).expand([tokens, num_experts])
    source = spread(number, tokens)

    def rows(x):
        """Row source[i] of x at i, zeros for padding."""
        empty = paddle.zeros([1, x.shape[1]], x.dtype)
        return paddle.gather(paddle.concat([x, empty]), source)

    prob = paddle.take_along_axis(
        expert_prob_topk, (sent - 1).clip(min=0), 1, broadcast=False
    ).astype('float32')
    results = [
        rows(hidden_states) if do_gather else hidden_states[:0],
        rowmap.astype('int32'),
        spread(prob, 0.0),
        rows(scale) if eight else paddle.empty([0], 'float32'),
    ]
    if return_expert_indices:
        own = experts.expand([tokens, num_experts])
        results.append(spread(own, -1).astype('int32'))
    return tuple(results)


def moe_unpermute(
    hidden_states_unzipped,
    zipped_expertwise_rowmap,
    expert_routemap_topk,
    token_prob_unzipped,
    total_zipped_tokens,
    num_experts,
    using_mix_precision=True,
    using_weighted_combine=False,
    name=None,
):
    """The other way round of `moe_permute`: for each token the sum of its rows.

    Args:
        hidden_states_unzipped (Tensor): Rows, of shape [rows, width].
        zipped_expertwise_rowmap (Tensor): The row of each token for each expert, of shape [tokens,
            experts]; -1 for none.
        expert_routemap_topk (Tensor): The experts of each token, of shape [tokens, k]; -1 for none.
        token_prob_unzipped (Tensor): The probability of each row.
        total_zipped_tokens (int): How many tokens there are.
        num_experts (int): How many experts there are.
        using_mix_precision (bool, default True): Whether sums are in float32, not in the dtype of
            the rows.
        using_weighted_combine (bool, default False): Whether rows are multiplied with their
            probabilities.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the sums [tokens, width], and the probabilities [tokens, k], 0 where there
            is no expert.

    Raises:
        ValueError: Arguments that do not fit each other.

    Examples:
        >>> F = paddle.nn.functional
        >>> x = paddle.to_tensor([[1.0], [2.0]])
        >>> experts, prob = paddle.to_tensor([[1, 0], [0, -1]], "int32"), paddle.ones([2, 2]) * 0.5
        >>> rows, row_of, row_prob, _ = F.moe_permute(x, None, experts, prob, 2, [2, 1], 1)
        >>> back, probabilities = F.moe_unpermute(rows, row_of, experts, row_prob, 2, 2)
        >>> back.tolist(), probabilities.tolist()
        ([[2.0], [2.0]], [[0.5, 0.5], [0.5, 0.0]])
    """
    op = 'moe_unpermute'
    rows, rowmap, route = hidden_states_unzipped, zipped_expertwise_rowmap, expert_routemap_topk
    expect_tensors(
        op,
        hidden_states_unzipped=rows,
        zipped_expertwise_rowmap=rowmap,
        expert_routemap_topk=route,
        token_prob_unzipped=token_prob_unzipped,
    )
    _routes(op, route, num_experts)
    if list(rowmap.shape) != [total_zipped_tokens, num_experts]:
        raise ValueError(
            f"[{op}] expected zipped_expertwise_rowmap of shape "
            f"{[total_zipped_tokens, num_experts]}, got {list(rowmap.shape)}"
        )
    rowmap, route = rowmap.astype('int64'), route.astype('int64')
    dtype = rows.dtype
    wide = rows.astype('float32') if using_mix_precision else rows
    prob = token_prob_unzipped.reshape([-1])
    if using_weighted_combine:
        wide = wide * prob.astype(wide.dtype).unsqueeze(-1)
    wide = paddle.concat([wide, paddle.zeros([1, wide.shape[1]], wide.dtype)])
    nothing = paddle.full_like(rowmap, rows.shape[0])
    at = paddle.where(rowmap < 0, nothing, rowmap)
    out = paddle.zeros([total_zipped_tokens, wide.shape[1]], wide.dtype)
    for expert in range(num_experts):
        out = out + paddle.gather(wide, at[:, expert])
    prob = paddle.concat([prob, paddle.zeros([1], prob.dtype)])
    place = paddle.take_along_axis(at, route.clip(min=0), 1, broadcast=False)
    place = paddle.where(route < 0, paddle.full_like(place, rows.shape[0]), place)
    back = paddle.gather(prob, place.reshape([-1])).reshape(route.shape)
    return out.astype(dtype), back
