# SPDX-License-Identifier: Apache-2.0
"""Training of one model by several processes that each see a part of every batch."""

import contextlib
import warnings

import paddle
from paddle.base import core
from paddle.base.framework import dtype_name

from .communication.group import joined
from .communication.reduce import ReduceOp
from .parallel import get_world_size
from .wrapper import Wrapper

__all__ = ['DataParallel']

_MEGABYTE = 1 << 20


def _by_dtype(tensors):
    """{dtype: tensors of it}, in the order of appearance."""
    groups = {}
    for t in tensors:
        groups.setdefault(dtype_name(t.dtype), []).append(t)
    return groups


def _buckets(parameters, names, last_bytes, bytes_each, kind):
    """Numbers of parameters whose gradients are reduced together: of one kind, kind(number), from
    the last parameter to the first, as gradients come. Those of a layer, which come at once, are
    together, unless they alone would fill another bucket. The bucket that comes last is small:
    nothing is left to be computed beside it.
    """
    buckets, open_buckets = [], {}
    layers = [name.rpartition('.')[0] for name in names]
    for number, p in enumerate(parameters):
        numbers, size = open_buckets.get(kind(number), (None, 0))
        most = last_bytes if numbers and numbers is buckets[0] else bytes_each
        apart = numbers and (layers[number] != layers[numbers[-1]] or size >= most + bytes_each)
        if numbers is None or (size >= most and apart):
            numbers, size = [], 0
            buckets.append(numbers)
        numbers.append(number)
        open_buckets[kind(number)] = (numbers, size + p.size * p.element_size())
    return [numbers[::-1] for numbers in reversed(buckets)]


def _tables(layers):
    """The parameters whose gradients are the rows that were looked up."""
    return {
        id(layer.weight)
        for layer in layers.sublayers(include_self=True)
        if isinstance(layer, paddle.nn.Embedding) and layer._sparse
    }


def _average_of_rows(parameter, counts, group):
    """The average of gradients of which each rank has `counts` rows, or a whole one: -1."""
    gradient, here = parameter.grad, counts[group.rank()]
    if min(counts) < 0:
        whole = paddle.zeros_like(parameter) if gradient is None else gradient.to_dense()
        average = paddle.empty_like(whole)
        group.all_reduce([whole], ReduceOp.AVG, out=[average])
        return average
    if here:
        rows, values, _ = gradient._rows_parts()
    else:
        rows = paddle.zeros([0], 'int64')
        values = paddle.zeros([0, *parameter.shape[1:]], parameter.dtype)
    parts = []
    for given in (rows, values):
        parts.append(paddle.empty([sum(counts), *given.shape[1:]], given.dtype))
        group.all_gather(parts[-1], [given.contiguous()], counts)
    return (parts[1] / len(counts))._as_rows(parts[0], parameter.shape[0])


