# SPDX-License-Identifier: Apache-2.0
"""Documentation that several functions or classes share is written once."""

import re
import textwrap

__all__ = ['shares']

_ARGS = re.compile(r'^( *)Args:\n((?:\1 +.*\n|\n)*)', re.M)
_ENTRY = re.compile(r'^(\w+) \(.*?(?=^\w|\Z)', re.M | re.S)
_PLACE = re.compile(r'^( *)\{(\w+(?:, \w+)*)\}$', re.M)


def _entries(source):
    """{argument: its lines} of a text of entries, or of the `Args:` of what is documented."""
    if not isinstance(source, str):
        found = _ARGS.search(source.__doc__ or '')
        source = found[2] if found else ''
    text = textwrap.dedent(source)
    return {entry[1]: entry[0].rstrip().split('\n') for entry in _ENTRY.finditer(text)}


def shares(*sources):
    """Decorator: a line `{a, b}` of the documentation stands for the entries of the arguments a and
    b in `sources`: texts of entries, or functions and classes whose `Args:` have them.
    """

    def decorate(target):
        if target.__doc__:  # None under -OO
            entries = {}
            for source in sources:
                entries.update(_entries(source))

            def written(place):
                names = place[2].split(', ')
                return '\n'.join(place[1] + line for name in names for line in entries[name])

            target.__doc__ = _PLACE.sub(written, target.__doc__)
        return target

    return decorate
