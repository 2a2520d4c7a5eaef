# SPDX-License-Identifier: Apache-2.0
"""Mixtures of experts, and gradients that their training calls by name."""

import paddle
from paddle import _C_ops
from paddle.base.libpaddle import expect_tensors
from paddle.nn import functional as F

__all__ = [
    'cross_entropy_with_softmax_bwd_w_downcast',
    'embedding_grad_add_to_',
    'fused_swiglu_weighted_bwd',
    'moe_combine',
]


def moe_combine(x, combine_weights, scatter_index, name=None):
    """The rows of x that scatter_index [k, S] names for each of S tokens, summed with
    combine_weights [S, k]: [S, D].
    """
    expect_tensors('moe_combine', x=x, combine_weights=combine_weights, scatter_index=scatter_index)
    if (
        scatter_index.ndim != 2
        or combine_weights.ndim != 2
        or list(scatter_index.shape) != list(combine_weights.shape)[::-1]
    ):
        raise ValueError(
            f"[moe_combine] expected combine_weights [S, k] and scatter_index [k, S], got shapes "
            f"{list(combine_weights.shape)} and {list(scatter_index.shape)}"
        )
    index = scatter_index.transpose([1, 0])
    rows = paddle.gather(x, index.reshape([-1])).reshape([*index.shape, x.shape[-1]])
    return (rows * combine_weights.unsqueeze(-1)).sum(1).astype(x.dtype)


def cross_entropy_with_softmax_bwd_w_downcast(label, softmax, loss_grad, name=None):
    """The gradient of cross entropy by its logits as bfloat16, from the probabilities [..., C] and
    labels [..., 1].
    """
    expect_tensors(
        'cross_entropy_with_softmax_bwd_w_downcast',
        label=label,
        softmax=softmax,
        loss_grad=loss_grad,
    )
    own = paddle.arange(softmax.shape[-1], dtype='int64') == label.astype('int64')
    return ((softmax - own.astype(softmax.dtype)) * loss_grad).astype('bfloat16')


def embedding_grad_add_to_(token_indices, main_grad_, out_grad, name=None):
    """Add the gradient of an embedding's results to the rows of main_grad_, in place."""
    expect_tensors(
        'embedding_grad_add_to_',
        token_indices=token_indices,
        main_grad_=main_grad_,
        out_grad=out_grad,
    )
    rows = out_grad.reshape([-1, out_grad.shape[-1]]).astype(main_grad_.dtype)
    with paddle.no_grad():
        return paddle.index_add_(main_grad_, token_indices.reshape([-1]), 0, rows)


def fused_swiglu_weighted_bwd(o1, do2_s, unzipped_probs, name=None):
    """Gradients of swiglu(o1) * unzipped_probs: (by o1, by the probabilities, the product itself).

    o1 [..., 2 D]: gates, then what they gate; do2_s [..., D]; probabilities [..., 1] or [...].
    """
    expect_tensors('fused_swiglu_weighted_bwd', o1=o1, do2_s=do2_s, unzipped_probs=unzipped_probs)
    gate, value = _C_ops.split_with_num(o1.astype('float32'), 2, o1.ndim - 1)
    probs = unzipped_probs.astype('float32').reshape([*o1.shape[:-1], 1])
    grad = do2_s.astype('float32')
    sigmoid = F.sigmoid(gate)
    plain = gate * sigmoid * value
    by_gate = grad * probs * value * sigmoid * (1 + gate * (1 - sigmoid))
    by_value = grad * probs * gate * sigmoid
    return (
        paddle.concat([by_gate, by_value], -1).astype(o1.dtype),
        (grad * plain).sum(-1).reshape(unzipped_probs.shape),
        (plain * probs).astype(o1.dtype),
    )
