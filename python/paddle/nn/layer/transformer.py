# SPDX-License-Identifier: Apache-2.0
"""Multi-head attention and the Transformer of "Attention Is All You Need"."""

import collections

import paddle
from paddle import _C_ops, _lazy
from paddle.base.arguments import layer_count
from paddle.base.documentation import shares
from paddle.base.framework import Tensor
from paddle.base.param_attr import ParamAttr
from paddle.tensor.manipulation import extents

from .. import functional as F
from .common import Dropout, Linear
from .container import LayerList
from .layers import Layer
from .norm import LayerNorm

__all__ = [
    "MultiHeadAttention",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "Transformer",
]


def _attrs(attr, n):
    """n ParamAttrs, from one or from a list."""
    if isinstance(attr, (list, tuple)):
        if len(attr) == n:
            return [a if isinstance(a, bool) else ParamAttr._to_attr(a) for a in attr]
        if n == 3 and len(attr) == 2:
            first, last = attr
            return [first, first, last]
        raise AssertionError(f"[Transformer] expected 2 or {n} attributes, got {len(attr)}")
    if isinstance(attr, bool):
        return [attr] * n
    attr = ParamAttr._to_attr(attr)
    out = []
    for _ in range(n):
        copy = ParamAttr(**{k: v for k, v in vars(attr).items() if k != "name"})
        copy.name = attr.name
        out.append(copy)
    if attr.name:
        for i, a in enumerate(out):
            a.name = f"{attr.name}_{i}"
    return out


def _mask(mask, dtype):
    """An additive mask: False becomes a large negative number; an integer mask is cast."""
    if mask is None or mask.dtype == dtype:
        return mask
    if mask.dtype == paddle.bool:
        return (1.0 - paddle.cast(mask, dtype)) * -1e9
    if "int" in str(mask.dtype):
        return (1.0 - paddle.cast(mask, dtype)) * -1e9
    return paddle.cast(mask, dtype)


