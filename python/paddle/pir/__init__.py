# SPDX-License-Identifier: Apache-2.0
"""The classes of programs, the manager of passes over them, and where operations are recorded."""

from paddle.base import libpaddle as _core
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
    'set_insertion_point',
    'set_insertion_point_after',
    'set_insertion_point_to_block_end',
    'reset_insertion_point_to_start',
    'reset_insertion_point_to_end',
    'translate_to_pir',
    'translate_to_pir_with_param_map',
]


def _point(name, op, behind):
    if not isinstance(op, Operation):
        raise TypeError(f"[{name}] expected an Operation, got {type(op).__name__}")
    op._program.__dict__['_moved'] = True
    _core.pir._set_insertion_point(op, behind)


def set_insertion_point(op):
    """Have what is recorded go before an operation, until its program is no longer the default one
    or another place is set.
    """
    _point('set_insertion_point', op, False)


def set_insertion_point_after(op):
    """Have what is recorded go behind an operation."""
    _point('set_insertion_point_after', op, True)


def _reset(start):
    from paddle.static.program import default_main_program

    default_main_program().__dict__['_moved'] = True
    _core.pir._reset_insertion_point(default_main_program(), start)


def reset_insertion_point_to_start():
    """Have what is recorded go before all operations of the default program."""
    _reset(True)


def reset_insertion_point_to_end():
    """Have what is recorded go behind all operations of the default program."""
    _reset(False)


def set_insertion_point_to_block_end(block):
    """Have what is recorded go behind all operations of the block of a program."""
    if not isinstance(block, Block):
        raise TypeError(
            f"[set_insertion_point_to_block_end] expected a Block, got {type(block).__name__}"
        )
    _core.pir._reset_insertion_point(block.program, False)
