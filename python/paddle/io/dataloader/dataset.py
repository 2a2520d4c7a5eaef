# SPDX-License-Identifier: Apache-2.0
"""Datasets: by index, by iteration, and combinations of them."""

import bisect
import math

import paddle
from paddle.base.arguments import items
from paddle.framework.random import drawing_from

__all__ = [
    'Dataset',
    'IterableDataset',
    'TensorDataset',
    'ComposeDataset',
    'ChainDataset',
    'ConcatDataset',
    'Subset',
    'random_split',
]


class Dataset:
    """A dataset read by index: subclasses define `__getitem__` and `__len__`.

    Examples:
        >>> class Squares(paddle.io.Dataset):
        ...     def __getitem__(self, index):
        ...         return index * index
        ...     def __len__(self):
        ...         return 4
        >>> loader = paddle.io.DataLoader(Squares(), batch_size=2)
        >>> [batch.tolist() for batch in loader]
        [[0, 1], [4, 9]]
    """

    def __getitem__(self, idx):
        raise NotImplementedError(
            f"[{type(self).__name__}.__getitem__] expected a subclass to define it, got none"
        )

    def __len__(self):
        raise NotImplementedError(
            f"[{type(self).__name__}.__len__] expected a subclass to define it, got none"
        )

    def __add__(self, other):
        return ConcatDataset([self, other])

    def __class_getitem__(cls, item):
        return cls


class IterableDataset(Dataset):
    """A dataset read in order: subclasses define `__iter__`.

    Examples:
        >>> class Count(paddle.io.IterableDataset):
        ...     def __iter__(self):
        ...         return iter(range(4))
        >>> [batch.tolist() for batch in paddle.io.DataLoader(Count(), batch_size=2)]
        [[0, 1], [2, 3]]
    """

    def __iter__(self):
        raise NotImplementedError(
            f"[{type(self).__name__}.__iter__] expected a subclass to define it, got none"
        )

    def __getitem__(self, idx):
        raise RuntimeError(
            f"[{type(self).__name__}] expected iteration, got an index: an IterableDataset has none"
        )

    def __len__(self):
        raise RuntimeError(
            f"[{type(self).__name__}] expected iteration, got a call of len: an IterableDataset "
            "has no length"
        )


class TensorDataset(Dataset):
    """Rows of several tensors with the same first dimension.

    Args:
        tensors (list of Tensors): Tensors of one first extent.

    Examples:
        >>> data = paddle.io.TensorDataset([paddle.to_tensor([1.0, 2.0, 3.0, 4.0])])
        >>> len(data), data[1][0].item()
        (4, 2.0)
    """

    def __init__(self, tensors):
        tensors = items('TensorDataset', 'tensors', tensors)
        for tensor in tensors:
            if not getattr(tensor, 'shape', None):
                raise ValueError(
                    f'[TensorDataset] expected tensors of at least one axis, got {tensor!r:.60}'
                )
        if not all(tensors[0].shape[0] == tensor.shape[0] for tensor in tensors):
            raise AssertionError(
                "[TensorDataset] expected tensors of one first extent, got "
                f"{[tensor.shape[0] for tensor in tensors]}"
            )
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self):
        return self.tensors[0].shape[0]


class ComposeDataset(Dataset):
    """Datasets of equal length side by side: item i holds the fields of item i of each.

    Args:
        datasets (list of Datasets): The datasets.

    Examples:
        >>> x = paddle.io.TensorDataset([paddle.to_tensor([1, 2])])
        >>> y = paddle.io.TensorDataset([paddle.to_tensor([3, 4])])
        >>> [int(field) for field in paddle.io.ComposeDataset([x, y])[0]]
        [1, 3]
    """

    def __init__(self, datasets):
        self.datasets = items('ComposeDataset', 'datasets', datasets)
        if not self.datasets:
            raise AssertionError("[ComposeDataset] expected at least one dataset, got none")
        for dataset in self.datasets:
            if not isinstance(dataset, Dataset):
                raise AssertionError(
                    f"[ComposeDataset] expected Datasets, got {type(dataset).__name__}"
                )
            if isinstance(dataset, IterableDataset):
                raise AssertionError(
                    f"[ComposeDataset] expected datasets with indices, got {type(dataset).__name__}"
                )
        if any(len(dataset) != len(self.datasets[0]) for dataset in self.datasets):
            raise AssertionError(
                "[ComposeDataset] expected datasets of one length, got "
                f"{[len(each) for each in self.datasets]}"
            )

    def __len__(self):
        return len(self.datasets[0])

    def __getitem__(self, idx):
        sample = []
        for dataset in self.datasets:
            item = dataset[idx]
            sample.extend(item if isinstance(item, (list, tuple)) else [item])
        return tuple(sample)


