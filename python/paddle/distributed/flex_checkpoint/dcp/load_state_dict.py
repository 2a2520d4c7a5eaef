# SPDX-License-Identifier: Apache-2.0
"""`load_state_dict`: each process reads what its parts overlap, whatever mesh wrote it."""

import os

import numpy as np

import paddle

from ...communication.group import barrier, is_initialized
from ...parallel import get_rank
from .metadata import read_metadata
from .state_dict import Part, flatten_state_dict, own_part, whole_shape

__all__ = ['load_merged_state_dict', 'load_state_dict']


def _newest(path, unique_id, op):
    found = sorted(
        int(name[: -len('.metadata')])
        for name in os.listdir(path)
        if name.endswith('.metadata') and name[: -len('.metadata')].isdigit()
    )
    if not found:
        raise ValueError(f'[{op}] expected a checkpoint in {path}, got no metadata file')
    if unique_id is not None and int(unique_id) not in found:
        raise ValueError(f'[{op}] expected one of {found} in {path}, got {unique_id}')
    return found[-1] if unique_id is None else int(unique_id)


class _Files:
    """The files of a checkpoint, one of them in memory."""

    def __init__(self, path):
        self.path, self.name, self.content = path, None, None

    def part(self, name, key):
        if os.path.basename(name) != name:
            raise ValueError(f'[load_state_dict] expected the name of a file, got {name!r}')
        if name != self.name:
            self.content = None
            self.content = paddle.load(os.path.join(self.path, name))
            self.name = name
        return self.content[key]


def _overlap(first, shape, other_first, other_shape):
    """(slices of the one, slices of the other), or None."""
    here, there = [], []
    for a, n, b, m in zip(first, shape, other_first, other_shape):
        low, high = max(a, b), min(a + n, b + m)
        if low >= high:
            return None
        here.append(slice(low - a, high - a))
        there.append(slice(low - b, high - b))
    return tuple(here), tuple(there)


def _covered(part):
    """Which elements of its box a part has."""
    mask = np.ones(int(np.prod(part.shape)), bool)
    if part.flat is not None:
        mask[:] = False
        mask[slice(*part.flat)] = True
    return mask.reshape(part.shape)


def _box(part):
    """The part in its box; what it does not have there is zero."""
    if part.flat is None:
        return part.tensor
    row = paddle.zeros([int(np.prod(part.shape))], part.tensor.dtype)
    row[slice(*part.flat)] = part.tensor.reshape([-1])
    return row.reshape(part.shape)


def _fill(target, source, here, there):
    """Copies what two parts have in common."""
    if target.flat is None and source.flat is None:
        if here:
            target.tensor[here] = source.tensor[there]
        else:
            target.tensor.set_value(source.tensor)
        return
    box = _box(target)
    known = paddle.to_tensor(_covered(source)[there])
    box[here] = paddle.where(known, _box(source)[there], box[here])
    if target.flat is not None:
        box = box.reshape([-1])[slice(*target.flat)].reshape(target.tensor.shape)
        target.tensor.set_value(box)


def load_state_dict(
    state_dict, path, process_group=None, coordinator_rank=0, unique_id=None, offload=False
):
    """Fill tensors, or their parts, from a directory that `save_state_dict` wrote.

    They may be placed or divided otherwise, on another mesh, than those that were saved.

    Args:
        state_dict (dict): Tensors, or parts as `ShardedWeight`s, by name; it may be nested.
        path (str): The directory.
        process_group (Group, default None): The processes that call it; None for all.
        coordinator_rank (int, default 0): Taken for compatibility; it has no effect.
        unique_id (int, default None): The number of the checkpoint in the directory; None for the
            newest.
        offload (bool, default False): Taken for compatibility; it has no effect.

    Returns:
        None.

    Raises:
        TypeError: state_dict has keys that are no names, or something that is no tensor.
        ValueError: There is no such checkpoint, or it lacks a tensor, or has another shape.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["x"])
        >>> saved = dist.shard_tensor(paddle.to_tensor([1.0, 2.0]), mesh, [dist.Shard(0)])
        >>> dist.save_state_dict({"model": {"w": saved}}, "checkpoint")
        >>> state = {"model": {"w": paddle.zeros([2])}}
        >>> dist.load_state_dict(state, "checkpoint")
        >>> state["model"]["w"].tolist()
        [1.0, 2.0]
    """
    flat, _ = flatten_state_dict(state_dict, 'load_state_dict')
    _read(flat, path, _metadata(path, unique_id, 'load_state_dict'))
    if is_initialized():
        barrier(process_group)


