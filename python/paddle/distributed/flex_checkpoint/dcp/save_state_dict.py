# SPDX-License-Identifier: Apache-2.0
"""`save_state_dict`: each process writes the parts that no process before it has."""

import contextlib
import itertools
import os
import pickle
from dataclasses import dataclass

import paddle
from paddle.framework.io import clear_async_save_task_queue, save_in_background, write_tensors
from paddle.framework.output_file import OutputFile

from ...collective import connect
from ...communication import objects
from ...communication.group import default_group
from ...parallel import get_rank
from .metadata import LocalTensorIndex, LocalTensorMetadata, Metadata, read_metadata
from .sharded_weight import ShardedWeight
from .state_dict import (
    Part,
    boxes_of,
    flatten_state_dict,
    own_parts,
    ranks_of,
    several_processes,
    whole_shape,
)

__all__ = ['clear_async_save_task_queue', 'save_state_dict']


def _parts(tensor, ranks, replicas):
    """(rank that writes it, number of the copy, part) of each part, each once or with `replicas` as
    often as processes have it.
    """
    if not tensor.is_dist():
        part = Part((0,) * tensor.ndim, tuple(tensor.shape))
        return [(rank, k, part) for k, rank in enumerate(ranks if replicas else ranks[:1])]
    if any(p.is_partial() for p in tensor.placements):
        raise ValueError(
            '[save_state_dict] expected tensors that are not partial, got placements '
            f'{tensor.placements}: reshard it'
        )
    copies, parts = {}, []
    for i, rank in enumerate(ranks_of(tensor)):
        for first, shape, _ in boxes_of(tensor, i):
            if replicas or first not in copies:
                k = copies[first] = copies.get(first, -1) + 1
                parts.append((rank, k, Part(first, shape)))
    return parts


def _divided(flat, paths, group, replicas):
    """(dtype, shape of the whole, path, [(rank that writes it, number of the copy, part)]) by key,
    of what programs divided themselves: only the processes that have a part know of it.
    """
    mine = []
    for key, value in flat.items():
        for part in own_parts(value, None) if isinstance(value, ShardedWeight) else ():
            dtype = _dtype(value.local_tensor)
            mine.append(
                (key, part.first, part.shape, part.flat, dtype, whole_shape(value), paths[key])
            )
    lists = [mine]
    if group is not None:
        lists = [objects.load(b) for b in group.process_group.gather_bytes(objects.dump(mine))]
    copies, found = {}, {}
    for rank, entries in zip(group.ranks if group is not None else [0], lists):
        for key, first, shape, flat_range, dtype, whole, path in entries:
            place = (key, first, flat_range)
            if replicas or place not in copies:
                k = copies[place] = copies.get(place, -1) + 1
                part = Part(first, shape, None, flat_range)
                found.setdefault(key, (dtype, whole, path, []))[-1].append((rank, k, part))
    return found


def _dtype(tensor):
    return str(tensor.dtype).rpartition('.')[-1]


def save_state_dict(
    state_dict,
    path,
    process_group=None,
    coordinator_rank=0,
    unique_id=None,
    async_save=False,
    safetensors=False,
    save_replicas=False,
):
    """Write tensors, each process its parts, to a directory for any mesh to read.

    Every process of the group calls it. Each file is written beside its place and renamed, the one
    that says what is there last: a checkpoint is whole or absent.

    Args:
        state_dict (dict): Tensors, or parts as `ShardedWeight`s, by name; it may be nested.
        path (str): The directory, which is made where it is missing.
        process_group (Group, default None): The processes; None for all.
        coordinator_rank (int, default 0): The rank of the process that writes what is there.
        unique_id (int, default None): The number of the checkpoint in the directory, which takes
            the place of one that has it; None for a new one.
        async_save (bool, default False): Whether files are written while the program goes on. The
            parts are copied first. The next such call, `clear_async_save_task_queue` and the end of
            the process wait for it.
        safetensors (bool, default False): Whether the files of parts are safetensors.
        save_replicas (bool, default False): Whether each process writes its parts, also those that
            others have.

    Returns:
        None.

    Raises:
        RuntimeError: A process could not write its file, or the one before that was written while
            the program went on.
        TypeError: state_dict has keys that are no names, or something that is no tensor.
        ValueError: A tensor is partial, or two have one name.

    Examples:
        >>> import paddle.distributed as dist
        >>> dist.save_state_dict({"w": paddle.to_tensor([1.0, 2.0])}, "checkpoint", async_save=True)
        >>> paddle.clear_async_save_task_queue()
        >>> state = {"w": paddle.zeros([2])}
        >>> dist.load_state_dict(state, "checkpoint")
        >>> state["w"].tolist()
        [1.0, 2.0]
    """
    clear_async_save_task_queue()
    flat, paths = flatten_state_dict(state_dict, 'save_state_dict')
    several = several_processes()
    group = process_group or (default_group() if several else None)
    ranks, me = (group.ranks, get_rank()) if several else ([0], 0)
    os.makedirs(path, exist_ok=True)
    number, again = _place(path, group, coordinator_rank, unique_id)
    names = _Names(f'{number}{again}', 'safetensors' if safetensors else 'distcp')
    mine, described, stored = {names.of(me, 0): {}}, {}, {}
    parts = {
        key: (_dtype(t), whole_shape(t), paths[key], _parts(t, ranks, save_replicas))
        for key, t in flat.items()
        if not isinstance(t, ShardedWeight)
    }
    parts.update(_divided(flat, paths, group, save_replicas))
    for key, (dtype, whole, paths[key], written) in parts.items():
        described[key] = []
        boxes = {}  # how many each process has written
        for rank, copy, part in written:
            is_flat = part.flat is not None
            if not copy:
                described[key].append(
                    LocalTensorMetadata(part.first, part.shape, dtype, whole, is_flat, part.flat)
                )
            index = LocalTensorIndex(
                key, part.first, is_flat, part.flat, copy if save_replicas else None, part.shape
            )
            box = boxes[rank] = boxes.get(rank, -1) + 1
            stored[index] = names.of(rank, box)
            if rank == me:
                mine.setdefault(stored[index], {})[key] = _own(flat[key], me, part.first)
    if async_save:
        with paddle.no_grad():
            mine = {n: {key: _copied(t) for key, t in file.items()} for n, file in mine.items()}
    written = Metadata(described, stored, paths) if me == coordinator_rank else None
    work = (path, mine, f'{number}.metadata', written, _agreement(group, async_save))
    if async_save:
        save_in_background(path, _write, *work)
    else:
        _write(*work)


