# SPDX-License-Identifier: Apache-2.0
"""Plans of tensor and sequence parallelism: what the axis `mp` of a mesh divides of a layer."""

import paddle
from paddle.base import libpaddle as core

from ..api import distribute_in_place
from ..meshes import brought

__all__ = [
    'ColWiseParallel',
    'ConvParallel',
    'PlanBase',
    'PrepareLayerInput',
    'PrepareLayerOutput',
    'RowWiseParallel',
    'SequenceParallelBegin',
    'SequenceParallelDisable',
    'SequenceParallelEnable',
    'SequenceParallelEnd',
]


def _axis(mesh, name):
    return mesh.dim_names.index(name) if name in mesh.dim_names else None


def _along(name, mesh, placements, placement):
    axis = _axis(mesh, name)
    return [placement if i == axis else p for i, p in enumerate(placements)]


def placed_along(name, tensor, mesh, placement):
    """A tensor with another placement along an axis of the mesh; one that is not distributed is
    whole.
    """
    return brought(tensor, mesh, **{name: placement})


def _placed(tensor, mesh, placement):
    return placed_along('mp', tensor, mesh, placement)


def each_tensor(values, fn):
    """`fn` of the tensors among values, which may be one."""
    if isinstance(values, (list, tuple)):
        return type(values)(each_tensor(v, fn) for v in values)
    return fn(values) if isinstance(values, paddle.Tensor) else values


class PlanBase:
    """What is done to the layers that a plan names."""

    def apply(self, layer, process_mesh, shard_param_list):
        """Divides parameters and registers hooks; `shard_param_list`: parameters to divide, all
        where it is empty.
        """
        raise NotImplementedError(
            f'[{type(self).__name__}.apply] expected a subclass to define it, got none'
        )

    def whole_layer(self, names):
        """Refuses a plan for single parameters."""
        if names:
            raise ValueError(
                f'[{type(self).__name__}] expected the name of a layer, got that of its {names}'
            )


class _Divided(PlanBase):
    # Axes of `weight` and `bias` that are divided, by kind of layer.
    dims = {}

    def divide(self, layer, mesh, names):
        for kind, dims in self.dims.items():
            if isinstance(layer, kind):
                break
        else:
            raise NotImplementedError(
                f'[{type(self).__name__}] expected a Linear or Embedding, got '
                f'{type(layer).__name__}'
            )
        for name, dim in dims.items():
            tensor = getattr(layer, name, None)
            if tensor is None or (names and name not in names) or tensor.is_dist():
                continue
            placements = [core.Replicate() for _ in mesh.shape]
            placement = core.Replicate() if dim is None else core.Shard(dim)
            distribute_in_place(tensor, mesh, _along('mp', mesh, placements, placement))


class ColWiseParallel(_Divided):
    """A plan for `parallelize`: processes along `mp` divide the columns of a Linear or Embedding.

    Args:
        gather_output (bool, default False): Whether the result is made whole.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["mp"])
        >>> model = paddle.nn.Sequential(paddle.nn.Linear(2, 4))
        >>> config = {"mp_config": {"parallelize_plan": {"0": dist.ColWiseParallel()}}}
        >>> model, _ = dist.parallelize(model, mesh=mesh, config=config)
        >>> model[0].weight.placements, model[0].bias.placements
        ([Shard(dim=1)], [Shard(dim=0)])
    """

    dims = {paddle.nn.Linear: {'weight': 1, 'bias': 0}, paddle.nn.Embedding: {'weight': 1}}

    def __init__(self, gather_output=False):
        self.gather_output = gather_output

    def apply(self, layer, process_mesh, shard_param_list):
        self.divide(layer, process_mesh, shard_param_list)
        if self.gather_output:
            layer.register_forward_post_hook(self.gather_output_hook(process_mesh))

    def gather_output_hook(self, process_mesh):
        """A hook behind a layer that makes its results whole along `mp`."""
        return lambda _, __, out: each_tensor(
            out, lambda t: _placed(t, process_mesh, core.Replicate())
        )


class RowWiseParallel(_Divided):
    """A plan for `parallelize`: processes along `mp` divide the rows of a Linear or Embedding.

    Args:
        is_input_parallel (bool, default True): Whether the input comes divided, as behind
            `ColWiseParallel`.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["mp"])
        >>> model = paddle.nn.Sequential(paddle.nn.Linear(2, 4))
        >>> config = {"mp_config": {"parallelize_plan": {"0": dist.RowWiseParallel()}}}
        >>> model, _ = dist.parallelize(model, mesh=mesh, config=config)
        >>> model[0].weight.placements, model[0].bias.placements
        ([Shard(dim=0)], [Replicate()])
    """

    dims = {paddle.nn.Linear: {'weight': 0, 'bias': None}, paddle.nn.Embedding: {'weight': 0}}

    def __init__(self, is_input_parallel=True):
        self.is_input_parallel = is_input_parallel

    def apply(self, layer, process_mesh, shard_param_list):
        self.divide(layer, process_mesh, shard_param_list)
        if not self.is_input_parallel and isinstance(layer, paddle.nn.Linear):
            layer.register_forward_pre_hook(self.split_input_hook(process_mesh))

    def split_input_hook(self, process_mesh):
        """A hook before a layer that divides the last axis of its inputs along `mp`."""
        return lambda _, inputs: each_tensor(
            inputs, lambda t: _placed(t, process_mesh, core.Shard(t.ndim - 1))
        )


