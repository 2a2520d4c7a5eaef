# SPDX-License-Identifier: Apache-2.0
"""Batches of indices, for one process or as one rank's share."""

import math
import os

import numpy as np

from .dataset import IterableDataset
from .sampler import RandomSampler, Sampler, SequenceSampler

__all__ = ['BatchSampler', 'DistributedBatchSampler']


def _check(op, batch_size, **flags):
    if (
        isinstance(batch_size, bool)
        or not isinstance(batch_size, (int, np.integer))
        or batch_size <= 0
    ):
        raise AssertionError(f"[{op}] expected batch_size to be a positive int, got {batch_size!r}")
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise AssertionError(f"[{op}] expected {name} to be a bool, got {type(value).__name__}")


def _batches(indices, size, drop_last):
    batch = []
    for index in indices:
        batch.append(index)
        if len(batch) == size:
            yield batch
            batch = []
    if batch and not drop_last:
        yield batch


class BatchSampler(Sampler):
    """Lists of `batch_size` indices from a dataset (in order or shuffled) or from a sampler.

    Args:
        dataset (Dataset, default None): What is sampled, where no sampler is given.
        sampler (Sampler, default None): What gives indices.
        shuffle (bool, default False): Whether the order is random.
        batch_size (int, default 1): How many indices a batch has.
        drop_last (bool, default False): Whether a last, smaller batch is dropped.

    Examples:
        >>> list(paddle.io.BatchSampler(range(5), batch_size=2))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(self, dataset=None, sampler=None, shuffle=False, batch_size=1, drop_last=False):
        if dataset is None:
            if sampler is None:
                raise AssertionError("[BatchSampler] expected dataset or sampler, got neither")
            if not isinstance(sampler, Sampler) and not hasattr(sampler, '__iter__'):
                raise AssertionError(
                    f"[BatchSampler] expected sampler to be a Sampler, got {type(sampler).__name__}"
                )
            if shuffle:
                raise AssertionError(
                    "[BatchSampler] expected shuffle=False beside sampler, got True"
                )
            self.sampler = sampler
        else:
            if isinstance(dataset, IterableDataset):
                raise AssertionError(
                    f"[BatchSampler] expected a dataset with indices, got {type(dataset).__name__}"
                )
            if sampler is not None:
                raise AssertionError("[BatchSampler] expected dataset or sampler, got both")
            _check('BatchSampler', batch_size, shuffle=shuffle)
            self.sampler = RandomSampler(dataset) if shuffle else SequenceSampler(dataset)
        _check('BatchSampler', batch_size, drop_last=drop_last)
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.drop_last = drop_last

    def __iter__(self):
        return _batches(self.sampler, self.batch_size, self.drop_last)

    def __len__(self):
        count = len(self.sampler)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


class DistributedBatchSampler(BatchSampler):
    """One rank's batches; the items are padded from the start so that every rank has as many.

    With `shuffle`, call `set_epoch` before each epoch so that all ranks shuffle alike.

    Args:
        dataset (Dataset): The dataset.
        batch_size (int): How many items a batch has.
        num_replicas (int, default None): How many ranks there are; None for the job's.
        rank (int, default None): Which one this is; None for the job's.
        shuffle (bool, default False): Whether items are shuffled.
        drop_last (bool, default False): Whether a smaller last batch is left out.

    Examples:
        >>> data = paddle.io.TensorDataset([paddle.arange(5)])
        >>> list(paddle.io.DistributedBatchSampler(data, 2, num_replicas=2, rank=1))
        [[2, 3], [0]]
    """

    def __init__(
        self, dataset, batch_size, num_replicas=None, rank=None, shuffle=False, drop_last=False
    ):
        self.dataset = dataset
        _check('DistributedBatchSampler', batch_size, shuffle=shuffle, drop_last=drop_last)
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.drop_last = drop_last
        if num_replicas is not None:
            if not isinstance(num_replicas, int) or num_replicas <= 0:
                raise AssertionError(
                    "[DistributedBatchSampler] expected num_replicas to be a positive int, got "
                    f"{num_replicas!r}"
                )
            self.nranks = num_replicas
        else:
            self.nranks = int(os.environ.get('PADDLE_TRAINERS_NUM', '1'))
        if rank is not None:
            if not isinstance(rank, int) or rank < 0:
                raise AssertionError(
                    "[DistributedBatchSampler] expected rank to be an int of at least 0, got "
                    f"{rank!r}"
                )
            self.local_rank = rank
        else:
            self.local_rank = int(os.environ.get('PADDLE_TRAINER_ID', '0'))
        self.epoch = 0
        self.num_samples = int(math.ceil(len(dataset) * 1.0 / self.nranks))
        self.total_size = self.num_samples * self.nranks

    def __iter__(self):
        count = len(self.dataset)
        indices = np.arange(count).tolist()
        missing = self.total_size - len(indices)
        while missing > 0 and count:
            indices += indices[:missing]
            missing = self.total_size - len(indices)
        if self.shuffle:
            np.random.RandomState(self.epoch).shuffle(indices)
            self.epoch += 1
        yield from _batches(self._share(indices), self.batch_size, self.drop_last)

    def _share(self, indices):
        """This rank's indices: every nranks-th block of batch_size, then a part of the rest."""
        size, rank, ranks = self.batch_size, self.local_rank, self.nranks
        tail = self.total_size % (size * ranks)
        share = []
        for at in range(rank * size, len(indices) - tail, size * ranks):
            share.extend(indices[at : at + size])
        rest = indices[len(indices) - tail :]
        each = tail // ranks
        share.extend(rest[rank * each : (rank + 1) * each])
        return share

    def __len__(self):
        count = self.num_samples
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def set_epoch(self, epoch):
        """Choose the shuffle of the next pass."""
        self.epoch = epoch
