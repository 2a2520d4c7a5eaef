# SPDX-License-Identifier: Apache-2.0
"""A set in the order in which its items came."""

__all__ = ['OrderedSet']


class OrderedSet:
    """A set whose items stand in the order in which they were added."""

    def __init__(self, items=None):
        self._items = dict.fromkeys(items or ())

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)

    def __contains__(self, item):
        return item in self._items

    def __repr__(self):
        return f"OrderedSet({', '.join(map(str, self._items))})"

    def add(self, item):
        """Add an item."""
        self._items[item] = None

    def remove(self, item):
        """Take an item out; KeyError where it is not there."""
        del self._items[item]

    def update(self, items):
        """Add items."""
        self._items.update(dict.fromkeys(items))

    def __or__(self, other):
        return OrderedSet([*self, *other])

    def __ior__(self, other):
        self.update(other)
        return self

    def __and__(self, other):
        return OrderedSet(item for item in self if item in other)

    def __sub__(self, other):
        return OrderedSet(item for item in self if item not in other)
