# SPDX-License-Identifier: Apache-2.0
"""Compiled programs under their older home."""

from paddle.static.executor import BuildStrategy, CompiledProgram

__all__ = ['BuildStrategy', 'CompiledProgram']
