# SPDX-License-Identifier: Apache-2.0
"""Calls made by rewritten code: of Python functions in rewritten form, of others as the tables
know them.
"""

import abc
import collections
import functools
import operator
import sys
import types
import warnings
import weakref

import numpy

from paddle.base import libpaddle as _core

from . import tables
from .places import ABSENT, depth_of_caller, levels_of_log
from .rewrite import GLOBALS, SESSION, Refused, rewritten

_METHODS = (
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.WrapperDescriptorType,
)
_NONE = object()
_COLLECTIONS = (list, dict, set, frozenset, tuple, numpy.ndarray)
_UNION = getattr(types, 'UnionType', ())


def _is_simple(value):
    kind = type(value)
    if kind in tables.VALUES or _core._is_tensor(value):
        return True
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return True
    if kind in (list, tuple):
        return all(map(_is_simple, value))
    if kind is dict:
        return all(map(_is_simple, value.values()))
    known = value if isinstance(value, type) else kind
    return tables.is_frozen(known) or known in tables.PLAIN or tables.is_trusted_class(known)


class Calls:
    """The calls of a session."""

    def call(self, /, *args, **kwargs):
        """function(*args, **kwargs) for (function, *args)."""
        function, *args = args
        if self.done:
            return function(*args, **kwargs)
        kind = type(function)
        if kind is tables.OP:
            for value in args:
                self.use(value)
            for value in kwargs.values():
                self.use(value)
            return self._result(function(*args, **kwargs), args)
        if kind is types.FunctionType:
            if function in tables.PURE_OF_NUMPY:
                return self._of_numpy(function, args, kwargs)
            return self._function(function, args, kwargs)
        if kind is types.MethodType:
            return self.call(function.__func__, function.__self__, *args, **kwargs)
        if kind is tables.FRONTED:
            return self.call(function.__wrapped__, *args, **function._first_names(kwargs))
        if isinstance(function, types.BuiltinFunctionType):
            return self._builtin(function, args, kwargs)
        if isinstance(function, type):
            return self._construct(function, args, kwargs)
        if kind in _METHODS and args:
            return self._method(
                function.__objclass__, function.__name__, args[0], args[1:], kwargs, function
            )
        if kind is types.MethodWrapperType:
            return self._slot_call(function, args, kwargs)
        if kind is functools.partial:
            self.attribute_of(function, 'args', function.args)
            self.mapping(function.keywords)
            return self.call(
                function.func, *function.args, *args, **{**function.keywords, **kwargs}
            )
        if isinstance(function, _core.RecordedCalls):
            return self.call(function._dygraph_function, *args, **kwargs)
        method = self.look(kind, '__call__')
        if type(method) in (types.FunctionType, tables.FRONTED):
            self.class_of(function)
            return self.call(method, function, *args, **kwargs)
        if tables.is_of_numpy(function):
            return self._of_numpy(function, args, kwargs)
        if kind in (staticmethod, classmethod):
            return self.call(function.__func__, *args, **kwargs)
        if kind in (operator.itemgetter, operator.attrgetter) and len(args) == 1:
            return self._getter(kind, function, args[0])
        self.stop(f'a call of a {kind.__name__}')
        return function(*args, **kwargs)

    def _getter(self, kind, function, value):
        """operator.itemgetter(...)(value) or operator.attrgetter(...)(value)"""
        found = []
        for name in function.__reduce__()[1]:
            one = value
            if kind is operator.itemgetter:
                one = self.item(value, name)
            else:
                for part in name.split('.'):
                    one = self.attribute(one, part)
            found.append(one)
        return found[0] if len(found) == 1 else tuple(found)

    def _use_all(self, args, kwargs):
        for value in args:
            self.use(value)
        for value in kwargs.values():
            self.use(value)

    def _result(self, result, args):
        """Lists, dicts and sparse tensors that an operation or a function of this package gives are
        new.
        """
        self.lost()
        if tables.is_composed(result):
            if id(result) not in self.composed:
                self.made(result)
        elif isinstance(result, (list, tuple, dict)) and not any(result is a for a in args):
            self.made(result)
            for value in result.values() if isinstance(result, dict) else result:
                self._result(value, args)
        return result

    def unwatched(self, function, args, kwargs):
        """A call that reaches no code of a user: it may import what is not known."""
        self._watch.stop()
        try:
            return function(*args, **kwargs)
        finally:
            if not self.done:
                self._watch.start()

    def trusted(self, function, args, kwargs):
        """A call of code of this package that depends on its arguments alone."""
        self._watch.trust()
        try:
            return function(*args, **kwargs)
        finally:
            self._watch.distrust()

    def _function(self, function, args, kwargs):
        if tables.is_trusted(function) and all(map(_is_simple, [*args, *kwargs.values()])):
            self._use_all(args, kwargs)
            run = self.unwatched if tables.is_alone(function) else self.trusted
            return self._result(run(function, args, kwargs), args)
        if tables.is_followed(function):
            return self.unwatched(function, args, kwargs)
        known = tables.BREAKING.get(function)
        if known is not None:
            return getattr(self, known)(function, *args, **kwargs)
        if function.__name__ == '_log' and function.__module__ == 'logging':
            self.stop('a log is written')
            level = levels_of_log(kwargs.get('stacklevel', 1))
            return function(*args, **{**kwargs, 'stacklevel': level})
        reason = self._left_alone(function)
        if reason is not None:
            self.stop(reason)
            return function(*args, **kwargs)
        self.running.append(function)
        try:
            return self._in_rewritten_form(function, args, kwargs)
        finally:
            self.running.pop()

    def _in_rewritten_form(self, function, args, kwargs):
        self.function(function)
        known = function.__code__, function.__qualname__, self._is_converted(function)
        try:
            code = self.unwatched(rewritten, known, {})
        except Refused as error:
            if self._is_generated(function, args):
                _core._note_code(function.__code__)
            else:
                tables.check_falls_back(function, str(error))
                self.stop(f'a call of {function.__qualname__}: {error}')
            return self._as_it_is(function)(*args, **kwargs)
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        cells[SESSION], cells[GLOBALS] = self._cell, types.CellType(function.__globals__)
        new = types.FunctionType(
            code,
            function.__globals__,
            function.__name__,
            function.__defaults__,
            tuple([cells[n] for n in code.co_freevars]),
        )
        new.__kwdefaults__ = function.__kwdefaults__
        if code.co_flags & 0x20:  # a generator
            return self.made(new(*args, **kwargs))
        return new(*args, **kwargs)

    def _left_alone(self, function):
        """Why the function is called as it is, or None."""
        if getattr(function, '__not_to_static__', False):
            return f'{function.__qualname__} is marked with not_to_static'
        if tables.IGNORED and tables.is_ignored(function.__module__):
            return f'{function.__qualname__} is of a module that is ignored'
        return None

    def _is_converted(self, function):
        """Whether control flow over tensors is recorded."""
        return False

    def _as_it_is(self, function):
        """What is called for a function that cannot be rewritten."""
        return function

    @staticmethod
    def _is_generated(function, args):
        """Whether it is the `__init__` that dataclasses made, which does nothing but assign."""
        generated = function.__code__.co_filename == '<string>' and function.__name__ == '__init__'
        return generated and bool(args) and hasattr(type(args[0]), '__dataclass_fields__')

    # --- builtin functions and methods

    def _builtin(self, function, args, kwargs):
        handler = _HANDLERS.get(function)
        if handler is not None:
            return handler(self, *args, **kwargs)
        if function in tables.PURE or function in tables.CORE:
            self._use_all(args, kwargs)
            return self._result(function(*args, **kwargs), args)
        if function is _core.py_layer_apply:
            return self.py_layer(*args)
        if function in tables.CALLING:
            return self.trusted(function, [self._wrapped(a) for a in args], kwargs)
        home = function.__self__
        if not (home is None or isinstance(home, types.ModuleType) or tables.is_bound(function)):
            if isinstance(home, type):
                return self._class_method(home, function, args, kwargs)
            return self._method(type(home), function.__name__, home, args, kwargs, None)
        if function in tables.COLLECTING:
            return self._collect(function, args, kwargs)
        if tables.is_of_numpy(function):
            return self._of_numpy(function, args, kwargs)
        self.stop(f'a call of {function.__module__}.{function.__name__}')
        return function(*args, **kwargs)

    def _class_method(self, kind, function, args, kwargs):
        name = function.__name__
        if name == '__new__':
            return self._new(args[0] if args else kind, function, args[1:], kwargs)
        if kind in (dict, collections.OrderedDict) and name == 'fromkeys':
            args = [self.iterate(args[0]), *args[1:]]
            self._use_all(args, kwargs)
            return self.made(function(*args, **kwargs))
        if kind in tables.VALUES or kind in (bytes, int, float, str):
            self._use_all(args, kwargs)
        else:
            self.stop(f'a call of {kind.__name__}.{name}')
        return function(*args, **kwargs)

    def _wrapped(self, value):
        """A function that is handed to code of C: called through the session there."""
        if not callable(value) or _core._is_tensor(value):
            return value
        return self.made(lambda *args, **kwargs: self.call(value, *args, **kwargs))

    def _collect(self, function, args, kwargs):
        if function in (functools.reduce, functools.cmp_to_key) and args:
            args = [self._wrapped(args[0]), *args[1:]]
        if kwargs.get('key') is not None:
            kwargs = {**kwargs, 'key': self._wrapped(kwargs['key'])}
        args = [self._listed(a) for a in args]
        result = function(*args, **kwargs)
        return self.made(result) if isinstance(result, list) else result

    def _listed(self, value):
        """An argument whose items are gone through."""
        if (
            type(value) in tables.VALUES
            or isinstance(value, type)
            or type(value) is types.FunctionType
        ):
            return value
        if isinstance(value, _COLLECTIONS):
            return self.use(value)
        found = self.look(type(value), '__iter__')
        return value if found is ABSENT else self.iterate(value)

    def _of_numpy(self, function, args, kwargs):
        self._use_all(args, kwargs)
        if 'out' in kwargs or not all(map(_is_simple, [*args, *kwargs.values()])):
            self.stop(f'a call of numpy.{function.__name__} with such arguments')
        result = self.trusted(function, args, kwargs)
        self.lost()
        if isinstance(result, numpy.ndarray) and not any(result is a for a in args):
            if result.base is None or self.is_made(result.base):
                self.made(result)
        elif isinstance(result, (list, tuple)):
            for v in self.made(result):
                self.made(v)
        return result

    def _method(self, kind, name, value, args, kwargs, function):
        """A method of a class of C: `function` takes the object, or None for value.name."""

        def run(*args, **kwargs):
            if function is None:
                return getattr(value, name)(*args, **kwargs)
            return function(value, *args, **kwargs)

        if _core._is_tensor(value):
            if name in _NUMBERS and not (args or kwargs or isinstance(value, _core.pir.Value)):
                return _NUMBERS[name](self, value)
            args = self.hook(value, name, args)
            self._use_all(args, kwargs)
            return self._result(run(*args, **kwargs), args)
        if kind in tables.VALUES or kind in (tuple, frozenset, slice):
            return self._method_of_value(kind, name, value, args, kwargs, run)
        if kind is object or kind is type:
            return self._method_of_object(kind, name, value, args, kwargs, run)
        if isinstance(value, dict):
            found = self._method_of_dict(name, value, args, kwargs, run)
            if found is not _NONE:
                return found
        for base in (list, dict, set, numpy.ndarray):
            if not isinstance(value, base):
                continue
            if name in tables.READING[base]:
                self.use(value)
                self._use_all(args, kwargs)
                result = run(*args, **kwargs)
                if isinstance(result, numpy.ndarray) and result.base is not None:
                    return result
                return self.made(result)
            if name in tables.CHANGING.get(base, ()):
                self.changes(value, type(value))
                if kwargs.get('key') is not None:
                    kwargs = {**kwargs, 'key': self._wrapped(kwargs['key'])}
                sliced = name == '__setitem__' and args and type(args[0]) is slice
                goes_through = sliced or name in tables.GATHERING
                return run(
                    *[
                        self._listed(a) if goes_through or isinstance(a, _COLLECTIONS) else a
                        for a in args
                    ],
                    **kwargs,
                )
            if base is list and name in ('__getitem__', '__contains__') and len(args) == 1:
                return (self.item if name == '__getitem__' else self.contains)(value, args[0])
            if base is set and name == '__contains__':
                return self.contains(value, *args)
        if type(value) is types.FunctionType and name == '__get__':
            return run(*args, **kwargs)
        if tables.is_frozen(kind) or isinstance(value, numpy.generic):
            self._use_all(args, kwargs)
            args = [self._wrapped(a) if type(a) is types.FunctionType else a for a in args]
            return run(*args, **kwargs)
        if self.is_made(value) and isinstance(value, tables.CHANGED_BY_CALLS):
            return run(*args, **kwargs)
        if isinstance(value, tables.LOCKS) and name in ('acquire', 'release', 'locked'):
            return run(*args, **kwargs)
        if isinstance(value, BaseException) and name in ('__init__', 'with_traceback'):
            return run(*args, **kwargs)
        if tables.is_trusted_class(type(value)):
            self._use_all(args, kwargs)
            return self.unwatched(run, args, kwargs)
        self.stop(f'a call of {kind.__name__}.{name}')
        return run(*args, **kwargs)

    def _method_of_value(self, kind, name, value, args, kwargs, run):
        if kind is str and name in ('format', 'format_map', '__mod__', '__format__'):
            for v in (*args, *kwargs.values()):
                self.text(v)
        if kind is str and name == 'join' and len(args) == 1:
            return run(self.iterate(args[0]))
        self._use_all(args, kwargs)
        result = run(*args, **kwargs)
        return self.made(result) if isinstance(result, list) else result

    def _method_of_object(self, kind, name, value, args, kwargs, run):
        if name in ('__setattr__', '__delattr__') and kind is object:
            return self.change_plainly(value, args[0], name, tuple(args[1:]))
        if name == '__getattribute__' and kind is object:
            return self._of_object(value, type(value), args[0])
        if name in ('__init__', '__init_subclass__', '__eq__', '__ne__'):
            return run(*args, **kwargs)
        if name == '__call__' and kind is type:
            return self._construct(value, list(args), kwargs)
        self.stop(f'a call of {kind.__name__}.{name}')
        return run(*args, **kwargs)

    def _method_of_dict(self, name, value, args, kwargs, run):
        if name in ('get', '__getitem__', '__contains__') and args:
            key = args[0]
            present = self.contains(value, key)
            if name == '__contains__':
                return present
            return run(*args, **kwargs)
        if name in ('__setitem__', '__delitem__') and args:
            self._item_changes(value, type(value), args[0])
            return run(*args, **kwargs)
        if name in ('keys', 'values', 'items', '__iter__', '__len__'):
            self.mapping(value)
            return self.made(run(*args, **kwargs))
        if name in ('setdefault', 'pop') and args and not self.is_made(value):
            self._before(value, args[0])
            return run(*args, **kwargs)
        return _NONE

    def _slot_call(self, function, args, kwargs):
        return self._method(
            type(function.__self__) if function.__self__ is not None else object,
            function.__name__,
            function.__self__,
            args,
            kwargs,
            lambda _, *a, **k: function(*a, **k),
        )

    # --- classes

    def _construct(self, kind, args, kwargs):
        handler = _CLASS_HANDLERS.get(kind)
        if handler is not None and not kwargs:
            result = handler(self, *args)
            if result is not _NONE:
                return result
        if kind in (map, filter) and args:
            args = [self._wrapped(args[0]), *args[1:]]
        if kind in (collections.defaultdict,) and args:
            args = [
                self._wrapped(args[0]) if type(args[0]) is types.FunctionType else args[0],
                *args[1:],
            ]
        if kind in tables.COLLECTING_CLASSES:
            args = [self._listed(a) for a in args]
            return self.made(kind(*args, **kwargs))
        if kind in tables.PLAIN_CLASSES:
            for value in args:
                self.use(value)
            if kind in (int, float, bool, complex) and args:
                return self._number(kind, args, kwargs)
            return self.made(kind(*args, **kwargs))
        if tables.is_frozen(kind) or issubclass(kind, numpy.generic):
            self._use_all(args, kwargs)
            return kind(*args, **kwargs)
        if kind is str:
            for value in args:
                self.text(value)
            return str(*args, **kwargs)
        if tables.is_trusted_class(kind):
            self._use_all(args, kwargs)
            return self.made(self.unwatched(kind, args, kwargs))
        meta = type(kind)
        if meta is not type and self.look(meta, '__call__') is not type.__call__:
            self.stop(f'an object of class {kind.__name__} is made by its metaclass')
            return kind(*args, **kwargs)
        return self._instance(kind, args, kwargs)

    def _number(self, kind, args, kwargs):
        if kind is not complex and len(args) == 1 and _core._is_tensor(args[0]):
            return kind(self.decision(args[0], kind))
        for name in (
            ('__bool__', '__len__') if kind is bool else (f'__{kind.__name__}__', '__index__')
        ):
            method = self.look(type(args[0]), name)
            if type(method) is types.FunctionType:
                return kind(self.call(method, args[0]))
        return kind(*args, **kwargs)

    def _instance(self, kind, args, kwargs):
        if issubclass(kind, weakref.ReferenceType) and args:
            self.watched(args[0])
        elif self.look(kind, '__del__') is not ABSENT:
            self.stop(f'class {kind.__name__} has a finalizer')
            self.drop_made()
        new = self.look(kind, '__new__')
        new = getattr(new, '__func__', new)
        init = self.look(kind, '__init__')
        if type(new) is types.FunctionType:
            if (
                issubclass(kind, tuple)
                and hasattr(kind, '_fields')
                and '<string>' in new.__code__.co_filename
            ):
                _core._note_code(new.__code__)
                return kind(*args, **kwargs)
            value = self.call(new, kind, *args, **kwargs)
        else:
            value = self._new(kind, new, args, kwargs, init)
        if isinstance(value, kind):
            if type(init) in (types.FunctionType, tables.FRONTED):
                self.call(init, value, *args, **kwargs)
            elif init is not object.__init__:
                init(value, *args, **kwargs)
        return value

    def watched(self, value):
        """Something is told when the value goes."""
        if self.is_made(value):
            self.stop('a weak reference to what the call made')
            self.drop_made()

    def _new(self, kind, new, args, kwargs, init=None):
        """An object made by a `__new__` of C."""
        plain = new is object.__new__ and init is not object.__init__
        if not plain:
            self._use_all(args, kwargs)
        known = (BaseException, dict, list, set, tuple, int, float, str, type, _core.Tensor)
        if (
            new is not object.__new__
            and not issubclass(kind, known)
            and not tables.is_trusted_class(kind)
        ):
            self.stop(f'an object of class {kind.__name__} is made by code that is not known')
        return self.made(new(kind) if plain else new(kind, *args, **kwargs))


