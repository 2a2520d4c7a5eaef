# SPDX-License-Identifier: Apache-2.0
"""Calls in Python name the argument that an unknown keyword is close to, as functions of stanzas
do; Python itself does so from 3.13 on, for misspelt ones.
"""

import sys
from importlib.machinery import PathFinder, SourceFileLoader
from types import FunctionType

from .libpaddle import _with_second_names

__all__ = ['KnownKeywords', 'named', 'problem']

_ANY = 8  # CO_VARKEYWORDS

# Where functions on tensors, and those that programs call beside them, are at home.
_HOMES = (
    *('paddle.tensor.', 'paddle.nn.', 'paddle.io.', 'paddle.profiler.', 'paddle.flags'),
    *('paddle.linalg', 'paddle.fft', 'paddle.signal', 'paddle.sparse', 'paddle.geometric.'),
    *('paddle.audio.', 'paddle.text.', 'paddle.vision.', 'paddle.static.', 'paddle.amp'),
    *('paddle.incubate.nn.functional.', 'paddle.incubate.operators', 'paddle.incubate.autograd.'),
    *('paddle.autograd.', 'paddle.distribution.', 'paddle.distributed.communication.'),
    *('paddle.framework.', 'paddle.base.dygraph.', 'paddle.device', 'paddle.hapi.', 'paddle.hub'),
    'paddle.metric.',
)


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


def named(value):
    """A plain function as one that names the argument which an unknown keyword may mean; anything
    else as it is.
    """
    if type(value) is FunctionType and not value.__code__.co_flags & _ANY:
        return _with_second_names(value, {})
    return value


class _Loader(SourceFileLoader):
    """Loads a module whose public functions are `named`, for its own code too."""

    def exec_module(self, module):
        super().exec_module(module)
        scope, made = vars(module), {}  # one function may have several names
        for name, value in list(scope.items()):
            if name[0] != '_' and getattr(value, '__module__', None) == module.__name__:
                scope[name] = made.setdefault(id(value), named(value))


class _Finder:
    """Finds the modules of `_HOMES`."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if not name.startswith(_HOMES):
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(name, spec.origin)
        return spec


sys.meta_path.insert(0, _Finder)


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
