# SPDX-License-Identifier: Apache-2.0
"""What becomes of a list that grows in a recorded loop: its items, of one shape and dtype, are the
rows of a tensor.
"""

import paddle
from paddle.base import libpaddle as _core
from paddle.tensor.manipulation import extents
from paddle.jit.dy2static import calls, sequences


class TensorList(sequences.Sequence):
    """A list of tensors whose length is a tensor; `rows` stacks them."""

    def __init__(self, rows):
        self.rows = rows

    @classmethod
    def of(cls, items, dtype, shape):
        """The list of these tensors, which may be none; all have the dtype and shape given."""
        return cls(paddle.stack(list(items)) if items else paddle.zeros([0, *shape], dtype))

    def length(self):
        """The number of items."""
        return sequences.length(self.rows)

    def item(self, k):
        """The item at `k`."""
        return self.rows[k]

    def __getitem__(self, k):
        return TensorList(self.rows[k]) if isinstance(k, slice) else self.rows[k]

    def __setitem__(self, k, value):
        rows = self.rows.clone()
        rows[k] = value
        self.rows = rows

    def __bool__(self):
        raise TypeError(
            "[to_static] expected a list of known length here, got one that grows in a "
            "recorded loop: use len(items) > 0"
        )

    def append(self, value):
        """Add an item of the same shape and dtype."""
        value = (
            value
            if _core._is_tensor(value)
            else paddle.full(extents(self.rows)[1:], value, self.rows.dtype)
        )
        self.rows = paddle.concat([self.rows, paddle.unsqueeze(value, 0)])

    def extend(self, values):
        """Add items."""
        for value in values:
            self.append(value)

    def pop(self, index=-1):
        """Take the last item away and return it."""
        if not isinstance(index, int) or index != -1:
            raise TypeError(
                f"[to_static] expected pop() without index on a list that grows in a recorded "
                f"loop, got {index}"
            )
        value = self.rows[-1]
        self.rows = self.rows[:-1]
        return value

    def stack(self, axis=0):
        """paddle.stack of the items."""
        return self.rows if axis == 0 else paddle.moveaxis(self.rows, 0, axis)

    def concat(self, axis=0):
        """paddle.concat of the items."""
        shape = extents(self.rows)[1:]
        axis = axis + len(shape) if axis < 0 else axis
        return paddle.reshape(
            paddle.moveaxis(self.rows, 0, axis), [*shape[:axis], -1, *shape[axis + 1 :]]
        )


def _joined(plain, method):
    def join(x, axis=0, *args, **kwargs):
        return (
            getattr(x, method)(axis)
            if isinstance(x, TensorList)
            else plain(x, axis, *args, **kwargs)
        )

    return join


calls.BUILTINS.update(
    {paddle.stack: _joined(paddle.stack, 'stack'), paddle.concat: _joined(paddle.concat, 'concat')}
)
