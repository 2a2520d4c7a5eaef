# SPDX-License-Identifier: Apache-2.0
"""DataLoader: batches of tensors from a dataset, read here or by worker processes."""

import os

import paddle
from paddle.base.arguments import integer
from paddle.base.known_keywords import KnownKeywords

from .dataloader import BatchSampler, IterableDataset
from .dataloader.collate import default_collate_fn, default_convert_fn
from .dataloader.dataloader_iter import FeedIter, MultiProcessIter, SingleProcessIter, WorkerPool

__all__ = ['DataLoader', 'batch']


def _worker_count(given):
    """How many processes read: none where there is no fork."""
    count = integer('DataLoader', 'num_workers', given)
    if count < 0:
        raise AssertionError(f"[DataLoader] expected num_workers of at least 0, got {count}")
    return count if hasattr(os, 'fork') else 0


def _batch_size(given):
    size = given if isinstance(given, bool) else integer('DataLoader', 'batch_size', given)
    if isinstance(size, bool) or size <= 0:
        raise AssertionError(
            f"[DataLoader] expected batch_size to be None or a positive int, got {size!r}"
        )
    return size


class DataLoader(KnownKeywords):
    """Iterates over batches of `dataset`.

    With `num_workers` > 0, forked processes read ahead `prefetch_factor` batches each, in order;
    an exception in a worker is raised here with the worker's traceback. `batch_size=None` turns
    batching off. A batch is a list in the order of the data set; made in static mode with
    `return_list=False`, it is a list of a dict for each place, which feeds the variables of
    `feed_list` by name. Reading ahead is what workers do, whatever `use_buffer_reader` is. Raises
    RuntimeError when a worker dies or `timeout` seconds pass.

    Args:
        dataset (Dataset): What is read, by index or as an iterable.
        feed_list (list, default None): The variables of a static program that batches are for.
        places (list of places, default None): Where batches lie.
        return_list (bool, default True): Whether a batch is a list, else a dict for feed_list.
        batch_sampler (BatchSampler, default None): What gives the indices of batches, in place of
            the next three arguments.
        batch_size (int, default 1): How many samples a batch has; None for single samples.
        shuffle (bool, default False): Whether the order is random.
        drop_last (bool, default False): Whether a last, smaller batch is dropped.
        collate_fn (callable, default None): Makes a batch of a list of samples; None stacks them.
        num_workers (int, default 0): How many processes read ahead; 0 for none.
        use_buffer_reader (bool, default True): Whether batches are read ahead.
        reader_buffer_size (int, default 2): How many batches are.
        prefetch_factor (int, default 2): How many batches each worker reads ahead.
        use_shared_memory (bool, default True): Whether workers pass batches in shared memory.
        timeout (int, default 0): After how many seconds a worker counts as lost; 0 for never.
        worker_init_fn (callable, default None): Runs in each worker first, with its number.
        persistent_workers (bool, default False): Whether workers stay for the next epoch.

    Examples:
        >>> data = paddle.io.TensorDataset([paddle.to_tensor([1.0, 2.0, 3.0])])
        >>> [batch[0].tolist() for batch in paddle.io.DataLoader(data, batch_size=2)]
        [[1.0, 2.0], [3.0]]
    """

    def __init__(
        self,
        dataset,
        feed_list=None,
        places=None,
        return_list=True,
        batch_sampler=None,
        batch_size=1,
        shuffle=False,
        drop_last=False,
        collate_fn=None,
        num_workers=0,
        use_buffer_reader=True,
        reader_buffer_size=2,
        prefetch_factor=2,
        use_shared_memory=True,
        timeout=0,
        worker_init_fn=None,
        persistent_workers=False,
    ):
        num_workers = _worker_count(num_workers)
        if timeout < 0:
            raise AssertionError(f"[DataLoader] expected timeout of at least 0, got {timeout}")
        if reader_buffer_size <= 0 or prefetch_factor <= 0:
            raise AssertionError(
                "[DataLoader] expected positive reader_buffer_size and prefetch_factor, got "
                f"{reader_buffer_size} and {prefetch_factor}"
            )
        if feed_list is not None and not (
            isinstance(feed_list, (list, tuple)) and all(hasattr(one, 'name') for one in feed_list)
        ):
            raise TypeError(
                f"[DataLoader] expected feed_list to hold variables of a program, got {feed_list!r}"
            )
        self._feeds = None
        if not return_list and not paddle.in_dynamic_mode():
            if feed_list is None:
                raise AssertionError(
                    "[DataLoader] expected feed_list with return_list=False, got None"
                )
            self._feeds = [one.name for one in feed_list]
        self.dataset, self.collate_fn, self.shuffle, self.drop_last = (
            dataset,
            collate_fn,
            shuffle,
            drop_last,
        )
        self.feed_list, self.places, self.return_list = feed_list, places, return_list
        self.num_workers, self.worker_init_fn, self.persistent_workers = (
            num_workers,
            worker_init_fn,
            persistent_workers,
        )
        self.use_buffer_reader, self.reader_buffer_size, self.prefetch_factor = (
            use_buffer_reader,
            reader_buffer_size,
            prefetch_factor,
        )
        self.use_shared_memory, self.timeout = use_shared_memory, timeout
        self._pool = None
        if isinstance(dataset, IterableDataset):
            if shuffle:
                raise ValueError(
                    f"[DataLoader] expected shuffle=False for an IterableDataset, got {shuffle!r}"
                )
            if batch_sampler is not None:
                raise ValueError(
                    "[DataLoader] expected batch_sampler=None for an IterableDataset, got a sampler"
                )
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or drop_last:
                raise AssertionError(
                    "[DataLoader] expected batch_sampler, or batch_size, shuffle and drop_last, "
                    f"got both: {batch_size}, {shuffle} and {drop_last}"
                )
            batch_size = None
        elif batch_size is not None:
            batch_size = _batch_size(batch_size)
            if not isinstance(dataset, IterableDataset):
                batch_sampler = BatchSampler(dataset, None, shuffle, batch_size, drop_last)
        self.batch_sampler, self.batch_size = batch_sampler, batch_size
        self.auto_collate_batch = not (batch_sampler is None and batch_size is None)
        if self.collate_fn is None:
            self.collate_fn = default_collate_fn if self.auto_collate_batch else default_convert_fn

    def _order(self):
        """Indices of one pass without batching."""
        if self.shuffle:
            import numpy as np

            return np.random.permutation(len(self.dataset)).tolist()
        return range(len(self.dataset))

    def __len__(self):
        if isinstance(self.dataset, IterableDataset):
            raise ValueError(
                "[DataLoader] expected a dataset with a length, got an IterableDataset"
            )
        return len(self.batch_sampler) if self.batch_sampler is not None else len(self.dataset)

    def __iter__(self):
        batches = self._batches()
        if self._feeds is None:
            return batches
        return FeedIter(
            batches, self._feeds, len(self.places) if isinstance(self.places, (list, tuple)) else 1
        )

    def _batches(self):
        if self.num_workers == 0:
            return SingleProcessIter(self)
        if not self.persistent_workers:
            return MultiProcessIter(self, WorkerPool(self))
        if (
            self._pool is None
            or any(w.poll() is not None for w in self._pool.workers)
            or not self._pool.workers
        ):
            self._pool = WorkerPool(self)
        return MultiProcessIter(self, self._pool)

    def __call__(self):
        return self.__iter__()

    def __getstate__(self):
        state = self.__dict__.copy()
        state['_pool'] = None
        return state


def batch(reader, batch_size, drop_last=False):
    """A reader of lists of samples.

    Args:
        reader (callable): A function that gives an iterator.
        batch_size (int): How many samples a list has.
        drop_last (bool, default False): Whether a shorter last list is left out.

    Returns:
        callable: the new reader.

    Examples:
        >>> list(paddle.batch(lambda: iter(range(5)), 2)())
        [[0, 1], [2, 3], [4]]
    """
    batch_size = int(batch_size)
    if batch_size <= 0:
        raise ValueError(f"[batch] expected a positive batch_size, got {batch_size!r}")

    def batch_reader():
        group = []
        for sample in reader():
            group.append(sample)
            if len(group) == batch_size:
                yield group
                group = []
        if group and not drop_last:
            yield group

    return batch_reader
