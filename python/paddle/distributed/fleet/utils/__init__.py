# SPDX-License-Identifier: Apache-2.0
"""Helpers of programs that train in jobs: recomputation, files."""

from paddle import _lazy

_WHERE = _lazy.homes(
    {
        'paddle.distributed.fleet.utils.fs': 'LocalFS',
        'paddle.distributed.fleet.utils.hdfs': 'HDFSClient',
        'paddle.distributed.fleet.utils.ps_util': 'DistributedInfer',
        'paddle.distributed.fleet.recompute': 'recompute',
    }
)
__all__ = sorted(_WHERE)

_lazy.install(
    globals(),
    'paddle.distributed.fleet.utils',
    _WHERE,
    (
        'fs',
        'hybrid_parallel_util',
        'log_util',
        'mix_precision_utils',
        'ps_util',
        'sequence_parallel_utils',
        'timer_helper',
    ),
)
