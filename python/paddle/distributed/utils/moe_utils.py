# SPDX-License-Identifier: Apache-2.0
"""Rows of a batch to the experts of other processes, and back."""

from paddle import _C_ops
from paddle.base.documentation import shares

from ..communication.group import joined

__all__ = ['global_gather', 'global_scatter']

_ENTRIES = """
local_count (Tensor): Integers of shape [processes * experts of each]: how many rows of this process
    are for expert `i % experts` of process `i // experts`.
global_count (Tensor): Integers of the same shape: how many rows process `i // experts` has for
    expert `i % experts` of this one.
group (Group, default None): The processes that have experts; None for all.
use_calc_stream (bool, default True): The CPU has one stream.
"""


def _over(operation, x, local_count, global_count, group):
    group = joined(group)
    if group is None:
        return None
    return operation(x, local_count, global_count, group.id)


@shares(_ENTRIES)
def global_scatter(x, local_count, global_count, group=None, use_calc_stream=True):
    """Send rows to the experts that they are for.

    Args:
        x (Tensor): A matrix: the rows of this process, those for expert 0 of process 0 first.
        {local_count, global_count, group, use_calc_stream}

    Returns:
        Tensor: the rows for the experts of this process: those of expert 0 first, and of these the
        ones from process 0. None outside the group.

    Raises:
        ValueError: The rows are not as many as are counted.
        RuntimeError: There is no process group, or another process has ended.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed.utils.moe_utils import global_scatter
        >>> def work():
        ...     dist.init_parallel_env()
        ...     rank = dist.get_rank()
        ...     rows = paddle.to_tensor([[10.0 * rank], [10.0 * rank + 1], [10.0 * rank + 2]])
        ...     there = paddle.to_tensor([[1, 1], [2, 2]])[rank]
        ...     got = global_scatter(rows, paddle.to_tensor([1, 2]), there)
        ...     want = [[[0], [10]], [[1], [2], [11], [12]]]
        ...     assert got.tolist() == want[rank]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    return _over(_C_ops.global_scatter, x, local_count, global_count, group)


@shares(_ENTRIES)
def global_gather(x, local_count, global_count, group=None, use_calc_stream=True):
    """Send rows of experts back to the processes that they are from: `global_scatter` undone.

    Args:
        x (Tensor): A matrix: the rows of this process's experts, as `global_scatter` gave them.
        {local_count, global_count, group, use_calc_stream}

    Returns:
        Tensor: the rows of this process, those from expert 0 of process 0 first. None outside the
        group.

    Raises:
        ValueError: The rows are not as many as are counted.
        RuntimeError: There is no process group, or another process has ended.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed.utils.moe_utils import global_gather
        >>> def work():
        ...     dist.init_parallel_env()
        ...     rank = dist.get_rank()
        ...     rows = [[[0.0], [10.0]], [[1.0], [2.0], [11.0], [12.0]]][rank]
        ...     there = paddle.to_tensor([[1, 1], [2, 2]])[rank]
        ...     got = global_gather(paddle.to_tensor(rows), paddle.to_tensor([1, 2]), there)
        ...     assert got.tolist() == [[10 * rank], [10 * rank + 1], [10 * rank + 2]]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    return _over(_C_ops.global_gather, x, local_count, global_count, group)
