# SPDX-License-Identifier: Apache-2.0
"""Scaled dot product attention and the flash attention entry points."""

import contextlib

import paddle
from paddle import _C_ops
from paddle.base.arguments import items, only
from paddle.base.documentation import shares
from paddle.base.framework import is_recorded
from paddle.base.libpaddle import expect_tensors

__all__ = [
    "scaled_dot_product_attention",
    "flash_attention",
    "flash_attn_qkvpacked",
    "flashmask_attention",
    "flash_attn_unpadded",
    "flash_attn_varlen_qkvpacked",
    "flash_attention_v3_varlen",
    "sparse_attention",
]


def _select_sdp(head_dim):
    return 'math'  # the name of what a CPU does, for every head_dim


def _heads_first(x):
    return _C_ops.transpose(x, [0, 2, 1, 3])


def _causal(rows, columns):
    return paddle.tril(
        paddle.ones([rows, columns], dtype="bool"), columns - rows if rows <= columns else 0
    )


def _scaled(query, scale):
    """(queries, the factor of scores), which is 1 / sqrt(dim) where none is given. Queries with a
    dim that a program does not know are multiplied by it.
    """
    dim = query.shape[-1]
    if scale is None and dim < 0:
        return query * paddle.rsqrt(paddle.shape(query)[-1].astype(query.dtype)), 1.0
    return query, max(dim, 1) ** -0.5 if scale is None else scale


def _attend(query, key, value, mask, dropout_p, is_causal, training, scale, enable_gqa=True):
    """Attention of [batch, length, heads, dim]."""
    expect_tensors("attention", query=query, key=key)
    if query.shape[2] != key.shape[2] and not enable_gqa:
        raise ValueError(
            f"[attention] expected as many key heads as the {query.shape[2]} query heads, got "
            f"{key.shape[2]}"
        )
    if mask is not None and mask.dtype != paddle.bool and not mask.is_floating_point():
        mask = paddle.cast(mask, query.dtype)
    query, scale = _scaled(query, scale)
    return _C_ops._attention(
        query, key, value, mask, scale, is_causal, dropout_p if training else 0.0
    )


