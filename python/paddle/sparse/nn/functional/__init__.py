# SPDX-License-Identifier: Apache-2.0
"""Functions of sparse tensors that layers are made of."""

from paddle import _lazy

_TABLE = _lazy.homes(
    {
        '.conv': 'conv2d conv3d subm_conv2d subm_conv2d_igemm subm_conv3d subm_conv3d_igemm',
        '.pooling': 'max_pool3d',
        '.activation': 'relu relu6 leaky_relu softmax',
        '.transformer': 'attention',
    }
)
__all__ = list(_TABLE)

_lazy.install(
    globals(),
    'paddle.sparse.nn.functional',
    _TABLE,
    ('activation', 'conv', 'pooling', 'transformer'),
)
