# SPDX-License-Identifier: Apache-2.0
"""Dividing layers, optimizers and data among the processes of a mesh."""

import paddle
from paddle.base import libpaddle as core
from paddle.base.documentation import shares

from ..parallel import get_rank
from .api import distribute_in_place, mesh_or_global, reshard
from .process_mesh import ProcessMesh

__all__ = [
    'ShardDataloader',
    'ShardingStage1',
    'ShardingStage2',
    'ShardingStage3',
    'shard_dataloader',
    'shard_layer',
    'shard_optimizer',
    'shard_scaler',
]


def replicated(mesh):
    return [core.Replicate() for _ in mesh.shape]


def replicate_rest(layer, mesh_of):
    """Places parameters and buffers that are not distributed, alike on all processes of the mesh of
    their layer.
    """
    for sublayer in layer.sublayers(include_self=True):
        for tensor in [*sublayer._parameters.values(), *sublayer._buffers.values()]:
            if tensor is not None and not tensor.is_dist():
                mesh = mesh_of(sublayer)
                distribute_in_place(tensor, mesh, replicated(mesh))


def shard_layer(layer, process_mesh, shard_fn=None, input_fn=None, output_fn=None):
    """Place the parameters and buffers of a layer on a mesh.

    Args:
        layer (Layer): The layer.
        process_mesh (ProcessMesh): The mesh.
        shard_fn (callable, default None): shard_fn(name, sublayer, process_mesh) is called for each
            sublayer and replaces parameters; what it leaves is on all processes alike.
        input_fn (callable, default None): input_fn(inputs, process_mesh) places what goes in.
        output_fn (callable, default None): output_fn(outputs, process_mesh) places what comes out.

    Returns:
        Layer: layer itself.

    Raises:
        ValueError: layer is no Layer.
        TypeError: process_mesh is no ProcessMesh.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["x"])
        >>> def divide(name, layer, mesh):
        ...     if isinstance(layer, paddle.nn.Linear):
        ...         layer.weight = dist.shard_tensor(layer.weight, mesh, [dist.Shard(1)])
        >>> model = paddle.nn.Sequential(paddle.nn.Linear(2, 4))
        >>> model is dist.shard_layer(model, mesh, divide)
        True
        >>> model[0].weight.placements, model[0].bias.placements
        ([Shard(dim=1)], [Replicate()])
    """
    if not isinstance(layer, paddle.nn.Layer):
        raise ValueError(f'[shard_layer] expected a Layer, got {type(layer).__name__}')
    mesh = mesh_or_global('shard_layer', process_mesh)
    if shard_fn is not None:
        for name, sublayer in layer.named_sublayers(include_self=True):
            shard_fn(name, sublayer, mesh)
    replicate_rest(layer, lambda _: mesh)
    if input_fn is not None:
        layer.register_forward_pre_hook(lambda _, inputs: input_fn(inputs, mesh))
    if output_fn is not None:
        layer.register_forward_post_hook(lambda _, __, outputs: output_fn(outputs, mesh))
    return layer


