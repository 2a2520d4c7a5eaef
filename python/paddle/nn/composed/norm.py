# SPDX-License-Identifier: Apache-2.0
"""Norms and normalisations from sums and square roots."""

import paddle
from paddle.base.arguments import iterations


def spectral_norm(weight, u, v, dim=0, power_iters=1, eps=1e-12):
    order = [dim, *(d for d in range(weight.ndim) if d != dim)]
    matrix = paddle.reshape(paddle.transpose(weight, order), [weight.shape[dim], -1])
    with paddle.no_grad():
        plain, row, column = matrix.detach(), paddle.reshape(u, [-1, 1]), paddle.reshape(v, [-1, 1])
        for _ in range(iterations('spectral_norm', 'power_iters', power_iters)):
            column = paddle.matmul(plain, row, transpose_x=True)
            column = column / (paddle.sqrt(paddle.sum(column * column)) + eps)
            row = paddle.matmul(plain, column)
            row = row / (paddle.sqrt(paddle.sum(row * row)) + eps)
    sigma = paddle.sum(row * paddle.matmul(matrix, column))
    return weight / sigma
