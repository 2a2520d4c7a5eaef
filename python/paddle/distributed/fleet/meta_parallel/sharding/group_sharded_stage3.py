# SPDX-License-Identifier: Apache-2.0
"""A model whose parameters are with one process of a group each, and come to the others while
layers need them.
"""

import math

import paddle
from paddle.autograd import saved_tensors_hooks

from .group_sharded_optimizer_stage2 import GroupShardedOptimizerStage2
from .group_sharded_stage2 import ShardedModel

__all__ = ['GroupShardedStage3']


class _Read(dict):
    """A layer's parameters; one that is away comes where forward reads it."""

    def __init__(self, content, model):
        super().__init__(content)
        self._model = model

    def __getitem__(self, name):
        parameter = super().__getitem__(name)
        if self._model._inside:
            self._model._fetch_one(parameter)
        return parameter

    def __reduce__(self):
        return dict, (dict(self),)


class _Kept:
    """Stands for a view of a parameter that an operation keeps for backward."""

    __slots__ = ('number', 'shape', 'strides', 'offset')

    def __init__(self, number, tensor):
        self.number = number
        self.shape, self.strides, self.offset = tensor.shape, tensor.strides, tensor.offset


def _move(parameter, place):
    with paddle.no_grad():
        parameter.detach().to(place)._share_buffer_to(parameter)


