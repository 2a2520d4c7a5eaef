# SPDX-License-Identifier: Apache-2.0
"""Indexing of the values of a program."""

__all__ = ['_getitem_static', '_setitem_static']


def _getitem_static(x, indices):
    """`x[indices]`."""
    return x[indices]


def _setitem_static(x, indices, values):
    """A value like `x` but for the elements at `indices`."""
    made = x.clone()
    made[indices] = values
    return made
