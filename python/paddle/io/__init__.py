# SPDX-License-Identifier: Apache-2.0
"""Datasets, samplers and the data loader."""

from paddle import _lazy

from .dataloader import get_worker_info
from .dataloader.batch_sampler import BatchSampler, DistributedBatchSampler
from .dataloader.dataset import (
    ChainDataset,
    ComposeDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    random_split,
)
from .dataloader.sampler import (
    RandomSampler,
    Sampler,
    SequenceSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from .reader import DataLoader

__all__ = [
    'BatchSampler',
    'ChainDataset',
    'ComposeDataset',
    'ConcatDataset',
    'DataLoader',
    'Dataset',
    'DistributedBatchSampler',
    'get_worker_info',
    'IterableDataset',
    'random_split',
    'RandomSampler',
    'Sampler',
    'SequenceSampler',
    'Subset',
    'SubsetRandomSampler',
    'TensorDataset',
    'WeightedRandomSampler',
]

_lazy.serve(globals())
