# SPDX-License-Identifier: Apache-2.0
"""The executor and scopes under their older home."""

import numpy

from paddle.base.data_feeder import convert_dtype
from paddle.static.dataset_runs import FetchHandler
from paddle.static.executor import Executor
from paddle.static.program import Program, Variable, default_main_program
from paddle.static.scope import global_scope, scope_guard

__all__ = [
    'Executor',
    'FetchHandler',
    'global_scope',
    'scope_guard',
    'Program',
    'Variable',
    'default_main_program',
    'convert_dtype',
    'as_numpy',
]


def as_numpy(tensor, copy=False):
    """Arrays of a tensor, or of each in a list."""
    if isinstance(tensor, (list, tuple)):
        return [as_numpy(t, copy) for t in tensor]
    return numpy.array(tensor) if copy else numpy.asarray(tensor)


def _as_lodtensor(data, place, dtype=None):
    """The memory of a variable with these values; AssertionError for values that are no array,
    without a dtype.
    """
    from paddle.framework.io import _to_LodTensor

    if not isinstance(data, numpy.ndarray):
        if dtype is None:
            raise AssertionError(
                "[as_lodtensor] expected a dtype for data that is no array, got None for "
                f"{type(data).__name__}"
            )
        data = numpy.array(data, dtype=convert_dtype(dtype))
    memory = _to_LodTensor(data)
    memory.set(data, place)
    return memory


def _fetch_var(name, scope=None, return_numpy=True):
    """The value that a scope, the global one unless given, has under a name; an AssertionError
    where it has none.
    """
    if not isinstance(name, str):
        raise AssertionError(f"[_fetch_var] expected a name, got {type(name).__name__}")
    found = (global_scope() if scope is None else scope).find_var(name)
    if found is None:
        raise AssertionError(f"[fetch_var] expected a variable of the scope, got {name!r}")
    memory = found.get_tensor()
    return as_numpy(memory, copy=True) if return_numpy else memory