def _item(session, tensor):
    kind = bool if tensor.dtype == tables.BOOL else int if 'int' in str(tensor.dtype) else None
    if kind is not None:
        return kind(session.decision(tensor, kind))
    number = tensor.item()
    session.lost()
    return number


_NUMBERS = {
    'item': _item,
    '__bool__': lambda session, tensor: bool(session.decision(tensor, bool)),
    '__int__': lambda session, tensor: int(session.decision(tensor, int)),
}


def _getattr(session, value, name, *default):
    try:
        return session.attribute(value, name)
    except AttributeError:
        if default:
            return default[0]
        raise


def _hasattr(session, value, name):
    try:
        session.attribute(value, name)
    except AttributeError:
        return False
    return True


def _note_bases(session, kind, kinds, method):
    """What is read where a class is compared with others, whose metaclasses may have `method`."""
    if kind.__flags__ & tables.HEAP_TYPE:
        session.attribute_of(kind, '__mro__', kind.__mro__)
    if isinstance(kinds, _UNION):
        kinds = kinds.__args__
    for known in kinds if isinstance(kinds, tuple) else (kinds,):
        if isinstance(known, (tuple, _UNION)):
            _note_bases(session, kind, known, method)
            continue
        known = getattr(known, '__origin__', known)  # of `typing`
        meta = type(known)
        decides = ABSENT if meta is type else session.look(meta, method)
        if known in kind.__mro__ or type(decides) is not types.FunctionType:
            continue
        if decides is vars(abc.ABCMeta)[method]:
            session.result_of(abc.get_cache_token)
            for name in known.__abstractmethods__:
                session.look(kind, name)
        elif not tables.is_written_here(decides):
            session.stop(f'class {known.__name__} tells itself what belongs to it')


