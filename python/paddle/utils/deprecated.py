# SPDX-License-Identifier: Apache-2.0
"""Decorator of interfaces that will go."""

import functools
import warnings

__all__ = ['deprecated', 'VisibleDeprecationWarning']


class VisibleDeprecationWarning(UserWarning):
    """A deprecation that users should see."""


def deprecated(update_to='', since='', reason='', level=0):
    """A decorator of functions that will go.

    Args:
        update_to (str, default ''): What to use instead.
        since (str, default ''): Since which version.
        reason (str, default ''): Why.
        level (int, default 0): 0 only changes the documentation, 1 warns at each call, 2 raises
            RuntimeError.

    Returns:
        callable: the decorator.

    Examples:
        >>> @paddle.utils.deprecated(update_to="new", since="3.0", level=2)
        ... def old():
        ...     return 1
        >>> try:
        ...     old()
        ... except RuntimeError as error:
        ...     print("use new" in str(error))
        True
    """

    def decorate(func):
        message = f'[{func.__module__}.{func.__name__}] is deprecated'
        if since:
            message += f' since {since}'
        if update_to:
            message += f': use {update_to}'
        if reason:
            message += f' ({reason})'
        note = '\n\nWarning:\n    ' + message.replace('\n', '\n    ') + '\n\n'
        if level == 0:
            func.__doc__ = note + (func.__doc__ or '')
            return func

        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            if level > 1:
                raise RuntimeError(message)
            warnings.warn(message, category=VisibleDeprecationWarning, stacklevel=2)
            return func(*args, **kwargs)

        import inspect

        wrapper.__doc__ = note + inspect.cleandoc(func.__doc__ or '')
        return wrapper

    return decorate


def moved(function, module, since):
    """`function` as the module of this name still has it: a call says where it is now."""
    new = f'{function.__module__.rsplit(".", 1)[0]}.{function.__name__}'

    @functools.wraps(function, assigned=('__name__', '__qualname__', '__doc__'))
    def called(*args, **kwargs):
        return function(*args, **kwargs)

    called.__module__ = module
    if isinstance(function, type):
        note = f'Returns:\n        {function.__name__}: an object of the class.\n\n    Examples:'
        called.__doc__ = (function.__doc__ or '').replace('Examples:', note, 1)
    return deprecated(new, since, level=1)(called)
