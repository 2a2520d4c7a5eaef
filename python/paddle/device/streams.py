# SPDX-License-Identifier: Apache-2.0
"""Streams and events. The CPU runs everything at once and in order, so a stream there is empty and
an event a time; those of other devices are their own, held by handles that go with the object."""

import time
import weakref

from paddle.base import libpaddle as _core
from paddle.base.arguments import only

__all__ = [
    'Stream',
    'Event',
    'StreamContext',
    'current_stream',
    'set_stream',
    'stream_guard',
    'get_stream_from_external',
    'is_current_stream_capturing',
]


def _place(device):
    return _core.current_place() if device is None else _core.to_place(device)


class Event:
    """A point in a stream.

    Args:
        enable_timing (bool, default False): Whether it keeps the time.
        blocking (bool, default False): Whether waiting for it lets the processor do other work.
        interprocess (bool, default False): Whether messages of `paddle.incubate.multiprocessing`
            can carry it to processes that use the same GPU, the current one; this process must
            keep it as long. It keeps no time.

    Examples:
        >>> event = paddle.device.Event()
        >>> event.record()
        >>> event.synchronize()
        >>> event.query()
        True
    """

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        self.enable_timing = enable_timing
        self._at = self._place = None
        self._interprocess = interprocess
        if interprocess:
            place = _core.current_place()
            if not place.is_gpu_place():
                only(
                    'Event', f'events on {place} belong to one process', interprocess=(True, False)
                )
            if enable_timing:
                raise ValueError(
                    "[Event] expected enable_timing=False with interprocess=True, got True: events "
                    "of several processes keep no time"
                )
            self._hold(place, _core.create_shared_event(place))
            self._shared = _core.shared_event_handle(place, self._handle)

    def _hold(self, place, handle):
        self._place, self._handle = place, handle
        weakref.finalize(self, _core.destroy_event, place, handle).atexit = False

    @classmethod
    def _opened(cls, device, shared):
        """The event that another process shares."""
        event = cls()
        place = _core.to_place(f'gpu:{device}')
        event._hold(place, _core.open_shared_event(place, shared))
        return event

    def record(self, stream=None):
        """Mark the present point of the stream."""
        stream = current_stream() if stream is None else stream
        if not stream.place.is_cpu_place():
            if self._interprocess and self._place != stream.place:
                raise RuntimeError(
                    f"[Event.record] expected a stream of {self._place}, where the event was made "
                    f"for several processes, got one of {stream.place}"
                )
            if self._place != stream.place:
                self._hold(stream.place, _core.create_event(stream.place))
            _core.record_event(self._place, self._handle, stream.handle)
        self._at = time.perf_counter()

    def query(self):
        """Whether the point has been reached."""
        return self._place is None or _core.query_event(self._place, self._handle)

    def elapsed_time(self, end_event):
        """Milliseconds from this event to `end_event`; RuntimeError unless both are recorded."""
        if self._at is None or end_event._at is None:
            raise RuntimeError("[Event.elapsed_time] expected recorded events, got one that is not")
        if self._place != end_event._place:
            raise RuntimeError(
                f"[Event.elapsed_time] expected events of one device, got {self._place or 'cpu'} "
                f"and {end_event._place or 'cpu'}"
            )
        if self._place is not None:
            return _core.elapsed_time(self._place, self._handle, end_event._handle)
        return (end_event._at - self._at) * 1000.0

    def synchronize(self):
        """Wait for the point."""
        if self._place is not None:
            _core.synchronize_event(self._place, self._handle)


