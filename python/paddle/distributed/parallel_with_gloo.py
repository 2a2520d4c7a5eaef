# SPDX-License-Identifier: Apache-2.0
"""A group for barriers alone, of processes that say themselves which they are."""

import os

from .collective import DEFAULT_TIMEOUT

__all__ = ['gloo_barrier', 'gloo_init_parallel_env', 'gloo_release']

_group = None


def gloo_init_parallel_env(rank_id, rank_num, server_endpoint):
    """Makes the group. Process 0 listens at `server_endpoint`, host:port."""
    from paddle.base.core import ProcessGroup, TCPStore

    global _group
    if not 0 <= rank_id < rank_num:
        raise ValueError(
            f'[gloo_init_parallel_env] expected a rank_id of 0 to {rank_num - 1}, got {rank_id}'
        )
    host, _, port = server_endpoint.rpartition(':')
    if not host or not port.isdigit():
        raise ValueError(
            '[gloo_init_parallel_env] expected host:port as server_endpoint, got '
            f'{server_endpoint!r}'
        )
    seconds = DEFAULT_TIMEOUT.total_seconds()
    secret = os.getenv('PADDLE_JOB_SECRET', '')
    store = TCPStore(host, int(port), rank_id == 0, rank_num, timeout=seconds, secret=secret)
    _group = (store, ProcessGroup(store, 'gloo', list(range(rank_num)), rank_id, seconds))


def _made():
    if _group is None:
        raise RuntimeError(
            '[gloo_barrier] expected gloo_init_parallel_env() to be called first, got no group'
        )
    return _group[1]


def gloo_barrier():
    """Until all processes have come here."""
    _made().barrier()


def gloo_release():
    """Leaves the group."""
    global _group
    _made().close()
    _group = None
