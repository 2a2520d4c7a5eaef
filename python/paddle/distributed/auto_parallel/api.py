# SPDX-License-Identifier: Apache-2.0
"""Making, moving and taking apart distributed tensors."""

import paddle
from paddle.base import libpaddle as core
from paddle.base.framework import EagerParamBase

from .moe_utils import moe_global_mesh_tensor, moe_sub_mesh_tensors, split_mesh
from .process_mesh import get_mesh

__all__ = [
    'dtensor_from_fn',
    'dtensor_from_local',
    'dtensor_to_local',
    'moe_global_mesh_tensor',
    'moe_sub_mesh_tensors',
    'reshard',
    'shard_tensor',
    'split_mesh',
    'unshard_dtensor',
]


def mesh_or_global(op, mesh):
    mesh = get_mesh() if mesh is None else mesh
    assert mesh is not None, f'[{op}] expected a mesh, or one of set_mesh, got None'
    if not isinstance(mesh, core.ProcessMesh):
        raise TypeError(f'[{op}] expected a ProcessMesh, got {type(mesh).__name__}')
    return mesh


def shard_tensor(data, mesh, placements, dtype=None, place=None, stop_gradient=None):
    """A tensor placed on a mesh: each process keeps its part.

    The data are the same on all processes, which all call it. A parameter gives a parameter with
    the same name.

    Args:
        data (Tensor, array, list or number): The whole.
        mesh (ProcessMesh or None): The mesh; None for that of `set_mesh`.
        placements (list of Placements or None): For each axis of the mesh `Shard(dim)`,
            `Replicate()` or `Partial()`; None for replicas.
        dtype (dtype, default None): The dtype of the result; None for that of data.
        place (place, default None): Where data that are no Tensor come; None for the current
            device.
        stop_gradient (bool, default None): Whether no gradient flows to it; None for what data
            says.

    Returns:
        Tensor: a distributed one, of the shape of data.

    Raises:
        AssertionError: No mesh is given or set.
        TypeError: mesh is no ProcessMesh, or placements are no list of them.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     mesh = dist.ProcessMesh([0, 1], dim_names=["x"])
        ...     rows = dist.shard_tensor(paddle.arange(4), mesh, [dist.Shard(0)])
        ...     assert rows.shape == [4]
        ...     assert dist.dtensor_to_local(rows).tolist() == [[0, 1], [2, 3]][dist.get_rank()]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    mesh = mesh_or_global('shard_tensor', mesh)
    if placements is None:
        placements = [core.Replicate() for _ in mesh.shape]
    if not isinstance(data, paddle.Tensor):
        data = paddle.to_tensor(data, dtype=dtype, place=place, stop_gradient=True)
    elif dtype is not None and data.dtype != dtype:
        data = data.astype(dtype)
    made = core._shard_tensor(data, mesh, placements)
    if isinstance(data, EagerParamBase):
        made = EagerParamBase.from_tensor(
            made,
            name=data.name,
            optimize_attr=data.optimize_attr,
            regularizer=data.regularizer,
            do_model_average=data.do_model_average,
            need_clip=data.need_clip,
            is_distributed=data.is_distributed,
            stop_gradient=data.stop_gradient,
            persistable=data.persistable,
        )
    if stop_gradient is not None:
        made.stop_gradient = stop_gradient
    return made


def distribute_in_place(tensor, mesh, placements):
    """Makes a leaf that others hold distributed: it stays the same object."""
    core._become(tensor, core._shard_tensor(tensor, mesh, placements))
    return tensor


def reshard(dist_tensor, mesh, placements):
    """A distributed tensor with other placements, or on another mesh; gradients go the way back.

    Every process of either mesh calls it.

    Args:
        dist_tensor (Tensor): A distributed tensor.
        mesh (ProcessMesh): The mesh of the result.
        placements (list of Placements): Its placement along each axis of the mesh.

    Returns:
        Tensor: equal to dist_tensor.

    Raises:
        AssertionError: mesh is None and none is set.
        TypeError: dist_tensor is no distributed tensor, mesh no ProcessMesh, or placements no list
            of them.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     mesh = dist.ProcessMesh([0, 1], dim_names=["x"])
        ...     rows = dist.shard_tensor(paddle.arange(4).reshape([2, 2]), mesh, [dist.Shard(0)])
        ...     columns = dist.reshard(rows, mesh, [dist.Shard(1)])
        ...     part = dist.dtensor_to_local(columns)
        ...     assert part.tolist() == [[[0], [2]], [[1], [3]]][dist.get_rank()]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    mesh = mesh_or_global('reshard', mesh)
    if not isinstance(dist_tensor, paddle.Tensor):
        raise TypeError(f'[reshard] expected a Tensor, got {type(dist_tensor).__name__}')
    return core._reshard(dist_tensor, mesh, placements)


def dtensor_from_fn(fn, mesh, placements, *args, **kwargs):
    """What a function makes, placed on a mesh.

    Args:
        fn (callable): It makes the whole tensor on each process.
        mesh (ProcessMesh): The mesh.
        placements (list of Placements): The placement along each axis of the mesh.
        *args (object): What fn gets.
        **kwargs (object): What fn gets by name.

    Returns:
        Tensor: a distributed one.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["x"])
        >>> x = dist.dtensor_from_fn(paddle.full, mesh, [dist.Replicate()], [2, 2], 3.0)
        >>> x.is_dist(), x.tolist()
        (True, [[3.0, 3.0], [3.0, 3.0]])
    """
    return shard_tensor(fn(*args, **kwargs), mesh, placements)


def dtensor_from_local(local_tensor, mesh, placements):
    """The distributed tensor whose part here is `local_tensor`; parts are of one shape."""
    return core._dtensor_from_local(
        local_tensor, mesh_or_global('dtensor_from_local', mesh), placements
    )


def whole_of(tensor):
    """The whole tensor, dense, on every process of its mesh; others as they are."""
    if isinstance(tensor, paddle.Tensor) and tensor.is_dist():
        return core._whole_of(tensor)
    return tensor


def dtensor_to_local(dist_tensor, mesh=None, placements=None):
    """This process's part of a distributed tensor; with `placements`, of one placed so."""
    if not dist_tensor.is_dist():
        return dist_tensor
    if placements is not None:
        dist_tensor = reshard(dist_tensor, mesh or dist_tensor.process_mesh, placements)
    return dist_tensor._local_value()


def unshard_dtensor(dist_tensor):
    """The whole of a distributed tensor, dense, on every process.

    Args:
        dist_tensor (Tensor): A distributed tensor; its processes all call it.

    Returns:
        Tensor: a dense one; a parameter where dist_tensor is one.

    Raises:
        TypeError: dist_tensor is no distributed tensor.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     mesh = dist.ProcessMesh([0, 1], dim_names=["x"])
        ...     rows = dist.shard_tensor(paddle.arange(4), mesh, [dist.Shard(0)])
        ...     whole = dist.unshard_dtensor(rows)
        ...     assert not whole.is_dist() and whole.tolist() == [0, 1, 2, 3]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    if not isinstance(dist_tensor, paddle.Tensor) or not dist_tensor.is_dist():
        raise TypeError(
            '[unshard_dtensor] expected a distributed tensor, got '
            + (
                'a dense one'
                if isinstance(dist_tensor, paddle.Tensor)
                else type(dist_tensor).__name__
            )
        )
    whole = core._whole_of(dist_tensor)
    if not isinstance(dist_tensor, EagerParamBase):
        return whole
    return EagerParamBase.from_tensor(
        whole.detach(), name=dist_tensor.name, stop_gradient=dist_tensor.stop_gradient
    )
