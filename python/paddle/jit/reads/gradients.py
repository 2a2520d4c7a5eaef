# SPDX-License-Identifier: Apache-2.0
"""Gradients that a recorded call changes: what tensors had before, what each run leaves them."""

import sys

import paddle
from paddle.base import libpaddle as _core

from .places import ABSENT

# What a run does after it: Traced::Write::Kind.
_VALUE, _GRADIENT, _NO_GRADIENT, _ADD_GRADIENT, _REACHED = range(5)
_NONE, _OLD, _NEW = range(3)
NAMES = ('grad', '_grad_ivar')


def symbolic(value):
    """Whether the value is a tensor of the program, or a distributed one whose part is."""
    if _core._is_tensor(value) and value.is_dist():
        value = value._local_value()
    return isinstance(value, _core.pir.Value)


def part_of(tensor):
    """What has the gradient: this process's part of a distributed tensor."""
    return tensor._local_value() if tensor.is_dist() else tensor


def _references(value):
    return sys.getrefcount(value)


def _more_of_calls():
    """References of a caller's variable in a function, beyond three: CPython up to 3.10 keeps the
    argument on the caller's stack, too.
    """
    fresh = object()
    return _references(fresh) - 3


_MORE_OF_CALLS = _more_of_calls()


def _any_number(tensor):
    return bool(tensor.numpy().any())


class _Gradient:
    """The gradient of a tensor that was there before the call.

    `before`: the one it had, or None. `place`: whether it has none now, that one, whose memory is
    written, or one that the call made. `zero`: it is zero where the tensor shows none while the
    call is recorded. `stays`: then its memory holds zeros already.
    """

    def __init__(self, tensor):
        self.tensor, self.before = tensor, tensor.grad
        self.place = _NONE if self.before is None else _OLD
        self.zero = self.stays = self.was_read = False

    def now(self):
        """What the tensor shows: None also for zeros."""
        found = self.tensor.grad
        if found is not None and self.place == _NONE:
            self.place = _NEW
        return found

    def clear(self, zero):
        """As `clear_gradient(zero)` leaves it."""
        self.now()
        if self.place == _NONE:
            return
        self.zero, self.stays = zero, self.stays and zero
        if not zero:
            self.place = _NONE
        self.tensor.grad = None

    def zeros(self):
        """Zeros as the call sees them."""
        like = self.tensor if self.before is None else self.before
        return paddle.zeros(like.shape, like.dtype)


