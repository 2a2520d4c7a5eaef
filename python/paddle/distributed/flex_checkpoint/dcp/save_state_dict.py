# SPDX-License-Identifier: Apache-2.0
"""`save_state_dict`: each process writes the parts that no process before it has."""

import os
import pickle

import numpy as np

import paddle
from paddle.framework.output_file import OutputFile

from ...communication import objects
from ...communication.group import barrier, default_group, is_initialized
from ...parallel import get_rank
from .metadata import LocalTensorIndex, LocalTensorMetadata, Metadata
from .sharded_weight import ShardedWeight
from .state_dict import Part, flatten_state_dict, own_part, part_of, ranks_of, whole_shape

__all__ = ['save_state_dict']


def _parts(tensor, first_rank):
    """(rank that writes it, part) of each part, each once."""
    if not tensor.is_dist():
        return [(first_rank, Part((0,) * tensor.ndim, tuple(tensor.shape)))]
    if any(p.is_partial() for p in tensor.placements):
        raise ValueError(
            '[save_state_dict] expected tensors that are not partial, got placements '
            f'{tensor.placements}: reshard it'
        )
    seen, parts = set(), []
    for i, rank in enumerate(ranks_of(tensor)):
        first, shape = part_of(tensor, i)
        if np.prod(shape) and first not in seen:
            seen.add(first)
            parts.append((rank, Part(first, shape)))
    return parts


def _divided(flat, paths, group):
    """(dtype, shape of the whole, path, [(rank that writes it, part)]) by key, of what programs
    divided themselves: only the processes that have a part know of it.
    """
    mine = []
    for key, value in flat.items():
        if isinstance(value, ShardedWeight) and (part := own_part(value, None)) is not None:
            dtype = _dtype(value.local_tensor)
            mine.append(
                (key, part.first, part.shape, part.flat, dtype, whole_shape(value), paths[key])
            )
    lists = [mine]
    if group is not None:
        lists = [objects.load(b) for b in group.process_group.gather_bytes(objects.dump(mine))]
    seen, found = set(), {}
    for rank, entries in zip(group.ranks if group is not None else [0], lists):
        for key, first, shape, flat_range, dtype, whole, path in entries:
            if (key, first, flat_range) not in seen:
                seen.add((key, first, flat_range))
                part = Part(first, shape, None, flat_range)
                found.setdefault(key, (dtype, whole, path, []))[-1].append((rank, part))
    return found


def _dtype(tensor):
    return str(tensor.dtype).rpartition('.')[-1]


def save_state_dict(
    state_dict, path, process_group=None, coordinator_rank=0, unique_id=None, async_save=False
):
    """Write tensors, each process its parts, to a directory for any mesh to read.

    Every process of the group calls it. Each file is written beside its place and renamed, the one
    that says what is there last: a checkpoint is whole or absent.

    Args:
        state_dict (dict): Tensors, or parts as `ShardedWeight`s, by name; it may be nested.
        path (str): The directory, which is made where it is missing.
        process_group (Group, default None): The processes; None for all.
        coordinator_rank (int, default 0): The rank of the process that writes what is there.
        unique_id (int, default None): The number of the checkpoint in the directory; None for a new
            one.
        async_save (bool, default False): Only False.

    Returns:
        None.

    Raises:
        NotImplementedError: async_save is True.
        TypeError: state_dict has keys that are no names, or something that is no tensor.
        ValueError: A tensor is partial, or two have one name.

    Examples:
        >>> import paddle.distributed as dist
        >>> dist.save_state_dict({"w": paddle.to_tensor([1.0, 2.0])}, "checkpoint")
        >>> state = {"w": paddle.zeros([2])}
        >>> dist.load_state_dict(state, "checkpoint")
        >>> state["w"].tolist()
        [1.0, 2.0]
    """
    if async_save:
        raise NotImplementedError('[save_state_dict] expected async_save=False, got True')
    flat, paths = flatten_state_dict(state_dict, 'save_state_dict')
    several = is_initialized()
    group = process_group or (default_group() if several else None)
    ranks, me = (group.ranks, get_rank()) if several else ([0], 0)
    os.makedirs(path, exist_ok=True)
    number = _next_id(path, group, coordinator_rank) if unique_id is None else int(unique_id)
    mine, described, stored = {}, {}, {}
    parts = {
        key: (_dtype(tensor), whole_shape(tensor), paths[key], _parts(tensor, ranks[0]))
        for key, tensor in flat.items()
        if not isinstance(tensor, ShardedWeight)
    }
    parts.update(_divided(flat, paths, group))
    for key, (dtype, whole, paths[key], written) in parts.items():
        described[key] = []
        for rank, part in written:
            name = f'{rank}_{number}.distcp'
            is_flat = part.flat is not None
            described[key].append(
                LocalTensorMetadata(part.first, part.shape, dtype, whole, is_flat, part.flat)
            )
            index = LocalTensorIndex(key, part.first, is_flat, part.flat, local_shape=part.shape)
            stored[index] = name
            if rank == me:
                mine[key] = own_part(flat[key], me).tensor.detach()
    if mine:
        paddle.save(mine, os.path.join(path, f'{me}_{number}.distcp'))
    if several:
        barrier(group)
    if me == coordinator_rank:
        with OutputFile(os.path.join(path, f'{number}.metadata')) as stream:
            pickle.dump(Metadata(described, stored, paths), stream)
    if several:
        barrier(group)


def _next_id(path, group, coordinator_rank):
    """A number that no checkpoint of the folder has, the same on all processes."""
    used = [
        int(name[: -len('.metadata')])
        for name in os.listdir(path)
        if name.endswith('.metadata') and name[: -len('.metadata')].isdigit()
    ]
    number = max(used, default=-1) + 1
    if group is None:
        return number
    given = group.process_group.gather_bytes(str(number).encode())
    return int(given[group.ranks.index(coordinator_rank)])
