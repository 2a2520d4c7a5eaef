# SPDX-License-Identifier: Apache-2.0
"""Helpers that layers share, under the name programs import them by."""

from paddle.base.arguments import kinds

from .structure import flatten, map_structure, pack_sequence_as

__all__ = [
    'flatten',
    'pack_sequence_as',
    'map_structure',
    'convert_to_list',
    'is_sequence',
    'to_sequence',
    'assert_same_structure',
    'is_same_shape',
]


def convert_to_list(value, n, name, dtype=int):
    """`value` repeated n times, or the list itself when it has n entries; ValueError otherwise."""
    if isinstance(value, dtype):
        return [value] * n
    try:
        values = list(value)
    except TypeError:
        raise ValueError(
            f"[convert_to_list] expected {name} to be a list or tuple, got {type(value).__name__}"
        ) from None
    if len(values) != n:
        raise ValueError(f"[convert_to_list] expected {n} values in {name}, got {value!r}")
    for item in values:
        if not isinstance(item, dtype):
            raise ValueError(
                f"[convert_to_list] expected {name} to hold {kinds(dtype)}, got {value!r}"
            )
    return values


def is_sequence(seq):
    """Whether a value has parts: a dict, or a sequence that is no text."""
    import collections.abc

    return isinstance(seq, (dict, collections.abc.Sequence)) and not isinstance(seq, str)


def to_sequence(nest):
    """The value itself when it is a sequence, else a list of it."""
    return nest if is_sequence(nest) else [nest]


def is_same_shape(shape1, shape2):
    """Whether two shapes have the same extents."""
    return list(shape1) == list(shape2)


def assert_same_structure(nest1, nest2, check_types=True, skip_if=None):
    """ValueError unless two values nest alike: as many leaves, parts and keys at each place.
    TypeError for containers of different types, if `check_types`. Pairs of parts for which
    `skip_if(a, b)` holds may differ."""
    ours, theirs = (len(flatten(n)) if is_sequence(n) else 1 for n in (nest1, nest2))
    if ours != theirs and skip_if is None:
        raise ValueError(
            f"[assert_same_structure] expected structures of as many elements, got {ours} and "
            f"{theirs}: {nest1} and {nest2}"
        )
    _assert_same(nest1, nest2, check_types, skip_if)


def _assert_same(a, b, check_types, skip_if):
    if skip_if is not None and skip_if(a, b):
        return
    if is_sequence(a) != is_sequence(b):
        raise ValueError(f"[assert_same_structure] expected one structure, got {a} and {b}")
    if not is_sequence(a):
        return
    if check_types and type(a) is not type(b):
        raise TypeError(
            f"[assert_same_structure] expected one type, got {type(a).__name__} and "
            f"{type(b).__name__}"
        )
    if isinstance(a, dict) and isinstance(b, dict):
        if set(a) != set(b):
            raise ValueError(
                f"[assert_same_structure] expected dicts of the same keys, got {list(a)} and "
                f"{list(b)}"
            )
        a, b = [a[k] for k in a], [b[k] for k in a]
    if len(a) != len(b):
        raise ValueError(
            f"[assert_same_structure] expected sequences of one length, got {a} and {b}"
        )
    for one, other in zip(a, b):
        _assert_same(one, other, check_types, skip_if)
