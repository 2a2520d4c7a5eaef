# SPDX-License-Identifier: Apache-2.0
"""What runs in place of a function that cannot be compiled as a whole: its compiled regions, with
Python between them.
"""

import ast
import builtins
import functools
import sysconfig
import types

import numpy

from paddle.base import libpaddle as _core
from paddle.jit import environment
from paddle.jit.dy2static import source
from paddle.jit.dy2static.code_cache import CodeCache
from paddle.jit.reads import tables
from paddle.jit.static_function import StaticFunction

from . import split

_MOST_SPLITS = 32  # of one function
_MOST_CALLEES = 64  # of one code object
# Of a parameter of a region, from which on it counts as varying: numbers and texts, others.
_MOST_VALUES, _MOST_OBJECTS = 16, 2
_STDLIB = sysconfig.get_paths()['stdlib']
# Regions of fewer operations, of tensors of fewer elements, are as fast as they are.
few = types.SimpleNamespace(operations=environment.MIN_GRAPH_SIZE.get(), elements=8192)
_UNBOUND = types.SimpleNamespace()  # stands for a name that is not bound
_codes = CodeCache()  # by marks and name, what it was split into


def _found(node, scope, local):
    """What a name of the module, or of a module it holds, is now; None for others."""
    if isinstance(node, ast.Name):
        if node.id in local:
            return None
        return scope.get(node.id, getattr(builtins, node.id, None))
    if isinstance(node, ast.Attribute):
        home = _found(node.value, scope, local)
        return getattr(home, node.attr, None) if isinstance(home, types.ModuleType) else None
    return None


def _is_quick(scope):
    """Tells of a called expression whether functions of a user are hardly called so."""

    def is_quick(node, local):
        if isinstance(node, ast.Attribute) and node.attr in _METHODS:
            return True
        found = _found(node, scope, local)
        if isinstance(found, (types.BuiltinFunctionType, type, tables.OP, tables.FRONTED)):
            return True
        return type(found) is types.FunctionType and not _is_entered(found)

    return is_quick


# Of tensors, arrays and containers.
_METHODS = frozenset(
    name
    for kind in (_core.Tensor, numpy.ndarray, list, dict, set, str)
    for name in dir(kind)
    if not name.startswith('__')
)


def _keeps_errors(scope):
    """Tells of the expression of a `with` block whether it is a call of a mode of this package."""

    def keeps_errors(node):
        found = _found(node.func, scope, ()) if isinstance(node, ast.Call) else None
        return getattr(found, '__name__', None) in _MODES and (
            getattr(found, '__module__', None) or ''
        ).startswith('paddle')

    return keeps_errors


_MODES = {'no_grad', 'enable_grad', 'set_grad_enabled', 'auto_cast', 'amp_guard'}


class _Split:
    """The code of a function with regions: `driver`, a code object, `parts`, and whether it calls
    functions through `_pt_call` (`calls`).
    """

    def __init__(self, function, marks):
        code = function.__code__
        tree = source.function_tree(code)
        if tree is None:
            raise split.Whole('[to_static] expected a function whose source is at hand, got none')
        scope, klass = function.__globals__, source.enclosing_class(function.__qualname__)
        splitter = split.Splitter(tree, code, marks, _is_quick(scope), _keeps_errors(scope))
        driver = splitter.function()
        self.parts, self.calls = splitter.parts, splitter.calls
        names = {f'{split.SEGMENT}{k}' for k in range(len(self.parts))}
        free = {*code.co_freevars, split.UNBOUND, split.CALL}
        self.driver = source.compile_function(driver, code, free | names, klass)
        for part in self.parts:
            copy = source.copied(part.tree)
            part.code = source.compile_function(copy, code, free, klass)
            source.remember(part.code, part.tree)


class Owner:
    """What the regions of one function and of what it calls share: the lines and expressions that
    cannot be compiled (`breaks`: (file, line) or (file, line, span) -> reason), and the functions
    that plain code called.
    """

    def __init__(self, options):
        self.options, self.breaks, self.hosts = options, {}, []
        self._callees, self._counts = {}, {}
        self.said_plain = False  # a warning that something is not compiled was given
        self.call = _caller(self)

    def leave(self, callee):
        """Calls of the function run as they are, between the regions known now."""
        self._callees.update({k: v._whole for k, v in self._callees.items() if v is callee})

    def parts(self):
        """All that is compiled apart from the function itself: regions and functions."""
        callees = [c for c in self._callees.values() if isinstance(c, Callee)]
        return [*callees, *(p for h in self.hosts for p in h.parts)]

    def reasons(self):
        """(reason, file:line) of the lines that stay as they are, in functions taken apart;
        (reason, name) of functions that are not.
        """
        found = {}
        for host in self.hosts:
            if host.why:
                found[host.host.__qualname__] = host.why
            for (file, line, *_), reason in self.breaks.items():
                if reason and host.has_line(file, line):
                    found[f'{file}:{line}'] = reason
        return [(reason, where) for where, reason in found.items()]

    def note(self, breaks):
        """More lines that cannot be compiled."""
        for place, reason in breaks.items():
            self.breaks.setdefault(place, reason)

    def marks(self, code):
        """The lines and spans of code that cannot be compiled, as `Splitter` takes them."""
        first, last = code.co_firstlineno, source.last_line(code)
        return frozenset(
            (*span[0], reason == '') if span else line
            for (file, line, *span), reason in self.breaks.items()
            if file == code.co_filename and first <= line <= last
        )

    def callee(self, function, instance):
        """What is called in place of a function, or a method of `instance`."""
        key = id(function), id(instance)
        found = self._callees.get(key)
        if found is None:
            code = function.__code__
            count = self._counts[code] = self._counts.get(code, 0) + 1
            plain = function if instance is None else types.MethodType(function, instance)
            if count > _MOST_CALLEES:
                return plain
            found = self._callees[key] = Callee(self, plain, instance)
        return found


