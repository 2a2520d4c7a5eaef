# SPDX-License-Identifier: Apache-2.0
"""Functions called in other processes of a job."""

from paddle import _lazy

_WHERE = _lazy.homes(
    {
        'paddle.distributed.rpc.rpc': (
            'init_rpc shutdown rpc_async rpc_sync get_worker_info get_all_worker_infos '
            'get_current_worker_info'
        )
    }
)
__all__ = list(_WHERE)

_lazy.install(globals(), 'paddle.distributed.rpc', _WHERE, ('rpc',))
