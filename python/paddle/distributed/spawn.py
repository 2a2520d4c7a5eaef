# SPDX-License-Identifier: Apache-2.0
"""Runs a function in several processes."""

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import time
import traceback

from paddle.base import libpaddle as _core

from .launch.environment import chosen_gpus, hold_store, rank_environment
from .parallel import begin_anew

__all__ = ['spawn']

_OPTIONS = ('start_method', 'gpus', 'xpus', 'ips', 'backend', 'print_config', 'nprocs')
_GRACE = 0.5


@contextlib.contextmanager
def _environment(variables):
    """Within, processes are started with these variables: some are read when libraries load."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _run(func, args, errors):
    begin_anew()
    try:
        func(*args)
    except KeyboardInterrupt:
        pass
    except Exception:
        errors.send((time.monotonic(), traceback.format_exc()))
        raise SystemExit(1) from None
    finally:
        errors.close()


class MultiprocessContext:
    """The processes that `spawn` has started."""

    def __init__(self, processes, errors, store):
        self.processes = processes
        self._errors = errors
        self.store = store  # the job needs it

    def join(self, timeout=None):
        """True once all processes have ended, False where they have not within `timeout` seconds.
        RuntimeError where one failed: then the others are ended.
        """
        until = None if timeout is None else time.monotonic() + timeout
        waiting = {p.sentinel: p for p in self.processes}
        while waiting:
            left = None if until is None else max(0, until - time.monotonic())
            ended = multiprocessing.connection.wait(list(waiting), left)
            if not ended:
                return False
            for process in map(waiting.pop, ended):
                process.join()
                if process.exitcode:
                    self._fail()
        return True

    def _fail(self):
        limit = time.monotonic() + _GRACE
        for p in self.processes:
            p.join(max(0, limit - time.monotonic()))
        codes = {r: p.exitcode for r, p in enumerate(self.processes) if p.exitcode}
        for p in self.processes:
            if p.is_alive():
                p.terminate()
                p.join(_GRACE)
                p.kill()
                p.join()
        for rank, code in codes.items():
            if code < 0:
                raise RuntimeError(
                    f'[spawn] expected all ranks to end well, but rank {rank} was ended by '
                    f'{signal.Signals(-code).name}'
                )
        told = []
        for rank, errors in enumerate(self._errors):
            try:
                if errors.poll():
                    told.append((*errors.recv(), rank))
            except EOFError:
                pass
        if told:
            _, text, rank = min(told)
            raise RuntimeError(
                f'[spawn] expected all ranks to end well, but rank {rank} raised:\n{text}'
            )
        rank, code = min(codes.items())
        raise RuntimeError(
            f'[spawn] expected all ranks to end well, but rank {rank} ended with exit code {code}'
        )


def _get_default_nprocs():
    return len(os.sched_getaffinity(0))


def _options_valid_check(options):
    unknown = set(options) - set(_OPTIONS)
    if unknown:
        raise ValueError(f'[spawn] expected options of {_OPTIONS}, got {sorted(unknown)}')


def spawn(func, args=(), nprocs=-1, join=True, daemon=False, **options):
    """Call a function in several processes, which are the ranks of a job.

    The function begins with `init_parallel_env()`. A program that uses the start method `spawn` has
    its call below `if __name__ == "__main__":`, and the function at the top of a module.

    Args:
        func (callable): The function.
        args (tuple, default ()): What it gets.
        nprocs (int, default -1): How many processes there are; -1 for one for each core.
        join (bool, default True): Whether to return only when all have ended.
        daemon (bool, default False): Whether they end with this process.
        **options (object): `start_method`: `spawn` (what it is without), `fork` or `forkserver`;
            `gpus`: numbers of GPUs such as `0,1`, one for each process, which `init_parallel_env`
            makes current; `backend`: `auto`, `gloo` or `nccl`, which is for GPUs, from 0 on where
            none are named; `xpus`, `ips` and `print_config` have no effect.

    Returns:
        object: has the `processes`, and `join(timeout)`, which is True once all have ended.

    Raises:
        RuntimeError: A process failed: which was the first, and of what.
        ValueError: An unknown option, another backend, GPUs that are not there, or no nprocs
            that can be.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work(scale):
        ...     dist.init_parallel_env()
        ...     x = paddle.to_tensor([scale * dist.get_rank()])
        ...     dist.all_reduce(x)
        ...     assert x.item() == scale
        >>> context = dist.spawn(work, (2.5,), nprocs=2, join=False, start_method="fork")
        >>> context.join()
        True
    """
    _options_valid_check(options)
    backend, chosen = options.get('backend', 'auto'), options.get('gpus')
    if backend not in ('auto', 'gloo', 'nccl'):
        raise ValueError(f"[spawn] expected backend 'gloo' or 'nccl', got {backend!r}")
    if backend == 'nccl' and not _core.gpu_count():
        raise ValueError("[spawn] expected backend 'gloo' on a machine without GPUs, got 'nccl'")
    if nprocs == -1:
        nprocs = len(chosen.split(',')) if chosen else _get_default_nprocs()
    if nprocs < 1:
        raise ValueError(f'[spawn] expected nprocs of 1 or more, or -1, got {nprocs}')
    if backend == 'nccl':
        chosen = chosen or ','.join(map(str, range(nprocs)))
    gpus = None if backend == 'gloo' else chosen_gpus('spawn', chosen, nprocs)
    context = multiprocessing.get_context(options.get('start_method', 'spawn'))
    store, secret = hold_store()
    processes, errors = [], []
    for rank in range(nprocs):
        receive, send = context.Pipe(duplex=False)
        variables = rank_environment(rank, nprocs, store, secret, gpus=gpus)
        process = context.Process(target=_run, args=(func, tuple(args), send), daemon=daemon)
        with _environment(variables):
            process.start()
        send.close()
        processes.append(process)
        errors.append(receive)
    started = MultiprocessContext(processes, errors, store)
    if join:
        started.join()
    return started
