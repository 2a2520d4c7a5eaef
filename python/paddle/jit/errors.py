# SPDX-License-Identifier: Apache-2.0
"""Errors of functions that are asked for more than `to_static` can make of them."""

__all__ = ['SotErrorBase', 'InnerError', 'FallbackError']


class SotErrorBase(Exception):
    """The base of these errors."""


class InnerError(SotErrorBase):
    """A function was to be compiled in a way in which it is not (`psdb.check_no_breakgraph`)."""


class FallbackError(SotErrorBase):
    """A function that is left as it is, in strict mode (`sot.utils.strict_mode_guard`)."""
