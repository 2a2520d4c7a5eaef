# SPDX-License-Identifier: Apache-2.0
"""Rows of a table under their numbers: what scopes of old programs hold, and their files."""

import struct

import numpy as np

from paddle.base.arguments import integer, items
from paddle.base.libpaddle import Tensor
from paddle.static.scope import DenseTensor

__all__ = [
    'SelectedRows',
    'get_tensor_from_selected_rows',
    'load_selected_rows',
    'merge_selected_rows',
    'save_selected_rows',
]


class SelectedRows:
    """Some rows of a table of `height` rows: their numbers, which may repeat, and a `DenseTensor`
    with one row for each.

    Args:
        rows (list of ints, default []): The numbers.
        height (int, default 0): How many rows the table has.

    Examples:
        >>> import numpy as np
        >>> rows = paddle.base.core.SelectedRows([2, 0], 4)
        >>> rows.get_tensor().set(np.ones([2, 3], "float32"), paddle.CPUPlace())
        >>> rows.rows(), rows.height(), rows.numel()
        ([2, 0], 4, 6)
    """

    def __init__(self, rows=(), height=0):
        self._tensor = DenseTensor()
        self.set_rows(rows)
        self.set_height(height)

    @classmethod
    def _of(cls, rows, height, values):
        made = cls((), height)
        made._rows, made._tensor = rows, DenseTensor(values)
        return made

    def rows(self):
        """The numbers of the rows."""
        return list(self._rows)

    def set_rows(self, rows):
        """Replace the numbers of the rows."""
        self._rows = [
            integer('SelectedRows', 'rows', r) for r in items('SelectedRows', 'rows', rows)
        ]

    def height(self):
        """How many rows the table has."""
        return self._height

    def set_height(self, height):
        """Say how many rows the table has."""
        self._height = integer('SelectedRows', 'height', height)

    def get_tensor(self):
        """The memory of the rows."""
        return self._tensor

    def numel(self):
        """How many elements the rows have."""
        return self._tensor._numel()

    def sync_index(self):
        """Nothing to do: numbers are looked up in the list."""

    def to_dense(self):
        """The table as an array: rows whose number repeats are added, others are zeros. ValueError
        where numbers and memory do not fit."""
        values = np.array(self._tensor)
        if values.shape[:1] != (len(self._rows),):
            raise ValueError(
                f'[SelectedRows] expected memory of {len(self._rows)} rows, got {values.shape}'
            )
        if any(not 0 <= r < self._height for r in self._rows):
            raise ValueError(
                f'[SelectedRows] expected numbers from 0 to {self._height - 1}, got {self._rows}'
            )
        table = np.zeros([self._height, *values.shape[1:]], values.dtype)
        np.add.at(table, self._rows, values)
        return table


def _checked(op, x):
    if not isinstance(x, SelectedRows):
        raise TypeError(f'[{op}] expected SelectedRows, got {type(x).__name__}')
    return x


def merge_selected_rows(x, name=None):
    """Rows in ascending order of their numbers, those of one number added.

    Args:
        x (SelectedRows or Tensor): The rows, or a tensor that is SelectedRows.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        SelectedRows or Tensor: as `x` is.
    """
    if isinstance(x, Tensor) and x.is_selected_rows():
        return x._merged_rows()
    numbers = sorted(set(_checked('merge_selected_rows', x).rows()))
    made = SelectedRows(numbers, x.height())
    made.get_tensor().set(x.to_dense()[numbers])
    return made


def get_tensor_from_selected_rows(x, name=None):
    """The rows as a tensor, without their numbers.

    Args:
        x (SelectedRows or Tensor): The rows, or a tensor that is SelectedRows.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: one row for each number.
    """
    if isinstance(x, Tensor) and x.is_selected_rows():
        return x._rows_parts()[1].clone()
    return _checked('get_tensor_from_selected_rows', x).get_tensor()._held().clone()


def save_selected_rows(selected_rows, file_name):
    """Write rows to a file in PaddlePaddle's form."""
    from paddle.framework.dense_stream import write_record
    from paddle.framework.output_file import OutputFile

    rows = _checked('save_selected_rows', selected_rows).rows()
    head = struct.pack(f'<IQ{len(rows)}qq', 0, len(rows), *rows, selected_rows.height())
    with OutputFile(file_name) as stream:
        stream.write(head)
        write_record(stream, np.array(selected_rows.get_tensor()))


def load_selected_rows(file_name):
    """Rows of a file that `save_selected_rows` wrote, here or in PaddlePaddle. ValueError for
    another."""
    from paddle.framework.dense_stream import _take, read_record

    with open(file_name, 'rb') as stream:
        try:
            version, count = struct.unpack('<IQ', _take(stream, 12))
            rows = struct.unpack(f'<{count}q', _take(stream, 8 * count)) if version == 0 else ()
            (height,) = struct.unpack('<q', _take(stream, 8))
            array, _ = read_record(stream)
        except (ValueError, struct.error, OverflowError, MemoryError) as error:
            raise ValueError(
                f'[load_selected_rows] expected selected rows in {str(file_name)!r}, got {error}'
            ) from None
    if version != 0:
        raise ValueError(f'[load_selected_rows] expected version 0, got {version}')
    made = SelectedRows(rows, height)
    made.get_tensor().set(array)
    return made
