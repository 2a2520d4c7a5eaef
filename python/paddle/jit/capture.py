# SPDX-License-Identifier: Apache-2.0
"""Recording a call of a function: which Python values it depends on, its program, and where its results go."""

import collections
import copy
import functools
import types

import numpy

import paddle
from paddle.base import libpaddle as _core
from paddle.static import program as _program
from paddle.static.input_spec import InputSpec

_SIMPLE = (int, float, str, bytes, bool, complex, type(None))
_CONTAINERS = (list, dict, set, collections.deque)
_ABSENT = object()
_LAYER_TABLES = ('_parameters', '_buffers', '_sub_layers', '_forward_pre_hooks', '_forward_post_hooks')
_LAYER_STATE = {'_full_name', '_loaddict_holder', '_built', '_helper', '_op_recorder', '_customized_attrs'}


class NotCapturable(RuntimeError):
    """What the function does cannot be repeated by a program."""


class Changed(NotCapturable):
    """The call changed what it depends on: perhaps the next call can be repeated by a program."""


def _is_simple(value):
    if isinstance(value, _SIMPLE):
        return True
    if type(value) in (tuple, list):
        return len(value) <= 64 and all(_is_simple(v) for v in value)
    return False


def _of_package(module):
    return isinstance(module, str) and (module == 'paddle' or module.startswith('paddle.'))


class Surroundings:
    """The values a function reads beside its arguments: of its layers, closure and module."""

    def __init__(self, function, instance, arguments):
        self.tables, self.layers, self._seen, self._sizes = [], [], set(), []
        self._roots, self._bound = [], []
        if instance is not None:
            self._object(instance)
        self._callable(function)
        for value in arguments:
            if isinstance(value, paddle.nn.Layer):
                self._layer(value)
        own = {id(layer.__dict__.get(name)) for layer in self.layers for name in _LAYER_TABLES}
        self._contents = [(c, _contents(c)) for c, _ in self._sizes if id(c) not in own]

    def _first(self, value):
        if id(value) in self._seen:
            return False
        self._seen.add(id(value))
        return True

    def _container(self, value):
        if isinstance(value, _CONTAINERS):
            self._sizes.append((value, len(value)))

    def _value(self, value):
        """Whether `value` is worth a guard in the place that holds it; follows layers and functions."""
        self._container(value)
        if isinstance(value, paddle.nn.Layer):
            self._layer(value)
        elif isinstance(value, (types.FunctionType, types.MethodType, functools.partial)):
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
            self._roots.append(d)
            for value in d.values():
                self._container(value)
            simple = {k: v for k, v in d.items() if k not in _LAYER_STATE and _is_simple(v)}
            absent = ['training', 'forward', *_class_values(type(one))]
            self.tables.append((d, simple, [k for k in absent if k not in d], -1))
            for name in _LAYER_TABLES:
                members = d.get(name)
                if members is not None:
                    self._roots.append(members)
                    self.tables.append((members, dict(members), [], len(members)))
            if not _of_package(type(one).__module__):
                self._callable(getattr(type(one), 'forward', None))

    def _object(self, instance):
        if isinstance(instance, paddle.nn.Layer):
            self._layer(instance)
        elif isinstance(getattr(instance, '__dict__', None), dict) and self._first(instance):
            d = instance.__dict__
            self._roots.append(d)
            self._bound.append((d, dict(d), None))
            held = {k: v for k, v in d.items() if not k.startswith('__') and self._value(v)}
            self.tables.append((d, held, [k for k in _class_values(type(instance)) if k not in d], -1))

    def _callable(self, function):
        while True:
            if isinstance(function, functools.partial):
                for value in (*function.args, *function.keywords.values()):
                    self._value(value)
                self._roots.append((function.args, function.keywords))
                function = function.func
            elif isinstance(function, types.MethodType):
                self._object(function.__self__)
                function = function.__func__
            elif isinstance(getattr(function, '_dygraph_function', None), (types.FunctionType, types.MethodType)):
                function = function._dygraph_function
            else:
                break
        if (
            not isinstance(function, types.FunctionType)
            or _of_package(function.__module__)
            or not self._first(function)
        ):
            return
        for cell in function.__closure__ or ():
            try:
                value = cell.cell_contents
            except ValueError:
                self._bound.append((cell, _ABSENT, None))
                continue
            self._roots.append(value)
            self._bound.append((cell, value, None))
            if self._value(value):
                self.tables.append((cell, value))
        used, codes = set(), [function.__code__]
        while codes:
            code = codes.pop()
            used.update(code.co_names)
            codes.extend(c for c in code.co_consts if isinstance(c, types.CodeType))
        names = {n: function.__globals__[n] for n in used if n in function.__globals__}
        self._roots.extend((names, function.__defaults__, function.__kwdefaults__))
        self._bound.append((function.__globals__, names, used.difference(names)))
        held = {n: v for n, v in names.items() if self._value(v)}
        if held:
            self.tables.append((function.__globals__, held, [], -1))

    def changed(self):
        """Places whose simple values are not what they were, and containers that grew or shrank: [(id, key)]."""
        found = [(id(container), None) for container, size in self._sizes if len(container) != size]
        for table in self.tables:
            if isinstance(table[0], types.CellType):
                if _is_simple(table[1]) and not _equal(table[0].cell_contents, table[1]):
                    found.append((id(table[0]), None))
                continue
            for key, value in table[1].items():
                if _is_simple(value) and not _equal(table[0].get(key, NotCapturable), value):
                    found.append((id(table[0]), key))
            found.extend((id(table[0]), key) for key in table[2] if _is_simple(table[0].get(key, NotCapturable)))
        return found

    def watch(self, nest):
        """Containers among the arguments: a call that changes them is no program."""
        if type(nest) in (list, tuple, dict):
            if type(nest) is not tuple:
                self._contents.append((nest, _contents(nest)))
            for value in nest.values() if type(nest) is dict else nest:
                self.watch(value)
        elif not isinstance(nest, _core.Tensor):
            self._roots.append(nest)

    def moved(self):
        """Whether names, cells, containers or attributes of other objects than layers hold something else than they did."""
        for container, items in self._contents:
            now = _contents(container)
            if len(now) != len(items) or any(a is not b and not _alike(a, b) for a, b in zip(now, items)):
                return True
        for home, before, absent in self._bound:
            if isinstance(home, types.CellType):
                try:
                    now = home.cell_contents
                except ValueError:
                    now = _ABSENT
                if now is not before and not _alike(now, before):
                    return True
                continue
            for key, value in before.items():
                now = home.get(key, _ABSENT)
                if now is not value and not _alike(now, value):
                    return True
            if len(home) != len(before) if absent is None else any(n in home for n in absent):
                return True
        return bool(self.changed())

    def known(self):
        """The tensors found in all this, a few objects deep."""
        found, seen = [], set()

        def walk(value, depth):
            if isinstance(value, _core.Tensor):
                found.append(value)
                return
            kind = type(value)
            if depth < 0 or kind in _SIMPLE or id(value) in seen:
                return
            if isinstance(value, (*_CONTAINERS, tuple)):
                seen.add(id(value))
                for v in list(value.values() if isinstance(value, dict) else value)[:4096]:
                    walk(v, depth - 1)
            elif isinstance(value, paddle.nn.Layer):
                for layer in value.sublayers(include_self=True):
                    if id(layer) not in seen:
                        seen.add(id(layer))
                        walk(layer.__dict__, 3)
            elif not isinstance(value, (type, types.ModuleType, types.FunctionType, types.MethodType)):
                d = getattr(value, '__dict__', None)
                if type(d) is dict:
                    seen.add(id(value))
                    walk(d, depth - 1)

        for root in self._roots:
            walk(root, 6)
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


