# SPDX-License-Identifier: Apache-2.0
"""Ranks that a scheduler started: by the variables of Slurm, Open MPI and MPICH, and by their own
starters where the machine has these.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import uuid

import pytest

import paddle
from paddle.distributed.launch import scheduler

_PACKAGES = os.path.dirname(os.path.dirname(os.path.abspath(paddle.__file__)))
PROGRAM = """
import json, os, sys
import paddle
import paddle.distributed as dist
dist.init_parallel_env()
t = paddle.to_tensor([2.0 ** dist.get_rank()])
dist.all_reduce(t)
env = dist.ParallelEnv()
held = os.getenv('PADDLE_STORE_HOLDER')
print('SEEN', json.dumps([env.rank, env.world_size, env.local_rank, float(t), held]), flush=True)
"""


def slurm(rank, ranks, here, job):
    return {
        'SLURM_JOB_ID': job,
        'SLURM_STEP_ID': '0',
        'SLURM_PROCID': rank,
        'SLURM_LOCALID': rank % here,
        'SLURM_NODEID': rank // here,
        'SLURM_STEP_NUM_TASKS': ranks,
        'SLURM_STEP_TASKS_PER_NODE': f'{here}(x{ranks // here})',
        'SLURM_STEP_NODELIST': '127.0.0.1' if here == ranks else '127.0.0.[1-2]',
    }


def open_mpi(rank, ranks, here, job):
    return {
        'OMPI_COMM_WORLD_RANK': rank,
        'OMPI_COMM_WORLD_SIZE': ranks,
        'OMPI_COMM_WORLD_LOCAL_RANK': rank % here,
        'OMPI_COMM_WORLD_LOCAL_SIZE': here,
        'PMIX_NAMESPACE': job,
    }


def mpich(rank, ranks, here, job):
    return {
        'PMI_RANK': rank,
        'PMI_SIZE': ranks,
        'MPI_LOCALRANKID': rank % here,
        'MPI_LOCALNRANKS': here,
    }


def number():
    """Of a job that no other has."""
    return str(uuid.uuid4().int % 10**9)


def started(command, variables, **more):
    """A process in an environment without a launcher's variables."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(('PADDLE_', 'MASTER_'))}
    env.update({k: str(v) for k, v in variables.items()}, PYTHONPATH=_PACKAGES)
    return subprocess.Popen(
        command,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        **more,
    )


def seen(texts):
    """What the ranks of the program say, by rank."""
    lines = [line for text in texts for line in text.splitlines() if line.startswith('SEEN ')]
    return sorted(json.loads(line[5:]) for line in lines)


def ended(processes):
    try:
        texts = [p.communicate(timeout=60)[0] for p in processes]
    finally:
        for p in processes:
            p.kill()
    assert [p.returncode for p in processes] == [0] * len(processes), texts
    return texts


@pytest.mark.parametrize('told', [slurm, open_mpi, mpich])
def test_ranks_of_one_host_find_each_other(told):
    job = number()
    commands = [([sys.executable, '-c', PROGRAM], told(rank, 3, 3, job)) for rank in range(3)]
    assert seen(ended([started(*c) for c in commands])) == [
        [rank, 3, rank, 7.0, 'launcher'] for rank in range(3)
    ]


@pytest.mark.parametrize('told', [slurm, open_mpi, mpich])
def test_ranks_of_several_hosts_meet_at_an_address(told):
    job, more = number(), {}
    if told is not slurm:
        with socket.socket() as free:
            free.bind(('127.0.0.1', 0))
            more = {'MASTER_ADDR': '127.0.0.1', 'MASTER_PORT': free.getsockname()[1]}
    processes = [
        started([sys.executable, '-c', PROGRAM], {**told(rank, 4, 2, job), **more})
        for rank in range(4)
    ]
    assert seen(ended(processes)) == [[rank, 4, rank % 2, 15.0, None] for rank in range(4)]


