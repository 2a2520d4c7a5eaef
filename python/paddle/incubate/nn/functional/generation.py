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
    scores are float32.
    """
    times = q.shape[-3] // k.shape[-3]
    if times > 1:
        k, v = (paddle.repeat_interleave(t, times, axis=t.ndim - 3) for t in (k, v))
    scores = paddle.matmul(q.astype('float32'), k.astype('float32'), transpose_y=True)
    scores = scores * q.shape[-1] ** -0.5
    if mask is not None:
        scores = scores + mask.astype('float32')
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
    """(out [B, heads * D], cache_kv): one step of queries, keys and values x [B, (heads + 2 kv
    heads) * D] after those in cache_kv [2, B, kv heads, length, D], to which it is written.

    The step's place is sequence_lengths [B, 1], or the last of src_mask [B, 1, 1, place + 1], which
    is added to the scores. rotary_tensor [2, B, 1, 1 or more, D] holds cosines and sines, with
    `rotary_emb_dims` 1, of neighbours or with `use_neox_rotary_style` of halves.
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
    if qkv_out_scale is not None:
        x = x.astype('float32') * qkv_out_scale.reshape([1, -1])
    if bias is not None:
        x = x + bias.reshape([1, -1])
    x = x.astype(cache_kv.dtype).reshape([batch, heads + 2 * kv_heads, head])
    if sequence_lengths is None:
        at = paddle.full([batch], src_mask.shape[-1] - 1, 'int64')
    else:
        at = sequence_lengths.astype('int64').reshape([batch])
        at = paddle.where(at < 0, paddle.full_like(at, length), at)  # none counts from the end
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
    mask = paddle.where(
        paddle.arange(seen) <= at.reshape([batch, 1, 1, 1]),
        paddle.zeros([], 'float32'),
        paddle.full([], -1e30, 'float32'),
    )
    if src_mask is not None:
        mask = mask + src_mask[..., :seen].astype('float32')
    out = _attended(
        queries.unsqueeze(2), cache_kv[0][:, :, :seen], cache_kv[1][:, :, :seen], mask
    ).reshape([batch, heads * head])
    return (
        _finish(
            out,
            cache_kv.dtype,
            out_shift,
            out_smooth,
            out_scale,
            quant_round_type,
            quant_max_bound,
            quant_min_bound,
        ),
        cache_kv,
    )


def blha_get_max_len(seq_lens_encoder, seq_lens_decoder, batch_size):
    """The largest of the lengths of prompts, and of the lengths before steps: each [1]."""
    expect_tensors(
        'blha_get_max_len', seq_lens_encoder=seq_lens_encoder, seq_lens_decoder=seq_lens_decoder
    )
    return paddle.max(seq_lens_encoder).reshape([1]), paddle.max(seq_lens_decoder).reshape([1])


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
    """(out [tokens, heads * D], qkv, key_cache, value_cache): attention of the tokens of a batch of
    prompts and steps, one sequence after another, over caches in blocks, to which they are written.

    qkv [tokens, (heads + 2 kv heads) * D]; caches [blocks, kv heads, block size, D], of which
    block_tables [B, blocks a sequence] names each sequence's. Sequence b has seq_lens_this_time[b]
    tokens after the seq_lens_decoder[b] in the cache; a token sees those before it and itself, or
    in prompts (seq_lens_encoder > 0) what mask [B, 1, S, S], which is added, says. tgt_mask [B, 1,
    1, S] is added for steps. rope_emb [2, 1 or B, S, 1, D / 2] holds cosines and sines, of
    neighbours or with `use_neox_style` of halves.
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
    _, kv_heads, size, head = key_cache.shape
    heads = _heads(op, qkv.shape[1], kv_heads, head)
    wide = qkv
    if qkv_out_scale is not None:
        wide = wide.astype('float32') * qkv_out_scale.reshape([1, -1])
    if qkv_bias is not None:
        wide = wide + qkv_bias.reshape([1, -1])
    wide = wide.astype(key_cache.dtype).reshape([-1, heads + 2 * kv_heads, head])
    prompts, past, now = (
        [int(n) for n in t.reshape([-1])]
        for t in (seq_lens_encoder, seq_lens_decoder, seq_lens_this_time)
    )
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
        places = paddle.arange(total)
        if -(-total // size) > block_tables.shape[1]:
            raise ValueError(
                f"[{op}] expected block_tables with {-(-total // size)} blocks for {total} tokens, "
                f"got {block_tables.shape[1]}"
            )
        blocks = paddle.gather(block_tables[b].astype('int64'), places // size)
        if int(blocks.min()) < 0 or int(blocks.max()) >= key_cache.shape[0]:
            raise IndexError(
                f"[{op}] expected block_tables from 0 to {key_cache.shape[0] - 1}, got "
                f"{blocks.tolist()}"
            )
        q, k, v = paddle.split(
            wide[token : token + count], [heads, kv_heads, kv_heads], axis=1
        )  # [count, heads, D]
        if rope_emb is not None:
            own = rope_emb[:, b if rope_emb.shape[1] > 1 else 0, past[b] : total]
            own = own.astype('float32').reshape([2, count, 1, -1])
            q, k = (_rotated(t, own[0], own[1], use_neox_style) for t in (q, k))
        fresh = (
            blocks[past[b] :].unsqueeze(1),
            paddle.arange(kv_heads),
            (places % size)[past[b] :].unsqueeze(1),
        )
        paddle.index_put_(key_cache, fresh, k)
        paddle.index_put_(value_cache, fresh, v)
        whole = (blocks.unsqueeze(1), paddle.arange(kv_heads), (places % size).unsqueeze(1))
        keys, values = (paddle.transpose(t[whole], [1, 0, 2]) for t in (key_cache, value_cache))
        if prompts[b] > 0 and mask is not None:
            own = mask[b, :, past[b] : total, :total]
        else:
            later = places > places[past[b] :].unsqueeze(1)
            own = paddle.where(
                later, paddle.full([], -1e30, 'float32'), paddle.zeros([], 'float32')
            )
            if prompts[b] == 0 and tgt_mask is not None:
                own = own + tgt_mask[b, :, :, :total].astype('float32')
        out = _attended(paddle.transpose(q, [1, 0, 2]), keys, values, own)
        outs.append(paddle.transpose(out, [1, 0, 2]).reshape([count, heads * head]))
        token += count
    out = paddle.concat(outs) if outs else paddle.zeros([0, heads * head], key_cache.dtype)
    out = _finish(
        out,
        key_cache.dtype,
        out_shift,
        out_smooth,
        out_scale,
        quant_round_type,
        quant_max_bound,
        quant_min_bound,
    )
    return out, qkv, key_cache, value_cache