class _Hook(PlanBase):
    def __init__(self, fn=None):
        if fn is not None and not callable(fn):
            raise TypeError(f'[{type(self).__name__}] expected a function, got {type(fn).__name__}')
        self.fn = fn


class ConvParallel(PlanBase):
    """A plan for `parallelize`: processes along `mp` divide the columns of a convolution's images.

    What goes into the layer is divided along its last axis of space, and so is what comes out. The
    windows at the edges of a part read columns of its neighbours, which send them; gradients go the
    way back. The weight is on all processes. Where images have too few columns for that, all
    processes compute them whole.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["mp"])
        >>> model = paddle.nn.Sequential(paddle.nn.Conv2D(3, 4, 3, padding=1))
        >>> config = {"mp_config": {"parallelize_plan": {"0": dist.ConvParallel()}}}
        >>> model, _ = dist.parallelize(model, mesh=mesh, config=config)
        >>> out = model(paddle.ones([2, 3, 8, 8]))
        >>> out.shape, out.placements
        (paddle.Size([2, 4, 8, 8]), [Shard(dim=3)])
    """

    def apply(self, layer, process_mesh, shard_param_list):
        self.whole_layer(shard_param_list)
        kinds = (paddle.nn.Conv1D, paddle.nn.Conv2D, paddle.nn.Conv3D)
        if not isinstance(layer, kinds):
            raise NotImplementedError(
                f'[ConvParallel] expected a Conv1D, Conv2D or Conv3D, got {type(layer).__name__}'
            )
        if layer._padding_mode != 'zeros':
            raise NotImplementedError(
                "[ConvParallel] expected a convolution with padding_mode 'zeros', got "
                f'{layer._padding_mode!r}'
            )
        hook = self.conv_parallel_start(process_mesh, layer._data_format)
        layer.register_forward_pre_hook(hook)

    def conv_parallel_start(self, process_mesh, data_format):
        """A hook (layer, inputs) before a convolution that divides the columns of its images."""
        columns = -2 if data_format[-1] == 'C' else -1
        return lambda _, inputs: each_tensor(
            inputs, lambda t: _placed(t, process_mesh, core.Shard(t.ndim + columns))
        )


class PrepareLayerInput(_Hook):
    """A plan for `parallelize`: a function of what goes into a layer.

    Args:
        fn (callable, default None): fn(process_mesh) gives a hook (layer, inputs) that runs before
            the layer; None for none.

    Raises:
        TypeError: fn is no function.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["mp"])
        >>> def doubled(mesh):
        ...     return lambda layer, inputs: tuple(x * 2 for x in inputs)
        >>> model = paddle.nn.Sequential(paddle.nn.ReLU())
        >>> config = {"mp_config": {"parallelize_plan": {"0": dist.PrepareLayerInput(doubled)}}}
        >>> model, _ = dist.parallelize(model, mesh=mesh, config=config)
        >>> model(paddle.to_tensor([-1.0, 3.0])).tolist()
        [0.0, 6.0]
    """

    def apply(self, layer, process_mesh, shard_param_list):
        self.whole_layer(shard_param_list)
        if self.fn is not None:
            layer.register_forward_pre_hook(self.fn(process_mesh))


class PrepareLayerOutput(_Hook):
    """A plan for `parallelize`: a function of what comes out of a layer.

    Args:
        fn (callable, default None): fn(process_mesh) gives a hook (layer, inputs, outputs) that
            runs behind the layer; None for none.

    Raises:
        TypeError: fn is no function.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["mp"])
        >>> def negative(mesh):
        ...     return lambda layer, inputs, outputs: -outputs
        >>> model = paddle.nn.Sequential(paddle.nn.ReLU())
        >>> config = {"mp_config": {"parallelize_plan": {"0": dist.PrepareLayerOutput(negative)}}}
        >>> model, _ = dist.parallelize(model, mesh=mesh, config=config)
        >>> model(paddle.to_tensor([1.0, 3.0])).tolist()
        [-1.0, -3.0]
    """

    def apply(self, layer, process_mesh, shard_param_list):
        self.whole_layer(shard_param_list)
        if self.fn is not None:
            layer.register_forward_post_hook(self.fn(process_mesh))


def _begin(tensor, mesh, transposes):
    """Divides the sequence: the first axis, once [batch, sequence, ...] is transposed."""
    if transposes:
        tensor = paddle.transpose(tensor, [1, 0, *range(2, tensor.ndim)])
    return _placed(tensor, mesh, core.Shard(0))


def _end(tensor, mesh, transposes):
    tensor = _placed(tensor, mesh, core.Replicate())
    if transposes:
        tensor = paddle.transpose(tensor, [1, 0, *range(2, tensor.ndim)])
    return tensor