def _contents(container):
    return list(container.values() if isinstance(container, dict) else container)


def _alike(a, b):
    return _is_simple(a) and _is_simple(b) and _equal(a, b)


def _equal(a, b):
    return type(a) is type(b) and (a is b or repr(a) == repr(b))


def tensors_of(value, found=None):
    """The tensors of a nest of lists, tuples and dicts, in order."""
    found = [] if found is None else found
    if isinstance(value, _core.Tensor):
        found.append(value)
    elif type(value) in (list, tuple):
        for v in value:
            tensors_of(v, found)
    elif type(value) is dict:
        for v in value.values():
            tensors_of(v, found)
    return found


def replace(value, change):
    """A copy of the nest with `change` applied to its leaves."""
    if type(value) in (list, tuple):
        return type(value)([replace(v, change) for v in value])
    if type(value) is dict:
        return {k: replace(v, change) for k, v in value.items()}
    return change(value)


def specs_of(value):
    """The tensors and specs of a nest of lists, tuples and dicts, in order."""
    found = []
    replace(value, lambda v: found.append(v) if isinstance(v, (_core.Tensor, InputSpec)) else None)
    return found


def to_tensors(value):
    """NumPy arrays of the nest as tensors; the nest itself when it has none."""
    found = []
    result = replace(value, lambda v: found.append(v) or paddle.to_tensor(v) if isinstance(v, numpy.ndarray) else v)
    return result if found else value


