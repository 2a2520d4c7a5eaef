# SPDX-License-Identifier: Apache-2.0
"""Reductions to all processes."""

from . import stream
from .reduce import ReduceOp


def all_reduce(tensor, op=ReduceOp.SUM, group=None, sync_op=True):
    """Reduces the tensors of all processes, in place."""
    return stream.all_reduce(tensor, op, group, sync_op)
