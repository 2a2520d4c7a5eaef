# SPDX-License-Identifier: Apache-2.0
"""Products composed of other ops."""

import paddle


def bilinear(x, y, weight, bias=None):
    product = paddle.matmul(paddle.unsqueeze(x, 0), weight) * paddle.unsqueeze(y, 0)
    out = paddle.transpose(paddle.sum(product, axis=2), [1, 0])
    return out if bias is None else out + bias