def _rebuild_dict(kind, keys, *values):
    result = kind()
    for key, value in zip(keys, values):
        result[key] = value
    return result


def _rebuild_object(template, keys, *values):
    result = copy.copy(template)
    for key, value in zip(keys, values):
        object.__setattr__(result, key, value)
    return result


def _set_attributes(places, result, *values):
    for (home, key), value in zip(places, values):
        home[key] = value
    return result


class Taped:
    """One call of a function as it is, with what it did on a tape: `result`, `tape`."""

    def __init__(self, function, args, kwargs, surroundings):
        self._homes = [
            (home, dict(home))
            for layer in surroundings.layers
            for home in (layer.__dict__, *(layer.__dict__.get(n, {}) for n in _LAYER_TABLES))
        ]
        self.assigned, self.written, self._instead = [], [], []
        surroundings.watch((args, kwargs))
        self.tape = _core._Tape(tensors_of((args, kwargs)), surroundings.known())
        self.tape.start()
        try:
            self.result = function(*args, **kwargs)
        finally:
            self.tape.finish()

    def replay(self, inputs):
        """Record what the call did, with `inputs` for the tensors it was given."""
        self.tape.replay(inputs, self._instead)

    def find_assigned(self):
        """Note the attributes of layers that hold tensors of this call. Raises Changed.

        Those that the call read before are written by each run of the program, others are set to its results.
        """
        for home, before in self._homes:
            for key in {**before, **home}:
                old, value = before.get(key, _ABSENT), home.get(key, _ABSENT)
                if value is old or key in _LAYER_STATE or _alike(value, old):
                    continue
                made = tensors_of(value)
                if old is _ABSENT or old is None or not made or not all(map(self.tape.made, made)):
                    raise Changed(f'[to_static] expected attribute {key!r} to be there before, or to stay')
                if not any(map(self.tape.uses, tensors_of(old))):
                    self.assigned.append((home, key, value))
                    continue
                if not self._can_write(old, value):
                    raise Changed(f'[to_static] expected attribute {key!r} to keep its shape and to need no gradient')
                # A tensor of its own: the one the function made may be seen elsewhere.
                with paddle.no_grad():
                    target = value.clone()
                target.persistable = value.persistable
                home[key] = target
                self.written.append((target, value))
                self._instead.append((old, target))

    def _can_write(self, old, value):
        return (
            isinstance(old, _core.Tensor)
            and isinstance(value, _core.Tensor)
            and old.shape == value.shape
            and old.dtype == value.dtype
            and old.stop_gradient
            and value.stop_gradient
            and sum(v is old for _, before in self._homes for v in before.values()) == 1
        )