class _Sequence(PlanBase):
    def __init__(self, need_transpose=True):
        self.need_transpose = need_transpose

    def _before(self, mesh, fn):
        return lambda _, inputs: each_tensor(inputs, lambda t: fn(t, mesh, self.need_transpose))

    def _behind(self, mesh, fn):
        return lambda _, __, out: each_tensor(out, lambda t: fn(t, mesh, self.need_transpose))


class SequenceParallelBegin(_Sequence):
    """A plan for `parallelize`: behind a layer the sequence is divided along `mp`.

    Args:
        need_transpose (bool, default True): Whether tensors are [batch, sequence, ...], and
            transposed to [sequence, batch, ...].

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["mp"])
        >>> model = paddle.nn.Sequential(paddle.nn.ReLU())
        >>> config = {"mp_config": {"parallelize_plan": {"0": dist.SequenceParallelBegin()}}}
        >>> model, _ = dist.parallelize(model, mesh=mesh, config=config)
        >>> out = model(paddle.ones([2, 3, 4]))
        >>> out.shape, out.placements
        (paddle.Size([3, 2, 4]), [Shard(dim=0)])
    """

    def apply(self, layer, process_mesh, shard_param_list):
        self.whole_layer(shard_param_list)
        layer.register_forward_post_hook(self.sequence_parallel_begin(process_mesh))

    def sequence_parallel_begin(self, process_mesh):
        """A hook behind a layer that divides the sequence."""
        return self._behind(process_mesh, _begin)


class SequenceParallelEnd(_Sequence):
    """A plan for `parallelize`: before a layer the sequence, divided along `mp`, is made whole.

    Args:
        need_transpose (bool, default True): Whether tensors come as [sequence, batch, ...], and are
            transposed to [batch, sequence, ...].

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["mp"])
        >>> model = paddle.nn.Sequential(paddle.nn.ReLU(), paddle.nn.ReLU())
        >>> plan = {"0": dist.SequenceParallelBegin(), "1": dist.SequenceParallelEnd()}
        >>> config = {"mp_config": {"parallelize_plan": plan}}
        >>> model, _ = dist.parallelize(model, mesh=mesh, config=config)
        >>> out = model(paddle.ones([2, 3, 4]))
        >>> out.shape, out.placements
        (paddle.Size([2, 3, 4]), [Replicate()])
    """

    def apply(self, layer, process_mesh, shard_param_list):
        self.whole_layer(shard_param_list)
        layer.register_forward_pre_hook(self.sequence_parallel_end(process_mesh))

    def sequence_parallel_end(self, process_mesh):
        """A hook before a layer that makes the sequence whole."""
        return self._before(process_mesh, _end)


class SequenceParallelEnable(_Sequence):
    """A plan for `parallelize`: within a layer the sequence is divided along `mp`.

    Tensors before the layer are [batch, sequence, ...].

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["mp"])
        >>> model = paddle.nn.Sequential(paddle.nn.LayerNorm(4))
        >>> config = {"mp_config": {"parallelize_plan": {"0": dist.SequenceParallelEnable()}}}
        >>> model, _ = dist.parallelize(model, mesh=mesh, config=config)
        >>> model(paddle.ones([2, 3, 4])).placements
        [Replicate()]
    """

    def __init__(self):
        super().__init__(True)

    def apply(self, layer, process_mesh, shard_param_list):
        self.whole_layer(shard_param_list)
        layer.register_forward_pre_hook(self.sequence_parallel_begin(process_mesh))
        layer.register_forward_post_hook(self._behind(process_mesh, _end))

    def sequence_parallel_begin(self, process_mesh):
        """A hook before a layer that divides the sequence."""
        return self._before(process_mesh, _begin)


class SequenceParallelDisable(_Sequence):
    """A plan for `parallelize`: within a layer the sequence is whole.

    Around the layer it is divided along `mp`.

    Args:
        need_transpose (bool, default True): Whether tensors around the layer are [sequence, batch,
            ...], and transposed within.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["mp"])
        >>> model = paddle.nn.Sequential(paddle.nn.ReLU(), paddle.nn.ReLU())
        >>> plan = {"0": dist.SequenceParallelBegin(), "1": dist.SequenceParallelDisable()}
        >>> config = {"mp_config": {"parallelize_plan": plan}}
        >>> model, _ = dist.parallelize(model, mesh=mesh, config=config)
        >>> out = model(paddle.ones([2, 3, 4]))
        >>> out.shape, out.placements
        (paddle.Size([3, 2, 4]), [Shard(dim=0)])
    """

    def apply(self, layer, process_mesh, shard_param_list):
        self.whole_layer(shard_param_list)
        layer.register_forward_pre_hook(self.sequence_parallel_end(process_mesh))
        layer.register_forward_post_hook(self.sequence_parallel_begin(process_mesh))

    def sequence_parallel_begin(self, process_mesh):
        """A hook behind a layer that divides the sequence."""
        return self._behind(process_mesh, _begin)

    def sequence_parallel_end(self, process_mesh):
        """A hook before a layer that makes the sequence whole."""
        return self._before(process_mesh, _end)
