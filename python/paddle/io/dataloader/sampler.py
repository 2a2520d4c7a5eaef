# SPDX-License-Identifier: Apache-2.0
"""Samplers: the order in which items are read. Random ones use numpy's global generator."""

from collections.abc import Sized

import numpy as np

from paddle.base.arguments import instance, to_array
from paddle.base.known_keywords import KnownKeywords

__all__ = [
    'Sampler',
    'SequenceSampler',
    'RandomSampler',
    'SubsetRandomSampler',
    'WeightedRandomSampler',
]


class Sampler(KnownKeywords):
    """Base of samplers: subclasses define `__iter__` over indices and `__len__`.

    Args:
        data_source (Dataset, default None): The dataset.

    Examples:
        >>> class Reversed(paddle.io.Sampler):
        ...     def __iter__(self):
        ...         return iter(range(3, -1, -1))
        ...     def __len__(self):
        ...         return 4
        >>> list(paddle.io.BatchSampler(sampler=Reversed(), batch_size=2))
        [[3, 2], [1, 0]]
    """

    def __init__(self, data_source=None):
        self.data_source = data_source

    def __iter__(self):
        raise NotImplementedError(
            f"[{type(self).__name__}.__iter__] expected a subclass to define it, got none"
        )


class SequenceSampler(Sampler):
    """0, 1, 2, ...

    Args:
        data_source (Dataset): What has a length.

    Examples:
        >>> list(paddle.io.SequenceSampler(range(3)))
        [0, 1, 2]
    """

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler):
    """Random order, with or without replacement; `generator` may be an iterator of indices.

    Args:
        data_source (Dataset): What has a length.
        replacement (bool, default False): Whether an index may come several times.
        num_samples (int, default None): How many indices; None for the length.
        generator (object, default None): An iterator of indices.

    Examples:
        >>> sorted(paddle.io.RandomSampler(range(3)))
        [0, 1, 2]
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        instance('RandomSampler', 'data_source', data_source, Sized, 'a dataset with a length')
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(
                f"[RandomSampler] expected replacement to be a bool, got {replacement!r}"
            )
        if not replacement and num_samples is not None and num_samples > len(data_source):
            raise ValueError(
                f"[RandomSampler] expected num_samples of at most {len(data_source)} without "
                f"replacement, got {num_samples}"
            )
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(
                "[RandomSampler] expected num_samples to be a positive int, got "
                f"{self.num_samples!r}"
            )

    @property
    def num_samples(self):
        """How many indices one pass gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        n = len(self.data_source)
        if self.generator is not None:
            for _ in range(self.num_samples):
                try:
                    yield next(self.generator)
                except StopIteration:
                    return
        elif self.replacement:
            yield from np.random.choice(np.arange(n), self.num_samples, replace=True).tolist()
        else:
            yield from np.random.choice(np.arange(n), self.num_samples, replace=False).tolist()

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """The given indices in random order.

    Args:
        indices (list of ints): The indices.

    Examples:
        >>> sorted(paddle.io.SubsetRandomSampler([2, 5, 7]))
        [2, 5, 7]
    """

    def __init__(self, indices):
        if len(indices) == 0:
            raise ValueError("[SubsetRandomSampler] expected at least one index, got none")
        self.indices = indices

    def __iter__(self):
        for i in np.random.permutation(len(self.indices)):
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Indices drawn with probability in proportion to `weights`.

    Args:
        weights (list of floats or Tensor): The weights.
        num_samples (int): How many are drawn.
        replacement (bool, default True): Whether an index may be drawn again.

    Examples:
        >>> list(paddle.io.WeightedRandomSampler([0.0, 1.0, 0.0], 3))
        [1, 1, 1]
    """

    def __init__(self, weights, num_samples, replacement=True):
        if isinstance(num_samples, bool) or not isinstance(num_samples, int) or num_samples <= 0:
            raise ValueError(
                "[WeightedRandomSampler] expected num_samples to be a positive int, got "
                f"{num_samples!r}"
            )
        if not isinstance(replacement, bool):
            raise ValueError(
                f"[WeightedRandomSampler] expected replacement to be a bool, got {replacement!r}"
            )
        self.weights = to_array(
            'WeightedRandomSampler',
            'weights',
            weights.numpy() if hasattr(weights, 'numpy') else weights,
            'float64',
        ).reshape(-1)
        self.num_samples = num_samples
        self.replacement = replacement
        if (
            self.weights.size == 0
            or (self.weights < 0).any()
            or not np.isfinite(self.weights).all()
        ):
            raise ValueError(
                "[WeightedRandomSampler] expected finite weights of at least 0, got others"
            )
        if not replacement and num_samples > int((self.weights > 0).sum()):
            raise AssertionError(
                f"[WeightedRandomSampler] expected {num_samples} positive weights without "
                f"replacement, got {int((self.weights > 0).sum())}"
            )
        if self.weights.sum() <= 0:
            raise ValueError("[WeightedRandomSampler] expected a positive weight, got none")

    def __iter__(self):
        p = self.weights / self.weights.sum()
        return iter(np.random.choice(len(p), self.num_samples, self.replacement, p).tolist())

    def __len__(self):
        return self.num_samples