def load_merged_state_dict(path, prefix=None, unique_id=None, offload=False):
    """All tensors of a checkpoint, whole, by name.

    Args:
        path (str): The directory that `save_state_dict` wrote.
        prefix (str, default None): Only those below this name of the nested dict, without it; None
            for all.
        unique_id (int, default None): The number of the checkpoint in the directory; None for the
            newest.
        offload (bool, default False): Taken for compatibility; it has no effect.

    Returns:
        dict: tensors by name.

    Raises:
        ValueError: There is no such checkpoint.

    Examples:
        >>> import paddle.distributed as dist
        >>> state = {"model": {"w": paddle.ones([2])}, "step": paddle.to_tensor(3)}
        >>> dist.save_state_dict(state, "checkpoint")
        >>> sorted(dist.load_merged_state_dict("checkpoint"))
        ['model.w', 'step']
        >>> dist.load_merged_state_dict("checkpoint", prefix="model")["w"].tolist()
        [1.0, 1.0]
    """
    metadata = _metadata(path, unique_id, 'load_merged_state_dict')
    merged = {}
    for key, parts in metadata.state_dict_metadata.items():
        shape = parts[0].global_shape
        if shape is None:  # as older files
            ends = [np.add(p.global_offset, p.local_shape) for p in parts]
            shape = np.max(ends, axis=0).tolist()
        merged[key] = paddle.zeros(shape, parts[0].dtype)
    if prefix is not None:
        merged = {key: t for key, t in merged.items() if key.startswith(f'{prefix}.')}
    _read(merged, path, metadata)
    return {key if prefix is None else key[len(prefix) + 1 :]: t for key, t in merged.items()}


def _metadata(path, unique_id, op):
    return read_metadata(os.path.join(path, f'{_newest(path, unique_id, op)}.metadata'))


def _read(flat, path, metadata):
    """Fills tensors and parts by key."""
    rank = get_rank() if is_initialized() else 0
    jobs = []  # (file, key, slices here and there, tensor to fill)
    stored = {}
    for index, name in metadata.storage_metadata.items():
        stored.setdefault(index.tensor_key, []).append((index, name))
    for key, tensor in flat.items():
        parts = metadata.state_dict_metadata.get(key)
        if not parts:
            raise ValueError(f'[load_state_dict] expected {key!r} in {path}, got no such tensor')
        shapes = {tuple(p.global_shape) for p in parts if p.global_shape is not None}
        if shapes and shapes != {whole_shape(tensor)}:
            raise ValueError(
                f'[load_state_dict] expected shape {list(whole_shape(tensor))} for {key!r}, got '
                f'{shapes}'
            )
        own = own_part(tensor, rank)
        if own is None:
            continue
        extents = {(tuple(p.global_offset), _range(p)): tuple(p.local_shape) for p in parts}
        missing = _covered(own)
        for index, name in stored.get(key, ()):
            offset, flat_range = tuple(index.global_offset), _range(index)
            shape = extents.pop((offset, flat_range), None)  # replicas are read once
            overlap = _overlap(own.first, own.shape, offset, shape) if shape is not None else None
            if overlap is not None:
                part = Part(offset, shape, None, flat_range)
                jobs.append((name, key, overlap, own, part))
                missing[overlap[0]] &= ~_covered(part)[overlap[1]]
        if missing.any():
            raise ValueError(
                f'[load_state_dict] expected all of {key!r} in {path}, got {missing.sum()} '
                'elements less'
            )
    files = _Files(path)
    with paddle.no_grad():
        for name, key, (here, there), target, part in sorted(jobs, key=lambda job: job[0]):
            part.tensor = files.part(name, key).astype(target.tensor.dtype)
            _fill(target, part, here, there)
            part.tensor = None


def _range(part):
    """(first, end) of a flattened part; None of another."""
    flat = part.flattened_range if part.is_flattened else None
    return (flat.start, flat.stop) if isinstance(flat, slice) else flat and tuple(flat)
