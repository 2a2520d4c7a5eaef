# SPDX-License-Identifier: Apache-2.0
"""Losses composed of other ops."""

import paddle
from paddle.base.arguments import only

from .._core import ops as _C_ops


def margin_cross_entropy(
    logits,
    label,
    return_softmax=False,
    ring_id=0,
    rank=0,
    nranks=1,
    margin1=1.0,
    margin2=0.5,
    margin3=0.0,
    scale=64.0,
):
    only('margin_cross_entropy', 'the classes are on one process', nranks=(nranks, 1))
    label = paddle.reshape(label, [-1, 1])
    cosine = paddle.take_along_axis(logits, label, 1)
    angle = paddle.acos(paddle.clip(cosine, -1.0, 1.0))
    target = paddle.cos(margin1 * angle + margin2) - margin3
    own = paddle.cast(paddle.arange(0, logits.shape[1], dtype=label.dtype) == label, logits.dtype)
    adjusted = (logits * (1.0 - own) + target * own) * scale
    softmax, loss = _C_ops.cross_entropy_with_softmax(adjusted, label, False, True, True, -100, -1)
    return softmax, loss
