# SPDX-License-Identifier: Apache-2.0
"""Collectives that say on which stream they run. The CPU has one: with `use_calc_stream` a call
has ended when it returns, as with `sync_op`.
"""

import paddle

from ..group import joined, rank_in

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


def all_gather(tensor_or_tensor_list, tensor, group=None, sync_op=True, use_calc_stream=False):
    """`all_gather`; a tensor gets the rows of all processes one after another."""
    group = _entered('all_gather', group, sync_op, use_calc_stream)
    if group is None:
        return None
    out, counts = tensor_or_tensor_list, None
    if not _is_list(out):
        counts = _even('all_gather', out, group)
    elif len(out) == 0:
        out += [paddle.empty_like(tensor) for _ in range(group.nranks)]
    return group.process_group.all_gather(out, [tensor], counts, sync=sync_op)


def all_reduce(tensor, op=0, group=None, sync_op=True, use_calc_stream=False):
    """`all_reduce`."""
    group = _entered('all_reduce', group, sync_op, use_calc_stream)
    if group is None:
        return None
    return group.process_group.all_reduce([tensor], op, sync=sync_op)


def alltoall(
    out_tensor_or_tensor_list,
    in_tensor_or_tensor_list,
    group=None,
    sync_op=True,
    use_calc_stream=False,
):
    """`alltoall`; of tensors, process i gets the i-th share of the rows."""
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


def alltoall_single(
    out_tensor,
    in_tensor,
    out_split_sizes=None,
    in_split_sizes=None,
    group=None,
    sync_op=True,
    use_calc_stream=False,
):
    """`alltoall_single`."""
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


def broadcast(tensor, src, group=None, sync_op=True, use_calc_stream=False):
    """`broadcast`."""
    group = _entered('broadcast', group, sync_op, use_calc_stream)
    if group is None:
        return None
    root = rank_in(group, src, 'broadcast')
    return group.process_group.broadcast([tensor], root, sync=sync_op)


def reduce(tensor, dst=0, op=0, group=None, sync_op=True, use_calc_stream=False):
    """`reduce`."""
    group = _entered('reduce', group, sync_op, use_calc_stream)
    if group is None:
        return None
    return group.process_group.reduce([tensor], op, rank_in(group, dst, 'reduce'), sync=sync_op)


def reduce_scatter(
    tensor, tensor_or_tensor_list, op=0, group=None, sync_op=True, use_calc_stream=False
):
    """`reduce_scatter`; of a tensor, process i gets the i-th share of the rows."""
    group = _entered('reduce_scatter', group, sync_op, use_calc_stream)
    if group is None:
        return None
    given = tensor_or_tensor_list
    counts = None if _is_list(given) else _even('reduce_scatter', given, group)
    return group.process_group.reduce_scatter(
        [tensor], list(given) if counts is None else given, None, counts, op, sync=sync_op
    )


def scatter(
    tensor, tensor_or_tensor_list=None, src=0, group=None, sync_op=True, use_calc_stream=False
):
    """`scatter`; of a tensor, process i gets the i-th share of the rows."""
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


def gather(tensor, gather_list=None, dst=0, group=None, sync_op=True, use_calc_stream=False):
    """`gather`."""
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


def send(tensor, dst=0, group=None, sync_op=True, use_calc_stream=False):
    """`send`."""
    group = _entered('send', group, sync_op, use_calc_stream)
    if group is None:
        return None
    return group.process_group.send(tensor, rank_in(group, dst, 'send'), sync_op)


def recv(tensor, src=0, group=None, sync_op=True, use_calc_stream=False):
    """`recv`."""
    group = _entered('recv', group, sync_op, use_calc_stream)
    if group is None:
        return None
    return group.process_group.recv(tensor, rank_in(group, src, 'recv'), sync_op)
