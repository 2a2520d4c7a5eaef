# SPDX-License-Identifier: Apache-2.0
"""Attention blocks: projections, rotary positions and attention over sequences of several
lengths.
"""

import paddle
from paddle import _C_ops
from paddle.base.arguments import only
from paddle.base.libpaddle import expect_tensors
from paddle.nn import functional as F
from paddle.tensor.manipulation import extents

__all__ = [
    'fused_multi_head_attention',
    'fused_rotary_position_embedding',
    'variable_length_memory_efficient_attention',
]


def _additive(mask, dtype):
    """A mask to add: of a boolean one, 0 where True and the lowest number elsewhere."""
    if mask.dtype == paddle.bool:
        lowest = -1e9 if dtype != paddle.float16 else -6e4
        return paddle.where(mask, paddle.zeros([], dtype), paddle.full([], lowest, dtype))
    return mask.astype(dtype)


def fused_multi_head_attention(
    x,
    qkv_weight,
    linear_weight,
    pre_layer_norm=False,
    pre_ln_scale=None,
    pre_ln_bias=None,
    ln_scale=None,
    ln_bias=None,
    pre_ln_epsilon=1e-05,
    qkv_bias=None,
    linear_bias=None,
    cache_kv=None,
    attn_mask=None,
    dropout_rate=0.5,
    attn_dropout_rate=0.5,
    ln_epsilon=1e-05,
    training=True,
    mode='upscale_in_train',
    ring_id=-1,
    add_residual=True,
    num_heads=-1,
    transpose_qkv_wb=False,
    name=None,
):
    """Self-attention with its projections, dropouts, residual and norm.

    Args:
        x (Tensor): The input, of shape [batch, length, width].
        qkv_weight (Tensor): Of shape [3, heads, head, width], or [width, 3 * width] with
            transpose_qkv_wb.
        linear_weight (Tensor): The weight of the projection, of shape [heads * head, width].
        pre_layer_norm (bool, default False): Whether the norm is before the block, not behind it.
        pre_ln_scale (Tensor, default None): The scale of a norm before; None for 1.
        pre_ln_bias (Tensor, default None): Its shift; None for 0.
        ln_scale (Tensor, default None): The scale of a norm behind; None for 1.
        ln_bias (Tensor, default None): Its shift; None for 0.
        pre_ln_epsilon (float, default 1e-05): What is added to the variance of a norm before.
        qkv_bias (Tensor, default None): Of shape [3, heads, head], or [3 * width] with
            transpose_qkv_wb; None for none.
        linear_bias (Tensor, default None): The bias of the projection, of shape [width]; None for
            none.
        cache_kv (Tensor, default None): Keys and values of steps before, of shape [2, batch, heads,
            past, head]; None for none.
        attn_mask (Tensor, default None): What is added to scores, or a bool that is True where a
            key counts; None for none.
        dropout_rate (float, default 0.5): The dropout behind the projection.
        attn_dropout_rate (float, default 0.5): The dropout of the weights of attention.
        ln_epsilon (float, default 1e-05): What is added to the variance of a norm behind.
        training (bool, default True): Whether elements are dropped.
        mode (str, default 'upscale_in_train'): `upscale_in_train`, or `downscale_in_infer`, as
            `paddle.nn.functional.dropout` has them.
        ring_id (int, default -1): Only -1.
        add_residual (bool, default True): Whether x is added to the result.
        num_heads (int, default -1): How many heads there are, with transpose_qkv_wb.
        transpose_qkv_wb (bool, default False): Which form the weight of queries, keys and values
            has.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor or tuple of Tensors: as x; with cache_kv also the cache with this step behind it.

    Raises:
        NotImplementedError: Another ring_id.
        ValueError: Weights that do not fit.

    Source: Vaswani and others, Attention is all you need, https://arxiv.org/abs/1706.03762.

    Examples:
        >>> x = paddle.rand([2, 3, 4])
        >>> out = paddle.incubate.nn.functional.fused_multi_head_attention(
        ...     x, paddle.rand([3, 2, 2, 4]), paddle.rand([4, 4]), training=False)
        >>> out.shape, bool((out.mean(-1).abs() < 1e-5).all())
        (paddle.Size([2, 3, 4]), True)
    """
    expect_tensors("fused_multi_head_attention", x=x)
    only('fused_multi_head_attention', 'the block is on one device', ring_id=(ring_id, -1))
    width = x.shape[2]
    if transpose_qkv_wb:
        if num_heads <= 0 or width % num_heads:
            raise ValueError(
                f"[fused_multi_head_attention] expected num_heads to divide {width}, got "
                f"{num_heads}"
            )
        heads, head = num_heads, width // num_heads
        weight, bias = qkv_weight, qkv_bias
    else:
        expect_tensors("fused_multi_head_attention", qkv_weight=qkv_weight)
        if len(qkv_weight.shape) != 4 or qkv_weight.shape[0] != 3 or qkv_weight.shape[3] != width:
            raise ValueError(
                f"[fused_multi_head_attention] expected qkv_weight [3, heads, head, {width}], got "
                f"{list(qkv_weight.shape)}"
            )
        heads, head = qkv_weight.shape[1:3]
        weight = qkv_weight.reshape([3 * heads * head, width]).transpose([1, 0])
        bias = None if qkv_bias is None else qkv_bias.reshape([3 * heads * head])
    out = F.layer_norm(x, width, pre_ln_scale, pre_ln_bias, pre_ln_epsilon) if pre_layer_norm else x
    q, k, v = (
        F.linear(out, weight, bias)
        .reshape([0, 0, 3, heads, head])
        .transpose([2, 0, 3, 1, 4])
        .unbind(0)
    )
    if cache_kv is not None:
        k, v = paddle.concat([cache_kv[0], k], axis=2), paddle.concat([cache_kv[1], v], axis=2)
        cache_kv = paddle.stack([k, v])
    scores = paddle.matmul(q * head**-0.5, k, transpose_y=True)
    if attn_mask is not None:
        scores = scores + _additive(attn_mask, scores.dtype)
    scores = F.dropout(F.softmax(scores, axis=-1), attn_dropout_rate, training=training, mode=mode)
    out = paddle.matmul(scores, v).transpose([0, 2, 1, 3]).reshape([0, 0, heads * head])
    out = F.dropout(
        F.linear(out, linear_weight, linear_bias), dropout_rate, training=training, mode=mode
    )
    if add_residual:
        out = x + out
    if not pre_layer_norm:
        out = F.layer_norm(out, width, ln_scale, ln_bias, ln_epsilon)
    return out if cache_kv is None else (out, cache_kv)


