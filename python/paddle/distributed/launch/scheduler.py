# SPDX-License-Identifier: Apache-2.0
"""Ranks that Slurm's srun, Open MPI's mpirun or MPICH's mpiexec started: which one this process is,
and how the ranks find the store of their job.
"""

import contextlib
import os
import re
import socket
import struct
import threading
import time
import typing

from paddle.base.libpaddle import _set_num_threads


class Task(typing.NamedTuple):
    """One of the processes that a scheduler started together."""

    rank: int
    size: int
    local_rank: int
    local_size: int
    job: str  # names these processes among all of the host
    first_host: str  # of rank 0; '' where the scheduler does not tell


def scheduled_task():
    """What the scheduler says of this process; None where none, or of a single process, is told.

    Raises:
        ValueError: A variable of the scheduler that is no number.
    """
    for read in (_of_slurm, _of_open_mpi, _of_mpich):
        task = read()
        if task is not None:
            return task if task.size > 1 else None
    return None


def _number(name):
    text = os.environ.get(name, '')
    if not text.isdigit():
        raise ValueError(f'[launch] expected a number in {name}, got {text!r}')
    return int(text)


def _of_slurm():
    # A batch script itself has no number of tasks of a step.
    if 'SLURM_STEP_NUM_TASKS' not in os.environ or 'SLURM_PROCID' not in os.environ:
        return None
    node = _number('SLURM_NODEID') if 'SLURM_NODEID' in os.environ else 0
    step = f'{os.environ.get("SLURM_JOB_ID", "")}.{os.environ.get("SLURM_STEP_ID", "")}'
    return Task(
        _number('SLURM_PROCID'),
        _number('SLURM_STEP_NUM_TASKS'),
        _number('SLURM_LOCALID'),
        _tasks_of_node(os.environ.get('SLURM_STEP_TASKS_PER_NODE', '1'), node),
        'slurm-' + step,
        first_of_hosts(os.environ.get('SLURM_STEP_NODELIST', '')),
    )


def _tasks_of_node(text, node):
    """Of `2(x3),1`: 2, 2, 2 and 1 tasks."""
    counts = []
    for part in text.split(','):
        found = re.fullmatch(r'(\d+)(?:\(x(\d+)\))?', part.strip())
        if not found:
            raise ValueError(f'[launch] expected counts in SLURM_STEP_TASKS_PER_NODE, got {text!r}')
        counts += [int(found[1])] * int(found[2] or 1)
    return counts[min(node, len(counts) - 1)]


def first_of_hosts(text):
    """The first name of a list in Slurm's notation: `node07` of `node[07-09,12],other`."""
    found = re.match(r'([^\[,]*)(?:\[([^\],-]*)[^\]]*\])?([^\[,]*)', text)
    return ''.join(part or '' for part in found.groups())


def _of_open_mpi():
    if 'OMPI_COMM_WORLD_RANK' not in os.environ:
        return None
    return Task(
        _number('OMPI_COMM_WORLD_RANK'),
        _number('OMPI_COMM_WORLD_SIZE'),
        _number('OMPI_COMM_WORLD_LOCAL_RANK'),
        _number('OMPI_COMM_WORLD_LOCAL_SIZE'),
        'ompi-' + os.environ.get('PMIX_NAMESPACE', os.environ.get('OMPI_MCA_ess_base_jobid', '')),
        '',
    )


def _of_mpich():
    if 'PMI_RANK' not in os.environ or 'MPI_LOCALNRANKS' not in os.environ:
        return None
    # Each rank leads a session, below the one process that started those of this host.
    with open(f'/proc/{os.getsid(0)}/stat') as stat:
        starter = stat.read().rpartition(')')[2].split()[1]
    return Task(
        _number('PMI_RANK'),
        _number('PMI_SIZE'),
        _number('MPI_LOCALRANKID'),
        _number('MPI_LOCALNRANKS'),
        'mpich-' + starter,
        '',
    )


