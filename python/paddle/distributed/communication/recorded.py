# SPDX-License-Identifier: Apache-2.0
"""What collectives are while a program is recorded: operations of it, which run in its order.

A program communicates where the calls stand. So the task of a collective that is called with
`sync_op=False` has ended when its call has; messages are on their way behind the operation, and
`wait()` of what is received is an operation too.
"""

import math

import paddle
from paddle import _C_ops

from .reduce import ReduceOp


class Ended:
    """The task of what is done in its place of the program."""

    def wait(self):
        return True

    def synchronize(self):
        pass

    def is_completed(self):
        return True


class Coming(Ended):
    """The task of a message that is received into `tensor`."""

    def __init__(self, tensor, value, ring):
        self._tensor, self._value, self._ring = tensor, value, ring

    def wait(self):
        if self._value is not None:
            _put('recv', self._tensor, _C_ops.sync_comm_stream(self._value, self._ring))
            self._value = None
        return True

    synchronize = wait

    def is_completed(self):
        return self._value is None


def _checked(what, tensors):
    """`tensors`, of which each is dense and all have one dtype."""
    for t in tensors:
        if not t.is_dense() or t.is_dist():
            raise TypeError(f'[{what}] expected a dense tensor, got one that is not dense')
        if t.dtype != tensors[0].dtype:
            raise TypeError(
                f'[{what}] expected tensors of one dtype, got {tensors[0].dtype} and {t.dtype}'
            )
    return tensors


def _put(what, tensor, value):
    """Write `value` into a tensor, which keeps its history."""
    _checked(what, [tensor, value])
    with paddle.no_grad():
        if any(extent < 0 for extent in tensor.shape):
            tensor.detach()[...] = value  # whether extents agree is known when the program runs
            return
        if list(value.shape) != list(tensor.shape):
            value = value.reshape(tensor.shape)
        paddle.assign(value, tensor.detach())


def _with_rows(tensor):
    """A tensor without axes as a row."""
    return tensor if tensor.ndim else tensor.reshape([1])


def _alike(tensors):
    return all(list(t.shape) == list(tensors[0].shape) for t in tensors)


def _joined(tensors):
    """Tensors of one shape as the rows of one."""
    return paddle.concat([_with_rows(t) for t in tensors])


def _elements(what, tensors):
    """How many elements each has."""
    if any(extent < 0 for t in tensors for extent in t.shape):
        raise ValueError(f'[{what}] expected known shapes in a program, got extents of -1')
    return [math.prod(t.shape) for t in tensors]


