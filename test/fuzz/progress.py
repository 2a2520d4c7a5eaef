# SPDX-License-Identifier: Apache-2.0
"""Where a long run is."""

import sys
import time


class Progress:
    """Prints to standard error, at most once a minute."""

    def __init__(self, seconds=60):
        self._seconds, self._last = seconds, time.monotonic()

    def say(self, text):
        """`text`: a function that gives what is printed."""
        now = time.monotonic()
        if now > self._last + self._seconds:
            self._last = now
            print(text(), file=sys.stderr, flush=True)
