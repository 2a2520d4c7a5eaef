# SPDX-License-Identifier: Apache-2.0
"""Default programs, their guard, parameters, and tables between spellings of dtypes."""

from paddle.base.core import VarDesc
from paddle.base.framework import convert_np_dtype_to_dtype_
from paddle.base.libpaddle import DataType
from paddle.base.modes import switch_main_program, switch_startup_program
from paddle.static.program import (
    Program,
    create_parameter,
    data,
    default_main_program,
    default_startup_program,
    program_guard,
)

__all__ = [
    'Program',
    'default_main_program',
    'default_startup_program',
    'program_guard',
    'switch_main_program',
    'switch_startup_program',
    'create_parameter',
    'data',
    'convert_np_dtype_to_dtype_',
    'vartype_to_datatype',
    'datatype_to_vartype',
    'set_state_dict',
]


def set_state_dict(program, state_dict, scope=None):
    """Replace tensors that a program keeps, by name; see `Program.set_state_dict`."""
    program.set_state_dict(state_dict, scope)


vartype_to_datatype = {v: v for v in vars(VarDesc.VarType).values() if isinstance(v, DataType)}
datatype_to_vartype = dict(vartype_to_datatype)