class Gradients:
    """Part of a session that runs a function on symbolic tensors.

    `inputs_given`: (symbolic, given) tensors of the arguments.
    """

    def __init__(self):
        self._gradients, self.inputs_given, self.gradient_writes = {}, [], []
        self.assumes_zeros, self.retained = True, []

    def _gradient(self, tensor, read=True):
        """What is known of a tensor's gradient. `read`: what it was before matters."""
        tensor = part_of(tensor)
        found = self._gradients.get(id(tensor))
        if found is None:
            found = self._gradients[id(tensor)] = _Gradient(tensor)
            if read:
                self._note_gradient(found)
        return found

    def _note_gradient(self, gradient):
        tensor, before = gradient.tensor, gradient.before
        super().attribute_of(tensor, 'grad', before)
        if before is not None and not (before.is_dense() and before.is_leaf):
            self.stop('gradients are added to one that is not dense, or has a history')

    def before_backward(self):
        """Gradients are added to those of before, which are often zeros that nobody writes."""
        for tensor in _core._captured_tensors(self.program):
            if _core._is_made(self.program, tensor) or tensor.stop_gradient:
                continue
            if not tensor.is_leaf:
                self.stop('gradients flow on from a tensor that was there before')
            if _core._has_hooks(tensor):
                self.stop('a hook of a tensor that was there before runs')
            known = id(tensor) in self._gradients
            gradient = self._gradient(tensor)
            now = gradient.now()
            if now is None:
                continue
            if now is not gradient.before:
                # It is added to in place, but while it is recorded a new one takes its place.
                if self._is_held(now, 3):
                    self.stop('a gradient that is read is added to afterwards')
            elif gradient.was_read:
                self.stop('a gradient that is read is added to afterwards')
            elif not known and self.assumes_zeros and self._is_zero(now):
                self.version(now)
                gradient.zero = gradient.stays = True
                tensor.grad = None
            else:
                self._know(now)

    def _is_held(self, tensor, count):
        """Whether more than `count` references to the tensor matter: not those in what only the
        session holds.
        """
        count += _MORE_OF_CALLS
        return sys.getrefcount(tensor) > count and (
            self.drop_unused() and sys.getrefcount(tensor) > count
        )

    def _is_zero(self, gradient):
        before = _core._data_reads()
        found = not self.unwatched(_any_number, (gradient,), {})
        self._numbers_read += _core._data_reads() - before
        return found

    def after_backward(self):
        """Gradients that reach the arguments are added to those that the leaves have."""
        for symbol, given in self.inputs_given:
            if symbol.grad is not None and not given.is_leaf:
                self.stop('gradients flow on from an argument')
            if symbol.grad is not None and _core._has_hooks(given):
                self.stop('a hook of an argument runs')

    def clear_gradient(self, tensor, zero):
        """tensor.clear_gradient(zero)"""
        if symbolic(tensor):
            if id(tensor) in self.inputs:
                self.stop('the gradient of an argument is cleared')
            return tensor.clear_gradient(zero)
        gradient = self._gradient(tensor, zero)
        now = gradient.now()
        if zero and now is not None and (now is gradient.before and gradient.was_read):
            self.stop('a gradient that is read is cleared afterwards')
        if zero and now is not None and now is not gradient.before and self._is_held(now, 3):
            self.stop('a gradient that is read is cleared afterwards')
        del now
        gradient.clear(zero)
        return None

    def read_gradient(self, tensor):
        """The gradient of a tensor that was there before the call is about to be read."""
        tensor = part_of(tensor)
        gradient = self._gradients.get(id(tensor))
        if gradient is None:
            return
        if gradient.now() is None and gradient.zero and gradient.place != _NONE:
            _core._put_gradient(tensor, gradient.before if gradient.stays else gradient.zeros())
        gradient.was_read = True

    def set_gradient(self, tensor, new):
        """tensor.grad = new, of a tensor that was there before the call."""
        if new is not None and not (symbolic(new) and id(new) not in self.inputs):
            self.stop('a gradient is set to a tensor that was there before')
        gradient = self._gradient(tensor, False)
        if new is not None and not (new.stop_gradient and new.is_leaf):
            new = new.detach()
        gradient.clear(False)
        gradient.place = _NONE if new is None else _NEW
        tensor.grad = new

    def settle_gradients(self, result):
        """Note what each run does to gradients; the tensors have those of before again."""
        results = {id(v) for v in _tensors(result)}
        if any(getattr(v, 'grad', None) is not None for v in _tensors(result) if symbolic(v)):
            self.stop('the result holds a tensor that has a gradient')
        if any(id(v) in results for v in self.retained):
            self.stop('the result holds a tensor that keeps its gradient')
        for gradient in self._gradients.values():
            tensor, now = gradient.tensor, gradient.now()
            if now is None and gradient.zero and not gradient.stays and gradient.place != _NONE:
                now = gradient.zeros()
            if gradient.place == _NEW:
                self.gradient_writes.append((tensor, now, _GRADIENT))
            elif gradient.place == _OLD and now is not None and now is not gradient.before:
                if id(now) in results:
                    self.stop('the result holds a gradient')
                self.gradient_writes.append((gradient.before, now, _VALUE))
            elif gradient.place == _NONE and gradient.before is not None:
                self.gradient_writes.append((tensor, None, _NO_GRADIENT))
            self.gradient_writes.append((tensor, None, _REACHED))
        for place, (symbol, _) in enumerate(self.inputs_given):
            if symbol.grad is not None:
                self.gradient_writes.append((place, symbol.grad, _ADD_GRADIENT))
        self.restore_gradients()

    def restore_gradients(self):
        """The tensors have the gradients that they had before the call."""
        for gradient in self._gradients.values():
            if gradient.tensor.grad is not gradient.before:
                _core._put_gradient(gradient.tensor, gradient.before)

    def attribute_of(self, value, name, found):
        """What the call changes is not what it read."""
        known = name in NAMES and _core._is_tensor(value) and id(part_of(value)) in self._gradients
        if not (known or symbolic(found)):
            super().attribute_of(value, name, found)


def _tensors(nest):
    """The tensors of a nest of lists, tuples, dicts and objects."""
    waiting, seen = [nest], set()
    while waiting:
        value = waiting.pop()
        if _core._is_tensor(value):
            yield value
        elif isinstance(value, (list, tuple)):
            waiting.extend(value)
        elif isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(getattr(value, '__dict__', ABSENT), dict) and id(value) not in seen:
            if not isinstance(value, (type, paddle.nn.Layer)) and not callable(value):
                seen.add(id(value))
                waiting.extend(vars(value).values())
