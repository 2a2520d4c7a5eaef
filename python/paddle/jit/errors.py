# SPDX-License-Identifier: Apache-2.0
"""Errors of functions that are asked for more than `to_static` can make of them, and what
tracebacks of the others show.
"""

import os

from paddle.base import libpaddle as _core

__all__ = ['SotErrorBase', 'InnerError', 'FallbackError']


class SotErrorBase(Exception):
    """The base of these errors."""


class InnerError(SotErrorBase):
    """A function was to be compiled in a way in which it is not (`psdb.check_no_breakgraph`)."""


class FallbackError(SotErrorBase):
    """A function that is left as it is, in strict mode (`sot.utils.strict_mode_guard`)."""


_HERE = os.path.dirname(__file__) + os.sep


def of_user(trace):
    """A traceback without the frames that record a function, None where there are no others; all of
    it where FLAGS_call_stack_level is 2.
    """
    if _core.get_flag('call_stack_level') >= 2:
        return trace
    kept, hidden = [], False
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        hidden = file.startswith(_HERE) or (hidden and file == '<string>')
        if not hidden:
            kept.append(trace)
        trace = trace.tb_next
    for one, following in zip(kept, [*kept[1:], None]):
        one.tb_next = following
    return kept[0] if kept else None
