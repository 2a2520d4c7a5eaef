# SPDX-License-Identifier: Apache-2.0
"""A stack of Transformer layers as one call, for prompts and the steps of generation."""

import paddle
from paddle.base.arguments import only
from paddle.base.libpaddle import expect_tensors
from paddle.nn import functional as F
from paddle.tensor.manipulation import extents

from .attention import _additive
from .generation import _attended, _expect_optional, _rotated

__all__ = ['fused_multi_transformer']

_OP = 'fused_multi_transformer'
_LISTS = (
    'ln_scales ln_biases qkv_weights qkv_biases linear_weights linear_biases ffn_ln_scales '
    'ffn_ln_biases ffn1_weights ffn1_biases ffn2_weights ffn2_biases'
).split()
_ACTIVATIONS = {
    'gelu': F.gelu,
    'relu': F.relu,
    'swiglu': F.swiglu,
    'geglu': lambda x: F.gelu(paddle.chunk(x, 2, axis=-1)[0]) * paddle.chunk(x, 2, axis=-1)[1],
}


def _check_lists(lists):
    """Refuses what is no list of a tensor for each layer; only weights have to be there."""
    for what, values in lists.items():
        if values is None and not what.endswith('weights'):
            continue
        if not isinstance(values, (list, tuple)) or not values:
            raise TypeError(f"[{_OP}] expected {what} to be a list of tensors, got {values!r}")
        for value in values:
            expect_tensors(_OP, **{what: value})
    layers = len(lists['qkv_weights'])
    for what, values in lists.items():
        if values is not None and len(values) != layers:
            raise ValueError(f"[{_OP}] expected {layers} tensors in {what}, got {len(values)}")


