# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments, and their words. A value that has a meaning elsewhere and none here is
refused, never dropped.
"""

import functools
import operator
import os

from .known_keywords import named, problem
from .libpaddle import Tensor, _with_second_names

__all__ = [
    'any_of',
    'as_float',
    'check_memory',
    'integer',
    'items',
    'iterations',
    'keywords',
    'kinds',
    'layer_count',
    'mode_of',
    'only',
    'second_names',
    'to_array',
    'torch_form',
    'unknown_keyword',
    'write_out',
]

_MOST_ITERATIONS = 1 << 16


def any_of(values, text=repr):
    """The values in words: `'a', 'b' or 'c'`."""
    words = [text(value) for value in values]
    return ' or '.join([', '.join(words[:-1])] * (len(words) > 1) + words[-1:])


def kinds(types):
    """The names of a class or of several in words."""
    return any_of(types if isinstance(types, (list, tuple)) else [types], lambda t: t.__name__)


def mode_of(op, mode, allowed):
    """`mode` in lower case; AssertionError unless it is one of `allowed`."""
    if mode.lower() not in allowed:
        raise AssertionError(f"[{op}] expected mode {any_of(allowed)}, got {mode!r}")
    return mode.lower()


def only(op, why, **arguments):
    """NotImplementedError unless each argument, `name=(value, served, ...)`, has one of the values
    this build serves.
    """
    for name, (value, *served) in arguments.items():
        if not any(value is one or (type(value) is type(one) and value == one) for one in served):
            raise NotImplementedError(f"[{op}] expected {name}={served[0]!r}, got {value!r}: {why}")


def keywords(op, given, *known):
    """TypeError for a keyword of `given` that is not known."""
    for name in given:
        if name not in known:
            from paddle._suggest import unexpected

            raise TypeError(unexpected(op, name, known))


def second_names(**names):
    """Decorator: `second_names(dim='axis')` lets `f(dim=1)` mean `f(axis=1)`."""
    return lambda function: _with_second_names(function, names)


def unknown_keyword(function, keywords, names, first):
    """What a TypeError says of a keyword that the function with second names (`names`: a second
    one, its first one, ...) does not have; None where it has them all. first: the call's first
    argument by position, or None.
    """
    made = function.__name__ == '__init__' and first is not None
    owner = f'{type(first).__name__}.__init__' if made else None
    return problem(function, keywords, bool(made), names[::2], owner)


def torch_form(other):
    """Decorator: a call in PyTorch's form, which names `dim` or has an integer where the tensor of
    positions stands, calls `other`.
    """

    def decorate(function):
        function = named(function)

        @functools.wraps(function)
        def call(*args, **kwargs):
            if 'dim' in kwargs or len(args) > 1 and type(args[1]) is int:
                return other(*args, **kwargs)
            return function(*args, **kwargs)

        return call

    return decorate


def items(op, name, value):
    """The items of a list, tuple or other iterable as a list, with room for those there are: a
    length that is claimed is not believed.

    TypeError for what has no items.
    """
    if type(value) in (list, tuple):
        return list(value)
    try:
        each = iter(value)
    except TypeError:
        raise TypeError(
            f"[{op}] expected {name} to be a list or tuple, got {type(value).__name__}"
        ) from None
    return [item for item in each]  # list() makes room for the claimed length first


def integer(op, name, value):
    """The value as an int; TypeError for what is none."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(
            f"[{op}] expected {name} to be an integer, got {type(value).__name__}"
        ) from None


def instance(op, name, value, kind, words):
    """The value; TypeError unless it is of a kind, a type or several, which `words` describe."""
    if not isinstance(value, kind):
        raise TypeError(f"[{op}] expected {name} to be {words}, got {type(value).__name__}")
    return value


def as_float(op, name, value):
    """The value as a float; ValueError for text that is no number."""
    try:
        return float(value)
    except ValueError:
        if not isinstance(value, str):
            raise
        raise ValueError(f"[{op}] expected {name} to be a number, got {value!r}") from None


def iterations(op, name, value, least=0):
    """The value as a number of steps of a method that converges. ValueError for more than any
    needs: they would be made one by one.
    """
    count = integer(op, name, value)
    if not least <= count <= _MOST_ITERATIONS:
        raise ValueError(f'[{op}] expected {name} from {least} to {_MOST_ITERATIONS}, got {count}')
    return count


def layer_count(op, name, value):
    """The value as a number of layers to make. MemoryError where the memory of the machine could
    not hold so many, at 4 KiB a layer.
    """
    count = integer(op, name, value)
    check_memory(op, f'{name} layers', count, count * 4096)
    return count


def check_memory(op, what, got, needed):
    """MemoryError where `what` takes more bytes than the machine has memory; `got`: the argument
    that asks for so many.
    """
    if needed > os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE'):
        raise MemoryError(
            f'[{op}] expected {what} that fit in memory, got {got}: they would allocate '
            f'{needed} bytes'
        )


def to_array(op, name, value, dtype=None):
    """The value as a NumPy array. MemoryError in words for an object that claims more items than
    memory holds.
    """
    import numpy  # loaded when a value is converted: paddle itself starts without it

    try:
        return numpy.asarray(value, dtype)
    except MemoryError as error:
        raise MemoryError(
            f"[{op}] expected {name} to fit in memory: "
            f"{str(error) or 'Unable to allocate its items'}"
        ) from None


def write_out(result, out):
    """The result, or `out` where it is given, which holds the result now."""
    if out is None:
        return result
    if not isinstance(out, Tensor):
        raise TypeError(f'[out] expected a Tensor, got {type(out).__name__}')
    out._rebind(result)
    return out