class Recording:
    """One recorded call: `program`, symbolic `inputs` and `outputs`, the core's `traced`, the result's layout.

    `taped`: the call has run; what is on its tape is recorded, not the function.
    """

    def __init__(self, function, args, kwargs, surroundings, names=None, shapes=None, taped=None):
        self.program, self.inputs, self.names, self.outputs = _program.Program(), [], [], []
        self.slots, self._writes = {}, []
        self.grad = _core.is_grad_enabled()
        names, shapes = list(names or []), list(shapes or [])

        def symbolic(value):
            if not isinstance(value, (_core.Tensor, InputSpec)):
                return value
            place = len(self.inputs)
            name = names[place] if place < len(names) and names[place] else f'input_{place}'
            while name in self.names:
                name += '_'
            shape = shapes[place] if place < len(shapes) and shapes[place] is not None else list(value.shape)
            result = self.program._data(name, shape, value.dtype)
            result.stop_gradient = value.stop_gradient
            self.inputs.append(result)
            self.names.append(name)
            return result

        state = [(layer, dict(layer.__dict__), dict(layer._buffers)) for layer in surroundings.layers if not taped]
        if taped:
            taped.find_assigned()
        amp, self._tape, self._seen = _core.get_amp_state(), taped and taped.tape, []
        try:
            with _program.recording(self.program):
                _core.set_amp_state(amp[0], amp[1])
                self.args = replace(tuple(args), symbolic)
                self.kwargs = replace(dict(kwargs), symbolic)
                if taped:
                    taped.replay(self.inputs)
                    self.result, self.returned = taped.result, self._symbolic(taped.result)
                else:
                    self.result = self.returned = function(*self.args, **self.kwargs)
                self._attributes = self._restore(state)
                self._find(self.result)
        except BaseException:
            self._restore(state)
            _core._take_writes(self.program)
            if taped:
                taped.tape.restore()
            raise
        for tensor, value in _core._take_writes(self.program):
            self._writes.append((tensor, self._output(value)))
        for place, value in enumerate(self.inputs):
            if self._is_written(place):
                self._writes.append((place, self._output(value)))
        if taped:
            taped.tape.restore()
            self._writes.extend((target, self._output(self._symbol(value))) for target, value in taped.written)
            self._set([(home, key) for home, key, _ in taped.assigned], [value for _, _, value in taped.assigned])
            if taped.tape.strays(self._seen + [value for _, value in taped.written]):
                raise Changed('[to_static] expected a function that leaves no tensors behind but its results')
            self._tape = None
        else:
            self._finish()

    def _symbol(self, tensor):
        """What stands for a tensor of the call in the program; other tensors for themselves."""
        if self._tape is None:
            return tensor
        self._seen.append(tensor)
        symbol = self._tape.stand_in(tensor)
        if symbol is None:
            raise NotCapturable('[to_static] expected results that operations made')
        return symbol

    def _symbolic(self, value):
        """The tensors of a result as symbolic ones, in lists and dicts."""
        if isinstance(value, _core.Tensor):
            return self._symbol(value)
        if isinstance(value, dict):
            return {k: self._symbolic(v) for k, v in value.items()}
        return [self._symbolic(v) for v in value] if isinstance(value, (list, tuple)) else value

    def _is_recorded(self, tensor):
        return isinstance(tensor if self._tape is None else self._tape.stand_in(tensor), _core.pir.Value)

    def _is_written(self, place):
        return self.program._value_name(self.inputs[place]) != self.names[place]

    def _restore(self, state):
        """Undo assignments of recorded values to attributes; returns [(dict, key, old, new)] of them."""
        found = []
        for layer, attributes, buffers in state:
            for home, before in ((layer.__dict__, attributes), (layer._buffers, buffers)):
                for key, value in list(home.items()):
                    old = before.get(key, NotCapturable)
                    if value is old or not any(isinstance(t, _core.pir.Value) for t in tensors_of(value)):
                        continue
                    if old is NotCapturable:
                        del home[key]
                    else:
                        home[key] = old
                    found.append((home, key, old, value))
        return found

    def _output(self, value):
        for place, known in enumerate(self.outputs):
            if known is value:
                return place
        self.outputs.append(value)
        return len(self.outputs) - 1

    def _find(self, value):
        """Note where the tensors of a result come from."""
        if isinstance(value, _core.Tensor):
            symbol = self._symbol(value)
            place = next((i for i, t in enumerate(self.inputs) if t is symbol), None)
            if place is not None:
                self.slots[id(value)] = (1, place)
            elif isinstance(symbol, _core.pir.Value):
                self.slots[id(value)] = (0, self._output(symbol))
        elif type(value) in (list, tuple):
            for v in value:
                self._find(v)
        elif isinstance(value, dict):
            for v in value.values():
                self._find(v)
            if type(value) is not dict:
                self.slots[id(value)] = [functools.partial(_rebuild_dict, type(value), list(value)), *value.values()]
        elif isinstance(value, tuple) and hasattr(value, '_fields'):
            for v in value:
                self._find(v)
            self.slots[id(value)] = [type(value), *value]
        elif (
            isinstance(getattr(value, '__dict__', None), dict)
            and not isinstance(value, (type, types.ModuleType, paddle.nn.Layer))
            and not callable(value)
        ):
            held = {k: v for k, v in value.__dict__.items() if any(map(self._is_recorded, tensors_of(v)))}
            for v in held.values():
                self._find(v)
            if held:
                template = _rebuild_object(value, held, *[None] * len(held))
                self.slots[id(value)] = [functools.partial(_rebuild_object, template, list(held)), *held.values()]

    def _finish(self):
        places, values = [], []
        for home, key, old, value in self._attributes:
            if (
                isinstance(old, _core.Tensor)
                and isinstance(value, _core.pir.Value)
                and list(old.shape) == list(value.shape)
                and old.dtype == value.dtype
            ):
                self._writes.append((old, self._output(value)))
                continue
            places.append((home, key))
            values.append(value)
        self._set(places, values)

    def _set(self, places, values):
        """Each run sets these attributes."""
        self.assigned = [(id(home), key) for home, key in places]
        for value in values:
            self._find(value)
        if places:
            result, marker = self.result, object()
            self.slots[id(marker)] = [functools.partial(_set_attributes, places), result, *values]
            self.result = marker

    def trace(self, fuse):
        """The runnable form."""
        self.traced = _core.Traced(self.program, self.inputs, self.names, self.outputs, self._writes, self.grad, fuse)
        return self.traced
