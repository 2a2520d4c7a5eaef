# SPDX-License-Identifier: Apache-2.0
"""Jobs of several hosts: namespaces with networks of their own."""

import re
import signal
import subprocess
import sys
import time

import hosts
import pytest
import ranks

pytestmark = pytest.mark.skipif(not hosts.available(), reason='no network namespaces here')


@pytest.fixture(scope='module')
def two():
    with hosts.Hosts(2) as made:
        yield made


def test_collectives(two):
    ranks.run(3, 'work_collectives', 'everything', hosts=two, timeout=200)


@pytest.mark.parametrize('numbered', [True, False])
def test_launchers(numbered, two, tmp_path):
    """One launcher a host; `--rank` may be left out."""
    program = tmp_path / 'program.py'
    program.write_text(
        'import os, paddle, paddle.distributed as dist\n'
        'dist.init_parallel_env()\n'
        'x = paddle.to_tensor([float(dist.get_rank())])\n'
        'dist.all_reduce(x)\n'
        'env = os.environ\n'
        "local, nodes = env['PADDLE_LOCAL_RANK'], env['PADDLE_NNODES']\n"
        "with open(f'rank{dist.get_rank()}', 'w') as out:\n"
        "    out.write(f'{float(x)} of {dist.get_world_size()}, {local} of {nodes} nodes')\n"
    )
    launch = [sys.executable, '-m', 'paddle.distributed.launch', '--nnodes', '2']
    launch += ['--nproc_per_node', '2', '--master', f'{two.net}.1:7123']
    launchers = []
    for i in range(2):
        own = ['--rank', str(i)] if numbered else []
        command = [*two.prefix(i), *launch, *own, '--log_dir', f'log{i}', str(program)]
        launchers.append(subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True))
    for launcher in launchers:
        _, text = launcher.communicate(timeout=60)
        assert launcher.returncode == 0, text
    for rank in range(4):
        assert (tmp_path / f'rank{rank}').read_text() == f'6.0 of 4, {rank % 2} of 2 nodes'


def test_children(two):
    ranks.run(2, 'work_collectives', 'children', hosts=two)


def test_training(two):
    ranks.run(2, 'work_training', 'alike', hosts=two)


@pytest.mark.parametrize('call, collective', [('collective', 'all_reduce'), ('recv', 'recv')])
def test_a_rank_dies(call, collective, two):
    job = ranks.Ranks(3, 'work_failures', 'wait_for', call, hosts=two)
    job.ready('pid/0', 'pid/1', 'pid/2')
    time.sleep(0.2)
    begin = time.time()
    job.processes[2].kill()
    for code, text in job.end()[:2]:
        found = re.search(r'RAISED (\S+) (.*)', text)
        assert code == 0 and found, text
        assert float(found[1]) - begin < 1
        assert 'rank 2' in found[2] and collective in found[2]
        assert call != 'collective' or 'AGAIN' in text


def test_a_rank_breaks_off(two):
    """The others are told at once, though it was within a collective."""
    for code, text in ranks.Ranks(2, 'work_failures', 'break_off', hosts=two).end():
        found = re.search(r'RAISED (\S+) (.*)', text)
        assert code == 0 and found, text
        assert float(found[1]) < 1 and 'rank 1 aborted the group' in found[2]


@pytest.mark.parametrize('how', ['stopped', 'cut off'])
def test_a_rank_is_silent(how):
    """At the deadline the others say who is missing; a host that is cut off tells nobody."""
    with hosts.Hosts(2) as made:
        job = ranks.Ranks(2, 'work_failures', 'wait_for', 'collective', '1.5', 'no', hosts=made)
        job.ready('pid/0', 'pid/1')
        if how == 'stopped':
            job.processes[1].send_signal(signal.SIGSTOP)
        else:
            made.cut(1)
        try:
            job.processes[0].wait(20)
        finally:
            job.processes[1].kill()
        text = job.end()[0][1]
        found = re.search(r'RAISED \S+ (.*)', text)
        assert found and 'within 1.5 s' in found[1] and 'rank 1' in found[1], text


def test_delay_and_loss():
    """Every collective is right on a network that delays all frames and loses some."""
    with hosts.BadNetwork(2, delay=0.003, loss=0.02) as made:
        ranks.run(3, 'work_collectives', 'over_a_bad_network', hosts=made, timeout=200)
        assert made.lost > 20 and made.carried > 1000, (made.carried, made.lost)


@pytest.mark.parametrize('how', ['killed', 'cut off'])
def test_failures_with_delay_and_loss(how):
    """Errors name the rank: at once where it died, at the deadline where nothing comes."""
    with hosts.BadNetwork(2, delay=0.01, loss=0.01) as made:
        job = ranks.Ranks(2, 'work_failures', 'wait_for', 'collective', '4', 'no', hosts=made)
        job.ready('pid/0', 'pid/1', timeout=60)
        time.sleep(0.5)
        begin = time.time()
        if how == 'killed':
            job.processes[1].kill()
        else:
            made.cut(1)
        try:
            job.processes[0].wait(30)
        finally:
            job.processes[1].kill()
        text = job.end()[0][1]
        found = re.search(r'RAISED (\S+) (.*)', text)
        assert found and 'rank 1' in found[2] and 'all_reduce' in found[2], text
        seconds = float(found[1]) - begin
        assert seconds < 1.5 if how == 'killed' else 'within 4 s' in found[2], (seconds, text)