class MultiHeadAttention(Layer):
    """Attention of query [batch, q, embed_dim] over key and value [batch, k, kdim / vdim], with
    num_heads heads.

    Args:
        embed_dim (int): How many features the query and the result have.
        num_heads (int): How many heads there are.
        dropout (float, default 0.0): The dropout of attention weights.
        kdim (int, default None): How many features the key has; None for embed_dim.
        vdim (int, default None): How many features the value has; None for embed_dim.
        need_weights (bool, default False): Whether the weights are returned too.
        weight_attr (ParamAttr, default None): How the weight is made.
        bias_attr (ParamAttr or bool, default None): How the bias is made; False for none.

    Source: Vaswani et al., Attention is all you need, 2017

    Examples:
        >>> layer = paddle.nn.MultiHeadAttention(8, 2)
        >>> layer(paddle.ones([3, 5, 8])).shape
        paddle.Size([3, 5, 8])
        >>> layer(paddle.ones([3, 5, 8]), paddle.ones([3, 4, 8]), paddle.ones([3, 4, 8])).shape
        paddle.Size([3, 5, 8])
    """

    Cache = collections.namedtuple("Cache", ["k", "v"])
    StaticCache = collections.namedtuple("StaticCache", ["k", "v"])

    def __init__(
        self,
        embed_dim,
        num_heads,
        dropout=0.0,
        kdim=None,
        vdim=None,
        need_weights=False,
        weight_attr=None,
        bias_attr=None,
    ):
        super().__init__()
        if embed_dim <= 0:
            raise AssertionError(
                f"[MultiHeadAttention] expected a positive embed_dim, got {embed_dim}"
            )
        if num_heads <= 0:
            raise AssertionError(
                f"[MultiHeadAttention] expected positive num_heads, got {num_heads}"
            )
        if embed_dim % num_heads:
            raise AssertionError(
                "[MultiHeadAttention] expected embed_dim to be a multiple of num_heads, got "
                f"{embed_dim} and {num_heads}"
            )
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.head_dim = embed_dim // num_heads
        self.kdim, self.vdim = (embed_dim if d is None else d for d in (kdim, vdim))
        self.dropout, self.need_weights = dropout, need_weights
        self.q_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)
        self.k_proj = Linear(self.kdim, embed_dim, weight_attr, bias_attr)
        self.v_proj = Linear(self.vdim, embed_dim, weight_attr, bias_attr)
        self.out_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)

    def _heads(self, x):
        x = _C_ops.reshape(x, [0, 0, self.num_heads, self.head_dim])
        return _C_ops.transpose(x, [0, 2, 1, 3])

    def _prepare_qkv(self, query, key, value, cache=None):
        q = self._heads(self.q_proj(query))
        if isinstance(cache, self.StaticCache):
            k, v = cache.k, cache.v
        else:
            k, v = self.compute_kv(key, value)
        if isinstance(cache, self.Cache):
            k = paddle.concat([cache.k, k], axis=2)
            v = paddle.concat([cache.v, v], axis=2)
            cache = self.Cache(k, v)
        return (q, k, v) if cache is None else (q, k, v, cache)

    def compute_kv(self, key, value):
        """Projected key and value, [batch, heads, length, head_dim] each."""
        return self._heads(self.k_proj(key)), self._heads(self.v_proj(value))

    def gen_cache(self, key, value=None, type=Cache):
        """A StaticCache of projected (key, value), an empty Cache for decoding, or a Cache of given
        tensors.
        """
        if type == MultiHeadAttention.StaticCache:
            return self.StaticCache(*self.compute_kv(key, key if value is None else value))
        if value is None:
            batch = extents(key)[0]
            empty = _C_ops.full([batch, self.num_heads, 0, self.head_dim], 0.0, key.dtype)
            return self.Cache(empty, empty.clone())
        return self.Cache(key, value)

    def forward(self, query, key=None, value=None, attn_mask=None, cache=None):
        """The attended values; with weights and the new cache appended if asked for."""
        key = query if key is None else key
        value = query if value is None else value
        prepared = self._prepare_qkv(query, key, value, cache)
        q, k, v = prepared[:3]
        scale, dropout = self.head_dim**-0.5, self.dropout if self.training else 0.0
        if self.need_weights:
            scores = _C_ops.matmul(q * scale, k, False, True)
            mask = _mask(attn_mask, scores.dtype)
            if mask is not None:
                scores = scores + mask
            weights = _C_ops.softmax(scores, -1)
            if self.dropout:
                weights = F.dropout(
                    weights, self.dropout, training=self.training, mode="upscale_in_train"
                )
            out = _C_ops.matmul(weights, v, False, False)
        else:
            out = _C_ops._attention(q, k, v, _mask(attn_mask, q.dtype), scale, False, dropout, True)
        out = _C_ops.transpose(out, [0, 2, 1, 3])
        out = self.out_proj(_C_ops.reshape(out, [0, 0, self.embed_dim]))
        outs = [out]
        if self.need_weights:
            outs.append(weights)
        if cache is not None:
            outs.append(prepared[3])
        return out if len(outs) == 1 else tuple(outs)


