# SPDX-License-Identifier: Apache-2.0
"""Calls between workers: results, errors, strangers, and workers that die."""

import socket
import subprocess
import sys

import ranks


def test_calls():
    ranks.run(3, 'work_rpc', 'calls')


def test_a_worker_that_dies():
    job = ranks.Ranks(2, 'work_rpc', 'a_worker_dies')
    (code, text), _ = job.end()
    assert code == 0, text


def test_without_a_launcher():
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        port = str(taken.getsockname()[1])
    start = "import sys; sys.path.insert(0, sys.argv[1]); import work_rpc; "
    call = 'work_rpc.without_a_launcher(*sys.argv[2:])'
    here = ranks.__file__.rpartition('/')[0]
    processes = [
        subprocess.Popen([sys.executable, '-c', start + call, here, str(rank), port])
        for rank in range(2)
    ]
    assert [p.wait(60) for p in processes] == [0, 0]


def test_strangers_run_nothing():
    job = ranks.Ranks(1, 'work_rpc', 'serve_a_stranger')
    assert job.end()[0] == (0, '')
