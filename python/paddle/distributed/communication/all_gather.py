# SPDX-License-Identifier: Apache-2.0
"""What every process has, on all of them."""

from paddle.base.documentation import shares

from . import stream
from .group import joined
from .objects import dump, load
from .texts import ENTRIES


@shares(ENTRIES)
def all_gather(tensor_list, tensor, group=None, sync_op=True):
    """Collect the tensors of all processes, on each of them.

    Args:
        tensor_list (list of Tensors): Where they come: one for each process, or empty, then it is
            filled with new ones.
        tensor (Tensor): What this process gives; of one shape and dtype on all.
        {group, sync_op}

    Returns:
        object: the task; None outside the group.

    Raises:
        RuntimeError: There is no process group, or another process has ended.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     parts = []
        ...     dist.all_gather(parts, paddle.to_tensor([dist.get_rank()]))
        ...     assert [p.item() for p in parts] == [0, 1]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    return stream.all_gather(tensor_list, tensor, group, sync_op)


@shares(ENTRIES)
def all_gather_object(object_list, obj, group=None):
    """Append the objects of all processes to a list, on each of them. They are pickled.

    Args:
        object_list (list): Where they come, in the order of ranks.
        obj (object): What this process gives.
        {group}

    Returns:
        None.

    Raises:
        RuntimeError: There is no process group, or another process has ended.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     found = []
        ...     dist.all_gather_object(found, {"rank": dist.get_rank()})
        ...     assert found == [{"rank": 0}, {"rank": 1}]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = joined(group)
    if group is not None:
        object_list.extend(map(load, group.process_group.gather_bytes(dump(obj))))