class _Block(Layer):
    """Attentions and a feed-forward network, each with dropout, residual and layer norm."""

    def _build(self, attentions, config):
        config = {k: v for k, v in config.items() if k not in ("self", "__class__")}
        self._config = config
        d_model, dim_feedforward, dropout = (
            config["d_model"],
            config["dim_feedforward"],
            config["dropout"],
        )
        attn_dropout = dropout if config["attn_dropout"] is None else config["attn_dropout"]
        act_dropout = dropout if config["act_dropout"] is None else config["act_dropout"]
        count = len(attentions) + 1
        weights, biases = _attrs(config["weight_attr"], count), _attrs(config["bias_attr"], count)
        self.normalize_before = config["normalize_before"]
        for name, weight, bias in zip(attentions, weights, biases):
            setattr(
                self,
                name,
                MultiHeadAttention(
                    d_model, config["nhead"], attn_dropout, weight_attr=weight, bias_attr=bias
                ),
            )
        self.linear1 = Linear(d_model, dim_feedforward, weights[-1], bias_attr=biases[-1])
        self.dropout = Dropout(act_dropout, mode="upscale_in_train")
        self.linear2 = Linear(dim_feedforward, d_model, weights[-1], bias_attr=biases[-1])
        for k in range(1, count + 1):
            setattr(self, f"norm{k}", LayerNorm(d_model, config["layer_norm_eps"]))
        for k in range(1, count + 1):
            setattr(self, f"dropout{k}", Dropout(dropout, mode="upscale_in_train"))
        self.activation = getattr(F, config["activation"])

    def _around(self, x, norm, dropout, part):
        """x + dropout(part(x)) with its norm before or after; `part` gives a value, or a value and
        a cache.
        """
        out = part(norm(x) if self.normalize_before else x)
        out, cache = out if isinstance(out, tuple) else (out, None)
        out = x + dropout(out)
        return out if self.normalize_before else norm(out), cache

    def _feed_forward(self, x):
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Block):
    """Self attention and a feed-forward network, each with dropout, residual and layer norm.

    Args:
        d_model (int): How many features a position has.
        nhead (int): How many heads attention has.
        dim_feedforward (int): How many features the feed-forward network has inside.
        dropout (float, default 0.1): The dropout after each block.
        activation (str, default 'relu'): The activation of the feed-forward network, `relu` or
            `gelu`.
        attn_dropout (float, default None): The dropout of attention weights; None for dropout.
        act_dropout (float, default None): The dropout after the activation; None for dropout.
        normalize_before (bool, default False): Whether layer norm comes before a block, else after
            its residual.
        weight_attr (ParamAttr or list of ParamAttrs, default None): How the weights are made;
            several are for attention and the feed-forward network.
        bias_attr (ParamAttr, bool or list of ParamAttrs, default None): The same of the biases;
            False for none.
        layer_norm_eps (float, default 1e-05): The epsilon of layer norms.

    Examples:
        >>> layer = paddle.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)
        >>> layer(paddle.ones([3, 5, 8])).shape
        paddle.Size([3, 5, 8])
    """

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward,
        dropout=0.1,
        activation="relu",
        attn_dropout=None,
        act_dropout=None,
        normalize_before=False,
        weight_attr=None,
        bias_attr=None,
        layer_norm_eps=1e-05,
    ):
        config = locals()
        super().__init__()
        self._build(["self_attn"], config)

    def forward(self, src, src_mask=None, cache=None):
        """src [batch, length, d_model] encoded; with a cache also the new cache."""
        src_mask = _mask(src_mask, src.dtype)
        extra = () if cache is None else (cache,)
        src, new_cache = self._around(
            src, self.norm1, self.dropout1, lambda x: self.self_attn(x, x, x, src_mask, *extra)
        )
        src, _ = self._around(src, self.norm2, self.dropout2, self._feed_forward)
        return src if cache is None else (src, new_cache)

    def gen_cache(self, src):
        """An empty cache of the self attention."""
        return self.self_attn.gen_cache(src, type=MultiHeadAttention.Cache)


class TransformerEncoder(Layer):
    """A stack of encoder layers; the first is the one given, the others are built like it.

    Args:
        encoder_layer (Layer): The first layer.
        num_layers (int): How many layers there are.
        norm (Layer, default None): What follows the last layer; None for nothing.

    Examples:
        >>> net = paddle.nn.TransformerEncoder(paddle.nn.TransformerEncoderLayer(8, 2, 16), 2)
        >>> net(paddle.ones([3, 5, 8])).shape
        paddle.Size([3, 5, 8])
    """

    def __init__(self, encoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = LayerList(
            [
                encoder_layer if i == 0 else type(encoder_layer)(**encoder_layer._config)
                for i in range(layer_count('TransformerEncoder', 'num_layers', num_layers))
            ]
        )
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, src, src_mask=None, cache=None):
        """src [batch, length, d_model] encoded; with caches also the new caches."""
        src_mask = _mask(src_mask, src.dtype)
        out, caches = src, []
        for i, layer in enumerate(self.layers):
            if cache is None:
                out = layer(out, src_mask=src_mask)
            else:
                out, new = layer(out, src_mask=src_mask, cache=cache[i])
                caches.append(new)
        if self.norm is not None:
            out = self.norm(out)
        return out if cache is None else (out, caches)

    def gen_cache(self, src):
        """Empty caches, one a layer."""
        return [layer.gen_cache(src) for layer in self.layers]


