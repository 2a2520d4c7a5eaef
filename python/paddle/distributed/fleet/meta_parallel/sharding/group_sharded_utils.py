# SPDX-License-Identifier: Apache-2.0
"""What optimizers and models of a divided training share: clipping, and reducing to owners."""

import paddle
from paddle.distributed.communication import ReduceOp
from paddle.distributed.data_parallel import Reducer
from paddle.distributed.fleet.scaler import GroupShardedScaler
from paddle.nn.clip import ClipGradBase

__all__ = ['GroupShardedClipGrad', 'GroupShardedScaler']


class GroupShardedClipGrad(ClipGradBase):
    """`ClipGradByGlobalNorm` with the norm of the gradients of all shares: each process brings
    those of its own.
    """

    def __init__(self, clip, device, group):
        self._clip, self._group = clip, group

    def __str__(self):
        return str(self._clip)

    def _dygraph_clip(self, params_grads):
        pairs = [(p, g) for p, g in params_grads if g is not None and getattr(p, 'need_clip', True)]
        square = paddle.zeros([], 'float64')
        for _, g in pairs:
            square += paddle._C_ops.squared_l2_norm(g.astype('float32')).sum().astype('float64')
        self._group.process_group.all_reduce([square], ReduceOp.SUM)
        scale = self._clip.clip_norm / max(float(square.sqrt()), self._clip.clip_norm)
        clipped = {id(p): g * scale for p, g in pairs}
        return [(p, clipped.get(id(p), g)) for p, g in params_grads]


class OwnedReducer(Reducer):
    """Averages each gradient for the process that owns the parameter; others drop theirs, so what
    several backwards give adds up on the owner only. `released(number)` is called when a parameter
    has its gradient.
    """

    def __init__(
        self, parameters, names, optimizer, buffer_bytes, dp_group, released=None, sync=False
    ):
        self._owners = [optimizer._owner[id(p)] for p in parameters]
        self._rank = optimizer._group.rank
        self._dp_group = dp_group
        self._released, self._sync = released, sync
        self._shapes = [p.shape for p in parameters]
        self._before = {}  # by number, what earlier backwards have left
        group = optimizer._group.process_group
        super().__init__(parameters, names, group, buffer_bytes, buffer_bytes, True)
        for number, p in enumerate(parameters):
            p.register_hook(self._put_aside(number))

    def _kind(self, number):
        return super()._kind(number), self._owners[number]

    def _put_aside(self, number):
        def hook(gradient):
            p = self._parameters[number]
            if p.grad is not None:
                self._before[number], p.grad = p.grad, None

        return hook

    def reset(self):
        super().reset()
        self._before = {}

    def _came(self, number):
        super()._came(number)
        if self._released is not None:
            self._released(number)

    def _start(self):
        numbers = self._buckets[len(self._started)]
        root = self._owners[numbers[0]]
        gradients, averages = [], None
        with paddle.no_grad():
            for n in numbers:
                p = self._parameters[n]
                here = n in self._ready
                gradients.append(p.grad if here else paddle.zeros(self._shapes[n], p.dtype))
                if here:
                    p.grad = None
            if root == self._rank:
                averages = [paddle.empty_like(g) for g in gradients]
        task = self._group.reduce(gradients, ReduceOp.AVG, root, sync=self._sync, out=averages)
        self._started.append((task, numbers, averages))

    def reduce(self):
        """Reduces what is not under way yet, and gives owners the averages."""
        while len(self._started) < len(self._buckets):
            self._start()
        used = paddle.to_tensor(
            [int(n in self._ready) for n in range(len(self._parameters))], 'int32'
        )
        self._group.all_reduce([used], ReduceOp.MAX)
        used, started, before = used.tolist(), self._started, self._before
        self.reset()
        for task, numbers, averages in started:
            task.wait()
            if averages is None:
                continue
            if self._dp_group is not None:
                self._dp_group.process_group.all_reduce(averages, ReduceOp.AVG)
            for n, average in zip(numbers, averages):
                if not used[n]:
                    continue
                if n in before:
                    average = average + before[n]
                self._parameters[n].grad = average
