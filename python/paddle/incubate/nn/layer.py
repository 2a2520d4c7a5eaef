# SPDX-License-Identifier: Apache-2.0
"""Layers that hold the parameters of the fused functions."""

import paddle
from paddle import _lazy
from paddle.base.arguments import only
from paddle.nn import initializer

from . import functional as F

__all__ = [
    'FusedLinear',
    'FusedDropoutAdd',
    'FusedBiasDropoutResidualLayerNorm',
    'FusedMultiHeadAttention',
    'FusedFeedForward',
    'FusedTransformerEncoderLayer',
]


def _positive(op, **values):
    for name, value in values.items():
        if value <= 0:
            raise AssertionError(f"[{op}] expected a positive {name}, got {value}")


class _Block(paddle.nn.Layer):
    def _scale(self, width, attr):
        return self.create_parameter(
            [width], attr, self._dtype, default_initializer=initializer.Constant(1.0)
        )

    def _shift(self, shape, attr):
        return self.create_parameter(shape, attr, self._dtype, is_bias=True)

    def _weight(self, shape, attr):
        return self.create_parameter(shape, attr, self._dtype)


class FusedLinear(_Block):
    """A linear layer: x @ weight + bias.

    Args:
        in_features (int): How many features the input has.
        out_features (int): How many the result has.
        weight_attr (ParamAttr, default None): Attributes of the weight.
        bias_attr (ParamAttr or bool, default None): Attributes of the bias; False for none.
        transpose_weight (bool, default False): Whether the weight is [out_features, in_features],
            not the other way round.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> layer = paddle.incubate.nn.FusedLinear(4, 2, transpose_weight=True)
        >>> layer.weight.shape, layer(paddle.ones([3, 4])).shape
        (paddle.Size([2, 4]), paddle.Size([3, 2]))
    """

    def __init__(
        self,
        in_features,
        out_features,
        weight_attr=None,
        bias_attr=None,
        transpose_weight=False,
        name=None,
    ):
        super().__init__()
        shape = [out_features, in_features] if transpose_weight else [in_features, out_features]
        self.weight, self.bias = (
            self._weight(shape, weight_attr),
            self._shift([out_features], bias_attr),
        )
        self.transpose_weight, self.name = transpose_weight, name

    def forward(self, input):
        """[..., in] to [..., out]."""
        return F.fused_linear(input, self.weight, self.bias, self.transpose_weight)


class FusedDropoutAdd(paddle.nn.Layer):
    """dropout(x) + y.

    Args:
        p (float, default 0.5): The probability that an element of x becomes 0.
        mode (str, default 'upscale_in_train'): `upscale_in_train`, or `downscale_in_infer`, as
            `paddle.nn.functional.dropout` has them.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> layer = paddle.incubate.nn.FusedDropoutAdd(p=0.5)
        >>> _ = layer.eval()
        >>> layer(paddle.ones([2]), paddle.to_tensor([1.0, 2.0])).tolist()
        [2.0, 3.0]
    """

    def __init__(self, p=0.5, mode='upscale_in_train', name=None):
        super().__init__()
        self.p, self.mode, self.name = p, mode, name

    def forward(self, x, y):
        """x and y of one shape."""
        return F.fused_dropout_add(x, y, self.p, self.training, self.mode)

    def extra_repr(self):
        """What the layer was made with."""
        return f'p={self.p}, mode={self.mode}'


