# SPDX-License-Identifier: Apache-2.0
"""Pooling layers of sparse tensors."""

from paddle.base.arguments import only
from paddle.nn.layer.pooling import _Window

from .. import functional as F

__all__ = ['MaxPool3D']


class MaxPool3D(_Window):
    """`paddle.sparse.nn.functional.max_pool3d` as a layer.

    Args:
        kernel_size (int or list of int): The extents of the window.
        stride (int or list of int, default None): Its steps; None for its extents.
        padding (int, str or list, default 0): What is added around the volume.
        return_mask (bool, default False): It must be False.
        ceil_mode (bool, default False): Whether a last window may end beyond the volume.
        data_format (str, default 'NDHWC'): It must be 'NDHWC'.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> x = paddle.arange(1, 9, dtype="float32").reshape([1, 2, 2, 2, 1]).to_sparse_coo(4)
        >>> paddle.sparse.nn.MaxPool3D(2)(x).to_dense().flatten().tolist()
        [8.0]
    """

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        return_mask=False,
        ceil_mode=False,
        data_format='NDHWC',
        name=None,
    ):
        super().__init__(kernel_size, stride, padding, ceil_mode, data_format, name)
        only('MaxPool3D', 'places are not returned', return_mask=(return_mask, False))

    def forward(self, x):
        return F.max_pool3d(
            x, self.ksize, self.stride, self.padding, self.ceil_mode, self.data_format
        )
