# SPDX-License-Identifier: Apache-2.0
"""Mixtures of experts, and gradients that their training calls by name."""

import paddle
from paddle import _C_ops
from paddle.base.arguments import items
from paddle.base.libpaddle import expect_tensors
from paddle.nn import functional as F
from paddle.tensor.manipulation import extents

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
    """For each token the sum of rows of its experts, weighted.

    Args:
        x (Tensor): Rows, of shape [rows, width].
        combine_weights (Tensor): The weight of each expert's row, of shape [tokens, k].
        scatter_index (Tensor): Which rows, of shape [k, tokens].
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [tokens, width].

    Raises:
        ValueError: Shapes that do not fit.

    Examples:
        >>> x = paddle.to_tensor([[1.0], [10.0], [100.0]])
        >>> weights = paddle.to_tensor([[0.5, 0.5], [1.0, 0.0]])
        >>> rows = paddle.to_tensor([[0, 2], [1, 0]])
        >>> paddle.incubate.nn.functional.moe_combine(x, weights, rows).tolist()
        [[5.5], [100.0]]
    """
    expect_tensors('moe_combine', x=x, combine_weights=combine_weights, scatter_index=scatter_index)
    if (
        scatter_index.ndim != 2
        or combine_weights.ndim != 2
        or any(
            a != b and min(a, b) >= 0
            for a, b in zip(scatter_index.shape, combine_weights.shape[::-1])
        )
    ):
        raise ValueError(
            f"[moe_combine] expected combine_weights [S, k] and scatter_index [k, S], got shapes "
            f"{list(combine_weights.shape)} and {list(scatter_index.shape)}"
        )
    index = scatter_index.transpose([1, 0])
    rows = paddle.gather(x, index.reshape([-1])).reshape([*extents(index), x.shape[-1]])
    return (rows * combine_weights.unsqueeze(-1)).sum(1).astype(x.dtype)


