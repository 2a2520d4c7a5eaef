# SPDX-License-Identifier: Apache-2.0
"""The session of a call that is recorded by running it on symbolic tensors.

What no recording can stand for ends the call before it is done, and `undo` puts back what the call
changed: it can run as it is then, as if it had not run before.
"""

import math
import types

from paddle.autograd.backward_mode import backward
from paddle.base import libpaddle as _core

from . import places, tables
from .extents import Extent, Extents, any_extent, fix_in_place, fixed
from .gradient_code import HOOKS, lasting
from .gradients import NAMES, Gradients, part_of, symbolic
from .places import ABSENT
from .session import Session

# What depends on the extents of a tensor.
_SIZES = {
    'shape': lambda session, tensor: session.extents.shape(tensor),
    'size': lambda session, tensor: session.size(tensor),
    'nbytes': lambda session, tensor: session.extents.fix(
        math.prod(session.extents.shape(tensor), start=tensor.itemsize)
    ),
}
_BACKWARD = getattr(backward, '__wrapped__', backward)  # calls of second names are told by it
_OF_INTS = (min, max, sum, abs, int, bool, float, math.prod)
_SCALING = ('Add', 'Sub', 'Mult', 'Div')
_CLEARING = {'clear_grad', 'clear_gradient', '_zero_grads'}
_OTHER_HOOKS = {'register_post_accumulate_grad_hook', '_register_backward_hook'}


class Unguarded(BaseException):
    """The call does what no recording can stand for; ends it, whatever it catches."""


class SymbolicSession(Gradients, Session):
    """One call that is recorded by running it on symbolic tensors.

    `guarded`: Unguarded is raised where no recording can stand for the call; else `why` tells.
    """

    _loops = False  # over tensors, round by round
    raised = False  # a function of this package, which may not raise on tensors with data
    follows_extents = (
        False  # of symbolic tensors, as numbers; else they are tensors (jit/dy2static)
    )

    def __init__(self, guarded=True):
        Session.__init__(self)
        self.extents = Extents()
        Gradients.__init__(self)
        self._guarded, self._classes_written = guarded, []
        self._numbers_read = _core._data_reads()
        self.late_places, self._made_before = None, {}  # of what gradients run after the call
        self.over = False  # the recording is made

    def returned(self, value):
        if self.late_places is not None:
            self._made_before = dict(self._made)
        super().returned(value)
        self.settle_gradients(value)
        if _core._data_reads() != self._numbers_read:
            self.stop('numbers of a tensor that was there before are read')

    def stop(self, reason):
        if self.why is None:
            self.why = reason, places.place_of_caller()
            if not self.done:
                self.breaks.update(dict.fromkeys(places.lines_of_caller(), reason))
        if self._guarded:
            raise Unguarded

    # --- extents that are free

    def run(self, function, args, kwargs):
        return fix_in_place(super().run(function, args, kwargs))

    def _of_tensor(self, tensor, kind, name):
        if name in NAMES:
            self.read_gradient(tensor)
        if self.follows_extents and name in _SIZES and symbolic(tensor):
            return (
                self.made(_SIZES[name](self, tensor))
                if name == 'shape'
                else _SIZES[name](self, tensor)
            )
        return super()._of_tensor(tensor, kind, name)

    def iterate(self, value):
        if self.follows_extents and self._loops and symbolic(value) and value.shape:
            if value.shape[0] < 0:
                return self.made([value[k] for k in range(int(self.length(value)))])
        return super().iterate(value)

    def size(self, tensor):
        """The number of elements, which is an int that knows its tensor."""
        if tensor.size < 0:
            self.stop('the size of a tensor whose extents vary')
        return tensor.size

    def length(self, value):
        """The first extent of a tensor."""
        if not value.shape:
            return len(value)  # raises
        return self.extents.shape(value)[0]

    def call(self, /, *args, **kwargs):
        if len(args) > 1 and any(map(any_extent, args)) or kwargs and any_extent(kwargs):
            function, *args = args
            if function in _OF_INTS and not kwargs:
                return function(*args)
            if function is isinstance and type(args[0]) is Extent:
                return isinstance(0, args[1])
            if function is type and len(args) == 1:
                return int
            if not self._takes_extents(function):
                args, kwargs = map(fixed, args), fixed(kwargs)
            args = function, *args
        return super().call(*args, **kwargs)

    def _takes_extents(self, function):
        """Whether what is called sees extents as they are; else numbers for them."""
        kind = type(function)
        if kind in (tables.OP, tables.FRONTED, types.MethodType):
            return True
        if kind is types.FunctionType:
            return function not in tables.PURE_OF_NUMPY
        if function in (list, tuple, dict, zip, enumerate, len, iter, slice, _core.Size):
            return True
        home = getattr(function, '__self__', None)
        return _core._is_tensor(home) or isinstance(home, (list, dict)) and self.is_made(home)

    def _settled(self, a, b):
        """Operands: numbers for extents beside other values than ints and floating tensors."""
        for one, other in ((a, b), (b, a)):
            if type(one) is Extent and type(other) not in (int, bool, Extent):
                if symbolic(other) and other.dtype in tables.FLOATS:
                    return [v.tensor(other.dtype) if v is one else v for v in (a, b)]
                return fixed(a), fixed(b)
        return a, b

    def binary(self, name, a, b):
        if type(a) is Extent or type(b) is Extent:
            a, b = self._settled(a, b) if name in _SCALING else self._fixed_beside(a, b)
        return super().binary(name, a, b)

    def inplace(self, name, a, b):
        if type(a) is Extent or type(b) is Extent:
            a, b = self._settled(a, b) if name in _SCALING else self._fixed_beside(a, b)
        return super().inplace(name, a, b)

    @staticmethod
    def _fixed_beside(a, b):
        if type(a) in tables.NUMBERS and type(b) in tables.NUMBERS:
            return a, b
        return fixed(a), fixed(b)

    def set_name(self, scope, key, value):
        super().set_name(scope, key, fixed(value))

    def set_item(self, value, key, new):
        super().set_item(value, key, new if self.is_made(value) else fixed(new))

    # --- gradients

    def _backward(self, run, *args):
        self.before_backward()
        result = run(*args)
        self.after_backward()
        return result

    def _method(self, kind, name, value, args, kwargs, function):
        run = super()._method
        if _core._is_tensor(value):
            if name == 'backward':
                return self._backward(run, kind, name, value, args, kwargs, function)
            if name in _CLEARING and not _core._is_made(self.program, part_of(value)):
                zero = args[0] if args else kwargs.get('set_to_zero', True)
                return self.clear_gradient(value, bool(zero))
            if name in _OTHER_HOOKS or name in HOOKS and self.is_outer(value):
                self.stop('a hook of a tensor that was there before')
            if name == 'retain_grads':
                self.retained.append(value)
            if name == '_grad_ivar':
                self.read_gradient(value)
            elif name == '_set_grad_ivar' and not symbolic(value) and args:
                return self.set_gradient(value, args[0])
        return run(kind, name, value, args, kwargs, function)

    def _builtin(self, function, args, kwargs):
        if function is _core.run_backward:
            return self._backward(super()._builtin, function, args, kwargs)
        return super()._builtin(function, args, kwargs)

    def _function(self, function, args, kwargs):
        if function is _BACKWARD:
            return self._backward(super()._function, function, args, kwargs)
        return super()._function(function, args, kwargs)

    def set_attribute(self, value, name, new):
        if not self.is_made(value):
            new = fixed(new)
        if (
            name == 'grad'
            and not self.done
            and _core._is_tensor(value)
            and not symbolic(value)
            and not _core._is_made(self.program, part_of(value))
        ):
            return self.set_gradient(value, new)
        return super().set_attribute(value, name, new)

    # --- what gradients run

    def run_by_gradients(self, function):
        if self.late_places is None:
            self.late_places = []
        lines = places.lines_of_caller()
        return super().run_by_gradients(function, lambda *args: self._late(function, args, lines))

    def _late(self, function, args, lines):
        """A call when the session is over; `lines`: of the code that asked for it."""
        inner = type(self)()
        inner.program = self.program
        for value in self._made_before.values():
            inner.made(value)
        try:
            result = inner.run(function, args, {})
            read, _, why = inner.after(())
            if why is None and not lasting(read):
                why = 'a gradient runs code that reads what may change until then', ''
        except Unguarded:
            why = inner.why
        if why is not None:
            self.why, self.breaks = why, dict.fromkeys(lines, why[0])
            inner.undo()
            if self.over:
                raise RuntimeError(
                    f'[to_static] expected gradients that can be recorded, got {why[0]}'
                )
            raise Unguarded
        self.late_places += read
        return result

    def after(self, assigned):
        read, texts, why = super().after(assigned)
        if why is None and self.late_places:
            read = read + self.late_places
            texts = texts + ['what code of gradients reads'] * len(self.late_places)
        return read, texts, why

    # --- as if it had not run

    def _change(self, value, kind, name, method, rest):
        if isinstance(value, type):
            self._classes_written.append((value, name, value.__dict__.get(name, ABSENT)))
        return super()._change(value, kind, name, method, rest)

    def undo(self):
        """Put back what stood in the places that the call read or wrote."""
        for kind, name, value in reversed(self._classes_written):
            if value is not ABSENT:
                setattr(kind, name, value)
            elif name in kind.__dict__:
                delattr(kind, name)
        self.restore_gradients()
        for home, before in self.homes.values():
            _refill(home, before)
        self.put_back()


