# SPDX-License-Identifier: Apache-2.0
"""Attention of generation over caches of keys and values, which it writes in place: results are
without gradients.
"""

import paddle
from paddle.base.arguments import only
from paddle.base.libpaddle import expect_tensors
from paddle.nn import functional as F

from .attention import _turned
from .linear import quantize

__all__ = ['blha_get_max_len', 'block_multihead_attention', 'masked_multihead_attention']


def _expect_optional(op, **tensors):
    expect_tensors(op, **{name: value for name, value in tensors.items() if value is not None})


def _rotated(x, cos, sin, halves):
    """x [..., D] with its pairs rotated: neighbours, or an element of each half. The tables have a
    number for each pair or one for each element.
    """
    if cos.shape[-1] * 2 == x.shape[-1]:
        cos, sin = (
            paddle.concat([t, t], -1) if halves else paddle.repeat_interleave(t, 2, axis=-1)
            for t in (cos, sin)
        )
    wide = x.astype('float32')
    return (wide * cos + _turned(wide, not halves) * sin).astype(x.dtype)


def _attended(q, k, v, mask):
    """Attention of q [..., heads, S, D] to k and v [..., kv heads, T, D], `mask` added to scores;
    scores are float32, or float64 where q is.
    """
    times = q.shape[-3] // k.shape[-3]
    if times > 1:
        k, v = (paddle.repeat_interleave(t, times, axis=t.ndim - 3) for t in (k, v))
    wide = q.dtype if q.dtype == paddle.float64 else 'float32'
    scores = paddle.matmul(q.astype(wide), k.astype(wide), transpose_y=True)
    scores = scores * q.shape[-1] ** -0.5
    if mask is not None:
        scores = scores + mask.astype(wide)
    return paddle.matmul(F.softmax(scores, axis=-1).astype(v.dtype), v)


def _heads(op, width, kv_heads, head):
    """How many heads queries have, beside `kv_heads` of keys and as many of values."""
    heads = width // head - 2 * kv_heads
    if width % head or heads <= 0 or heads % kv_heads:
        raise ValueError(
            f"[{op}] expected queries, keys and values of heads of {head} with {kv_heads} heads of "
            f"keys, got a width of {width}"
        )
    return heads


def _finish(out, dtype, shift, smooth, scale, round_type, highest, lowest):
    if shift is not None:
        out = out + shift
    if smooth is not None:
        out = out * smooth
    return quantize(out, scale, round_type, highest, lowest) if scale > 0 else out.astype(dtype)


def _scaled_and_shifted(qkv, scale, bias):
    """qkv * scale + bias, where they are given."""
    if scale is not None:
        qkv = qkv.astype('float32') * scale.reshape([1, -1])
    return qkv if bias is None else qkv + bias.reshape([1, -1])


def _places_of_steps(batch, length, sequence_lengths, src_mask):
    """The place of the step in each sequence; none counts from the end."""
    if sequence_lengths is None:
        return paddle.full([batch], src_mask.shape[-1] - 1, 'int64')
    at = sequence_lengths.astype('int64').reshape([batch])
    return paddle.where(at < 0, paddle.full_like(at, length), at)


def _mask_up_to(at, seen, src_mask):
    """What is added to scores of the first `seen` places: those behind `at` do not count."""
    mask = paddle.where(
        paddle.arange(seen) <= at.reshape([-1, 1, 1, 1]),
        paddle.zeros([], 'float32'),
        paddle.full([], -1e30, 'float32'),
    )
    return mask if src_mask is None else mask + src_mask[..., :seen].astype('float32')


