# SPDX-License-Identifier: Apache-2.0
"""Whole parameters of a model of which each process has parts, one after the other."""

import paddle

from ...communication.all_gather import all_gather_object
from ...parallel import get_rank
from .. import aoa
from .sharded_weight import ShardedWeight
from .state_dict import own_parts, several_processes, shards_of, whole_shape

__all__ = ['full_param']


def full_param(layer, aoa_config=None, process_group=None):
    """(name, whole tensor) of the layer's state, in the order of names: see `Layer.full`."""
    sharded = layer.sharded_state_dict()
    planned = aoa.plan(
        aoa_config or {},
        sharded,
        shards=lambda name, axis, made: 1 if made else shards_of(sharded[name], axis),
    )
    return _each(planned, sharded, process_group)


def _each(planned, sharded, group):
    def read(name):
        return _assembled(sharded[name], group)

    for name in sorted(planned):
        with paddle.no_grad():
            whole = planned[name].make(read)
        yield name, whole


def _assembled(weight, group):
    tensor = weight.local_tensor if isinstance(weight, ShardedWeight) else weight
    in_one = isinstance(weight, ShardedWeight) and not weight.is_flattened and not tensor.is_dist()
    if in_one and tuple(weight.local_shape) == tuple(weight.global_shape):
        return tensor
    if tensor.is_dist():
        return paddle.distributed.unshard_dtensor(tensor)
    pieces = [own_parts(weight, get_rank())]
    if several_processes():
        all_gather_object(pieces := [], own_parts(weight, get_rank()), group)
    whole = paddle.empty(whole_shape(weight), tensor.dtype)
    for part in (part for parts in pieces for part in parts):
        box = tuple(slice(a, a + n) for a, n in zip(part.first, part.shape))
        if part.flat is None:
            whole[box] = part.tensor
        else:
            row = whole[box].reshape([-1])
            row[slice(*part.flat)] = part.tensor.reshape([-1])
            whole[box] = row.reshape(part.shape)
    return whole