@shares(TransformerEncoderLayer)
class TransformerDecoderLayer(_Block):
    """Masked self attention, attention over the memory, and a feed-forward network.

    Args:
        {d_model, nhead, dim_feedforward, dropout, activation, attn_dropout, act_dropout}
        {normalize_before}
        weight_attr (ParamAttr or list of ParamAttrs, default None): How the weights are made;
            several are for attention, cross attention and the feed-forward network.
        {bias_attr, layer_norm_eps}

    Examples:
        >>> layer = paddle.nn.TransformerDecoderLayer(8, 2, 16)
        >>> layer(paddle.ones([3, 4, 8]), paddle.ones([3, 5, 8])).shape
        paddle.Size([3, 4, 8])
    """

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward,
        dropout=0.1,
        activation="relu",
        attn_dropout=None,
        act_dropout=None,
        normalize_before=False,
        weight_attr=None,
        bias_attr=None,
        layer_norm_eps=1e-05,
    ):
        config = locals()
        super().__init__()
        self._build(["self_attn", "cross_attn"], config)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, cache=None):
        """tgt [batch, length, d_model] decoded against memory; with a cache also the new (self,
        static) caches.
        """
        tgt_mask, memory_mask = _mask(tgt_mask, tgt.dtype), _mask(memory_mask, memory.dtype)
        first, second = (
            (None, None) if cache is None else (cache[0], cache[1] if len(cache) > 1 else None)
        )
        tgt, own = self._around(
            tgt, self.norm1, self.dropout1, lambda x: self.self_attn(x, x, x, tgt_mask, first)
        )
        tgt, static = self._around(
            tgt,
            self.norm2,
            self.dropout2,
            lambda x: self.cross_attn(x, memory, memory, memory_mask, second),
        )
        tgt, _ = self._around(tgt, self.norm3, self.dropout3, self._feed_forward)
        return tgt if cache is None else (tgt, (own, static))

    def gen_cache(self, memory):
        """(empty cache of the self attention, static cache of the memory)."""
        return (
            self.self_attn.gen_cache(memory, type=MultiHeadAttention.Cache),
            self.cross_attn.gen_cache(memory, memory, type=MultiHeadAttention.StaticCache),
        )


class TransformerDecoder(Layer):
    """A stack of decoder layers; the first is the one given, the others are built like it.

    Args:
        decoder_layer (Layer): The first layer.
        num_layers (int): How many layers there are.
        norm (Layer, default None): What follows the last layer; None for nothing.

    Examples:
        >>> layer = paddle.nn.TransformerDecoderLayer(8, 2, 16)
        >>> net = paddle.nn.TransformerDecoder(layer, 2)
        >>> net(paddle.ones([3, 4, 8]), paddle.ones([3, 5, 8])).shape
        paddle.Size([3, 4, 8])
    """

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = LayerList(
            [
                decoder_layer if i == 0 else type(decoder_layer)(**decoder_layer._config)
                for i in range(layer_count('TransformerDecoder', 'num_layers', num_layers))
            ]
        )
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, cache=None):
        """tgt decoded against memory; with caches also the new caches."""
        tgt_mask, memory_mask = _mask(tgt_mask, tgt.dtype), _mask(memory_mask, memory.dtype)
        out, caches = tgt, []
        for i, layer in enumerate(self.layers):
            if cache is None:
                out = layer(out, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, cache=None)
            else:
                out, new = layer(
                    out, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, cache=cache[i]
                )
                caches.append(new)
        if self.norm is not None:
            out = self.norm(out)
        return out if cache is None else (out, caches)

    def gen_cache(self, memory, do_zip=False):
        """Caches, one a layer; zipped into (all self caches, all static caches) if do_zip."""
        caches = [layer.gen_cache(memory) for layer in self.layers]
        return list(zip(*caches)) if do_zip else caches