class _Stage:
    """What an axis of the mesh divides of a training, beside the batch."""

    def __init__(self, sharding_mesh_dim, mesh=None):
        if not isinstance(sharding_mesh_dim, (int, str)) or isinstance(sharding_mesh_dim, bool):
            raise TypeError(
                f'[{type(self).__name__}] expected an axis of the mesh by number or name, got '
                f'{sharding_mesh_dim!r}'
            )
        if mesh is not None and not isinstance(mesh, core.ProcessMesh):
            raise TypeError(
                f'[{type(self).__name__}] expected a ProcessMesh, got {type(mesh).__name__}'
            )
        self._dim, self._mesh = sharding_mesh_dim, mesh

    def _axis(self, mesh):
        if isinstance(self._dim, int):
            return self._dim
        names = mesh.dim_names
        if self._dim not in names:
            raise ValueError(
                f'[{type(self).__name__}] expected an axis of {names}, got {self._dim!r}'
            )
        return names.index(self._dim)

    def _divided(self, tensor):
        """The placements of a distributed tensor, with the axis of the mesh dividing it too."""
        mesh, placements = tensor.process_mesh, tensor.placements
        axis = self._axis(mesh)
        taken = [p.get_dim() for p in placements if p.is_shard()]
        if not placements[axis].is_replicated():
            return placements
        for dim, extent in enumerate(tensor.shape):
            if dim not in taken and extent % mesh.shape[axis] == 0:
                return [core.Shard(dim) if i == axis else p for i, p in enumerate(placements)]
        return placements

    def prepare(self, parameters):
        """Places parameters that are not distributed on the mesh."""
        for param in parameters:
            if param.is_dist():
                continue
            mesh = mesh_or_global(type(self).__name__, self._mesh)
            distribute_in_place(param, mesh, replicated(mesh))

    def __call__(self, key, param, accumulator):
        """The state `key` of a parameter, divided."""
        if accumulator.shape != param.shape:
            return accumulator
        return reshard(accumulator, param.process_mesh, self._divided(param))

    def shard_master_weight(self, param, master_weight):
        """The float32 copy of a parameter in half precision, divided as its state."""
        return self('master_weight', param, master_weight)


class ShardingStage1(_Stage):
    """Each process along an axis keeps a part of the optimizer's state, and updates that.

    Args:
        sharding_mesh_dim (int or str): The axis of the mesh, by number or name.
        mesh (ProcessMesh, default None): The mesh of parameters that are not distributed; None for
            that of `set_mesh`.

    Raises:
        TypeError: sharding_mesh_dim is neither, or mesh no ProcessMesh.

    Source: Rajbhandari, Rasley, Ruwase and He, ZeRO, https://arxiv.org/abs/1910.02054.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["dp"])
        >>> layer = paddle.nn.Linear(2, 2)
        >>> opt = paddle.optimizer.AdamW(parameters=layer.parameters())
        >>> opt = dist.shard_optimizer(opt, dist.ShardingStage1("dp", mesh))
        >>> layer(dist.shard_tensor(paddle.ones([1, 2]), mesh, [dist.Replicate()])).sum().backward()
        >>> opt.step()
        >>> layer.weight.is_dist(), layer.weight.placements
        (True, [Replicate()])
    """


@shares(ShardingStage1)
class ShardingStage2(_Stage):
    """As stage 1; what a process updates, it updates from its part of the gradient.

    Args:
        {sharding_mesh_dim, mesh}

    Raises:
        TypeError: sharding_mesh_dim is neither, or mesh no ProcessMesh.

    Source: Rajbhandari, Rasley, Ruwase and He, ZeRO, https://arxiv.org/abs/1910.02054.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["dp"])
        >>> layer = paddle.nn.Linear(2, 2)
        >>> opt = paddle.optimizer.SGD(0.1, layer.parameters())
        >>> opt = dist.shard_optimizer(opt, dist.ShardingStage2("dp", mesh))
        >>> layer(dist.shard_tensor(paddle.ones([1, 2]), mesh, [dist.Replicate()])).sum().backward()
        >>> opt.step()
        >>> layer.bias.tolist()
        [-0.10000000149011612, -0.10000000149011612]
    """


@shares(ShardingStage1)
class ShardingStage3(_Stage):
    """Each process along an axis keeps a part of the parameters, their gradients and states.

    Args:
        {sharding_mesh_dim, mesh}

    Raises:
        TypeError: sharding_mesh_dim is neither, or mesh no ProcessMesh.

    Source: Rajbhandari, Rasley, Ruwase and He, ZeRO, https://arxiv.org/abs/1910.02054.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["dp"])
        >>> layer = paddle.nn.Linear(2, 4)
        >>> opt = paddle.optimizer.AdamW(parameters=layer.parameters())
        >>> opt = dist.shard_optimizer(opt, dist.ShardingStage3("dp", mesh))
        >>> layer.weight.placements, layer.bias.placements
        ([Shard(dim=0)], [Shard(dim=0)])
    """

    def prepare(self, parameters):
        super().prepare(parameters)
        for param in parameters:
            divided = self._divided(param)
            if divided != param.placements:
                core._become(param, reshard(param.detach(), param.process_mesh, divided))


