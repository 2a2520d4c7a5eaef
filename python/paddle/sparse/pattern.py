# SPDX-License-Identifier: Apache-2.0
"""Where the stored elements of a sparse tensor stand: patterns in coordinate (COO) and compressed
row (CSR) form.

A pattern never changes and several tensors share it, so what is derived from it is kept. Within,
positions are int64 and an element is named by its *key*, the row-major number of its position in
the axes that are sparse.
"""

import paddle
from paddle import _C_ops
from paddle.base.libpaddle import pir

__all__ = ['Coo', 'Csr', 'count_of', 'gather', 'segment_sum', 'zeros']

_MOST = 1 << 63


def volume(op, shape):
    """The number of elements; ValueError for more than an int64 counts."""
    count = 1
    for extent in shape:
        count *= extent
    if any(extent < 0 for extent in shape) or count >= _MOST:
        raise ValueError(
            f'[{op}] expected a shape without negative extents, of fewer than 2**63 elements, got '
            f'{list(shape)}'
        )
    return count


def count_of(x, axis=0):
    """The extent of an axis, a tensor where it is not known before the program runs."""
    extent = x.shape[axis]
    return extent if extent >= 0 else _C_ops.shape64(x)[axis]


def gather(x, index):
    """The rows of x at positions; their gradients add up."""
    return _C_ops.index_select(x, index, 0)


def segment_sum(values, segments, count):
    """Row i of the result is the sum of the rows of values whose segment is i."""
    return _C_ops.index_add(zeros([count, *values.shape[1:]], values.dtype), segments, values, 0)


def zeros(shape, dtype):
    return paddle.zeros(shape, dtype)


def arange(count):
    return paddle.arange(count, dtype='int64')


def keys_of(rows, dims):
    """Row-major numbers of the positions whose coordinates in each axis are `rows`."""
    keys = rows[0]
    for row, extent in zip(rows[1:], dims[1:]):
        keys = keys * extent + row
    return keys


def rows_of(keys, dims):
    """The coordinates of row-major numbers, an int64 tensor an axis."""
    rows = []
    for extent in reversed(dims[1:]):
        rows.append(keys % max(extent, 1))
        keys = keys // max(extent, 1)
    return [keys, *reversed(rows)]


class _Pattern:
    """What both forms have. `shape` is that of the tensor, `dims` its sparse extents."""

    def __init__(self, shape):
        self.shape = tuple(shape)
        self._kept = {}

    def derived(self, name, make):
        """What `make` derives from the places alone: made once, and each time in a program."""
        if pir._record_mode():
            return make()
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    @property
    def dims(self):
        return self.shape[: self.sparse_dim]

    @property
    def rows(self):
        """Coordinates, an int64 tensor an axis."""
        return self.derived('rows', self._rows)

    @property
    def keys(self):
        return self.derived('keys', lambda: keys_of(self.rows, self.dims))

    @property
    def groups(self):
        """(distinct keys in order, for each element the number of its key among them)."""
        return self.derived('groups', lambda: paddle.unique(self.keys, return_inverse=True))

    @property
    def repeats(self):
        """Whether a place may stand more than once."""
        if pir._record_mode():
            return self.form == 'coo' and not self.coalesced
        return self.groups[0].shape[0] != self.nnz

    def matches(self, other):
        """Whether the elements stand at the same places in the same order."""
        if self is other or pir._record_mode():
            return self is other
        return (
            type(self) is type(other)
            and self.dims == other.dims
            and self.nnz == other.nnz
            and bool((self.keys == other.keys).all())
        )


class Coo(_Pattern):
    """Coordinates: `indices` [sparse_dim, nnz], in any order and possibly repeated."""

    form = 'coo'

    def __init__(self, shape, indices, coalesced=False):
        super().__init__(shape)
        self.indices, self.coalesced = indices, coalesced

    @classmethod
    def of_keys(cls, keys, shape, sparse_dim, dtype):
        """For distinct keys in order."""
        rows = rows_of(keys, shape[:sparse_dim])
        return cls(shape, paddle.stack(rows).astype(dtype), True)

    def like(self, keys, shape=None):
        """The same of this form and dtype, in the same shape or in another without dense axes."""
        shape, count = (self.shape, self.sparse_dim) if shape is None else (shape, len(shape))
        return Coo.of_keys(keys, shape, count, self.index_dtype)

    @property
    def sparse_dim(self):
        return self.indices.shape[0]

    @property
    def nnz(self):
        return count_of(self.indices, 1)

    @property
    def index_dtype(self):
        return self.indices.dtype

    def _rows(self):
        return list(self.indices.astype('int64').unbind(0))

    def with_channels(self, count):
        """The same places where the last axis, a dense one, has another extent."""
        made = Coo((*self.shape[:-1], count), self.indices, self.coalesced)
        made._kept = self._kept
        return made

    def cast(self, dtype):
        return Coo(self.shape, self.indices.astype(dtype), self.coalesced)


class Csr(_Pattern):
    """Compressed rows of a matrix, or of each matrix of a batch: `crows` holds, matrix after
    matrix, where rows begin and the last ends, `cols` the columns.
    """

    form = 'csr'

    def __init__(self, shape, crows, cols):
        super().__init__(shape)
        self.crows, self.cols = crows, cols

    @classmethod
    def of_keys(cls, keys, shape, dtype):
        """For keys in order."""
        rows = rows_of(keys, shape)
        height = shape[-2]
        of_row = keys_of(rows[:-1], shape[:-1])
        total = volume('sparse_csr', shape[:-1])
        counts = segment_sum(paddle.ones_like(of_row), of_row, total).reshape([-1, height])
        ends = paddle.cumsum(counts, axis=1)
        begin = zeros([ends.shape[0], 1], 'int64')
        crows = paddle.concat([begin, ends], axis=1).reshape([-1])
        return cls(shape, crows.astype(dtype), rows[-1].astype(dtype))

    def like(self, keys, shape=None):
        """The same of this dtype, in the same shape or in another."""
        return Csr.of_keys(keys, self.shape if shape is None else shape, self.index_dtype)

    @property
    def sparse_dim(self):
        return len(self.shape)

    @property
    def nnz(self):
        return count_of(self.cols)

    @property
    def index_dtype(self):
        return self.cols.dtype

    def _rows(self):
        crows = self.crows.astype('int64').reshape([-1, self.shape[-2] + 1])
        counts = (crows[:, 1:] - crows[:, :-1]).reshape([-1])
        of_row = paddle.repeat_interleave(arange(counts.shape[0]), counts)
        return [*rows_of(of_row, self.shape[:-1]), self.cols.astype('int64')]

    def cast(self, dtype):
        return Csr(self.shape, self.crows.astype(dtype), self.cols.astype(dtype))
