# SPDX-License-Identifier: Apache-2.0
"""Names of PyTorch that a class has not. They cost nothing until somebody asks for one, which a
`__getattr__` of the class would not do: every look-up would be slower.
"""

__all__ = ['Absent', 'shows']


class Absent:
    """In a class in place of a name that it has not: who asks is told what stands for it. `family`
    is whose words those are.
    """

    __slots__ = ('name', 'family')

    def __init__(self, name, family):
        self.name, self.family = name, family

    def __get__(self, obj, owner):
        from paddle._suggest import UnknownName

        what = f'type object {owner.__name__!r}' if obj is None else f'{owner.__name__!r} object'
        raise UnknownName(f'{what} has no attribute {self.name!r}', owner, self.name, self.family)


def shows(absent):
    """`__dir__` of a class without the names that `Absent` stands in place of."""
    return lambda self: [name for name in object.__dir__(self) if name not in absent]