class FusedBiasDropoutResidualLayerNorm(_Block):
    """layer_norm(residual + dropout(x + bias)).

    Args:
        embed_dim (int): The extent of the last axis.
        dropout_rate (float, default 0.5): The probability that an element becomes 0.
        weight_attr (ParamAttr, default None): Attributes of the norm's scale.
        bias_attr (ParamAttr or bool, default None): Attributes of the biases; False for none.
        epsilon (float, default 1e-05): What is added to the variance.
        name (str, default None): Taken for compatibility; it has no effect.

    Raises:
        AssertionError: embed_dim is not positive.

    Examples:
        >>> layer = paddle.incubate.nn.FusedBiasDropoutResidualLayerNorm(2, dropout_rate=0.0)
        >>> x = paddle.to_tensor([[1.0, 2.0]])
        >>> layer(x, paddle.zeros([1, 2])).round(3).tolist()
        [[-1.0, 1.0]]
    """

    def __init__(
        self,
        embed_dim,
        dropout_rate=0.5,
        weight_attr=None,
        bias_attr=None,
        epsilon=1e-05,
        name=None,
    ):
        super().__init__()
        _positive('FusedBiasDropoutResidualLayerNorm', embed_dim=embed_dim)
        self.embed_dim, self.dropout_rate, self._epsilon, self.name = (
            embed_dim,
            dropout_rate,
            epsilon,
            name,
        )
        self.linear_bias = self._shift([embed_dim], bias_attr)
        self.ln_scale, self.ln_bias = (
            self._scale(embed_dim, weight_attr),
            self._shift([embed_dim], bias_attr),
        )

    def forward(self, x, residual):
        """x and residual [..., embed_dim]."""
        return F.fused_bias_dropout_residual_layer_norm(
            x,
            residual,
            self.linear_bias,
            self.ln_scale,
            self.ln_bias,
            self.dropout_rate,
            self._epsilon,
            self.training,
        )

    def extra_repr(self):
        """What the layer was made with."""
        return (
            f'embed_dim={self.embed_dim}, dropout_rate={self.dropout_rate}, '
            f'epsilon={self._epsilon}, dtype={self._dtype}'
        )


