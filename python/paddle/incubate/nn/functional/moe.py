# SPDX-License-Identifier: Apache-2.0
"""Mixtures of experts, and gradients that their training calls by name."""

import paddle
from paddle import _C_ops
from paddle.base.arguments import items
from paddle.base.libpaddle import expect_tensors
from paddle.nn import functional as F

from .fp8 import fp8_quant_blockwise

__all__ = [
    'build_src_rank_and_local_expert_id',
    'cal_aux_loss',
    'cross_entropy_with_softmax_bwd_w_downcast',
    'embedding_grad_add_to_',
    'expand_modality_expert_id',
    'fused_swiglu_weighted_bwd',
    'int_bincount',
    'moe_combine',
    'moe_gate_dispatch',
    'moe_gate_dispatch_and_quant',
    'moe_gate_dispatch_partial_nosoftmaxtopk',
    'moe_gate_dispatch_permute',
]


def moe_combine(x, combine_weights, scatter_index, name=None):
    """The rows of x that scatter_index [k, S] names for each of S tokens, summed with
    combine_weights [S, k]: [S, D].
    """
    expect_tensors('moe_combine', x=x, combine_weights=combine_weights, scatter_index=scatter_index)
    if (
        scatter_index.ndim != 2
        or combine_weights.ndim != 2
        or list(scatter_index.shape) != list(combine_weights.shape)[::-1]
    ):
        raise ValueError(
            f"[moe_combine] expected combine_weights [S, k] and scatter_index [k, S], got shapes "
            f"{list(combine_weights.shape)} and {list(scatter_index.shape)}"
        )
    index = scatter_index.transpose([1, 0])
    rows = paddle.gather(x, index.reshape([-1])).reshape([*index.shape, x.shape[-1]])
    return (rows * combine_weights.unsqueeze(-1)).sum(1).astype(x.dtype)


def cross_entropy_with_softmax_bwd_w_downcast(label, softmax, loss_grad, name=None):
    """The gradient of cross entropy by its logits as bfloat16, from the probabilities [..., C] and
    labels [..., 1].
    """
    expect_tensors(
        'cross_entropy_with_softmax_bwd_w_downcast',
        label=label,
        softmax=softmax,
        loss_grad=loss_grad,
    )
    own = paddle.arange(softmax.shape[-1], dtype='int64') == label.astype('int64')
    return ((softmax - own.astype(softmax.dtype)) * loss_grad).astype('bfloat16')


def embedding_grad_add_to_(token_indices, main_grad_, out_grad, name=None):
    """Add the gradient of an embedding's results to the rows of main_grad_, in place."""
    expect_tensors(
        'embedding_grad_add_to_',
        token_indices=token_indices,
        main_grad_=main_grad_,
        out_grad=out_grad,
    )
    rows = out_grad.reshape([-1, out_grad.shape[-1]]).astype(main_grad_.dtype)
    with paddle.no_grad():
        return paddle.index_add_(main_grad_, token_indices.reshape([-1]), 0, rows)


def fused_swiglu_weighted_bwd(o1, do2_s, unzipped_probs, name=None):
    """Gradients of swiglu(o1) * unzipped_probs: (by o1, by the probabilities, the product itself).

    o1 [..., 2 D]: gates, then what they gate; do2_s [..., D]; probabilities [..., 1] or [...].
    """
    expect_tensors('fused_swiglu_weighted_bwd', o1=o1, do2_s=do2_s, unzipped_probs=unzipped_probs)
    gate, value = _C_ops.split_with_num(o1.astype('float32'), 2, o1.ndim - 1)
    probs = unzipped_probs.astype('float32').reshape([*o1.shape[:-1], 1])
    grad = do2_s.astype('float32')
    sigmoid = F.sigmoid(gate)
    plain = gate * sigmoid * value
    by_gate = grad * probs * value * sigmoid * (1 + gate * (1 - sigmoid))
    by_value = grad * probs * gate * sigmoid
    return (
        paddle.concat([by_gate, by_value], -1).astype(o1.dtype),
        (grad * plain).sum(-1).reshape(unzipped_probs.shape),
        (plain * probs).astype(o1.dtype),
    )


