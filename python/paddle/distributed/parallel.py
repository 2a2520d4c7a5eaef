# SPDX-License-Identifier: Apache-2.0
"""Which process of the job this is, and the start of communication."""

import atexit
import contextlib
import functools
import os
import warnings

from paddle import _lazy
from paddle.base import libpaddle as _core

__all__ = [
    'DataParallel',
    'ParallelEnv',
    'ParallelMode',
    'get_rank',
    'get_world_size',
    'init_parallel_env',
]


class ParallelMode:
    """What is divided among processes: DATA_PARALLEL, TENSOR_PARALLEL, PIPELINE_PARALLEL and so on.

    Examples:
        >>> mode = paddle.distributed.ParallelMode
        >>> mode.DATA_PARALLEL, mode.TENSOR_PARALLEL, mode.PIPELINE_PARALLEL
        (0, 1, 2)
        >>> mode.SHARDING_PARALLEL, mode.SEGMENT_PARALLEL
        (3, 4)
    """

    DATA_PARALLEL = 0
    TENSOR_PARALLEL = 1
    PIPELINE_PARALLEL = 2
    SHARDING_PARALLEL = 3
    SEGMENT_PARALLEL = 4


@functools.cache
def _get_global_parallel_env():
    return ParallelEnv()


class ParallelEnv:
    """What the launcher told this process, in variables of the environment.

    `rank` and `world_size` (also `nranks`) are its number and that of all processes, `local_rank`
    its number on its host; `current_endpoint` and `trainer_endpoints` are addresses, `pg_timeout`
    the milliseconds that a wait may last.

    Examples:
        >>> env = paddle.distributed.ParallelEnv()
        >>> env.rank, env.world_size
        (0, 1)
    """

    def __init__(self):
        self._rank = int(os.getenv('PADDLE_TRAINER_ID', '0'))
        self._world_size = int(os.getenv('PADDLE_TRAINERS_NUM', '1'))
        self._local_rank = int(
            os.getenv('PADDLE_LOCAL_RANK', os.getenv('PADDLE_RANK_IN_NODE', '0'))
        )
        self._device_type = os.getenv('PADDLE_XCCL_BACKEND', '')
        self._trainer_endpoints = os.getenv('PADDLE_TRAINER_ENDPOINTS', '').split(',')
        self._current_endpoint = os.getenv('PADDLE_CURRENT_ENDPOINT', '')
        self._nrings = int(os.getenv('FLAGS_nccl_nrings', '1'))
        self._pg_timeout = int(os.getenv('PADDLE_PG_TIMEOUT', '1800000'))

    @property
    def rank(self):
        return self._rank

    @property
    def local_rank(self):
        return self._local_rank

    @property
    def world_size(self):
        return self._world_size

    nranks = world_size

    @property
    def device_id(self):
        """The number of this rank's GPU; 0 where there is none."""
        text = os.getenv('FLAGS_selected_gpus', '')
        return int(text.split(',')[0] or 0) if text and _core.gpu_count() else 0

    dev_id = device_id

    @property
    def device_type(self):
        return self._device_type

    @property
    def current_endpoint(self):
        return self._current_endpoint

    @property
    def trainer_endpoints(self):
        return self._trainer_endpoints

    @property
    def nrings(self):
        return self._nrings

    @property
    def pg_timeout(self):
        """Milliseconds that a wait in the group of all processes may last."""
        return self._pg_timeout


@functools.cache
def current_environment():
    return ParallelEnv()


def get_rank(group=None):
    """The number of this process.

    Args:
        group (Group, default None): A group: then its place there, -1 outside.

    Returns:
        int: from 0; 0 in a program that runs as one process.

    Examples:
        >>> paddle.distributed.get_rank()
        0
    """
    return current_environment().rank if group is None else group.rank


def get_world_size(group=None):
    """How many processes the job has.

    Args:
        group (Group, default None): A group: then how many that has, -1 outside.

    Returns:
        int: 1 in a program that runs as one process.

    Examples:
        >>> paddle.distributed.get_world_size()
        1
    """
    return current_environment().world_size if group is None else group.world_size


