# SPDX-License-Identifier: Apache-2.0
"""Gradients, parameters and inputs that processes of a job share."""

import paddle
import paddle.distributed as dist
from paddle.distributed.communication.group import default_group

__all__ = []

_BUCKET = 128 << 20  # bytes of gradients that are reduced together


def obtain_optimizer_parameters_list(optimizer):
    """All parameters of an optimizer, of all of its groups."""
    return list(optimizer._all_params())


def unwrap_optimizer(optimizer, optimizer_instances=()):
    """The optimizer inside of those of the classes `optimizer_instances`."""
    while isinstance(optimizer, optimizer_instances):
        optimizer = optimizer._inner_opt
    return optimizer


def _by_dtype(tensors, bucket_size):
    """Lists of tensors of one dtype, each of at most `bucket_size` bytes or one tensor."""
    buckets = {}
    for t in tensors:
        lists = buckets.setdefault(t.dtype, [[]])
        size = sum(x.size * x.element_size() for x in lists[-1])
        if lists[-1] and size + t.size * t.element_size() > bucket_size:
            lists.append([])
        lists[-1].append(t)
    return [one for lists in buckets.values() for one in lists]


def fused_allreduce_gradients_with_group(parameter_list, group, bucket_size=_BUCKET, scale=None):
    """Average the gradients over a group, or without it over all processes; with `scale` their sum
    is multiplied by that instead.
    """
    group = default_group() if group is None else group
    if group.nranks < 2 and scale is None:
        return
    with paddle.no_grad():
        trained = [p for p in parameter_list if not p.stop_gradient and p.grad is not None]
        for p in trained:
            if p.grad.is_selected_rows():
                p.grad = p.grad.to_dense()
        gradients = [p.grad for p in trained]
        for bucket in _by_dtype(gradients, bucket_size):
            if group.process_group is not None:
                operation = dist.ReduceOp.AVG if scale is None else dist.ReduceOp.SUM
                group.process_group.all_reduce(bucket, operation)
            if scale is not None:
                for gradient in bucket:
                    gradient.scale_(scale)


def fused_allreduce_gradients(parameter_list, hcg):
    """Average the gradients over the processes that see other data: all, or those of `hcg`."""
    if hcg is None:
        fused_allreduce_gradients_with_group(parameter_list, None)
        return
    if hcg.get_sep_parallel_world_size() > 1:
        # Parts of one sequence add up; batches are averaged.
        scale = 1.0 / hcg.get_data_parallel_world_size()
        fused_allreduce_gradients_with_group(
            parameter_list, hcg.get_dp_sep_parallel_group(), scale=scale
        )
    elif hcg.get_data_parallel_world_size() > 1:
        fused_allreduce_gradients_with_group(parameter_list, hcg.get_data_parallel_group())


def _broadcast_parameters(model, group, divided):
    """Parameters and buffers are the group's first process's; `divided` ones only if asked."""
    if group.nranks < 2:
        return
    with paddle.no_grad():
        tensors = [
            t
            for t in [*model.parameters(), *model.buffers()]
            if divided or not getattr(t, 'is_distributed', False)
        ]
        for bucket in _by_dtype(tensors, _BUCKET):
            group.process_group.broadcast(bucket, 0)


def broadcast_mp_parameters(model, hcg):
    """Make what is not divided alike on the processes that share one copy of the model."""
    _broadcast_parameters(model, hcg.get_model_parallel_group(), False)


def broadcast_dp_parameters(model, hcg):
    """Make the copies of the model alike that see other data."""
    _broadcast_parameters(model, hcg.get_data_parallel_group(), True)


def broadcast_sharding_parameters(model, hcg):
    """Make the copies of the model alike that share an optimizer's state."""
    _broadcast_parameters(model, hcg.get_sharding_parallel_group(), True)


def broadcast_sep_parameters(model, hcg):
    """Make the copies of the model alike that see other parts of sequences."""
    if hcg.get_sep_parallel_world_size() > 1:
        _broadcast_parameters(model, hcg.get_sep_parallel_group(), True)


def broadcast_input_data(hcg, *inputs, **kwargs):
    """(inputs, kwargs) of the first process of the model-parallel group. All must call with tensors
    of the same shapes at the same places.
    """
    group = hcg.get_model_parallel_group()
    if group.nranks < 2:
        return inputs, kwargs

    def first(value):
        if isinstance(value, paddle.Tensor):
            out = value.detach().clone()
            group.process_group.broadcast([out], 0)
            out.stop_gradient = value.stop_gradient
            return out
        if isinstance(value, (list, tuple)):
            items = [first(v) for v in value]
            return type(value)(*items) if hasattr(value, '_fields') else type(value)(items)
        if isinstance(value, dict):
            return type(value)((k, first(v)) for k, v in value.items())
        return value

    return tuple(first(v) for v in inputs), {k: first(v) for k, v in kwargs.items()}
