# SPDX-License-Identifier: Apache-2.0
"""The layer that holds the parameters of `fused_multi_transformer`."""

from paddle.base.arguments import layer_count, only

from . import functional as F
from .layer import _Block, _positive

__all__ = ['FusedMultiTransformer']

_OP = 'FusedMultiTransformer'


_KINDS = {'activation': ('gelu', 'swiglu'), 'norm_type': ('layernorm', 'rmsnorm')}


def _check_kinds(**given):
    for what, value in given.items():
        if value not in _KINDS[what]:
            raise AssertionError(
                f"[{_OP}] expected {what} {' or '.join(_KINDS[what])}, got {value!r}"
            )


def _check_heads(embed_dim, num_heads, gqa_group_size):
    if embed_dim % num_heads:
        raise AssertionError(
            f"[{_OP}] expected embed_dim to be a multiple of num_heads, got {embed_dim} and "
            f"{num_heads}"
        )
    if gqa_group_size > 0 and num_heads % gqa_group_size:
        raise AssertionError(
            f"[{_OP}] expected num_heads to be a multiple of gqa_group_size, got {num_heads} "
            f"and {gqa_group_size}"
        )


class FusedMultiTransformer(_Block):
    """Transformer layers for prompts and the steps of generation, as one call.

    Lists of attributes have one for each layer; a single one is for all.

    Args:
        embed_dim (int): The features of the input.
        num_heads (int): How many heads there are; they divide embed_dim.
        dim_feedforward (int): The features between the two linear layers of a block.
        dropout_rate (float, default 0.0): The dropout of what residuals are added to.
        activation (str, default 'gelu'): `gelu` or `swiglu`.
        normalize_before (bool, default True): Whether norms are before their blocks.
        ln_scale_attrs (ParamAttr or list of ParamAttrs, default None): Attributes of the scales of
            norms of attention.
        ln_bias_attrs (ParamAttr or list of ParamAttrs, default None): Attributes of their shifts;
            None for no shifts.
        qkv_weight_attrs (ParamAttr or list of ParamAttrs, default None): Attributes of the weights
            of queries, keys and values; a list says how many layers there are.
        qkv_bias_attrs (ParamAttr or list of ParamAttrs, default None): Attributes of their biases;
            None for no biases.
        linear_weight_attrs (ParamAttr or list of ParamAttrs, default None): Attributes of the
            weights of projections.
        linear_bias_attrs (ParamAttr or list of ParamAttrs, default None): Attributes of their
            biases; None for no biases.
        ffn_ln_scale_attrs (ParamAttr or list of ParamAttrs, default None): Attributes of the scales
            of norms of feed-forward blocks.
        ffn_ln_bias_attrs (ParamAttr or list of ParamAttrs, default None): Attributes of their
            shifts; None for no shifts.
        ffn1_weight_attrs (ParamAttr or list of ParamAttrs, default None): Attributes of the weights
            before the activation.
        ffn1_bias_attrs (ParamAttr or list of ParamAttrs, default None): Attributes of their biases;
            None for no biases.
        ffn2_weight_attrs (ParamAttr or list of ParamAttrs, default None): Attributes of the weights
            behind it.
        ffn2_bias_attrs (ParamAttr or list of ParamAttrs, default None): Attributes of their biases;
            None for no biases.
        epsilon (float, default 1e-05): What is added to variances.
        residual_alpha (float, default 1.0): The factor of residuals.
        num_layers (int, default -1): How many layers there are, where qkv_weight_attrs is no list.
        nranks (int, default 1): Only 1.
        trans_qkvw (bool, default True): Whether the weights of queries, keys and values have the
            width last.
        ring_id (int, default -1): Only -1.
        norm_type (str, default 'layernorm'): `layernorm` or `rmsnorm`.
        use_neox_rotary_style (bool, default False): Whether rotated pairs are an element of each
            half, not neighbours.
        gqa_group_size (int, default -1): How many heads keys and values have; -1 for num_heads.
        name (str, default None): Taken for compatibility; it has no effect.

    Raises:
        AssertionError: Numbers that are not positive, heads that do not divide embed_dim, no number
            of layers, or another activation or norm_type.
        NotImplementedError: Another nranks or ring_id.

    Source: Vaswani and others, Attention is all you need, https://arxiv.org/abs/1706.03762.

    Examples:
        >>> model = paddle.incubate.nn.FusedMultiTransformer(8, 2, 16, num_layers=2)
        >>> _ = model.eval()
        >>> caches = [paddle.zeros([2, 1, 2, 16, 4]) for _ in range(2)]
        >>> tokens = paddle.rand([1, 5, 8])
        >>> causal = paddle.tril(paddle.ones([1, 1, 4, 4], "bool"))
        >>> _, caches = model(tokens[:, :4], attn_mask=causal, caches=caches)
        >>> step, caches = model(tokens[:, 4:], caches=caches, time_step=paddle.to_tensor([4]))
        >>> whole = model(tokens, attn_mask=paddle.tril(paddle.ones([1, 1, 5, 5], "bool")))
        >>> bool(paddle.allclose(step, whole[:, 4:], atol=1e-5))
        True
    """

    def __init__(
        self,
        embed_dim,
        num_heads,
        dim_feedforward,
        dropout_rate=0.0,
        activation='gelu',
        normalize_before=True,
        ln_scale_attrs=None,
        ln_bias_attrs=None,
        qkv_weight_attrs=None,
        qkv_bias_attrs=None,
        linear_weight_attrs=None,
        linear_bias_attrs=None,
        ffn_ln_scale_attrs=None,
        ffn_ln_bias_attrs=None,
        ffn1_weight_attrs=None,
        ffn1_bias_attrs=None,
        ffn2_weight_attrs=None,
        ffn2_bias_attrs=None,
        epsilon=1e-05,
        residual_alpha=1.0,
        num_layers=-1,
        nranks=1,
        trans_qkvw=True,
        ring_id=-1,
        norm_type='layernorm',
        use_neox_rotary_style=False,
        gqa_group_size=-1,
        name=None,
    ):
        super().__init__()
        _positive(_OP, embed_dim=embed_dim, num_heads=num_heads, dim_feedforward=dim_feedforward)
        if isinstance(qkv_weight_attrs, (list, tuple)):
            num_layers = len(qkv_weight_attrs)
        _positive(_OP, num_layers=layer_count(_OP, 'num_layers', num_layers))
        only(_OP, 'layers are on this device', nranks=(nranks, 1), ring_id=(ring_id, -1))
        _check_kinds(activation=activation, norm_type=norm_type)
        _check_heads(embed_dim, num_heads, gqa_group_size)
        self.normalize_before, self.embed_dim, self.num_heads = (
            normalize_before,
            embed_dim,
            num_heads,
        )
        self.head_dim, self.activation, self.dropout_rate = (
            embed_dim // num_heads,
            activation,
            dropout_rate,
        )
        self._epsilon, self._residual_alpha, self._norm_type = epsilon, residual_alpha, norm_type
        self._trans_qkvw, self._neox, self._kv_heads = (
            trans_qkvw,
            use_neox_rotary_style,
            gqa_group_size,
        )
        self.name = name
        heads = [num_heads + 2 * gqa_group_size] if gqa_group_size > 0 else [3, num_heads]
        biases = [*heads, self.head_dim]
        hidden = dim_feedforward * (2 if activation == 'swiglu' else 1)
        made = (
            ('ln_scales', self._scale, embed_dim, ln_scale_attrs),
            ('ln_biases', self._shift, [embed_dim], ln_bias_attrs),
            (
                'qkv_weights',
                self._weight,
                [*biases, embed_dim] if trans_qkvw else [embed_dim, *biases],
                qkv_weight_attrs,
            ),
            ('qkv_biases', self._shift, biases, qkv_bias_attrs),
            ('linear_weights', self._weight, [embed_dim, embed_dim], linear_weight_attrs),
            ('linear_biases', self._shift, [embed_dim], linear_bias_attrs),
            ('ffn_ln_scales', self._scale, embed_dim, ffn_ln_scale_attrs),
            ('ffn_ln_biases', self._shift, [embed_dim], ffn_ln_bias_attrs),
            ('ffn1_weights', self._weight, [embed_dim, hidden], ffn1_weight_attrs),
            ('ffn1_biases', self._shift, [hidden], ffn1_bias_attrs),
            ('ffn2_weights', self._weight, [dim_feedforward, embed_dim], ffn2_weight_attrs),
            ('ffn2_biases', self._shift, [embed_dim], ffn2_bias_attrs),
        )
        self._names = tuple(what for what, *_ in made)
        for what, make, _, attrs in made:
            given = attrs is not None and attrs is not False
            setattr(self, what, [] if given or make != self._shift else None)
        for layer in range(num_layers):
            for what, make, shape, attrs in made:
                if getattr(self, what) is None:
                    continue
                attr = attrs[layer] if isinstance(attrs, (list, tuple)) else attrs
                parameter = make(shape, attr)
                getattr(self, what).append(parameter)
                self._parameters[parameter.name] = parameter

    def forward(
        self,
        src,
        attn_mask=None,
        caches=None,
        pre_caches=None,
        rotary_embs=None,
        rotary_emb_dims=0,
        beam_offset=None,
        seq_lens=None,
        time_step=None,
    ):
        """src [B, S, embed_dim]; with caches returns (out, caches). The arguments are those of
        `paddle.incubate.nn.functional.fused_multi_transformer`.
        """
        return F.fused_multi_transformer(
            src,
            *(getattr(self, what) for what in self._names),
            pre_layer_norm=self.normalize_before,
            epsilon=self._epsilon,
            residual_alpha=self._residual_alpha,
            cache_kvs=caches,
            beam_offset=beam_offset,
            pre_caches=pre_caches,
            seq_lens=seq_lens,
            rotary_embs=rotary_embs,
            time_step=time_step,
            attn_mask=attn_mask,
            dropout_rate=self.dropout_rate,
            rotary_emb_dims=rotary_emb_dims,
            activation=self.activation,
            training=self.training,
            trans_qkvw=self._trans_qkvw,
            norm_type=self._norm_type,
            use_neox_rotary_style=self._neox,
            gqa_group_size=self._kv_heads,
        )
