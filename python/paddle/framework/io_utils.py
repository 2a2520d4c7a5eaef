# SPDX-License-Identifier: Apache-2.0
"""Values of variables, and files or buffers to keep them in."""

import contextlib
from io import BytesIO

from paddle.base.framework import EagerParamBase

__all__ = [
    'get_value',
    'set_value',
    'is_parameter',
    'is_persistable',
    'is_pir_fetch_var',
    'is_belong_to_optimizer',
]


def is_parameter(var):
    """Whether a variable is trained."""
    return isinstance(var, EagerParamBase)


def is_persistable(var):
    """Whether a variable lasts over runs."""
    return bool(var.persistable)


def is_belong_to_optimizer(var):
    """Whether a variable lasts over runs and is none of the model's: a state of an optimizer."""
    return is_persistable(var) and not is_parameter(var)


def is_pir_fetch_var(value):
    """Whether a value of a program is what a fetch gives."""
    op = value.get_defining_op() if hasattr(value, 'get_defining_op') else None
    return op is not None and op.name() == 'pd_op.fetch'


def _memory(var, scope):
    from paddle.static.scope import global_scope

    found = (global_scope() if scope is None else scope).find_var(var.name)
    if found is None:
        raise ValueError(f"[get_value] expected a value for {var.name!r} in the scope, got none")
    return found.get_tensor()


def get_value(var, scope=None):
    """The memory that a scope, the global one unless given, has for a variable."""
    return _memory(var, scope)


def set_value(var, value, scope=None):
    """Copy an array, or what can be made one, into the memory that a scope has for a variable;
    ValueError when the shapes differ.
    """
    import numpy

    memory = _memory(var, scope)
    value = numpy.asarray(value)
    if list(memory.shape()) != list(value.shape):
        raise ValueError(
            f"[set_value] expected shape {list(memory.shape())} for {var.name!r}, got "
            f"{list(value.shape)}"
        )
    memory.set(value)


def _is_file_path(path):
    return isinstance(path, str)


def _is_memory_buffer(buffer):
    return isinstance(buffer, BytesIO)


@contextlib.contextmanager
def _open_file_buffer(path_or_buffer, mode):
    """A stream of a file, closed at the end, or a buffer as it is: rewound before it is read,
    flushed when it was written.
    """
    if _is_file_path(path_or_buffer):
        with open(path_or_buffer, mode) as stream:
            yield stream
        return
    if not _is_memory_buffer(path_or_buffer):
        raise TypeError(
            f"[open] expected the path of a file or a BytesIO, got {type(path_or_buffer).__name__}"
        )
    if 'r' in mode:
        path_or_buffer.seek(0)
    yield path_or_buffer
    path_or_buffer.flush()
