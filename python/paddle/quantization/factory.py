# SPDX-License-Identifier: Apache-2.0
"""Factories: a class of quanters with the arguments of those that a model gets."""

import abc
import sys

__all__ = ['ObserverFactory', 'QuanterFactory', 'quanter']


class ClassWithArguments(metaclass=abc.ABCMeta):
    """Arguments for objects of a class that a subclass names."""

    def __init__(self, *args, **kwargs):
        self._args, self._kwargs = args, kwargs

    @property
    def args(self):
        """Those without a name."""
        return self._args

    @property
    def kwargs(self):
        """Those with one."""
        return self._kwargs

    @abc.abstractmethod
    def _get_class(self):
        """The class of the objects."""

    def __str__(self):
        words = [*map(str, self.args), *(f'{key}={value}' for key, value in self.kwargs.items())]
        return f'{type(self).__name__}({",".join(words)})'

    __repr__ = __str__


class QuanterFactory(ClassWithArguments):
    """Makes a quanter for each layer."""

    def _instance(self, layer):
        return self._get_class()(layer, *self.args, **self.kwargs)


ObserverFactory = QuanterFactory


def quanter(class_name):
    """A decorator of a quanter class: a factory of its quanters with the name `class_name` comes
    into the module of the class.
    """

    def decorate(target):
        factory = type(
            class_name,
            (QuanterFactory,),
            {
                '_get_class': lambda self: target,
                '__module__': target.__module__,
                '__doc__': target.__doc__,
            },
        )
        module = sys.modules[target.__module__]
        setattr(module, class_name, factory)
        if hasattr(module, '__all__'):
            module.__all__.append(class_name)
        return target

    return decorate