class GroupShardedStage3(ShardedModel):
    """`layer` in a divided training. Each large parameter is with its owner; it is sent to the
    others before a layer with it is called and when backward needs it, and freed behind. Gradients
    are averaged for owners.

    All processes must run the same layers in the same order.

    Args:
        layer (Layer): The model.
        optimizer (GroupShardedOptimizerStage2): Its optimizer.
        group (Group, default None): The processes; they are the optimizer's.
        sync_buffers (bool, default False): Whether each call while training begins with the first
            process's buffers.
        device (str, default 'gpu'): Taken for compatibility; it has no effect.
        segment_size (int, default 1048576): Parameters of fewer elements stay with all processes.
        pretrain_sync_models (bool, default True): Taken for compatibility: the optimizer does that.
        offload (bool, default False): As the optimizer's.
        sync_comm (bool, default False): Whether each reduction of gradients ends before backward
            goes on.
        dp_group (Group, default None): The processes that hold the same share and see other data.
        exclude_layer (list, default None): Names of classes and ids of layers whose parameters stay
            with all processes.

    Raises:
        TypeError: optimizer is another one.
        ValueError: group or offload are not those of the optimizer.

    Source: Rajbhandari, Rasley, Ruwase and He, ZeRO, https://arxiv.org/abs/1910.02054.
    """

    def __init__(
        self,
        layer,
        optimizer,
        group=None,
        sync_buffers=False,
        device='gpu',
        segment_size=2**20,
        pretrain_sync_models=True,
        offload=False,
        sync_comm=False,
        dp_group=None,
        exclude_layer=None,
        buffer_max_size=2**23,
    ):
        if not isinstance(optimizer, GroupShardedOptimizerStage2):
            raise TypeError(
                '[GroupShardedStage3] expected a GroupShardedOptimizerStage2, got '
                f'{type(optimizer).__name__}'
            )
        super().__init__(layer, optimizer, group, dp_group, sync_buffers, 'group_sharded_stage3')
        if offload and not optimizer.offload:
            raise ValueError('[GroupShardedStage3] expected offload as the optimizer, got True')
        self._inside = False
        whole = self._excluded(layer, exclude_layer or ())
        self._parameters_of = {
            id(p): number
            for number, (_, p) in enumerate(self._trainable)
            if math.prod(p.shape) >= segment_size and id(p) not in whole
        }
        self._shapes = [p.shape for _, p in self._trainable]
        self._here, self._places = set(self._parameters_of.values()), {}
        self._reducer = self._reducer_of(buffer_max_size, self._release, sync_comm)
        optimizer._after_step = self._stepped
        for sublayer in layer.sublayers(include_self=True):
            mine = [
                self._parameters_of[id(p)]
                for p in sublayer._parameters.values()
                if id(p) in self._parameters_of
            ]
            if mine:
                sublayer._parameters = _Read(sublayer._parameters, self)
                sublayer.register_forward_pre_hook(self._before_layer(mine))
                sublayer.register_forward_post_hook(self._behind_layer(mine))
        self._release_all()

    @staticmethod
    def _excluded(layer, excluded):
        found = set()
        for sublayer in layer.sublayers(include_self=True):
            if type(sublayer).__name__ in excluded or id(sublayer) in excluded:
                found.update(id(p) for p in sublayer.parameters())
        return found

    def _before_layer(self, numbers):
        def hook(layer, inputs):
            for number in numbers:
                self._fetch(number)

        return hook

    def _behind_layer(self, numbers):
        def hook(layer, inputs, outputs):
            for number in numbers:
                self._release(number)

        return hook

    def _owned(self, number):
        p = self._trainable[number][1]
        return self._optimizer._owner[id(p)] == self._group.rank

    def _fetch_one(self, parameter):
        number = self._parameters_of.get(id(parameter))
        if number is not None:
            self._fetch(number)

    def _fetch(self, number):
        """A parameter is here from now on; all processes call it for the same one."""
        if number in self._here:
            return
        p = self._trainable[number][1]
        with paddle.no_grad():
            whole = p.detach()
            if not self._owned(number):
                whole = paddle.empty(self._shapes[number], p.dtype)
            self._group.process_group.broadcast([whole], self._optimizer._owner[id(p)])
            if not self._owned(number):
                whole._share_buffer_to(p)
        self._here.add(number)

    def _release(self, number):
        """Only the owner has a parameter from now on."""
        if number in self._here and number in self._numbers:
            self._here.discard(number)
            if not self._owned(number):
                self._places.pop(number, None)
                self._trainable[number][1]._clear_data()

    def _to_cpu(self, number):
        p = self._trainable[number][1]
        if not p.place.is_cpu_place():
            self._places[number] = p.place
            _move(p, paddle.CPUPlace())

    @property
    def _numbers(self):
        return self._parameters_of.values()

    def _release_all(self):
        for number in sorted(self._here):
            self._release(number)
        while self._places:
            number, place = self._places.popitem()
            _move(self._trainable[number][1], place)

    def _pack(self, tensor):
        for number in self._here:
            if tensor._is_shared_buffer_with(self._trainable[number][1]):
                return _Kept(number, tensor)
        return tensor

    def _unpack(self, kept):
        if not isinstance(kept, _Kept):
            return kept
        self._fetch(kept.number)
        whole = self._trainable[kept.number][1].detach()
        if whole.shape == kept.shape and whole.strides == kept.strides:
            return whole
        return paddle.as_strided(whole, kept.shape, kept.strides, kept.offset)

    def forward(self, *inputs, **kwargs):
        self._begin()
        self._release_all()
        self._inside = True
        try:
            with saved_tensors_hooks(self._pack, self._unpack):
                return self._layers(*inputs, **kwargs)
        finally:
            self._inside = False
            self._release_all()

    def _stepped(self):
        """Others have updated their parameters."""
        self._optimizer._send_out(lambda p: id(p) not in self._parameters_of)
        self._release_all()

    def get_all_parameters(self, convert2cpu=False):
        """All parameters, which are here until the next call or step. All processes call it.
        `convert2cpu`: until then they are on the CPU, where they come one after another.
        """
        for number in sorted(self._numbers):
            self._fetch(number)
            if convert2cpu:
                self._to_cpu(number)
        if convert2cpu:
            for number in range(len(self._trainable)):
                self._to_cpu(number)
        return self._layers.parameters()

    def state_dict(self, destination=None, include_sublayers=True, structured_name_prefix=''):
        away = len(self._parameters_of) - len(self._here)
        if away:
            raise RuntimeError(
                '[GroupShardedStage3.state_dict] expected get_all_parameters() before, got '
                f'{away} parameters that other processes have'
            )
        return super().state_dict(destination, include_sublayers, structured_name_prefix)

    def set_state_dict(self, state_dict, use_structured_name=True):
        self.get_all_parameters()
        found = super().set_state_dict(state_dict, use_structured_name)
        self._release_all()
        return found

    set_dict = set_state_dict
    load_dict = set_state_dict
