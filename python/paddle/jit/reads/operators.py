# SPDX-License-Identifier: Apache-2.0
"""Operators in rewritten code: methods that classes define in Python are called through the
session, other operands are used as they are.
"""

import operator
import types

from . import tables
from .places import ABSENT

# Name of the node: function, method, reflected method, function that may change its operand.
_ARITHMETIC = {
    'Add': 'add',
    'Sub': 'sub',
    'Mult': 'mul',
    'MatMult': 'matmul',
    'Div': 'truediv',
    'FloorDiv': 'floordiv',
    'Mod': 'mod',
    'Pow': 'pow',
    'LShift': 'lshift',
    'RShift': 'rshift',
    'BitAnd': 'and_',
    'BitOr': 'or_',
    'BitXor': 'xor',
}
_COMPARISONS = {
    'Eq': ('eq', 'eq'),
    'NotEq': ('ne', 'ne'),
    'Lt': ('lt', 'gt'),
    'Gt': ('gt', 'lt'),
    'LtE': ('le', 'ge'),
    'GtE': ('ge', 'le'),
}
_BINARY = {
    name: (getattr(operator, f), f'__{f.rstrip("_")}__', f'__r{f.rstrip("_")}__')
    for name, f in _ARITHMETIC.items()
}
_BINARY.update(
    (name, (getattr(operator, f), f'__{f}__', f'__{r}__')) for name, (f, r) in _COMPARISONS.items()
)
_INPLACE = {
    name: (getattr(operator, 'i' + f.rstrip('_')), f'__i{f.rstrip("_")}__')
    for name, f in _ARITHMETIC.items()
}
_UNARY = {
    'USub': (operator.neg, '__neg__'),
    'UAdd': (operator.pos, '__pos__'),
    'Invert': (operator.invert, '__invert__'),
}


class Operators:
    """The operators of a session."""

    def binary(self, name, a, b):
        """a + b and the like, and comparisons of two values."""
        run, method, reflected = _BINARY[name]
        kind, other = type(a), type(b)
        if self.done or (kind in tables.VALUES and other in tables.VALUES):
            return run(a, b)
        own, theirs = self.look(kind, method), self.look(other, reflected)
        if not (type(own) is types.FunctionType or type(theirs) is types.FunctionType):
            if name == 'NotEq' and own is object.__ne__:
                own = self.look(kind, '__eq__')
                if type(own) is types.FunctionType:
                    return self._unequal(own, a, b)
            self.use(a)
            self.use(b)
            result = run(a, b)
            self.lost()
            return self.made(result) if isinstance(result, (list, dict, set)) else result
        tries = [(own, a, b), (theirs, b, a)]
        if other is kind and name in _ARITHMETIC:
            del tries[1]
        elif other is not kind and issubclass(other, kind):
            if theirs is not self.look(kind, reflected):
                tries.reverse()
        for method, first, second in tries:
            result = self._try(method, first, second)
            if result is not NotImplemented:
                return result
        if name in ('Eq', 'NotEq'):
            return (a is b) == (name == 'Eq')
        return run(a, b)  # raises

    def _try(self, method, first, second):
        if method is ABSENT:
            return NotImplemented
        if type(method) is types.FunctionType:
            return self.call(method, first, second)
        self.use(first)
        self.use(second)
        return method(first, second)

    def _unequal(self, equal, a, b):
        result = self.call(equal, a, b)
        return a is not b if result is NotImplemented else not self.test(result)

    def inplace(self, name, a, b):
        """What a is after a += b and the like."""
        run, method = _INPLACE[name]
        kind = type(a)
        if self.done or (kind in tables.VALUES and type(b) in tables.VALUES):
            return run(a, b)
        own = self.look(kind, method)
        if type(own) is types.FunctionType:
            result = self.call(own, a, b)
            return self.binary(name, a, b) if result is NotImplemented else result
        if own is ABSENT:
            return self.binary(name, a, b)
        self.use(a)
        self.use(b)
        return run(a, b)

    def unary(self, name, a):
        """-a and the like."""
        run, method = _UNARY[name]
        if not self.done and type(a) not in tables.VALUES:
            own = self.look(type(a), method)
            if type(own) is types.FunctionType:
                return self.call(own, a)
            self.use(a)
        return run(a)