@paddle.no_grad()
def masked_multihead_attention(
    x,
    cache_kv=None,
    bias=None,
    src_mask=None,
    cum_offsets=None,
    sequence_lengths=None,
    rotary_tensor=None,
    beam_cache_offset=None,
    qkv_out_scale=None,
    out_shift=None,
    out_smooth=None,
    seq_len=1,
    rotary_emb_dims=0,
    use_neox_rotary_style=False,
    compute_dtype='default',
    out_scale=-1,
    quant_round_type=1,
    quant_max_bound=127.0,
    quant_min_bound=-127.0,
):
    """One step of generation: attention to a cache, to which the step is written.

    The place of the step is in sequence_lengths, or the last of src_mask. Without a gradient.

    Args:
        x (Tensor): Queries, keys and values of the step, of shape [batch, (heads + 2 * heads of
            keys) * head].
        cache_kv (Tensor, default None): The keys and values before, of shape [2, batch, heads of
            keys, length, head].
        bias (Tensor, default None): What is added to x; None for nothing.
        src_mask (Tensor, default None): What is added to scores, of shape [batch, 1, 1, place + 1];
            None for nothing.
        cum_offsets (Tensor, default None): Only None.
        sequence_lengths (Tensor, default None): The place of the step in each sequence, of shape
            [batch, 1].
        rotary_tensor (Tensor, default None): Cosines and sines, of shape [2, batch, 1, 1 or more,
            head].
        beam_cache_offset (Tensor, default None): Only None.
        qkv_out_scale (Tensor, default None): Factors of x; None for none.
        out_shift (Tensor, default None): What is added to the result; None for nothing.
        out_smooth (Tensor, default None): Factors of that; None for none.
        seq_len (int, default 1): Only 1.
        rotary_emb_dims (int, default 0): 1 rotates queries and keys; 0 does not.
        use_neox_rotary_style (bool, default False): Whether pairs are an element of each half, not
            neighbours.
        compute_dtype (str, default 'default'): Taken for compatibility: results have the dtype of
            cache_kv.
        out_scale (float, default -1): The factor, with quant_max_bound, of int8 results; -1 for
            results that are not.
        quant_round_type (int, default 1): 0 rounds ties to even, 1 away from zero.
        quant_max_bound (float, default 127.0): The largest int8.
        quant_min_bound (float, default -127.0): The smallest int8.

    Returns:
        tuple of Tensors: the result, of shape [batch, heads * head], and cache_kv itself.

    Raises:
        ValueError: Shapes that do not fit, or no place of the step.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 0.0, 1.0, 0.0, 5.0, 6.0]])  # one head of two elements
        >>> cache = paddle.zeros([2, 1, 1, 4, 2])
        >>> out, cache = paddle.incubate.nn.functional.masked_multihead_attention(
        ...     x, cache, sequence_lengths=paddle.to_tensor([[0]], "int32"))
        >>> out.tolist(), cache[1, 0, 0, 0].tolist()
        ([[5.0, 6.0]], [5.0, 6.0])
    """
    op = 'masked_multihead_attention'
    expect_tensors(op, x=x, cache_kv=cache_kv)
    _expect_optional(
        op,
        bias=bias,
        src_mask=src_mask,
        sequence_lengths=sequence_lengths,
        rotary_tensor=rotary_tensor,
        qkv_out_scale=qkv_out_scale,
    )
    only(
        op,
        'each sequence has one beam and its own row',
        beam_cache_offset=(beam_cache_offset, None),
        cum_offsets=(cum_offsets, None),
        seq_len=(seq_len, 1),
    )
    if cache_kv.ndim != 5 or cache_kv.shape[0] != 2 or x.ndim != 2:
        raise ValueError(
            f"[{op}] expected x [B, width] and cache_kv [2, B, heads, length, D], got shapes "
            f"{list(x.shape)} and {list(cache_kv.shape)}"
        )
    if src_mask is None and sequence_lengths is None:
        raise ValueError(f"[{op}] expected src_mask or sequence_lengths, got neither")
    cache_kv._before_write(op, False)
    _, batch, kv_heads, length, head = cache_kv.shape
    heads = _heads(op, x.shape[1], kv_heads, head)
    x = _scaled_and_shifted(x, qkv_out_scale, bias).astype(cache_kv.dtype)
    x = x.reshape([batch, heads + 2 * kv_heads, head])
    at = _places_of_steps(batch, length, sequence_lengths, src_mask)
    queries, keys, values = paddle.split(x, [heads, kv_heads, kv_heads], axis=1)
    if rotary_emb_dims:
        only(op, 'positions are of one kind', rotary_emb_dims=(rotary_emb_dims, 1))
        tables = rotary_tensor.astype('float32').reshape([2, batch, -1, rotary_tensor.shape[-1]])
        row = at if tables.shape[2] > 1 else paddle.zeros_like(at)
        tables = tables[:, paddle.arange(batch), row].unsqueeze(2)
        queries, keys = (
            _rotated(t, tables[0], tables[1], use_neox_rotary_style) for t in (queries, keys)
        )
    place = (
        paddle.arange(2).reshape([2, 1, 1]),
        paddle.arange(batch).reshape([1, batch, 1]),
        paddle.arange(kv_heads).reshape([1, 1, kv_heads]),
        at.reshape([1, batch, 1]),
    )
    paddle.index_put_(cache_kv, place, paddle.stack([keys, values]))
    seen = length if src_mask is None else min(length, src_mask.shape[-1])
    mask = _mask_up_to(at, seen, src_mask)
    out = _attended(
        queries.unsqueeze(2), cache_kv[0][:, :, :seen], cache_kv[1][:, :, :seen], mask
    ).reshape([batch, heads * head])
    bounds = quant_round_type, quant_max_bound, quant_min_bound
    return _finish(out, cache_kv.dtype, out_shift, out_smooth, out_scale, *bounds), cache_kv


