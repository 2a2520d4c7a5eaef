# SPDX-License-Identifier: Apache-2.0
"""What every process has, on one of them."""

from paddle.base.documentation import shares

from . import stream
from .texts import ENTRIES


@shares(ENTRIES)
def gather(tensor, gather_list=None, dst=0, group=None, sync_op=True):
    """Collect the tensors of all processes on one.

    Args:
        tensor (Tensor): What this process gives; of one shape and dtype on all.
        gather_list (list of Tensors, default None): Where they come on process dst: one for each,
            or empty, then it is filled with new ones. Others give none.
        dst (int, default 0): The rank of the process that collects.
        {group, sync_op}

    Returns:
        object: the task; None outside the group.

    Raises:
        AssertionError: dst is no process of the group.
        RuntimeError: There is no process group, or process dst gives no list.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     parts = [] if dist.get_rank() == 0 else None
        ...     dist.gather(paddle.to_tensor([dist.get_rank()]), parts, dst=0)
        ...     assert parts is None or [p.item() for p in parts] == [0, 1]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    return stream.gather(tensor, gather_list, dst, group, sync_op)
