# SPDX-License-Identifier: Apache-2.0
"""The launcher and spawn: what ranks are told, logs, and how a job ends."""

import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import textwrap
import time

import pytest
import work_spawn

import paddle
import paddle.distributed as dist

_PACKAGES = os.path.dirname(os.path.dirname(os.path.abspath(paddle.__file__)))


def launch(tmp_path, script, *flags, ranks=2):
    program = tmp_path / 'train.py'
    program.write_text(textwrap.dedent(script))
    command = [
        sys.executable,
        '-m',
        'paddle.distributed.launch',
        '--log_dir',
        str(tmp_path / 'log'),
    ]
    command += [f'--nproc_per_node={ranks}', *flags, str(program), 'one', '--two']
    begin = time.monotonic()
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
        env={**os.environ, 'PYTHONPATH': _PACKAGES},
        check=False,
    )
    return done, time.monotonic() - begin


def test_what_ranks_are_told(tmp_path):
    done, _ = launch(
        tmp_path,
        """
        import json, os, sys
        import paddle
        import paddle.distributed as dist
        group = dist.init_parallel_env()
        t = paddle.to_tensor([dist.get_rank() + 1.0])
        dist.all_reduce(t)
        env = {k: v for k, v in os.environ.items() if k.startswith('PADDLE_')}
        print('SEEN', json.dumps([sys.argv[1:], env, float(t), group.nranks]))
        """,
    )
    assert done.returncode == 0, done.stderr
    seen = []
    for rank in range(2):
        log = (tmp_path / 'log' / f'workerlog.{rank}').read_text()
        seen.append(json.loads(log.partition('SEEN ')[2].splitlines()[0]))
    assert 'SEEN' in done.stdout  # rank 0 is shown here too
    for rank, (arguments, env, total, count) in enumerate(seen):
        assert arguments == ['one', '--two'] and total == 3 and count == 2
        assert env['PADDLE_TRAINER_ID'] == env['PADDLE_GLOBAL_RANK'] == env['PADDLE_LOCAL_RANK']
        assert env['PADDLE_TRAINER_ID'] == str(rank) and env['PADDLE_TRAINERS_NUM'] == '2'
        endpoints = env['PADDLE_TRAINER_ENDPOINTS'].split(',')
        assert endpoints[rank] == env['PADDLE_CURRENT_ENDPOINT'] and len(set(endpoints)) == 2
    assert seen[0][1]['PADDLE_MASTER'] == seen[1][1]['PADDLE_MASTER']


def test_the_first_failure_is_shown(tmp_path):
    done, _ = launch(
        tmp_path,
        """
        import paddle
        import paddle.distributed as dist
        dist.init_parallel_env()
        if dist.get_rank() == 1:
            raise ValueError('of rank one')
        dist.all_reduce(paddle.ones([1]))
        """,
    )
    assert done.returncode == 1
    assert '[launch] expected all ranks to end well, but rank 1' in done.stderr
    assert "ValueError: of rank one" in done.stderr and 'train.py", line 6' in done.stderr


def test_a_killed_rank_ends_the_job(tmp_path):
    done, _ = launch(
        tmp_path,
        """
        import os, signal, sys, time
        import paddle
        import paddle.distributed as dist
        dist.init_parallel_env()
        dist.barrier()
        if dist.get_rank() == 1:
            print('last words', flush=True)
            print('KILLED', time.time(), file=open('when', 'w'), flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        if dist.get_rank() == 2:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(60)
        dist.barrier()
        """,
        ranks=3,
    )
    killed = float((tmp_path / 'when').read_text().split()[1])
    assert time.time() - killed < 3  # 2 s, and the end of this process' wait
    assert done.returncode == 128 + signal.SIGKILL
    assert 'rank 1' in done.stderr and 'SIGKILL' in done.stderr and 'last words' in done.stderr


def test_exit_codes_and_refusals(tmp_path):
    done, _ = launch(tmp_path, "import sys; print('bye'); sys.exit(7)", ranks=1)
    assert done.returncode == 7 and 'exit code 7' in done.stderr and 'bye' in done.stderr
    # Who ends first with a code counts, not who missed it.
    missed = """
        import os, sys, paddle, paddle.distributed as dist
        dist.init_parallel_env()
        if dist.get_rank() == 1:
            print('done here', flush=True)
            HOW(7)
        dist.all_reduce(paddle.ones([1]))
    """
    for how in ('sys.exit', 'os._exit'):
        done, _ = launch(tmp_path, missed.replace('HOW', how), '--log_overwrite', 'true')
        assert done.returncode == 7 and 'rank 1' in done.stderr, done.stderr
        assert 'exit code 7' in done.stderr and 'done here' in done.stderr
    for flags, why in (
        (['--nnodes', '2'], '--master host:port'),
        (['--nnodes', '2:4'], 'jobs keep their size'),
        (['--nnodes', '2', '--master', '127.0.0.1:1', '--rank', '2'], '--rank of 0 to 1'),
        (['--run_mode', 'ps'], 'yet'),
        (['--elastic_level', '1'], 'yet'),
    ):
        done, _ = launch(tmp_path, '', *flags)
        assert done.returncode == 2 and why in done.stderr
    done, _ = launch(tmp_path, '', ranks=0)
    assert done.returncode == 2


def test_time_of_a_small_program(tmp_path):
    """Start, one collective, end; in processor time, which other work does not stretch."""
    before = os.times()
    done, _ = launch(
        tmp_path,
        """
        import paddle
        import paddle.distributed as dist
        dist.init_parallel_env()
        dist.all_reduce(paddle.ones([1]))
        """,
    )
    after = os.times()
    assert done.returncode == 0, done.stderr
    used = (
        after.children_user + after.children_system - before.children_user - before.children_system
    )
    assert used < 4


def test_spawn():
    context = dist.spawn(work_spawn.add_up, args=(5,), nprocs=2)
    assert [p.exitcode for p in context.processes] == [0, 0]
    with pytest.raises(RuntimeError, match='rank 1 raised:(.|\n)*KeyError: .mine'):
        dist.spawn(work_spawn.fail, nprocs=2)
    with pytest.raises(RuntimeError, match='rank 0 was ended by SIGKILL'):
        dist.spawn(work_spawn.die, nprocs=2)
    with pytest.raises(ValueError, match='nprocs'):
        dist.spawn(work_spawn.add_up, nprocs=0)
    with pytest.raises(ValueError, match='options'):
        dist.spawn(work_spawn.add_up, nprocs=1, colour='red')
    context = dist.spawn(work_spawn.fail, nprocs=1, join=False)
    with pytest.raises(RuntimeError, match='KeyError'):
        context.join()


def test_forked_ranks_forget_what_their_parent_read():
    assert dist.get_rank() == 0
    for _ in range(2):
        context = dist.spawn(work_spawn.divide, nprocs=2, start_method='fork')
        assert [p.exitcode for p in context.processes] == [0, 0]


def test_barriers_without_a_launcher():
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        endpoint = f'127.0.0.1:{taken.getsockname()[1]}'
    start = multiprocessing.get_context('spawn')
    processes = [
        start.Process(target=work_spawn.meet, args=(rank, 2, endpoint)) for rank in range(2)
    ]
    for p in processes:
        p.start()
    for p in processes:
        p.join(60)
    assert [p.exitcode for p in processes] == [0, 0]
    with pytest.raises(RuntimeError, match='gloo_init_parallel_env'):
        dist.gloo_barrier()
    with pytest.raises(ValueError, match='rank_id'):
        dist.gloo_init_parallel_env(2, 2, endpoint)
