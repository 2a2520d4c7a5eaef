# SPDX-License-Identifier: Apache-2.0
"""A rank's uncaught exception, for the launcher."""

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
