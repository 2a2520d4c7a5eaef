# SPDX-License-Identifier: Apache-2.0
"""Collectives that say on which stream they run. The CPU has one: with `use_calc_stream` a call
has ended when it returns, as with `sync_op`.
"""

import paddle
from paddle.base.documentation import shares

from ..group import joined, rank_in
from ..texts import ENTRIES

__all__ = [
    'all_gather',
    'all_reduce',
    'alltoall',
    'alltoall_single',
    'broadcast',
    'gather',
    'recv',
    'reduce',
    'reduce_scatter',
    'scatter',
    'send',
]


def _entered(what, group, sync_op, use_calc_stream):
    """The group that communicates; None where this process is not in it."""
    if use_calc_stream and not sync_op:
        raise RuntimeError(
            f'[{what}] expected sync_op=True with use_calc_stream=True, got sync_op=False'
        )
    return joined(group)


def _even(what, tensor, group):
    """The rows of a tensor in equal shares, one for each process."""
    rows = tensor.shape[0] if tensor.shape else 1
    if rows % group.nranks:
        raise ValueError(
            f'[{what}] expected a first axis that {group.nranks} divides, got shape '
            f'{list(tensor.shape)}'
        )
    return [rows // group.nranks] * group.nranks


def _is_list(value):
    return isinstance(value, (list, tuple))


@shares(ENTRIES)
def all_gather(tensor_or_tensor_list, tensor, group=None, sync_op=True, use_calc_stream=False):
    """Collect the tensors of all processes, on each of them, on a chosen stream.

    Args:
        tensor_or_tensor_list (Tensor or list of Tensors): Where they come: a tensor gets the rows
            of all one after another; a list as of `paddle.distributed.all_gather`.
        tensor (Tensor): What this process gives; of one shape and dtype on all.
        {group, sync_op, use_calc_stream}

    Returns:
        object: the task; None outside the group.

    Raises:
        RuntimeError: There is no process group, another process has ended, or use_calc_stream is
            given without sync_op.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed.communication import stream
        >>> def work():
        ...     dist.init_parallel_env()
        ...     rows = paddle.empty([2], "int64")
        ...     stream.all_gather(rows, paddle.to_tensor([dist.get_rank()]))
        ...     assert rows.tolist() == [0, 1]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = _entered('all_gather', group, sync_op, use_calc_stream)
    if group is None:
        return None
    out, counts = tensor_or_tensor_list, None
    if not _is_list(out):
        counts = _even('all_gather', out, group)
    elif len(out) == 0:
        out += [paddle.empty_like(tensor) for _ in range(group.nranks)]
    return group.process_group.all_gather(out, [tensor], counts, sync=sync_op)


@shares(ENTRIES)
def all_reduce(tensor, op=0, group=None, sync_op=True, use_calc_stream=False):
    """Reduce the tensors of all processes to one, which replaces them, on a chosen stream.

    Args:
        tensor (Tensor): What this process gives, and where the result comes; of one shape and dtype
            on all.
        {op, group, sync_op, use_calc_stream}

    Returns:
        object: the task; None outside the group.

    Raises:
        RuntimeError: There is no process group, another process has ended, or use_calc_stream is
            given without sync_op.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed.communication import stream
        >>> def work():
        ...     dist.init_parallel_env()
        ...     x = paddle.to_tensor([dist.get_rank() + 1.0])
        ...     stream.all_reduce(x, sync_op=False).wait()
        ...     assert x.item() == 3.0
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = _entered('all_reduce', group, sync_op, use_calc_stream)
    if group is None:
        return None
    return group.process_group.all_reduce([tensor], op, sync=sync_op)


@shares(ENTRIES)
def alltoall(
    out_tensor_or_tensor_list,
    in_tensor_or_tensor_list,
    group=None,
    sync_op=True,
    use_calc_stream=False,
):
    """Send a tensor to each process, and get one of each, on a chosen stream.

    Args:
        out_tensor_or_tensor_list (Tensor or list of Tensors): Where they come: the i-th, or the
            i-th share of the rows, is what process i sent here; an empty list is filled with new
            ones.
        in_tensor_or_tensor_list (Tensor or list of Tensors): The i-th, or the i-th share of the
            rows, goes to process i.
        {group, sync_op, use_calc_stream}

    Returns:
        object: the task; None outside the group.

    Raises:
        RuntimeError: There is no process group, another process has ended, or use_calc_stream is
            given without sync_op.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed.communication import stream
        >>> def work():
        ...     dist.init_parallel_env()
        ...     rank, received = dist.get_rank(), paddle.empty([2], "int64")
        ...     stream.alltoall(received, paddle.to_tensor([10 * rank, 10 * rank + 1]))
        ...     assert received.tolist() == [rank, 10 + rank]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = _entered('alltoall', group, sync_op, use_calc_stream)
    if group is None:
        return None
    out, given = out_tensor_or_tensor_list, in_tensor_or_tensor_list
    if _is_list(out) != _is_list(given):
        raise RuntimeError('[alltoall] expected two tensors or two lists of tensors, got one each')
    if not _is_list(out):
        return alltoall_single(out, given, None, None, group, sync_op, use_calc_stream)
    if len(out) == 0:
        out += [paddle.empty_like(t) for t in given]
    return group.process_group.all_to_all(out, list(given), sync=sync_op)


@shares(ENTRIES)
def alltoall_single(
    out_tensor,
    in_tensor,
    out_split_sizes=None,
    in_split_sizes=None,
    group=None,
    sync_op=True,
    use_calc_stream=False,
):
    """Send rows of a tensor to each process, and get rows of each, on a chosen stream.

    Args:
        out_tensor (Tensor): Where the rows come, those of process 0 first.
        in_tensor (Tensor): The rows, those for process 0 first.
        out_split_sizes (list of ints, default None): How many rows come from each process; None for
            equal shares.
        in_split_sizes (list of ints, default None): How many rows go to each process; None for
            equal shares.
        {group, sync_op, use_calc_stream}

    Returns:
        object: the task; None outside the group.

    Raises:
        RuntimeError: There is no process group, another process has ended, or use_calc_stream is
            given without sync_op.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed.communication import stream
        >>> def work():
        ...     dist.init_parallel_env()
        ...     rank = dist.get_rank()
        ...     received = paddle.empty([[1, 3][rank]], "int64")
        ...     rows = paddle.full([2], rank, "int64")
        ...     counts = [[1, 0], [1, 2]][rank]
        ...     stream.alltoall_single(received, rows, counts, [[1, 1], [0, 2]][rank])
        ...     assert received.tolist() == [[0], [0, 1, 1]][rank]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = _entered('alltoall_single', group, sync_op, use_calc_stream)
    if group is None:
        return None
    return group.process_group.all_to_all(
        out_tensor,
        in_tensor,
        out_split_sizes or _even('alltoall_single', out_tensor, group),
        in_split_sizes or _even('alltoall_single', in_tensor, group),
        sync=sync_op,
    )


@shares(ENTRIES)
def broadcast(tensor, src, group=None, sync_op=True, use_calc_stream=False):
    """Give all processes the tensor of one, on a chosen stream.

    Args:
        tensor (Tensor): What process src gives, and where it comes on the others.
        src (int): The rank of the process that gives it.
        {group, sync_op, use_calc_stream}

    Returns:
        object: the task; None outside the group.

    Raises:
        AssertionError: The rank is none of the group's.
        RuntimeError: There is no process group, another process has ended, or use_calc_stream is
            given without sync_op.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed.communication import stream
        >>> def work():
        ...     dist.init_parallel_env()
        ...     x = paddle.to_tensor([dist.get_rank() + 5.0])
        ...     stream.broadcast(x, src=1)
        ...     assert x.item() == 6.0
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = _entered('broadcast', group, sync_op, use_calc_stream)
    if group is None:
        return None
    root = rank_in(group, src, 'broadcast')
    return group.process_group.broadcast([tensor], root, sync=sync_op)


@shares(ENTRIES)
def reduce(tensor, dst=0, op=0, group=None, sync_op=True, use_calc_stream=False):
    """Reduce the tensors of all processes to one, on one of them, on a chosen stream.

    Args:
        tensor (Tensor): What this process gives; the result replaces that of process dst.
        dst (int, default 0): The rank of the process that gets the result.
        {op, group, sync_op, use_calc_stream}

    Returns:
        object: the task; None outside the group.

    Raises:
        AssertionError: The rank is none of the group's.
        RuntimeError: There is no process group, another process has ended, or use_calc_stream is
            given without sync_op.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed.communication import stream
        >>> def work():
        ...     dist.init_parallel_env()
        ...     x = paddle.to_tensor([dist.get_rank() + 1.0])
        ...     stream.reduce(x, dst=0, op=dist.ReduceOp.MAX)
        ...     assert dist.get_rank() == 1 or x.item() == 2.0
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = _entered('reduce', group, sync_op, use_calc_stream)
    if group is None:
        return None
    return group.process_group.reduce([tensor], op, rank_in(group, dst, 'reduce'), sync=sync_op)


@shares(ENTRIES)
def reduce_scatter(
    tensor, tensor_or_tensor_list, op=0, group=None, sync_op=True, use_calc_stream=False
):
    """Reduce tensors of which each process gets a part, on a chosen stream.

    Args:
        tensor (Tensor): Where number i of the result comes on process i.
        tensor_or_tensor_list (Tensor or list of Tensors): What this process gives: a tensor for
            each process, or one with a share of the rows for each.
        {op, group, sync_op, use_calc_stream}

    Returns:
        object: the task; None outside the group.

    Raises:
        RuntimeError: There is no process group, another process has ended, or use_calc_stream is
            given without sync_op.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed.communication import stream
        >>> def work():
        ...     dist.init_parallel_env()
        ...     total = paddle.empty([1])
        ...     stream.reduce_scatter(total, paddle.to_tensor([1.0, 10.0]))
        ...     assert total.item() == [2.0, 20.0][dist.get_rank()]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = _entered('reduce_scatter', group, sync_op, use_calc_stream)
    if group is None:
        return None
    given = tensor_or_tensor_list
    counts = None if _is_list(given) else _even('reduce_scatter', given, group)
    return group.process_group.reduce_scatter(
        [tensor], list(given) if counts is None else given, None, counts, op, sync=sync_op
    )


@shares(ENTRIES)
def scatter(
    tensor, tensor_or_tensor_list=None, src=0, group=None, sync_op=True, use_calc_stream=False
):
    """Give each process one of the tensors that one process has, on a chosen stream.

    Args:
        tensor (Tensor): Where number i comes on process i.
        tensor_or_tensor_list (Tensor or list of Tensors, default None): What process src gives: a
            tensor for each process, or one with a share of the rows for each. Others give none.
        src (int, default 0): The rank of the process that has them.
        {group, sync_op, use_calc_stream}

    Returns:
        object: the task; None outside the group.

    Raises:
        AssertionError: The rank is none of the group's.
        RuntimeError: There is no process group, another process has ended, or use_calc_stream is
            given without sync_op.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed.communication import stream
        >>> def work():
        ...     dist.init_parallel_env()
        ...     x = paddle.empty([1])
        ...     stream.scatter(x, paddle.to_tensor([5.0, 6.0]), src=0)
        ...     assert x.item() == [5.0, 6.0][dist.get_rank()]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = _entered('scatter', group, sync_op, use_calc_stream)
    if group is None:
        return None
    root = rank_in(group, src, 'scatter')
    given = counts = None
    if root == group.rank:
        given = tensor_or_tensor_list
        if given is None or (_is_list(given) and len(given) == 0):
            raise RuntimeError(f'[scatter] expected tensors to scatter on rank {src}, got none')
        if not _is_list(given):
            counts = _even('scatter', given, group)
    return group.process_group.scatter([tensor], given, None, counts, root=root, sync=sync_op)


@shares(ENTRIES)
def gather(tensor, gather_list=None, dst=0, group=None, sync_op=True, use_calc_stream=False):
    """Collect the tensors of all processes on one, on a chosen stream.

    Args:
        tensor (Tensor): What this process gives; of one shape and dtype on all.
        gather_list (list of Tensors, default None): Where they come on process dst: one for each,
            or empty, then it is filled with new ones. Others give none.
        dst (int, default 0): The rank of the process that collects.
        {group, sync_op, use_calc_stream}

    Returns:
        object: the task; None outside the group.

    Raises:
        AssertionError: The rank is none of the group's.
        RuntimeError: There is no process group, another process has ended, or use_calc_stream is
            given without sync_op.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed.communication import stream
        >>> def work():
        ...     dist.init_parallel_env()
        ...     parts = [] if dist.get_rank() == 0 else None
        ...     stream.gather(paddle.to_tensor([dist.get_rank()]), parts, dst=0)
        ...     assert parts is None or [p.item() for p in parts] == [0, 1]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = _entered('gather', group, sync_op, use_calc_stream)
    if group is None:
        return None
    root = rank_in(group, dst, 'gather')
    out = None
    if root == group.rank:
        if gather_list is None:
            raise RuntimeError(f'[gather] expected a list to gather in on rank {dst}, got None')
        if len(gather_list) == 0:
            gather_list += [paddle.empty_like(tensor) for _ in range(group.nranks)]
        out = gather_list
    return group.process_group.gather(out, [tensor], root=root, sync=sync_op)


@shares(ENTRIES)
def send(tensor, dst=0, group=None, sync_op=True, use_calc_stream=False):
    """Send a tensor to another process, which calls `recv`, on a chosen stream.

    Args:
        tensor (Tensor): The tensor; the other process receives one of the same shape and dtype.
        dst (int, default 0): The rank of the other process.
        {group, sync_op, use_calc_stream}

    Returns:
        object: the task; None outside the group.

    Raises:
        AssertionError: The rank is none of the group's.
        RuntimeError: There is no process group, another process has ended, or use_calc_stream is
            given without sync_op.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed.communication import stream
        >>> def work():
        ...     dist.init_parallel_env()
        ...     x = paddle.full([2], dist.get_rank())
        ...     stream.send(x, dst=1) if dist.get_rank() == 0 else stream.recv(x, src=0)
        ...     assert x.tolist() == [0, 0]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = _entered('send', group, sync_op, use_calc_stream)
    if group is None:
        return None
    return group.process_group.send(tensor, rank_in(group, dst, 'send'), sync_op)


@shares(ENTRIES)
def recv(tensor, src=0, group=None, sync_op=True, use_calc_stream=False):
    """Receive the tensor that another process sends by `send`, on a chosen stream.

    Args:
        tensor (Tensor): Where it comes, of the shape and dtype of what is sent.
        src (int, default 0): The rank of the other process.
        {group, sync_op, use_calc_stream}

    Returns:
        object: the task; None outside the group.

    Raises:
        AssertionError: The rank is none of the group's.
        RuntimeError: There is no process group, another process has ended, or use_calc_stream is
            given without sync_op.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed.communication import stream
        >>> def work():
        ...     dist.init_parallel_env()
        ...     x = paddle.full([2], dist.get_rank())
        ...     stream.send(x, dst=1) if dist.get_rank() == 0 else stream.recv(x, src=0)
        ...     assert x.tolist() == [0, 0]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = _entered('recv', group, sync_op, use_calc_stream)
    if group is None:
        return None
    return group.process_group.recv(tensor, rank_in(group, src, 'recv'), sync_op)