@dataclass
class _Names:
    """The names of a checkpoint's files of parts. A file has one part of a tensor."""

    number: str
    kind: str

    def of(self, rank, box):
        return f'{rank}_{self.number}' + (f'+{box}' if box else '') + f'.{self.kind}'


def _own(value, rank, first):
    return next(p.tensor for p in own_parts(value, rank) if p.first == first).detach()


def _copied(tensor):
    copy = tensor.clone()
    copy.name = tensor.name
    return copy


_groups = {}  # by number of a group: the process group that it had, and the one for its saves


def _agreement(group, in_background):
    """The process group over which processes tell each other that they have written; one of its own
    in the background, where programs go on with theirs. None for one process.
    """
    if group is None or not in_background:
        return None if group is None else group.process_group
    had, made = _groups.get(group.id, (None, None))
    if had is not group.process_group:  # the group, or one of this number, was made anew
        if made is not None:
            made.close()
        made = connect(f'{group.id}/saves', group.ranks, 1800)
        _groups[group.id] = group.process_group, made
    return made


def _agree(agreement, error):
    """RuntimeError on all processes where one had an error."""
    if agreement is None:
        if error is not None:
            raise error
        return
    text = b'' if error is None else f'{type(error).__name__}: {error}'.encode()
    failed = [(r, t.decode()) for r, t in enumerate(agreement.gather_bytes(text)) if t]
    if failed:
        raise RuntimeError(
            '[save_state_dict] expected all processes to write, got of process '
            f'{failed[0][0]} of the group: {failed[0][1]}'
        ) from error


def _write(path, files, manifest, metadata, agreement):
    """Parts first; once all processes have theirs, the manifest."""
    error = None
    try:
        for name, tensors in files.items():
            if tensors:
                _write_parts(tensors, os.path.join(path, name))
    except Exception as e:
        error = e
    _agree(agreement, error)
    error = None
    try:
        if metadata is not None:
            _write_manifest(path, manifest, metadata)
    except Exception as e:
        error = e
    _agree(agreement, error)


def _write_parts(tensors, path):
    if path.endswith('.safetensors'):
        paddle.save(tensors, path, safetensors=True)
    else:
        write_tensors(tensors, path)


def _write_manifest(path, name, metadata):
    """The manifest, and then no files of a former one that it replaces."""
    place, before = os.path.join(path, name), set()
    with contextlib.suppress(OSError, ValueError):
        before = set(read_metadata(place).storage_metadata.values())
    with OutputFile(place) as stream:
        pickle.dump(metadata, stream)
    for old in before - set(metadata.storage_metadata.values()):
        if os.path.basename(old) == old:
            with contextlib.suppress(OSError):
                os.remove(os.path.join(path, old))


def _place(path, group, coordinator_rank, unique_id):
    """(number of the checkpoint, what its files of parts have behind it so that they do not meet
    those of one with this number), the same on all processes.
    """
    names = os.listdir(path)
    used = [
        int(name[: -len('.metadata')])
        for name in names
        if name.endswith('.metadata') and name[: -len('.metadata')].isdigit()
    ]
    number = max(used, default=-1) + 1 if unique_id is None else int(unique_id)
    again = ''
    if number in used:
        taken = {name.partition('_')[2].rpartition('.')[0] for name in names}
        again = next(e for k in itertools.count(1) if f'{number}{(e := f"_{k}")}' not in taken)
    if group is None:
        return number, again
    given = group.process_group.gather_bytes(f'{number} {again}'.encode())
    number, _, again = given[group.ranks.index(coordinator_rank)].decode().partition(' ')
    return int(number), again
