# SPDX-License-Identifier: Apache-2.0
"""Loaders that a generator feeds, as programs of old use them."""

import numpy

import paddle
from paddle.base.data_feeder import DataFeeder
from paddle.tensor.attribute import in_dynamic_mode

__all__ = ['PyReader', 'DataLoader', 'GeneratorLoader', 'use_pinned_memory']

USE_PINNED_MEMORY = None


def use_pinned_memory(*args):
    """Whether batches shall lie in pinned memory; with an argument, set that. There is none to pin:
    results are the same.
    """
    global USE_PINNED_MEMORY
    if not args:
        return USE_PINNED_MEMORY
    if len(args) != 1 or not isinstance(args[0], bool):
        raise AssertionError(f"[use_pinned_memory] expected one bool, got {args!r}")
    USE_PINNED_MEMORY = args[0]
    return None


def _places(places):
    if places is None:
        return [paddle.CPUPlace()]
    return list(places) if isinstance(places, (list, tuple)) else [places]


class EOFException(Exception):
    """A loader that a program reads from has no more batches."""


def with_batches(program, feed):
    """The feed of a run with what the loaders of the program give for the inputs that it lacks."""
    for loader in program.__dict__.get('_loaders', ()):
        if any(variable.name not in feed for variable in loader._feed_list):
            feed = {**loader._next(), **feed}
    return feed


class GeneratorLoader:
    """Iterates over batches that a generator gives: in dynamic mode, and with `return_list`, as
    lists of tensors; else as a list of one feed {name: tensor} for `Executor.run`. Exactly one of
    the `set_` methods says what the generator is.

    With `iterable=False` runs of the program read a batch each between `start` and `reset`; after
    the last one they raise `paddle.base.core.EOFException`."""

    def __init__(
        self,
        feed_list=None,
        capacity=None,
        use_double_buffer=True,
        iterable=True,
        return_list=False,
        drop_last=True,
    ):
        if not iterable and (in_dynamic_mode() or return_list):
            raise ValueError(
                "[DataLoader] expected iterable=True, as the loader is no part of a program, got "
                "False"
            )
        if capacity is not None and (not isinstance(capacity, int) or capacity < 1):
            raise ValueError(f"[DataLoader] expected a capacity of 1 or more, got {capacity!r}")
        self._feed_list = [] if feed_list is None else list(feed_list)
        self._capacity = capacity if capacity is not None and use_double_buffer else 0
        self._return_list = return_list or in_dynamic_mode()
        self._drop_last, self._batches = drop_last, None
        if not in_dynamic_mode() and not self._feed_list and not return_list:
            raise AssertionError("[DataLoader] expected the variables of feed_list, got none")
        self._iterable, self._running = iterable, None
        if not iterable:
            main = paddle.static.default_main_program()
            main.__dict__.setdefault('_loaders', []).append(self)

    def start(self):
        """Begin to read, for a loader that is not iterable."""
        if self._iterable or self._running is not None:
            raise AssertionError(
                "[DataLoader.start] expected a loader with iterable=False that does not read yet, "
                f"got {'iterable=True' if self._iterable else 'one that reads'}"
            )
        self._running = self._groups()

    def reset(self):
        """End reading, for a loader that is not iterable: `start` begins anew."""
        if self._iterable:
            raise AssertionError(
                "[DataLoader.reset] expected a loader with iterable=False, got iterable=True"
            )
        self._running = None

    def _next(self):
        if self._running is None:
            raise RuntimeError(
                "[Executor.run] expected the loader of the program to read, got one before start()"
            )
        for group in self._running:
            return group[0]
        raise EOFException("[Executor.run] the loader of the program has no more batches")

    def set_sample_generator(self, reader, batch_size, drop_last=True, places=None):
        """`reader()` gives samples; batches have `batch_size`, a smaller last one unless
        `drop_last`.
        """
        if batch_size <= 0:
            raise AssertionError(f"[DataLoader] expected a positive batch_size, got {batch_size!r}")
        return self.set_sample_list_generator(paddle.batch(reader, batch_size, drop_last), places)

    def set_sample_list_generator(self, reader, places=None):
        """`reader()` gives lists of samples, one list a batch; a sample has a value for each
        variable.
        """

        def stacked():
            for samples in reader():
                if self._feed_list:
                    yield list(DataFeeder(self._feed_list).feed(samples).values())
                else:
                    samples = [s if isinstance(s, (list, tuple)) else (s,) for s in samples]
                    yield [
                        numpy.stack([numpy.asarray(v) for v in column]) for column in zip(*samples)
                    ]

        return self.set_batch_generator(stacked, places)

    def set_batch_generator(self, reader, places=None):
        """`reader()` gives batches: lists of arrays or tensors, one for each variable."""
        self._place_count = len(_places(places)) if self._iterable else 1
        self._batches = reader
        return self

    def _batch(self, batch):
        values = [
            v if isinstance(v, paddle.Tensor) else paddle.to_tensor(numpy.asarray(v))
            for v in (batch if isinstance(batch, (list, tuple)) else [batch])
        ]
        if self._return_list:
            return values
        if len(values) != len(self._feed_list):
            raise ValueError(
                f"[DataLoader] expected {len(self._feed_list)} values in each batch, got "
                f"{len(values)}"
            )
        return {variable.name: value for variable, value in zip(self._feed_list, values)}

    def __iter__(self):
        if not self._iterable:
            raise AssertionError(
                "[DataLoader] expected iterable=True to iterate, got iterable=False: runs of the "
                "program read this one"
            )
        return self._groups()

    def _groups(self):
        from paddle.static.program import running

        if self._batches is None:
            raise AssertionError(
                "[DataLoader] expected a generator that was set, got none: call one of the "
                "set_*_generator methods"
            )
        reader = (
            paddle.reader.buffered(self._batches, self._capacity)
            if self._capacity
            else self._batches
        )
        group = []
        for batch in reader():
            with running():
                group.append(self._batch(batch))
            if len(group) == self._place_count:
                yield group if not in_dynamic_mode() else group[0]
                group = []
        if group and not self._drop_last:
            yield group

    def __call__(self):
        return iter(self)


class DataLoader:
    """Makes loaders; `paddle.io.DataLoader` is the one for data sets."""

    @staticmethod
    def from_generator(
        feed_list=None,
        capacity=None,
        use_double_buffer=True,
        iterable=True,
        return_list=False,
        use_multiprocess=False,
        drop_last=True,
    ):
        """A loader that a generator feeds, which one of its `set_` methods names."""
        if use_multiprocess:
            raise ValueError(
                "[DataLoader] expected use_multiprocess=False, the generator running in this "
                "process, got True"
            )
        return GeneratorLoader(
            feed_list, capacity, use_double_buffer, iterable, return_list, drop_last
        )


class PyReader(GeneratorLoader):
    """The loader under its oldest name."""

    def __init__(
        self,
        feed_list=None,
        capacity=None,
        use_double_buffer=True,
        iterable=True,
        return_list=False,
    ):
        super().__init__(feed_list, capacity, use_double_buffer, iterable, return_list)

    def decorate_sample_generator(self, sample_generator, batch_size, drop_last=True, places=None):
        """See `set_sample_generator`."""
        self.set_sample_generator(sample_generator, batch_size, drop_last, places)

    def decorate_sample_list_generator(self, reader, places=None):
        """See `set_sample_list_generator`."""
        self.set_sample_list_generator(reader, places)

    def decorate_batch_generator(self, reader, places=None):
        """See `set_batch_generator`."""
        self.set_batch_generator(reader, places)
