# SPDX-License-Identifier: Apache-2.0
"""What one process has for each of the others."""

from paddle.base.documentation import shares

from . import stream
from .group import joined, rank_in
from .objects import give
from .texts import ENTRIES


@shares(ENTRIES)
def scatter(tensor, tensor_list=None, src=0, group=None, sync_op=True):
    """Give each process one of the tensors that one process has.

    Args:
        tensor (Tensor): Where number i comes on process i.
        tensor_list (list of Tensors, default None): What process src gives: a tensor for each
            process. Others give none.
        src (int, default 0): The rank of the process that has them.
        {group, sync_op}

    Returns:
        object: the task; None outside the group.

    Raises:
        AssertionError: src is no process of the group.
        RuntimeError: There is no process group, or process src gives no tensors.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     x = paddle.empty([1])
        ...     parts = [paddle.to_tensor([5.0]), paddle.to_tensor([6.0])]
        ...     dist.scatter(x, parts if dist.get_rank() == 0 else None, src=0)
        ...     assert x.item() == [5.0, 6.0][dist.get_rank()]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    return stream.scatter(tensor, tensor_list, src, group, sync_op)


@shares(ENTRIES)
def scatter_object_list(out_object_list, in_object_list=None, src=0, group=None):
    """Give each process its share of the objects that one process has. They are pickled.

    Args:
        out_object_list (list): It is replaced by the share of this process.
        in_object_list (list, default None): What process src gives: as many for each process.
            Others give none.
        src (int, default 0): The rank of the process that has them.
        {group}

    Returns:
        None.

    Raises:
        AssertionError: src is no process of the group.
        ValueError: The objects cannot be shared equally.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     share = []
        ...     dist.scatter_object_list(share, ["a", "b"] if dist.get_rank() == 0 else None, src=0)
        ...     assert share == ["ab"[dist.get_rank()]]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = joined(group)
    if group is None:
        return
    rank_in(group, src, 'scatter_object_list')
    everything = give(group, src, in_object_list)
    if not everything or len(everything) % group.nranks:
        raise ValueError(
            f'[scatter_object_list] expected a multiple of {group.nranks} objects on rank {src}, '
            f'got {len(everything or ())}'
        )
    each = len(everything) // group.nranks
    out_object_list[:] = everything[group.rank * each : (group.rank + 1) * each]
