# SPDX-License-Identifier: Apache-2.0
"""Reductions to one process."""

from paddle.base.documentation import shares

from . import stream
from .texts import ENTRIES


class ReduceOp:
    """How the elements of all processes become one: SUM, MAX, MIN, PROD (product) or AVG (mean).

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     x = paddle.to_tensor([dist.get_rank() + 1.0])
        ...     dist.all_reduce(x, dist.ReduceOp.AVG)
        ...     assert x.item() == 1.5
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """

    SUM = 0
    MAX = 1
    MIN = 2
    PROD = 3
    AVG = 4


@shares(ENTRIES)
def reduce(tensor, dst, op=ReduceOp.SUM, group=None, sync_op=True):
    """Reduce the tensors of all processes to one, on one of them.

    Args:
        tensor (Tensor): What this process gives; the result replaces that of process dst.
        dst (int): The rank of the process that gets the result.
        {op, group, sync_op}

    Returns:
        object: the task; None outside the group.

    Raises:
        AssertionError: dst is no process of the group.
        RuntimeError: There is no process group, or another process has ended.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     x = paddle.to_tensor([dist.get_rank() + 1.0])
        ...     dist.reduce(x, dst=0, op=dist.ReduceOp.MAX)
        ...     if dist.get_rank() == 0:
        ...         assert x.item() == 2.0
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    return stream.reduce(tensor, dst, op, group, sync_op)


def _get_reduce_op(reduce_op):
    """The number of a reduction; ValueError for none of them."""
    if reduce_op not in (getattr(ReduceOp, n) for n in ('SUM', 'MAX', 'MIN', 'PROD', 'AVG')):
        raise ValueError(f'[ReduceOp] expected one of 0 to 4, got {reduce_op!r}')
    return reduce_op
