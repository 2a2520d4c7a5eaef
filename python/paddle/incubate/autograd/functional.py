# SPDX-License-Identifier: Apache-2.0
"""Derivatives of functions: vjp, jvp and lazy matrices of first and second derivatives."""

import paddle

from .primapi import as_list, forward, reverse

__all__ = ['vjp', 'jvp', 'Jacobian', 'Hessian']


def _inputs(xs):
    """Copies that gradients flow through, so that the caller's tensors keep their own graph."""
    copies = []
    for x in as_list(xs, 'xs'):
        if x.stop_gradient:
            copy = x.detach()
            copy.stop_gradient = False
        else:
            copy = paddle.assign(x)
        copies.append(copy)
    return copies


def _seeds(v, like):
    if v is None:
        return None
    vs = as_list(v, 'v')
    if len(vs) != len(like):
        raise RuntimeError(f"[incubate.autograd] expected v for {len(like)} tensors, got {len(vs)}")
    for i, (one, other) in enumerate(zip(vs, like)):
        if list(one.shape) != list(other.shape):
            raise RuntimeError(
                f"[incubate.autograd] expected v[{i}] of shape {list(other.shape)}, got "
                f"{list(one.shape)}"
            )
    return [one.astype(other.dtype) for one, other in zip(vs, like)]


def _packed(values):
    return values[0] if len(values) == 1 else tuple(values)


def vjp(func, xs, v=None):
    """A function's results, and a vector times its Jacobian: reverse mode.

    Args:
        func (callable): It gets the tensors of xs.
        xs (Tensor or list of Tensors): Where it is differentiated.
        v (Tensor or list of Tensors, default None): The vector, shaped as the results; None for
            ones.

    Returns:
        tuple: func(*xs), and the product for each of xs, a Tensor where there is one.

    Raises:
        RuntimeError: v is not shaped as the results.
        TypeError: xs or the results are no tensors.

    Examples:
        >>> x = paddle.to_tensor([1.0, 2.0])
        >>> value, product = paddle.incubate.autograd.vjp(paddle.square, x)
        >>> value.tolist(), product.tolist()
        ([1.0, 4.0], [2.0, 4.0])
    """
    xs = _inputs(xs)
    with paddle.enable_grad():
        results = func(*xs)
        ys = as_list(results, 'func(*xs)')
        found = reverse(ys, xs, _seeds(v, ys))
    return results, _packed(found)


def jvp(func, xs, v=None):
    """A function's results, and its Jacobian times a vector: forward mode.

    Args:
        func (callable): It gets the tensors of xs.
        xs (Tensor or list of Tensors): Where it is differentiated.
        v (Tensor or list of Tensors, default None): The vector, shaped as xs; None for ones.

    Returns:
        tuple: func(*xs), and the product for each result, a Tensor where there is one.

    Raises:
        RuntimeError: v is not shaped as xs.
        TypeError: xs or the results are no tensors.

    Examples:
        >>> x = paddle.to_tensor([1.0, 2.0])
        >>> v = paddle.to_tensor([0.0, 1.0])
        >>> value, product = paddle.incubate.autograd.jvp(lambda t: (t ** 3).sum(), x, v)
        >>> value.item(), product.item()
        (9.0, 12.0)
    """
    xs = _inputs(xs)
    vs = _seeds(v, xs)
    with paddle.enable_grad():
        results = func(*xs)
        found = forward(as_list(results, 'func(*xs)'), xs, vs)
    return results, _packed(found)