class RecordedGroup:
    """A group whose communication is recorded: what `ProcessGroup` of the core does, as operations
    that name the group by its number. What is no tensor is exchanged at once, by the core.
    """

    def __init__(self, group):
        self._group, self._ring = group, group.id

    def __getattr__(self, name):
        return getattr(self._group._pg, name)

    def rank(self):
        return self._group.rank

    def size(self):
        return self._group.nranks

    def _each(self, what, tensors, run, out=None):
        """`run` on tensors taken as one; into `out`, or back into them."""
        out = tensors if out is None else out
        _checked(what, [*tensors, *out])
        with paddle.no_grad():
            if len(tensors) == 1 or any(extent < 0 for t in tensors for extent in t.shape):
                values = [run(t) for t in tensors]
            else:
                whole = run(paddle.concat([t.reshape([-1]) for t in tensors]))
                values = paddle.split(whole, _elements(what, tensors))
        for t, value in zip(out, values):
            _put(what, t, value)
        return Ended()

    def all_reduce(self, tensors, op=ReduceOp.SUM, root=0, sync=True, out=None):
        return self._each(
            'all_reduce', tensors, lambda t: _C_ops.all_reduce(t, self._ring, op), out
        )

    def reduce(self, tensors, op=ReduceOp.SUM, root=0, sync=True, out=None):
        return self._each('reduce', tensors, lambda t: _C_ops.reduce(t, self._ring, root, op), out)

    def broadcast(self, tensors, root=0, sync=True):
        return self._each('broadcast', tensors, lambda t: _C_ops.broadcast(t, self._ring, root))

    def _deal(self, what, out, value):
        """Shares of the rows of `value` into tensors, or all of them into one."""
        if not isinstance(out, (list, tuple)):
            _put(what, out, value)
            return
        with paddle.no_grad():
            even = _alike(out)
            parts = paddle.split(value, len(out) if even else _elements(what, out))
        for t, part in zip(out, parts):
            _put(what, t, part)

    def _rows(self, what, in_, out, op=ReduceOp.SUM, root=0):
        """The collective on lists of tensors of any shapes: all elements of `in_`, those of `out`
        come.
        """
        _checked(what, [*in_, *out])
        with paddle.no_grad():
            like = (in_ or out)[0]
            given = [t.reshape([-1]) for t in in_] or [paddle.zeros([0], like.dtype)]
            return _C_ops._exchange_rows(
                paddle.concat(given),
                *(self._ring, what, op, root, _elements(what, in_), _elements(what, out)),
            )

    def all_gather(
        self, out, in_, out_counts=None, in_counts=None, op=ReduceOp.SUM, root=0, sync=True
    ):
        what = 'all_gather'
        (tensor,) = in_
        self._expect(what, out, out_counts)
        if out_counts is None and not _alike([tensor, *_checked(what, out)]):
            self._deal(what, out, self._rows(what, in_, out))
            return Ended()
        with paddle.no_grad():
            value = _C_ops.all_gather(_with_rows(tensor), self._ring, self.size())
        self._deal(what, out, value)
        return Ended()

    def gather(self, out, in_, out_counts=None, in_counts=None, op=ReduceOp.SUM, root=0, sync=True):
        if root != self.rank():
            self._rows('gather', in_, [], root=root)
            return Ended()
        self._expect('gather', out, out_counts)
        self._deal('gather', out, self._rows('gather', in_, out, root=root))
        return Ended()

    def scatter(
        self, out, in_, out_counts=None, in_counts=None, op=ReduceOp.SUM, root=0, sync=True
    ):
        if root != self.rank():
            in_ = []
        else:
            self._expect('scatter', in_, in_counts)
            if not isinstance(in_, (list, tuple)):
                with paddle.no_grad():
                    in_ = paddle.split(in_, in_counts)
        _put('scatter', out[0], self._rows('scatter', in_, out, root=root))
        return Ended()

    def reduce_scatter(
        self, out, in_, out_counts=None, in_counts=None, op=ReduceOp.SUM, root=0, sync=True
    ):
        what = 'reduce_scatter'
        (tensor,) = out
        self._expect(what, in_, in_counts)
        with paddle.no_grad():
            if isinstance(in_, (list, tuple)):
                if op != ReduceOp.SUM or not _alike(_checked(what, in_)):
                    _put(what, tensor, self._rows(what, in_, out, op))
                    return Ended()
                in_ = _joined(in_)
            elif op != ReduceOp.SUM:
                in_ = paddle.split(in_, in_counts)
                _put(what, tensor, self._rows(what, in_, out, op))
                return Ended()
            value = _C_ops.reduce_scatter(in_, self._ring, self.size())
        _put(what, tensor, value)
        return Ended()

    def all_to_all(
        self, out, in_, out_counts=None, in_counts=None, op=ReduceOp.SUM, root=0, sync=True
    ):
        what = 'all_to_all'
        if not isinstance(in_, (list, tuple)):
            with paddle.no_grad():
                if list(in_.shape) == list(out.shape) and len({*out_counts, *in_counts}) == 1:
                    value = _C_ops.all_to_all(in_, self._ring)
                else:
                    value = _C_ops._exchange_rows(
                        in_, self._ring, what, op, 0, list(in_counts), list(out_counts)
                    )
            _put(what, out, value)
            return Ended()
        self._expect(what, in_, None)
        self._expect(what, out, None)
        if _alike(_checked(what, [*in_, *out])):
            with paddle.no_grad():
                value = _C_ops.all_to_all(_joined(in_), self._ring)
        else:
            value = self._rows(what, in_, out)
        self._deal(what, out, value)
        return Ended()

    def _expect(self, what, tensors, counts):
        """As many tensors, or counts of rows, as there are processes."""
        found = len(tensors if counts is None else counts)
        if found != self.size():
            raise ValueError(f'[{what}] expected {self.size()} tensors or splits, got {found}')

    def send(self, tensor, dst, sync=True):
        _checked('send', [tensor])
        with paddle.no_grad():
            _C_ops.send_v2(tensor, self._ring, dst, sync, False)
        return Ended()

    def recv(self, tensor, src, sync=True):
        _elements('recv', _checked('recv', [tensor]))
        value = _C_ops.recv_v2(list(tensor.shape), tensor.dtype, src, self._ring, sync, False)
        if not sync:
            return Coming(tensor, value, self._ring)
        _put('recv', tensor, value)
        return Ended()

    def begin_batch(self):
        """Messages of programs begin one by one."""

    def end_batch(self):
        """Ends what `begin_batch` begins."""

    def barrier(self):
        _C_ops.barrier(paddle.full([1], 0, 'int32'), self._ring)
