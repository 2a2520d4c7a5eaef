# SPDX-License-Identifier: Apache-2.0
"""A barrier between processes that no launcher started."""

__all__ = ['gloo_barrier', 'gloo_init_parallel_env', 'gloo_release']

_group = None


def gloo_init_parallel_env(rank_id, rank_num, server_endpoint):
    """Meets `rank_num - 1` other processes; number 0 holds the store at `server_endpoint`."""
    global _group
    from paddle.base.core import ProcessGroup, TCPStore

    if rank_num < 2 or not 0 <= rank_id < rank_num:
        raise ValueError(
            '[gloo_init_parallel_env] expected two processes or more, and one of them as rank_id, '
            f'got rank_num {rank_num} and rank_id {rank_id}'
        )
    host, _, port = server_endpoint.rpartition(':')
    if not host or not port.isdigit():
        raise ValueError(f'[gloo_init_parallel_env] expected host:port, got {server_endpoint!r}')
    store = TCPStore(host, int(port), rank_id == 0, rank_num, rank=rank_id)
    _group = ProcessGroup(store, 'gloo', list(range(rank_num)), rank_id, 1800)


def gloo_barrier():
    """Until all processes have come here."""
    if _group is None:
        raise RuntimeError('[gloo_barrier] expected gloo_init_parallel_env() before, got no group')
    _group.barrier()


def gloo_release():
    """Leaves the other processes."""
    global _group
    if _group is not None:
        _group.close()
        _group = None
