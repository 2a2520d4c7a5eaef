# SPDX-License-Identifier: Apache-2.0
"""`paddle.incubate`: fused layers and functions, functional differentiation, optimizers around
optimizers.
"""

from paddle import _lazy

_HOMES = _lazy.homes(
    {
        '.optimizer': 'LookAhead ModelAverage',
        '.operators': (
            'softmax_mask_fuse_upper_triangle softmax_mask_fuse graph_send_recv '
            'graph_sample_neighbors graph_reindex graph_khop_sampler identity_loss '
            'segment_sum segment_mean segment_max segment_min'
        ),
        '.jit': 'inference',
    }
)
__all__ = [
    'LookAhead',
    'ModelAverage',
    'softmax_mask_fuse_upper_triangle',
    'softmax_mask_fuse',
    'graph_send_recv',
    'graph_sample_neighbors',
    'graph_reindex',
    'graph_khop_sampler',
    'segment_sum',
    'segment_mean',
    'segment_max',
    'segment_min',
    'identity_loss',
    'inference',
]
_lazy.install(
    globals(),
    'paddle.incubate',
    _HOMES,
    modules=(
        'asp',
        'autograd',
        'cc',
        'distributed',
        'jit',
        'multiprocessing',
        'nn',
        'operators',
        'optimizer',
    ),
)
