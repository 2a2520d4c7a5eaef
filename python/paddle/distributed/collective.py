# SPDX-License-Identifier: Apache-2.0
"""Making process groups, and making them anew."""

import datetime

from paddle import _lazy

from .communication.group import Group, add_group, default_group, member_group, next_group_id, serve
from .parallel import current_environment, job_store

__all__ = ['Group', 'is_available', 'new_group', 'restart_process_group', 'shutdown_process_group']

DEFAULT_TIMEOUT = datetime.timedelta(minutes=30)


def is_available():
    """Whether this build can run several processes together.

    Returns:
        bool: True.

    Examples:
        >>> paddle.distributed.is_available()
        True
    """
    return True


def connect(group_id, ranks, timeout):
    """The process group of `ranks`, in which this process takes part."""
    from paddle.base.core import ProcessGroup

    return ProcessGroup(
        job_store(), str(group_id), ranks, ranks.index(current_environment().rank), timeout
    )


def new_group(
    ranks=None, backend=None, timeout=DEFAULT_TIMEOUT, nccl_comm_init_option=0, nccl_config=None
):
    """A group of some of the processes. Every process calls it, in the same order.

    Processes outside the group call it too.

    Args:
        ranks (list of ints, default None): The ranks of its processes; None for all.
        backend (str, default None): `gloo`, as None.
        timeout (datetime.timedelta, default datetime.timedelta(seconds=1800)): How long a wait in
            the group may last: then RuntimeError is raised on all of its ranks.
        nccl_comm_init_option (int, default 0): Taken for compatibility; it has no effect.
        nccl_config (object, default None): Only None.

    Returns:
        Group: the group; its `rank` is -1 in a process outside.

    Raises:
        RuntimeError: `init_parallel_env` was not called.
        ValueError: Another backend, no positive timeout, or ranks that do not exist or occur twice.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     pair, alone = dist.new_group(), dist.new_group([1])
        ...     x = paddle.ones([1])
        ...     dist.all_reduce(x, group=pair)
        ...     assert x.item() == 2.0
        ...     assert alone.rank == [-1, 0][dist.get_rank()]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    if nccl_config is not None:
        raise ValueError(f'[new_group] expected no nccl_config, got {nccl_config!r}')
    everyone = default_group().ranks
    ranks = everyone if ranks is None else sorted(ranks)
    if backend not in (None, 'gloo'):
        raise ValueError(f"[new_group] expected backend 'gloo', got {backend!r}")
    if not isinstance(timeout, datetime.timedelta) or timeout.total_seconds() <= 0:
        raise ValueError(f"[new_group] expected a positive timedelta as timeout, got {timeout!r}")
    if not set(ranks) <= set(everyone) or len(set(ranks)) < len(ranks):
        raise ValueError(
            f"[new_group] expected ranks of 0 to {len(everyone) - 1}, each once, got {ranks}"
        )
    group_id = next_group_id()
    me = current_environment().rank
    rank = ranks.index(me) if me in ranks else -1
    seconds = timeout.total_seconds()
    process_group = connect(group_id, ranks, seconds) if rank >= 0 else None
    group = Group(rank, group_id, ranks, process_group, f'_default_pg{group_id}')
    group.timeout = seconds
    add_group(group)
    return group


def shutdown_process_group(group=None):
    """Leave a group: what is under way ends, and ranks that wait for this one get an error.

    Args:
        group (Group, default None): The group; None for that of all processes.

    Returns:
        None.

    Raises:
        RuntimeError: This process is not in the group.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     dist.barrier()
        ...     dist.shutdown_process_group()
        ...     dist.restart_process_group()
        ...     dist.barrier()
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    member_group(group).process_group.close()


def restart_process_group(group=None):
    """Make a group anew after `shutdown_process_group` or a failure. Every rank of it calls it.

    Args:
        group (Group, default None): The group; None for that of all processes.

    Returns:
        None.

    Raises:
        RuntimeError: This process is not in the group, or another one does not come.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     dist.shutdown_process_group()
        ...     dist.restart_process_group()
        ...     x = paddle.ones([1])
        ...     dist.all_reduce(x)
        ...     assert x.item() == 2.0
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = member_group(group)
    group.process_group.close()
    group.restarts += 1
    group._pg = connect(f'{group.id}.{group.restarts}', group.ranks, group.timeout)
    serve(group)


_lazy.serve(globals())
