# SPDX-License-Identifier: Apache-2.0
"""Marks of operations that programs want in low precision."""

from paddle.static.program import name_scope

__all__ = ['fp16_guard']

_fp16_guard_pattern = '__use_fp16__'


def fp16_guard():
    """A block whose operations stand in a scope of this name."""
    return name_scope(_fp16_guard_pattern)