class PlainSession(SymbolicSession):
    """One call whose Python code is recorded as it is: no branch or loop over tensors is."""

    follows_extents = _loops = True

    def lost(self):
        pass

    def decision(self, tensor, kind):
        if self.done:
            return tensor if kind is bool else kind(tensor)
        return self.stop('a number is read of a tensor')

    def condition(self, value):
        if symbolic(value) and not self.done:
            self.stop('a number is read of a tensor')
        return super().condition(value)

    def text(self, value):
        if _core._is_tensor(value) and not self.done:
            self.stop('the text of a tensor')
        return super().text(value)

    # An exception of an operation may be one of the recording alone, and the call may catch it.

    def _raised(self, error):
        self.stop(f'an operation raised {type(error).__name__}')

    def call(self, /, *args, **kwargs):
        if type(args[0]) is not tables.OP:
            if args[0] is type and len(args) == 2 and symbolic(args[1]):
                self.stop('the class of a tensor')
            return super().call(*args, **kwargs)
        try:
            return super().call(*args, **kwargs)
        except Exception as error:
            return self._raised(error)

    def _method(self, kind, name, value, args, kwargs, function):
        if not _core._is_tensor(value):
            return super()._method(kind, name, value, args, kwargs, function)
        try:
            return super()._method(kind, name, value, args, kwargs, function)
        except Exception as error:
            return self._raised(error)

    def binary(self, name, a, b):
        if not (symbolic(a) or symbolic(b)):
            return super().binary(name, a, b)
        try:
            return super().binary(name, a, b)
        except Exception as error:
            return self._raised(error)


def _refill(home, before):
    """The dict holds what it did."""
    if list(home) != list(before) or any(home[k] is not v for k, v in before.items()):
        home.clear()
        home.update(before)