class Stream:
    """A queue of work on a device.

    Args:
        device (str, place or int, default None): The device; None for the current one.
        priority (int, default 2): Taken for compatibility; it has no effect.
        stream_base (object, default None): A stream of the device that it stands for.

    Examples:
        >>> stream = paddle.device.Stream()
        >>> stream.synchronize()
        >>> stream.query()
        True
    """

    def __init__(self, device=None, priority=2, stream_base=None):
        only('Stream', 'a stream is made here, of its device', stream_base=(stream_base, None))
        self.device = device
        self.priority = priority
        self.stream_base = stream_base
        self.place = _place(device)
        self.handle = 0
        if not self.place.is_cpu_place():
            self.handle = _core.create_stream(self.place)
            weakref.finalize(self, _core.destroy_stream, self.place, self.handle).atexit = False

    @classmethod
    def _of(cls, place, handle):
        stream = cls.__new__(cls)
        stream.device, stream.priority, stream.stream_base = place, 2, None
        stream.place, stream.handle = place, handle
        return stream

    def wait_event(self, event):
        """Let the work that follows wait for the event."""
        if event._place is not None:
            _core.stream_wait_event(event._place, self.handle, event._handle)

    def wait_stream(self, stream):
        """Let the work that follows wait for the other stream."""
        self.wait_event(stream.record_event())

    def record_event(self, event=None):
        """Mark the present point; returns the event."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def query(self):
        """Whether the work is done."""
        return self.place.is_cpu_place() or _core.query_stream(self.place, self.handle)

    def synchronize(self):
        """Wait for the work."""
        if not self.place.is_cpu_place():
            _core.synchronize_stream(self.place, self.handle)


_LEGACY = 1  # the driver's other name of the stream 0, which all wait for


def get_stream_from_external(data_ptr, device=None):
    """A stream of a GPU that another library made, to work on beside it. That library keeps it
    alive as long as the result is used; the result does not end it.

    Args:
        data_ptr (int): The driver's handle of the stream, as `torch.cuda.Stream.cuda_stream`.
        device (str or place, default None): The GPU of the stream; None for the current or first.

    Returns:
        Stream: the stream.

    Raises:
        ValueError: There is no such GPU.
        TypeError: `data_ptr` is no integer.

    Examples:
        >>> if paddle.device.cuda.device_count():
        ...     own = paddle.device.cuda.current_stream()
        ...     same = paddle.device.get_stream_from_external(own.handle)
        ...     assert same.handle == own.handle
    """
    from .cuda import _gpu

    if isinstance(data_ptr, bool) or not isinstance(data_ptr, int):
        raise TypeError(
            '[device.get_stream_from_external] expected an int for data_ptr, got '
            f'{type(data_ptr).__name__}'
        )
    place = _gpu('get_stream_from_external', device)
    if not 0 <= data_ptr < 1 << 64:
        raise ValueError(
            '[device.get_stream_from_external] expected the handle of a stream for data_ptr, got '
            f'{data_ptr}'
        )
    return Stream._of(place, data_ptr or _LEGACY)


_current = {}


def current_stream(device=None):
    """The stream that work goes to.

    Args:
        device (str, place or int, default None): The device; None for the current one.

    Returns:
        Stream: the stream.

    Examples:
        >>> paddle.device.current_stream().query()
        True
    """
    place = _place(device)
    if place not in _current:
        _current[place] = Stream._of(place, _core.current_stream(place))
    return _current[place]


def set_stream(stream):
    """Send work to `stream`; returns the one before.

    Args:
        stream (Stream): The stream.

    Returns:
        Stream: the one before.

    Examples:
        >>> before = paddle.device.set_stream(paddle.device.Stream())
        >>> _ = paddle.device.set_stream(before)
    """
    if not isinstance(stream, Stream):
        raise TypeError(f"[set_stream] expected a Stream, got {type(stream).__name__}")
    before = current_stream(stream.place)
    _current[stream.place] = stream
    _core.set_current_stream(stream.place, stream.handle)
    return before


class stream_guard:
    """Inside, work goes to `stream`.

    Args:
        stream (Stream, default None): The stream; None for the current one.

    Examples:
        >>> with paddle.device.stream_guard(paddle.device.Stream()):
        ...     x = paddle.ones([2]) * 2
        >>> x.tolist()
        [2.0, 2.0]
        >>> paddle.device.StreamContext is paddle.device.stream_guard
        True
    """

    def __init__(self, stream=None):
        self.stream = stream

    def __enter__(self):
        if self.stream is not None:
            self._before = set_stream(self.stream)

    def __exit__(self, *args):
        if self.stream is not None:
            set_stream(self._before)


StreamContext = stream_guard


def is_current_stream_capturing():
    """Whether the work of the current device is being captured in a graph; never on the CPU.

    Returns:
        bool: whether it is.

    Examples:
        >>> paddle.device.is_current_stream_capturing()
        False
    """
    return _core.is_capturing(_core.current_place())
