# SPDX-License-Identifier: Apache-2.0
"""`load_state_dict`: each process reads what its parts overlap, whatever mesh wrote it."""

import os

import numpy as np

import paddle

from ...communication.group import barrier, is_initialized
from ...parallel import get_rank
from .metadata import read_metadata
from .state_dict import flatten_state_dict, own_part

__all__ = ['load_state_dict']


def _newest(path, unique_id):
    found = sorted(
        int(name[: -len('.metadata')])
        for name in os.listdir(path)
        if name.endswith('.metadata') and name[: -len('.metadata')].isdigit()
    )
    if not found:
        raise ValueError(f'[load_state_dict] expected a checkpoint in {path}, got no metadata file')
    if unique_id is not None and int(unique_id) not in found:
        raise ValueError(f'[load_state_dict] expected one of {found} in {path}, got {unique_id}')
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


def load_state_dict(
    state_dict, path, process_group=None, coordinator_rank=0, unique_id=None, offload=False
):
    """Fills the tensors of a (nested) dict from the folder `path`: the newest checkpoint in it, or
    that with a number. The tensors may be placed otherwise, on another mesh, than those that were
    saved.
    """
    flat, _ = flatten_state_dict(state_dict, 'load_state_dict')
    metadata = read_metadata(os.path.join(path, f'{_newest(path, unique_id)}.metadata'))
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
        if shapes and shapes != {tuple(tensor.shape)}:
            raise ValueError(
                f'[load_state_dict] expected shape {tensor.shape} for {key!r}, got {shapes}'
            )
        if any(p.is_flattened for p in parts):
            raise NotImplementedError(
                f'[load_state_dict] expected parts with axes, got flattened ones of {key!r}'
            )
        own = own_part(tensor, rank)
        if own is None:
            continue
        extents = {tuple(p.global_offset): tuple(p.local_shape) for p in parts}
        missing = int(np.prod(own[1]))
        for index, name in stored.get(key, ()):
            offset = tuple(index.global_offset)
            shape = extents.pop(offset, None)  # replicas are read once
            overlap = _overlap(own[0], own[1], offset, shape) if shape is not None else None
            if overlap is not None:
                jobs.append((name, key, overlap, own[2]))
                missing -= int(np.prod([s.stop - s.start for s in overlap[0]]))
        if missing > 0:
            raise ValueError(
                f'[load_state_dict] expected all of {key!r} in {path}, got {missing} elements less'
            )
    files = _Files(path)
    with paddle.no_grad():
        for name, key, (here, there), target in sorted(jobs, key=lambda job: job[0]):
            part = files.part(name, key).astype(target.dtype)
            if here:
                target[here] = part[there]
            else:
                target.set_value(part)
    if is_initialized():
        barrier(process_group)
