# SPDX-License-Identifier: Apache-2.0
"""`StaticFunction`: a function that runs as a program once it has been recorded for the way it is
called.
"""

import contextlib
import functools
import inspect
import itertools
import logging
import textwrap
import types
import warnings

import paddle
from paddle import flags
from paddle.base import libpaddle as _core
from paddle.base.arguments import only
from paddle.base.interrupts import raised_by_handler
from paddle.static.input_spec import InputSpec

from . import capture, environment, explanation
from .dy2static.convert import use_verbosity
from .reads import tables
from .reads.graph import GraphSession
from .reads.places import KINDS, depth_of_caller
from .reads.symbolic import PlainSession, Unguarded
from .varying import Free, Varying

_RECORDED, _PLAIN, _ONCE = 0, 1, 2
# What can be made of a tape (paddle/jit/tape_tensors.h).
_TAPED, _TAPED_ONCE, _TAPED_CHANGED, _TAPED_PLAIN = 0, 1, 2, 3
_FIXED = 4  # recorded again without what was free
_MOST_CHANGES = 2
_MOST_EVENTS = 64
_MOST_UNUSED = 64  # recordings, from which on new ones are made only if most ran again
_MOST_ZEROS = 2  # recordings that may depend on gradients that are zero
_MOST_DECIDED = 16  # the same where numbers of tensors decide which one fits
BOUND = '_pt_static_'  # names of what objects keep of methods that are marked begin so
_serial = itertools.count()
_logger = logging.getLogger('paddle.jit')


class _Refused(Exception):
    """The call raised when it was recorded."""


class ConcreteProgram:
    """The recording of one way of calling: program, inputs, outputs and parameters."""

    def __init__(self, recording, function):
        self.recording, self.function = recording, function
        self.main_program = recording.program
        self.startup_program = paddle.static.Program()
        self.inputs, self.kwargs = list(recording.args), dict(recording.kwargs)
        self.outputs = list(recording.outputs)

    @property
    def parameters(self):
        """The captured parameters and buffers."""
        return _core._captured_tensors(self.main_program)


class FunctionSpec:
    """The signature and input specs of a function."""

    def __init__(self, function, input_spec):
        self.dygraph_function, self.input_spec = function, input_spec
        self.arg_names = parameter_names(function)

    @property
    def code(self):
        """The source of the function."""
        return source_of(self.dygraph_function)


