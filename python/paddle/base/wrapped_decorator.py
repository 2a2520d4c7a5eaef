# SPDX-License-Identifier: Apache-2.0
"""Decorators that keep what a function says about itself."""

import contextlib
import functools

__all__ = ['wrap_decorator', 'signature_safe_contextmanager', 'copy_signature']


def wrap_decorator(decorator_func):
    """`decorator_func`, whose results keep the name, text and signature of the function they
    decorate.
    """

    def decorate(func):
        return functools.wraps(func)(decorator_func(func))

    return functools.wraps(decorator_func)(decorate)


signature_safe_contextmanager = contextlib.contextmanager


def copy_signature(source):
    """A decorator that gives a function the signature of `source`."""
    import inspect

    def decorate(func):
        func.__signature__ = inspect.signature(source)
        return func

    return decorate
