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
    """A decorator of a quanter class: it makes a factory of its quanters.

    The factory has the arguments that the class takes behind the layer, and comes into the module
    of the class.

    Args:
        class_name (str): The name of the factory.

    Returns:
        callable: the decorator, which returns the class.

    Examples:
        >>> import sys, types
        >>> __name__ = "my_quanters"
        >>> sys.modules[__name__] = types.ModuleType(__name__)
        >>> from paddle.quantization import BaseQuanter, quanter
        >>> @quanter("Halver")
        ... class HalverLayer(BaseQuanter):
        ...     def __init__(self, layer, bits=8):
        ...         super().__init__()
        ...         self.bits = bits
        ...     def forward(self, input):
        ...         return input / 2
        ...     def scales(self):
        ...         return None
        ...     def zero_points(self):
        ...         return None
        ...     def quant_axis(self):
        ...         return -1
        ...     def bit_length(self):
        ...         return self.bits
        >>> sys.modules["my_quanters"].Halver(bits=4)
        Halver(bits=4)
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
