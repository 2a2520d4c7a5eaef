# SPDX-License-Identifier: Apache-2.0
"""Runs a function of a test as several ranks: processes started as the launcher starts them."""

import os
import subprocess
import sys
import time

from paddle.distributed.launch.environment import child_environment, hold_store, rank_environment

_HERE = os.path.dirname(os.path.abspath(__file__))
_START = 'import sys; sys.path.insert(0, sys.argv[1]); import importlib; '
_CALL = 'getattr(importlib.import_module(sys.argv[2]), sys.argv[3])(*sys.argv[4:])'


class Ranks:
    """`count` processes that call `module.function(*args)` of this directory."""

    def __init__(self, count, module, function, *args):
        self.store, self.secret = hold_store()
        self.processes = []
        for rank in range(count):
            env = child_environment(rank_environment(rank, count, self.store, self.secret))
            self.processes.append(
                subprocess.Popen(
                    [sys.executable, '-c', _START + _CALL, _HERE, module, function, *args],
                    env={**env, 'OMP_NUM_THREADS': '1'},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
            )

    def end(self, timeout=60):
        """(exit code, output) of each rank."""
        until = time.monotonic() + timeout
        try:
            texts = [p.communicate(timeout=until - time.monotonic())[0] for p in self.processes]
        finally:
            for p in self.processes:
                p.kill()
        return [(p.returncode, text) for p, text in zip(self.processes, texts)]

    def ready(self, *keys):
        """Until the ranks have set these keys of the store."""
        self.store.wait(list(keys), timeout=30)


def run(count, module, function, *args, timeout=60):
    """All ranks must end well."""
    for rank, (code, text) in enumerate(Ranks(count, module, function, *args).end(timeout)):
        assert code == 0, f'rank {rank} ended with {code}:\n{text}'