class Reducer:
    """Averages the gradients of parameters over a process group, while backward runs.

    A bucket is reduced as soon as all of its gradients and all buckets before it are there, on
    every rank in the same order. At the end of backward the averages take the gradients' place.
    The rows that are gradients of `tables`, of which each rank has others, are gathered then.
    """

    def __init__(
        self, parameters, names, process_group, last_bytes, bytes_each, find_unused, tables=()
    ):
        self.enabled = True
        self._parameters = parameters
        self._names = names
        self._group = process_group
        self._find_unused = find_unused
        self._tables = [n for n, p in enumerate(parameters) if id(p) in tables]
        whole = [n for n, p in enumerate(parameters) if id(p) not in tables]
        self._buckets = [
            [whole[i] for i in numbers]
            for numbers in _buckets(
                [parameters[n] for n in whole],
                [names[n] for n in whole],
                last_bytes,
                bytes_each,
                lambda i: self._kind(whole[i]),
            )
        ]
        self._bucket_of = {n: b for b, numbers in enumerate(self._buckets) for n in numbers}
        self.reset()
        for number, p in enumerate(parameters):
            p.register_post_accumulate_grad_hook(self._hook(number))

    def _kind(self, number):
        """Gradients of one kind may be in one bucket."""
        return dtype_name(self._parameters[number].dtype)

    def begin(self):
        """Forgets a backward that did not come to its end."""
        if self._running:
            self.reset()

    def reset(self):
        self._ready = set()
        self._missing = [len(numbers) for numbers in self._buckets]
        self._started = []  # (task, numbers, averages)
        self._running = False

    def _hook(self, number):
        return lambda parameter: self._came(number)

    def _came(self, number):
        if not self.enabled:
            return
        if not self._running:
            self._running = True
            core.after_backward(self._finish)
        if number in self._ready:
            raise RuntimeError(
                f'[DataParallel] expected one gradient of parameter {self._names[number]} in a '
                f'backward, got another one behind it; use no_sync() and apply_collective_grads()'
            )
        self._ready.add(number)
        if number in self._tables:
            return
        self._missing[self._bucket_of[number]] -= 1
        while len(self._started) < len(self._buckets) and not self._missing[len(self._started)]:
            self._start()

    def _start(self):
        numbers = self._buckets[len(self._started)]
        gradients = []
        with paddle.no_grad():
            for n in numbers:
                p = self._parameters[n]  # whose gradient may be rows, of operations of one's own
                gradients.append(paddle.zeros_like(p) if p.grad is None else p.grad.to_dense())
            averages = [paddle.empty_like(g) for g in gradients]
        task = self._group.all_reduce(gradients, ReduceOp.AVG, sync=False, out=averages)
        self._started.append((task, numbers, averages))

    def _finish(self):
        count = len(self._parameters)
        absent = [n for n in range(count) if n not in self._ready]
        if absent and not self._find_unused:
            names = ', '.join(self._names[n] for n in absent)
            raise RuntimeError(
                '[DataParallel] expected gradients of all parameters in a backward, got none of '
                f'{names}: give find_unused_parameters=True where some take no part'
            )
        self.reduce()

    def reduce(self):
        """Reduces what is not under way yet, and puts the averages in place."""
        while len(self._started) < len(self._buckets):
            self._start()
        used = None
        if self._find_unused:
            used = paddle.to_tensor([int(p.grad is not None) for p in self._parameters], 'int32')
            self._group.all_reduce([used], ReduceOp.MAX)
            used = used.tolist()
        started = self._started
        self.reset()
        for task, numbers, averages in started:
            task.wait()
            for n, average in zip(numbers, averages):
                if used is None or used[n]:
                    self._parameters[n].grad = average
        if self._tables:
            self._reduce_rows([n for n in self._tables if used is None or used[n]])

    @paddle.no_grad()
    def _reduce_rows(self, numbers):
        """Puts the averages of gradients that are rows in place."""
        counts = []
        for n in numbers:
            p = self._parameters[n]
            if p.grad is not None and p.grad.is_selected_rows():
                p.grad = p.grad._merged_rows()
                counts.append(p.grad._rows_parts()[0].shape[0])
            else:
                counts.append(0 if p.grad is None else -1)
        each = [paddle.empty([len(numbers)], 'int64') for _ in range(self._group.size())]
        self._group.all_gather(each, [paddle.to_tensor(counts, 'int64')])
        for n, of_ranks in zip(numbers, zip(*[t.tolist() for t in each])):
            p = self._parameters[n]
            p.grad = _average_of_rows(p, list(of_ranks), self._group)


class DataParallel(Wrapper):
    """A layer whose parameters are the same on all processes, and whose gradients are averaged over
    them at the end of each backward.

    Args:
        layers (Layer): The layer.
        strategy (object, default None): Taken for compatibility; it has no effect.
        comm_buffer_size (int, default 25): How many megabytes of gradients go together.
        last_comm_buffer_size (int, default 1): How many go last.
        find_unused_parameters (bool, default False): Whether some parameters may take no part in a
            backward.
        group (Group, default None): The processes that take part; None for all.

    Examples:
        >>> net = paddle.DataParallel(paddle.nn.Linear(2, 3))
        >>> net(paddle.ones([4, 2])).shape
        paddle.Size([4, 3])
    """

    def __init__(
        self,
        layers,
        strategy=None,
        comm_buffer_size=25,
        last_comm_buffer_size=1,
        find_unused_parameters=False,
        group=None,
    ):
        super().__init__(layers, 'data_parallel')
        self.find_unused_parameters = find_unused_parameters
        self._reducer = None
        if group is None and get_world_size() < 2:
            warnings.warn('[DataParallel] this is the only process of its job: nothing is averaged')
            return
        self.group = joined(group)
        if self.group is None or self.group.nranks < 2:
            return
        trainable = [(n, p) for n, p in layers.named_parameters() if not p.stop_gradient]
        if not trainable:
            raise RuntimeError(
                '[DataParallel] expected a layer with parameters that need gradients, got none'
            )
        process_group = self.group.process_group
        with paddle.no_grad():
            state = [*layers.parameters(), *layers.buffers()]
            for tensors in _by_dtype(state).values():
                process_group.broadcast(tensors, 0)
        self._reducer = Reducer(
            [p for _, p in trainable],
            [n for n, _ in trainable],
            process_group,
            last_comm_buffer_size * _MEGABYTE,
            comm_buffer_size * _MEGABYTE,
            find_unused_parameters,
            _tables(layers),
        )

    def forward(self, *inputs, **kwargs):
        reducer = self._reducer
        if reducer is not None and reducer.enabled and paddle.is_grad_enabled():
            reducer.begin()
        return self._layers(*inputs, **kwargs)

    @contextlib.contextmanager
    def no_sync(self):
        """Within, gradients accumulate without being averaged; the next backward outside averages
        what has come together.
        """
        if self._reducer is None:
            yield
            return
        before, self._reducer.enabled = self._reducer.enabled, False
        try:
            yield
        finally:
            self._reducer.enabled = before

    def scale_loss(self, loss):
        """`loss`: gradients are averaged."""
        return loss

    def apply_collective_grads(self):
        """Averages the gradients that are there."""
        if self._reducer is not None:
            self._reducer.reset()
            self._reducer.reduce()
