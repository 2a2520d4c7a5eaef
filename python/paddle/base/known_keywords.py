# SPDX-License-Identifier: Apache-2.0
"""Calls in Python name the argument that an unknown keyword is close to, as functions of stanzas
do; Python itself does so from 3.13 on, for misspelt ones.
"""

from types import FunctionType

__all__ = ['KnownKeywords', 'problem']

_ANY = 8  # CO_VARKEYWORDS


def problem(function, keywords, first=0, others=(), owner=None):
    """The message of a TypeError for a keyword that the function, if it is a plain one, does not
    have, else None. first: the number of arguments that calls do not name, such as self; others:
    names that it also takes; owner: what the message calls it.
    """
    if type(function) is not FunctionType or function.__code__.co_flags & _ANY:
        return None
    code = function.__code__
    names = code.co_varnames[first : code.co_argcount + code.co_kwonlyargcount]
    for name in keywords:
        if name not in names:
            from paddle._suggest import unexpected

            return unexpected(owner or function.__qualname__, name, (*names, *others))
    return None


class KnownKeywords:
    """A base of classes that refuse keywords which `__init__` does not have."""

    __slots__ = ()

    def __new__(cls, *args, **keywords):
        if keywords:
            message = problem(cls.__init__, keywords, 1, (), f'{cls.__name__}.__init__')
            if message is not None:
                raise TypeError(message)
        if (args or keywords) and cls.__init__ is object.__init__:
            raise TypeError(
                f'[{cls.__name__}] expected no arguments, got {len(args) + len(keywords)}'
            )
        new = super().__new__
        return new(cls) if new is object.__new__ else new(cls, *args, **keywords)
