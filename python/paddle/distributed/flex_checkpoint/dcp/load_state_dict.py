# SPDX-License-Identifier: Apache-2.0
"""`load_state_dict`: each process reads what its parts overlap, whatever mesh wrote it."""

import os

import numpy as np

import paddle
from paddle.framework.io import clear_async_save_task_queue, mapped_arrays

from ...communication.group import is_initialized, meet
from ...parallel import get_rank
from .. import aoa
from .metadata import LocalTensorIndex, LocalTensorMetadata, Metadata, read_metadata
from .state_dict import (
    Part,
    flatten_state_dict,
    own_parts,
    several_processes,
    shards_of,
    whole_shape,
)

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
    """The files of a checkpoint. Of one at a time arrays are read, as far as they are used."""

    def __init__(self, path):
        self.path, self.name, self.arrays, self.forget = path, None, None, None

    def part(self, name, key):
        if os.path.basename(name) != name:
            raise ValueError(f'[load_state_dict] expected the name of a file, got {name!r}')
        if name != self.name:
            self.arrays = None
            self.arrays, self.forget = mapped_arrays(os.path.join(self.path, name))
            self.name = name
        return self.arrays[key]


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


_AT_ONCE = 32 << 20  # bytes that are copied at once


def _fill(target, part, array, here, there):
    """Copies what two parts have in common; `array` has the elements of `part`."""
    dtype = target.tensor.dtype
    if target.flat is None and part.flat is None:
        if not here:
            target.tensor.set_value(paddle.to_tensor(array).astype(dtype).reshape([]))
            return
        common = array.reshape(part.shape)[there]
        row = max(1, common.nbytes // common.shape[0])
        step, first = max(1, _AT_ONCE // row), here[0].start
        for i in range(0, common.shape[0], step):
            piece = paddle.to_tensor(np.ascontiguousarray(common[i : i + step])).astype(dtype)
            rows = slice(first + i, first + i + piece.shape[0])
            target.tensor[(rows, *here[1:])] = piece
        return
    box = _box(target, target.tensor)
    known = paddle.to_tensor(_covered(part)[there])
    given = _box(part, paddle.to_tensor(np.ascontiguousarray(array)).astype(dtype))
    box[here] = paddle.where(known, given[there], box[here])
    if target.flat is not None:
        box = box.reshape([-1])[slice(*target.flat)].reshape(target.tensor.shape)
        target.tensor.set_value(box)


def _box(part, tensor):
    """The part, whose elements a tensor has, in its box; what it does not have there is zero."""
    if part.flat is None:
        return tensor
    row = paddle.zeros([int(np.prod(part.shape))], tensor.dtype)
    row[slice(*part.flat)] = tensor.reshape([-1])
    return row.reshape(part.shape)


def load_state_dict(
    state_dict,
    path,
    process_group=None,
    coordinator_rank=0,
    unique_id=None,
    offload=False,
    mw_name_compatibility=True,
    aoa_config=None,
    safetensors=False,
    worker_groups=None,
    comm_method='broadcast',
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
        mw_name_compatibility (bool, default True): Taken for compatibility; it has no effect.
        aoa_config (dict, default None): `aoa_statements`, a list of texts, says what tensors of
            the checkpoint become: "a -> x", "a, b -> x, axis=0", "a -> x, y, axis=1", "a^T -> x",
            "a -> x, dtype='bfloat16'", "a -> _", and "_ -> x" for what stays as it is;
            `$LAYER_ID` stands for numbers in names. Each process reads such tensors whole, one at a
            time; renamed ones in part. None: names are those of the checkpoint.
        safetensors (bool, default False): Whether a directory without metadata is read, whose
            safetensors hold whole tensors. Those of `save_state_dict` are known without.
        worker_groups (list of Groups, default None): Taken for compatibility; it has no effect.
        comm_method (str, default 'broadcast'): Taken for compatibility: each process reads files.

    Returns:
        None.

    Raises:
        AssertionError: A statement has several names on both sides, or divides an axis unevenly.
        NotImplementedError: A statement has attributes that are not here.
        TypeError: state_dict has keys that are no names, or something that is no tensor.
        ValueError: There is no such checkpoint, or it lacks a tensor, or has another shape; an
            unknown comm_method, or a statement that cannot be read.

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
    methods = ('send_recv', 'broadcast', 'multi_group_broadcast', 'grouped_send_recv')
    if comm_method not in methods:
        raise ValueError(
            f'[load_state_dict] expected comm_method as one of {methods}, got {comm_method!r}'
        )
    flat, _ = flatten_state_dict(state_dict, 'load_state_dict')
    several = several_processes()
    metadata = _metadata(path, unique_id, 'load_state_dict', safetensors)
    if aoa_config is None:
        _read(flat, path, metadata)
    else:
        _read_as(flat, path, metadata, aoa_config)
    if several:
        meet(process_group)


def load_merged_state_dict(
    path, prefix=None, unique_id=None, offload=False, aoa_config=None, safetensors=False
):
    """All tensors of a checkpoint, whole, by name.

    Args:
        path (str): The directory that `save_state_dict` wrote.
        prefix (str, default None): Only those below this name of the nested dict, without it; None
            for all.
        unique_id (int, default None): The number of the checkpoint in the directory; None for the
            newest.
        offload (bool, default False): Taken for compatibility; it has no effect.
        aoa_config (dict, default None): What tensors of the checkpoint become, as in
            `load_state_dict`.
        safetensors (bool, default False): Whether a directory without metadata is read, whose
            safetensors hold whole tensors.

    Returns:
        dict: tensors by name.

    Raises:
        NotImplementedError: A statement of aoa_config has attributes that are not here.
        ValueError: There is no such checkpoint, or a statement cannot be read.

    Examples:
        >>> import paddle.distributed as dist
        >>> state = {"model": {"w": paddle.ones([2])}, "step": paddle.to_tensor(3)}
        >>> dist.save_state_dict(state, "checkpoint")
        >>> sorted(dist.load_merged_state_dict("checkpoint"))
        ['model.w', 'step']
        >>> dist.load_merged_state_dict("checkpoint", prefix="model")["w"].tolist()
        [1.0, 1.0]
    """
    metadata = _metadata(path, unique_id, 'load_merged_state_dict', safetensors)
    if aoa_config is None:
        chosen = {key: aoa.Source(key) for key in metadata.state_dict_metadata}
    else:
        parts = metadata.state_dict_metadata

        def shards(name, axis, made):
            return 1 if made or name not in parts else _parts_along(parts[name], axis)

        chosen = aoa.plan(aoa_config, parts, shards=shards)
    if prefix is not None:
        chosen = {key: value for key, value in chosen.items() if key.startswith(f'{prefix}.')}
    merged = {key: value.make(_reader(path, metadata)) for key, value in chosen.items()}
    return {key if prefix is None else key[len(prefix) + 1 :]: t for key, t in merged.items()}


def _reader(path, metadata):
    """A function that gives a tensor of the checkpoint, whole, by name."""

    def read(key):
        parts = metadata.state_dict_metadata[key]
        shape = parts[0].global_shape
        if shape is None:  # as older files
            ends = [np.add(p.global_offset, p.local_shape) for p in parts]
            shape = np.max(ends, axis=0).tolist()
        whole = paddle.zeros(shape, parts[0].dtype)
        _read({key: whole}, path, metadata)
        return whole

    return read


def _parts_along(parts, axis):
    """Into how many parts a tensor of a checkpoint is cut along an axis."""
    return max(1, len({p.global_offset[axis] for p in parts if axis < len(p.global_offset)}))


def _read_as(flat, path, metadata, config):
    """Fills tensors and parts by key, as statements make them of those of the checkpoint."""

    def shards(name, axis, made):
        if made:
            return shards_of(flat[name], axis) if name in flat else 1
        return _parts_along(metadata.state_dict_metadata.get(name, ()), axis)

    planned = aoa.plan(config, metadata.state_dict_metadata, list(flat), shards)
    read, rank = _reader(path, metadata), get_rank() if is_initialized() else 0
    renamed, left = {}, []
    for key, value in planned.items():
        if isinstance(value, aoa.Source) and value.name not in renamed:
            renamed[value.name] = flat[key]
        elif value is not None:
            left.append((key, value))
    _read(renamed, path, metadata)
    with paddle.no_grad():
        for key, value in left:
            parts = own_parts(flat[key], rank)
            if not parts:
                continue
            whole = value.make(read)
            if tuple(whole.shape) != tuple(whole_shape(flat[key])):
                raise ValueError(
                    f'[load_state_dict] expected shape {list(whole_shape(flat[key]))} for '
                    f'{key!r}, got {list(whole.shape)} of the statements'
                )
            for own in parts:
                part = whole[tuple(slice(a, a + n) for a, n in zip(own.first, own.shape))]
                if own.flat is not None:
                    part = part.reshape([-1])[slice(*own.flat)].reshape(own.tensor.shape)
                own.tensor.set_value(part.astype(own.tensor.dtype))


def _metadata(path, unique_id, op, safetensors):
    clear_async_save_task_queue()
    if safetensors and not any(name.endswith('.metadata') for name in os.listdir(path)):
        return _of_whole_tensors(path, op)
    return read_metadata(os.path.join(path, f'{_newest(path, unique_id, op)}.metadata'))


def _of_whole_tensors(path, op):
    """What the safetensors of a folder hold."""
    described, stored = {}, {}
    for name in sorted(n for n in os.listdir(path) if n.endswith('.safetensors')):
        arrays, _ = mapped_arrays(os.path.join(path, name))
        for key, array in arrays.items():
            if key in described:
                raise ValueError(f'[{op}] expected {key!r} in one file of {path}, got it in two')
            first, dtype = (0,) * array.ndim, str(paddle.to_tensor(array.ravel()[:1]).dtype)
            dtype = dtype.rpartition('.')[-1]
            described[key] = [LocalTensorMetadata(first, array.shape, dtype, array.shape)]
            stored[LocalTensorIndex(key, first, local_shape=array.shape)] = name
    if not described:
        raise ValueError(f'[{op}] expected a checkpoint or safetensors in {path}, got neither')
    return Metadata(described, stored, {key: (key,) for key in described})


def _reads(key, own, parts, stored, path):
    """(file, slices here and there, part to fill, part that is read) of what fills a part."""
    extents = {(tuple(p.global_offset), _range(p)): tuple(p.local_shape) for p in parts}
    flat_ones = own.flat is not None or any(p.is_flattened for p in parts)
    missing = _covered(own) if flat_ones else int(np.prod(own.shape))
    for index, name in stored:
        offset, flat_range = tuple(index.global_offset), _range(index)
        shape = extents.pop((offset, flat_range), None)  # replicas are read once
        overlap = _overlap(own.first, own.shape, offset, shape) if shape is not None else None
        if overlap is not None:
            part = Part(offset, shape, None, flat_range)
            yield name, overlap, own, part
            if flat_ones:
                missing[overlap[0]] &= ~_covered(part)[overlap[1]]
            else:  # boxes of one tensor do not meet
                missing -= int(np.prod([s.stop - s.start for s in overlap[0]]))
    missing = int(np.sum(missing))
    if missing:
        raise ValueError(
            f'[load_state_dict] expected all of {key!r} in {path}, got {missing} elements less'
        )


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
        jobs += [
            (name, key, *job)
            for own in own_parts(tensor, rank)
            for name, *job in _reads(key, own, parts, stored.get(key, ()), path)
        ]
    files = _Files(path)
    with paddle.no_grad():
        for name, key, (here, there), target, part in sorted(jobs, key=lambda job: job[0]):
            _fill(target, part, files.part(name, key), here, there)
            files.forget()


def _range(part):
    """(first, end) of a flattened part; None of another."""
    flat = part.flattened_range if part.is_flattened else None
    return (flat.start, flat.stop) if isinstance(flat, slice) else flat and tuple(flat)
