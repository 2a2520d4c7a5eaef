# SPDX-License-Identifier: Apache-2.0
"""Arrays of tensors in recorded programs, which `paddle.tensor.array_write` and old operations
make.
"""

import weakref

import paddle
from paddle import _C_ops
from paddle.base.libpaddle.pir import Value
from paddle.jit.dy2static.arrays import TensorList
from paddle.jit.dy2static.sequences import length
from paddle.tensor.manipulation import extents

__all__ = ['TensorArray', 'known_number']


_living = weakref.WeakSet()


def living(program):
    """The arrays of a program whose tensors can be rows, which they are from now on."""
    found = []
    for array in list(_living):
        held = array.held()
        position = held[0]._position() if held and isinstance(held[0], Value) else None
        if position is not None and position[0] is program:
            if array.is_rows() or len({(tuple(t.shape), t.dtype) for t in held}) == 1:
                array.rows  # noqa: B018 - stacks them
                found.append(array)
    return found


def free_rows(array):
    """The rows of an array, as many as only the program knows."""
    rows = array.rows
    places = paddle.nonzero(paddle.full([length(rows)], True, 'bool'))
    return paddle.gather(rows, places.reshape([-1]))


class TensorArray(TensorList):
    """Tensors by number. They may have any shapes as long as all numbers are known; a loop, and a
    number that only the program knows, makes them the rows of one tensor.
    """

    def __init__(self, items=()):
        self._items, self._rows = list(items), None
        _living.add(self)

    @property
    def rows(self):
        """The tensors as rows, which they are from now on."""
        if self._rows is None:
            self.rows = self._stacked()
        return self._rows

    @rows.setter
    def rows(self, rows):
        self._items, self._rows = None, rows

    def _stacked(self):
        return paddle.stack(self._items) if self._rows is None else self._rows

    def held(self):
        """The tensors, or the one whose rows they are."""
        return [self._rows] if self._items is None else list(self._items)

    def of(self, tensors):
        """An array of other tensors, or rows, in the place of those that `held` gives."""
        made = TensorArray(tensors)
        if self.is_rows():
            made.rows = tensors[0]
        return made

    def is_rows(self):
        """Whether one tensor holds them."""
        return self._items is None

    # What loops and branches carry: the rows, or that there are none yet.

    def _parts(self):
        return [EMPTY if self._items == [] else self.rows]

    @classmethod
    def _of_parts(cls, parts):
        made = cls()
        if parts[0] is not EMPTY:
            made.rows = parts[0]
        return made

    def length(self):
        """How many there are."""
        return length(self._rows) if self._items is None else len(self._items)

    def count(self):
        """How many there are, as a tensor of shape [1]."""
        if self._items is None:
            return _C_ops.shape64(self._rows)[:1]
        return paddle.full([1], len(self._items), 'int64')

    def read(self, at):
        """The tensor at `at`, a number or a tensor that holds one."""
        if isinstance(at, int) and self._items is not None:
            return self._items[at]
        return paddle.gather(self._stacked(), _place(at)).squeeze(0)

    def write(self, at, value):
        """Put a tensor at `at`: in the place of one, or behind the last."""
        if isinstance(at, int) and self._items is not None:
            if at > len(self._items):
                raise AssertionError(
                    f'[array_write] expected i from 0 to {len(self._items)}, got {at}'
                )
            self._items[at : at + 1] = [value]
            return
        shape, at = extents(value), _place(at)
        if self._items == []:
            rows, count = paddle.zeros([0, *shape], value.dtype), 0
        else:
            rows, count = self.rows, length(self.rows)
            rows = paddle.reshape(rows, [count, *shape])  # there may be none, of no shape yet
        more = paddle.clip(at + 1 - count, min=0).squeeze(0)
        rows = paddle.concat([rows, paddle.zeros([more, *shape], value.dtype)])
        self.rows = paddle.scatter(rows, at, value.unsqueeze(0))

    def joined(self, axis, stack):
        """(all concatenated along `axis`, or stacked, the extent of each there)."""
        if self._items is None:
            made = self.stack(axis) if stack else self.concat(axis)
            extent = 1 if stack else extents(self.rows)[1:][axis]
            return made, paddle.full([self.length()], extent, 'int32')
        made = (paddle.stack if stack else paddle.concat)(self._items, axis)
        sizes = [1 if stack else extents(t)[axis] for t in self._items]
        sizes = [paddle.full([], n, 'int64') if isinstance(n, int) else n for n in sizes]
        return made, paddle.stack(sizes).astype('int32')


class _Empty:
    """Stands for the rows of an array without tensors."""

    @staticmethod
    def before(rows):
        """The rows, none, of an array that has such rows later."""
        return paddle.zeros([0, *(max(n, 0) for n in rows.shape[1:])], rows.dtype)


EMPTY = _Empty()


def _place(at):
    if isinstance(at, int):
        return paddle.full([1], at, 'int64')
    return at.reshape([1]).astype('int64')


def known_number(value):
    """The whole number that a value of the program is whatever it is run on, None where it is not
    known.
    """
    op = value.get_defining_op()
    if op is None:
        return None
    blocks = op._program.__dict__.get('_open_blocks')
    if blocks and not blocks[-1].holds(op):  # which may be called again on another one
        return None
    name = op.name()
    if name == 'pd_op.full':
        return int(op.attrs()['value'])
    if name not in ('pd_op.add', 'pd_op.cast', 'pd_op.assign'):  # what increments are
        return None
    parts = [known_number(op.operand_source(k)) for k in range(op.num_operands())]
    return None if None in parts else sum(parts)
