# SPDX-License-Identifier: Apache-2.0
"""The executor and scopes under their older home."""
import numpy

from paddle.base.data_feeder import convert_dtype
from paddle.static.executor import Executor
from paddle.static.program import Program, Variable, default_main_program
from paddle.static.scope import global_scope, scope_guard

__all__ = ['Executor', 'global_scope', 'scope_guard', 'Program', 'Variable', 'default_main_program', 'convert_dtype', 'as_numpy']


def as_numpy(tensor, copy=False):
    """Arrays of a tensor, or of each in a list."""
    if isinstance(tensor, (list, tuple)):
        return [as_numpy(t, copy) for t in tensor]
    return numpy.array(tensor) if copy else numpy.asarray(tensor)
