# SPDX-License-Identifier: Apache-2.0
"""The worker process of the data loader."""

import numbers
import os
import queue
import random
import signal
import sys
import threading
import traceback

import numpy as np

import paddle

from .dataset import IterableDataset
from .transport import ChannelClosed

__all__ = ['WorkerInfo', 'get_worker_info', 'WorkerFailure', 'worker_loop']

_info = None


class WorkerInfo:
    """What `get_worker_info` gives inside a worker: id, num_workers, seed, dataset. Read-only."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def __setattr__(self, key, value):
        raise RuntimeError(
            f"[{type(self).__name__}] expected reading only, got an assignment to {key!r}"
        )

    def __repr__(self):
        return 'WorkerInfo(' + ', '.join(f'{k}={v}' for k, v in self.__dict__.items()) + ')'


def get_worker_info():
    """The `WorkerInfo` of this worker process; None in the main process.

    Returns:
        object or None: with `id`, `num_workers`, `dataset` and `seed`.

    Examples:
        >>> paddle.io.get_worker_info()
    """
    return _info


class WorkerFailure:
    """An exception of a worker on its way to the main process, with its traceback as text."""

    def __init__(self, worker_id, error):
        self.worker_id = worker_id
        self.kind = type(error)
        self.text = ''.join(traceback.format_exception(type(error), error, error.__traceback__))

    def __reduce__(self):
        return _failure, (self.worker_id, self.kind.__module__, self.kind.__qualname__, self.text)

    def reraise(self):
        """Raise the worker's kind of exception with the worker's traceback in its message."""
        message = (
            f"[DataLoader] expected a batch from worker {self.worker_id}, got "
            f"{self.kind.__name__}:\n{self.text}"
        )
        try:
            error = self.kind(message)
        except Exception:
            error = RuntimeError(message)
        raise error


def _failure(worker_id, module, name, text):
    made = WorkerFailure.__new__(WorkerFailure)
    kind = sys.modules.get(module)
    for part in name.split('.'):
        kind = getattr(kind, part, None)
    made.worker_id = worker_id
    made.kind = kind if isinstance(kind, type) and issubclass(kind, Exception) else RuntimeError
    made.text = text
    return made


class _Source:
    """Reads batches of the dataset for one pass."""

    def __init__(self, dataset, batching, collate_fn, drop_last):
        self.dataset, self.batching, self.collate, self.drop_last = (
            dataset,
            batching,
            collate_fn,
            drop_last,
        )
        self.stream = iter(dataset) if isinstance(dataset, IterableDataset) else None

    def fetch(self, indices):
        """One collated batch. StopIteration when an iterable dataset has no more."""
        if self.stream is not None:
            if not self.batching:
                return self.collate(next(self.stream))
            data = []
            for _ in indices:
                try:
                    data.append(next(self.stream))
                except StopIteration:
                    break
            if not data or (self.drop_last and len(data) < len(indices)):
                raise StopIteration
            return self.collate(data)
        if not self.batching:
            return self.collate(self.dataset[indices])
        if isinstance(indices, numbers.Integral):
            raise TypeError(
                f"[DataLoader] expected batch_sampler to give lists of indices, got {indices!r}: "
                "an order of single samples is the sampler of a BatchSampler"
            )
        return self.collate([self.dataset[i] for i in indices])


def _read_tasks(channel, tasks):
    try:
        while True:
            tasks.put(channel.receive())
    except (ChannelClosed, OSError):
        os._exit(0)


def worker_loop(
    channel, worker_id, num_workers, seed, dataset, batching, collate_fn, drop_last, init_fn, share
):
    """Serve tasks until the main process closes the channel. A task is ('pass',) or (number,
    indices).
    """
    global _info
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    random.seed(seed + worker_id)
    paddle.seed(seed + worker_id)
    entropy = [worker_id, seed % (1 << 32), seed >> 32, 0]
    np.random.seed(np.random.SeedSequence(entropy).generate_state(4))
    _info = WorkerInfo(id=worker_id, num_workers=num_workers, seed=seed, dataset=dataset)
    failure = None
    try:
        if init_fn is not None:
            init_fn(worker_id)
    except Exception as error:
        failure = WorkerFailure(worker_id, error)
    tasks = queue.SimpleQueue()
    threading.Thread(target=_read_tasks, args=(channel, tasks), daemon=True).start()
    source = None
    while True:
        task = tasks.get()
        if task[0] == 'pass':
            source = None
            continue
        number, indices = task
        try:
            if failure is not None:
                result = failure
            else:
                if source is None:
                    source = _Source(dataset, batching, collate_fn, drop_last)
                result = source.fetch(indices)
            message = (number, result)
        except StopIteration:
            message = (number, None, 'end')
        except Exception as error:
            message = (number, WorkerFailure(worker_id, error))
        try:
            _send(channel, message, worker_id, share)
        except ChannelClosed:
            os._exit(0)


def _send(channel, message, worker_id, share):
    try:
        channel.send(message, share)
    except (ChannelClosed, OSError):
        raise ChannelClosed() from None
    except Exception as error:
        channel.send((message[0], WorkerFailure(worker_id, error)), share)
