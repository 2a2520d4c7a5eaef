# SPDX-License-Identifier: Apache-2.0
"""Handlers of signals: what they do and raise concerns the program, never the call that they
interrupt.
"""

import _signal
import contextlib
import functools
import gc
import signal
import threading

from paddle.base import libpaddle as _core


def _code_of(handler):
    """The code that runs when `handler` is called, or None."""
    while hasattr(handler, 'func'):  # functools.partial
        handler = handler.func
    handler = getattr(handler, '__func__', handler)
    return getattr(handler, '__code__', None) or getattr(
        getattr(type(handler), '__call__', None), '__code__', None
    )


def _outside(handler, number, frame):
    with _core.pir.RecordScope(None):
        return handler(number, frame)


@contextlib.contextmanager
def undisturbed():
    """A scope that records: operations of handlers that interrupt it run at once, and garbage,
    whose finalizers may run operations, is collected afterwards.
    """
    replaced, collects = [], gc.isenabled()
    try:
        gc.disable()
        if threading.current_thread() is threading.main_thread():
            for number in range(1, signal.NSIG):
                handler = _signal.getsignal(number)
                if callable(handler) and handler is not signal.default_int_handler:
                    outside = functools.partial(_outside, handler)
                    signal.signal(number, outside)
                    replaced.append((number, outside, handler))
        yield
    finally:
        if collects:
            gc.enable()
        for number, outside, handler in replaced:
            if _signal.getsignal(number) is outside:
                signal.signal(number, handler)


def raised_by_handler(error):
    """Whether the handler of a signal raised `error`."""
    codes = {_code_of(h) for h in map(signal.getsignal, signal.valid_signals()) if callable(h)}
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in codes:
            return True
        trace = trace.tb_next
    return False
