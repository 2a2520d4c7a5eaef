# SPDX-License-Identifier: Apache-2.0
"""Sequence parallelism: between the divided layers each process of the model-parallel group has a
part of the rows.
"""

from paddle.autograd import PyLayer
from paddle.distributed.communication import ReduceOp

from ..layers.mpu.mp_layers import ColumnParallelLinear, RowParallelLinear, model_parallel_group
from ..layers.mpu.mp_ops import all_gathered, own_part, reduce_scattered

__all__ = []


def _of_many():
    group = model_parallel_group(None)
    return group if group.nranks > 1 else None


def scatter(input):
    """This process's rows."""
    group = _of_many()
    return input if group is None else own_part(input, group, 0)


def all_gather(input):
    """The rows of all processes."""
    group = _of_many()
    return input if group is None else all_gathered(input, group, 0)


def reduce_scatter(input):
    """This process's rows of the sum over all processes."""
    group = _of_many()
    if group is None:
        return input
    if input.shape[0] % group.nranks:
        raise ValueError(
            f'[reduce_scatter] expected a first axis that {group.nranks} divides, got shape '
            f'{list(input.shape)}'
        )
    return reduce_scattered(input, group)


class ScatterOp(PyLayer):
    """`scatter`; gradients are gathered."""

    @staticmethod
    def forward(ctx, input):
        return scatter(input).clone()

    @staticmethod
    def backward(ctx, grad):
        return all_gather(grad)


class GatherOp(PyLayer):
    """`all_gather`; each process takes its rows of the gradient."""

    @staticmethod
    def forward(ctx, input):
        return all_gather(input).clone()

    @staticmethod
    def backward(ctx, grad):
        return scatter(grad)


class AllGatherOp(PyLayer):
    """`all_gather`; gradients are summed and scattered."""

    @staticmethod
    def forward(ctx, input):
        return all_gather(input).clone()

    @staticmethod
    def backward(ctx, grad):
        return reduce_scatter(grad)


class ReduceScatterOp(PyLayer):
    """`reduce_scatter`; gradients are gathered."""

    @staticmethod
    def forward(ctx, input):
        return reduce_scatter(input).clone()

    @staticmethod
    def backward(ctx, grad):
        return all_gather(grad)


def mark_as_sequence_parallel_parameter(parameter):
    """Say that each process has the gradient of its rows only."""
    parameter.sequence_parallel = True


def is_sequence_parallel_parameter(parameter):
    """Whether it was marked so."""
    return getattr(parameter, 'sequence_parallel', False)


def register_sequence_parallel_allreduce_hooks(
    model, accumulation_steps, fuse_sequence_parallel_allreduce
):
    """Sum the gradients of marked parameters over the model-parallel group after every
    `accumulation_steps` backward passes; with `fuse_sequence_parallel_allreduce` all in one.
    """
    group = _of_many()
    marked = [p for p in model.parameters() if is_sequence_parallel_parameter(p)]
    if group is None or not marked:
        return
    sets = [marked] if fuse_sequence_parallel_allreduce else [[p] for p in marked]
    for parameters in sets:
        _SumWhenComplete(parameters, accumulation_steps, group)


class _SumWhenComplete:
    def __init__(self, parameters, steps, group):
        self._parameters, self._steps, self._group = parameters, steps, group
        self._came = 0
        for p in parameters:
            p.register_post_accumulate_grad_hook(self)

    def __call__(self, parameter):
        self._came += 1
        if self._came == len(self._parameters) * self._steps:
            self._came = 0
            self._group.process_group.all_reduce([p.grad for p in self._parameters], ReduceOp.SUM)


class ColumnSequenceParallelLinear(ColumnParallelLinear):
    """A linear layer whose output features are shared, of an input whose rows are shared. Outputs
    are not gathered.
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
        assert not gather_output, (
            '[ColumnSequenceParallelLinear] expected gather_output=False, got True'
        )
        super().__init__(
            in_features,
            out_features,
            weight_attr,
            has_bias,
            gather_output,
            fuse_matmul_bias,
            mp_group,
            name,
        )

    def forward(self, x):
        x = AllGatherOp.apply(x) if self.is_mp else x
        return self.linear(x, self.weight, self.bias)


class RowSequenceParallelLinear(RowParallelLinear):
    """A linear layer whose input features are shared; the rows of the output are."""

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
        assert input_is_parallel, (
            '[RowSequenceParallelLinear] expected input_is_parallel=True, got False'
        )
        super().__init__(
            in_features,
            out_features,
            weight_attr,
            has_bias,
            input_is_parallel,
            fuse_matmul_bias,
            mp_group,
            name,
        )
        if self.bias is not None:
            mark_as_sequence_parallel_parameter(self.bias)

    def forward(self, x):
        if not self.is_mp:
            return self.linear(x, self.weight, self.bias)
        out = ReduceScatterOp.apply(self.linear(x, self.weight))
        return out if self.bias is None else out + self.bias
