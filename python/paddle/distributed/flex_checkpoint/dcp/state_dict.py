# SPDX-License-Identifier: Apache-2.0
"""Nested state dicts as flat ones, and the parts of tensors that processes have."""

import numpy as np

import paddle
from paddle.base import libpaddle as core

__all__ = ['flatten_state_dict', 'own_part', 'part_of', 'ranks_of']


def flatten_state_dict(state_dict, op):
    """(tensors by key, path of each key); keys of nested dicts are joined by dots."""
    flat, paths = {}, {}

    def walk(path, value):
        if isinstance(value, dict):
            for key, one in value.items():
                if not isinstance(key, str):
                    raise TypeError(f'[{op}] expected names as keys, got {type(key).__name__}')
                walk((*path, key), one)
        elif isinstance(value, paddle.Tensor):
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


def part_of(tensor, index):
    """(first index, shape) of the part at a place of the tensor's mesh."""
    first, shape = core._part_of(list(tensor.shape), tensor.process_mesh, tensor.placements, index)
    return tuple(first), tuple(shape)


def own_part(tensor, rank):
    """(first index, shape, tensor) of what this process has; None where that is nothing."""
    if not tensor.is_dist():
        return (0,) * tensor.ndim, tuple(tensor.shape), tensor
    if rank not in ranks_of(tensor):
        return None
    first, shape = part_of(tensor, ranks_of(tensor).index(rank))
    return (first, shape, tensor._local_value()) if np.prod(shape) else None