@shares(TransformerEncoderLayer)
class Transformer(Layer):
    """Encoder and decoder.

    Args:
        d_model (int, default 512): How many features a position has.
        nhead (int, default 8): How many heads attention has.
        num_encoder_layers (int, default 6): How many layers the encoder has.
        num_decoder_layers (int, default 6): How many layers the decoder has.
        dim_feedforward (int, default 2048): How many features the feed-forward network has inside.
        {dropout, activation, attn_dropout, act_dropout, normalize_before}
        weight_attr (ParamAttr or list of ParamAttrs, default None): How the weights are made;
            several are for attention, cross attention and the feed-forward network.
        {bias_attr}
        custom_encoder (Layer, default None): An encoder instead of that made here.
        custom_decoder (Layer, default None): A decoder instead of that made here.

    Source: Vaswani et al., Attention is all you need, 2017

    Examples:
        >>> net = paddle.nn.Transformer(8, 2, 1, 1, 16)
        >>> net(paddle.ones([3, 5, 8]), paddle.ones([3, 4, 8])).shape
        paddle.Size([3, 4, 8])
        >>> net.generate_square_subsequent_mask(2).tolist()
        [[0.0, -inf], [0.0, 0.0]]
    """

    def __init__(
        self,
        d_model=512,
        nhead=8,
        num_encoder_layers=6,
        num_decoder_layers=6,
        dim_feedforward=2048,
        dropout=0.1,
        activation="relu",
        attn_dropout=None,
        act_dropout=None,
        normalize_before=False,
        weight_attr=None,
        bias_attr=None,
        custom_encoder=None,
        custom_decoder=None,
    ):
        super().__init__()
        if d_model <= 0 or nhead <= 0 or dim_feedforward <= 0:
            raise AssertionError(
                f"[Transformer] expected d_model, nhead and dim_feedforward to be greater "
                f"than 0, got {d_model}, {nhead}, {dim_feedforward}"
            )

        def spread(attr, wanted):
            if not isinstance(attr, (list, tuple)):
                return attr
            if len(attr) == 1:
                return [attr[0]] * wanted
            if len(attr) == 2:
                return list(attr) if wanted == 2 else [attr[0], attr[0], attr[1]]
            if len(attr) == 3:
                return [attr[0], attr[2]] if wanted == 2 else list(attr)
            raise AssertionError(f"[Transformer] expected 1, 2 or 3 attributes, got {len(attr)}")

        common = (
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            attn_dropout,
            act_dropout,
            normalize_before,
        )
        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            layer = TransformerEncoderLayer(*common, spread(weight_attr, 2), spread(bias_attr, 2))
            self.encoder = TransformerEncoder(layer, num_encoder_layers, LayerNorm(d_model))
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            layer = TransformerDecoderLayer(*common, spread(weight_attr, 3), spread(bias_attr, 3))
            self.decoder = TransformerDecoder(layer, num_decoder_layers, LayerNorm(d_model))
        self.d_model = d_model
        self.nhead = nhead

    def forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None):
        """tgt [batch, t, d_model] decoded against the encoded src [batch, s, d_model]."""
        memory = self.encoder(src, src_mask=_mask(src_mask, src.dtype))
        return self.decoder(
            tgt,
            memory,
            tgt_mask=_mask(tgt_mask, tgt.dtype),
            memory_mask=_mask(memory_mask, memory.dtype),
        )

    def generate_square_subsequent_mask(self, length):
        """Additive mask [length, length]: 0 on and below the diagonal, -inf above."""
        if isinstance(length, Tensor):
            length = int(length)
        return paddle.triu(
            paddle.full([length, length], float("-inf"), dtype=paddle.get_default_dtype()), 1
        )


_lazy.serve(globals())
