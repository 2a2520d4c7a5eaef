# SPDX-License-Identifier: Apache-2.0
"""Nested state dicts as flat ones, and the parts of tensors that processes have."""

import math
from dataclasses import dataclass

import paddle
from paddle.base import libpaddle as core

from ...communication.group import is_initialized
from ...parallel import get_world_size, init_parallel_env
from .sharded_weight import ShardedWeight

__all__ = [
    'Part',
    'boxes_of',
    'flatten_state_dict',
    'own_parts',
    'ranks_of',
    'several_processes',
    'shards_of',
    'whole_shape',
]


@dataclass
class Part:
    """A box of a tensor, or the elements `flat`, first and end, of the box in one row."""

    first: tuple
    shape: tuple
    tensor: paddle.Tensor = None
    flat: tuple = None


def several_processes():
    """Whether other processes take part. Those of a job without a group make one."""
    if not is_initialized() and get_world_size() > 1:
        init_parallel_env()
    return is_initialized()


def flatten_state_dict(state_dict, op):
    """(tensors or `ShardedWeight`s by key, path of each key); keys of nested dicts are joined by
    dots.
    """
    flat, paths = {}, {}

    def walk(path, value):
        if isinstance(value, dict):
            for key, one in value.items():
                if not isinstance(key, str):
                    raise TypeError(f'[{op}] expected names as keys, got {type(key).__name__}')
                walk((*path, key), one)
        elif isinstance(value, (paddle.Tensor, ShardedWeight)):
            name = '.'.join(path)
            if name in flat:
                raise ValueError(f'[{op}] expected names that differ, got {name!r} twice')
            flat[name], paths[name] = value, path
        else:
            raise TypeError(
                f'[{op}] expected tensors, got {type(value).__name__} for {".".join(path)!r}'
            )

    if not isinstance(state_dict, dict):
        raise TypeError(f'[{op}] expected a dict, got {type(state_dict).__name__}')
    walk((), state_dict)
    return flat, paths


def ranks_of(tensor):
    return tensor.process_mesh.process_ids if tensor.is_dist() else None


def whole_shape(value):
    return tuple(value.global_shape if isinstance(value, ShardedWeight) else value.shape)


def shards_of(value, axis):
    """Into how many parts an axis of a tensor, or of one of which the value is a part, is cut."""
    if isinstance(value, paddle.Tensor):
        if not value.is_dist():
            return 1
        extents = zip(value.process_mesh.shape, value.placements)
        return math.prod(extent for extent, p in extents if p.is_shard(axis))
    whole, own = value.global_shape, value.local_shape
    return -(-whole[axis] // max(1, own[axis])) if axis < len(whole) else 1


def boxes_of(tensor, index):
    """(first index, shape, place in the part) of the boxes that the part at a place of the tensor's
    mesh consists of: one, but for parts of several pieces of an axis.
    """
    boxes = core._boxes_of(list(tensor.shape), tensor.process_mesh, tensor.placements, index)
    return [tuple(map(tuple, box)) for box in boxes]


def own_parts(tensor, rank):
    """The parts that this process has, none of them empty."""
    if isinstance(tensor, ShardedWeight):
        flat = tensor.flattened_range if tensor.is_flattened else None
        if flat is not None:
            flat = (flat.start, flat.stop)
        first, shape = tuple(tensor.global_offset), tuple(tensor.local_shape)
        if flat is not None and flat[0] >= flat[1]:
            return []
        return [Part(first, shape, tensor.local_tensor, flat)]
    if not tensor.is_dist():
        return [Part((0,) * tensor.ndim, tuple(tensor.shape), tensor)]
    if rank not in ranks_of(tensor):
        return []
    boxes, local = boxes_of(tensor, ranks_of(tensor).index(rank)), tensor._local_value()
    if len(boxes) == 1:
        return [Part(*boxes[0][:2], local)]
    return [
        Part(first, shape, local[tuple(slice(a, a + n) for a, n in zip(at, shape))])
        for first, shape, at in boxes
    ]
