# SPDX-License-Identifier: Apache-2.0
"""How a rank ended, for the launcher: when, and its uncaught exception."""

import atexit
import json
import os
import sys
import time
import traceback


def report_exceptions():
    """Uncaught exceptions are also written where the launcher of this rank looks for them."""
    path = os.environ.get('PADDLE_RANK_REPORT')
    if path is None:
        return
    shown = sys.excepthook

    def report(kind, value, trace):
        text = ''.join(traceback.format_exception(kind, value, trace))
        with open(path, 'w') as out:
            json.dump({'time': time.monotonic(), 'traceback': text}, out)
        shown(kind, value, trace)

    sys.excepthook = report


def report_end():
    """When the program ends is also written there, where no exception ended it. It is called once
    all is set up: what ends a process in an orderly way ends it in the opposite order.
    """
    path = os.environ.get('PADDLE_RANK_REPORT')
    if path is None:
        return
    process = os.getpid()

    def report():
        if os.getpid() == process and not os.path.exists(path):
            with open(path, 'w') as out:
                json.dump({'time': time.monotonic(), 'traceback': None}, out)

    atexit.register(report)
