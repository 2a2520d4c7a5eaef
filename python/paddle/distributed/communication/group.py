# SPDX-License-Identifier: Apache-2.0
"""`Group`, the groups of this process, and what all collectives ask of them."""

import atexit
import warnings

from paddle import _lazy
from paddle.base import libpaddle as _core
from paddle.base.documentation import shares

from .recorded import RecordedGroup
from .texts import ENTRIES


_groups = {}
_last_id = 9  # PaddlePaddle's first group has id 10


class Group:
    """Some of the processes. `rank` is this process's place among them, -1 where it is none of
    them.
    """

    def __init__(self, rank_in_group, id, ranks, pg=None, name=None):
        self._rank_in_group = rank_in_group
        self._world_size = len(ranks) if rank_in_group >= 0 else -1
        self._id = id
        self._ranks = ranks
        self._pg = pg
        self._name = name
        self.timeout = None
        self.restarts = 0

    @property
    def rank(self):
        return self._rank_in_group

    @property
    def ranks(self):
        return self._ranks

    @property
    def nranks(self):
        return len(self._ranks)

    @property
    def name(self):
        return self._name

    @property
    def process_group(self):
        """What communicates: ranks, or operations where a program is recorded. None where this
        process is not in the group.
        """
        if _core.pir._record_mode() and self.rank >= 0:
            return RecordedGroup(self)
        return self._pg

    @property
    def world_size(self):
        return self._world_size

    @property
    def backend(self):
        return 'gloo'

    @property
    def id(self):
        return self._id

    def is_member(self):
        """Whether this process belongs to the group, which has others."""
        return self.rank >= 0 and self.nranks >= 2

    def get_group_rank(self, rank):
        """The place of a process in the group; -1 where this process is not in it."""
        return self._ranks.index(rank) if self.is_member() else -1

    def get_global_rank(self, rank):
        """The process at a place of the group; -1 where this process is not in it."""
        return self._ranks[rank] if self.is_member() else -1

    def __repr__(self):
        ranks = ', '.join(map(str, self._ranks))
        return (
            f'rank: {self.rank}, nranks: {self.nranks}, id: {self.id}, ranks: {ranks}; '
            f'name: {self.name or "None"}'
        )


def next_group_id():
    """An id that no group of the job has or had: the same on every process."""
    global _last_id
    _last_id += 1
    return _last_id


def add_group(group):
    if not _groups:
        atexit.register(leave_all)
    _groups[group.id] = group
    serve(group)


def serve(group):
    """Operations of programs find the group by its id."""
    if group._pg is not None:
        group._pg._serve(group.id)


def leave_all():
    """Leaves every group, those of meshes too."""
    from ..parallel import leave_world

    leave_world()
    for group in list(_groups.values()):
        _leave(group)
    _groups.clear()


def _leave(group):
    if group._pg is not None:
        group._pg.close()
        _core._forget_rings([group.id])


def forget_all():
    """In a process forked from one that has groups: they are that one's."""
    global _last_id
    _core._forget_rings(list(_groups))
    _groups.clear()
    _last_id = 9


def default_group():
    """The group of all processes; RuntimeError before `init_parallel_env`."""
    group = _groups.get(0)
    if group is None:
        raise RuntimeError(
            '[distributed] expected init_parallel_env() to be called first, got no process group'
        )
    return group


def member_group(group):
    """`group`, or the one of all processes; RuntimeError where this process is not in it."""
    group = default_group() if group is None else group
    if group._pg is None:
        raise RuntimeError(
            f'[distributed] expected a process of the group {group.name}, got one outside it'
        )
    return group


def joined(group):
    """`group`, or the one of all processes; None, with a warning, where this process is not in it:
    a collective does nothing there.
    """
    group = default_group() if group is None else group
    if group.process_group is not None:
        return group
    warnings.warn(f'[distributed] nothing happens: this process is not in the group {group.name}')
    return None


def meet(group=None):
    """Waits until all processes of a group are here, also while a program is recorded."""
    group = joined(group)
    if group is not None:
        group._pg.barrier()


def rank_in(group, rank, what):
    """The place of a process in a group. AssertionError where it is not in it."""
    assert rank in group.ranks, (
        f'[{what}] expected a rank of the group {group.name}, one of {group.ranks}, got {rank}'
    )
    return group.ranks.index(rank)


def is_initialized():
    """Whether the group of all processes exists: `init_parallel_env` has made it.

    Returns:
        bool: whether it does.

    Examples:
        >>> paddle.distributed.is_initialized()
        False
    """
    return 0 in _groups


def get_group(id=0):
    """The group with an id.

    Args:
        id (int, default 0): The id; 0 is the group of all processes.

    Returns:
        Group: it; None, with a warning, where there is none.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     assert dist.get_group().ranks == [0, 1]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    if id not in _groups:
        warnings.warn(f'[get_group] there is no group with id {id}')
    return _groups.get(id)


def get_backend(group=None):
    """How the processes of a group communicate.

    Args:
        group (Group, default None): The group; None for that of all processes.

    Returns:
        str: `GLOO`, that is by shared memory and sockets of the CPU.

    Raises:
        RuntimeError: There is no process group.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     assert dist.get_backend() == "GLOO"
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    return (default_group() if group is None else group).backend.upper()


def destroy_process_group(group=None):
    """Leave a group for good.

    Args:
        group (Group, default None): The group; None, or that of all processes, for all groups.

    Returns:
        None.

    Raises:
        RuntimeError: There is no process group.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     dist.destroy_process_group()
        ...     assert not dist.is_initialized()
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = default_group() if group is None else group
    if group.id == 0:
        leave_all()
        return
    _leave(group)
    _groups.pop(group.id, None)


@shares(ENTRIES)
def barrier(group=None):
    """Wait until all processes of a group have come here.

    Args:
        {group}

    Returns:
        None.

    Raises:
        RuntimeError: There is no process group, or another process has ended.

    Examples:
        >>> import os
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     if dist.get_rank() == 0:
        ...         os.mkdir("made_by_rank_0")
        ...     dist.barrier()
        ...     assert os.path.isdir("made_by_rank_0")
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = joined(group)
    if group is not None:
        group.process_group.barrier()


def wait(tensor, group=None, use_calc_stream=True):
    """Wait until what was called on a tensor has ended. On the CPU it has, once its task has.

    Args:
        tensor (Tensor): The tensor.
        group (Group, default None): Taken for compatibility; it has no effect.
        use_calc_stream (bool, default True): Taken for compatibility; it has no effect.

    Returns:
        None.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     x = paddle.ones([2])
        ...     dist.all_reduce(x)
        ...     dist.wait(x)
        ...     assert x.tolist() == [2.0, 2.0]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """


_lazy.serve(globals())
