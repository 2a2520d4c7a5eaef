# SPDX-License-Identifier: Apache-2.0
"""What a program puts in the place of an operation of `paddle._C_ops` is what public functions and
methods of the operation's name call from then on, as in PaddlePaddle, whose functions look their
operation up at each call. Here they call it without looking, so they are replaced themselves.
"""

import importlib
import inspect

from paddle.base.libpaddle import Tensor, _functions

_PLACES = ('paddle', 'paddle.nn.functional', 'paddle.linalg')


class _Face:
    """A public function that calls `operation` in the place of the operation of its name."""

    def __init__(self, function, operation, declared):
        self.function, self.operation, self.declared = function, operation, declared
        self.signature = inspect.signature(function)

    def call(self, args, kwargs):
        try:
            given = self.signature.bind(*args, **kwargs).arguments
        except TypeError:  # by second names of arguments, or wrong
            return self.function(*args, **kwargs)
        call = []
        for parameter in self.declared.values():
            value = given.get(parameter.name, parameter.default)
            if value is None and parameter.default is not parameter.empty:
                value = parameter.default
            if value is parameter.empty or value is None:
                public = self.signature.parameters.get(parameter.name, parameter).default
                value = value if public is parameter.empty else public
            call.append(value)
        result, out = self.operation(*call), given.get('out')
        return result if out is None else importlib.import_module('paddle').assign(result, out)


def _made(function, operation, declared):
    face = _Face(function, operation, declared)

    def call(*args, **kwargs):
        return face.call(args, kwargs)

    call.__signature__, call.__wrapped__ = face.signature, function
    call.__name__, call.__module__, call.__doc__ = (
        function.__name__,
        function.__module__,
        function.__doc__,
    )
    return call


def _homes(name):
    """(holder, function) of the public functions of the operation's name."""
    for place in _PLACES:
        if name in _functions(place):
            yield importlib.import_module(place), _functions(place)[name]
    if name in _functions('paddle.Tensor'):
        yield Tensor, _functions('paddle.Tensor')[name]


def show(name, original, value):
    """Let public functions of the operation `name`, which was `original`, call `value`."""
    try:
        declared = inspect.signature(original).parameters
    except (TypeError, ValueError):
        return
    for holder, function in _homes(name):
        now = getattr(holder, name, None)
        if now is not function and getattr(now, '__wrapped__', None) is not function:
            continue  # the program has put something else there
        parameters = inspect.signature(function).parameters
        if all(p.name in parameters or p.default is not p.empty for p in declared.values()):
            setattr(
                holder, name, function if value is original else _made(function, value, declared)
            )
