# SPDX-License-Identifier: Apache-2.0
"""Names close to one that is unknown, for messages. Imported where an error is raised."""

import difflib

# What PyTorch calls by a name that spelling does not lead from.
_ATTRIBUTES = {
    'paddle.cuda': 'paddle.device.cuda',
    'paddle.distributions': 'paddle.distribution',
    'paddle.optim': 'paddle.optimizer',
    'paddle.optim.lr_scheduler': 'paddle.optimizer.lr',
    'paddle.optimizer.lr_scheduler': 'paddle.optimizer.lr',
    'paddle.utils.data': 'paddle.io',
}
_KEYWORDS = {
    'dim': ('axis', 'perm'),
    'dims': ('axis', 'perm', 'repeat_times'),
    'keepdims': ('keepdim',),
    'input': ('x',),
    'tensors': ('x',),
    'other': ('y',),
    'target': ('label',),
    'size': ('shape',),
    'eps': ('epsilon',),
    'lr': ('learning_rate',),
    'params': ('parameters',),
}


def close(name, known):
    """The names of `known` that one may have meant, best first."""
    known = [other for other in known if isinstance(other, str)]
    if not name.startswith('_'):
        known = [other for other in known if not other.startswith('_')]
    same = [other for other in known if other.lower() == name.lower()]
    return same or difflib.get_close_matches(name, known, 2)


def _asked(names):
    return f"; did you mean {' or '.join(map(repr, names))}?" if names else ''


class UnknownName(AttributeError):
    """No such attribute; tracebacks call it AttributeError. What the message suggests is looked for
    when the message is read: programs that only ask whether a name is there do not wait for it."""

    __module__, __qualname__ = 'builtins', 'AttributeError'

    def __init__(self, message, owner, name, path=''):
        super().__init__(message)
        self._owner, self._name, self._path = owner, name, path

    def __str__(self):
        return super().__str__() + self._suggestion()

    def _suggestion(self):
        known = _ATTRIBUTES.get(f'{self._path}.{self._name}')
        return _asked([known] if known else close(self._name, dir(self._owner)))

    def __reduce__(self):
        return AttributeError, (str(self),)


def unexpected(function, name, known):
    """The message of a TypeError: a function has no argument of that name."""
    known = list(known)
    meant = [other for other in _KEYWORDS.get(name, ()) if other in known] or close(name, known)
    text = f'{function}() got an unexpected keyword argument {name!r}'
    return text + (_asked(meant[:1]) or (f'; expected {", ".join(known)}' if known else ''))
