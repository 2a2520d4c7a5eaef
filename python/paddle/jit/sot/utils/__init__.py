# SPDX-License-Identifier: Apache-2.0
"""How functions are compiled in regions, for a scope, and the errors of `paddle.jit.sot`."""

import contextlib as _contextlib

from paddle import _lazy
from paddle.jit.errors import FallbackError, InnerError, SotErrorBase
from paddle.jit.reads import tables as _tables

__all__ = [
    'strict_mode_guard',
    'min_graph_size_guard',
    'SotErrorBase',
    'InnerError',
    'FallbackError',
]


@_contextlib.contextmanager
def strict_mode_guard(value):
    """A scope in which functions that cannot be compiled raise, rather than run as they are.

    Args:
        value (bool): Whether they raise.

    Returns:
        context manager: also a decorator.

    Raises:
        FallbackError: Inside, where a function is left as it is.

    Examples:
        >>> with paddle.jit.sot.utils.strict_mode_guard(True):
        ...     paddle.jit.to_static(lambda x: x + 1)(paddle.ones([2])).tolist()
        [2.0, 2.0]
    """
    before = _tables.strict.on
    _tables.strict.on = bool(value)
    try:
        yield
    finally:
        _tables.strict.on = before


@_contextlib.contextmanager
def min_graph_size_guard(value):
    """A scope in which regions of small tensors are compiled that have so many operations.

    Args:
        value (int): The number; it is 4 outside.

    Returns:
        context manager: also a decorator.

    Examples:
        >>> def shifted(x):
        ...     y = x + 1
        ...     paddle.jit.sot.psdb.breakgraph()
        ...     return y * 2
        >>> with paddle.jit.sot.utils.min_graph_size_guard(1):
        ...     len(paddle.jit.explain(shifted, paddle.ones([2])).regions)
        2
    """
    from paddle.jit.regions.owner import few

    before = few.operations
    few.operations = int(value)
    try:
        yield
    finally:
        few.operations = before


_lazy.serve(globals())
