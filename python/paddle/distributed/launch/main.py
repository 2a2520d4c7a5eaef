# SPDX-License-Identifier: Apache-2.0
"""The command line of the launcher."""

import argparse
import os
import sys

from .environment import chosen_gpus
from .job import Job
from .scheduler import master_of, scheduled_task

# Flags of PaddlePaddle's launcher for what is not served here, and what they must be.
_UNSERVED = {
    'run_mode': ('collective', 'there are no parameter servers and no RPC yet'),
    'elastic_level': (-1, 'jobs are not restarted yet'),
    'servers': ('', 'there are no parameter servers yet'),
    'trainers': ('', 'there are no parameter servers yet'),
    'server_num': (None, 'there are no parameter servers yet'),
    'trainer_num': (None, 'there are no parameter servers yet'),
    'auto_tuner_json': (None, 'there is no tuner yet'),
}


def parse(arguments):
    """The flags; each that is not given is taken from a variable PADDLE_<FLAG>."""
    env = os.environ.get
    parser = argparse.ArgumentParser(
        prog='python -m paddle.distributed.launch',
        description='Starts a program as several processes, and ends them all when one fails.',
    )
    base = parser.add_argument_group('job')
    base.add_argument('--nproc_per_node', type=int, default=env('PADDLE_NPROC_PER_NODE'))
    base.add_argument('--devices', '--gpus', '--xpus', '--npus', default=env('PADDLE_DEVICES'))
    base.add_argument('--log_dir', default=env('PADDLE_LOG_DIR', 'log'))
    base.add_argument('--log_level', default=env('PADDLE_LOG_LEVEL', 'INFO'))
    base.add_argument('--log_overwrite', default=env('PADDLE_LOG_OVERWRITE', 'False'))
    base.add_argument('--job_id', default=env('PADDLE_JOB_ID', 'default'))
    base.add_argument('--host', default=env('PADDLE_HOST', '127.0.0.1'))
    base.add_argument('--start_port', type=int, default=env('PADDLE_START_PORT', 6070))
    base.add_argument('--master', default=env('PADDLE_MASTER'))
    base.add_argument('--rank', type=int, default=env('PADDLE_RANK', -1))
    base.add_argument('--nnodes', default=env('PADDLE_NNODES'))
    base.add_argument('--ips', default=env('PADDLE_IPS'))
    base.add_argument('--run_mode', default=env('PADDLE_RUN_MODE', 'collective'))
    base.add_argument('--legacy', default=env('PADDLE_LEGACY', 'False'))
    base.add_argument('--sort_ip', default=env('PADDLE_SORT_IP', 'False'))
    base.add_argument('--enable_gpu_log', default=env('PADDLE_ENABLE_GPU_LOG', 'True'))
    base.add_argument('--auto_parallel_config', default=env('PADDLE_AUTO_PARALLEL_CONFIG'))
    base.add_argument('--auto_cluster_config', default=env('PADDLE_AUTO_CLUSTER_CONFIG'))
    base.add_argument('--auto_tuner_json', default=env('PADDLE_AUTO_TUNER_JSON'))
    servers = parser.add_argument_group('parameter servers')
    servers.add_argument('--servers', default=env('PADDLE_SERVERS', ''))
    servers.add_argument('--trainers', default=env('PADDLE_TRAINERS', ''))
    servers.add_argument('--server_num', type=int, default=env('PADDLE_SERVER_NUM'))
    servers.add_argument('--trainer_num', type=int, default=env('PADDLE_TRAINER_NUM'))
    elastic = parser.add_argument_group('restarts')
    elastic.add_argument('--max_restart', type=int, default=env('PADDLE_MAX_RESTART', 3))
    elastic.add_argument('--elastic_level', type=int, default=env('PADDLE_ELASTIC_LEVEL', -1))
    elastic.add_argument('--elastic_timeout', type=int, default=env('PADDLE_ELASTIC_TIMEOUT', 30))
    parser.add_argument('training_script', help='a program of Python, or any other')
    parser.add_argument('training_script_args', nargs=argparse.REMAINDER)
    flags = parser.parse_args(arguments)
    for name, (served, why) in _UNSERVED.items():
        if str(getattr(flags, name)) != str(served):
            parser.error(f'expected --{name} {served}, got {getattr(flags, name)}: {why}')
    if flags.nnodes is None:
        _ask_scheduler(flags, parser)
    if not str(flags.nnodes).isdigit() or int(flags.nnodes) < 1:
        parser.error(f'expected --nnodes of 1 or more, got {flags.nnodes}: jobs keep their size')
    flags.nnodes = int(flags.nnodes)
    if flags.nnodes > 1:
        host, _, port = (flags.master or '').rpartition(':')
        if not host or not port.isdigit():
            parser.error(f'expected --master host:port with --nnodes, got {flags.master}')
        if not -1 <= flags.rank < flags.nnodes:
            parser.error(f'expected --rank of 0 to {flags.nnodes - 1}, got {flags.rank}')
    if flags.nproc_per_node is None:
        flags.nproc_per_node = len(flags.devices.split(',')) if flags.devices else 1
    if flags.nproc_per_node < 1:
        parser.error(f'expected --nproc_per_node of 1 or more, got {flags.nproc_per_node}')
    try:
        flags.gpus = chosen_gpus('launch', flags.devices, flags.nproc_per_node)
    except ValueError as error:
        parser.error(str(error))
    return flags


def _ask_scheduler(flags, parser):
    """Where srun or mpirun started several launchers, each is a node of one job."""
    flags.nnodes = 1
    try:
        task = scheduled_task()
        if task is not None:
            flags.master = flags.master or master_of(task)
            flags.nnodes, flags.rank = task.size, task.rank
    except ValueError as error:
        parser.error(str(error))


def launch():
    """Run the program of the command line as several processes, and end with its exit code.

    `python -m paddle.distributed.launch --nproc_per_node 2 train.py` calls it; `--help` lists the
    options. Output of the processes goes to files in the directory `log`.

    Returns:
        None: it does not return.

    Raises:
        SystemExit: Always, with the exit code of the first process that failed, or 0.

    Examples:
        >>> import pathlib
        >>> from unittest import mock
        >>> program = "import os; open('rank' + os.environ['PADDLE_TRAINER_ID'], 'w').close()"
        >>> _ = pathlib.Path("train.py").write_text(program)
        >>> with mock.patch("sys.argv", ["launch", "--nproc_per_node", "2", "train.py"]):
        ...     try:
        ...         paddle.distributed.launch()
        ...     except SystemExit as end:
        ...         print(end.code)
        0
        >>> sorted(path.name for path in pathlib.Path().glob("rank?"))
        ['rank0', 'rank1']
    """
    flags = parse(sys.argv[1:])
    script = flags.training_script
    command = [sys.executable, '-u', script] if script.endswith('.py') else [script]
    job = Job(
        [*command, *flags.training_script_args],
        flags.nproc_per_node,
        host=flags.host,
        start_port=flags.start_port,
        log_dir=flags.log_dir,
        append=flags.log_overwrite.lower() not in ('true', '1'),
        nodes=flags.nnodes,
        node=flags.rank,
        master=flags.master,
        gpus=flags.gpus,
    )
    sys.exit(job.run())