def fused_multi_transformer(
    x,
    ln_scales,
    ln_biases,
    qkv_weights,
    qkv_biases,
    linear_weights,
    linear_biases,
    ffn_ln_scales,
    ffn_ln_biases,
    ffn1_weights,
    ffn1_biases,
    ffn2_weights,
    ffn2_biases,
    pre_layer_norm=True,
    epsilon=1e-05,
    residual_alpha=1.0,
    cache_kvs=None,
    beam_offset=None,
    pre_caches=None,
    seq_lens=None,
    rotary_embs=None,
    time_step=None,
    attn_mask=None,
    dropout_rate=0.0,
    rotary_emb_dims=0,
    activation='gelu',
    training=False,
    mode='upscale_in_train',
    trans_qkvw=True,
    ring_id=-1,
    norm_type='layernorm',
    use_neox_rotary_style=False,
    gqa_group_size=-1,
    name=None,
):
    """Layers of self-attention and a feed-forward block, one after another.

    With caches, a prompt's keys and values are written from place 0 on; with `time_step` x is one
    token, which is written at that place and attends to all before it. Caches are written in place.

    Args:
        x (Tensor): The input, of shape [batch, length, width].
        ln_scales (list of Tensors): For each layer the scale of the norm of its attention, [width].
        ln_biases (list of Tensors or None): The shifts of these norms; None for none.
        qkv_weights (list of Tensors): The weights of queries, keys and values, [3, heads, head,
            width], or [heads + 2 * gqa_group_size, head, width]; with the width first where
            trans_qkvw is False.
        qkv_biases (list of Tensors or None): Their biases, without the width; None for none.
        linear_weights (list of Tensors): The weights of projections, [heads * head, width].
        linear_biases (list of Tensors or None): Their biases, [width]; None for none.
        ffn_ln_scales (list of Tensors): The scales of norms of feed-forward blocks, [width].
        ffn_ln_biases (list of Tensors or None): Their shifts; None for none.
        ffn1_weights (list of Tensors): The weights before the activation, [width, hidden]; of twice
            the columns for gated ones.
        ffn1_biases (list of Tensors or None): Their biases; None for none.
        ffn2_weights (list of Tensors): The weights behind it, [hidden, width].
        ffn2_biases (list of Tensors or None): Their biases; None for none.
        pre_layer_norm (bool, default True): Whether norms are before their blocks, not behind them.
        epsilon (float, default 1e-05): What is added to variances.
        residual_alpha (float, default 1.0): The factor of residuals.
        cache_kvs (list of Tensors, default None): The keys and values of each layer, of shape [2,
            batch, heads of keys, places, head]; None for none.
        beam_offset (Tensor, default None): Only None.
        pre_caches (list of Tensors, default None): Keys and values before x, of shape [2, batch,
            heads of keys, places, head], which prompts attend to; None for none.
        seq_lens (Tensor, default None): The length of each prompt, or at a step the place of each
            token, of shape [batch] or [batch, 1]; None where all are alike.
        rotary_embs (Tensor, default None): Cosines and sines, of shape [2, batch, 1, length, head];
            None for no rotation.
        time_step (Tensor, default None): The place of a step, of shape [1]; None for prompts.
        attn_mask (Tensor, default None): What is added to scores, [batch, 1, length, keys], or a
            bool that is True where a key counts; None for none.
        dropout_rate (float, default 0.0): The dropout of what residuals are added to.
        rotary_emb_dims (int, default 0): 1 rotates queries and keys; 0 does not.
        activation (str, default 'gelu'): `gelu`, `relu`, `swiglu` or `geglu`.
        training (bool, default False): Whether elements are dropped.
        mode (str, default 'upscale_in_train'): `upscale_in_train`, or `downscale_in_infer`, as
            `paddle.nn.functional.dropout` has them.
        trans_qkvw (bool, default True): Whether qkv_weights have the width last.
        ring_id (int, default -1): Only -1.
        norm_type (str, default 'layernorm'): `layernorm` or `rmsnorm`.
        use_neox_rotary_style (bool, default False): Whether rotated pairs are an element of each
            half, not neighbours.
        gqa_group_size (int, default -1): How many heads keys and values have; -1 for as many as
            queries.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor or tuple of Tensors: as x; with cache_kvs also the list of caches.

    Raises:
        TypeError: A list that is none, or holds no tensors.
        ValueError: Lists of different lengths, shapes that do not fit, another activation or
            norm_type, or no place in a cache.
        NotImplementedError: Another ring_id or rotary_emb_dims, or a beam_offset.

    Source: Vaswani and others, Attention is all you need, https://arxiv.org/abs/1706.03762.

    Examples:
        >>> x, one, zero = paddle.rand([1, 3, 4]), paddle.ones([4]), paddle.zeros([4, 4])
        >>> cache = paddle.zeros([2, 1, 2, 8, 2])
        >>> out, caches = paddle.incubate.nn.functional.fused_multi_transformer(
        ...     x, [one], None, [paddle.rand([3, 2, 2, 4])], None, [zero], None, [one], None,
        ...     [zero], None, [zero], None, cache_kvs=[cache])
        >>> bool((out == x).all())  # what blocks add is 0
        True
        >>> (cache[0, 0, 0].abs().sum(-1) > 0).tolist()  # the keys of three places
        [True, True, True, False, False, False, False, False]
    """
    expect_tensors(_OP, x=x)
    _expect_optional(
        _OP, seq_lens=seq_lens, rotary_embs=rotary_embs, time_step=time_step, attn_mask=attn_mask
    )
    only(
        _OP,
        'each sequence has one beam, on this device',
        ring_id=(ring_id, -1),
        beam_offset=(beam_offset, None),
        rotary_emb_dims=(rotary_emb_dims, 0, 1),
    )
    if activation not in _ACTIVATIONS or norm_type not in ('layernorm', 'rmsnorm'):
        raise ValueError(
            f"[{_OP}] expected activation {', '.join(_ACTIVATIONS)} and norm_type layernorm or "
            f"rmsnorm, got {activation!r} and {norm_type!r}"
        )
    given = (
        *(ln_scales, ln_biases, qkv_weights, qkv_biases, linear_weights, linear_biases),
        *(ffn_ln_scales, ffn_ln_biases, ffn1_weights, ffn1_biases, ffn2_weights, ffn2_biases),
    )
    lists = dict(zip(_LISTS, given), cache_kvs=cache_kvs, pre_caches=pre_caches)
    _check_lists(lists)
    if rotary_emb_dims and rotary_embs is None:
        raise ValueError(f"[{_OP}] expected rotary_embs with rotary_emb_dims 1, got None")
    if time_step is not None and (cache_kvs is None or x.shape[1] != 1):
        raise ValueError(
            f"[{_OP}] expected cache_kvs and one token with time_step, got x of shape "
            f"{list(x.shape)}{' without caches' if cache_kvs is None else ''}"
        )

    def dropped(out):
        return F.dropout(out, dropout_rate, training=training, mode=mode)

    def normed(out, scale, shift):
        if norm_type == 'layernorm':
            return F.layer_norm(out, out.shape[-1], scale, shift, epsilon)
        out = F.rms_norm(out, [out.shape[-1]], scale, epsilon)
        return out if shift is None else out + shift

    if gqa_group_size > 0:
        kv_heads = gqa_group_size
        heads = qkv_weights[0].shape[0 if trans_qkvw else 1] - 2 * kv_heads
    else:
        heads = kv_heads = qkv_weights[0].shape[1 if trans_qkvw else 2]
    plan = _Positions(x, seq_lens, time_step, attn_mask)
    tables = rotary_embs.astype('float32') if rotary_emb_dims else None
    for at in range(len(qkv_weights)):
        part = {what: None if values is None else values[at] for what, values in lists.items()}
        out = normed(x, part['ln_scales'], part['ln_biases']) if pre_layer_norm else x
        queries, keys, values = _projected(
            out, part['qkv_weights'], part['qkv_biases'], heads, kv_heads, trans_qkvw
        )
        if tables is not None:
            cos, sin = plan.tables(tables)
            queries, keys = (_rotated(t, cos, sin, use_neox_rotary_style) for t in (queries, keys))
        keys, values, mask = plan.kept(keys, values, part['cache_kvs'], part['pre_caches'])
        out = _attended(queries, keys, values, mask)
        out = out.transpose([0, 2, 1, 3]).reshape([0, 0, -1])
        out = F.linear(out, part['linear_weights'], part['linear_biases'])
        x = x * residual_alpha + dropped(out)
        if not pre_layer_norm:
            x = normed(x, part['ln_scales'], part['ln_biases'])
        out = normed(x, part['ffn_ln_scales'], part['ffn_ln_biases']) if pre_layer_norm else x
        out = _ACTIVATIONS[activation](F.linear(out, part['ffn1_weights'], part['ffn1_biases']))
        out = F.linear(dropped(out), part['ffn2_weights'], part['ffn2_biases'])
        x = x * residual_alpha + dropped(out)
        if not pre_layer_norm:
            x = normed(x, part['ffn_ln_scales'], part['ffn_ln_biases'])
    return x if cache_kvs is None else (x, cache_kvs)


