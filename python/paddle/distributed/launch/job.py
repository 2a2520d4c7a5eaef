# SPDX-License-Identifier: Apache-2.0
"""The processes of a job on this host: started, watched, ended together."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time

from .environment import child_environment, hold_store, join_store, rank_environment

# What the other ranks get, once one has failed, to say what they missed; and then to end.
_GRACE = 0.5
_GRACE_OF_TERM = 0.5
_LAST_LINES = 20
# How long the launcher with the store waits for those of other hosts.
_PARTING = 30


class _Rank:
    def __init__(self, number, command, env, log):
        self.number = number
        self.log = log
        self.report = env['PADDLE_RANK_REPORT']
        with open(log, 'ab') as out:
            self.begin = out.tell()
            self.process = subprocess.Popen(
                command, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
            )
        self.pidfd = os.pidfd_open(self.process.pid)
        self.shown = self.begin
        self.told = False  # to end, by this launcher

    def text(self, since):
        with open(self.log, 'rb') as log:
            log.seek(since)
            return log.read()

    def failure(self):
        """When the process ended, and the traceback of the exception that ended it; None where
        nothing tells.
        """
        with contextlib.suppress(OSError, ValueError), open(self.report) as report:
            return json.load(report)
        return None

    def end(self, how):
        if self.process.poll() is None:
            self.told = True
            self.process.send_signal(how)


class Job:
    """`ranks` processes that run `command`, on each of `nodes` hosts that each have a launcher.
    `run` returns the exit code: 0 where all of this host ended well, else that of the first that
    failed. Launchers of several hosts meet at `master`; `node` is this one's number, -1 for any.
    """

    def __init__(
        self,
        command,
        ranks,
        host='127.0.0.1',
        start_port=6070,
        log_dir='log',
        append=True,
        nodes=1,
        node=-1,
        master=None,
        gpus=None,
    ):
        self._nodes, self._node, self._master = nodes, node, master
        self._gpus = gpus
        self._command = command
        self._count = ranks
        self._host = host
        self._start_port = start_port
        self._log_dir = log_dir
        self._append = append
        self._ranks = []

    def run(self):
        if self._nodes > 1:
            secret = os.getenv('PADDLE_JOB_SECRET', '')
            store, self._node = join_store(self._master, self._node, secret)
        else:
            (store, secret), self._node = hold_store(self._host), 0
        first = self._node * self._count
        os.makedirs(self._log_dir, exist_ok=True)
        previous = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        with tempfile.TemporaryDirectory(prefix='paddle-job-') as reports:
            try:
                for number in range(first, first + self._count):
                    variables = rank_environment(
                        number,
                        self._count * self._nodes,
                        store,
                        secret,
                        self._start_port,
                        first,
                        self._count,
                        self._gpus,
                    )
                    variables['PADDLE_RANK_REPORT'] = os.path.join(reports, str(number))
                    self._start(number, child_environment(variables))
                code = self._watch()
                self._part(store, code)
                return code
            except KeyboardInterrupt:
                return 128 + signal.SIGINT
            finally:
                self._end_all()
                signal.signal(signal.SIGTERM, previous)

    def _part(self, store, code):
        """The store stays until all launchers of a job that ended well have come here."""
        if self._nodes == 1:
            return
        with contextlib.suppress(RuntimeError):
            if store.add('launch/ended', 1) == self._nodes:
                store.set('launch/over', '1')
            if code == 0 and self._node == 0:
                store.wait('launch/over', timeout=_PARTING)

    def _start(self, number, env):
        log = os.path.join(self._log_dir, f'workerlog.{number}')
        if not self._append:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(log)
        self._ranks.append(_Rank(number, self._command, env, log))

    def _watch(self):
        """Until all have ended, or one has failed."""
        poller = select.poll()
        waiting = {rank.pidfd: rank for rank in self._ranks}
        for fd in waiting:
            poller.register(fd, select.POLLIN)
        while waiting:
            ended = []
            for fd, _ in poller.poll(50):
                poller.unregister(fd)
                ended.append(waiting.pop(fd))
            self._show()
            failed = [rank for rank in ended if rank.process.wait() != 0]
            if failed:
                return self._report(failed)
        return 0

    def _show(self):
        """What rank 0 has written goes to this terminal too."""
        first = self._ranks[0]
        text = first.text(first.shown)
        if text:
            first.shown += len(text)
            sys.stdout.buffer.write(text)
            sys.stdout.buffer.flush()

    def _report(self, failed):
        """Says which rank failed first, and of what. The others get a moment to fail of it."""
        until = time.monotonic() + _GRACE
        while time.monotonic() < until and any(r.process.poll() is None for r in self._ranks):
            time.sleep(0.02)
        self._show()
        failed = [r for r in self._ranks if r.process.poll() not in (None, 0)]
        first = min(failed, key=self._order)
        code = first.process.returncode
        where = f'rank {first.number} (process {first.process.pid})'
        if code < 0:
            what = f'{where} was ended by {signal.Signals(-code).name}'
        else:
            what = f'{where} ended with exit code {code}'
        failure = first.failure()
        lines = first.text(first.begin).decode(errors='replace').splitlines()[-_LAST_LINES:]
        message = [f'[launch] expected all ranks to end well, but {what}']
        if failure is not None and failure['traceback'] is not None:
            message += ['its exception:', failure['traceback'].rstrip()]
        elif lines:
            message += [f'its last lines, of {first.log}:', *lines]
        print('\n'.join(message), file=sys.stderr, flush=True)
        return 128 - code if code < 0 else code

    @staticmethod
    def _order(rank):
        """Ranks that fell because of another come later: a signal, or an end that nothing tells of,
        is nobody's consequence; of exceptions and exit codes the first counts.
        """
        failure = rank.failure()
        if not rank.told and (rank.process.returncode < 0 or failure is None):
            return (rank.process.returncode > 0, rank.number)
        return (2, failure['time']) if failure is not None else (3, rank.number)

    def _end_all(self):
        for rank in self._ranks:
            rank.end(signal.SIGTERM)
        until = time.monotonic() + _GRACE_OF_TERM
        for rank in self._ranks:
            with contextlib.suppress(subprocess.TimeoutExpired):
                rank.process.wait(max(0, until - time.monotonic()))
        for rank in self._ranks:
            rank.end(signal.SIGKILL)
            rank.process.wait()
            os.close(rank.pidfd)
