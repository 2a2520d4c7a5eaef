# SPDX-License-Identifier: Apache-2.0
"""Reductions of which every process gets a part."""

from paddle.base.documentation import shares

from . import stream
from .reduce import ReduceOp
from .texts import ENTRIES


@shares(ENTRIES)
def reduce_scatter(tensor, tensor_list, op=ReduceOp.SUM, group=None, sync_op=True):
    """Reduce lists of tensors; each process gets one of the results.

    Args:
        tensor (Tensor): Where number i of the result comes on process i.
        tensor_list (list of Tensors): What this process gives: a tensor for each process.
        {op, group, sync_op}

    Returns:
        object: the task; None outside the group.

    Raises:
        RuntimeError: There is no process group, or another process has ended.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     total = paddle.empty([1])
        ...     dist.reduce_scatter(total, [paddle.to_tensor([1.0]), paddle.to_tensor([10.0])])
        ...     assert total.item() == [2.0, 20.0][dist.get_rank()]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    return stream.reduce_scatter(tensor, tensor_list, op, group, sync_op)
