# SPDX-License-Identifier: Apache-2.0
"""From one other process."""

import paddle
from paddle.base.documentation import shares

from . import stream
from .group import joined
from .objects import load
from .texts import ENTRIES


@shares(ENTRIES)
def recv(tensor, src=0, group=None, sync_op=True):
    """Receive the tensor that another process sends by `send`.

    Args:
        tensor (Tensor): Where it comes, of the shape and dtype of what is sent.
        src (int, default 0): The rank of the other process.
        {group, sync_op}

    Returns:
        object: the task; None outside the group.

    Raises:
        AssertionError: src is no process of the group.
        RuntimeError: There is no process group, or the other process has ended.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     if dist.get_rank() == 0:
        ...         dist.send(paddle.to_tensor([1.0, 2.0]), dst=1)
        ...     else:
        ...         x = paddle.zeros([2])
        ...         dist.recv(x, src=0)
        ...         assert x.tolist() == [1.0, 2.0]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    return stream.recv(tensor, src, group, sync_op)


@shares(ENTRIES)
def irecv(tensor, src=None, group=None):
    """Begin to receive the tensor that another process sends.

    Args:
        tensor (Tensor): Where it comes, of the shape and dtype of what is sent.
        src (int, default None): The rank of the other process.
        {group}

    Returns:
        object: the task, whose `wait()` returns once the tensor is there; None outside the group.

    Raises:
        AssertionError: src is no process of the group.
        RuntimeError: There is no process group.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     other = 1 - dist.get_rank()
        ...     mine, theirs = paddle.to_tensor([dist.get_rank()]), paddle.to_tensor([-1])
        ...     for task in (dist.irecv(theirs, src=other), dist.isend(mine, dst=other)):
        ...         task.wait()
        ...     assert theirs.item() == other
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    return recv(tensor, src, group, sync_op=False)


@shares(ENTRIES)
def recv_object_list(object_list, src=None, group=None, src_in_group=None):
    """Replace the objects of a list by those that another process sends. They are pickled.

    Args:
        object_list (list): Where they come.
        src (int, default None): The rank of the other process.
        {group}
        src_in_group (int, default None): Its place in the group, instead of src.

    Returns:
        None.

    Raises:
        RuntimeError: There is no process group.
        ValueError: Both or none of src and src_in_group are given.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     dist.init_parallel_env()
        ...     if dist.get_rank() == 0:
        ...         dist.send_object_list(["a", 1], dst=1)
        ...     else:
        ...         found = [None, None]
        ...         dist.recv_object_list(found, src=0)
        ...         assert found == ["a", 1]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = joined(group)
    if group is None:
        return
    if (src is None) == (src_in_group is None):
        raise ValueError(
            '[recv_object_list] expected one of src and src_in_group, got both or none'
        )
    src = group.ranks[src_in_group] if src is None else src
    size = paddle.empty([1], dtype='int64')
    recv(size, src, group)
    data = paddle.empty([int(size)], dtype='uint8')
    recv(data, src, group)
    object_list[:] = load(data.numpy().tobytes())
