# SPDX-License-Identifier: Apache-2.0
"""The parts of the data loader."""

from paddle import _lazy

from .batch_sampler import BatchSampler, DistributedBatchSampler
from .collate import default_collate_fn, default_convert_fn
from .dataset import (
    ChainDataset,
    ComposeDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    random_split,
)
from .sampler import (
    RandomSampler,
    Sampler,
    SequenceSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from .worker import WorkerInfo, get_worker_info

__all__ = [
    'BatchSampler',
    'DistributedBatchSampler',
    'default_collate_fn',
    'default_convert_fn',
    'ChainDataset',
    'ComposeDataset',
    'ConcatDataset',
    'Dataset',
    'IterableDataset',
    'Subset',
    'TensorDataset',
    'random_split',
    'RandomSampler',
    'Sampler',
    'SequenceSampler',
    'SubsetRandomSampler',
    'WeightedRandomSampler',
    'WorkerInfo',
    'get_worker_info',
]

_lazy.serve(globals())
