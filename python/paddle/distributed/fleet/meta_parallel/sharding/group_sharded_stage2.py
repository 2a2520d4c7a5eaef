# SPDX-License-Identifier: Apache-2.0
"""A model whose gradients each process of a group keeps for its share of the parameters."""

import paddle
from paddle.distributed.communication import ReduceOp
from paddle.distributed.data_parallel import Reducer
from paddle.distributed.wrapper import Wrapper

from .group_sharded_optimizer_stage2 import GroupShardedOptimizerStage2
from .group_sharded_utils import OwnedReducer

__all__ = ['GroupShardedStage2']


class ShardedModel(Wrapper):
    """What models of a divided training have in common."""

    def __init__(self, layer, optimizer, group, dp_group, sync_buffers, suffix):
        super().__init__(layer, suffix)
        name = type(self).__name__
        if not isinstance(optimizer, GroupShardedOptimizerStage2):
            raise TypeError(
                f'[{name}] expected a GroupShardedOptimizerStage2, got {type(optimizer).__name__}'
            )
        if group is not None and group.ranks != optimizer._group.ranks:
            raise ValueError(
                f'[{name}] expected the group of the optimizer, {optimizer._group.ranks}, got '
                f'{group.ranks}'
            )
        self._optimizer = optimizer
        self._group, self._dp_group = optimizer._group, dp_group
        self._sync_buffers = sync_buffers
        self._send_buffers()
        self._trainable = [(n, p) for n, p in layer.named_parameters() if not p.stop_gradient]

    def _send_buffers(self):
        with paddle.no_grad():
            for buffer in self._layers.buffers():
                self._group.process_group.broadcast([buffer], 0)
                if self._dp_group is not None:
                    self._dp_group.process_group.broadcast([buffer], 0)

    def _reducer_of(self, buffer_max_size, released=None, sync=False):
        return OwnedReducer(
            [p for _, p in self._trainable],
            [n for n, _ in self._trainable],
            self._optimizer,
            buffer_max_size,
            self._dp_group,
            released,
            sync,
        )

    def _begin(self):
        if self._sync_buffers and self.training:
            self._send_buffers()
        if paddle.is_grad_enabled():
            self._reducer.reset()


class _WholeReducer(Reducer):
    """Every process keeps all averages."""

    def __init__(self, trainable, process_group, size, dp_group):
        self._dp_group = dp_group
        parameters, names = [p for _, p in trainable], [n for n, _ in trainable]
        super().__init__(parameters, names, process_group, size, size, True)

    def reduce(self):
        super().reduce()
        if self._dp_group is not None:
            for p in self._parameters:
                if p.grad is not None:
                    self._dp_group.process_group.all_reduce([p.grad], ReduceOp.AVG)


class GroupShardedStage2(ShardedModel):
    """`layer` in a divided training: at the end of each backward each process has the averages of
    the gradients that it updates by, and no others.

    Args:
        layer (Layer): The model.
        sharding_optimizer (GroupShardedOptimizerStage2): Its optimizer.
        group (Group, default None): The processes; they are the optimizer's.
        sync_buffers (bool, default False): Whether each call while training begins with the first
            process's buffers.
        buffer_max_size (int, default 8388608): How many bytes of gradients are reduced together.
        auto_refresh_trainable (bool, default True): Taken for compatibility; it has no effect.
        device (str, default 'gpu'): Taken for compatibility; it has no effect.
        dp_group (Group, default None): The processes that hold the same share and see other data.

    Raises:
        TypeError: sharding_optimizer is another one.
        ValueError: group is not that of the optimizer.
    """

    def __init__(
        self,
        layer,
        sharding_optimizer,
        group=None,
        sync_buffers=False,
        buffer_max_size=2**23,
        auto_refresh_trainable=True,
        device='gpu',
        dp_group=None,
        whole_gradients=False,
    ):
        if isinstance(sharding_optimizer, list):
            (sharding_optimizer,) = sharding_optimizer
        super().__init__(
            layer, sharding_optimizer, group, dp_group, sync_buffers, 'group_sharded_stage2'
        )
        if whole_gradients:
            self._reducer = _WholeReducer(
                self._trainable, self._group.process_group, buffer_max_size, dp_group
            )
        else:
            self._reducer = self._reducer_of(buffer_max_size)

    def forward(self, *inputs, **kwargs):
        self._begin()
        return self._layers(*inputs, **kwargs)

    def grad_scale(self):
        """Nothing to do: gradients are averaged at the end of backward."""
