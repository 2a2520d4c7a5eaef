# SPDX-License-Identifier: Apache-2.0
"""More cases of stale_cases.py: what classes tell of themselves and their objects."""

import abc
import functools
import typing

from stale_cases import Case, Config, case


@case
def _class_that_is_registered():
    class Abstract(abc.ABC):
        pass

    holder = Config()
    return Case(
        lambda x: x * (2 if isinstance(holder, Abstract) else 3), lambda: Abstract.register(Config)
    )


@case
def _class_that_is_registered_as_a_subclass():
    class Abstract(abc.ABC):
        pass

    class Concrete:
        pass

    return Case(
        lambda x: x * (2 if issubclass(Concrete, (int, Abstract)) else 3),
        lambda: Abstract.register(Concrete),
    )


@case
def _protocol():
    @typing.runtime_checkable
    class Named(typing.Protocol):
        name: str

    holder = Config()
    return Case(
        lambda x: x * (2 if isinstance(holder, Named) else 3), lambda: setattr(holder, 'name', 'a')
    )


@case
def _class_of_python_that_tells_what_belongs_to_it():
    found = []

    class Meta(type):
        def __instancecheck__(cls, value):
            return bool(found)

    class Holder(metaclass=Meta):
        pass

    return Case(lambda x: x * (2 if isinstance(3, Holder) else 3), lambda: found.append(1))


@case
def _bases_of_a_class():
    class A:
        pass

    class B:
        pass

    class Heir(B):
        pass

    holder = Heir()
    return Case(
        lambda x: x * (2 if isinstance(holder, A) else 3), lambda: setattr(Heir, '__bases__', (A,))
    )


@case
def _slot_that_was_empty():
    class Holder:
        __slots__ = ('k',)

    holder = Holder()
    return Case(lambda x: x * getattr(holder, 'k', 2.0), lambda: setattr(holder, 'k', 3.0))


@case
def _slot_that_is_deleted():
    class Holder:
        __slots__ = ('k',)

    holder = Holder()
    holder.k = 2.0
    return Case(lambda x: x * getattr(holder, 'k', 3.0), lambda: delattr(holder, 'k'))


@case
def _function_that_single_dispatches():
    @functools.singledispatch
    def scale(value):
        return 2.0

    return Case(lambda x: x * scale(1), lambda: scale.register(int, lambda value: 3.0))
