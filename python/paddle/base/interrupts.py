# SPDX-License-Identifier: Apache-2.0
"""Exceptions that come from handlers of signals: they concern the program, never the call that they
interrupt.
"""

import signal


def _code_of(handler):
    """The code that runs when `handler` is called, or None."""
    while hasattr(handler, 'func'):  # functools.partial
        handler = handler.func
    handler = getattr(handler, '__func__', handler)
    return getattr(handler, '__code__', None) or getattr(
        getattr(type(handler), '__call__', None), '__code__', None
    )


def raised_by_handler(error):
    """Whether the handler of a signal raised `error`."""
    codes = {_code_of(h) for h in map(signal.getsignal, signal.valid_signals()) if callable(h)}
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in codes:
            return True
        trace = trace.tb_next
    return False
