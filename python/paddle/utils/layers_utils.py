# SPDX-License-Identifier: Apache-2.0
"""Helpers that layers share, under the name programs import them by."""
from .structure import flatten, map_structure, pack_sequence_as

__all__ = ['flatten', 'pack_sequence_as', 'map_structure', 'convert_to_list']


def convert_to_list(value, n, name, dtype=int):
    """`value` repeated n times, or the list itself when it has n entries; ValueError otherwise."""
    if isinstance(value, dtype):
        return [value] * n
    try:
        values = list(value)
    except TypeError:
        raise ValueError(f"The {name}'s type must be list or tuple. Received: {value}") from None
    if len(values) != n:
        raise ValueError(f"The {name}'s length must be {n}. Received: {value}")
    for item in values:
        if not isinstance(item, dtype):
            raise ValueError(f"The {name}'s type must be a list or tuple of {n} {dtype}. Received: {value}")
    return values
