# SPDX-License-Identifier: Apache-2.0
"""What one process has, on all of them."""

from paddle.base.documentation import shares

from . import stream
from .group import joined, rank_in
from .objects import give
from .texts import ENTRIES


@shares(ENTRIES)
def broadcast(tensor, src, group=None, sync_op=True):
    """Give all processes the tensor of one.

    Args:
        tensor (Tensor): What process src gives, and where it comes on the others.
        src (int): The rank of the process that gives it.
        {group, sync_op}

    Returns:
        object: the task; None outside the group.

    Raises:
        AssertionError: src is no process of the group.
        RuntimeError: There is no process group, or another process has ended.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     x = paddle.to_tensor([dist.get_rank() + 5.0])
        ...     dist.broadcast(x, src=1)
        ...     assert x.item() == 6.0
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    return stream.broadcast(tensor, src, group, sync_op)


@shares(ENTRIES)
def broadcast_object_list(object_list, src, group=None):
    """Replace the objects of a list by those of one process. They are pickled.

    Args:
        object_list (list): What process src gives, and where they come on the others.
        src (int): The rank of the process that gives them.
        {group}

    Returns:
        None.

    Raises:
        AssertionError: src is no process of the group.
        RuntimeError: There is no process group, or another process has ended.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     settings = [{"lr": 0.1}, "adam"] if dist.get_rank() == 0 else [None, None]
        ...     dist.broadcast_object_list(settings, src=0)
        ...     assert settings == [{"lr": 0.1}, "adam"]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = joined(group)
    if group is not None:
        rank_in(group, src, 'broadcast_object_list')
        object_list[:] = give(group, src, list(object_list))
