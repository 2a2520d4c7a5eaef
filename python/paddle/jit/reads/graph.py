# SPDX-License-Identifier: Apache-2.0
"""The session of a call that is recorded with its control flow converted (jit/dy2static).

Branches, loops and operands over tensors are recorded by the helpers of converted code.
"""

import builtins
import types

import paddle
from paddle.jit.dy2static import calls as _conversion
from paddle.jit.dy2static import merge, runtime, sequences, truth
from paddle.jit.reads.gradients import symbolic

from . import tables
from .symbolic import SymbolicSession

# Of the arguments of a helper of converted code: the first that is code.
_FIRST_PART = {'while_': 0, 'chain': 3, 'not_': 1, 'none_of': 1}
_JOINS = (paddle.stack, paddle.concat)
_RESHAPES = (paddle.reshape, paddle.Tensor.reshape)


class _Part:
    """A branch, loop body or operand that a helper calls: what it runs is not the helper's."""

    def __init__(self, session, function, is_test):
        self._session, self._function, self._is_test = session, function, is_test
        self.__code__, self.__closure__ = function.__code__, function.__closure__
        self.__globals__ = function.__globals__

    def __call__(self, *args):
        self._session._watch.distrust()
        try:
            found = self._function(*args)
            return self._session.test(found) if self._is_test else found
        finally:
            self._session._watch.trust()


def _is_recorded(value):
    """Whether the value is a symbolic tensor, or a list or tuple with some."""
    if type(value) in (list, tuple):
        return any(symbolic(v) or isinstance(v, sequences.Sequence) for v in value)
    return symbolic(value) or isinstance(value, sequences.Sequence)


def _ends_in_package(traceback):
    """Whether what raised is code of this package, or of what it uses: not a handler of signals."""
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback.tb_frame.f_code.co_filename.startswith(tuple(tables.TRUSTED_FILES))


class GraphSession(SymbolicSession):
    """One call that is recorded with its control flow converted.

    `guarded`: Unguarded is raised where no recording can stand for the call; else `why` tells.
    """

    free_files = [*SymbolicSession.free_files, tables.CONVERSION]

    def run(self, function, args, kwargs):
        before, merge.watched.made = merge.watched.made, self.made
        try:
            return super().run(function, args, kwargs)
        finally:
            merge.watched.made = before

    # --- what is converted

    def _left_alone(self, function):
        return None

    def _is_converted(self, function):
        return not _conversion.stays(function)

    def _as_it_is(self, function):
        return _conversion.call(function)

    def call(self, /, *args, **kwargs):
        """function(*args, **kwargs) for (function, *args)."""
        if self.done or not self._guarded:
            return self._called(*args, **kwargs)
        try:
            return self._called(*args, **kwargs)
        except Exception as error:
            if self._raised_by_package(args[0]) and _ends_in_package(error.__traceback__):
                self.raised = True
                name = getattr(args[0], '__qualname__', type(args[0]).__name__)
                self.stop(f'{name} raised {type(error).__name__} when it was recorded')
            raise

    def _raised_by_package(self, function):
        """Whether what a call raises comes from code of this package, which may read numbers that
        are not known yet; a user's code that reads some raises.
        """
        if type(function) is types.FunctionType:
            return tables.is_trusted(function)
        one_step = isinstance(function, (tables.OP, types.BuiltinFunctionType, type))
        return one_step and bool(self.running) and tables.is_written_here(self.running[-1])

    def _called(self, /, *args, **kwargs):
        function, *rest = args
        kind = type(function)
        if kind is types.BuiltinFunctionType or kind is tables.OP or kind is type:
            if self._takes(function, rest, kwargs):
                rest = [self._listed(v) for v in rest]
                return self.made(self.trusted(_conversion.BUILTINS[function], rest, kwargs))
            if function is builtins.print:
                for value in rest:
                    self.text(value)
                return self.unwatched(print, rest, kwargs)
        return super().call(*args, **kwargs)

    def decision(self, tensor, kind):
        if symbolic(tensor) and self._guarded and self.running:
            if tables.is_written_here(self.running[-1]) and not self._is_converted(
                self.running[-1]
            ):
                self.stop(f'{self.running[-1].__qualname__} reads a number of a tensor')
        return super().decision(tensor, kind)

    def _takes(self, function, args, kwargs):
        """Whether the call is one for the function that stands for it in converted code."""
        if function in (any, all):
            return len(args) == 1
        if function in (min, max):
            return not kwargs
        if function in (int, float, bool):
            return len(args) == 1 and symbolic(args[0])
        if function is len:
            if len(args) != 1 or type(args[0]) in (list, tuple):
                return False
            return _is_recorded(args[0]) and not (self.follows_extents and symbolic(args[0]))
        if function is range or function is print:
            return any(map(symbolic, args))
        if function is enumerate or function is zip:
            return any(map(sequences.is_sequence, args)) or any(map(symbolic, args[1:]))
        if function in _JOINS:
            return bool(args) and isinstance(args[0], sequences.Sequence)
        if function in _RESHAPES:
            return any(map(_is_recorded, [*args[1:], *kwargs.values()]))
        return False

    def lost(self):
        pass

    def flow(self, name, *args):
        """A helper of converted code."""
        first = _FIRST_PART.get(name, 1)
        args = [
            _Part(self, a, name == 'while_' and k == 0)
            if k >= first and type(a) is types.FunctionType
            else a
            for k, a in enumerate(args)
        ]
        return self.trusted(getattr(runtime, name), args, {})

    def within(self, key, value):
        if _is_recorded(key) or _is_recorded(value):
            self.use(key)
            self.use(value)
            return self.trusted(truth.in_, (key, value), {})
        return super().within(key, value)

    def shape_of(self, value):
        """value.shape; extents that are not known are tensors."""
        if symbolic(value) and not self.follows_extents:
            return self.made(self.trusted(sequences.shape, (value,), {}))
        return self.attribute(value, 'shape')

    def iterate(self, value):
        if isinstance(value, sequences.Sequence):
            return value
        return super().iterate(value)

    def is_made(self, value):
        return isinstance(value, sequences.Sequence) or super().is_made(value)