def _angles(length, width, base, adjacent):
    speeds = 1.0 / base ** (paddle.arange(0, width, 2, dtype='float32') / width)
    angles = paddle.outer(paddle.arange(length, dtype='float32'), speeds)
    return (
        paddle.repeat_interleave(angles, 2, axis=-1)
        if adjacent
        else paddle.concat([angles, angles], axis=-1)
    )


def _turned(x, adjacent):
    """The other number of each pair, negated for the first: neighbours, or the two halves."""
    if adjacent:
        pairs = x.reshape([*[0] * (x.ndim - 1), x.shape[-1] // 2, 2])
        return paddle.stack([-pairs[..., 1], pairs[..., 0]], axis=-1).flatten(-2)
    first, second = _C_ops.split_with_num(x, 2, x.ndim - 1)
    return paddle.concat([-second, first], axis=-1)


def fused_rotary_position_embedding(
    q,
    k=None,
    v=None,
    sin=None,
    cos=None,
    position_ids=None,
    use_neox_rotary_style=True,
    time_major=False,
    rotary_emb_base=10000.0,
):
    """Rotate pairs of elements of queries, keys and values by their positions.

    Args:
        q (Tensor): Of shape [batch, length, heads, head], or [length, batch, heads, head] with
            time_major.
        k (Tensor, default None): The same; None for none.
        v (Tensor, default None): The same; None for none.
        sin (Tensor, default None): The sine of each position and element, of shape [length, head]
            or [1, length, 1, head]; None for that of rotary_emb_base.
        cos (Tensor, default None): The cosine; given with sin.
        position_ids (Tensor, default None): The position of each element, of shape [batch, length];
            None for its place.
        use_neox_rotary_style (bool, default True): Whether pairs are neighbours, not an element of
            each half.
        time_major (bool, default False): Which form the tensors have.
        rotary_emb_base (float, default 10000.0): The base of the angles.

    Returns:
        tuple: q, k and v, rotated; None for those that are not given.

    Raises:
        ValueError: One of sin and cos is given, positions without them, or an odd head.

    Source: Su and others, RoFormer, https://arxiv.org/abs/2104.09864.

    Examples:
        >>> q = paddle.to_tensor([[[[1.0, 0.0]], [[1.0, 0.0]]]])
        >>> out, _, _ = paddle.incubate.nn.functional.fused_rotary_position_embedding(q)
        >>> out.tolist()  # the second is turned by one radian
        [[[[1.0, 0.0]], [[0.5403022766113281, 0.8414710164070129]]]]
    """
    expect_tensors("fused_rotary_position_embedding", q=q)
    if (sin is None) != (cos is None):
        raise ValueError(
            "[fused_rotary_position_embedding] expected both of sin and cos or none, got one"
        )
    length, width = extents(q)[0 if time_major else 1], q.shape[-1]
    if width % 2:
        raise ValueError(
            f"[fused_rotary_position_embedding] expected an even last extent, got {width}"
        )
    if sin is None:
        if position_ids is not None:
            raise ValueError(
                "[fused_rotary_position_embedding] expected sin and cos along with position_ids, "
                "got none"
            )
        angles = _angles(length, width, rotary_emb_base, use_neox_rotary_style)
        sin, cos = paddle.sin(angles), paddle.cos(angles)
    tables = []
    for table in (sin, cos):
        table = table.reshape([-1, width])
        if position_ids is not None:
            table = paddle.gather(table, position_ids.reshape([-1])).reshape(
                [*extents(position_ids), 1, width]
            )
            table = table.transpose([1, 0, 2, 3]) if time_major else table
        else:
            table = table[:length].reshape(
                [length, 1, 1, width] if time_major else [1, length, 1, width]
            )
        tables.append(table)

    def rotate(x):
        if x is None:
            return None
        s, c = (t.astype(x.dtype) for t in tables)
        return x * c + _turned(x, use_neox_rotary_style) * s

    return rotate(q), rotate(k), rotate(v)


def variable_length_memory_efficient_attention(
    query,
    key,
    value,
    seq_lens,
    kv_seq_lens,
    mask=None,
    scale=None,
    causal=False,
    pre_cache_length=0,
):
    """Attention of a batch whose sequences have lengths of their own.

    Args:
        query (Tensor): Of shape [batch, heads, length, head].
        key (Tensor): Of shape [batch, heads of keys, keys, head]; heads are a multiple of those of
            keys.
        value (Tensor): As key.
        seq_lens (Tensor): The queries of each sequence, of shape [batch, 1]; results beyond are 0.
        kv_seq_lens (Tensor): The keys of each sequence, of shape [batch, 1].
        mask (Tensor, default None): What is added to scores, of shape [batch, 1, length, keys];
            None for nothing.
        scale (float, default None): The factor of scores; None for 1 / sqrt(head).
        causal (bool, default False): Whether a query sees the keys up to its own place only.
        pre_cache_length (int, default 0): How many keys before those it sees too.

    Returns:
        Tensor: as query.

    Raises:
        ValueError: heads are no multiple of those of keys.

    Examples:
        >>> q = paddle.zeros([1, 1, 2, 4])
        >>> v = paddle.to_tensor([[[[1.0] * 4, [3.0] * 4]]])
        >>> lengths = paddle.to_tensor([[2]], "int32")
        >>> out = paddle.incubate.nn.functional.variable_length_memory_efficient_attention(
        ...     q, v, v, lengths, lengths, causal=True)
        >>> out[0, 0, :, 0].tolist()
        [1.0, 2.0]
    """
    expect_tensors(
        "variable_length_memory_efficient_attention",
        query=query,
        key=key,
        kv_seq_lens=kv_seq_lens,
        seq_lens=seq_lens,
    )
    heads, width, length = query.shape[1], query.shape[3], extents(query)[2]
    if min(heads, width, key.shape[1]) < 0:
        raise ValueError(
            "[variable_length_memory_efficient_attention] expected known heads and widths, got "
            f"shapes {list(query.shape)} and {list(key.shape)}"
        )
    times = heads // key.shape[1]
    if key.shape[1] * times != heads:
        raise ValueError(
            f"[variable_length_memory_efficient_attention] expected {heads} heads to be a "
            f"multiple of those of key, got {key.shape[1]}"
        )
    if times > 1:
        key, value = (
            paddle.repeat_interleave(key, times, axis=1),
            paddle.repeat_interleave(value, times, axis=1),
        )
    scores = paddle.matmul(query, key, transpose_y=True) * (width**-0.5 if scale is None else scale)
    if mask is not None:
        scores = scores + _additive(mask, scores.dtype)
    columns, rows = paddle.arange(extents(key)[2]), paddle.arange(length).reshape([length, 1])
    seen = columns < kv_seq_lens.astype('int64').reshape([-1, 1, 1, 1])
    if causal:
        seen = paddle.logical_and(seen, columns <= rows + pre_cache_length)
    scores = F.softmax(
        paddle.where(
            seen,
            scores,
            paddle.full([], -1e30 if scores.dtype != paddle.float16 else -6e4, scores.dtype),
        ),
        axis=-1,
    )
    real = rows < seq_lens.astype('int64').reshape([-1, 1, 1, 1])
    return paddle.matmul(scores, value) * real.astype(query.dtype)
