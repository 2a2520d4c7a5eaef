# SPDX-License-Identifier: Apache-2.0
"""Operations on tensors that a group of processes holds in parts, with their gradients.

Without `group` it is the one of all processes. In a group of one process, and where nothing was
started, each is what it is for one part.
"""

from inspect import unwrap

import paddle
import paddle.nn.functional as F
from paddle import _C_ops
from paddle.autograd import PyLayer
from paddle.distributed.communication import ReduceOp, stream
from paddle.distributed.communication.group import default_group, is_initialized


def _of_many(group):
    """The group; None where it has one process."""
    if group is None:
        group = default_group() if is_initialized() else None
    return None if group is None or group.nranks < 2 else group


def all_gathered(x, group, axis):
    """The parts of all processes, one after another along an axis."""
    parts = []
    stream.all_gather(parts, x.contiguous(), group)
    return paddle.concat(parts, axis=axis)


def own_part(x, group, axis):
    """This process's part of a tensor that is divided evenly along an axis."""
    size = x.shape[axis]
    if size % group.nranks:
        raise ValueError(
            f'[fleet] expected an axis {axis} that {group.nranks} divides, got shape '
            f'{list(x.shape)}'
        )
    return paddle.split(x, group.nranks, axis=axis)[group.rank].contiguous()


def reduced(x, group, op=ReduceOp.SUM):
    """A new tensor: the sum, or what `op` says, over the group."""
    out = x.clone()
    stream.all_reduce(out, op, group)
    return out


def reduce_scattered(x, group):
    """This process's rows of the sum over the group."""
    out = paddle.empty([x.shape[0] // group.nranks, *x.shape[1:]], x.dtype)
    stream.reduce_scatter(out, x.contiguous(), group=group)
    return out


class _Reduce(PyLayer):
    @staticmethod
    def forward(ctx, x, group, op):
        return reduced(x, group, op)

    @staticmethod
    def backward(ctx, dy):
        return dy


def _c_identity(tensor, group=None, skip_c_identity_dynamic=False):
    """The tensor; its gradient is summed over the group."""
    group = _of_many(group)
    return tensor if group is None else _C_ops.c_identity(tensor, group.id, True, True)


def _c_concat(tensor, group=None):
    """The parts of all processes side by side along the last axis."""
    group = _of_many(group)
    if group is None:
        return tensor
    return _C_ops.c_concat(tensor, group.rank, group.nranks, group.id, True, True)


def _c_split(tensor, group=None):
    """This process's part of the last axis."""
    group = _of_many(group)
    if group is None:
        return tensor
    return _C_ops.c_split(tensor, group.rank, group.nranks, group.id, True)


def _mp_allreduce(
    tensor,
    op=ReduceOp.SUM,
    group=None,
    use_calc_stream=True,
    use_model_parallel=True,
    skip_c_identity_dynamic=False,
):
    """The sum over the group; with `use_model_parallel` the gradient is passed on as it is."""
    if not use_calc_stream or not use_model_parallel:
        raise ValueError(
            '[_mp_allreduce] expected use_calc_stream and use_model_parallel to be True, got '
            f'{use_calc_stream} and {use_model_parallel}'
        )
    group = _of_many(group)
    if group is None:
        return tensor
    if op == ReduceOp.SUM:
        return _C_ops.mp_allreduce_sum(tensor, group.id)
    return _Reduce.apply(tensor, group, op)


def _c_lookup_table(table, index, start_index=0, vocab_size=-1, name=None):
    """Rows of a table that begins with row `start_index` of a vocabulary; zeros for indices of
    other parts. ValueError for an index outside the vocabulary where `vocab_size` tells how large
    it is.
    """
    return _C_ops.c_embedding(table, index, start_index, vocab_size)


def _c_softmax_with_cross_entropy(
    logits, label, group=None, return_softmax=False, ignore_index=-100
):
    """The losses [..., 1] of logits [..., classes of this process], and with `return_softmax` their
    softmax over all classes.
    """
    if label.ndim == logits.ndim - 1:
        label = label.unsqueeze(-1)
    if label.ndim != logits.ndim or label.shape[-1] != 1:
        raise ValueError(
            '[_c_softmax_with_cross_entropy] expected a label for each row of logits, got shapes '
            f'{list(label.shape)} and {list(logits.shape)}'
        )
    group = _of_many(group)
    if group is None:
        loss, softmax = unwrap(F.softmax_with_cross_entropy)(
            logits, label, ignore_index=ignore_index, return_softmax=True
        )
    else:
        softmax, loss = _C_ops.c_softmax_with_cross_entropy(
            logits, label, ignore_index, group.id, group.rank, group.nranks
        )
    return (loss, softmax) if return_softmax else loss
