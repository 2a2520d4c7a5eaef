# SPDX-License-Identifier: Apache-2.0
"""The classes of programs, the manager of passes over them, and programs from descriptions."""

from paddle.base.libpaddle.pir import OpOperand, Operation, PassManager, Program, Value
from paddle.base.program_queries import translate_to_pir, translate_to_pir_with_param_map
from paddle.pir import core
from paddle.static.block import Block

__all__ = [
    'Program',
    'Value',
    'Operation',
    'OpOperand',
    'Block',
    'PassManager',
    'core',
    'translate_to_pir',
    'translate_to_pir_with_param_map',
]