def _experts_ranks(expert_id, num_experts):
    """(place in the order of experts, place within its expert, experts' ends in that order) of the
    elements of expert_id, int64 [entries], those of one expert in the order they have there.
    """
    order = paddle.argsort(expert_id, stable=True)
    ordered = paddle.gather(expert_id, order)
    experts = paddle.arange(num_experts, dtype='int64')
    ends = paddle.searchsorted(ordered, experts, right=True)
    place = paddle.argsort(order)
    begins = paddle.concat([paddle.zeros([1], 'int64'), ends])
    return place, place - paddle.gather(begins, expert_id), ends


def _rows_at(x, count, at, wanted, row):
    """[count, D]: row `row[j]` of x at the place at[j] for each j that is wanted, zeros elsewhere;
    with row's numbers, -1 where there is none."""
    slots = paddle.full([count + 1], x.shape[0], 'int64')
    slots = paddle.scatter(slots, paddle.where(wanted, at, paddle.full_like(at, count)), row)
    source = slots[:count]
    padded = paddle.concat([x, paddle.zeros([1, x.shape[1]], x.dtype)])
    return paddle.gather(padded, source), source


def _gate(op, x, gate_logits, corr_bias, k):
    """(weights, experts) [S, k] of the k experts of each token with the largest gate, bias
    included; the weights are without it."""
    if x.ndim != 2 or gate_logits.ndim != 2 or x.shape[0] != gate_logits.shape[0]:
        raise ValueError(
            f"[{op}] expected x [S, D] and gate_logits [S, experts], got shapes {list(x.shape)} "
            f"and {list(gate_logits.shape)}"
        )
    if not 0 < k <= gate_logits.shape[1]:
        raise ValueError(f"[{op}] expected k from 1 to {gate_logits.shape[1]}, got {k}")
    scores = gate_logits if corr_bias is None else gate_logits + corr_bias
    expert = paddle.topk(scores.detach(), k, axis=1)[1]
    return paddle.take_along_axis(gate_logits, expert, 1), expert


def moe_gate_dispatch(x, gate_logits, corr_bias, k, capacity, use_pad, name=None):
    """Tokens x [S, D] in the order of the k experts that each is sent to: (rows, weights [S, k],
    place of each token's rows [k, S], ends of experts in their order, experts [S, k]).

    Gates are used as they are; corr_bias counts in choosing, not in weights. An expert takes its
    first `capacity` tokens, first choices before second ones; the weight and place of the others
    is 0. With `use_pad` each expert has `capacity` rows, else there are S k.
    """
    expect_tensors('moe_gate_dispatch', x=x, gate_logits=gate_logits)
    weights, expert = _gate('moe_gate_dispatch', x, gate_logits, corr_bias, k)
    tokens, experts = gate_logits.shape
    flat = expert.transpose([1, 0]).reshape([-1])
    place, rank, ends = _experts_ranks(flat, experts)
    wanted = rank < capacity
    at = flat * capacity + rank if use_pad else place
    at = paddle.where(wanted, at, paddle.zeros_like(at))
    rows, _ = _rows_at(
        x,
        experts * capacity if use_pad else tokens * k,
        at,
        wanted,
        paddle.arange(tokens * k, dtype='int64') % tokens,
    )
    weights = weights * wanted.reshape([k, tokens]).transpose([1, 0]).astype(weights.dtype)
    return rows, weights, at.reshape([k, tokens]).astype('int32'), ends, expert.astype('int32')


def moe_gate_dispatch_permute(x, gate_logits, corr_bias, k, capacity, world_size, name=None):
    """`moe_gate_dispatch` with padding, its rows as [experts of a rank, ranks times capacity, D]:
    first those of each rank's first expert."""
    expect_tensors('moe_gate_dispatch_permute', x=x, gate_logits=gate_logits)
    experts = gate_logits.shape[-1]
    if world_size <= 0 or experts % world_size:
        raise ValueError(
            f"[moe_gate_dispatch_permute] expected a world_size that divides the {experts} "
            f"experts, got {world_size}"
        )
    rows, *others = moe_gate_dispatch(x, gate_logits, corr_bias, k, capacity, True)
    local = experts // world_size
    rows = rows.reshape([world_size, local, capacity, x.shape[1]]).transpose([1, 0, 2, 3])
    return (rows.reshape([local, world_size * capacity, x.shape[1]]), *others)


