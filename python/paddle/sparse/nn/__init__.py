# SPDX-License-Identifier: Apache-2.0
"""Layers of sparse tensors."""

from paddle import _lazy

_TABLE = _lazy.homes(
    {
        '.layer.activation': 'ReLU ReLU6 LeakyReLU Softmax',
        '.layer.norm': 'BatchNorm SyncBatchNorm',
        '.layer.conv': 'Conv2D Conv3D SubmConv2D SubmConv3D',
        '.layer.pooling': 'MaxPool3D',
    }
)
__all__ = list(_TABLE)

_lazy.install(globals(), 'paddle.sparse.nn', _TABLE, ('functional', 'layer'))
