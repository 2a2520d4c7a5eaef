# SPDX-License-Identifier: Apache-2.0
"""Reductions to all processes."""

from paddle.base.documentation import shares

from . import stream
from .reduce import ReduceOp
from .texts import ENTRIES


@shares(ENTRIES)
def all_reduce(tensor, op=ReduceOp.SUM, group=None, sync_op=True):
    """Reduce the tensors of all processes to one, which replaces them.

    Args:
        tensor (Tensor): What this process gives, and where the result comes; of one shape and dtype
            on all.
        {op, group, sync_op}

    Returns:
        object: the task; None outside the group.

    Raises:
        RuntimeError: There is no process group, or another process has ended.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     x = paddle.to_tensor([dist.get_rank() + 1.0])
        ...     dist.all_reduce(x)
        ...     assert x.item() == 1.0 + 2.0
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    return stream.all_reduce(tensor, op, group, sync_op)
