# SPDX-License-Identifier: Apache-2.0
"""The classes of programs: Program, Value, Operation."""

from paddle.base.libpaddle.pir import Operation, Program, Value
from paddle.pir import core
from paddle.static.block import Block

__all__ = ['Program', 'Value', 'Operation', 'Block', 'core']
