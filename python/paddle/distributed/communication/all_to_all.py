# SPDX-License-Identifier: Apache-2.0
"""From every process something to every other."""

from paddle.base.documentation import shares

from . import stream
from .texts import ENTRIES


@shares(ENTRIES)
def alltoall(out_tensor_list, in_tensor_list, group=None, sync_op=True):
    """Send a tensor to each process, and get one of each.

    Args:
        out_tensor_list (list of Tensors): Where the i-th is what process i sent here; empty, it is
            filled with new ones.
        in_tensor_list (list of Tensors): The i-th goes to process i.
        {group, sync_op}

    Returns:
        object: the task; None outside the group.

    Raises:
        RuntimeError: There is no process group, or another process has ended.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     rank, received = dist.get_rank(), []
        ...     sent = [paddle.to_tensor([10 * rank]), paddle.to_tensor([10 * rank + 1])]
        ...     dist.alltoall(received, sent)
        ...     assert [t.item() for t in received] == [rank, 10 + rank]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    return stream.alltoall(out_tensor_list, in_tensor_list, group, sync_op)


@shares(ENTRIES)
def alltoall_single(
    out_tensor, in_tensor, in_split_sizes=None, out_split_sizes=None, group=None, sync_op=True
):
    """Send rows of a tensor to each process, and get rows of each.

    Args:
        out_tensor (Tensor): Where the rows come, those of process 0 first.
        in_tensor (Tensor): The rows, those for process 0 first.
        in_split_sizes (list of ints, default None): How many rows go to each process; None for
            equal shares.
        out_split_sizes (list of ints, default None): How many rows come from each process; None for
            equal shares.
        {group, sync_op}

    Returns:
        object: the task; None outside the group.

    Raises:
        RuntimeError: There is no process group, or another process has ended.
        ValueError: No sizes are given, and the rows cannot be shared equally.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     rank = dist.get_rank()
        ...     received = paddle.empty([2], "int64")
        ...     dist.alltoall_single(received, paddle.to_tensor([10 * rank, 10 * rank + 1]))
        ...     assert received.tolist() == [rank, 10 + rank]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    return stream.alltoall_single(
        out_tensor, in_tensor, out_split_sizes, in_split_sizes, group, sync_op
    )