def test_launchers_that_slurm_started_are_nodes_of_one_job(tmp_path):
    program, job = tmp_path / 'train.py', number()
    program.write_text(PROGRAM)
    command = [sys.executable, '-m', 'paddle.distributed.launch', '--nproc_per_node=2', program]
    ended([started(command, slurm(node, 2, 1, job), cwd=tmp_path) for node in range(2)])
    texts = [(tmp_path / 'log' / f'workerlog.{rank}').read_text() for rank in range(4)]
    assert seen(texts) == [[rank, 4, rank % 2, 15.0, 'launcher'] for rank in range(4)]


@pytest.mark.parametrize(
    'variables, error',
    [
        (open_mpi(1, 4, 2, 'x'), 'expected PADDLE_MASTER, host:port of rank 0'),
        ({**slurm(0, 2, 2, '1'), 'SLURM_LOCALID': 'a'}, "a number in SLURM_LOCALID, got 'a'"),
        (
            {**slurm(0, 2, 2, '1'), 'SLURM_STEP_TASKS_PER_NODE': '2(y)'},
            'counts in SLURM_STEP_TASKS_PER_NODE',
        ),
    ],
)
def test_what_is_missing_is_named(variables, error):
    process = started([sys.executable, '-c', PROGRAM], variables)
    text = process.communicate(timeout=60)[0]
    assert process.returncode == 1 and 'ValueError' in text and error in text


def test_a_rank_that_does_not_come_is_named():
    variables = {**open_mpi(1, 2, 2, number()), 'FLAGS_stop_check_timeout': 1}
    process = started([sys.executable, '-c', PROGRAM], variables)
    text = process.communicate(timeout=60)[0]
    assert process.returncode == 1 and 'expected rank 0 of ompi-' in text


def test_one_process_and_a_launcher_go_before_the_scheduler(monkeypatch):
    for name, value in slurm(0, 1, 1, '1').items():
        monkeypatch.setenv(name, str(value))
    assert scheduler.scheduled_task() is None
    monkeypatch.setenv('SLURM_STEP_NUM_TASKS', '2')
    assert scheduler.scheduled_task().size == 2
    monkeypatch.setenv('PADDLE_TRAINERS_NUM', '3')
    assert scheduler.enter_schedule(1) is None
    monkeypatch.delenv('SLURM_STEP_NUM_TASKS')  # a batch script itself
    assert scheduler.scheduled_task() is None


@pytest.mark.parametrize(
    'text, first',
    [
        ('node7', 'node7'),
        ('node7,node8', 'node7'),
        ('node[07-09,12],other', 'node07'),
        ('rack1-n[3]', 'rack1-n3'),
        ('a[1,5]-ib', 'a1-ib'),
        ('', ''),
    ],
)
def test_the_first_host_of_a_list(text, first):
    assert scheduler.first_of_hosts(text) == first


def test_counts_of_tasks():
    counts = [scheduler._tasks_of_node('2(x3),1', node) for node in range(4)]
    assert counts == [2, 2, 2, 1]


@pytest.mark.parametrize(
    'command',
    [
        ['mpirun', '--allow-run-as-root', '--oversubscribe', '-np', '3'],
        ['mpiexec.hydra', '-n', '3'],
    ],
)
def test_starters_of_mpi(command, tmp_path):
    """Each rank writes a file: starters may lose the end of what a rank prints (Open MPI's
    pseudo-terminals do when it ends at once).
    """
    if not shutil.which(command[0]):
        pytest.skip(f'no {command[0]} on this machine')
    opened = f"open(os.path.join({str(tmp_path)!r}, str(os.getpid())), 'w')"
    program = f"import os, sys\nsys.stdout = {opened}\n"
    ended([started([*command, sys.executable, '-c', program + PROGRAM], {})])
    texts = [path.read_text() for path in tmp_path.iterdir()]
    assert seen(texts) == [[rank, 3, rank, 7.0, 'launcher'] for rank in range(3)]
