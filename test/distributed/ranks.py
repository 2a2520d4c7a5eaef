# SPDX-License-Identifier: Apache-2.0
"""Runs a function of a test as several ranks: processes started as the launcher starts them."""

import os
import signal
import subprocess
import sys
import time

from paddle.distributed.launch.environment import child_environment, hold_store, rank_environment

_HERE = os.path.dirname(os.path.abspath(__file__))
# Ends a wait for a rank that does not come before a test is ended for its length, in milliseconds.
_PATIENCE = '60000'
# Upon SIGUSR1 a rank prints where its threads are.
_START = 'import faulthandler, signal; faulthandler.register(signal.SIGUSR1, all_threads=True); '
_START += 'import sys; sys.path.insert(0, sys.argv[1]); import importlib; '
_CALL = 'getattr(importlib.import_module(sys.argv[2]), sys.argv[3])(*sys.argv[4:])'


class Ranks:
    """`count` processes that call `module.function(*args)` of this directory; on `hosts` by turns,
    where these are given.
    """

    def __init__(self, count, module, function, *args, hosts=None):
        self.store, self.secret = hold_store(*([hosts.address] if hosts else []))
        self._hosts, self._call = hosts, (module, function, *args)
        self.processes = [self._started(rank, count) for rank in range(count)]

    def _started(self, rank, count):
        env = child_environment(rank_environment(rank, count, self.store, self.secret))
        hosts = self._hosts
        return subprocess.Popen(
            [
                *(hosts.prefix(rank % len(hosts.names)) if hosts else []),
                *(sys.executable, '-c', _START + _CALL, _HERE, *self._call),
            ],
            env={'PADDLE_PG_TIMEOUT': _PATIENCE, **env, 'OMP_NUM_THREADS': '1'},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def replace(self, rank):
        """Another process in the place of one that has ended, whose output is given."""
        text = self.processes[rank].communicate(timeout=60)[0]
        self.processes[rank] = self._started(rank, len(self.processes))
        return text

    def end(self, timeout=60):
        """(exit code, output) of each rank. AssertionError where one takes longer: it says what all
        of them did then.
        """
        until = time.monotonic() + timeout
        late = []
        try:
            texts = [p.communicate(timeout=until - time.monotonic())[0] for p in self.processes]
        except subprocess.TimeoutExpired:
            late = [rank for rank, p in enumerate(self.processes) if p.poll() is None]
            for rank in late:
                self.processes[rank].send_signal(signal.SIGUSR1)
            time.sleep(1)
        finally:
            for p in self.processes:
                p.kill()
        if late:
            texts = [f'rank {rank}:\n{p.communicate()[0]}' for rank, p in enumerate(self.processes)]
            raise AssertionError(f'ranks {late} took more than {timeout} s\n' + '\n'.join(texts))
        return [(p.returncode, text) for p, text in zip(self.processes, texts)]

    def ready(self, *keys, timeout=30):
        """Until the ranks have set these keys of the store."""
        self.store.wait(list(keys), timeout=timeout)


def run(count, module, function, *args, timeout=60, hosts=None):
    """All ranks must end well."""
    job = Ranks(count, module, function, *args, hosts=hosts)
    for rank, (code, text) in enumerate(job.end(timeout)):
        assert code == 0, f'rank {rank} ended with {code}:\n{text}'