class FusedMultiHeadAttention(_Block):
    """Self-attention with its norm, projections, dropouts and residual.

    Args:
        embed_dim (int): The features of the input.
        num_heads (int): How many heads there are; they divide embed_dim.
        dropout_rate (float, default 0.5): The dropout behind the projection.
        attn_dropout_rate (float, default 0.5): The dropout of the weights of attention.
        kdim (int, default None): None or embed_dim.
        vdim (int, default None): None or embed_dim.
        normalize_before (bool, default False): Whether the norm is before the block, not behind it.
        need_weights (bool, default False): Only False.
        qkv_weight_attr (ParamAttr, default None): Attributes of the weight of queries, keys and
            values.
        qkv_bias_attr (ParamAttr or bool, default None): Attributes of their bias; False for none.
        linear_weight_attr (ParamAttr, default None): Attributes of the projection's weight.
        linear_bias_attr (ParamAttr or bool, default None): Attributes of its bias; False for none.
        pre_ln_scale_attr (ParamAttr, default None): Attributes of the scale of a norm before.
        pre_ln_bias_attr (ParamAttr or bool, default None): Attributes of its shift; False for none.
        ln_scale_attr (ParamAttr, default None): Attributes of the scale of a norm behind.
        ln_bias_attr (ParamAttr or bool, default None): Attributes of its shift; False for none.
        epsilon (float, default 1e-05): What is added to the variance.
        nranks (int, default 1): Only 1.
        ring_id (int, default -1): Only -1.
        transpose_qkv_wb (bool, default False): Whether the weight of queries, keys and values is
            [embed_dim, 3 * embed_dim], not [3, heads, head, embed_dim].
        name (str, default None): Taken for compatibility; it has no effect.

    Raises:
        AssertionError: need_weights, or heads that do not divide embed_dim.
        ValueError: Another kdim, vdim or nranks.

    Source: Vaswani and others, Attention is all you need, https://arxiv.org/abs/1706.03762.

    Examples:
        >>> layer = paddle.incubate.nn.FusedMultiHeadAttention(8, 2)
        >>> layer(paddle.rand([2, 5, 8])).shape
        paddle.Size([2, 5, 8])
    """

    def __init__(
        self,
        embed_dim,
        num_heads,
        dropout_rate=0.5,
        attn_dropout_rate=0.5,
        kdim=None,
        vdim=None,
        normalize_before=False,
        need_weights=False,
        qkv_weight_attr=None,
        qkv_bias_attr=None,
        linear_weight_attr=None,
        linear_bias_attr=None,
        pre_ln_scale_attr=None,
        pre_ln_bias_attr=None,
        ln_scale_attr=None,
        ln_bias_attr=None,
        epsilon=1e-05,
        nranks=1,
        ring_id=-1,
        transpose_qkv_wb=False,
        name=None,
    ):
        super().__init__()
        _positive('FusedMultiHeadAttention', embed_dim=embed_dim, num_heads=num_heads)
        if embed_dim % num_heads:
            raise AssertionError(
                "[FusedMultiHeadAttention] expected embed_dim to be a multiple of num_heads, got "
                f"{embed_dim} and {num_heads}"
            )
        if need_weights:
            raise AssertionError("[FusedMultiHeadAttention] expected need_weights=False, got True")
        for what, dim in (('kdim', kdim), ('vdim', vdim)):
            if dim not in (None, embed_dim):
                raise ValueError(
                    f"[FusedMultiHeadAttention] expected {what} None or embed_dim {embed_dim}, as "
                    f"key and value are the query, got {dim}"
                )
        if nranks != 1:
            raise ValueError(
                f"[FusedMultiHeadAttention] expected nranks 1, a block on one device, got {nranks}"
            )
        self.normalize_before, self.embed_dim, self.num_heads = (
            normalize_before,
            embed_dim,
            num_heads,
        )
        self.head_dim, self.kdim, self.vdim, self.need_weights = (
            embed_dim // num_heads,
            kdim,
            vdim,
            need_weights,
        )
        self.transpose_qkv_wb = transpose_qkv_wb
        self.dropout_rate, self.attn_dropout_rate = dropout_rate, attn_dropout_rate
        self._epsilon, self._ring_id, self.name = epsilon, ring_id, name
        if transpose_qkv_wb:
            weight, bias = [embed_dim, 3 * embed_dim], [3 * embed_dim]
        else:
            bias = [3, num_heads, self.head_dim]
            weight = [*bias, embed_dim]
        self.qkv_weight, self.qkv_bias = (
            self._weight(weight, qkv_weight_attr),
            self._shift(bias, qkv_bias_attr),
        )
        self.linear_weight = self._weight([embed_dim, embed_dim], linear_weight_attr)
        self.linear_bias = self._shift([embed_dim], linear_bias_attr)
        self.pre_ln_scale = self._scale(embed_dim, pre_ln_scale_attr) if normalize_before else None
        self.pre_ln_bias = self._shift([embed_dim], pre_ln_bias_attr) if normalize_before else None
        self.ln_scale = None if normalize_before else self._scale(embed_dim, ln_scale_attr)
        self.ln_bias = None if normalize_before else self._shift([embed_dim], ln_bias_attr)

    def forward(self, query, key=None, value=None, attn_mask=None, cache=None):
        """query [B, S, embed_dim]; with a cache [2, B, heads, past, head] returns (out, new
        cache).
        """
        if (key is not None and key is not query) or (value is not None and value is not query):
            raise ValueError(
                "[FusedMultiHeadAttention] expected key and value to be the query or None, "
                "got other tensors"
            )
        return F.fused_multi_head_attention(
            query,
            self.qkv_weight,
            self.linear_weight,
            self.normalize_before,
            self.pre_ln_scale,
            self.pre_ln_bias,
            self.ln_scale,
            self.ln_bias,
            self._epsilon,
            self.qkv_bias,
            self.linear_bias,
            cache,
            attn_mask,
            self.dropout_rate,
            self.attn_dropout_rate,
            self._epsilon,
            self.training,
            ring_id=self._ring_id,
            num_heads=self.num_heads,
            transpose_qkv_wb=self.transpose_qkv_wb,
        )

    def extra_repr(self):
        """What the layer was made with."""
        names = (
            'embed_dim',
            'num_heads',
            'dropout_rate',
            'attn_dropout_rate',
            '_epsilon',
            'kdim',
            'vdim',
            'normalize_before',
            'need_weights',
            '_dtype',
        )
        return ', '.join(f'{n.lstrip("_")}={getattr(self, n)}' for n in names)


