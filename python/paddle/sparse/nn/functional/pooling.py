# SPDX-License-Identifier: Apache-2.0
"""Pooling of sparse volumes."""

import paddle
from paddle import _C_ops

from ...tensor import SparseTensor
from .windows import expect_image, numbers, padding_pairs, window_pairs

__all__ = ['max_pool3d']


def max_pool3d(
    x, kernel_size, stride=None, padding=0, ceil_mode=False, data_format='NDHWC', name=None
):
    """The largest stored element of each window that holds one.

    Args:
        x (Tensor): A sparse COO tensor, NDHWC, whose channels are dense.
        kernel_size (int or list of int): The extents of the window.
        stride (int or list of int, default None): Its steps; None for its extents.
        padding (int, str or list, default 0): What is added around x: for all axes, for each,
            before and after each, 'SAME' or 'VALID'.
        ceil_mode (bool, default False): Whether a last window may end beyond x.
        data_format (str, default 'NDHWC'): It must be 'NDHWC'.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a sparse COO tensor with its elements in order.

    Examples:
        >>> x = paddle.arange(1, 9, dtype="float32").reshape([1, 2, 2, 2, 1]).to_sparse_coo(4)
        >>> paddle.sparse.nn.functional.max_pool3d(x, 2).to_dense().flatten().tolist()
        [8.0]
    """
    op = 'max_pool3d'
    p = expect_image(op, x, 3, data_format)
    kernel = numbers(op, 'kernel_size', kernel_size, 3, 1)
    stride = kernel if stride is None else numbers(op, 'stride', stride, 3, 1)
    pads = padding_pairs(op, padding, p.shape[1:-1], kernel, stride, [1] * 3)
    pairs, out = p.derived(
        ('pool', *kernel, *stride, *pads, bool(ceil_mode)),
        lambda: window_pairs(op, p, kernel, stride, pads, [1] * 3, ceil_mode),
    )
    out = out.with_channels(p.shape[-1])
    if not out.indices.shape[1]:
        return SparseTensor(out, x._values[:0])
    source, target = (paddle.concat(side) for side in zip(*pairs))
    return SparseTensor(out, _C_ops.send_u_recv(x._values, source, target, 'MAX', [out.nnz]))
