# SPDX-License-Identifier: Apache-2.0
"""Tensors of a GPU whose memory two processes use."""

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from double import needs_double, run

pytestmark = needs_double
SCRIPT = pathlib.Path(__file__).resolve().parent / 'gpu_shared.py'


def printed(what, **env):
    """What the script prints; it leaves no shared memory behind."""
    *lines, process = run(SCRIPT, what, **env)[0].splitlines()
    assert not [n for n in os.listdir('/dev/shm') if n.startswith(f'paddle_{process}_')]
    return lines


@pytest.mark.parametrize('env', [{}, {'FLAGS_use_system_allocator': 1}, {'FAKECUDA_ORDER': 7}])
def test_processes_share_memory(env):
    assert printed('shared', **env) == []


@pytest.mark.parametrize('env', [{}, {'FAKECUDA_ORDER': 7}])
def test_events_order_the_work_of_processes(env):
    assert printed('ordered', **env) == []


def test_events_that_are_not_shared_say_why():
    lines = printed('wrong_events')
    assert [line.split(']')[0] for line in lines] == [
        '[multiprocessing',
        '[Event',
        '[Event.record',
        '[Event',
    ]


def test_without_events_the_host_waits():
    assert printed('shared', FAKECUDA_MISSING='cuIpcGetEventHandle') == []


def test_tuples_of_dense_tensors():
    assert printed('by_hand') == []


def test_memory_let_go_too_early_is_found():
    (found,) = printed('early')
    assert 'expected memory that no other process has open' in found and '1 times' in found


def test_what_is_not_shared_says_why():
    assert 'whose gradient goes on to others' in printed('refused')[0]
    grown = printed('refused', FLAGS_use_virtual_memory_auto_growth=1)[1]
    assert 'got that of segments that grow' in grown
    for name in ('cuIpcGetMemHandle', 'cuIpcOpenMemHandle'):
        lacking = printed('refused', FAKECUDA_MISSING=name)[1]
        assert 'expected a driver that shares memory between processes, got' in lacking
