# SPDX-License-Identifier: Apache-2.0
"""Reductions to one process."""

from . import stream


class ReduceOp:
    """How the elements of all processes become one."""

    SUM = 0
    MAX = 1
    MIN = 2
    PROD = 3
    AVG = 4


def reduce(tensor, dst, op=ReduceOp.SUM, group=None, sync_op=True):
    """Reduces the tensors of all processes into that of process `dst`."""
    return stream.reduce(tensor, dst, op, group, sync_op)


def _get_reduce_op(reduce_op):
    """The number of a reduction; ValueError for none of them."""
    if reduce_op not in (getattr(ReduceOp, n) for n in ('SUM', 'MAX', 'MIN', 'PROD', 'AVG')):
        raise ValueError(f'[ReduceOp] expected one of 0 to 4, got {reduce_op!r}')
    return reduce_op