def moe_gate_dispatch_and_quant(x, gate_logits, corr_bias, k, capacity, use_pad, use_pow2_scale):
    """`moe_gate_dispatch` with its rows as (numbers of float8_e4m3fn, scales of each 128
    columns)."""
    rows, *others = moe_gate_dispatch(x, gate_logits, corr_bias, k, capacity, use_pad)
    out, scale = fp8_quant_blockwise(
        rows, output_scale_transpose=False, using_pow2_scale=use_pow2_scale
    )
    return (out, scale, *others)


def moe_gate_dispatch_partial_nosoftmaxtopk(
    x,
    combine_weights,
    expert_id,
    k,
    capacity,
    num_experts,
    use_pad,
    expert_start_index,
    expert_end_index,
    reverse_token_drop,
    name=None,
):
    """Tokens x [S, D] for the experts from expert_start_index up to expert_end_index, by given
    weights and experts [S, k]: (rows, weights, place of each token's rows [k, S], token of each
    row, how many tokens chose each of all experts, how many each expert here takes).

    An expert takes its first `capacity` tokens, or its last (`reverse_token_drop`); weight and
    place of others is 0. With `use_pad` each expert has `capacity` rows (token -1: padding).
    """
    op = 'moe_gate_dispatch_partial_nosoftmaxtopk'
    expect_tensors(op, x=x, combine_weights=combine_weights, expert_id=expert_id)
    if list(combine_weights.shape) != list(expert_id.shape) or list(expert_id.shape) != [
        x.shape[0],
        k,
    ]:
        raise ValueError(
            f"[{op}] expected combine_weights and expert_id of shape {[x.shape[0], k]}, got "
            f"{list(combine_weights.shape)} and {list(expert_id.shape)}"
        )
    if not 0 <= expert_start_index <= expert_end_index <= num_experts:
        raise ValueError(
            f"[{op}] expected 0 <= expert_start_index <= expert_end_index <= {num_experts}, got "
            f"{expert_start_index} and {expert_end_index}"
        )
    flat = expert_id.reshape([-1]).astype('int64')
    _, rank, ends = _experts_ranks(flat, num_experts)
    counts = paddle.diff(ends, prepend=paddle.zeros([1], 'int64'))
    if reverse_token_drop:
        rank = rank - paddle.gather((counts - capacity).clip(min=0), flat)
    taken = counts.clip(max=capacity)[expert_start_index:expert_end_index]
    here = paddle.logical_and(flat >= expert_start_index, flat < expert_end_index)
    wanted = here.logical_and(rank >= 0).logical_and(rank < capacity)
    local = paddle.where(here, flat - expert_start_index, paddle.zeros_like(flat))
    if use_pad:
        count, first = (expert_end_index - expert_start_index) * capacity, local * capacity
    else:
        count = int(taken.sum())
        begins = paddle.concat([paddle.zeros([1], 'int64'), paddle.cumsum(taken)])
        first = paddle.gather(begins, local)
    at = paddle.where(wanted, first + rank, paddle.zeros_like(rank))
    tokens = x.shape[0]
    rows, source = _rows_at(x, count, at, wanted, paddle.arange(tokens * k, dtype='int64') // k)
    return (
        rows,
        combine_weights * wanted.reshape([tokens, k]).astype(combine_weights.dtype),
        at.reshape([tokens, k]).transpose([1, 0]).contiguous().astype('int32'),
        paddle.where(source == tokens, paddle.full_like(source, -1), source).astype('int32'),
        counts,
        taken,
    )


def build_src_rank_and_local_expert_id(
    expert_num_global_tensor, expert_num_global, num_local_experts, name=None
):
    """(rank, number of the expert on its rank) for each token, from how many tokens each of all
    experts has; int32."""
    op = 'build_src_rank_and_local_expert_id'
    expect_tensors(op, expert_num_global_tensor=expert_num_global_tensor)
    counts = items(op, 'expert_num_global', expert_num_global)
    if num_local_experts <= 0:
        raise ValueError(f"[{op}] expected num_local_experts above 0, got {num_local_experts}")
    if expert_num_global_tensor.size != len(counts):
        raise ValueError(
            f"[{op}] expected expert_num_global of {expert_num_global_tensor.size} counts, got "
            f"{len(counts)}"
        )
    expert = paddle.repeat_interleave(
        paddle.arange(len(counts), dtype='int32'), paddle.to_tensor(counts, 'int32')
    )
    return expert // num_local_experts, expert % num_local_experts


def cal_aux_loss(
    gate_prob,
    dispatch_mask,
    tokens_mask,
    dispatch_tokens_mask,
    num_experts,
    use_group,
    moe_k,
    clip_min,
    name=None,
):
    """The loss that balances experts: (experts times the sum of mean gate by share of tokens,
    number of tokens, shares).

    dispatch_mask [S, experts] or [experts] counts the tokens sent; masks tell which tokens count.
    With `use_group` the loss is divided by moe_k. Where dispatch_tokens_mask is of more tokens than
    gate_prob, the value is that of the tokens here, the gradient that of all.
    """
    expect_tensors('cal_aux_loss', gate_prob=gate_prob, dispatch_mask=dispatch_mask)
    dtype = gate_prob.dtype
    scale = None
    if tokens_mask is not None:
        tokens_mask = tokens_mask.astype(dtype)
    if dispatch_tokens_mask is not None:
        tokens = dispatch_tokens_mask.astype(dtype).sum()
        if tokens_mask is not None and gate_prob.shape[0] != dispatch_tokens_mask.shape[0]:
            scale = tokens / paddle.clip(tokens_mask.sum(), min=clip_min)
    elif tokens_mask is not None:
        tokens = tokens_mask.sum()
    else:
        tokens = paddle.full([], gate_prob.size / num_experts, dtype)
    tokens = paddle.clip(tokens, min=clip_min)
    sent = dispatch_mask.sum(0) if dispatch_mask.ndim == 2 else dispatch_mask
    shares = sent.astype(dtype).detach() / tokens
    loss = (gate_prob.sum(0) / tokens * shares).sum() * num_experts
    if use_group:
        loss = loss / moe_k
    if scale is not None:
        loss = loss + (scale - 1) * loss.detach()
    return loss, tokens, shares


def expand_modality_expert_id(
    expert_id, num_expert_per_modality, group_size, modality_offset, is_group_expert, name=None
):
    """Numbers [S, k] of a modality's experts among those of all modalities: each rank has
    num_expert_per_modality of two modalities, first those of offset 0.

    With `is_group_expert` column j counts from the j-th group of group_size. Without experts per
    modality that is all.
    """
    expect_tensors('expand_modality_expert_id', expert_id=expert_id)
    if is_group_expert:
        expert_id = expert_id + group_size * paddle.arange(
            expert_id.shape[-1], dtype=expert_id.dtype
        )
    if num_expert_per_modality <= 0:
        return paddle.assign(expert_id)
    rank, within = expert_id // num_expert_per_modality, expert_id % num_expert_per_modality
    return (2 * rank + modality_offset) * num_expert_per_modality + within


def int_bincount(x, low, high, dtype=None, name=None):
    """How often each integer from low up to high stands in x; others do not count."""
    expect_tensors('int_bincount', x=x)
    if high < low:
        raise ValueError(f"[int_bincount] expected low <= high, got {low} and {high}")
    counted = paddle.sort(x.reshape([-1]).astype('int64'))
    ends = paddle.searchsorted(counted, paddle.arange(low, high + 1, dtype='int64'))
    return paddle.diff(ends).astype(dtype or x.dtype)
