# SPDX-License-Identifier: Apache-2.0
"""Keyword aliases: lets constructors be called with PyTorch's argument names as well."""

import functools


def aliases(**names):
    """Class decorator: `aliases(dim='axis')` makes `C(dim=1)` mean `C(axis=1)`."""

    def decorate(cls):
        plain = cls.__init__

        @functools.wraps(plain)
        def init(self, *args, **kwargs):
            for alias in names.keys() & kwargs.keys():
                if names[alias] in kwargs:
                    raise ValueError(
                        f"[{cls.__name__}] expected one of '{names[alias]}' and '{alias}', got both"
                    )
                kwargs[names[alias]] = kwargs.pop(alias)
            plain(self, *args, **kwargs)

        cls.__init__ = init
        return cls

    return decorate


def reads(attribute):
    """A property that reads and writes another attribute."""

    def get(self):
        return getattr(self, attribute)

    def put(self, value):
        setattr(self, attribute, value)

    return property(get, put)
