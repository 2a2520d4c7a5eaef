# SPDX-License-Identifier: Apache-2.0
"""Operations that are functions here, with the arguments and results of the operation: names of
`paddle._C_ops`.
"""

import math

import paddle
from paddle import _C_ops


def ones(shape, dtype='float32', place=None):
    """A tensor of ones."""
    return paddle.ones(shape, dtype, device=place)


def zeros(shape, dtype='float32', place=None):
    """A tensor of zeros."""
    return paddle.zeros(shape, dtype, device=place)


def batch_norm(
    x,
    mean,
    variance,
    scale,
    bias,
    is_test,
    momentum,
    epsilon,
    data_format,
    use_global_stats,
    trainable_statistics,
):
    """`batch_norm_` with new tensors for the running statistics instead of writing them."""
    return _C_ops.batch_norm_(
        x,
        mean.clone(),
        variance.clone(),
        scale,
        bias,
        is_test,
        momentum,
        epsilon,
        data_format,
        use_global_stats,
        trainable_statistics,
    )


def accuracy(x, indices, label):
    """(share, number, count) of rows whose label is among the indices of their largest values
    `x`.
    """
    hits = paddle.any(indices == label.reshape([-1, 1]).astype(indices.dtype), axis=-1)
    right = hits.astype('int32').sum().astype('int32')
    count = paddle.ones_like(x[:, 0], 'int32').sum().astype('int32')
    return right.astype('float32') / count.astype('float32'), right, count


def anchor_generator(
    input, anchor_sizes, aspect_ratios, variances, stride=(16.0, 16.0), offset=0.5
):
    """(boxes [H, W, anchors, 4] around the cells of a map [N, C, H, W], variances of that shape):
    at each cell one for each ratio of height to width, and for each of these one for each size.
    """
    wide, high = stride
    boxes = []
    for ratio in aspect_ratios:
        width = math.floor((wide * high / ratio) ** 0.5 + 0.5)
        height = math.floor(width * ratio + 0.5)
        for size in anchor_sizes:
            w, h = size / wide * width, size / high * height
            boxes.append([-0.5 * (w - 1), -0.5 * (h - 1), 0.5 * (w - 1), 0.5 * (h - 1)])
    rows, columns = (
        input.shape[axis] if input.shape[axis] >= 0 else paddle.shape(input)[axis]
        for axis in (2, 3)
    )
    x = paddle.arange(columns, dtype=input.dtype) * wide + offset * (wide - 1)
    y = paddle.arange(rows, dtype=input.dtype) * high + offset * (high - 1)
    y, x = paddle.meshgrid(y, x)
    centers = paddle.stack([x, y, x, y], -1).unsqueeze(2)
    anchors = centers + paddle.to_tensor(boxes, dtype=input.dtype)
    return anchors, paddle.to_tensor(list(variances), dtype=input.dtype).expand_as(anchors)
