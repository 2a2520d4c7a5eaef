# SPDX-License-Identifier: Apache-2.0
"""The classes of programs, and the manager of passes over them."""

from paddle.base.libpaddle.pir import OpOperand, Operation, PassManager, Program, Value
from paddle.pir import core
from paddle.static.block import Block

__all__ = ['Program', 'Value', 'Operation', 'OpOperand', 'Block', 'PassManager', 'core']
