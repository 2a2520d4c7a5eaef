# SPDX-License-Identifier: Apache-2.0
"""Operations that autocasting runs in low precision (white) or keeps in float32 (black).

The lists carry the operators' historic names, which programs know; `core_names` adds today's
names."""

import functools

__all__ = ['white_list', 'black_list', 'core_names']

_WHITE = {
    'conv2d',
    'einsum',
    'flash_attn',
    'fused_gemm_epilogue',
    'fused_rotary_position_embedding',
    'linear_v2',
    'matmul',
    'matmul_v2',
    'max_pool2d_with_index',
    'mul',
}
_WHITE_FP16 = _WHITE | {
    'fake_quantize_dequantize_abs_max',
    'fake_quantize_dequantize_moving_average_abs_max',
    'fused_attention',
    'fused_feedforward',
}

_PRECISE = {
    'acos',
    'asin',
    'atanh',
    'c_softmax_with_cross_entropy',
    'c_softmax_with_multi_label_cross_entropy',
    'cosh',
    'cross_entropy',
    'cross_entropy2',
    'cumprod',
    'cumsum',
    'dist',
    'erfinv',
    'exp',
    'expm1',
    'frobenius_norm',
    'group_norm',
    'hsigmoid_loss',
    'huber_loss',
    'layer_norm',
    'log',
    'log10',
    'log2',
    'log_loss',
    'log_softmax',
    'margin_cross_entropy',
    'mean',
    'nll_loss',
    'pnorm',
    'pow',
    'reciprocal',
    'reduce_mean',
    'reduce_prod',
    'reduce_sum',
    'renorm',
    'rsqrt',
    'sigmoid_cross_entropy_with_logits',
    'sinh',
    'softmax',
    'softmax_with_cross_entropy',
    'softmin',
    'softplus',
    'square',
    'tan',
    'tanh_shrink',
    'triplet_margin_loss',
}
_HEAVY = {
    'bicubic_interp_v2',
    'bilinear_interp_v2',
    'linear_interp_v2',
    'lookup_table',
    'lookup_table_v2',
    'nearest_interp_v2',
    'scatter',
    'trilinear_interp_v2',
}

# Names that are not those of one operator's old form.
_MORE = {
    'mul': ('matmul_with_flatten',),
    'linear_v2': ('linear',),
    'flash_attn': ('fused_attention',),
    'mean': ('mean',),
    'lookup_table': ('embedding',),
}


def white_list():
    """dtype -> level -> names run in that dtype."""
    return {
        'float16': {level: set(_WHITE_FP16) for level in ('OD', 'O1', 'O2')},
        'bfloat16': {level: set(_WHITE) for level in ('OD', 'O1', 'O2')},
    }


def black_list():
    """dtype -> level -> names kept in float32."""
    return {
        dtype: {'OD': set(), 'O1': _PRECISE | _HEAVY, 'O2': set(_HEAVY)}
        for dtype in ('float16', 'bfloat16')
    }


def core_names(names):
    """`names` with the present names of the operators beside them."""
    return _with_present(frozenset(names))


@functools.lru_cache(maxsize=64)
def _with_present(names):
    from paddle._legacy_ops import OPS

    out = set(names)
    for name in names:
        out.update(_MORE.get(name, ()))
        if name in OPS:
            out.add(OPS[name][0])
    return frozenset(out)