def blha_get_max_len(seq_lens_encoder, seq_lens_decoder, batch_size):
    """The longest prompt of a batch, and the longest sequence before a step.

    Args:
        seq_lens_encoder (Tensor): The length of each prompt.
        seq_lens_decoder (Tensor): The length of each sequence before the step.
        batch_size (Tensor): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: both, of shape [1].

    Examples:
        >>> prompts, steps = paddle.to_tensor([3, 7]), paddle.to_tensor([0, 4])
        >>> out = paddle.incubate.nn.functional.blha_get_max_len(prompts, steps, paddle.ones([2]))
        >>> [part.tolist() for part in out]
        [[7], [4]]
    """
    expect_tensors(
        'blha_get_max_len', seq_lens_encoder=seq_lens_encoder, seq_lens_decoder=seq_lens_decoder
    )
    return paddle.max(seq_lens_encoder).reshape([1]), paddle.max(seq_lens_decoder).reshape([1])


def _counts(lengths):
    return [int(n) for n in lengths.reshape([-1])]


def _by_place(angles, use_neox_style, *tensors):
    """The tensors rotated by the cosines and sines of each token."""
    cos, sin = angles.reshape([2, tensors[0].shape[0], 1, -1])
    return (_rotated(t, cos, sin, use_neox_style) for t in tensors)


