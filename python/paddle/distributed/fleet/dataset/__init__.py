# SPDX-License-Identifier: Apache-2.0
"""Data sets of samples in text files, for `Executor.train_from_dataset`."""

from .dataset import DatasetBase, InMemoryDataset, QueueDataset

__all__ = ['DatasetBase', 'InMemoryDataset', 'QueueDataset']