def _probabilities(query, key, is_causal, scale):
    """softmax(q k^T * scale), [batch, heads, q, k]."""
    query, scale = _scaled(query, scale)
    q, k = _heads_first(query), _heads_first(key)
    if q.shape[1] != k.shape[1]:
        k = paddle.repeat_interleave(k, q.shape[1] // k.shape[1], 1)
    scores = _C_ops.matmul(q * scale, k, False, True)
    if is_causal:
        scores = scores + paddle.triu(paddle.full_like(scores, -1e4), 1)
    return _C_ops.softmax(scores, -1)


def _drawing(op, dropout, training, fixed_seed_offset, rng_name):
    """The context in which dropout draws from the state of that name (`get_rng_state_tracker`);
    without a name from the global generator.
    """
    if not dropout or not training:
        return contextlib.nullcontext()
    only(op, 'generators keep their states', fixed_seed_offset=(fixed_seed_offset, None))
    if not rng_name:
        return contextlib.nullcontext()
    from paddle.distributed.fleet.layers.mpu.random import get_rng_state_tracker

    return get_rng_state_tracker().rng_state(rng_name)


def scaled_dot_product_attention(
    query,
    key,
    value,
    attn_mask=None,
    dropout_p=0.0,
    is_causal=False,
    training=True,
    backend=None,
    scale=None,
    enable_gqa=True,
    name=None,
):
    """softmax(query key^T * scale + mask) value for [batch, length, heads, dim], or without the
    batch.

    Args:
        query (Tensor): The queries, of shape [batch, length, heads, dim].
        key (Tensor): The keys, of shape [batch, length, heads, dim].
        value (Tensor): The values, with the shape of key.
        attn_mask (Tensor, default None): Which pairs attend (bool), or what is added to the scores;
            broadcast to [batch, heads, q, k].
        dropout_p (float, default 0.0): The dropout of attention weights.
        is_causal (bool, default False): Whether a row attends to no later one.
        training (bool, default True): Whether dropout acts.
        backend (str, default None): Taken for compatibility; it has no effect.
        scale (float, default None): The factor of the scores; None for 1 / sqrt(dim).
        enable_gqa (bool, default True): Whether fewer heads of key and value are shared by those of
            query.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of the shape of query, with the last extent of value.

    Source: Vaswani et al., Attention is all you need, 2017

    Examples:
        >>> x = paddle.to_tensor([1.0, 3.0]).reshape([1, 2, 1, 1])
        >>> f = paddle.nn.functional.scaled_dot_product_attention
        >>> f(paddle.zeros([1, 2, 1, 1]), x, x).flatten().tolist()
        [2.0, 2.0]
        >>> f(paddle.zeros([1, 2, 1, 1]), x, x, is_causal=True).flatten().tolist()
        [1.0, 2.0]
        >>> paddle.nn.functional.scaled_dot_product_attention(x, x, x).shape
        paddle.Size([1, 2, 1, 1])
    """
    expect_tensors("scaled_dot_product_attention", query=query)
    if query.ndim not in (3, 4):
        raise ValueError(
            f"[scaled_dot_product_attention] expected query of 3 or 4 axes, got shape "
            f"{list(query.shape)}"
        )
    if attn_mask is not None and is_causal:
        raise ValueError(
            "[scaled_dot_product_attention] expected either attn_mask or is_causal, got both"
        )
    if query.ndim == 3:
        mask = (
            attn_mask
            if attn_mask is None or attn_mask.ndim == 4
            else paddle.unsqueeze(attn_mask, 0)
        )
        out = _attend(
            paddle.unsqueeze(query, 0),
            paddle.unsqueeze(key, 0),
            paddle.unsqueeze(value, 0),
            mask,
            dropout_p,
            is_causal,
            training,
            scale,
            enable_gqa,
        )
        return paddle.squeeze(out, 0)
    return _attend(query, key, value, attn_mask, dropout_p, is_causal, training, scale, enable_gqa)


def flash_attention(
    query,
    key,
    value,
    dropout=0.0,
    causal=False,
    return_softmax=False,
    *,
    fixed_seed_offset=None,
    rng_name="",
    training=True,
    name=None,
    softmax_scale=None,
):
    """(attention output, probabilities if `return_softmax` else None) for [batch, length, heads,
    dim].
    """
    with _drawing("flash_attention", dropout, training, fixed_seed_offset, rng_name):
        out = _attend(query, key, value, None, dropout, causal, training, softmax_scale)
    return out, _probabilities(query, key, causal, softmax_scale) if return_softmax else None


def flash_attn_qkvpacked(
    qkv,
    dropout=0.0,
    causal=False,
    return_softmax=False,
    *,
    fixed_seed_offset=None,
    rng_name="",
    training=True,
    name=None,
):
    """flash_attention for qkv [batch, length, groups + 2, kv heads, dim]: the last two groups are
    key and value.

    Args:
        qkv (Tensor): Of shape [batch, length, groups + 2, kv heads, dim].
        dropout (float, default 0.0): The dropout of attention weights.
        causal (bool, default False): Whether a row attends to no later one.
        return_softmax (bool, default False): Whether the weights are returned too.
        fixed_seed_offset (Tensor, default None): Only None where dropout acts.
        rng_name (str, default ''): The state of `fleet.meta_parallel.get_rng_state_tracker` that
            dropout draws from; '' for the global generator.
        training (bool, default True): Whether dropout acts.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the results, of shape [batch, length, heads, dim], and the weights or
            None.

    Examples:
        >>> out, _ = paddle.nn.functional.flash_attn_qkvpacked(paddle.ones([1, 2, 3, 1, 4]))
        >>> out.shape
        paddle.Size([1, 2, 1, 4])
    """
    expect_tensors("flash_attn_qkvpacked", qkv=qkv)
    groups, kv_heads = qkv.shape[2] - 2, qkv.shape[3]
    query, key, value = _C_ops.split(qkv, [groups, 1, 1], 2)
    if groups == 1:
        query = paddle.squeeze(query, 2)
    else:
        shape = list(query.shape)
        query = paddle.reshape(
            paddle.transpose(query, [0, 1, 3, 2, 4]), [*shape[:2], groups * kv_heads, shape[-1]]
        )
    return flash_attention(
        query,
        paddle.squeeze(key, 2),
        paddle.squeeze(value, 2),
        dropout,
        causal,
        return_softmax,
        fixed_seed_offset=fixed_seed_offset,
        rng_name=rng_name,
        training=training,
    )


def flash_attn_unpadded(
    query,
    key,
    value,
    cu_seqlens_q,
    cu_seqlens_k,
    max_seqlen_q,
    max_seqlen_k,
    scale,
    dropout=0.0,
    causal=False,
    return_softmax=False,
    fixed_seed_offset=None,
    rng_name="",
    training=True,
    name=None,
):
    """Attention within each of several sequences laid end to end: [tokens, heads, dim] cut at
    cu_seqlens.
    """
    expect_tensors("flash_attn_unpadded", query=query)
    only(
        "flash_attn_unpadded",
        'sequences of several lengths have no one table of probabilities',
        return_softmax=(return_softmax, False),
    )
    query, scale = _scaled(query, scale)
    with _drawing("flash_attn_unpadded", dropout, training, fixed_seed_offset, rng_name):
        return _C_ops.flash_attn_unpadded(
            query,
            key,
            value,
            cu_seqlens_q,
            cu_seqlens_k,
            None,
            None,
            max_seqlen_q,
            max_seqlen_k,
            scale,
            dropout,
            causal,
            False,
            not training,
            "",
        )


@shares(flash_attn_qkvpacked)
def flash_attn_varlen_qkvpacked(
    qkv,
    cu_seqlens_q,
    cu_seqlens_k,
    max_seqlen_q,
    max_seqlen_k,
    scale,
    dropout=0.0,
    causal=False,
    return_softmax=False,
    fixed_seed_offset=None,
    rng_name="",
    varlen_padded=True,
    training=True,
    name=None,
):
    """flash_attn_unpadded for qkv [tokens, groups + 2, kv heads, dim].

    Args:
        qkv (Tensor): Of shape [tokens, groups + 2, kv heads, dim].
        cu_seqlens_q (Tensor): Where the sequences begin, and their end, int32.
        cu_seqlens_k (Tensor): The same of the keys.
        max_seqlen_q (int): The length of the longest sequence.
        max_seqlen_k (int): The same of the keys.
        scale (float): The factor of the scores.
        {dropout, causal, return_softmax, fixed_seed_offset, rng_name}
        varlen_padded (bool, default True): Whether sequences stand max_seqlen_q tokens apart.
        {training, name}

    Returns:
        tuple of Tensors: the results, of shape [tokens, heads, dim], and the weights or None.

    Examples:
        >>> starts = paddle.to_tensor([0, 1, 3], "int32")
        >>> f = paddle.nn.functional.flash_attn_varlen_qkvpacked
        >>> out, _ = f(paddle.ones([3, 3, 1, 4]), starts, starts, 2, 2, 0.5, varlen_padded=False)
        >>> out.shape
        paddle.Size([3, 1, 4])
    """
    expect_tensors("flash_attn_varlen_qkvpacked", qkv=qkv)
    groups = qkv.shape[1] - 2
    if varlen_padded and qkv.shape[0] != int(cu_seqlens_q[-1]):
        raise NotImplementedError(
            "[flash_attn_varlen_qkvpacked] expected sequences laid end to end, "
            f"{int(cu_seqlens_q[-1])} tokens, got {qkv.shape[0]}: padded ones are not served"
        )
    query, key, value = _C_ops.split(qkv, [groups, 1, 1], 1)
    if groups == 1:
        query = paddle.squeeze(query, 1)
    else:
        query = paddle.flatten(paddle.transpose(query, [0, 2, 1, 3]), 1, 2)
    return flash_attn_unpadded(
        query,
        paddle.squeeze(key, 1),
        paddle.squeeze(value, 1),
        cu_seqlens_q,
        cu_seqlens_k,
        max_seqlen_q,
        max_seqlen_k,
        scale,
        dropout,
        causal,
        return_softmax,
        fixed_seed_offset,
        rng_name,
        training,
    )


def _flashmask_allowed(rows, q_len, k_len, causal):
    """Bool [batch, heads, q, k] from startend_row_indices [batch, heads, k, 1, 2 or 4]."""
    position = paddle.reshape(paddle.arange(0, q_len, dtype=rows.dtype), [1, 1, q_len, 1])
    bounds = [paddle.unsqueeze(rows[..., i], 2) for i in range(rows.shape[-1])]
    if causal:
        blocked = position >= bounds[0]
        if len(bounds) == 2:
            blocked = paddle.logical_and(blocked, position < bounds[1])
        allowed = paddle.logical_not(blocked)
        return paddle.logical_and(allowed, _causal(q_len, k_len))
    if len(bounds) == 2:
        blocked = paddle.logical_or(position >= bounds[0], position < bounds[1])
    elif len(bounds) == 4:
        blocked = paddle.logical_or(
            paddle.logical_and(position >= bounds[0], position < bounds[1]),
            paddle.logical_and(position >= bounds[2], position < bounds[3]),
        )
    else:
        raise ValueError(
            f"[flashmask_attention] expected 2 or 4 bounds without causal, got {len(bounds)}"
        )
    return paddle.logical_not(blocked)


def flashmask_attention(
    query,
    key,
    value,
    startend_row_indices=None,
    *,
    dropout=0.0,
    causal=False,
    window_size=None,
    return_softmax_lse=False,
    return_seed_offset=False,
    fixed_seed_offset=None,
    rng_name="",
    training=True,
    name=None,
    softmax_scale=None,
    block_mask=None,
):
    """Attention with column-wise row ranges masked out, for [batch, length, heads, dim].

    Args:
        query (Tensor): The queries, of shape [batch, length, heads, dim].
        key (Tensor): The keys, of shape [batch, length, heads, dim].
        value (Tensor): The values, with the shape of key.
        startend_row_indices (Tensor, default None): For each column the rows that do not attend to
            it, of shape [batch, heads, length, 1, 2 or 4], int32: from where on, or where from and
            to, below the diagonal and above it.
        dropout (float, default 0.0): The dropout of attention weights.
        causal (bool, default False): Whether a row attends to no later one.
        window_size (int or tuple of ints, default None): How far a row attends to the left and to
            the right.
        return_softmax_lse (bool, default False): Must be false.
        return_seed_offset (bool, default False): Must be false.
        fixed_seed_offset (Tensor, default None): Only None where dropout acts.
        rng_name (str, default ''): The state of `fleet.meta_parallel.get_rng_state_tracker` that
            dropout draws from; '' for the global generator.
        training (bool, default True): Whether dropout acts.
        name (str, default None): Taken for compatibility; it has no effect.
        softmax_scale (float, default None): The factor of the scores; None for 1 / sqrt(dim).
        block_mask (Tensor, default None): Must be None.

    Returns:
        Tensor: of the shape of query.

    Source: Wang et al., FlashMask, 2024

    Examples:
        >>> x = paddle.to_tensor([1.0, 3.0]).reshape([1, 2, 1, 1])
        >>> q = paddle.zeros([1, 2, 1, 1])
        >>> paddle.nn.functional.flashmask_attention(q, x, x).flatten().tolist()
        [2.0, 2.0]
        >>> rows = paddle.to_tensor([2, 1], "int32").reshape([1, 1, 2, 1])
        >>> f = paddle.nn.functional.flashmask_attention
        >>> f(q, x, x, rows, causal=True).flatten().tolist()
        [1.0, 1.0]
    """
    expect_tensors("flashmask_attention", query=query, key=key)
    if return_softmax_lse or return_seed_offset or block_mask is not None:
        raise NotImplementedError(
            "[flashmask_attention] expected return_softmax_lse=False, return_seed_offset=False "
            "and block_mask=None on this "
            f"device, got {return_softmax_lse}, {return_seed_offset} and {block_mask!r}"
        )
    q_len, k_len = query.shape[1], key.shape[1]
    mask = None
    if window_size is not None:
        left, right = (window_size, window_size) if isinstance(window_size, int) else window_size
        offset = paddle.unsqueeze(paddle.arange(0, k_len), 0) - paddle.unsqueeze(
            paddle.arange(0, q_len), 1
        )
        offset = offset - (k_len - q_len)
        mask = paddle.logical_and(offset >= -left, offset <= (0 if causal else right))
    elif startend_row_indices is not None:
        mask = _flashmask_allowed(startend_row_indices, q_len, k_len, causal)
        causal = False
        if mask.shape[1] not in (1, query.shape[2]):
            mask = paddle.repeat_interleave(mask, query.shape[2] // mask.shape[1], 1)
    elif causal:
        mask, causal = _causal(q_len, k_len), False
    with _drawing("flashmask_attention", dropout, training, fixed_seed_offset, rng_name):
        return _attend(query, key, value, mask, dropout, causal, training, softmax_scale)


def flash_attention_v3_varlen(
    query,
    key,
    value,
    cu_seqlens_q,
    cu_seqlens_k,
    max_seqlen_q,
    max_seqlen_k,
    seqused_q=None,
    seqused_k=None,
    softmax_scale=None,
    causal=False,
    qv=None,
    q_descale=None,
    k_descale=None,
    v_descale=None,
    window_size=(-1, -1),
    softcap=0.0,
    num_splits=1,
    pack_gqa=None,
    sm_margin=0,
):
    """flash_attn_unpadded with the arguments of the third generation; quantised inputs and windows
    are refused.

    Args:
        query (Tensor): The queries of all sequences, of shape [tokens, heads, dim].
        key (Tensor): The keys of all sequences, of shape [tokens, heads, dim].
        value (Tensor): The values, with the shape of key.
        cu_seqlens_q (Tensor): Where the sequences of query begin, and their end, int32.
        cu_seqlens_k (Tensor): The same of key.
        max_seqlen_q (int): The length of the longest sequence of query.
        max_seqlen_k (int): The same of key.
        seqused_q (Tensor, default None): Must be None.
        seqused_k (Tensor, default None): Must be None.
        softmax_scale (float, default None): The factor of the scores; None for 1 / sqrt(dim).
        causal (bool, default False): Whether a row attends to no later one.
        qv (Tensor, default None): Must be None.
        q_descale (Tensor, default None): Must be None.
        k_descale (Tensor, default None): Must be None.
        v_descale (Tensor, default None): Must be None.
        window_size (tuple of ints, default (-1, -1)): Must be (-1, -1).
        softcap (float, default 0.0): Must be 0.
        num_splits (int, default 1): Taken for compatibility; it has no effect.
        pack_gqa (bool, default None): Taken for compatibility; it has no effect.
        sm_margin (int, default 0): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the results, of the shape of query, and the logarithms of the sums of
            exponentials.

    Examples:
        >>> x = paddle.ones([3, 1, 2])
        >>> starts = paddle.to_tensor([0, 1, 3], "int32")
        >>> f = paddle.nn.functional.flash_attention_v3_varlen
        >>> f(x, x, x, starts, starts, 2, 2)[0].flatten().tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    refused = {
        "seqused_q": seqused_q,
        "seqused_k": seqused_k,
        "qv": qv,
        "q_descale": q_descale,
        "k_descale": k_descale,
        "v_descale": v_descale,
    }
    given = [name for name, value_ in refused.items() if value_ is not None]
    if (
        given
        or items('flash_attention_v3_varlen', 'window_size', window_size) != [-1, -1]
        or softcap != 0.0
    ):
        raise ValueError(
            "[flash_attention_v3_varlen] expected neither descales, qv, seqused, window_size nor "
            "softcap "
            f"on this device, got {given or 'a window or softcap'}"
        )
    return flash_attn_unpadded(
        query,
        key,
        value,
        cu_seqlens_q,
        cu_seqlens_k,
        max_seqlen_q,
        max_seqlen_k,
        softmax_scale,
        0.0,
        causal,
    )


def _listed_pairs(offsets, columns, batch, heads, length):
    """[batch, heads, length, length]: whether the column is listed for the row."""
    columns = columns.astype(offsets.dtype)
    outside = paddle.logical_or(columns < 0, columns >= length)
    if not is_recorded(outside) and bool(outside.any()):
        raise IndexError(
            f"[sparse_attention] expected sparse_csr_columns in [0, {length}), got others"
        )
    places = paddle.arange(columns.shape[-1], dtype=offsets.dtype).expand_as(columns)
    rows = paddle.searchsorted(offsets, places, right=True) - 1
    # Columns behind the last row's end stand in a row of their own, which is left out.
    at = rows * length + paddle.where(rows < length, columns.astype(rows.dtype), 0)
    none = paddle.zeros([batch, heads, (length + 1) * length], 'int32')
    return (
        paddle.put_along_axis(none, at, 1, -1)[:, :, : length * length]
        .reshape([batch, heads, length, length])
        .astype('bool')
    )


def sparse_attention(
    query,
    key,
    value,
    sparse_csr_offset,
    sparse_csr_columns,
    key_padding_mask=None,
    attn_mask=None,
    name=None,
):
    """Attention of [batch, heads, length, dim] where row i attends to the columns listed for it in
    CSR form.

    Args:
        query (Tensor): The queries, of shape [batch, heads, length, dim].
        key (Tensor): The keys, of the shape of query.
        value (Tensor): The values, of the shape of query.
        sparse_csr_offset (Tensor): Where the columns of each row begin, of shape [batch, heads,
            length + 1], int32.
        sparse_csr_columns (Tensor): The columns, of shape [batch, heads, count], int32.
        key_padding_mask (Tensor, default None): 0 for columns that do not count, of shape [batch,
            length].
        attn_mask (Tensor, default None): 0 for pairs that do not count, of shape [length, length].
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of the shape of query.

    Examples:
        >>> x = paddle.to_tensor([[[[1.0], [3.0]]]])
        >>> starts = paddle.to_tensor([[[0, 1, 3]]], "int32")
        >>> columns = paddle.to_tensor([[[0, 0, 1]]], "int32")
        >>> q = paddle.zeros([1, 1, 2, 1])
        >>> paddle.nn.functional.sparse_attention(q, x, x, starts, columns).tolist()
        [[[[1.0], [2.0]]]]
    """
    expect_tensors(
        "sparse_attention",
        query=query,
        sparse_csr_offset=sparse_csr_offset,
        sparse_csr_columns=sparse_csr_columns,
    )
    batch, heads, length, dim = query.shape
    allowed = _listed_pairs(sparse_csr_offset, sparse_csr_columns, batch, heads, length)
    if key_padding_mask is not None:
        allowed = paddle.logical_and(
            allowed, paddle.reshape(key_padding_mask != 0, [batch, 1, 1, length])
        )
    if attn_mask is not None:
        allowed = paddle.logical_and(
            allowed, paddle.reshape(attn_mask != 0, [1, 1, length, length])
        )
    scores = _C_ops.matmul(query * dim**-0.5, key, False, True)
    low = paddle.full([1], -1e30, dtype=scores.dtype)
    probs = _C_ops.softmax(paddle.where(allowed, scores, low), -1)
    probs = probs * paddle.cast(allowed, probs.dtype)
    return _C_ops.matmul(probs, value, False, False)
