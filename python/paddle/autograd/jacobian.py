# SPDX-License-Identifier: Apache-2.0
"""Jacobians and Hessians, a row at a time and only when read."""

import paddle
from paddle.base.libpaddle import expect_tensors

__all__ = ['jacobian', 'hessian', 'Jacobian', 'Hessian']


class Jacobian:
    """Lazy matrix of d ys[i] / d xs[j]: [N, M], or [B, N, M] with a batch axis. Indexing computes
    the rows it needs.
    """

    def __init__(self, ys, xs, is_batched=False):
        expect_tensors(type(self).__name__.lower(), ys=ys, xs=xs)
        lowest = 1 if is_batched else 0
        for name, value in (('ys', ys), ('xs', xs)):
            if not lowest <= len(value.shape) <= lowest + 1:
                raise ValueError(
                    f"[{type(self).__name__}] expected {name} of {lowest} or {lowest + 1} axes for "
                    f"is_batched={is_batched}, got shape {list(value.shape)}"
                )
        self._ys, self._xs, self._batched = ys, xs, is_batched
        self._has_rows = len(ys.shape) == lowest + 1
        self._rows = {}
        self._full = None

    @property
    def shape(self):
        """The shape of the full matrix, a list."""
        ys, xs = list(self._ys.shape), list(self._xs.shape)
        return ys[:1] + ys[1:] + xs[1:] if self._batched else ys + xs

    def _row(self, index):
        row = self._rows.get(index)
        if row is None:
            ys = self._ys
            if self._has_rows:
                ys = ys[:, index] if self._batched else ys[index]
            row = paddle.grad(
                ys, self._xs, create_graph=True, retain_graph=True, allow_unused=True
            )[0]
            if row is None:
                row = paddle.zeros_like(self._xs)
            self._rows[index] = row
        return row

    def _evaluate_all(self):
        if self._full is None:
            if not self._has_rows:
                self._full = self._row(0)
            else:
                axis = 1 if self._batched else 0
                count = self._ys.shape[axis]
                self._full = paddle.stack([self._row(i) for i in range(count)], axis=axis)
        return self._full

    def __getitem__(self, indexes):
        if self._has_rows and self._full is None:
            axis = 1 if self._batched else 0
            parts = indexes if isinstance(indexes, tuple) else (indexes,)
            if len(parts) > axis and isinstance(parts[axis], int) and Ellipsis not in parts[:axis]:
                count = self._ys.shape[axis]
                at = parts[axis] + count if parts[axis] < 0 else parts[axis]
                if not 0 <= at < count:
                    raise IndexError(
                        f"[{type(self).__name__}] expected a row from {-count} to {count - 1}, got "
                        f"{parts[axis]}"
                    )
                rest = parts[:axis] + parts[axis + 1 :]
                row = self._row(at)
                return row[rest] if rest else row
        return self._evaluate_all()[indexes]

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        return getattr(self._evaluate_all(), name)

    def __len__(self):
        return self.shape[0]


def _operator(name):
    def apply(self, *args):
        args = [a._evaluate_all() if isinstance(a, Jacobian) else a for a in args]
        return getattr(self._evaluate_all(), name)(*args)

    apply.__name__ = name
    return apply


for _name in (
    'add',
    'radd',
    'sub',
    'rsub',
    'mul',
    'rmul',
    'truediv',
    'rtruediv',
    'matmul',
    'rmatmul',
    'pow',
    'neg',
    'eq',
    'ne',
    'lt',
    'le',
    'gt',
    'ge',
):
    setattr(Jacobian, f'__{_name}__', _operator(f'__{_name}__'))
Jacobian.__hash__ = object.__hash__


class Hessian(Jacobian):
    """Lazy matrix of second derivatives."""


def _check_axis(op, batch_axis):
    if batch_axis is not None and batch_axis != 0:
        raise ValueError(f"[{op}] expected batch_axis None or 0, got {batch_axis!r}")


def _map(kind, ys, xs, batched):
    if isinstance(ys, (list, tuple)):
        return tuple(_map(kind, y, xs, batched) for y in ys)
    if isinstance(xs, (list, tuple)):
        return tuple(kind(ys, x, batched) for x in xs)
    return kind(ys, xs, batched)


def jacobian(ys, xs, batch_axis=None):
    """Lazy Jacobian of `ys` by `xs`: rows are computed when they are read.

    Args:
        ys (Tensor or list of Tensors): What is differentiated.
        xs (Tensor or list of Tensors): By what.
        batch_axis (int, default None): 0 where the first axis is a batch; None for none.

    Returns:
        Jacobian or tuple of Jacobians: indexed like a matrix [ys, xs], or [batch, ys, xs].

    Examples:
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> paddle.autograd.jacobian(x * x, x)[:].tolist()
        [[2.0, 0.0], [0.0, 4.0]]
    """
    _check_axis('jacobian', batch_axis)
    return _map(Jacobian, ys, xs, batch_axis is not None)


def hessian(ys, xs, batch_axis=None):
    """Lazy Hessian of a scalar by `xs`.

    Args:
        ys (Tensor): The scalar, or of shape [B] or [B, 1] with a batch axis.
        xs (Tensor or list of Tensors): By what.
        batch_axis (int, default None): 0 where the first axis is a batch; None for none.

    Returns:
        Hessian or tuple of Hessians: indexed like a matrix.

    Examples:
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> paddle.autograd.hessian((x * x * x).sum(), x)[:].tolist()
        [[6.0, 0.0], [0.0, 12.0]]
    """
    _check_axis('hessian', batch_axis)
    batched = batch_axis is not None
    if not batched:
        count = 1
        expect_tensors('hessian', ys=ys)
        for dim in ys.shape:
            count *= dim
        if count != 1:
            raise ValueError(
                f"[hessian] expected ys of one element for batch_axis=None, got {count}"
            )
        ys = ys.reshape([])
    else:
        if len(ys.shape) > 1 and ys.shape[1] != 1:
            raise ValueError(
                f"[hessian] expected ys of one element for each row of the batch, got {ys.shape[1]}"
            )
        if len(ys.shape) > 1:
            ys = ys.reshape([-1])
    many = isinstance(xs, (list, tuple))
    firsts = paddle.grad(
        ys, list(xs) if many else [xs], create_graph=True, retain_graph=True, allow_unused=True
    )
    sources = list(xs) if many else [xs]
    firsts = [paddle.zeros_like(x) if g is None else g for g, x in zip(firsts, sources)]
    if not many:
        return Hessian(firsts[0], xs, batched)
    return tuple(tuple(Hessian(g, x, batched) for x in xs) for g in firsts)
