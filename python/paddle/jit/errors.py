# SPDX-License-Identifier: Apache-2.0
"""Errors of functions that are asked for more than `to_static` can make of them."""

from paddle.jit.reads import tables


class SotErrorBase(Exception):
    """The base of these errors."""


class InnerError(SotErrorBase):
    """A function was to be compiled in a way in which it is not (`psdb.check_no_breakgraph`)."""


class FallbackError(SotErrorBase):
    """A function that is left as it is, in strict mode (`sot.utils.strict_mode_guard`)."""


def check_falls_back(function, reason):
    """Raise where a function may not run without being compiled, but for `reason` it has to."""
    if getattr(function, '__code__', None) in tables.NO_FALLBACK:
        raise InnerError(
            f'[to_static] expected {function.__qualname__} to be compiled, got a function that '
            f'runs as it is: {reason}'
        )
    if tables.strict.on:
        raise FallbackError(
            f'[to_static] expected functions that are compiled, got {function.__qualname__}, which '
            f'runs as it is: {reason}'
        )