def cross_entropy_with_softmax_bwd_w_downcast(label, softmax, loss_grad, name=None):
    """The gradient of cross entropy with respect to its logits, as bfloat16.

    Args:
        label (Tensor): The class of each row, integers of shape [..., 1].
        softmax (Tensor): The probabilities, of shape [..., classes].
        loss_grad (Tensor): The gradient of the loss, of shape [..., 1].
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of the shape of softmax.

    Examples:
        >>> label, softmax = paddle.to_tensor([[0]]), paddle.to_tensor([[0.75, 0.25]])
        >>> F = paddle.incubate.nn.functional
        >>> grad = F.cross_entropy_with_softmax_bwd_w_downcast(label, softmax, paddle.ones([1, 1]))
        >>> grad.astype("float32").tolist(), grad.dtype
        ([[-0.25, 0.25]], paddle.bfloat16)
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
    """Add the gradient of an embedding's results to the gradient of its table. In place.

    Args:
        token_indices (Tensor): Which rows were read, integers.
        main_grad_ (Tensor): The gradient of the table, of shape [rows, width].
        out_grad (Tensor): The gradient of the results, of shape [..., width].
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: main_grad_ itself.

    Examples:
        >>> table = paddle.zeros([3, 1])
        >>> rows, grad = paddle.to_tensor([2, 0, 2]), paddle.to_tensor([[1.0], [2.0], [3.0]])
        >>> paddle.incubate.nn.functional.embedding_grad_add_to_(rows, table, grad).tolist()
        [[2.0], [0.0], [4.0]]
    """
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
    """The gradients of swiglu(o1) * unzipped_probs, and that product.

    Args:
        o1 (Tensor): Of shape [..., 2 * width]: gates, then what they gate.
        do2_s (Tensor): The gradient of the product, of shape [..., width].
        unzipped_probs (Tensor): The factor of each row, of shape [..., 1] or [...].
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the gradient of o1, that of unzipped_probs, and the product.

    Examples:
        >>> o1 = paddle.to_tensor([[0.0, 2.0]])
        >>> one, half = paddle.ones([1, 1]), paddle.to_tensor([[0.5]])
        >>> out = paddle.incubate.nn.functional.fused_swiglu_weighted_bwd(o1, one, half)
        >>> [part.tolist() for part in out]
        [[[0.5, 0.0]], [[0.0]], [[0.0]]]
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
    """Tokens in the order of the experts that each is sent to.

    Gates are used as they are. An expert takes its first tokens up to capacity, first choices
    before second ones; the weight and the place of the others are 0.

    Args:
        x (Tensor): Tokens, of shape [tokens, width].
        gate_logits (Tensor): The gate of each expert, of shape [tokens, experts].
        corr_bias (Tensor or None): What is added to gates in choosing, not in weights; None for
            nothing.
        k (int): To how many experts a token is sent.
        capacity (int): How many tokens an expert takes at most.
        use_pad (bool): Whether each expert has capacity rows; otherwise there are tokens * k rows.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the rows, the weights [tokens, k], the place of each token's rows [k,
            tokens], where each expert's rows end in their order, and the experts [tokens, k].

    Raises:
        ValueError: Shapes that do not fit, or k experts that there are not.

    Examples:
        >>> x = paddle.to_tensor([[1.0], [2.0], [3.0]])
        >>> gates = paddle.to_tensor([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]])
        >>> rows, weights, place, ends, expert = paddle.incubate.nn.functional.moe_gate_dispatch(
        ...     x, gates, None, 1, 3, False)
        >>> rows.tolist(), place.tolist(), ends.tolist(), expert.tolist()
        ([[2.0], [1.0], [3.0]], [[1, 0, 2]], [1, 3], [[1], [0], [1]])
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
    """`moe_gate_dispatch` with padding, its rows in the order of the experts of each rank.

    Args:
        x (Tensor): Tokens, of shape [tokens, width].
        gate_logits (Tensor): The gate of each expert, of shape [tokens, experts].
        corr_bias (Tensor or None): What is added to gates in choosing, not in weights; None for
            nothing.
        k (int): To how many experts a token is sent.
        capacity (int): How many tokens an expert takes at most.
        world_size (int): How many ranks share the experts equally.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the rows [experts of a rank, ranks * capacity, width], then as of
            `moe_gate_dispatch`.

    Raises:
        ValueError: world_size does not divide the experts, or shapes that do not fit.

    Examples:
        >>> x = paddle.to_tensor([[1.0], [2.0]])
        >>> gates = paddle.to_tensor([[0.1, 0.9], [0.8, 0.2]])
        >>> out = paddle.incubate.nn.functional.moe_gate_dispatch_permute(x, gates, None, 1, 1, 2)
        >>> out[0].tolist()
        [[[2.0], [1.0]]]
    """
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
    """`moe_gate_dispatch` with its rows as float8, with a scale for each 128 columns.

    Args:
        x (Tensor): Tokens, of shape [tokens, width].
        gate_logits (Tensor): The gate of each expert, of shape [tokens, experts].
        corr_bias (Tensor or None): What is added to gates in choosing, not in weights; None for
            nothing.
        k (int): To how many experts a token is sent.
        capacity (int): How many tokens an expert takes at most.
        use_pad (bool): Whether each expert has capacity rows; otherwise there are tokens * k rows.
        use_pow2_scale (bool): Whether scales are powers of two.

    Returns:
        tuple of Tensors: the rows, float8_e4m3fn, their scales, then as of `moe_gate_dispatch`.

    Raises:
        ValueError: Shapes that do not fit, or k experts that there are not.

    Examples:
        >>> x = paddle.to_tensor([[1.0], [2.0]])
        >>> gates = paddle.to_tensor([[0.1, 0.9], [0.8, 0.2]])
        >>> rows, scale, *others = paddle.incubate.nn.functional.moe_gate_dispatch_and_quant(
        ...     x, gates, None, 1, 2, False, True)
        >>> (rows.astype("float32") * scale).tolist()
        [[2.0], [1.0]]
    """
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
    """Tokens for some of the experts, by weights and experts that are given.

    An expert takes its first tokens up to capacity, or its last; the weight and the place of others
    are 0.

    Args:
        x (Tensor): Tokens, of shape [tokens, width].
        combine_weights (Tensor): Weights, of shape [tokens, k].
        expert_id (Tensor): Experts, of shape [tokens, k].
        k (int): To how many experts a token is sent.
        capacity (int): How many tokens an expert takes at most.
        num_experts (int): How many experts there are.
        use_pad (bool): Whether each expert has capacity rows.
        expert_start_index (int): The first expert here.
        expert_end_index (int): The end of those here.
        reverse_token_drop (bool): Whether an expert takes its last tokens.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the rows, the weights, the place of each token's rows [k, tokens], the
            token of each row (-1: padding), how many tokens chose each of all experts, and how many
            each expert here takes.

    Raises:
        ValueError: Shapes that do not fit, or experts that there are not.

    Examples:
        >>> x = paddle.to_tensor([[1.0], [2.0], [3.0]])
        >>> weights, experts = paddle.ones([3, 1]), paddle.to_tensor([[1], [0], [1]], "int32")
        >>> F = paddle.incubate.nn.functional
        >>> rows, _, place, token, chosen, taken = F.moe_gate_dispatch_partial_nosoftmaxtopk(
        ...     x, weights, experts, 1, 2, 2, False, 1, 2, False)
        >>> rows.tolist(), token.tolist(), chosen.tolist(), taken.tolist()
        ([[1.0], [3.0]], [0, 2], [1, 2], [2])
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
    """For each token its rank, and the number of its expert there.

    Args:
        expert_num_global_tensor (Tensor): How many tokens each of all experts has.
        expert_num_global (list of ints): The same numbers.
        num_local_experts (int): How many experts a rank has.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: both, int32 of shape [tokens].

    Raises:
        ValueError: The numbers are of other experts, or a rank has none.

    Examples:
        >>> counts = [2, 1, 0, 1]
        >>> rank, expert = paddle.incubate.nn.functional.build_src_rank_and_local_expert_id(
        ...     paddle.to_tensor(counts), counts, 2)
        >>> rank.tolist(), expert.tolist()
        ([0, 0, 0, 1], [0, 0, 1, 1])
    """
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
    """The loss that balances experts: experts * sum(mean gate * share of tokens).

    Args:
        gate_prob (Tensor): The gate of each expert, of shape [tokens, experts].
        dispatch_mask (Tensor): The tokens sent, of shape [tokens, experts] or [experts].
        tokens_mask (Tensor or None): Which tokens count; None for all.
        dispatch_tokens_mask (Tensor or None): Which of the tokens of all ranks count; None for
            those here.
        num_experts (int): How many experts there are.
        use_group (bool): Whether the loss is divided by moe_k.
        moe_k (int): To how many experts a token is sent.
        clip_min (float): The least number of tokens.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the loss, the number of tokens, and the shares of the experts.

    Source: Shazeer and others, Outrageously large neural networks,
        https://arxiv.org/abs/1701.06538.

    Examples:
        >>> gates = paddle.to_tensor([[0.5, 0.5], [0.25, 0.75]])
        >>> sent = paddle.to_tensor([[0, 1], [0, 1]])
        >>> loss, tokens, shares = paddle.incubate.nn.functional.cal_aux_loss(
        ...     gates, sent, None, None, 2, False, 1, 1e-6)
        >>> loss.item(), tokens.item(), shares.tolist()
        (1.25, 2.0, [0.0, 1.0])
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
        tokens = paddle.numel(gate_prob).astype(dtype) / num_experts
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
    """Numbers of a modality's experts among those of both modalities.

    Each rank has num_expert_per_modality experts of two modalities, first those of offset 0.

    Args:
        expert_id (Tensor): Numbers, of shape [tokens, k].
        num_expert_per_modality (int): How many experts of a modality a rank has; 0 or less leaves
            numbers.
        group_size (int): How many experts a group has.
        modality_offset (int): The modality: 0 or 1.
        is_group_expert (bool): Whether column j counts from the j-th group.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: as expert_id.

    Examples:
        >>> ids = paddle.to_tensor([[0, 1], [2, 3]])
        >>> paddle.incubate.nn.functional.expand_modality_expert_id(ids, 2, 2, 1, False).tolist()
        [[2, 3], [6, 7]]
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
    """How often each integer from low up to high occurs; others do not count.

    Args:
        x (Tensor): Integers.
        low (int): The first that counts.
        high (int): The end of those that count.
        dtype (str or dtype, default None): The dtype of the result; None for that of x.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [high - low].

    Raises:
        ValueError: high is below low.

    Examples:
        >>> x = paddle.to_tensor([1, 3, 1, 9])
        >>> paddle.incubate.nn.functional.int_bincount(x, 1, 4).tolist()
        [2, 0, 1]
    """
    expect_tensors('int_bincount', x=x)
    if high < low:
        raise ValueError(f"[int_bincount] expected low <= high, got {low} and {high}")
    counted = paddle.sort(x.reshape([-1]).astype('int64'))
    ends = paddle.searchsorted(counted, paddle.arange(low, high + 1, dtype='int64'))
    return paddle.diff(ends).astype(dtype or x.dtype)
