# SPDX-License-Identifier: Apache-2.0
"""Samples of named slots, made from lines of standard input and written as text."""

import sys

__all__ = ['MultiSlotDataGenerator', 'MultiSlotStringDataGenerator']


class DataGenerator:
    """Writes the samples of `generate_sample`, which a subclass defines."""

    def __init__(self):
        self.batch_size_ = 32
        self._proto_info = None

    def set_batch(self, batch_size):
        """How many samples `generate_batch` gets at once."""
        self.batch_size_ = batch_size

    def generate_sample(self, line):
        """A function that yields the samples of a line: lists of (name of slot, values)."""
        raise NotImplementedError(
            '[DataGenerator.generate_sample] expected a subclass to define it, got none'
        )

    def generate_batch(self, samples):
        """A function that yields a batch of samples, one after another."""

        def one_by_one():
            yield from samples

        return one_by_one

    def _gen_str(self, line):
        raise NotImplementedError(
            '[DataGenerator._gen_str] expected a subclass to define it, got none'
        )

    def _write(self, lines):
        """Samples of lines, in batches, to standard output."""
        batch = []

        def write():
            for sample in self.generate_batch(batch)():
                sys.stdout.write(self._gen_str(sample))
            batch.clear()

        for line in lines:
            for sample in self.generate_sample(line)():
                if sample is None:
                    continue
                batch.append(sample)
                if len(batch) == self.batch_size_:
                    write()
        if batch:
            write()

    def run_from_stdin(self):
        """The samples of each line of standard input."""
        self._write(sys.stdin)

    def run_from_memory(self):
        """The samples that `generate_sample(None)` makes of itself."""
        self._write([None])


def _checked(line):
    if not isinstance(line, (list, tuple)):
        raise ValueError(
            '[DataGenerator] expected a sample to be a list or tuple of (name, values), got '
            f'{type(line).__name__}'
        )
    for name, values in line:
        if not isinstance(name, str):
            raise ValueError(
                f'[DataGenerator] expected the name of a slot, got {type(name).__name__}'
            )
        if not isinstance(values, list):
            raise ValueError(
                f'[DataGenerator] expected a list of values of slot {name!r}, got '
                f'{type(values).__name__}'
            )
        if not values:
            raise ValueError(f'[DataGenerator] expected values of slot {name!r}, got none')
    return line


def _text(line):
    return ' '.join(f'{len(values)} {" ".join(map(str, values))}' for _, values in line) + '\n'


class MultiSlotStringDataGenerator(DataGenerator):
    """Samples of named slots of strings, written to standard output as text.

    A subclass defines `generate_sample(line)`: a function that yields lists of (name of slot, list
    of strings). A slot is written as the number of its values and the values.

    Examples:
        >>> from paddle.distributed import fleet
        >>> class Words(fleet.MultiSlotStringDataGenerator):
        ...     def generate_sample(self, line):
        ...         def samples():
        ...             yield [("words", ["hello", "world"]), ("label", ["1"])]
        ...         return samples
        >>> Words().run_from_memory()
        2 hello world 1 1
    """

    def _gen_str(self, line):
        return _text(_checked(line))


class MultiSlotDataGenerator(DataGenerator):
    """Samples of named slots of numbers, written to standard output as text.

    A subclass defines `generate_sample(line)`: a function that yields lists of (name of slot, list
    of numbers). All samples have the same slots. A slot is written as the number of its values and
    the values.

    Examples:
        >>> from paddle.distributed import fleet
        >>> class Numbers(fleet.MultiSlotDataGenerator):
        ...     def generate_sample(self, line):
        ...         def samples():
        ...             for k in range(2):
        ...                 yield [("ids", [k, k + 1]), ("label", [k])]
        ...         return samples
        >>> Numbers().run_from_memory()
        2 0 1 1 0
        2 1 2 1 1
    """

    def _gen_str(self, line):
        line = _checked(line)
        if self._proto_info is None:
            self._proto_info = [(name, 'uint64') for name, _ in line]
        names = [name for name, _ in self._proto_info]
        if [name for name, _ in line] != names:
            raise ValueError(
                f'[MultiSlotDataGenerator] expected slots {names}, as the first sample has, got '
                f'{[name for name, _ in line]}'
            )
        for i, (name, values) in enumerate(line):
            for value in values:
                if isinstance(value, bool) or not isinstance(value, (int, float)):
                    raise ValueError(
                        f'[MultiSlotDataGenerator] expected numbers in slot {name!r}, got '
                        f'{type(value).__name__}'
                    )
                if isinstance(value, float):
                    self._proto_info[i] = (name, 'float')
        return _text(line)
