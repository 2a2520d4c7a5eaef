# SPDX-License-Identifier: Apache-2.0
"""Reductions of which every process gets a part."""

from . import stream
from .reduce import ReduceOp


def reduce_scatter(tensor, tensor_list, op=ReduceOp.SUM, group=None, sync_op=True):
    """Reduces the lists of all processes; number i of the result comes to process i."""
    return stream.reduce_scatter(tensor, tensor_list, op, group, sync_op)
