# SPDX-License-Identifier: Apache-2.0
"""Nested lists, tuples and dicts: flatten, rebuild, map."""

__all__ = ['flatten', 'pack_sequence_as', 'map_structure']


def _is_nested(value):
    return isinstance(value, (list, tuple, dict))


def flatten(nest):
    """The leaves in order; dicts go by sorted key. A leaf gives a list of one."""
    if isinstance(nest, dict):
        return [leaf for key in sorted(nest) for leaf in flatten(nest[key])]
    if _is_nested(nest):
        return [leaf for item in nest for leaf in flatten(item)]
    return [nest]


def _rebuild(structure, leaves):
    if isinstance(structure, dict):
        made = {key: _rebuild(structure[key], leaves) for key in sorted(structure)}
        return type(structure)((key, made[key]) for key in structure)
    if isinstance(structure, tuple) and hasattr(structure, '_fields'):
        return type(structure)(*[_rebuild(item, leaves) for item in structure])
    if _is_nested(structure):
        return type(structure)(_rebuild(item, leaves) for item in structure)
    return next(leaves)


def pack_sequence_as(structure, flat_sequence):
    """Put the leaves of `flat_sequence` in the form of `structure`; ValueError when the counts
    differ.
    """
    count = len(flatten(structure))
    if count != len(flat_sequence):
        raise ValueError(
            f"[pack_sequence_as] expected {count} elements, as many as structure has, got "
            f"{len(flat_sequence)}"
        )
    return _rebuild(structure, iter(flat_sequence))


def map_structure(func, *structure):
    """Apply `func` to matching leaves of the structures."""
    columns = [flatten(s) for s in structure]
    if any(len(c) != len(columns[0]) for c in columns):
        raise ValueError(
            "[map_structure] expected structures of as many elements, got "
            f"{[len(c) for c in columns]}"
        )
    return pack_sequence_as(structure[0], [func(*leaves) for leaves in zip(*columns)])