@functools.cache
def job_store():
    """The job's store. The launcher holds it; without a launcher process 0 does."""
    from paddle.base.core import TCPStore

    from .launch.scheduler import given_master

    env = current_environment()
    endpoint = given_master() or env.trainer_endpoints[0]
    host, _, port = endpoint.rpartition(':')
    if not host or not port.isdigit():
        raise ValueError(
            '[init_parallel_env] expected the address of the store in PADDLE_MASTER, host:port, '
            f'got {endpoint!r}'
        )
    held_elsewhere = os.getenv('PADDLE_STORE_HOLDER') == 'launcher'
    store = TCPStore(
        host,
        int(port),
        env.rank == 0 and not held_elsewhere,
        env.world_size,
        timeout=_patience(),
        secret=os.getenv('PADDLE_JOB_SECRET', ''),
        rank=env.rank,
    )
    atexit.register(_leave, store)
    return store


def _patience():
    """Seconds that a process may come later than another."""
    return int(os.getenv('FLAGS_stop_check_timeout', '900'))


@functools.cache
def _enter_schedule():
    """The store that this process holds for others which a scheduler started; or None."""
    from .launch.scheduler import enter_schedule

    return enter_schedule(_patience())


def _leave(store):
    with contextlib.suppress(RuntimeError):  # the process that holds the store may have ended
        store._leave()


@functools.cache
def enter_world():
    """Tells the core which process this is and how meshes reach the others."""
    from paddle.base.libpaddle import _enter_world

    env = current_environment()
    if env.world_size > 1:
        _enter_world(env.rank, env.world_size, job_store(), env.pg_timeout / 1000)
        atexit.register(leave_world)


def leave_world():
    """Leaves the groups of meshes: the next mesh makes them anew."""
    from paddle.base.libpaddle import _enter_world, _leave_world

    _leave_world()
    _enter_world(current_environment().rank, current_environment().world_size, None, 0)
    enter_world.cache_clear()


def begin_anew():
    """Forgets what this process read and entered before it was forked: it is another rank."""
    from .communication.group import forget_all

    for kept in (current_environment, job_store, enter_world):
        kept.cache_clear()
    forget_all()


def init_parallel_env(nccl_config=None):
    """Make the group of all processes: those of the launcher or `spawn`; else those that srun of
    Slurm, mpirun of Open MPI or mpiexec of MPICH started together. On several hosts MPI's need the
    address of rank 0 in PADDLE_MASTER. A program of one process goes on without, with a warning.
    Where the launcher or `spawn` was given GPUs, this rank's becomes the current device.

    Args:
        nccl_config (object, default None): Only None.

    Returns:
        Group: the group; None in a program that runs as one process.

    Raises:
        RuntimeError: Another process does not come.
        ValueError: The environment has no address of the job's store, a rank that does not
            exist, or no number where a scheduler has one.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     group = dist.init_parallel_env()
        ...     assert group.ranks == [0, 1] and group.rank == dist.get_rank()
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    from .collective import connect
    from .communication.group import Group, add_group, get_group, is_initialized
    from .launch.report import report_end, report_exceptions

    if nccl_config is not None:
        raise ValueError(f'[init_parallel_env] expected no nccl_config, got {nccl_config!r}')
    _enter_schedule()
    current_environment.cache_clear()
    env = current_environment()
    if env.world_size < 2:
        warnings.warn(
            '[init_parallel_env] this is the only process of its job: nothing is done. Start the '
            'program by python -m paddle.distributed.launch'
        )
        return None
    if is_initialized():
        return get_group(0)
    if not 0 <= env.rank < env.world_size:
        raise ValueError(
            f'[init_parallel_env] expected PADDLE_TRAINER_ID of 0 to {env.world_size - 1}, '
            f'got {env.rank}'
        )
    report_exceptions()
    if os.getenv('PADDLE_DISTRI_BACKEND') == 'nccl' and _core.gpu_count():
        _core.set_current_place(_core.to_place('gpu'))
    ranks = list(range(env.world_size))
    timeout = env.pg_timeout / 1000
    group = Group(env.rank, 0, ranks, connect(0, ranks, timeout), '_default_pg')
    group.timeout = timeout
    add_group(group)
    report_end()
    return group


_lazy.serve(globals())
