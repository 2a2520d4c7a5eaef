# SPDX-License-Identifier: Apache-2.0
"""Ranks that die, hang or leave: the others raise in time, and say who was missing where."""

import os
import re
import signal
import time

import failures
import pytest
import ranks


def raised(text):
    found = re.search(r'RAISED (\S+) (.*)', text)
    assert found, text
    return float(found[1]), found[2]


def pids(job, count):
    job.ready(*(f'pid/{r}' for r in range(count)))
    return [int(job.store.get(f'pid/{r}')) for r in range(count)]


@pytest.mark.parametrize('what', ['collective', 'task', 'recv', 'send', 'object'])
def test_a_killed_rank_is_noticed(what):
    job = ranks.Ranks(3, 'work_failures', 'wait_for', what)
    victim = pids(job, 3)[2]
    time.sleep(0.2)
    killed = time.time()
    os.kill(victim, signal.SIGKILL)
    ends = job.end()
    for rank, (code, text) in enumerate(ends[:2]):
        when, message = raised(text)
        assert code == 0 and when - killed < 1, (rank, when - killed, text)
        assert (
            f'rank 2 (its process {victim} died)' in message
            or 'missed rank 2' in message
            or ('expected rank 2' in message and f'process {victim} died' in message)
        ), message
        if what == 'collective':
            assert 'AGAIN' in text


def test_a_stopped_rank_is_named_at_the_deadline():
    job = ranks.Ranks(3, 'work_failures', 'wait_for', 'task', '1.5')
    victim = pids(job, 3)[2]
    os.kill(victim, signal.SIGSTOP)
    begin = time.time()
    for p in job.processes[:2]:
        p.wait(20)
    os.kill(victim, signal.SIGKILL)
    for code, text in job.end()[:2]:
        when, message = raised(text)
        assert code == 0 and when - begin < 10
        assert (
            'missed rank 2' in message or 'no rank 2 (which last entered all_reduce #1)' in message
        )


def test_a_rank_that_died_where_it_had_come_is_named_too():
    job = ranks.Ranks(3, 'work_failures', 'come_and_die')
    absent, _, came = pids(job, 3)
    time.sleep(0.5)
    os.kill(came, signal.SIGKILL)
    time.sleep(0.2)
    os.kill(absent, signal.SIGKILL)
    _, (code, text), _ = job.end()
    message = raised(text)[1]
    assert code == 0 and f'got no rank 0 (its process {absent} died)' in message
    assert f'rank 2 had come (its process {came} died)' in message


def test_a_rank_that_leaves():
    (code, text), _ = ranks.Ranks(2, 'work_failures', 'leave_early').end()
    assert code == 0 and 'rank 1 (it left the group)' in raised(text)[1]


def test_nothing_is_left_behind():
    """Neither names of shared memory nor processes that hold it."""
    before = failures.shared_memory()
    for how in (signal.SIGKILL, signal.SIGTERM):
        job = ranks.Ranks(2, 'work_failures', 'wait_for', 'collective')
        for pid in pids(job, 2):
            os.kill(pid, how)
        job.end()
        assert not any(os.path.exists(f'/proc/{p.pid}') for p in job.processes)
    assert not failures.shared_memory() - before


@pytest.mark.parametrize(
    'call, absent',
    [
        ('reshard', False),
        ('backward', True),
        ('barrier', False),
        ('new_group', True),
        ('store', True),
        ('aborted', False),
    ],
)
def test_jobs_of_which_a_rank_is_killed(call, absent):
    wrong, _ = failures.run(call, signal.SIGKILL, absent, 0.05)
    assert not wrong, '\n'.join(wrong)


def test_a_job_of_which_a_rank_is_stopped():
    wrong, _ = failures.run('new_group', signal.SIGSTOP, True, 0)
    assert not wrong, '\n'.join(wrong)