class FusedFeedForward(_Block):
    """The feed-forward block of a Transformer, with its norm, dropouts and residual.

    Args:
        d_model (int): The features of the input.
        dim_feedforward (int): Those between the two linear layers.
        dropout_rate (float, default 0.1): The dropout behind the second.
        epsilon (float, default 1e-05): What is added to the variance.
        activation (str, default 'relu'): The function between: `relu` or `gelu`.
        act_dropout_rate (float, default None): The dropout behind it; None for dropout_rate.
        normalize_before (bool, default False): Whether the norm is before the block, not behind it.
        linear1_weight_attr (ParamAttr, default None): Attributes of the first layer's weight.
        linear1_bias_attr (ParamAttr or bool, default None): Attributes of its bias; False for none.
        linear2_weight_attr (ParamAttr, default None): Attributes of the second layer's weight.
        linear2_bias_attr (ParamAttr or bool, default None): Attributes of its bias; False for none.
        ln1_scale_attr (ParamAttr, default None): Attributes of the scale of a norm before.
        ln1_bias_attr (ParamAttr or bool, default None): Attributes of its shift; False for none.
        ln2_scale_attr (ParamAttr, default None): Attributes of the scale of a norm behind.
        ln2_bias_attr (ParamAttr or bool, default None): Attributes of its shift; False for none.
        nranks (int, default 1): Only 1.
        ring_id (int, default -1): Only -1.
        name (str, default None): Taken for compatibility; it has no effect.

    Raises:
        AssertionError: d_model or dim_feedforward is not positive.
        ValueError: Another nranks or ring_id.

    Examples:
        >>> layer = paddle.incubate.nn.FusedFeedForward(8, 16)
        >>> layer(paddle.rand([2, 5, 8])).shape
        paddle.Size([2, 5, 8])
    """

    def __init__(
        self,
        d_model,
        dim_feedforward,
        dropout_rate=0.1,
        epsilon=1e-05,
        activation='relu',
        act_dropout_rate=None,
        normalize_before=False,
        linear1_weight_attr=None,
        linear1_bias_attr=None,
        linear2_weight_attr=None,
        linear2_bias_attr=None,
        ln1_scale_attr=None,
        ln1_bias_attr=None,
        ln2_scale_attr=None,
        ln2_bias_attr=None,
        nranks=1,
        ring_id=-1,
        name=None,
    ):
        super().__init__()
        _positive('FusedFeedForward', d_model=d_model, dim_feedforward=dim_feedforward)
        only(
            'FusedFeedForward',
            'the block is on one device',
            nranks=(nranks, 1),
            ring_id=(ring_id, -1),
        )
        self._d_model, self._dim_feedforward, self._dropout_rate = (
            d_model,
            dim_feedforward,
            dropout_rate,
        )
        self._act_dropout_rate = dropout_rate if act_dropout_rate is None else act_dropout_rate
        self._act_method, self._normalize_before, self._epsilon = (
            activation,
            normalize_before,
            epsilon,
        )
        self._ring_id, self.name = ring_id, name
        self._linear1_weight = self._weight([d_model, dim_feedforward], linear1_weight_attr)
        self._linear1_bias = self._shift([dim_feedforward], linear1_bias_attr)
        self._linear2_weight = self._weight([dim_feedforward, d_model], linear2_weight_attr)
        self._linear2_bias = self._shift([d_model], linear2_bias_attr)
        self._ln1_scale = self._scale(d_model, ln1_scale_attr) if normalize_before else None
        self._ln1_bias = self._shift([d_model], ln1_bias_attr) if normalize_before else None
        self._ln2_scale = None if normalize_before else self._scale(d_model, ln2_scale_attr)
        self._ln2_bias = None if normalize_before else self._shift([d_model], ln2_bias_attr)

    def forward(self, src, cache=None):
        """src [B, S, d_model]."""
        only('FusedFeedForward', 'the block keeps nothing from step to step', cache=(cache, None))
        return F.fused_feedforward(
            src,
            self._linear1_weight,
            self._linear2_weight,
            self._linear1_bias,
            self._linear2_bias,
            self._ln1_scale,
            self._ln1_bias,
            self._ln2_scale,
            self._ln2_bias,
            self._act_dropout_rate,
            self._dropout_rate,
            self._act_method,
            self._epsilon,
            self._epsilon,
            self._normalize_before,
            self.training,
            ring_id=self._ring_id,
        )

    def extra_repr(self):
        """What the layer was made with."""
        return (
            f'd_model={self._d_model}, dim_feedforward={self._dim_feedforward}, '
            f'dropout_rate={self._dropout_rate}, epsilon={self._epsilon}, '
            f'activation={self._act_method}, act_dropout_rate={self._act_dropout_rate}, '
            f'normalize_before={self._normalize_before}, dtype={self._dtype}'
        )