def _isinstance(session, value, kinds):
    session.class_of(value)
    _note_bases(session, type(value), kinds, '__instancecheck__')
    return session.trusted(isinstance, (value, kinds), {})


def _issubclass(session, kind, kinds):
    if isinstance(kind, type):
        _note_bases(session, kind, kinds, '__subclasscheck__')
    return session.trusted(issubclass, (kind, kinds), {})


def _getframe(session, depth=0):
    session.stop('a frame is read')
    return sys._getframe(depth_of_caller(depth) - 1)


def _warn(session, message, category=None, stacklevel=1, source=None, **more):
    session.stop('a warning is given')
    level = depth_of_caller(stacklevel - 1)
    return warnings.warn(message, category, level, source, **more)


def _len(session, value):
    method = session.look(type(value), '__len__')
    if type(method) is types.FunctionType:
        return session.call(method, value)
    if getattr(session, 'follows_extents', False) and isinstance(value, _core.pir.Value):
        return session.length(value)
    session._shallow(value)
    count = len(value)
    session.extents_were_read()
    return count


def _iter(session, value, *rest):
    if rest:
        session.stop('a call of iter with a function')
        return iter(value, *rest)
    return session.made(iter(session.iterate(value)))


def _next(session, value, *default):
    method = session.look(type(value), '__next__')
    if type(method) is types.FunctionType:
        try:
            return session.call(method, value)
        except StopIteration:
            if default:
                return default[0]
            raise
    if not session.is_made(value):
        session.stop(f'an item of a {type(value).__name__} that was there before')
    return next(value, *default)


