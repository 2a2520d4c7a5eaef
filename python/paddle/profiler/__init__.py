# SPDX-License-Identifier: Apache-2.0
"""Where the time of a program goes: operations, backward steps, instructions of programs, the
user's own spans.
"""

from paddle import _lazy

from .profiler import (
    Profiler,
    ProfilerState,
    ProfilerTarget,
    export_chrome_tracing,
    export_protobuf,
    make_scheduler,
)
from .profiler_statistic import SortedKeys, SummaryView
from .trace_file import load_profiler_result
from .utils import RecordEvent

__all__ = [
    'ProfilerState',
    'ProfilerTarget',
    'make_scheduler',
    'export_chrome_tracing',
    'export_protobuf',
    'Profiler',
    'RecordEvent',
    'load_profiler_result',
    'SortedKeys',
    'SummaryView',
]

_lazy.serve(globals())