class FusedTransformerEncoderLayer(paddle.nn.Layer):
    """A layer of a Transformer's encoder: self-attention, then the feed-forward block.

    Args:
        d_model (int): The features of the input.
        nhead (int): How many heads there are.
        dim_feedforward (int): The features between the linear layers of the second block.
        dropout_rate (float, default 0.1): The dropout behind each block.
        activation (str, default 'relu'): The function of the second block: `relu` or `gelu`.
        attn_dropout_rate (float, default None): The dropout of the weights of attention; None for
            dropout_rate.
        act_dropout_rate (float, default None): The dropout behind the activation; None for
            dropout_rate.
        normalize_before (bool, default False): Whether norms are before the blocks, not behind
            them.
        weight_attr (ParamAttr or list of ParamAttrs, default None): Attributes of weights, or those
            of each block.
        bias_attr (ParamAttr, bool or list, default None): Attributes of biases, or those of each
            block; False for none.

    Source: Vaswani and others, Attention is all you need, https://arxiv.org/abs/1706.03762.

    Examples:
        >>> layer = paddle.incubate.nn.FusedTransformerEncoderLayer(8, 2, 16)
        >>> layer(paddle.rand([2, 5, 8])).shape
        paddle.Size([2, 5, 8])
    """

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward,
        dropout_rate=0.1,
        activation='relu',
        attn_dropout_rate=None,
        act_dropout_rate=None,
        normalize_before=False,
        weight_attr=None,
        bias_attr=None,
    ):
        super().__init__()
        weights = weight_attr if isinstance(weight_attr, (list, tuple)) else [weight_attr] * 2
        biases = bias_attr if isinstance(bias_attr, (list, tuple)) else [bias_attr] * 2
        self.normalize_before = normalize_before
        self.fused_attn = FusedMultiHeadAttention(
            d_model,
            nhead,
            dropout_rate,
            dropout_rate if attn_dropout_rate is None else attn_dropout_rate,
            normalize_before=normalize_before,
            qkv_weight_attr=weights[0],
            qkv_bias_attr=biases[0],
            linear_weight_attr=weights[0],
            linear_bias_attr=biases[0],
        )
        self.ffn = FusedFeedForward(
            d_model,
            dim_feedforward,
            dropout_rate,
            activation=activation,
            act_dropout_rate=act_dropout_rate,
            normalize_before=normalize_before,
            linear1_weight_attr=weights[1],
            linear1_bias_attr=biases[1],
            linear2_weight_attr=weights[1],
            linear2_bias_attr=biases[1],
        )

    def forward(self, src, src_mask=None, cache=None):
        """src [B, S, d_model]; with a cache returns (out, new cache)."""
        out = self.fused_attn(src, attn_mask=src_mask, cache=cache)
        if cache is None:
            return self.ffn(out)
        return self.ffn(out[0]), out[1]


_lazy.serve(globals())
