# SPDX-License-Identifier: Apache-2.0
"""Attention of queries, keys and values of [batch, length, heads, head_dim], with a bias of its
scores.
"""

import paddle

from .attn_bias import (
    AttentionBias,
    BlockDiagonalCausalMask,
    BlockDiagonalMask,
    LowerTriangularMask,
    LowerTriangularMaskWithTensorBias,
)

__all__ = ['memory_efficient_attention']

SUPPORTED_ATTN_BIAS_TYPES = {
    type(None),
    paddle.Tensor,
    LowerTriangularMask,
    LowerTriangularMaskWithTensorBias,
    BlockDiagonalMask,
    BlockDiagonalCausalMask,
}


def memory_efficient_attention(query, key, value, attn_bias=None, p=0.0, scale=None, training=True):
    """softmax(query key^T scale + attn_bias) value, with dropout of probability `p` while
    `training`.

    `scale` is 1 / sqrt(head_dim) unless given; `attn_bias` is a tensor that broadcasts to [batch,
    heads, queries, keys] or one of `paddle.incubate.nn.attn_bias`. Raises AssertionError for
    another bias.
    """
    if type(attn_bias) not in SUPPORTED_ATTN_BIAS_TYPES:
        raise AssertionError(
            f"[memory_efficient_attention] expected attn_bias to be None, a tensor or a bias of "
            f"attn_bias, got {type(attn_bias).__name__}"
        )
    causal = type(attn_bias) is LowerTriangularMask and query.shape[1] == key.shape[1]
    if isinstance(attn_bias, AttentionBias):
        attn_bias = (
            None if causal else attn_bias.materialize([query.shape[1], key.shape[1]], query.dtype)
        )
    return paddle.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_bias, p, causal, training, scale=scale
    )
