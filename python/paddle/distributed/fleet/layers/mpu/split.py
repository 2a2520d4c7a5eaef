# SPDX-License-Identifier: Apache-2.0
"""`paddle.distributed.split`: a linear layer or an embedding of a program, shared by processes."""

import paddle
import paddle.nn.functional as F
from paddle.base import libpaddle as _core

from . import mp_ops
from .mp_layers import ShardedLayer, share

__all__ = ['split']


class _Shared(ShardedLayer):
    """Where the parameters of a call are made."""


def split(
    x,
    size,
    operation,
    axis=0,
    num_partitions=1,
    gather_out=True,
    weight_attr=None,
    bias_attr=None,
    name=None,
):
    """A new linear layer or embedding of a program whose weight is shared by the processes of the
    model-parallel group.

    Args:
        x (Tensor): The input: of shape [..., size[0]] for `linear`, integers for `embedding`.
        size (list or tuple of ints): The shape of the whole weight.
        operation (str): `linear` or `embedding`.
        axis (int, default 0): Which axis of the weight is shared; only 0 for `embedding`.
        num_partitions (int, default 1): How many processes share it: all of the group.
        gather_out (bool, default True): Whether each process gets the whole result. Else each has
            its columns (axis 1), or what its rows add to the result (axis 0).
        weight_attr (ParamAttr, default None): Attributes of the weight.
        bias_attr (ParamAttr or bool, default None): Attributes of the bias of `linear`; False for
            none.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [..., size[1]].

    Raises:
        AssertionError: Another operation, a size that is no pair, a size that processes cannot
            share, or another num_partitions than there are processes.
        ValueError: Dynamic mode, or another axis.

    Source: Shoeybi and others, Megatron-LM, https://arxiv.org/abs/1909.08053.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 4])
        ...     out = paddle.distributed.split(
        ...         x, (4, 2), "linear", axis=1,
        ...         weight_attr=paddle.nn.initializer.Constant(0.5))
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> exe.run(main, feed={"x": [[1.0, 2.0, 3.0, 4.0]]}, fetch_list=[out])[0].tolist()
        [[5.0, 5.0]]
    """
    _check(size, operation, axis)
    group = _group()
    assert num_partitions == group.nranks, (
        f'[split] expected num_partitions {group.nranks}, the processes of the group, got '
        f'{num_partitions}'
    )
    layer = _Shared(group, name)
    rows, columns = size
    if operation == 'embedding':
        rows = share('split', rows, group)
        weight = layer._part([rows, columns], weight_attr, 0)
        if not layer.is_mp:
            return F.embedding(x, weight)
        out = mp_ops._c_lookup_table(weight, x, max(group.rank, 0) * rows)
        return mp_ops._mp_allreduce(out, group=group) if gather_out else out
    if axis == 1:
        columns = share('split', columns, group)
        weight = layer._part([rows, columns], weight_attr, 1)
        bias = _bias(layer, columns, bias_attr, layer.is_mp)
        out = F.linear(mp_ops._c_identity(x, group), weight, bias)
        return mp_ops._c_concat(out, group) if gather_out else out
    rows = share('split', rows, group)
    weight = layer._part([rows, columns], weight_attr, 0)
    if layer.is_mp:
        x = mp_ops._c_split(x, group) if x.shape[-1] == size[0] else x
        out = F.linear(x, weight)
        if not gather_out:
            return out
        out = mp_ops._mp_allreduce(out, group=group)
    else:
        out = F.linear(x, weight)
    bias = _bias(layer, columns, bias_attr, False)
    return out if bias is None else out + bias


def _check(size, operation, axis):
    if _core.pir._record_mode() == 0:
        raise ValueError(
            '[split] expected static mode (paddle.enable_static()), got dynamic: the layers '
            'ColumnParallelLinear, RowParallelLinear and VocabParallelEmbedding keep their '
            'parameters'
        )
    assert isinstance(size, (list, tuple)) and len(size) == 2, (
        f'[split] expected size to be a list or tuple of two, got {size!r}'
    )
    assert operation in ('linear', 'embedding'), (
        f"[split] expected operation 'linear' or 'embedding', got {operation!r}"
    )
    if axis not in (0, 1):
        raise ValueError(f'[split] expected axis 0 or 1, got {axis!r}')
    assert operation == 'linear' or axis == 0, (
        f'[split] expected axis 0 for an embedding, whose rows are shared, got {axis}'
    )


def _group():
    """The model-parallel group of `fleet.init`, or all processes."""
    from paddle.distributed import fleet
    from paddle.distributed.communication.group import Group, get_group, is_initialized

    if getattr(fleet.fleet, '_hcg', None) is not None:
        return fleet.get_hybrid_communicate_group().get_model_parallel_group()
    return get_group(0) if is_initialized() else Group(0, 0, [0])


def _bias(layer, size, attr, shared):
    if attr is False:
        return None
    bias = layer.create_parameter(
        [size], attr, layer._dtype, True, paddle.nn.initializer.Constant(0.0)
    )
    bias.is_distributed = shared
    return bias