def shard_optimizer(optimizer, shard_fn=None, gradient_accumulation_steps=1):
    """Make an optimizer place its state: as the parameters, or as a function says.

    Args:
        optimizer (Optimizer): The optimizer.
        shard_fn (callable, default None): shard_fn(name, parameter, state) gives the state that is
            kept, as `ShardingStage1` to `ShardingStage3` do; None for the placements of the
            parameters.
        gradient_accumulation_steps (int, default 1): How many backward passes a step follows, 1 or
            more.

    Returns:
        Optimizer: optimizer itself.

    Raises:
        TypeError: optimizer is no Optimizer, or shard_fn no function.
        ValueError: gradient_accumulation_steps below 1.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["dp"])
        >>> layer = dist.shard_layer(paddle.nn.Linear(2, 1), mesh)
        >>> opt = dist.shard_optimizer(paddle.optimizer.SGD(0.5, layer.parameters()))
        >>> layer(dist.shard_tensor(paddle.ones([1, 2]), mesh, [dist.Replicate()])).sum().backward()
        >>> opt.step()
        >>> layer.bias.tolist()
        [-0.5]
    """
    if not isinstance(optimizer, paddle.optimizer.Optimizer):
        raise TypeError(f'[shard_optimizer] expected an Optimizer, got {type(optimizer).__name__}')
    if not isinstance(gradient_accumulation_steps, int) or gradient_accumulation_steps < 1:
        raise ValueError(
            '[shard_optimizer] expected gradient_accumulation_steps of 1 or more, got '
            f'{gradient_accumulation_steps!r}'
        )
    if shard_fn is not None and not callable(shard_fn):
        raise TypeError(
            f'[shard_optimizer] expected a function as shard_fn, got {type(shard_fn).__name__}'
        )
    if isinstance(shard_fn, _Stage):
        shard_fn.prepare(optimizer._all_params())
    optimizer._place_state = shard_fn
    return optimizer


def shard_scaler(scaler):
    """A scaler for distributed parameters: their gradients are finite on all processes or on none.

    Args:
        scaler (GradScaler): The scaler.

    Returns:
        GradScaler: scaler itself.

    Raises:
        TypeError: It is no GradScaler.

    Examples:
        >>> scaler = paddle.amp.GradScaler(init_loss_scaling=256.0)
        >>> paddle.distributed.shard_scaler(scaler) is scaler
        True
    """
    if not isinstance(scaler, paddle.amp.GradScaler):
        raise TypeError(f'[shard_scaler] expected a GradScaler, got {type(scaler).__name__}')
    return scaler