def _id(session, value):
    kept = _core._is_tensor(value) and session.is_outer(value)
    kept = kept or isinstance(value, tables.layer_class()) and not session.is_made(value)
    if not kept or id(value) in session.inputs:
        session.stop(f'the address of a {type(value).__name__}')
    return id(value)  # of what is compared by identity


def _proxy(session, value, *rest):
    session.stop('a weak proxy is made')
    session.watched(value)
    return weakref.proxy(value, *rest)


def _repr(session, value):
    return repr(session.text(value))


def _format(session, value, *spec):
    return format(session.text(value), *spec)


def _getitem(session, value, key):
    return session.item(value, key)


def _contains(session, value, key):
    return session.contains(value, key)


_HANDLERS = {
    getattr: _getattr,
    hasattr: _hasattr,
    isinstance: _isinstance,
    issubclass: _issubclass,
    sys._getframe: _getframe,
    warnings.warn: _warn,
    len: _len,
    iter: _iter,
    next: _next,
    repr: _repr,
    weakref.proxy: _proxy,
    id: _id,
    format: _format,
    setattr: lambda session, *args: session.set_attribute(*args),
    delattr: lambda session, *args: session.delete_attribute(*args),
    operator.getitem: _getitem,
    operator.contains: _contains,
}


def _type(session, *args):
    if len(args) != 1:
        return _NONE
    session.class_of(args[0])
    return type(args[0])


def _super(session, *args):
    return super(*args)


_CLASS_HANDLERS = {type: _type, super: _super}