class ChainDataset(IterableDataset):
    """Iterable datasets one after another.

    Args:
        datasets (list of IterableDatasets): The datasets.

    Examples:
        >>> class Count(paddle.io.IterableDataset):
        ...     def __iter__(self):
        ...         return iter(range(2))
        >>> [item for item in paddle.io.ChainDataset([Count(), Count()])]
        [0, 1, 0, 1]
    """

    def __init__(self, datasets):
        self.datasets = items('ChainDataset', 'datasets', datasets)
        if not self.datasets:
            raise AssertionError("[ChainDataset] expected at least one dataset, got none")
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError(
                    f"[ChainDataset] expected IterableDatasets, got {type(dataset).__name__}"
                )

    def __iter__(self):
        for dataset in self.datasets:
            yield from dataset


class ConcatDataset(Dataset):
    """Datasets one after another, by index.

    Args:
        datasets (list of Datasets): Datasets with a length.

    Examples:
        >>> data = paddle.io.TensorDataset([paddle.to_tensor([1.0, 2.0, 3.0, 4.0])])
        >>> len(paddle.io.ConcatDataset([data, data]))
        8
    """

    @staticmethod
    def cumsum(sequence):
        """Running totals of the lengths."""
        total, sums = 0, []
        for item in sequence:
            total += len(item)
            sums.append(total)
        return sums

    def __init__(self, datasets):
        self.datasets = items('ConcatDataset', 'datasets', datasets)
        if not self.datasets:
            raise AssertionError("[ConcatDataset] expected at least one dataset, got none")
        for dataset in self.datasets:
            if isinstance(dataset, IterableDataset):
                raise AssertionError(
                    f"[ConcatDataset] expected datasets with indices, got {type(dataset).__name__}"
                )
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx):
        if idx < 0:
            if -idx > len(self):
                raise ValueError(
                    f"[ConcatDataset] expected an index from {-len(self)} to {len(self) - 1}, got "
                    f"{idx}"
                )
            idx += len(self)
        at = bisect.bisect_right(self.cumulative_sizes, idx)
        if at == len(self.datasets):
            raise IndexError(
                f"[ConcatDataset] expected an index from {-len(self)} to {len(self) - 1}, got {idx}"
            )
        return self.datasets[at][idx if at == 0 else idx - self.cumulative_sizes[at - 1]]


class Subset(Dataset):
    """The items of a dataset at `indices`.

    Args:
        dataset (Dataset): What is read.
        indices (list of ints): Which items.

    Examples:
        >>> data = paddle.io.TensorDataset([paddle.to_tensor([1.0, 2.0, 3.0, 4.0])])
        >>> part = paddle.io.Subset(data, [2, 0])
        >>> len(part), part[0][0].item()
        (2, 3.0)
    """

    def __init__(self, dataset, indices):
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx):
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=None):
    """Split at random into subsets of `lengths`: counts, or fractions that sum to 1; drawn
    from `generator` if given.

    Args:
        dataset (Dataset): What is split.
        lengths (list of ints or of floats): How many items, or shares that sum to 1.
        generator (object, default None): Taken in place of the default generator.

    Returns:
        list of Subsets: the parts.

    Examples:
        >>> data = paddle.io.TensorDataset([paddle.to_tensor([1.0, 2.0, 3.0, 4.0])])
        >>> a, b = paddle.io.random_split(data, [3, 1])
        >>> len(a), len(b)
        (3, 1)
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        counts = []
        for i, part in enumerate(lengths):
            if part < 0 or part > 1:
                raise ValueError(
                    f"[random_split] expected fractions from 0 to 1, got {part} at {i}"
                )
            counts.append(int(math.floor(len(dataset) * part)))
        for i in range(len(dataset) - sum(counts)):
            counts[i % len(counts)] += 1
        lengths = counts
    if sum(lengths) != len(dataset):
        raise ValueError(
            f"[random_split] expected lengths whose sum is {len(dataset)}, got {sum(lengths)}"
        )
    with drawing_from(generator, 'random_split'):
        order = paddle.randperm(sum(lengths)).numpy().tolist()
    subsets, at = [], 0
    for length in lengths:
        subsets.append(Subset(dataset, order[at : at + length]))
        at += length
    return subsets
