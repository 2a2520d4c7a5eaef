# SPDX-License-Identifier: Apache-2.0
"""Parts of tensors that a program divides itself, as checkpoints take them."""

from collections import OrderedDict
from typing import Union

__all__ = ['ShardedStateDict', 'ShardedWeight', 'build_sharded_state_dict', 'shard_weight']


class ShardedWeight:
    """This process's part of the tensor `key`: `local_tensor` begins at `global_offset` of the
    whole. A flattened one is the elements `flattened_range` of a part of shape `local_shape`.
    """

    def __init__(
        self,
        key,
        local_tensor,
        local_shape,
        global_shape,
        global_offset,
        is_flattened=False,
        flattened_range=None,
    ):
        self.key = key
        self.local_tensor = local_tensor
        self.local_shape = local_shape
        self.global_shape = global_shape
        self.global_offset = global_offset
        self.is_flattened = is_flattened
        self.flattened_range = flattened_range

    def __str__(self):
        return (
            'ShardedWeight(\n'
            f'  key={self.key},\n'
            f'  local_tensor={type(self.local_tensor).__name__}(shape={self.local_tensor.shape}),\n'
            f'  local_shape={self.local_shape},\n'
            f'  global_shape={self.global_shape},\n'
            f'  global_offset={self.global_offset},\n'
            f'  flattened_range={self.flattened_range}\n'
            ')'
        )


ShardedStateDict = Union[dict[str, ShardedWeight], OrderedDict[str, ShardedWeight]]


def shard_weight(key, weight, axis, group):
    """The part `weight` of a tensor that the processes of a group divide evenly along an axis."""
    if not 0 <= axis < len(weight.shape):
        raise ValueError(
            f'[shard_weight] expected an axis of shape {list(weight.shape)}, got {axis}'
        )
    shape = tuple(weight.shape)
    whole = tuple(n * group.nranks if i == axis else n for i, n in enumerate(shape))
    first = tuple(n * group.rank if i == axis else 0 for i, n in enumerate(shape))
    return ShardedWeight(key, weight, shape, whole, first)


def build_sharded_state_dict(state_dict, shard_rules=None, prefix=''):
    """The tensors of a flat state dict as parts, by name: those that `shard_rules` has an axis for
    are divided over the model-parallel processes of fleet, others are whole.
    """
    from paddle.distributed import fleet

    sharded = {}
    for name, tensor in state_dict.items():
        key, axis = f'{prefix}{name}', (shard_rules or {}).get(name)
        if axis is None:
            shape = tuple(tensor.shape)
            sharded[key] = ShardedWeight(key, tensor, shape, shape, (0,) * len(shape))
        else:
            group = fleet.get_hybrid_communicate_group().get_model_parallel_group()
            sharded[key] = shard_weight(key, tensor, axis, group)
    return sharded