def _caller(owner):
    """`_pt_call`: function(*args, **kwargs) of plain code, without a frame of its own."""
    entered, layer_class = {}, tables.layer_class()
    of_layers = layer_class.__call__

    def instead(function, on_tensors):
        """What is called in place of a function. `on_tensors`: whether one is an argument."""
        kind = type(function)
        if kind is types.FunctionType:
            plain, instance = function, None
        elif kind is types.MethodType:
            plain, instance = function.__func__, function.__self__
        elif isinstance(function, layer_class):
            plain, instance = kind.__call__, function
            home = function.__dict__
            if plain is of_layers and not (
                home['_forward_pre_hooks'] or home['_forward_post_hooks']
            ):
                return instead(function.forward, on_tensors)
            if type(plain) is tables.FRONTED:
                plain = plain.__wrapped__
        else:
            return function
        if type(plain) is not types.FunctionType:
            return function
        code = plain.__code__
        good = entered.get(code)
        if good is None:
            good = entered[code] = _is_entered(plain)
        if good and (on_tensors or instance is not None):
            return owner.callee(plain, instance)
        return function

    return _core._call_instead(instead)


def _is_entered(function):
    """Whether calls of the function in plain code are compiled."""
    file = function.__code__.co_filename
    if getattr(function, '__not_to_static__', False) or tables.is_ignored(function.__module__):
        return False
    if file.startswith((_STDLIB, '<frozen')) and 'site-packages' not in file:
        return False
    return not tables.is_trusted(function)


class Regions:
    """What a function that is taken apart (`host`, a StaticFunction) consists of."""

    def __init__(self, owner, host):
        function = host.dygraph_function
        self.owner, self.host, self.parts = owner, host, []
        self._method = function if isinstance(function, types.MethodType) else None
        self.function = getattr(function, '__func__', function)
        self._regions, self._marks, self._count, self._over, self.why = {}, None, 0, False, ''
        owner.hosts.append(self)

    def update(self):
        """Have the host run what is known now in place of its function."""
        run = self._rebuilt()
        if run is not None:
            self.host._become(*run)

    def has_line(self, file, line):
        """Whether the line stands in the function."""
        code = getattr(self.function, '__code__', None)
        if code is None or code.co_filename != file:
            return False
        return code.co_firstlineno <= line <= source.last_line(code)

    def _rebuilt(self):
        """The function taken apart by the lines known now; None where it stays as it was."""
        function = self.function
        if type(function) is not types.FunctionType or self._over:
            return None
        code = function.__code__
        marks = self.owner.marks(code)
        if marks == self._marks or not marks:
            return None
        if code in tables.LEFT:
            return self._left('fallback() is called')
        self._marks, self._count = marks, self._count + 1
        self._over = self._count > _MOST_SPLITS
        try:
            made = self._split(marks)
        except (split.Whole, SyntaxError, RecursionError) as error:
            return self._left(str(error))
        return self._run(made)

    def _left(self, why):
        self._over, self.why = True, why
        tables.check_falls_back(self.function, why)

    def _split(self, marks):
        code = self.function.__code__
        key = marks, self.function.__qualname__
        found = _codes.get(code, key)
        return _codes.put(code, key, _Split(self.function, marks)) if found is None else found

    def _run(self, made):
        function = self.function
        if not (made.parts or made.calls):
            self.parts, self._regions = [], {}
            return (self._method or function,)
        held = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        held[split.UNBOUND] = types.CellType(_UNBOUND)
        held[split.CALL] = types.CellType(self.owner.call)
        regions, self.parts = {}, []
        for k, part in enumerate(made.parts):
            key = part.place, tuple(part.parameters), tuple(part.outputs)
            region = self._regions.get(key)
            if region is None:
                region = Region(self, part, self._function(part.code, held))
            regions[key] = region
            self.parts.append(region)
            held[f'{split.SEGMENT}{k}'] = types.CellType(region)
        self._regions = regions
        driver = self._function(made.driver, held)
        driver.__kwdefaults__, driver.__defaults__ = function.__kwdefaults__, function.__defaults__
        if self._method is not None:
            driver = types.MethodType(driver, self._method.__self__)
        plain, parts = self._method or function, _changing(function)
        now = parts()

        def run(*args, **kwargs):
            if any(a is not b for a, b in zip(parts(), now)):
                return plain(*args, **kwargs)
            return driver(*args, **kwargs)

        return run, driver, function

    def _function(self, code, held):
        function = self.function
        closure = tuple([held[n] for n in code.co_freevars])
        new = types.FunctionType(code, function.__globals__, function.__name__, None, closure)
        new.__qualname__, new.__module__ = function.__qualname__, function.__module__
        return new


