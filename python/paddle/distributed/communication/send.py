# SPDX-License-Identifier: Apache-2.0
"""To one other process."""

import numpy as np

import paddle
from paddle.base.documentation import shares

from . import stream
from .group import joined
from .objects import dump
from .texts import ENTRIES


@shares(ENTRIES)
def send(tensor, dst=0, group=None, sync_op=True):
    """Send a tensor to another process, which calls `recv`.

    Args:
        tensor (Tensor): The tensor; the other process receives one of the same shape and dtype.
        dst (int, default 0): The rank of the other process.
        {group, sync_op}

    Returns:
        object: the task; None outside the group.

    Raises:
        AssertionError: dst is no process of the group.
        RuntimeError: There is no process group, or the other process has ended.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     x = paddle.to_tensor([1.0, 2.0]) if dist.get_rank() == 0 else paddle.zeros([2])
        ...     if dist.get_rank() == 0:
        ...         dist.send(x, dst=1)
        ...     else:
        ...         dist.recv(x, src=0)
        ...     assert x.tolist() == [1.0, 2.0]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    return stream.send(tensor, dst, group, sync_op)


@shares(ENTRIES)
def isend(tensor, dst, group=None):
    """Begin to send a tensor to another process.

    Args:
        tensor (Tensor): The tensor, which must not be written before the task has ended.
        dst (int): The rank of the other process.
        {group}

    Returns:
        object: the task, whose `wait()` returns once the tensor is sent; None outside the group.

    Raises:
        AssertionError: dst is no process of the group.
        RuntimeError: There is no process group.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     x = paddle.to_tensor([1.0, 2.0]) if dist.get_rank() == 0 else paddle.zeros([2])
        ...     task = dist.isend(x, dst=1) if dist.get_rank() == 0 else dist.irecv(x, src=0)
        ...     task.wait()
        ...     assert x.tolist() == [1.0, 2.0]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    return send(tensor, dst, group, sync_op=False)


@shares(ENTRIES)
def send_object_list(object_list, dst=None, group=None, dst_in_group=None):
    """Send objects to another process, which calls `recv_object_list`. They are pickled.

    Args:
        object_list (list): The objects.
        dst (int, default None): The rank of the other process.
        {group}
        dst_in_group (int, default None): Its place in the group, instead of dst.

    Returns:
        None.

    Raises:
        RuntimeError: There is no process group.
        ValueError: Both or none of dst and dst_in_group are given.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     if dist.get_rank() == 0:
        ...         dist.send_object_list([{"epoch": 3}, "done"], dst=1)
        ...     else:
        ...         found = [None, None]
        ...         dist.recv_object_list(found, src=0)
        ...         assert found == [{"epoch": 3}, "done"]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = joined(group)
    if group is None:
        return
    if (dst is None) == (dst_in_group is None):
        raise ValueError(
            '[send_object_list] expected one of dst and dst_in_group, got both or none'
        )
    dst = group.ranks[dst_in_group] if dst is None else dst
    data = dump(list(object_list))
    send(paddle.to_tensor([len(data)], dtype='int64'), dst, group)
    send(paddle.to_tensor(np.frombuffer(data, dtype='uint8').copy()), dst, group)
