# SPDX-License-Identifier: Apache-2.0
"""Linear layers, embedding and cross entropy whose parameters a group of processes shares."""

import contextlib

import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.distributed.flex_checkpoint.dcp.sharded_weight import shard_weight
from paddle.nn import initializer

from . import mp_ops
from .random import get_rng_state_tracker

__all__ = [
    'ColumnParallelLinear',
    'ParallelCrossEntropy',
    'RowParallelLinear',
    'VocabParallelEmbedding',
]


def model_parallel_group(group):
    """`group`, or the model-parallel one of `fleet.init`."""
    if group is not None:
        return group
    from paddle.distributed import fleet

    return fleet.get_hybrid_communicate_group().get_model_parallel_group()


def share(what, size, group):
    """The even share of each process. AssertionError where there is none."""
    assert size % group.nranks == 0, (
        f'[{what}] expected a size that {group.nranks} processes can share, got {size}'
    )
    return size // group.nranks


class ShardedLayer(nn.Layer):
    """A layer whose parameters are this process's parts. Parts that differ have first values of
    the state 'model_parallel_rng', where one was made.
    """

    def __init__(self, mp_group, name):
        super().__init__()
        self.model_parallel_group = model_parallel_group(mp_group)
        self.world_size = self.model_parallel_group.nranks
        self.is_mp = self.world_size > 1
        self._name = name
        self._dtype = paddle.get_default_dtype()

    def _part(self, shape, attr, axis, is_bias=False):
        """A parameter divided along an axis."""
        tracker = get_rng_state_tracker()
        apart = self.is_mp and not is_bias and tracker.get_states_tracker()
        with tracker.rng_state() if apart else contextlib.nullcontext():
            parameter = self.create_parameter(
                shape, attr, self._dtype, is_bias, initializer.Constant(0.0) if is_bias else None
            )
        parameter.is_distributed = self.is_mp
        if self.is_mp:
            parameter.split_axis = axis
        return parameter

    def _whole_bias(self, size):
        """A bias that all processes have whole."""
        bias = self.create_parameter([size], None, self._dtype, True, initializer.Constant(0.0))
        bias.is_distributed = False
        return bias

    def sharded_state_dict(self, structured_name_prefix=''):
        """`Layer.sharded_state_dict`, with the places of divided parameters in the whole."""
        sharded = super().sharded_state_dict(structured_name_prefix)
        for name, parameter in self._parameters.items():
            axis = getattr(parameter, 'split_axis', None)
            if axis is not None:
                key = f'{structured_name_prefix}{name}'
                sharded[key] = shard_weight(key, parameter, axis, self.model_parallel_group)
        return sharded


def linear_function(what, fuse_matmul_bias):
    """The function of a linear layer: one operation with `fuse_matmul_bias`."""
    if not isinstance(fuse_matmul_bias, bool):
        raise TypeError(
            f'[{what}] expected fuse_matmul_bias to be a bool, got '
            f'{type(fuse_matmul_bias).__name__}'
        )
    return paddle.incubate.nn.functional.fused_linear if fuse_matmul_bias else F.linear


class VocabParallelEmbedding(ShardedLayer):
    """An embedding whose rows are shared: each process looks up its own, and the sum over all has
    every row.
    """

    def __init__(self, num_embeddings, embedding_dim, weight_attr=None, mp_group=None, name=None):
        super().__init__(mp_group, name)
        rows = share('VocabParallelEmbedding', num_embeddings, self.model_parallel_group)
        self.origin_num_embeddings = num_embeddings
        self.vocab_start_index = max(self.model_parallel_group.rank, 0) * rows
        self.weight = self._part([rows, embedding_dim], weight_attr, 0)

    def forward(self, x):
        if not self.is_mp:
            return F.embedding(x, self.weight)
        rows = mp_ops._c_lookup_table(
            self.weight, x, self.vocab_start_index, self.origin_num_embeddings
        )
        return mp_ops._mp_allreduce(rows, group=self.model_parallel_group)


class ColumnParallelLinear(ShardedLayer):
    """A linear layer whose output features are shared; with `gather_output` every process gets all
    of them. It has a bias if `has_bias` is True.
    """

    def __init__(
        self,
        in_features,
        out_features,
        weight_attr=None,
        has_bias=None,
        gather_output=True,
        fuse_matmul_bias=False,
        mp_group=None,
        name=None,
    ):
        super().__init__(mp_group, name)
        columns = share(type(self).__name__, out_features, self.model_parallel_group)
        self.gather_output = gather_output
        self.output_size_per_partition = columns
        self.linear = linear_function(type(self).__name__, fuse_matmul_bias)
        self.weight = self._part([in_features, columns], weight_attr, 1)
        self.bias = self._part([columns], None, 0, True) if has_bias else None

    def forward(self, x):
        x = mp_ops._c_identity(x, self.model_parallel_group) if self.is_mp else x
        out = self.linear(x, self.weight, self.bias)
        if self.gather_output and self.is_mp:
            out = mp_ops._c_concat(out, self.model_parallel_group)
        return out


class RowParallelLinear(ShardedLayer):
    """A linear layer whose input features are shared; products are summed over the processes. With
    `input_is_parallel` the input is this process's part already.
    """

    def __init__(
        self,
        in_features,
        out_features,
        weight_attr=None,
        has_bias=True,
        input_is_parallel=False,
        fuse_matmul_bias=False,
        mp_group=None,
        name=None,
    ):
        super().__init__(mp_group, name)
        rows = share(type(self).__name__, in_features, self.model_parallel_group)
        self.input_is_parallel = input_is_parallel
        self.input_size_per_partition = rows
        self.linear = linear_function(type(self).__name__, fuse_matmul_bias)
        self.weight = self._part([rows, out_features], weight_attr, 0)
        self.bias = self._whole_bias(out_features) if has_bias else None

    def forward(self, x):
        if not self.is_mp:
            return self.linear(x, self.weight, self.bias)
        if not self.input_is_parallel:
            x = mp_ops._c_split(x, self.model_parallel_group)
        out = self.linear(x, self.weight)
        out = mp_ops._mp_allreduce(out, group=self.model_parallel_group)
        return out if self.bias is None else out + self.bias


class ParallelCrossEntropy(nn.Layer):
    """Cross entropy of logits whose classes are shared, [..., 1]; labels are of all classes."""

    def __init__(self, mp_group=None, name=None, ignore_index=-100):
        super().__init__()
        self.name = name
        self.model_parallel_group = model_parallel_group(mp_group)
        self.ignore_index = ignore_index

    def forward(self, input, label):
        return mp_ops._c_softmax_with_cross_entropy(
            input, label, self.model_parallel_group, ignore_index=self.ignore_index
        )
