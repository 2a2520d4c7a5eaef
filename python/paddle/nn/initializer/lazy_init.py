# SPDX-License-Identifier: Apache-2.0
"""Delayed initialisation, switched by hand where `LazyGuard` is no block."""

from paddle.base.framework import LazyGuard, lazy

__all__ = ['LazyGuard', 'LazyInitHelper', 'lazy_init_helper']


class LazyInitHelper:
    """Whether parameters of this thread are made without their first values."""

    def __init__(self):
        self._entered = []

    def enable(self):
        """From now on parameters are made without their first values."""
        if not self._entered:
            self._entered.append(LazyGuard().__enter__())

    def disable(self):
        """Undo `enable`."""
        if self._entered:
            self._entered.pop().__exit__()

    @property
    def state(self):
        """Whether it is so now."""
        return lazy.depth > 0


_helper = LazyInitHelper()


def lazy_init_helper():
    """The one helper."""
    return _helper
