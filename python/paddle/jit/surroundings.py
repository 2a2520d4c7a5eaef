# SPDX-License-Identifier: Apache-2.0
"""Which Python values a function depends on beside its arguments, and whether they are still the
same.
"""

import collections
import functools
import types

import paddle
from paddle.base import libpaddle as _core

_SIMPLE = (int, float, str, bytes, bool, complex, type(None))
_CONTAINERS = (list, dict, set, collections.deque)
ABSENT = object()
LAYER_TABLES = (
    '_parameters',
    '_buffers',
    '_sub_layers',
    '_forward_pre_hooks',
    '_forward_post_hooks',
)
LAYER_STATE = {
    '_full_name',
    '_loaddict_holder',
    '_built',
    '_helper',
    '_op_recorder',
    '_customized_attrs',
}


def _is_simple(value, levels=16):
    if isinstance(value, _SIMPLE):
        return True
    if type(value) in (tuple, list):
        return len(value) <= 64 and levels > 0 and all(_is_simple(v, levels - 1) for v in value)
    return False


def _of_package(module):
    return isinstance(module, str) and (module == 'paddle' or module.startswith('paddle.'))


class Surroundings:
    """The values a function reads beside its arguments: of its layers, closure and module."""

    def __init__(self, function, instance, arguments):
        self.tables, self.layers, self._seen, self._sizes = [], [], set(), []
        if instance is not None:
            self._object(instance)
        self._callable(function)
        for value in arguments:
            if isinstance(value, paddle.nn.Layer):
                self._layer(value)

    def _first(self, value):
        if id(value) in self._seen:
            return False
        self._seen.add(id(value))
        return True

    def _container(self, value):
        if isinstance(value, _CONTAINERS):
            self._sizes.append((value, len(value)))

    def _value(self, value):
        """Whether `value` is worth a guard in the place that holds it; follows layers and
        functions.
        """
        self._container(value)
        if isinstance(value, paddle.nn.Layer):
            self._layer(value)
        elif type(value) is types.FunctionType or isinstance(
            value, (types.MethodType, functools.partial)
        ):
            self._callable(value)
        elif not (_is_simple(value) or isinstance(value, _core.Tensor)):
            return False
        return True

    def _layer(self, layer):
        for one in layer.sublayers(include_self=True):
            if not self._first(one):
                continue
            self.layers.append(one)
            d = one.__dict__
            for value in d.values():
                self._container(value)
            simple = {k: v for k, v in d.items() if k not in LAYER_STATE and _is_simple(v)}
            absent = ['training', 'forward', *_class_values(type(one))]
            self.tables.append((d, simple, [k for k in absent if k not in d], -1))
            for name in LAYER_TABLES:
                members = d.get(name)
                if members is not None:
                    self.tables.append((members, dict(members), [], len(members)))
            if not _of_package(type(one).__module__):
                self._callable(getattr(type(one), 'forward', None))

    def _object(self, instance):
        if isinstance(instance, paddle.nn.Layer):
            self._layer(instance)
        elif isinstance(getattr(instance, '__dict__', None), dict) and self._first(instance):
            d = instance.__dict__
            held = {k: v for k, v in d.items() if not k.startswith('__') and self._value(v)}
            self.tables.append(
                (d, held, [k for k in _class_values(type(instance)) if k not in d], -1)
            )

    def _callable(self, function):
        while True:
            if isinstance(function, functools.partial):
                for value in (*function.args, *function.keywords.values()):
                    self._value(value)
                function = function.func
            elif isinstance(function, types.MethodType):
                self._object(function.__self__)
                function = function.__func__
            elif isinstance(
                getattr(function, '_dygraph_function', None), (types.FunctionType, types.MethodType)
            ):
                function = function._dygraph_function
            else:
                break
        if (
            type(function) is not types.FunctionType
            or _of_package(function.__module__)
            or not self._first(function)
        ):
            return
        for cell in function.__closure__ or ():
            try:
                value = cell.cell_contents
            except ValueError:
                continue
            if self._value(value):
                self.tables.append((cell, value))
        used, codes = set(), [function.__code__]
        while codes:
            code = codes.pop()
            used.update(code.co_names)
            codes.extend(c for c in code.co_consts if isinstance(c, types.CodeType))
        names = {n: function.__globals__[n] for n in used if n in function.__globals__}
        held = {n: v for n, v in names.items() if self._value(v)}
        if held:
            self.tables.append((function.__globals__, held, [], -1))

    def changed(self):
        """Places whose simple values are not what they were, and containers that grew or shrank:
        [(id, key)].
        """
        found = [(id(container), None) for container, size in self._sizes if len(container) != size]
        for table in self.tables:
            if isinstance(table[0], types.CellType):
                if _is_simple(table[1]) and not _equal(table[0].cell_contents, table[1]):
                    found.append((id(table[0]), None))
                continue
            for key, value in table[1].items():
                if _is_simple(value) and not _equal(table[0].get(key, ABSENT), value):
                    found.append((id(table[0]), key))
            found.extend(
                (id(table[0]), key) for key in table[2] if _is_simple(table[0].get(key, ABSENT))
            )
        return found

    def without(self, places):
        """The description for the core, leaving these places out."""
        places, result = set(places), []
        for table in self.tables:
            if isinstance(table[0], types.CellType):
                if (id(table[0]), None) not in places:
                    result.append(table)
            else:
                kept = {k: v for k, v in table[1].items() if (id(table[0]), k) not in places}
                dropped = any(home == id(table[0]) for home, _ in places)
                absent = [k for k in table[2] if (id(table[0]), k) not in places]
                result.append((table[0], kept, absent, -1 if dropped else table[3]))
        return result


def _class_values(kind):
    """Names of simple values that instances find in their class until they have their own."""
    return [
        k
        for c in kind.__mro__
        if c is not object and not _of_package(c.__module__)
        for k, v in vars(c).items()
        if not k.startswith('__') and _is_simple(v)
    ]


def alike(a, b):
    return _is_simple(a) and _is_simple(b) and _equal(a, b)


def _equal(a, b):
    return type(a) is type(b) and (a is b or repr(a) == repr(b))
