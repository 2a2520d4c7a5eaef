# SPDX-License-Identifier: Apache-2.0
"""Rearrangements from reshape, transpose and indexing; sliding blocks from convolutions with unit
kernels.
"""

import paddle


def bilinear(x, y, weight, bias=None):
    product = paddle.matmul(paddle.unsqueeze(x, 0), weight) * paddle.unsqueeze(y, 0)
    out = paddle.transpose(paddle.sum(product, axis=2), [1, 0])
    return out if bias is None else out + bias


def gather_tree(ids, parents):
    steps = ids.shape[0]
    beams = paddle.expand(
        paddle.reshape(paddle.arange(0, ids.shape[2], dtype=parents.dtype), [1, -1]), ids.shape[1:]
    )
    out = [None] * steps
    for t in range(steps - 1, -1, -1):
        out[t] = paddle.take_along_axis(ids[t], beams, 1)
        beams = paddle.take_along_axis(parents[t], beams, 1)
    return paddle.stack(out, axis=0)