class ShardDataloader:
    """Batches of a loader as distributed tensors. Each process loads its share."""

    def __init__(self, dataloader, meshes, input_keys, shard_dims, is_dataset_splitted, dense):
        self._loader = dataloader
        self._meshes, self._keys, self._dims = meshes, input_keys, shard_dims
        self._dense = dense or []
        mesh, dim = self._of(0)
        if dim is None or is_dataset_splitted:
            return
        count = mesh.shape[mesh.dim_names.index(dim)]
        size = dataloader.batch_sampler.batch_size
        if size % count:
            raise ValueError(
                f'[shard_dataloader] expected batches that {count} processes along {dim!r} can '
                f'divide, got batch_size {size}'
            )
        sampler = dataloader.batch_sampler
        part = paddle.io.DistributedBatchSampler(
            dataloader.dataset,
            size // count,
            num_replicas=count,
            rank=max(0, mesh.get_rank_by_dim_and_process_id(dim, get_rank())),
            shuffle=isinstance(getattr(sampler, 'sampler', None), paddle.io.RandomSampler),
            drop_last=sampler.drop_last,
        )
        self.batch_sampler = part
        self._loader = paddle.io.DataLoader(
            dataloader.dataset,
            batch_sampler=part,
            collate_fn=dataloader.collate_fn,
            num_workers=dataloader.num_workers,
        )

    def _of(self, i):
        """(mesh, name of the axis or None) of input i."""
        mesh = self._meshes[i if len(self._meshes) > 1 else 0]
        dim = self._dims[i if len(self._dims) > 1 else 0]
        return mesh, mesh.dim_names[dim] if isinstance(dim, int) else dim

    def __len__(self):
        return len(self._loader)

    def _placed(self, tensor, i):
        if isinstance(tensor, (list, tuple)):
            dense = self._dense[i] if i < len(self._dense) else []
            return [t if k in dense else self._placed(t, i) for k, t in enumerate(tensor)]
        if not isinstance(tensor, paddle.Tensor):
            return tensor
        mesh, dim = self._of(i)
        placements = replicated(mesh)
        if dim is not None:
            placements[mesh.dim_names.index(dim)] = core.Shard(0)
        return core._dtensor_from_local(tensor, mesh, placements)

    def __iter__(self):
        for batch in self._loader:
            if isinstance(batch, dict):
                keys = self._keys or list(batch)
                yield {key: self._placed(batch[key], i) for i, key in enumerate(keys)}
            elif isinstance(batch, (list, tuple)):
                yield [self._placed(one, i) for i, one in enumerate(batch)]
            else:
                yield self._placed(batch, 0)

    __call__ = __iter__


def shard_dataloader(
    dataloader,
    meshes,
    input_keys=None,
    shard_dims=None,
    is_dataset_splitted=False,
    dense_tensor_idx=None,
):
    """A loader whose batches are distributed tensors.

    Each process loads its share of the batches, unless is_dataset_splitted says that the loader
    gives no more than that.

    Args:
        dataloader (DataLoader): The loader.
        meshes (ProcessMesh or list): The mesh, or that of each input.
        input_keys (list of strs, default None): The keys of batches that are dicts, in the order of
            meshes; None for all.
        shard_dims (int, str or list, default None): The axis of the mesh that divides the batch, by
            number or name, or one for each input; None for the whole batch on each process.
        is_dataset_splitted (bool, default False): Whether the loader gives the share of this
            process.
        dense_tensor_idx (list of lists of ints, default None): For each input the numbers of
            tensors that stay dense.

    Returns:
        iterable: the loader.

    Raises:
        TypeError: A mesh is none, or dataloader is what this function gives.
        ValueError: The processes cannot divide the batch, or shard_dims is no axis of the mesh.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["dp"])
        >>> data = paddle.io.TensorDataset([paddle.arange(4.0), paddle.arange(4)])
        >>> loader = paddle.io.DataLoader(data, batch_size=2)
        >>> loader = dist.shard_dataloader(loader, mesh, shard_dims="dp")
        >>> for x, label in loader:
        ...     print(x.is_dist(), x.tolist())
        True [0.0, 1.0]
        True [2.0, 3.0]
    """
    meshes = list(meshes) if isinstance(meshes, (list, tuple)) else [meshes]
    for mesh in meshes:
        mesh_or_global('shard_dataloader', mesh)
    meshes = [ProcessMesh(m.mesh if isinstance(m, ProcessMesh) else m, m.dim_names) for m in meshes]
    dims = list(shard_dims) if isinstance(shard_dims, (list, tuple)) else [shard_dims]
    for i in range(max(len(dims), len(meshes))):
        mesh, dim = meshes[min(i, len(meshes) - 1)], dims[min(i, len(dims) - 1)]
        known = range(-mesh.ndim, mesh.ndim) if isinstance(dim, int) else [None, *mesh.dim_names]
        if dim not in known:
            raise ValueError(
                f'[shard_dataloader] expected shard_dims among the axes {mesh.dim_names} of the '
                f'mesh, got {dim!r}'
            )
    if isinstance(dataloader, ShardDataloader):
        raise TypeError('[shard_dataloader] expected a DataLoader, got a ShardDataloader')
    return ShardDataloader(
        dataloader, meshes, input_keys, dims, is_dataset_splitted, dense_tensor_idx
    )
