# SPDX-License-Identifier: Apache-2.0
"""Which extents and integers among the arguments of a function vary from call to call: recordings
leave them free.
"""

from paddle.base import libpaddle as _core

_VARIED = 3  # different values after which a number is free
_MOST_CALLS = 16  # that are looked at
_MOST_KINDS = 16  # of calls


class Free:
    """What is free in a recording of a call.

    `shapes`: for each tensor its extents, -1 where they are free, or None where none is;
    `counts`: which of the ints in order are free; `same`: for each free number (None, count) or
    (tensor, axis) those that were equal to it in all calls, as one object. `slots`: what became
    free by itself; `names` of the ints.
    """

    def __init__(self, shapes=None):
        self.shapes, self.counts, self.same, self.slots = shapes, [], {}, frozenset()
        self.calls, self.names = None, {}

    def __bool__(self):
        return bool(self.slots)

    def not_taped(self):
        """Whether the recording is to be made by running the code: a tape does not tell where an
        int goes, nor what was asked of extents.
        """
        return bool(self.counts) or self.calls is not None and self.calls.run

    def give_up(self, slots=None):
        """Recordings fix these numbers from now on, or all that are free."""
        if self.calls is not None:
            self.calls.fixed.update(self.slots if slots is None else self.slots.intersection(slots))


class _Calls:
    """The numbers in calls of one kind. `run`: recordings are made by running the code."""

    def __init__(self):
        self.numbers, self.fixed, self.free, self.run = [], set(), set(), False


def _kind_of(value, numbers, tensors, ints):
    """What is the same in calls of one kind; appends (slot, number) of what may vary."""
    kind = type(value)
    if kind is int:
        ints.append(value)
        numbers.append(((None, len(ints) - 1), value))
        return int
    if _core._is_tensor(value):
        place = len(tensors)
        tensors.append(value)
        if value.is_dist():
            return None
        numbers.extend(((place, axis), extent) for axis, extent in enumerate(value.shape))
        return value.dtype, len(value.shape), value.stop_gradient
    if kind is list or kind is tuple:
        return kind, tuple([_kind_of(v, numbers, tensors, ints) for v in value])
    if kind is dict:
        return tuple([(k, _kind_of(v, numbers, tensors, ints)) for k, v in value.items()])
    return kind


class Varying:
    """What is known of the calls of one function that no recording fitted."""

    def __init__(self):
        self._calls = {}

    def note(self, args, kwargs):
        """A call that no recording fits: what the next recording is to leave free."""
        numbers, tensors = [], []
        kind = _kind_of((args, kwargs), numbers, tensors, [])
        if not numbers:
            return Free()
        try:
            calls = self._calls.get(kind)
        except TypeError:  # a key of a dict that cannot be one here
            return Free()
        if calls is None:
            if len(self._calls) >= _MOST_KINDS:
                self._calls.clear()
            calls = self._calls[kind] = _Calls()
        now = [number for _, number in numbers]
        if now not in calls.numbers:
            calls.numbers = [*calls.numbers[1 - _MOST_CALLS :], now]
        return self._free(calls, numbers, tensors)

    @staticmethod
    def _free(calls, numbers, tensors):
        found, columns = Free(), {}
        for k, (slot, number) in enumerate(numbers):
            seen = [call[k] for call in calls.numbers]
            if len(set(seen)) >= _VARIED:
                calls.free.add(slot)
            if slot in calls.free and slot not in calls.fixed and number >= 2:
                found.same[slot] = columns.setdefault(tuple(seen), slot)
        if not found.same:
            return found
        found.calls, found.slots = calls, frozenset(found.same)
        found.counts = sorted(k for place, k in found.same if place is None)
        found.shapes = [
            [-1 if (place, axis) in found.same else d for axis, d in enumerate(t.shape)]
            for place, t in enumerate(tensors)
        ]
        return found
