# SPDX-License-Identifier: Apache-2.0
"""What was made of code objects, kept as long as those live."""

import functools
import weakref


class CodeCache:
    """Values by (code object, key), the code object by identity. Values may not hold it."""

    def __init__(self):
        self._values = {}

    def get(self, code, key=None):
        """The value, or None."""
        found = self._values.get(id(code))
        return None if found is None else found[1].get(key)

    def put(self, code, key, value):
        """Keep the value; returns it."""
        at, values = id(code), self._values
        if at not in values:
            # Not a function in Python: what a signal's handler raises in one would be lost.
            gone = functools.partial(values.pop, at)  # the weak reference is the default
            values[at] = weakref.ref(code, gone), {}
        values[at][1][key] = value
        return value