def given_master():
    """The address that the environment names for the store, host:port, or None."""
    if os.getenv('PADDLE_MASTER'):
        return os.environ['PADDLE_MASTER']
    if os.getenv('MASTER_ADDR') and os.getenv('MASTER_PORT'):
        return f'{os.environ["MASTER_ADDR"]}:{os.environ["MASTER_PORT"]}'
    return None


def master_of(task):
    """Where ranks on several hosts meet: what the environment names, else a port of Slurm's first
    host that all get from the number of the job.

    Raises:
        ValueError: Neither is there.
    """
    master = given_master()
    if master is None and task.first_host:
        job, _, step = task.job.rpartition('-')[2].partition('.')
        if job.isdigit():
            port = 20000 + (int(job) * 16 + (int(step) if step.isdigit() else 0)) % 10000
            return f'{task.first_host}:{port}'
    if master is None:
        raise ValueError(
            '[launch] expected PADDLE_MASTER, host:port of rank 0, in the environment '
            f'of ranks that MPI started on several hosts, got none in rank {task.rank}'
        )
    return master


def _name(task):
    return f'\0paddle-{os.getuid()}-{task.job}'


def publish(task, text):
    """Gives the text to the other ranks of this host, which call `published`; only processes of
    this user get it. Nothing remains of it once all have it or this process ends.
    """
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(_name(task))
    listener.listen(task.local_size)

    def serve():
        with listener:
            for _ in range(task.local_size - 1):
                with contextlib.suppress(OSError), listener.accept()[0] as other:
                    if _user_at(other) == os.getuid():
                        other.sendall(text.encode())

    threading.Thread(target=serve, daemon=True, name='paddle-publish').start()


def _user_at(connection):
    size = struct.calcsize('3i')
    return struct.unpack('3i', connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))[
        1
    ]


def published(task, timeout):
    """What rank 0 of this host publishes.

    Raises:
        RuntimeError: It does not within `timeout` seconds.
    """
    end = time.monotonic() + timeout
    while True:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.connect(_name(task))
            with contextlib.suppress(OSError):
                if _user_at(connection) == os.getuid():
                    parts = iter(lambda: connection.recv(4096), b'')
                    text = b''.join(parts).decode()
                    if text:
                        return text
        if time.monotonic() > end:
            raise RuntimeError(
                f'[init_parallel_env] expected rank 0 of {task.job} within {timeout} s, got no '
                f'word of it in rank {task.rank}'
            )
        time.sleep(0.02)


def enter_schedule(timeout):
    """Sets the variables that the launcher would have set, where a scheduler started this process
    and no launcher did. On one host rank 0 holds the store, at a port that is free, and publishes
    it with the secret of the job.

    Returns:
        TCPStore: what this process holds then; else None.
    """
    from .environment import Meeting, hold_store, rank_environment

    task = None if 'PADDLE_TRAINERS_NUM' in os.environ else scheduled_task()
    if task is None:
        return None
    store, secret, held = None, os.getenv('PADDLE_JOB_SECRET', ''), False
    if task.local_size == task.size and given_master() is None:
        held = True
        if task.rank == 0:
            store, secret = hold_store()
            master = f'{store.host}:{store.port}'
            publish(task, f'{master} {secret}')
        else:
            master, secret = published(task, timeout).split(' ')
    else:
        master = master_of(task)
    host, _, port = master.rpartition(':')
    first = task.rank - task.local_rank
    variables = rank_environment(
        task.rank, task.size, Meeting(host, port), secret, first=first, here=task.local_size
    )
    if not held:
        del variables['PADDLE_STORE_HOLDER']  # rank 0 is to hold it
    if 'OMP_NUM_THREADS' in variables:
        # Schedulers may have bound this process to its cores.
        share = (os.cpu_count() or 1) // task.local_size
        threads = max(1, min(len(os.sched_getaffinity(0)), share))
        variables['OMP_NUM_THREADS'] = str(threads)
        _set_num_threads(threads)
    os.environ.update(variables)
    return store
