# SPDX-License-Identifier: Apache-2.0
"""Keyword aliases: lets constructors be called with PyTorch's argument names as well."""

from paddle.base.arguments import second_names


def aliases(**names):
    """Class decorator: `aliases(dim='axis')` makes `C(dim=1)` mean `C(axis=1)`."""

    def decorate(cls):
        cls.__init__ = second_names(**names)(cls.__init__)
        return cls

    return decorate


def reads(attribute):
    """A property that reads and writes another attribute."""

    def get(self):
        return getattr(self, attribute)

    def put(self, value):
        setattr(self, attribute, value)

    return property(get, put)
