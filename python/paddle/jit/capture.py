# SPDX-License-Identifier: Apache-2.0
"""Recording a call of a function: its program, and where its results go."""

import copy
import functools
import itertools
import types

import numpy

import paddle
from paddle.base import libpaddle as _core
from paddle.base.interrupts import undisturbed
from paddle.static import program as _program
from paddle.static.input_spec import InputSpec

from . import reads
from .reads.extents import Extents
from .reads.gradients import part_of
from .reads.places import ABSENT, alike


class NotCapturable(RuntimeError):
    """What the function does cannot be repeated by a program."""


class Changed(NotCapturable):
    """The call changed what it depends on: perhaps the next call can be repeated by a program."""


def tensors_of(value, found=None):
    """The tensors of a nest of lists, tuples and dicts, in order."""
    found = [] if found is None else found
    if _core._is_tensor(value):
        found.append(value)
    elif type(value) in (list, tuple):
        for v in value:
            tensors_of(v, found)
    elif type(value) is dict:
        for v in value.values():
            tensors_of(v, found)
    return found


def _layout_of(tensor):
    return tensor.process_mesh, tensor.placements, tensor.shape


def _distribute(layout, part):
    """The distributed tensor whose part here is `part`."""
    mesh, placements, shape = layout
    return _core._dtensor_from_local(part, mesh, placements, shape)


def replace(value, change):
    """A copy of the nest with `change` applied to its leaves."""
    if type(value) in (list, tuple):
        return type(value)([replace(v, change) for v in value])
    if type(value) is dict:
        return {k: replace(v, change) for k, v in value.items()}
    return change(value)


def parts_of(args, kwargs, counts=()):
    """The tensors that a recording is given for these arguments, those that stand for the ints
    numbered `counts` among them.
    """
    found, ints = [], itertools.count()

    def look(value):
        if _core._is_tensor(value):
            found.append(part_of(value))
        elif type(value) is int and next(ints) in counts:
            found.append(_core._count_tensor(value))

    replace((tuple(args), dict(kwargs)), look)
    return found


def _is_input(value):
    return _core._is_tensor(value) or isinstance(value, InputSpec)


def specs_of(value):
    """The tensors and specs of a nest of lists, tuples and dicts, in order."""
    found = []
    replace(value, lambda v: found.append(v) if _is_input(v) else None)
    return found


def to_tensors(value):
    """NumPy arrays of the nest as tensors; the nest itself when it has none."""
    found = []
    result = replace(
        value,
        lambda v: found.append(v) or paddle.to_tensor(v) if isinstance(v, numpy.ndarray) else v,
    )
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
    """One call of a function as it is, with what it did on a tape and what it read noted: `result`,
    `tape`, `session`.
    """

    def __init__(self, function, args, kwargs):
        tensors = tensors_of((args, kwargs))
        self.assigned, self.written, self._instead = [], [], []
        self.tape = _core._Tape(tensors, [])
        self.session = reads.Session(self.tape)
        with self.tape:
            self.result = self.session.run(function, args, kwargs)
        self.session.returned(self.result)

    def replay(self, inputs):
        """Record what the call did, with `inputs` for the tensors it was given."""
        self.tape.replay(inputs, self._instead)

    def find_assigned(self):
        """Note the attributes of layers that hold tensors of this call. Raises Changed.

        Those that the call read before are written by each run of the program, others are set to
        its results.
        """
        for home, key, old, was_read in self.session.assigned.values():
            value = home.get(key, ABSENT)
            if value is old or alike(value, old):
                self.session.instead(home, key, old)
                continue
            made = tensors_of(value)
            if old is ABSENT or old is None or not made or not all(map(self.tape.made, made)):
                raise Changed(
                    f'[to_static] expected attribute {key!r} to be there before, or to stay'
                )
            if not any(map(self.tape.uses, tensors_of(old))):
                if was_read:
                    raise Changed(
                        f'[to_static] expected attribute {key!r} not to be read, or to stay'
                    )
                self.assigned.append((home, key, value))
                continue
            if not self._can_write(old, value):
                raise Changed(
                    f'[to_static] expected attribute {key!r} to keep its shape, without a gradient'
                )
            # A tensor of its own: the one the function made may be seen elsewhere.
            with paddle.no_grad():
                target = value.clone()
            target.persistable = value.persistable
            home[key] = target
            self.session.instead(home, key, target)
            self.written.append((target, value))
            self._instead.append((old, target))

    def _can_write(self, old, value):
        return (
            _core._is_tensor(old)
            and _core._is_tensor(value)
            and old.shape == value.shape
            and old.dtype == value.dtype
            and old.stop_gradient
            and value.stop_gradient
            and self.session.times_found(old) == 1
        )