def _changing(function):
    def parts():
        return function.__code__, function.__defaults__, function.__kwdefaults__

    return parts


class Callee(StaticFunction):
    """A function that plain code between regions calls. `where`: its name."""

    def __init__(self, owner, function, instance):
        super().__init__(function, None, instance, **owner.options)
        self.where, self._owner = function.__qualname__, owner
        self._split({})

    def _miss(self, args, kwargs):
        if self._busy:
            return self._dygraph_function(*args, **kwargs)
        if self._noted > _MOST_VALUES and self._compiled_runs() < self._noted:
            self._owner.leave(self)
            return self._whole(*args, **kwargs)
        return self._run_noted(args, kwargs)


class Region(StaticFunction):
    """Statements of a function that run as a program. `where`: file:first-last line."""

    def __init__(self, regions, part, function):
        super().__init__(function, None, None, **regions.owner.options)
        self.part, self._around, self._owner = part, regions, regions.owner
        self._values = [[] for _ in part.parameters]
        self.where = f'{self._file}:{part.lines[0]}-{part.lines[1]}'

    def _miss(self, args, kwargs):
        if self._busy or self._varies(args):
            return self._dygraph_function(*args)
        return self._run_noted(args, kwargs)

    def _varies(self, args):
        """Whether an argument has another value each call, so that what reads it stays as it is."""
        found = {}
        for name, value, seen in zip(self.part.parameters, args, self._values):
            most = 0 if name in self.part.loose and type(value) is float else _most_values(value)
            if most is None:
                continue
            if not any(map(functools.partial(_alike, value), seen)):
                seen.append(value)
            if len(seen) > most:
                for place in self.part.places_of(name, False):
                    found[(self._file, *place)] = f'{name!r} has another value each call'
        if found:
            self._split(found)
        return bool(found)

    @property
    def _file(self):
        return self._dygraph_function.__code__.co_filename

    def _split(self, breaks):
        self._owner.note(breaks)
        self._around.update()

    def _unmade(self, result):
        """Lines that bind names whose values no recording makes anew."""
        found = {}
        if not isinstance(result, tuple):
            return found
        for name, value in zip(self.part.outputs, result[len(result) - len(self.part.outputs) :]):
            if _core._is_tensor(value) or isinstance(value, (int, float, str, bool, type(None))):
                continue
            for place in self.part.places_of(name, True):
                found[(self._file, *place)] = f'{name!r} is a {type(value).__name__} it makes'
        return found

    def _recorded(self, recording):
        forward = recording.traced.forward_program
        count = sum(map(_is_work, forward.global_block().ops))
        sizes = [
            v.size if v.size >= 0 else few.elements for v in [*recording.inputs, *recording.outputs]
        ]
        if count == 0 or (count < few.operations and max(sizes, default=0) < few.elements):
            self._split(dict.fromkeys(((self._file, *p) for p in self.part.places()), ''))


_PLAIN = {int, float, str, bytes, complex}


def _most_values(value):
    """How many values like this one a parameter may take before it counts as varying; None: any
    number of them.
    """
    kind = type(value)
    if kind in (bool, type(None)) or _core._is_tensor(value) or value is _UNBOUND:
        return None
    if isinstance(value, numpy.ndarray):
        return 0  # not compared
    if kind in (list, tuple, dict):
        return None if not _leaves(value) else _MOST_OBJECTS
    return _MOST_VALUES if kind in (int, str) else _MOST_OBJECTS


def _leaves(value):
    """The values in a nest that are no tensors."""
    if _core._is_tensor(value):
        return []
    if type(value) in (list, tuple):
        return [leaf for v in value for leaf in _leaves(v)]
    if type(value) is dict:
        return [leaf for v in value.values() for leaf in _leaves(v)]
    return [value]


def _alike(a, b):
    """Whether a region may take one for the other."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if type(a) in (list, tuple, dict):
        a, b = _leaves(a), _leaves(b)
        return len(a) == len(b) and all(map(_alike, a, b))
    return type(a) in _PLAIN and a == b


def _is_work(operation):
    return not operation.name().startswith(('builtin.', 'pd_op.data', 'pd_op.full', 'pd_op.fetch'))
