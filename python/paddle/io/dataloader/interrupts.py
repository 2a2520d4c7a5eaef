# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C put off while processes or descriptors have no owner yet."""

import signal
import threading

__all__ = ['InterruptsHeld']


class InterruptsHeld:
    """Inside, the handler of SIGINT does not run; on leaving it runs if the signal came. For the
    main thread, where Python runs handlers."""

    def __enter__(self):
        self._came = None
        self._held = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is not None
        )
        if self._held:
            self._handler = signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number, frame):
        self._came = frame

    def __exit__(self, *_):
        if not self._held:
            return
        self._held = False
        signal.signal(signal.SIGINT, self._handler)
        if self._came is not None:
            signal.raise_signal(signal.SIGINT)