class Recording:
    """One recorded call: `program`, symbolic `inputs` and `outputs`, the core's `traced`, the
    result's layout.

    The session runs the function. `taped`: the call has run; what is on its tape is recorded, not
    the function. `free`: which extents and ints are free; `extents`: what is known of them.
    """

    def __init__(self, function, args, kwargs, session, names=None, free=None, taped=None):
        self.program, self.inputs, self.names, self.outputs = _program.Program(), [], [], []
        self.slots, self._writes, self.decisions, self.traced = {}, [], [], None
        self._first = {}  # group of equal free extents -> the first of them
        self.free = {}  # (input, axis) -> what is free there
        self.grad = _core.is_grad_enabled()
        names = list(names or [])
        self.extents = Extents() if taped else session.extents
        tensors, ints = itertools.count(), itertools.count()

        def symbolic(value):
            if type(value) is int and free is not None:
                number = next(ints)
                if number in free.counts:
                    return self.extents.of(self._free_int(value, number, free))
            if not _is_input(value):
                return value
            return self._input_for(value, next(tensors), names, free)

        homes = {} if taped else session.homes
        gradient_writes = () if taped else session.gradient_writes
        if taped:
            taped.find_assigned()
        else:
            session.program = self.program
        self._tape, self._seen, self._made = taped and taped.tape, [], {}
        try:
            with undisturbed(), _program.recording(self.program), _core.pir.FunctionScope():
                self.args = replace(tuple(args), symbolic)
                self.kwargs = replace(dict(kwargs), symbolic)
                if taped:
                    taped.replay(self.inputs)
                    self.result, self.returned = taped.result, self._symbolic(taped.result)
                else:
                    given = specs_of((tuple(args), dict(kwargs)))
                    if all(map(_core._is_tensor, given)):
                        counts = () if free is None else free.counts
                        parts = parts_of(args, kwargs, counts)
                        session.inputs_given = list(zip(self.inputs, parts))
                    self.result = self.returned = session.run(function, self.args, self.kwargs)
                    session.returned(self.result)
                attributes = self._restore(homes)
                self._find(self.result)
                if taped:
                    self._take_from(taped)
                else:
                    self._assign(attributes)
                    for target, value, kind in gradient_writes:
                        place = -1 if value is None else self._output(value)
                        self._writes.append((target, place, kind))
        except BaseException:
            self._restore(homes)
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
            if taped.tape.count_escaped(self._seen + [value for _, value in taped.written]):
                raise Changed(
                    '[to_static] expected a function that leaves no tensors behind but its results'
                )
            self._tape = self._seen = None
        self._made = None

    def _input_for(self, value, place, names, free):
        """The value of the program that takes the place of tensor number `place` of a call."""
        name = names[place] if place < len(names) and names[place] else f'input_{place}'
        while name in self.names:
            name += '_'
        divided = _core._is_tensor(value) and value.is_dist()
        shape = self._extents_of(value, place, free) if not divided else part_of(value).shape
        result = self.program._data(name, shape, value.dtype)
        result.stop_gradient = value.stop_gradient
        self._add_input(result, name)
        if _core._is_tensor(value) and not divided and free is not None:
            self._know_extents(result, value.shape, free, place)
        return _distribute(_layout_of(value), result) if divided else result

    def _take_from(self, taped):
        """What a taped call wrote, decided and assigned."""
        self._writes.extend(
            (target, self._output(self._value(self._symbol(value))))
            for target, value in taped.written
        )
        self.decisions = [
            (self._output(self._value(self._symbol(tensor))), number)
            for tensor, number, *_ in taped.session.decisions
        ]
        self._set(
            [(home, key) for home, key, _ in taped.assigned], [v for _, _, v in taped.assigned]
        )

    def _add_input(self, value, name):
        self.inputs.append(value)
        self.names.append(name)

    def _extents_of(self, value, place, free):
        """The shape of an input; equal free extents are one symbol."""
        if free is None or free.shapes is None or free.shapes[place] is None:
            return list(value.shape)
        return [
            self._first.get(free.same.get((place, axis)), -1) if extent < 0 else extent
            for axis, extent in enumerate(free.shapes[place])
        ]

    def _know_extents(self, value, numbers, free, place):
        for axis, extent in enumerate(_core.pir._extents(value)):
            if type(extent) is not int:
                slot = None if place is None else (place, axis)
                self._know_extent(extent, axis, numbers[axis], free, slot)

    def _know_extent(self, extent, axis, number, free, slot):
        """An extent of the last input is free."""
        if slot in free.same:
            self.free[len(self.inputs) - 1, axis] = slot
            self._first.setdefault(free.same[slot], extent)
            self.extents.at_least(len(self.inputs) - 1, axis, 2)
        self.extents.add(extent, len(self.inputs) - 1, axis, number)

    def _free_int(self, value, number, free):
        """An int among the arguments as the extent of an input."""
        first = self._first.get(free.same[None, number], -1)
        name = free.names.get(number, f'integer_{number}')
        while name in self.names:
            name += '_'
        result = self.program._data(name, [first], 'uint8')
        self._add_input(result, name)
        extent = _core.pir._extents(result)[0]
        self.extents.ints.add(len(self.inputs) - 1)
        self._know_extent(extent, 0, value, free, (None, number))
        return extent

    def _symbol(self, tensor):
        """What stands for a tensor of the call in the program; other tensors for themselves."""
        if self._tape is None:
            return tensor
        self._seen.append(tensor)
        symbol = self._tape.proxy(tensor)
        if symbol is None:
            raise NotCapturable('[to_static] expected results that operations made')
        return symbol

    def _symbolic(self, value):
        """The tensors of a result as symbolic ones, in lists and dicts; None for other values."""
        if _core._is_tensor(value):
            return self._symbol(value)
        if isinstance(value, dict):
            return {k: self._symbolic(v) for k, v in value.items()}
        return [self._symbolic(v) for v in value] if isinstance(value, (list, tuple)) else None

    def _is_recorded(self, tensor):
        """Whether each run makes the tensor anew."""
        proxy = tensor if self._tape is None else self._tape.proxy(tensor)
        return proxy is not None and self._is_made(proxy)

    def _is_made(self, symbol):
        return isinstance(symbol, _core.pir.Value) or _core._is_made(self.program, symbol)

    def _is_written(self, place):
        return self.program._value_name(self.inputs[place]) != self.names[place]

    def _restore(self, homes):
        """Undo assignments of recorded values to attributes; returns [(dict, key, old, new)] of
        them.
        """
        found = []
        for home, before in homes.values():
            for key, value in list(home.items()):
                old = before.get(key, ABSENT)
                if value is old or not any(map(self._is_made, tensors_of(value))):
                    continue
                if old is ABSENT:
                    del home[key]
                else:
                    home[key] = old
                found.append((home, key, old, value))
        return found

    def _value(self, symbol):
        """The value of the program that a recorded tensor is; one of data is itself again after the
        recording.
        """
        if not _core._is_made(self.program, symbol):
            return symbol
        if id(symbol) not in self._made:
            self._made[id(symbol)] = symbol, _core._as_result(symbol)
        return self._made[id(symbol)][1]

    def _output(self, value):
        for place, known in enumerate(self.outputs):
            if known is value:
                return place
        self.outputs.append(value)
        return len(self.outputs) - 1

    def _find(self, value):
        """Note where the tensors of a result come from."""
        if _core._is_tensor(value) and value.is_dist():
            part = part_of(value)
            self._find(part)
            self.slots[id(value)] = [functools.partial(_distribute, _layout_of(value)), part]
        elif _core._is_tensor(value):
            symbol = self._symbol(value)
            place = next((i for i, t in enumerate(self.inputs) if t is symbol), None)
            if place is not None:
                self.slots[id(value)] = (1, place)
            elif self._is_made(symbol):
                self.slots[id(value)] = (0, self._output(self._value(symbol)))
        elif type(value) in (list, tuple):
            for v in value:
                self._find(v)
        elif isinstance(value, dict):
            for v in value.values():
                self._find(v)
            if type(value) is not dict:
                self.slots[id(value)] = [
                    functools.partial(_rebuild_dict, type(value), list(value)),
                    *value.values(),
                ]
        elif isinstance(value, tuple) and hasattr(value, '_fields'):
            for v in value:
                self._find(v)
            self.slots[id(value)] = [type(value), *value]
        elif (
            isinstance(getattr(value, '__dict__', None), dict)
            and not isinstance(value, (type, types.ModuleType, paddle.nn.Layer))
            and not callable(value)
        ):
            held = {
                k: v
                for k, v in value.__dict__.items()
                if any(map(self._is_recorded, tensors_of(v)))
            }
            for v in held.values():
                self._find(v)
            if held:
                template = _rebuild_object(value, held, *[None] * len(held))
                self.slots[id(value)] = [
                    functools.partial(_rebuild_object, template, list(held)),
                    *held.values(),
                ]

    def _assign(self, attributes):
        """Have each run assign what the function did: [(dict, key, old, new)]."""
        places, values = [], []
        for home, key, old, value in attributes:
            if (
                _core._is_tensor(old)
                and _core._is_tensor(value)
                and self._is_made(value)
                and list(old.shape) == list(value.shape)
                and old.dtype == value.dtype
            ):
                self._writes.append((old, self._output(self._value(value))))
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
        self.traced = _core.Traced(
            self.program, self.inputs, self.names, self.outputs, self._writes, self.grad, fuse
        )
        return self.traced
