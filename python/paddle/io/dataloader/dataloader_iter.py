# SPDX-License-Identifier: Apache-2.0
"""Iterators of the data loader: in this process, or over worker processes with the order kept."""

import functools
import itertools
import os
import signal
import socket
import sys
import time
import weakref

import numpy as np

from paddle import _lazy

from .collate import to_tensors
from .dataset import IterableDataset
from .interrupts import InterruptsHeld
from .transport import Channel, ChannelClosed, ChannelTimeout
from .worker import WorkerFailure, _Source, worker_loop

__all__ = ['SingleProcessIter', 'FeedIter', 'WorkerPool', 'MultiProcessIter']


def _index_batches(loader):
    """The tasks of one pass: lists of indices, single indices without batching, sizes for iterable
    datasets.
    """
    if isinstance(loader.dataset, IterableDataset):
        size = loader.batch_size
        return itertools.repeat(range(size) if size is not None else 0)
    if loader.batch_sampler is not None:
        return iter(loader.batch_sampler)
    return iter(loader._order())


def _noted(method):
    """`__next__` as a span of a profile while a profiler records."""

    @functools.wraps(method)
    def __next__(self):
        spans = sys.modules.get('paddle.profiler.utils')
        if spans is None or not spans.recording:
            return method(self)
        with spans.RecordEvent(type(self).__name__, spans.TracerEventType.Dataloader):
            return method(self)

    return __next__


class _DataLoaderIterBase:
    """What the iterators of a DataLoader are."""

    def __iter__(self):
        return self


class SingleProcessIter(_DataLoaderIterBase):
    """Reads and collates in the calling thread."""

    def __init__(self, loader):
        self._tasks = _index_batches(loader)
        self._source = _Source(
            loader.dataset,
            loader.batch_sampler is not None or loader.batch_size is not None,
            loader.collate_fn,
            loader.drop_last,
        )

    @_noted
    def __next__(self):
        if self._source is None:
            raise StopIteration
        try:
            return to_tensors(self._source.fetch(next(self._tasks)))
        except StopIteration:
            self._source = None
            raise

    next = __next__


class FeedIter:
    """Batches as feeds of a program: lists with a dict, name -> tensor, for each of `places`
    devices; a last list that is not full is left out.
    """

    def __init__(self, batches, names, places):
        self._batches, self._names, self._places = batches, names, places

    def __iter__(self):
        return self

    def __next__(self):
        return [self._named(next(self._batches)) for _ in range(self._places)]

    next = __next__

    def _named(self, batch):
        values = (
            list(batch.values())
            if isinstance(batch, dict)
            else batch
            if isinstance(batch, list)
            else [batch]
        )
        if len(values) != len(self._names):
            raise ValueError(
                f"[DataLoader] expected a value for each of feed_list {self._names}, got "
                f"{len(values)} in a batch"
            )
        return dict(zip(self._names, values))


class _Worker:
    def __init__(self, pid, channel):
        self.pid, self.channel, self.status = pid, channel, None

    def poll(self):
        """The exit status, or None while it runs."""
        if self.status is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                self.status = 0
                return 0
            if pid:
                self.status = status
        return self.status

    def why(self):
        """How the worker ended, in words."""
        for _ in range(100):
            if self.poll() is not None:
                break
            time.sleep(0.01)
        status = self.status
        if status is None:
            return "closed its channel"
        if os.WIFSIGNALED(status):
            return f"was killed by signal {signal.Signals(os.WTERMSIG(status)).name}"
        return f"exited with code {os.WEXITSTATUS(status)}"


def _shut(workers):
    with InterruptsHeld():
        for worker in workers:
            worker.channel.close()
        deadline = time.monotonic() + 0.5
        for worker in workers:
            while worker.poll() is None and time.monotonic() < deadline:
                time.sleep(0.001)
            if worker.poll() is None:
                try:
                    os.kill(worker.pid, signal.SIGKILL)
                    os.waitpid(worker.pid, 0)
                except (ProcessLookupError, ChildProcessError):
                    pass
                worker.status = 0


