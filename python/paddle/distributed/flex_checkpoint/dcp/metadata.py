# SPDX-License-Identifier: Apache-2.0
"""What a checkpoint holds: the parts of each tensor, and the files that they are in. Objects of
these classes are in the file `.metadata`, as PaddlePaddle writes it.
"""

import io
import pickle
from dataclasses import dataclass, fields

from paddle.framework.pickle_machine import Admitted, Machine, refuse

__all__ = ['LocalTensorIndex', 'LocalTensorMetadata', 'Metadata', 'read_metadata']


@dataclass
class LocalTensorMetadata:
    """One part of a tensor."""

    global_offset: tuple
    local_shape: tuple
    dtype: str
    global_shape: tuple = None
    is_flattened: bool = False
    flattened_range: tuple = None


@dataclass(frozen=True)
class LocalTensorIndex:
    """Which part of which tensor."""

    tensor_key: str
    global_offset: tuple
    is_flattened: bool = False
    flattened_range: tuple = None
    replica_id: int = None
    local_shape: tuple = None


@dataclass
class Metadata:
    """Parts by tensor, files by part, and the path of each tensor in the nested state dict."""

    state_dict_metadata: dict = None
    storage_metadata: dict = None
    flat_mapping: dict = None


_MODULES = (
    'paddle.distributed.flex_checkpoint.dcp.metadata',
    'paddle.distributed.checkpoint.metadata',
)
_CLASSES = {c.__name__: c for c in (LocalTensorIndex, LocalTensorMetadata, Metadata)}


class _Record:
    """Stands for an object of these classes while its file is read."""

    __slots__ = ('kind', 'state')

    def __init__(self, kind):
        self.kind, self.state = kind, None

    def made(self):
        names = {f.name for f in fields(self.kind)}
        if self.state is None or not set(self.state) <= names:
            refuse(f'a {self.kind.__name__} with other fields than {sorted(names)}')
        return self.kind(**self.state)


def _admitted(kind):
    return Admitted(kind.__name__, lambda machine: _Record(kind))


_KNOWN = {(m, name): _admitted(kind) for m in _MODULES for name, kind in _CLASSES.items()}


def _find(module, name):
    found = _KNOWN.get((module, name))
    if found is None:
        refuse(f'it names {module[:99]}.{name[:99]}')
    return found


def _build(machine, value, state):
    if type(value) is not _Record or type(state) is not dict or value.state is not None:
        refuse('a state for another object')
    value.state = state


class _Reader(Machine):
    def set_item(self, target, key, value):
        if type(key) is _Record:
            key = key.made()
            self.check_key(target, tuple(vars(key).values()))
            target[key] = value
        else:
            super().set_item(target, key, value)


def _real(value):
    if isinstance(value, _Record):
        value.state = {name: _real(v) for name, v in (value.state or {}).items()}
        return value.made()
    if isinstance(value, dict):
        return {key: _real(v) for key, v in value.items()}
    return [_real(v) for v in value] if isinstance(value, list) else value


def read_metadata(path):
    """The Metadata in a file. ValueError where it holds anything else: no code of it runs."""
    with open(path, 'rb') as stream:
        data = stream.read()
    try:
        made = _real(_Reader(io.BytesIO(data), _find, _build).load())
    except (pickle.UnpicklingError, TypeError, ValueError, IndexError, KeyError) as e:
        raise ValueError(f'[load_state_dict] expected a metadata file, got {path}: {e}') from None
    if not isinstance(made, Metadata) or not isinstance(made.storage_metadata, dict):
        raise ValueError(
            f'[load_state_dict] expected Metadata in {path}, got {type(made).__name__}'
        )
    return made
