# SPDX-License-Identifier: Apache-2.0
"""Spans of the user, and events as the profiler keeps them."""

from contextlib import ContextDecorator
from enum import Enum
from typing import NamedTuple

from paddle import _lazy
from paddle.base import libpaddle as _core

__all__ = ['RecordEvent', 'TracerEventType', 'TracerMemEventType']


class _Kind(Enum):
    """A kind that is no number, but converts to one."""

    def __int__(self):
        return self.value

    __index__ = __int__


class TracerEventType(_Kind):
    """Kinds of events, named as in a trace."""

    Operator = 0
    Dataloader = 1
    ProfileStep = 2
    CudaRuntime = 3
    Kernel = 4
    Memcpy = 5
    Memset = 6
    UserDefined = 7
    OperatorInner = 8
    Forward = 9
    Backward = 10
    Optimization = 11
    Communication = 12
    PythonOp = 13
    PythonUserDefined = 14
    DygraphKernelLaunch = 15
    StaticKernelLaunch = 16
    Program = 17


class TracerMemEventType(_Kind):
    """Kinds of events of memory."""

    Allocate = 0
    Free = 1
    ReservedAllocate = 2
    ReservedFree = 3


class Event(NamedTuple):
    """A span of one thread; times in nanoseconds of the core's clock."""

    name: str
    type: TracerEventType
    thread: int
    begin: int
    end: int


_ORIGINS = (TracerEventType.Operator, TracerEventType.Operator, TracerEventType.Program)
recording = False  # whether a Profiler records now


def take_events():
    """Events since the last call, by time of beginning."""
    rows = [
        Event(name, TracerEventType(kind) if origin == 3 else _ORIGINS[origin], thread, begin, end)
        for name, origin, kind, thread, begin, end in _core._take_op_events()
    ]
    rows.sort(key=lambda e: (e.begin, -e.end))
    return rows


class RecordEvent(ContextDecorator):
    """A named span of a profile: a `with` block, a decorated function, or `begin()` to `end()`.

    Args:
        name (str): The name.
        event_type (TracerEventType, default <TracerEventType.PythonUserDefined: 14>): Its kind.

    Examples:
        >>> from paddle.profiler import Profiler, RecordEvent
        >>> with Profiler() as profiler:
        ...     with RecordEvent("my part"):
        ...         x = paddle.ones([2]) + 1.0
        >>> "my part" in [event.name for event in profiler.profiler_result.events]
        True
    """

    def __init__(self, name, event_type=TracerEventType.PythonUserDefined):
        self.name = name
        self.event_type = event_type
        self._begin = None

    def begin(self):
        """The span begins."""
        self._begin = _core._op_clock() if recording else None

    def end(self):
        """The span ends; without a `begin` while a profiler recorded, nothing is kept."""
        if self._begin is not None and recording:
            _core._add_event(self.name, self.event_type.value, self._begin, _core._op_clock())
        self._begin = None

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, *exc):
        self.end()
        return False


_lazy.serve(globals())