class WorkerPool:
    """Forked workers. They end when the pool is closed, collected, or this process dies."""

    def __init__(self, loader):
        # Of NumPy's generator, as in PaddlePaddle: its seed makes what workers draw the same.
        seed = int(np.random.randint(low=0, high=sys.maxsize))
        batching = loader.batch_sampler is not None or loader.batch_size is not None
        self.workers = []
        self.owner = os.getpid()
        self._closer = weakref.finalize(self, WorkerPool._finish, self.workers, self.owner)
        with InterruptsHeld():
            for i in range(loader.num_workers):
                ours, theirs = socket.socketpair()
                sys.stdout.flush()
                sys.stderr.flush()
                pid = os.fork()
                if pid == 0:
                    self._closer.detach()
                    code = 1
                    try:
                        ours.close()
                        for other in self.workers:
                            other.channel.close()
                        worker_loop(
                            Channel(theirs),
                            i,
                            loader.num_workers,
                            seed,
                            loader.dataset,
                            batching,
                            loader.collate_fn,
                            loader.drop_last,
                            loader.worker_init_fn,
                            loader.use_shared_memory,
                        )
                        code = 0
                    except BaseException:
                        import traceback

                        traceback.print_exc()
                    finally:
                        os._exit(code)
                theirs.close()
                self.workers.append(_Worker(pid, Channel(ours)))

    @staticmethod
    def _finish(workers, owner):
        if os.getpid() == owner:
            _shut(workers)
        workers.clear()

    def close(self):
        """End the workers and wait for them."""
        self._closer()


class MultiProcessIter(_DataLoaderIterBase):
    """One pass over worker processes: batch k comes from worker k % n, so order needs no
    reordering.
    """

    _numbers = itertools.count()

    def __init__(self, loader, pool):
        self._pool = pool
        self._own = not loader.persistent_workers
        self._timeout = loader.timeout or None
        self._tasks = _index_batches(loader)
        self._waiting = []
        self._active = list(range(len(pool.workers)))
        self._turn = 0
        self._loader = loader
        for worker in pool.workers:
            self._send(worker, ('pass',))
        for _ in range(max(1, loader.prefetch_factor) * len(pool.workers)):
            if not self._give():
                break

    def _send(self, worker, message):
        try:
            worker.channel.send(message, False)
        except ChannelClosed:
            self._fail(worker)

    def _fail(self, worker):
        text = (
            f"[DataLoader] expected a batch from the worker of pid {worker.pid}, got none: it "
            f"{worker.why()}"
        )
        self.close()
        self._loader._pool = None
        raise RuntimeError(text)

    def _give(self):
        """Hand the next task to the worker whose turn it is; False when there is none."""
        if not self._active:
            return False
        try:
            task = next(self._tasks)
        except StopIteration:
            return False
        index = self._active[self._turn % len(self._active)]
        self._turn += 1
        number = next(self._numbers)
        self._waiting.append((number, index))
        worker = self._pool.workers[index]
        self._send(worker, (number, list(task) if isinstance(task, (range, tuple)) else task))
        return True

    def _receive(self, number, index):
        worker = self._pool.workers[index]
        while True:
            try:
                message = worker.channel.receive(
                    self._timeout, lambda m: (m[0], to_tensors(m[1]), *m[2:])
                )
            except ChannelClosed:
                self._fail(worker)
            except ChannelTimeout:
                self.close()
                self._loader._pool = None
                raise RuntimeError(
                    f"[DataLoader] expected a batch within {self._timeout} seconds, got none from "
                    f"the worker of pid {worker.pid}"
                ) from None
            except (
                BaseException
            ):  # part of a message may have been read: the workers cannot be asked again
                self.close()
                self._loader._pool = None
                raise
            if message[0] == number:
                return message

    @_noted
    def __next__(self):
        while self._waiting:
            number, index = self._waiting.pop(0)
            message = self._receive(number, index)
            if len(message) == 3:
                if index in self._active:
                    at = self._active.index(index)
                    self._active.remove(index)
                    if at < self._turn:
                        self._turn -= 1
                continue
            self._give()
            result = message[1]
            if isinstance(result, WorkerFailure):
                if self._own:
                    self.close()
                self._waiting.clear()
                result.reraise()
            return result
        if self._own:
            self.close()
        raise StopIteration

    next = __next__

    def close(self):
        """End the workers if this pass owns them."""
        self._waiting.clear()
        self._active.clear()
        self._pool.close()

    def __del__(self):
        if getattr(self, '_own', False):
            self._pool.close()


_lazy.serve(globals())
