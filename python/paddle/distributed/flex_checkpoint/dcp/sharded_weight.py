# SPDX-License-Identifier: Apache-2.0
"""Parts of tensors that a program divides itself, as checkpoints take them."""

from collections import OrderedDict
from typing import Union

__all__ = ['ShardedStateDict', 'ShardedWeight', 'build_sharded_state_dict', 'shard_weight']


class ShardedWeight:
    """This process's part of a tensor that the program divides itself, for checkpoints.

    Args:
        key (str): The name of the whole.
        local_tensor (Tensor): The part.
        local_shape (tuple of ints): Its shape.
        global_shape (tuple of ints): The shape of the whole.
        global_offset (tuple of ints): Where the part begins in the whole.
        is_flattened (bool, default False): Whether local_tensor is some elements of the part in one
            row.
        flattened_range (slice, default None): Which, then.

    Examples:
        >>> import paddle.distributed as dist
        >>> part = dist.ShardedWeight("w", paddle.ones([1, 2]), (1, 2), (2, 2), (1, 0))
        >>> print(part)
        ShardedWeight(
          key=w,
          local_tensor=Tensor(shape=paddle.Size([1, 2])),
          local_shape=(1, 2),
          global_shape=(2, 2),
          global_offset=(1, 0),
          flattened_range=None
        )
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
    """The part of a tensor that the processes of a group divide evenly along an axis.

    Args:
        key (str): The name of the whole.
        weight (Tensor): The part of this process.
        axis (int): The axis.
        group (Group): The processes.

    Returns:
        ShardedWeight: the part.

    Raises:
        ValueError: weight has no such axis.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     group = dist.init_parallel_env()
        ...     part = dist.shard_weight("w", paddle.ones([2, 3]), 0, group)
        ...     assert part.global_shape == (4, 3)
        ...     assert part.global_offset == (2 * dist.get_rank(), 0)
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    if not 0 <= axis < len(weight.shape):
        raise ValueError(
            f'[shard_weight] expected an axis of shape {list(weight.shape)}, got {axis}'
        )
    shape = tuple(weight.shape)
    whole = tuple(n * group.nranks if i == axis else n for i, n in enumerate(shape))
    first = tuple(n * group.rank if i == axis else 0 for i, n in enumerate(shape))
    return ShardedWeight(key, weight, shape, whole, first)


def build_sharded_state_dict(state_dict, shard_rules=None, prefix=''):
    """The tensors of a flat state dict as parts, by name.

    Args:
        state_dict (dict): Tensors by name.
        shard_rules (dict, default None): The axis along which the model-parallel processes of fleet
            divide a tensor, by name; others are whole.
        prefix (str, default ''): What names begin with in the result.

    Returns:
        dict: `ShardedWeight`s by name.

    Examples:
        >>> import paddle.distributed as dist
        >>> layer = paddle.nn.Linear(2, 3)
        >>> parts = dist.build_sharded_state_dict(layer.state_dict(), prefix="model.")
        >>> {name: part.global_shape for name, part in parts.items()}
        {'model.weight': (2, 3), 'model.bias': (3,)}
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