def _projected(x, weight, bias, heads, kv_heads, width_last):
    """Queries, keys and values of x, each [batch, heads, length, head]."""
    width = x.shape[-1]
    if weight.shape[-1 if width_last else 0] != width:
        raise ValueError(
            f"[{_OP}] expected qkv_weights of width {width} in axis "
            f"{len(weight.shape) - 1 if width_last else 0}, got shape {list(weight.shape)}"
        )
    head = weight.shape[-2 if width_last else -1]
    flat = weight.reshape([-1, width]) if width_last else weight.reshape([width, -1])
    out = paddle.matmul(x, flat, transpose_y=width_last)
    if bias is not None:
        out = out + bias.reshape([-1])
    out = out.reshape([0, 0, heads + 2 * kv_heads, head])
    out = out.transpose([0, 2, 1, 3])
    return paddle.split(out, [heads, kv_heads, kv_heads], axis=1)


class _Positions:
    """Where the tokens of a call stand: from place 0 on, or at a step; what they may attend to."""

    def __init__(self, x, seq_lens, time_step, mask):
        self.batch, self.length = x.shape[0], extents(x)[1]
        self.mask = None if mask is None else _additive(mask, 'float32')
        self.step = None
        lengths = None if seq_lens is None else seq_lens.astype('int64').reshape([self.batch])
        if time_step is not None:
            step = time_step.astype('int64').reshape([1]).expand([self.batch])
            self.step = step if lengths is None else lengths
        elif lengths is not None:  # keys behind the end of a prompt do not count
            behind = paddle.arange(self.length) >= lengths.reshape([-1, 1, 1, 1])
            low = paddle.where(behind, paddle.full([], -1e30), paddle.zeros([]))
            self.mask = low if self.mask is None else self.mask + low

    def tables(self, tables):
        """Cosines and sines of the tokens, [batch, 1, length, head]."""
        tables = tables.reshape([2, -1, 1, *tables.shape[-2:]])
        if self.step is None:
            tables = tables[:, :, :, : self.length]
        elif tables.shape[3] > 1:  # of all places
            every = tables.expand([2, self.batch, *tables.shape[2:]])[:, :, 0]
            tables = every[:, paddle.arange(self.batch), self.step].reshape(
                [2, self.batch, 1, 1, -1]
            )
        return tables[0], tables[1]

    def kept(self, keys, values, cache, before):
        """(keys, values, mask) that tokens attend to; the cache gets those of the call."""
        if cache is not None:
            self._write(cache, keys, values)
        if self.step is not None:
            return (*self._seen(cache), self._step_mask(cache))
        if before is not None:
            keys, values = (
                paddle.concat([old.astype(new.dtype), new], axis=2)
                for old, new in zip((before[0], before[1]), (keys, values))
            )
        return keys, values, self._prompt_mask(keys.shape[2])

    def _prompt_mask(self, count):
        """The mask of prompts; one of the call's own tokens lets all before them be seen."""
        if self.mask is None or self.mask.shape[-1] in (1, count):
            return self.mask
        room = paddle.zeros([*self.mask.shape[:-1], count - self.mask.shape[-1]])
        return paddle.concat([room, self.mask], axis=-1)

    def _write(self, cache, keys, values):
        _, batch, heads, places, head = cache.shape if cache.ndim == 5 else [0] * 5
        want = [self.batch, keys.shape[1], keys.shape[3]]
        if cache.ndim != 5 or [batch, heads, head] != want or cache.shape[0] != 2:
            raise ValueError(
                f"[{_OP}] expected cache_kvs of shape [2, {want[0]}, {want[1]}, places, "
                f"{want[2]}], got {list(cache.shape)}"
            )
        last = self.length - 1 if self.step is None else int(self.step.max())
        if last >= places or (self.step is not None and int(self.step.min()) < 0):
            raise ValueError(f"[{_OP}] expected places from 0 to {places - 1}, got {last}")
        cache._before_write(_OP, False)
        both = paddle.stack([keys, values]).detach().astype(cache.dtype)
        if self.step is None:
            cache[:, :, :, : self.length] = both
            return
        index = (
            paddle.arange(2).reshape([2, 1, 1]),
            paddle.arange(batch).reshape([1, batch, 1]),
            paddle.arange(heads).reshape([1, 1, heads]),
            self.step.reshape([1, batch, 1]),
        )
        with paddle.no_grad():
            paddle.index_put_(cache, index, both[:, :, :, 0])

    def _places(self, cache):
        """How many places of the cache a step looks at."""
        if self.mask is not None and self.mask.shape[-1] > 1:
            return min(self.mask.shape[-1], cache.shape[3])
        return int(self.step.max()) + 1

    def _seen(self, cache):
        seen = self._places(cache)
        return cache[0][:, :, :seen], cache[1][:, :, :seen]

    def _step_mask(self, cache):
        seen = self._places(cache)
        behind = paddle.arange(seen) > self.step.reshape([-1, 1, 1, 1])
        mask = paddle.where(behind, paddle.full([], -1e30), paddle.zeros([]))
        return mask if self.mask is None else mask + self.mask[..., :seen]
