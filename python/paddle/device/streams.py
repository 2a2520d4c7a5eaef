# SPDX-License-Identifier: Apache-2.0
"""Streams and events. The CPU runs everything at once and in order, so a stream there is empty and an event a time."""
import time

__all__ = ['Stream', 'Event', 'StreamContext', 'current_stream', 'set_stream', 'stream_guard',
           'is_current_stream_capturing']


class Event:
    """A point in a stream."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        self.enable_timing = enable_timing
        self._at = None

    def record(self, stream=None):
        """Mark the present point of the stream."""
        self._at = time.perf_counter()

    def query(self):
        """Whether the point has been reached."""
        return True

    def elapsed_time(self, end_event):
        """Milliseconds from this event to `end_event`; RuntimeError unless both are recorded."""
        if self._at is None or end_event._at is None:
            raise RuntimeError("[Event] both events must be recorded before the time between them is asked")
        return (end_event._at - self._at) * 1000.0

    def synchronize(self):
        """Wait for the point."""


class Stream:
    """A queue of work."""

    def __init__(self, device=None, priority=2, stream_base=None):
        self.device = device
        self.priority = priority
        self.stream_base = stream_base

    def wait_event(self, event):
        """Let the work that follows wait for the event."""

    def wait_stream(self, stream):
        """Let the work that follows wait for the other stream."""

    def record_event(self, event=None):
        """Mark the present point; returns the event."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def query(self):
        """Whether the work is done."""
        return True

    def synchronize(self):
        """Wait for the work."""


_current = [Stream()]


def current_stream(device=None):
    """The stream that work goes to."""
    return _current[0]


def set_stream(stream):
    """Send work to `stream`; returns the one before."""
    if not isinstance(stream, Stream):
        raise TypeError(f"[set_stream] expected a Stream, got {type(stream)}")
    before, _current[0] = _current[0], stream
    return before


class stream_guard:
    """Inside, work goes to `stream`."""

    def __init__(self, stream=None):
        self.stream = stream

    def __enter__(self):
        self._before = current_stream()
        if self.stream is not None:
            set_stream(self.stream)

    def __exit__(self, *args):
        set_stream(self._before)


StreamContext = stream_guard


def is_current_stream_capturing():
    """Whether work is being captured in a graph; never on the CPU."""
    return False