def parameter_names(function):
    """Names of the positional parameters."""
    try:
        return [
            p.name
            for p in inspect.signature(function).parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        return []


def source_of(function):
    """The source text of a function."""
    while isinstance(function, functools.partial):
        function = function.func
    return textwrap.dedent(inspect.getsource(getattr(function, '__func__', function)))


class ProgramCache:
    """The recordings of a function."""

    def __init__(self, owner):
        self._owner = owner

    def concrete_programs(self):
        """All recordings that are kept."""
        return list(self._owner._programs)

    def last(self):
        """The last recording."""
        return self._owner._programs[-1]

    def clear(self):
        """Forget all recordings."""
        self._owner._programs.clear()
        self._owner._clear()

    def __len__(self):
        return len(self._owner._programs)


class StaticFunction(_core.RecordedCalls):
    """A function marked with `to_static`.

    With `full_graph` its first call records it, control flow included. Without, the first call runs
    it as it is and notes what it does, which is recorded when the call ends; what cannot be
    recorded goes on running as it is.
    """

    def __init__(
        self,
        function,
        input_spec=None,
        instance=None,
        full_graph=False,
        backend='CINN',
        build_strategy=None,
        dynamic_dims=None,
        is_property=False,
    ):
        functools.update_wrapper(self, function, updated=())
        self._dygraph_function, self._input_spec, self._instance = function, input_spec, instance
        self._options = {
            'full_graph': full_graph,
            'backend': backend,
            'build_strategy': build_strategy,
            'dynamic_dims': dynamic_dims,
            'is_property': is_property,
        }
        self._full_graph = bool(full_graph)
        self._fuse = backend == 'CINN' and bool(flags.get_flags('jit_fuse')['jit_fuse'])
        self._programs, self._traced_count, self._last_call = [], 0, None
        self._converted, self._busy, self._changes, self._events = None, False, 0, []
        self._failures = {}  # (number of a recording, error) -> explanation.Failure
        self._varying = Varying()
        self._decides = {}  # lines that read numbers of tensors, which tell recordings apart
        self._owner = self._regions = None  # once it is known that it cannot be compiled as a whole
        self._whole = function  # what runs where nothing is recorded
        self._function_spec = FunctionSpec(function, input_spec)
        self._set_plain(function)
        use_verbosity()

    # --- binding

    def _bind(self, instance, owner):
        """What the attribute gives; the object keeps it beside its attributes."""
        home = getattr(instance, '__dict__', None)
        if self.is_property and isinstance(home, dict):
            bound = home.get(self._key)
            if isinstance(bound, StaticFunction) and bound.class_instance is instance:
                return bound()
        function = self._dygraph_function
        if hasattr(function, '__get__'):
            function = function.__get__(instance, owner)
        bound = StaticFunction(function, self._input_spec, instance, **self._options)
        bound._bound_by(self, instance)
        if isinstance(home, dict):
            home[self._key] = bound
        elif isinstance(instance, type):
            with contextlib.suppress(TypeError):
                type.__setattr__(instance, self._key, bound)
        return bound() if self.is_property else bound

    @functools.cached_property
    def _key(self):
        key = f'{BOUND}{next(_serial)}'
        if not self.is_property:
            self._keep_by(key)
        return key

    def bound_to(self, instance):
        """The same for another object."""
        function = self._dygraph_function
        if instance is not self._instance and isinstance(function, types.MethodType):
            function = function.__func__.__get__(instance)
        return StaticFunction(function, self._input_spec, instance, **self._options)

    def __deepcopy__(self, memo):
        return self.bound_to(memo.get(id(self._instance), self._instance))

    def __reduce__(self):
        return _rebuild, (self._dygraph_function, self._input_spec, self._instance, self._options)

    # --- calls no recording fits; the core finds the others

    def _miss(self, args, kwargs):
        if self._busy:
            return self._dygraph_function(*args, **kwargs)
        plain = capture.to_tensors(args), capture.to_tensors(kwargs)
        if plain[0] is not args or plain[1] is not kwargs:
            return self(*plain[0], **plain[1])
        if not self._full_graph:
            return self._run_noted(args, kwargs)
        free = self._free(args, kwargs)
        self._check_count(args, kwargs)
        session = GraphSession()
        session.follows_extents = bool(free)
        return self._run_symbolic(args, kwargs, session, free)

    def _run_noted(self, args, kwargs):
        """Run the function as it is, or record it, as what varies asks for."""
        free = self._free(args, kwargs)
        if free.not_taped():
            return self._again(args, kwargs, free)
        return self._run_taped(args, kwargs, free)

    def _free(self, args, kwargs):
        """What the next recording of such a call leaves free."""
        shapes = self._shapes(args, kwargs)
        fixed = shapes is not None or self._input_spec is not None
        if fixed or not environment.DYNAMIC_SHAPE.get():
            return Free(shapes)
        free = self._varying.note(args, kwargs)
        if free.counts:
            free.names = self._int_names(args, kwargs)
        return free

    def _again(self, args, kwargs, free=None):
        """Record a call that a tape cannot be made of, and run what was recorded."""
        self._drop(args, kwargs)
        self._last_call = self._specs(args, kwargs)
        free = self._free(args, kwargs) if free is None else free
        try:
            return self._run_symbolic(args, kwargs, PlainSession(), free)
        except _Refused as error:
            self._add_plain(args, kwargs)
            result = self._whole(*args, **kwargs)  # an error of the function's own is raised here
            self._say_plain(f'{type(error.__cause__).__name__}: {error.__cause__}')
            return result

    def _add_plain(self, args, kwargs, free=None):
        """Such calls run as they are from now on, also where what varies is another; but then no
        recording may fit them.
        """
        if free and self._traced_count == 0:
            pattern = self._pattern(args, kwargs, free.shapes, free.counts)
        else:
            pattern = self._pattern(args, kwargs, self._shapes(args, kwargs), [])
        self._add(_PLAIN, pattern, [], None, None, None, [], [])
        self._plain_count += 1

    def _run_symbolic(self, args, kwargs, session, free):
        """Record the function by running it on symbolic tensors, and run what was recorded; where
        no recording can stand for the call, run the function as it is.
        """
        event, recording, why = self._note_miss(args, kwargs), None, None
        session.assumes_zeros = self._traced_count < _MOST_ZEROS
        try:
            recording = self._record(args, kwargs, self._dygraph_function, session, free)
            if session.late_places is not None:  # recorded with the gradients
                recording.trace(self._fuse)
                if _core._take_writes(recording.program):
                    raise capture.NotCapturable('[to_static] expected gradients without writes')
            places, event.guards, why = session.after(recording.assigned)
            if why is None:
                if recording.traced is None:
                    recording.trace(self._fuse)
                self._check_apart(recording, args, kwargs, free)
        except Unguarded:
            why = session.why
        except Exception as error:
            if raised_by_handler(error):
                raise
            if free:
                session.undo()
                return self._run_fixed(
                    args, kwargs, free, event, f'{type(error).__name__}: {error}'
                )
            if not isinstance(error, capture.NotCapturable) or (
                session.why is None and recording is None
            ):
                session.undo()
                event.reason, event.end = f'{type(error).__name__}: {error}', _TAPED_PLAIN
                if not self._full_graph:
                    raise _Refused from error
                from .dy2static.merge import Dygraph2StaticException

                # These may be what a recording alone raises, such as a number that is read.
                if isinstance(error, (TypeError, RuntimeError, Dygraph2StaticException)):
                    raise
                # The function raises this where its code does, with what it did before that.
                result = self._dygraph_function(*args, **kwargs)
                self._add_plain(args, kwargs)
                self._say_plain(event.reason)
                return result
            why = str(error), ''
        if why is None:
            session.over = True
            event.operations = _operations(recording.program)
            event.end = _TAPED
            self._recorded(recording)
            _logger.debug('%s', event)
            return self._run(recording, places, args, kwargs, event, free)
        if free:
            session.undo()
            return self._run_fixed(args, kwargs, free, event, *why)
        event.reason, event.where = why
        event.end, breaks = _TAPED_PLAIN, session.breaks
        if session.why is None or _changed(session):  # the first may set up
            self._changes += 1
            event.end = _TAPED_CHANGED if self._changes <= _MOST_CHANGES else _TAPED_PLAIN
            breaks = breaks or session.changes_made()
        session.undo()
        run = functools.partial(self._dygraph_function, *args, **kwargs)
        if session.raised:  # what it raises as it is leaves no entry
            run = functools.partial(_given, run())
        if event.end == _TAPED_PLAIN:
            self._add_plain(args, kwargs)
            self._split(breaks)
            _logger.info('%s', event)
            if self._full_graph:
                self._say_plain(' '.join(filter(None, (why[0], why[1] and f'({why[1]})'))))
        return run()

    def _run_fixed(self, args, kwargs, free, event, reason, where=''):
        """A recording in which numbers are free failed: record those of this call."""
        free.give_up()
        event.end, event.reason, event.where = _FIXED, reason, where
        return self._miss(args, kwargs)

    def _say_plain(self, reason):
        """Warn, once a function with its regions, that a call was not recorded though the caller
        may expect it.
        """
        if not self._said_plain and not (self._owner is not None and self._owner.said_plain):
            self._said_plain = True
            if self._owner is not None:
                self._owner.said_plain = True
            name = getattr(self._dygraph_function, '__qualname__', repr(self._dygraph_function))
            warnings.warn(
                f'[to_static] {name} runs as it is, without a recording: {reason}',
                stacklevel=depth_of_caller(),
            )

    _said_plain, _noted, _plain_count = False, 0, 0

    def _inline(self, args, kwargs):
        """Within another recording the operations become part of that."""
        return self._target()(*args, **kwargs)

    def _run_taped(self, args, kwargs, free):
        """Run the function as it is, and record what it did."""
        pattern = self._pattern(args, kwargs, free.shapes, free.counts)
        self._last_call = self._specs(args, kwargs)
        event = self._note_miss(args, kwargs)
        most = _MOST_DECIDED if self._decides else _MOST_UNUSED
        if self._plain_count >= _MOST_UNUSED and self._compiled_runs() < self._plain_count:
            event.end, event.reason = _TAPED_PLAIN, f'most of {self._plain_count} calls were others'
            return self._whole(*args, **kwargs)
        if self._traced_count >= most and self._compiled_runs() < self._traced_count:
            event.end, event.reason = (
                _TAPED_PLAIN,
                f'most of {self._traced_count} recordings ran once',
            )
            if self._decides:  # each recording is tried, and does not fit
                self._add_plain(args, kwargs)
                self._split(self._decides)
            return self._whole(*args, **kwargs)
        taped = capture.Taped(self._dygraph_function, args, kwargs)
        end, session, breaks = taped.tape.end, taped.session, taped.session.breaks
        event.reason, event.where = session.why or (taped.tape.why, '')
        if session.why is not None:
            end = _TAPED_PLAIN
            if self._changes == 0 and _changed(session):  # perhaps the first call sets up
                end = _TAPED_CHANGED
        elif session.foreign and end != _TAPED_PLAIN:
            end = _TAPED_CHANGED
            event.reason, event.where = 'code ran whose reads are not noted', session.foreign
        if end == _TAPED:
            end = self._record_taped(taped, args, kwargs, free, pattern, event)
        if end == _TAPED_ONCE and any(map(tables.is_of_user, session.decisions)):
            end, breaks = _TAPED_PLAIN, _lines_of(session.decisions)
        if end == _TAPED_ONCE and free:  # an entry would fit calls that recordings fit
            free.calls.run = True
        elif end == _TAPED_ONCE:
            self._add(_ONCE, pattern, [], None, None, None, [], [])
        if end == _TAPED_CHANGED:
            self._changes += 1
            if self._changes > _MOST_CHANGES:
                end, breaks = _TAPED_PLAIN, session.changes_made()
        event.end = end
        if end == _TAPED_PLAIN:
            self._add_plain(args, kwargs, free)
            self._split(breaks or self._unmade(taped.result))
        _logger.log(logging.INFO if end == _TAPED_PLAIN else logging.DEBUG, '%s', event)
        return taped.result

    def _split(self, breaks):
        """Have what stays Python run between compiled regions: (file, line) -> reason of lines that
        cannot be compiled.
        """
        from .regions import Owner, Regions

        if self._owner is None:
            if not breaks:
                return
            self._owner = Owner({'backend': self._options['backend']})
            self._owner.said_plain = self._said_plain
        self._owner.note(breaks)
        if self._regions is None:
            self._regions = Regions(self._owner, self)
        self._regions.update()

    def _become(self, run, driver=None, function=None):
        """What runs where nothing is recorded from now on; it does what the function does.
        `driver`: the same where the code and defaults of `function` are as they are now.
        """
        self._whole = run
        if driver is None:
            self._set_plain(run)
        else:
            self._set_plain(driver, self._dygraph_function, [(KINDS.FUNCTION, function)])

    def _all_runs(self):
        """How many calls of the function and its regions ran a recording."""
        parts = self._owner.parts() if self._owner is not None else []
        return self._compiled_runs() + sum(p._compiled_runs() for p in parts)

    def _news(self):
        """A number that grows when something is found out about the function or its regions."""
        parts = self._owner.parts() if self._owner is not None else []
        return self._noted + sum(p._noted + 1 for p in parts)

    def _unmade(self, result):
        """Lines that make what no recording can make, as for `_split`."""
        return {}

    def _unchanged(self, session, event):
        """The places that the call read, for the core; None where it changed one."""
        places, texts = session.described()
        changed = _core._changed_place(places)
        event.guards = texts
        if changed < 0:
            return places
        event.reason = f'the call changed what it read: {texts[changed]}'
        return None

    def _record_taped(self, taped, args, kwargs, free, pattern, event):
        """Add the recording of a call that has run; what has become of the tape."""
        try:
            recording = capture.Recording(
                None, args, kwargs, None, self._input_names(args, kwargs), free, taped
            )
            recording.trace(self._fuse)
            if taped.session.decisions and (taped.assigned or recording.traced.has_effects):
                event.where = taped.session.decisions[0][2]
                event.reason = 'a number is read of a tensor in a call that has effects'
                taped.session.breaks.update(_lines_of(taped.session.decisions))
                return _TAPED_PLAIN
            self._check_apart(recording, args, kwargs, free)
        except capture.Changed as error:
            event.reason = str(error)
            return _TAPED_CHANGED
        except Exception as error:
            if raised_by_handler(error):
                raise
            event.reason = f'{type(error).__name__}: {error}'
            unknown = free.shapes is not None and any(-1 in shape for shape in free.shapes)
            if unknown and taped.tape.end == _TAPED_ONCE:
                event.reason = 'it reads extents that vary'
                return _TAPED_ONCE
            if free:
                free.give_up()
                return _FIXED
            lines = taped.session.lines_of_extents()
            taped.session.breaks.update(lines)
            if not lines:
                self._say_plain(event.reason)
            return _TAPED_PLAIN
        for home, key, _ in taped.assigned:
            taped.session.leave_out(home, key)
        places = self._unchanged(taped.session, event)
        if places is None:
            return _TAPED_CHANGED
        self._keep(recording)
        self._decides.update(_lines_of(taped.session.decisions))
        event.number = self._add(
            _RECORDED,
            pattern,
            places,
            recording.traced,
            recording.result,
            recording.slots,
            recording.decisions,
            recording.extents.tests,
        )
        self._note_free(event, recording, free)
        event.guards += [
            f'the number {number} that is read of a tensor ({where})'
            for _, number, where, _ in taped.session.decisions
        ]
        event.operations = _operations(recording.program)
        recording.result = recording.slots = None  # of this call
        self._recorded(recording)
        return _TAPED

    def _failed(self, number, error, raised):
        """A run of a recording failed; the function ran as it is, and `raised`, too, or not."""
        found = self._failures.get((number, error))
        if found is None:
            if len(self._failures) >= _MOST_EVENTS:
                del self._failures[next(iter(self._failures))]
            found = self._failures[number, error] = explanation.Failure(self, number, error)
        found.calls += 1
        found.raised += raised
        if not raised and found.calls == 1:
            _logger.info('%s', found)

    def _recorded(self, recording):
        """A call was recorded."""

    @staticmethod
    def _note_free(event, recording, free):
        """What is free in a recording that was added, and what it depends on."""
        extents = recording.extents
        extents.closed = True
        event.guards += extents.texts(recording.names)
        if free:
            pinned = extents.pinned()
            free.give_up(recording.free[place] for place in pinned)
            event.free = [
                extents.text_of(place, axis, recording.names)
                for place, axis in recording.free
                if (place, axis) not in pinned
            ]

    @staticmethod
    def _check_apart(recording, args, kwargs, free):
        parts = capture.parts_of(args, kwargs, free.counts)
        if not recording.traced.keeps_apart(parts):
            raise capture.NotCapturable(
                '[to_static] expected no other tensor in the memory that the function writes'
            )

    def _note_miss(self, args, kwargs):
        """A call for which nothing is known: noted for `paddle.jit.explain`."""
        event = explanation.Event(getattr(self._dygraph_function, '__qualname__', repr(self)))
        for number, _, why in self._differences(args, kwargs):
            before = next((e for e in self._events if e.number == number), None)
            if why == '' and before is not None:
                why = 'a number that is read of a tensor'
            elif isinstance(why, int) and before is not None:
                why = f'changed: {before.guards[why]}'
            event.differences.append((number, why))
        self._events.append(event)
        self._noted += 1
        del self._events[:-_MOST_EVENTS]
        return event

    def _keep(self, recording):
        self._traced_count += 1
        self._changes = 0
        self._programs.append(ConcreteProgram(recording, self._dygraph_function))
        del self._programs[:-64]

    def _run(self, recording, places, args, kwargs, event, free):
        """Keep a recording that depends on these places, and run it."""
        self._keep(recording)
        event.number = self._add(
            _RECORDED,
            self._pattern(args, kwargs, free.shapes, free.counts),
            places,
            recording.traced,
            recording.result,
            recording.slots,
            [],
            recording.extents.tests,
        )
        self._note_free(event, recording, free)
        self._busy = True
        try:
            return self(*args, **kwargs)
        finally:
            self._busy = False

    def _record(self, args, kwargs, function, session, free):
        names = self._input_names(args, kwargs)
        recording = capture.Recording(function, args, kwargs, session, names, free)
        self._last_call = self._specs(args, kwargs)
        return recording

    def _input_names(self, args, kwargs):
        names = [s.name if isinstance(s, InputSpec) else None for s in self._flat_specs()]
        return names or self._names(args, kwargs)

    def _target(self):
        """The function to record: with control flow converted for `full_graph`."""
        if not self._full_graph:
            return self._dygraph_function
        if self._converted is None:
            self._converted = convert(self._dygraph_function)
        return self._converted

    def _check_count(self, args, kwargs):
        """Raise ValueError for fewer arguments than input_spec describes."""
        count = len(self._input_spec or ())
        if count > len(args) + len(kwargs) + sum(
            p.default is not p.empty for p in self._parameters()
        ):
            raise ValueError(
                f'[to_static] expected at least {count} arguments, as many as input_spec has, got '
                f'{len(args)}'
            )

    def _parameters(self):
        try:
            return list(inspect.signature(self._dygraph_function).parameters.values())
        except (TypeError, ValueError):
            return []

    def _flat_specs(self):
        """The specs of tensor arguments in order; empty without input_spec."""
        return capture.specs_of(list(self._input_spec or ()))

    def _names(self, args, kwargs):
        names, result = parameter_names(self._dygraph_function), []
        for place, value in enumerate(args):
            base = names[place] if place < len(names) else f'args_{place}'
            tensors = capture.tensors_of(value)
            result.extend(
                [base] if len(tensors) == 1 else [f'{base}_{i}' for i in range(len(tensors))]
            )
        for base, value in kwargs.items():
            tensors = capture.tensors_of(value)
            result.extend(
                [base] if len(tensors) == 1 else [f'{base}_{i}' for i in range(len(tensors))]
            )
        return result

    def _int_names(self, args, kwargs):
        """Names of the ints among the arguments: number -> name of the parameter."""
        names, result = parameter_names(self._dygraph_function), {}
        count = 0
        for name, value in [*zip([*names, *[''] * len(args)], args), *kwargs.items()]:
            found = []
            capture.replace(value, lambda v: found.append(v) if type(v) is int else None)
            if found and name:
                result.update((count + k, name) for k in range(len(found)))
            count += len(found)
        return result

    def _shapes(self, args, kwargs):
        """For each tensor None, or its extents with -1 for those that are free."""
        specs = self._flat_specs()
        tensors = capture.tensors_of((args, kwargs))
        if not specs and self._options['dynamic_dims'] is None:
            return None
        shapes = []
        for place, tensor in enumerate(tensors):
            shape = list(tensor.shape)
            spec = specs[place] if place < len(specs) else None
            if isinstance(spec, InputSpec):
                if len(spec.shape) != len(shape) or any(
                    s not in (-1, d) for s, d in zip(spec.shape, shape)
                ):
                    raise ValueError(
                        f'[to_static] expected argument {place} of shape {list(spec.shape)} '
                        f'as in input_spec, got {shape}'
                    )
                shape = list(spec.shape)
            for d in self._free_dims(place):
                shape[d] = -1
            shapes.append(shape)
        return shapes

    def _free_dims(self, place):
        dims = self._options['dynamic_dims']
        if isinstance(dims, dict):
            names = parameter_names(self._dygraph_function)
            dims = dims.get(place, dims.get(names[place]) if place < len(names) else None)
        elif isinstance(dims, (list, tuple)) and any(isinstance(d, (list, tuple)) for d in dims):
            dims = dims[place] if place < len(dims) else None
        return [dims] if isinstance(dims, int) else dims or []

    def _specs(self, args, kwargs):
        shapes, flat = self._shapes(args, kwargs), []

        def spec(value):
            if not _core._is_tensor(value):
                return value
            place = len(flat)
            shape = shapes[place] if shapes else list(value.shape)
            flat.append(InputSpec(shape, value.dtype, None, value.stop_gradient))
            return flat[-1]

        return capture.replace(tuple(args), spec), capture.replace(dict(kwargs), spec)

    # --- what users may ask

    @property
    def dygraph_function(self):
        """The function that was marked."""
        return self._dygraph_function

    @property
    def class_instance(self):
        """What the method is bound to, or None."""
        return self._instance

    @property
    def is_property(self):
        """Whether the attribute is read without a call."""
        return self._options['is_property']

    @property
    def function_spec(self):
        """Signature and input specs."""
        return self._function_spec

    @property
    def input_spec(self):
        """The specs given to `to_static`."""
        return self._input_spec

    @property
    def code(self):
        """The source of what is recorded."""
        from paddle.jit.dy2static import converted_source

        return (
            converted_source(self._dygraph_function)
            if self._full_graph
            else source_of(self._dygraph_function)
        )

    @property
    def last_call_input_spec(self):
        """Specs of the arguments of the last call that was not run from a recording."""
        return list(self._last_call[0]) if self._last_call else None

    @property
    def concrete_program(self):
        """The last recording; made now, from `input_spec` or like the last call, when there is none
        yet.
        """
        return self.concrete_program_specify_input_spec(None)

    def concrete_program_specify_input_spec(
        self, input_spec=None, with_hook=False, is_prim_infer=False
    ):
        """The recording for these specs; without, the last one."""
        only(
            'concrete_program',
            'a recording holds what the function and its hooks did',
            with_hook=(with_hook, False),
            is_prim_infer=(is_prim_infer, False),
        )
        if input_spec is None:
            if self._programs:
                return self._programs[-1]
            if self._input_spec is not None:
                return self._describe(tuple(self._input_spec), {})
            if self._last_call is None:
                raise ValueError(
                    '[to_static] expected a call or input_spec before, got none: there is no '
                    'recording of the function'
                )
            return self._describe(*self._last_call)
        return self._describe(tuple(input_spec), {})

    def _describe(self, args, kwargs):
        recording = capture.Recording(
            self._dygraph_function,
            args,
            kwargs,
            GraphSession(guarded=False),
            [s.name for s in capture.specs_of((args, kwargs))],
        )
        self._programs.append(ConcreteProgram(recording, self._dygraph_function))
        return self._programs[-1]

    def get_concrete_program(self, *args, **kwargs):
        """(recording, its runnable form) for these arguments."""
        args, kwargs = capture.to_tensors(args), capture.to_tensors(kwargs)
        session, free = GraphSession(guarded=False), Free(self._shapes(args, kwargs))
        recording = self._record(args, kwargs, self._dygraph_function, session, free)
        self._keep(recording)
        return self._programs[-1], recording.trace(self._fuse)

    @property
    def main_program(self):
        """The program of the last recording."""
        return self.concrete_program.main_program

    @property
    def inputs(self):
        """The symbolic inputs of the last recording."""
        return self.concrete_program.inputs

    @property
    def outputs(self):
        """The symbolic results of the last recording."""
        return self.concrete_program.outputs

    @property
    def program_cache(self):
        """All recordings."""
        return ProgramCache(self)

    def get_traced_count(self):
        """How many recordings were made."""
        return self._traced_count

    def train(self):
        """Training mode of the layer the method belongs to."""
        if isinstance(self._instance, paddle.nn.Layer):
            self._instance.train()

    def eval(self):
        """Evaluation mode of the layer the method belongs to."""
        if isinstance(self._instance, paddle.nn.Layer):
            self._instance.eval()

    def rollback(self):
        """The function that was marked; an object gets it back as its method."""
        home = getattr(self._instance, '__dict__', None)
        if isinstance(home, dict):
            for name in [k for k, v in home.items() if v is self]:
                del home[name]
                if name.startswith(BOUND):
                    home[self._dygraph_function.__name__] = self._dygraph_function
        return self._dygraph_function


_core._set_vectorcall(StaticFunction)


def _rebuild(function, input_spec, instance, options):
    return StaticFunction(function, input_spec, instance, **options)


def _given(value):
    return value


def _changed(session):
    """Whether a place that the call read holds something else now."""
    return _core._changed_place(session.described()[0]) >= 0


def _lines_of(decisions):
    """(file, line) -> reason of numbers that were read of tensors."""
    return {
        place: 'a number that is read of a tensor decides'
        for *_, lines in decisions
        for place in lines
    }


def _operations(program):
    """How many operations a program has, those of its blocks included."""
    return sum(
        1 for line in str(program).splitlines() if ' = "' in line or line.lstrip()[:2] == '()'
    )


def convert(function):
    """The function with Python control flow made recordable."""
    from paddle.jit import dy2static

    return dy2static.convert_to_static(function)
