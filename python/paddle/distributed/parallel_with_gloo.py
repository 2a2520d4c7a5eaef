# SPDX-License-Identifier: Apache-2.0
"""A barrier between processes that no launcher started."""

__all__ = ['gloo_barrier', 'gloo_init_parallel_env', 'gloo_release']

_group = None


def gloo_init_parallel_env(rank_id, rank_num, server_endpoint):
    """Meet other processes, for `gloo_barrier`; no launcher is needed.

    Args:
        rank_id (int): The number of this process.
        rank_num (int): How many processes there are, 2 or more.
        server_endpoint (str): The address `host:port` of the store, which process 0 holds.

    Returns:
        None.

    Raises:
        ValueError: Numbers or an address that cannot be.
        RuntimeError: Another process does not come.

    Examples:
        >>> import socket
        >>> import paddle.distributed as dist
        >>> with socket.socket() as free:
        ...     free.bind(("127.0.0.1", 0))
        ...     endpoint = f"127.0.0.1:{free.getsockname()[1]}"
        >>> def work():
        ...     dist.gloo_init_parallel_env(dist.get_rank(), 2, endpoint)
        ...     dist.gloo_barrier()
        ...     dist.gloo_release()
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
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
    """Wait until all processes of `gloo_init_parallel_env` have come here.

    Returns:
        None.

    Raises:
        RuntimeError: `gloo_init_parallel_env` was not called, or another process has ended.

    Examples:
        >>> import socket
        >>> import paddle.distributed as dist
        >>> with socket.socket() as free:
        ...     free.bind(("127.0.0.1", 0))
        ...     endpoint = f"127.0.0.1:{free.getsockname()[1]}"
        >>> def work():
        ...     dist.gloo_init_parallel_env(dist.get_rank(), 2, endpoint)
        ...     for _ in range(3):
        ...         dist.gloo_barrier()
        ...     dist.gloo_release()
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    if _group is None:
        raise RuntimeError('[gloo_barrier] expected gloo_init_parallel_env() before, got no group')
    _group.barrier()


def gloo_release():
    """Leave the processes of `gloo_init_parallel_env`; nothing where it was not called.

    Returns:
        None.

    Examples:
        >>> paddle.distributed.gloo_release()
        >>> paddle.distributed.gloo_barrier()
        Traceback (most recent call last):
            ...
        RuntimeError: [gloo_barrier] expected gloo_init_parallel_env() before, got no group
    """
    global _group
    if _group is not None:
        _group.close()
        _group = None