class Jacobian:
    """The matrix of the derivatives of a function, whose rows are computed when they are indexed.

    Results and xs are flattened and joined. Every entry can be differentiated again.

    Args:
        func (callable): It gets the tensors of xs.
        xs (Tensor or list of Tensors): Where it is differentiated.
        is_batched (bool, default False): Whether the first axis is a batch: then the matrix is
            [batch, N, M], otherwise [N, M].

    Raises:
        TypeError: xs or the results are no tensors.
        ValueError: Not all have the batch, with is_batched.

    Examples:
        >>> x = paddle.to_tensor([1.0, 2.0])
        >>> jacobian = paddle.incubate.autograd.Jacobian(lambda t: paddle.concat([t, t * t]), x)
        >>> jacobian.shape
        (4, 2)
        >>> jacobian[:].tolist()
        [[1.0, 0.0], [0.0, 1.0], [2.0, 0.0], [0.0, 4.0]]
        >>> jacobian[3, 1].item()
        4.0
    """

    def __init__(self, func, xs, is_batched=False):
        xs = _inputs(xs)
        with paddle.enable_grad():
            ys = as_list(func(*xs), 'func(*xs)')
        self._setup(ys, xs, is_batched)

    def _setup(self, ys, xs, batched):
        self._batched, self._xs = batched, xs
        if batched:
            for value in (*xs, *ys):
                if not value.shape or value.shape[0] != xs[0].shape[0]:
                    raise ValueError(
                        f"[Jacobian] expected a first axis of extent {xs[0].shape[:1]} on "
                        f"every tensor when is_batched=True, got shape {list(value.shape)}"
                    )
        self._ys = self._joined(ys)
        self._rows, self._columns = {}, sum(self._flat(x).shape[-1] for x in xs)

    def _flat(self, value):
        if not self._batched:
            return value.reshape([-1])
        count = 1
        for extent in value.shape[1:]:
            count *= extent
        return value.reshape([value.shape[0], count])

    def _joined(self, values):
        flat = [self._flat(v) for v in values]
        return flat[0] if len(flat) == 1 else paddle.concat(flat, axis=-1)

    @property
    def shape(self):
        """Shape of the full matrix, a tuple."""
        return (*self._ys.shape, self._columns)

    def _row(self, at):
        if at not in self._rows:
            with paddle.enable_grad():
                self._rows[at] = self._joined(reverse([self._ys[..., at]], self._xs))
        return self._rows[at]

    def __getitem__(self, indexes):
        parts = indexes if isinstance(indexes, tuple) else (indexes,)
        if any(part is Ellipsis for part in parts):
            raise IndexError("[Jacobian] expected ints and slices as index, got an ellipsis")
        axis = 1 if self._batched else 0
        count = self._ys.shape[-1]
        picked = parts[axis] if len(parts) > axis else slice(None)
        if isinstance(picked, int):
            at = picked + count if picked < 0 else picked
            if not 0 <= at < count:
                raise IndexError(
                    f"[Jacobian] expected a row from {-count} to {count - 1}, got {picked}"
                )
            rest = parts[:axis] + parts[axis + 1 :]
            return self._row(at)[rest] if rest else self._row(at)
        chosen, whole = range(count), parts
        if isinstance(picked, slice):
            chosen = chosen[picked]
            whole = (*parts[:axis], slice(None), *parts[axis + 1 :])
        rows = [self._row(i) for i in chosen]
        if not rows:
            full = paddle.zeros([*self._ys.shape[:-1], 0, self._columns], dtype=self._xs[0].dtype)
        else:
            full = paddle.stack(rows, axis=axis)
        return full[whole]


class Hessian(Jacobian):
    """The matrix of the second derivatives of a scalar function, computed when it is indexed.

    Args:
        func (callable): It gets the tensors of xs, and gives one element, or one for each of a
            batch.
        xs (Tensor or list of Tensors): Where it is differentiated.
        is_batched (bool, default False): Whether the first axis is a batch: then the matrix is
            [batch, N, N], otherwise [N, N].

    Raises:
        RuntimeError: func gives more elements.
        TypeError: xs or the result are no tensors.

    Examples:
        >>> x = paddle.to_tensor([1.0, 2.0])
        >>> hessian = paddle.incubate.autograd.Hessian(lambda t: (t ** 3).sum() + t[0] * t[1], x)
        >>> hessian[:].tolist()
        [[6.0, 1.0], [1.0, 12.0]]
    """

    def __init__(self, func, xs, is_batched=False):
        xs = _inputs(xs)
        with paddle.enable_grad():
            ys = as_list(func(*xs), 'func(*xs)')
            lead = 1 if is_batched else 0
            extents = list(ys[0].shape[lead:])
            if len(ys) != 1 or len(ys[0].shape) < lead or any(e != 1 for e in extents):
                raise RuntimeError(
                    "[Hessian] expected func to give one element, or one for each row of the "
                    "batch, got others"
                )
            self._setup(reverse(ys, xs), xs, is_batched)