def _blocks_of(op, table, total, cache):
    """The block of the cache that holds each of `total` tokens of a sequence."""
    size = cache.shape[2]
    count = -(-total // size)
    if count > table.shape[0]:
        raise ValueError(
            f"[{op}] expected block_tables with {count} blocks for {total} tokens, got "
            f"{table.shape[0]}"
        )
    blocks = paddle.gather(table.astype('int64'), paddle.arange(total) // size)
    if int(blocks.min()) < 0 or int(blocks.max()) >= cache.shape[0]:
        raise IndexError(
            f"[{op}] expected block_tables from 0 to {cache.shape[0] - 1}, got {blocks.tolist()}"
        )
    return blocks


def _added_to_scores(b, prompt, past, total, mask, tgt_mask):
    """What is added to scores of sequence b: the mask of its prompt, or what lets the tokens behind
    `past` see those up to themselves.
    """
    if prompt > 0 and mask is not None:
        return mask[b, :, past:total, :total]
    places = paddle.arange(total)
    later = places > places[past:].unsqueeze(1)
    own = paddle.where(later, paddle.full([], -1e30, 'float32'), paddle.zeros([], 'float32'))
    if prompt == 0 and tgt_mask is not None:
        own = own + tgt_mask[b, :, :, :total].astype('float32')
    return own


def _in_blocks(caches, blocks, past, total):
    """Writes the new rows of each (cache, rows) behind the `past` ones; gives all `total` of
    them."""
    _, kv_heads, size, _ = caches[0][0].shape
    row = (paddle.arange(total) % size).unsqueeze(1)
    where = (blocks.unsqueeze(1), paddle.arange(kv_heads), row)
    fresh = (where[0][past:], where[1], where[2][past:])
    for cache, rows in caches:
        paddle.index_put_(cache, fresh, rows)
    return (paddle.transpose(cache[where], [1, 0, 2]) for cache, _ in caches)


@paddle.no_grad()
def block_multihead_attention(
    qkv,
    key_cache,
    value_cache,
    seq_lens_encoder,
    seq_lens_decoder,
    seq_lens_this_time,
    padding_offsets,
    cum_offsets,
    cu_seqlens_q,
    cu_seqlens_k,
    block_tables,
    pre_key_cache=None,
    pre_value_cache=None,
    cache_k_quant_scales=None,
    cache_v_quant_scales=None,
    cache_k_dequant_scales=None,
    cache_v_dequant_scales=None,
    qkv_out_scale=None,
    qkv_bias=None,
    out_shift=None,
    out_smooth=None,
    max_enc_len_this_time=None,
    max_dec_len_this_time=None,
    rope_emb=None,
    mask=None,
    tgt_mask=None,
    max_seq_len=-1,
    block_size=64,
    use_neox_style=False,
    use_dynamic_cachekv_quant=False,
    quant_round_type=1,
    quant_max_bound=127.0,
    quant_min_bound=-127.0,
    out_scale=-1,
    compute_dtype='default',
    rope_theta=10000.0,
):
    """Attention of prompts and steps of a batch to caches in blocks, to which they are written.

    Sequence b has seq_lens_this_time[b] tokens behind the seq_lens_decoder[b] that are in the
    cache. A token sees those before it and itself, or in prompts what mask says. Without a
    gradient.

    Args:
        qkv (Tensor): Queries, keys and values, of shape [tokens, (heads + 2 * heads of keys) *
            head], one sequence after another.
        key_cache (Tensor): Of shape [blocks, heads of keys, block size, head].
        value_cache (Tensor): As key_cache.
        seq_lens_encoder (Tensor): The length of each prompt, 0 for a step.
        seq_lens_decoder (Tensor): How many tokens of each sequence are in the cache.
        seq_lens_this_time (Tensor): How many come now.
        padding_offsets (Tensor): Taken for compatibility; it has no effect.
        cum_offsets (Tensor): Taken for compatibility; it has no effect.
        cu_seqlens_q (Tensor): Taken for compatibility; it has no effect.
        cu_seqlens_k (Tensor): Taken for compatibility; it has no effect.
        block_tables (Tensor): The blocks of each sequence, of shape [batch, blocks of a sequence].
        pre_key_cache (Tensor, default None): Only None.
        pre_value_cache (Tensor, default None): Only None.
        cache_k_quant_scales (Tensor, default None): Only None.
        cache_v_quant_scales (Tensor, default None): Only None.
        cache_k_dequant_scales (Tensor, default None): Only None.
        cache_v_dequant_scales (Tensor, default None): Only None.
        qkv_out_scale (Tensor, default None): Factors of qkv; None for none.
        qkv_bias (Tensor, default None): What is added to qkv; None for nothing.
        out_shift (Tensor, default None): What is added to the result; None for nothing.
        out_smooth (Tensor, default None): Factors of that; None for none.
        max_enc_len_this_time (Tensor, default None): Taken for compatibility; it has no effect.
        max_dec_len_this_time (Tensor, default None): Taken for compatibility; it has no effect.
        rope_emb (Tensor, default None): Cosines and sines, of shape [2, 1 or batch, length, 1, head
            / 2]; None for no rotation.
        mask (Tensor, default None): What is added to scores of prompts, of shape [batch, 1, length,
            length]; None for nothing.
        tgt_mask (Tensor, default None): What is added to scores of steps, of shape [batch, 1, 1,
            length]; None for nothing.
        max_seq_len (int, default -1): Taken for compatibility; it has no effect.
        block_size (int, default 64): Taken for compatibility: caches say it.
        use_neox_style (bool, default False): Whether pairs are an element of each half, not
            neighbours.
        use_dynamic_cachekv_quant (bool, default False): Only False.
        quant_round_type (int, default 1): 0 rounds ties to even, 1 away from zero.
        quant_max_bound (float, default 127.0): The largest int8.
        quant_min_bound (float, default -127.0): The smallest int8.
        out_scale (float, default -1): The factor, with quant_max_bound, of int8 results; -1 for
            results that are not.
        compute_dtype (str, default 'default'): Taken for compatibility: results have the dtype of
            the caches.
        rope_theta (float, default 10000.0): Taken for compatibility: rope_emb has the angles.

    Returns:
        tuple of Tensors: the result, of shape [tokens, heads * head], qkv, key_cache and
            value_cache.

    Raises:
        ValueError: Shapes that do not fit, or too few blocks.

    Source: Kwon and others, Efficient memory management for large language model serving with
        PagedAttention, https://arxiv.org/abs/2309.06180.

    Examples:
        >>> qkv = paddle.to_tensor([[0.0, 0.0, 1.0, 1.0, 2.0, 4.0], [0.0, 0.0, 1.0, 1.0, 6.0, 8.0]])
        >>> keys, values = paddle.zeros([1, 1, 4, 2]), paddle.zeros([1, 1, 4, 2])
        >>> two, none = paddle.to_tensor([[2]], "int32"), paddle.to_tensor([[0]], "int32")
        >>> out = paddle.incubate.nn.functional.block_multihead_attention(
        ...     qkv, keys, values, two, none, two, none, none, none, none, none, block_size=4)
        >>> out[0].tolist(), values[0, 0, :2].tolist()
        ([[2.0, 4.0], [4.0, 6.0]], [[2.0, 4.0], [6.0, 8.0]])
    """
    op = 'block_multihead_attention'
    expect_tensors(
        op,
        qkv=qkv,
        key_cache=key_cache,
        value_cache=value_cache,
        seq_lens_encoder=seq_lens_encoder,
        seq_lens_decoder=seq_lens_decoder,
        seq_lens_this_time=seq_lens_this_time,
        block_tables=block_tables,
    )
    _expect_optional(
        op,
        qkv_out_scale=qkv_out_scale,
        qkv_bias=qkv_bias,
        rope_emb=rope_emb,
        mask=mask,
        tgt_mask=tgt_mask,
    )
    only(
        op,
        'caches hold all keys and values, in their own dtype',
        pre_key_cache=(pre_key_cache, None),
        pre_value_cache=(pre_value_cache, None),
        cache_k_quant_scales=(cache_k_quant_scales, None),
        cache_v_quant_scales=(cache_v_quant_scales, None),
        cache_k_dequant_scales=(cache_k_dequant_scales, None),
        cache_v_dequant_scales=(cache_v_dequant_scales, None),
        use_dynamic_cachekv_quant=(use_dynamic_cachekv_quant, False),
    )
    if key_cache is value_cache:
        raise ValueError(f"[{op}] expected two caches, got one tensor as key_cache and value_cache")
    for cache in (key_cache, value_cache):
        cache._before_write(op, False)
    _, kv_heads, _, head = key_cache.shape
    heads = _heads(op, qkv.shape[1], kv_heads, head)
    wide = (
        _scaled_and_shifted(qkv, qkv_out_scale, qkv_bias)
        .astype(key_cache.dtype)
        .reshape([-1, heads + 2 * kv_heads, head])
    )
    prompts, past = _counts(seq_lens_encoder), _counts(seq_lens_decoder)
    now = _counts(seq_lens_this_time)
    if sum(now) != wide.shape[0]:
        raise ValueError(
            f"[{op}] expected seq_lens_this_time that adds up to {wide.shape[0]} tokens, got "
            f"{sum(now)}"
        )
    outs, token = [], 0
    for b, count in enumerate(now):
        if count == 0:
            continue
        total = past[b] + count
        blocks = _blocks_of(op, block_tables[b], total, key_cache)
        own = wide[token : token + count]  # [count, heads, D]
        q, k, v = paddle.split(own, [heads, kv_heads, kv_heads], axis=1)
        if rope_emb is not None:
            own = rope_emb[:, b if rope_emb.shape[1] > 1 else 0, past[b] : total]
            q, k = _by_place(own.astype('float32'), use_neox_style, q, k)
        keys, values = _in_blocks(((key_cache, k), (value_cache, v)), blocks, past[b], total)
        own = _added_to_scores(b, prompts[b], past[b], total, mask, tgt_mask)
        out = _attended(paddle.transpose(q, [1, 0, 2]), keys, values, own)
        outs.append(paddle.transpose(out, [1, 0, 2]).reshape([count, heads * head]))
        token += count
    out = paddle.concat(outs) if outs else paddle.zeros([0, heads * head], key_cache.dtype)
    bounds = quant_round_type, quant_max_bound, quant_min_bound
    out = _finish(out, key_cache.dtype, out_shift, out_smooth, out_scale, *bounds)
    return out, qkv, key_cache, value_cache
