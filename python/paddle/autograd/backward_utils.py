# SPDX-License-Identifier: Apache-2.0
"""Dictionaries and sets of values of programs. Values compare element by element, so these go by
which value it is."""

from collections.abc import MutableMapping, MutableSet

__all__ = ['ValueDict', 'ValueSet', 'ValueWrapper']


class ValueWrapper:
    """A value that is equal to itself alone.

    Args:
        value (Value or ValueWrapper): The value.

    Raises:
        TypeError: It is none.
    """

    def __init__(self, value):
        from paddle.base.libpaddle.pir import Value

        if isinstance(value, ValueWrapper):
            value = value._value
        if not isinstance(value, Value):
            raise TypeError(f'[ValueWrapper] expected a Value, got {type(value).__name__}')
        self._value = value

    def __hash__(self):
        return self._value.hash()

    def __eq__(self, other):
        return isinstance(other, ValueWrapper) and self._value.is_same(other._value)


class ValueDict(MutableMapping):
    """A dictionary whose keys are values of programs.

    Args:
        iter (dict or ValueDict, default None): What it holds at first.
        default_factory (callable, default None): Makes what `d[value]` is where nothing is held.

    Examples:
        >>> paddle.enable_static()
        >>> from paddle.autograd.backward_utils import ValueDict
        >>> with paddle.static.program_guard(paddle.static.Program()):
        ...     x = paddle.static.data("x", [2])
        ...     counts = ValueDict(default_factory=int)
        ...     counts[x] += 2
        >>> counts[x], x in counts, len(counts)
        (2, True, 1)
    """

    def __init__(self, iter=None, *, default_factory=None):
        self._items, self._default = {}, default_factory
        if iter is not None:
            self.update(iter)

    def copy(self):
        """Another one with the same content."""
        made = ValueDict(default_factory=self._default)
        made._items = dict(self._items)
        return made

    def get(self, key, default=None):
        """What is held for a value, or `default`: nothing is made."""
        return self._items.get(ValueWrapper(key), default)

    def pop(self, key, *default):
        """Take out what is held for a value. KeyError where nothing is and no default is given."""
        return self._items.pop(ValueWrapper(key), *default)

    def setdefault(self, key, default=None):
        """What is held for a value: `default` from now on where nothing was."""
        return self._items.setdefault(ValueWrapper(key), default)

    def __contains__(self, key):
        return ValueWrapper(key) in self._items

    def __getitem__(self, key):
        if self._default is not None and key not in self:
            self[key] = self._default()
        return self._items[ValueWrapper(key)]

    def __setitem__(self, key, value):
        self._items[ValueWrapper(key)] = value

    def __delitem__(self, key):
        del self._items[ValueWrapper(key)]

    def __iter__(self):
        return (key._value for key in self._items)

    def __len__(self):
        return len(self._items)

    def __repr__(self):
        return f'ValueDict({list(self.items())})'


class ValueSet(MutableSet):
    """A set of values of programs.

    Args:
        iter (list of Values, default None): What it holds at first.
    """

    def __init__(self, iter=None):
        self._items = {ValueWrapper(value): None for value in (() if iter is None else iter)}

    def copy(self):
        """Another one with the same content."""
        return ValueSet(self)

    def add(self, value):
        """Take a value in."""
        self._items[ValueWrapper(value)] = None

    def update(self, other):
        """Take values in."""
        for value in other:
            self.add(value)

    def pop(self):
        """Take a value out. KeyError where there is none."""
        return self._items.popitem()[0]._value

    def discard(self, value):
        """Take this value out if it is in."""
        self._items.pop(ValueWrapper(value), None)

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return (key._value for key in self._items)

    def __contains__(self, value):
        return ValueWrapper(value) in self._items

    def __repr__(self):
        return f'ValueSet({list(self)})'
