# SPDX-License-Identifier: Apache-2.0
"""Operations that are functions here, with the arguments and results of the operation: names of
`paddle._C_ops`.
"""

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
    count = x.shape[0]
    right = (
        paddle.any(indices == label.reshape([-1, 1]).astype(indices.dtype), axis=-1)
        .astype('int32')
        .sum()
        .astype('int32')
    )
    return right.astype('float32') / count, right, paddle.full([], count, 'int32')
