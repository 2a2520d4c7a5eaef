# SPDX-License-Identifier: Apache-2.0
"""Experts: one tensor on a mesh as tensors on the meshes along one of its axes, and back."""

import numpy as np

import paddle
from paddle.base import libpaddle as core

from .process_mesh import ProcessMesh

__all__ = ['moe_global_mesh_tensor', 'moe_sub_mesh_tensors', 'split_mesh']


def split_mesh(global_mesh, sub_mesh_dim):
    """The meshes that an axis of a mesh divides it into.

    Args:
        global_mesh (ProcessMesh): The mesh.
        sub_mesh_dim (int): The axis; below 0 it counts from the end.

    Returns:
        list of ProcessMesh: one for each place along the axis, with as many axes.

    Raises:
        ValueError: The mesh has no such axis.

    Examples:
        >>> from paddle.distributed.auto_parallel.api import split_mesh
        >>> mesh = paddle.distributed.ProcessMesh([[0, 1], [2, 3]], dim_names=["dp", "mp"])
        >>> [one.process_ids for one in split_mesh(mesh, 1)]
        [[0, 2], [1, 3]]
    """
    axis = _axis('split_mesh', global_mesh, sub_mesh_dim)
    return [
        ProcessMesh(part, global_mesh.dim_names)
        for part in np.split(global_mesh.mesh, global_mesh.shape[axis], axis)
    ]


def _axis(op, mesh, dim):
    if not isinstance(dim, int) or not -mesh.ndim <= dim < mesh.ndim:
        raise ValueError(f'[{op}] expected an axis of a mesh of shape {mesh.shape}, got {dim!r}')
    return dim % mesh.ndim


def _except(placements, axis):
    return [core.Replicate() if i == axis else p for i, p in enumerate(placements)]


def moe_global_mesh_tensor(local_tensor_list, mesh, placements, local_mesh_dim=-1):
    """One tensor made of those that lie on the meshes along an axis, as experts give them.

    Args:
        local_tensor_list (list of Tensors): For each place along the axis a distributed tensor on
            that part of `split_mesh`, all of one shape.
        mesh (ProcessMesh): The whole mesh.
        placements (list of Placements): Those of the result. `Shard(d)` along the axis puts the
            tensors one after another along d; `Replicate()` takes them as equal.
        local_mesh_dim (int, default -1): The axis.

    Returns:
        Tensor: a distributed one on mesh. Gradients go the way back.

    Raises:
        TypeError: The list has something that is no distributed tensor.
        ValueError: The list does not fit the axis, or its tensors are of several shapes.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed.auto_parallel.api import moe_global_mesh_tensor, split_mesh
        >>> def work():
        ...     mesh = dist.ProcessMesh([0, 1], dim_names=["ep"])
        ...     parts = [
        ...         dist.shard_tensor(paddle.full([1, 2], float(i)), one, [dist.Replicate()])
        ...         for i, one in enumerate(split_mesh(mesh, 0))
        ...     ]
        ...     whole = moe_global_mesh_tensor(parts, mesh, [dist.Shard(0)])
        ...     assert dist.unshard_dtensor(whole).tolist() == [[0, 0], [1, 1]]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    axis = _axis('moe_global_mesh_tensor', mesh, local_mesh_dim)
    parts, meshes = list(local_tensor_list), split_mesh(mesh, axis)
    for part in parts:
        if not isinstance(part, paddle.Tensor) or not part.is_dist():
            raise TypeError(
                f'[moe_global_mesh_tensor] expected distributed tensors, got {type(part).__name__}'
            )
    if len(parts) != len(meshes) or any(t.process_mesh != m for t, m in zip(parts, meshes)):
        raise ValueError(
            f'[moe_global_mesh_tensor] expected tensors on the {len(meshes)} meshes along axis '
            f'{axis} of {mesh}, got {[str(t.process_mesh) for t in parts]}'
        )
    shape = list(parts[0].shape)
    if any(list(t.shape) != shape or t.dtype != parts[0].dtype for t in parts):
        raise ValueError(
            '[moe_global_mesh_tensor] expected tensors of one shape and dtype, got '
            f'{[list(t.shape) for t in parts]}'
        )
    if placements[axis].is_shard():
        shape[placements[axis].get_dim()] *= len(parts)
    inner = _except(placements, axis)
    placed = [paddle.distributed.reshard(part, one, inner) for part, one in zip(parts, meshes)]
    return core._dtensor_from_local(core._local_of(placed), mesh, placements, shape)


def moe_sub_mesh_tensors(
    dist_tensor, global_mesh=None, local_mesh_dim=None, global_placements=None
):
    """A tensor as those on the meshes along an axis, of which each process has a part of one.

    Args:
        dist_tensor (Tensor): A distributed tensor on global_mesh.
        global_mesh (ProcessMesh, default None): Its mesh.
        local_mesh_dim (int, default None): The axis; below 0 it counts from the end.
        global_placements (list of Placements, default None): How dist_tensor is to be placed
            before. Along the axis `Shard(d)` gives each mesh its piece, `Replicate()` the whole.

    Returns:
        list of Tensors: for each place along the axis a distributed tensor on that part of
            `split_mesh`. Gradients go the way back.

    Raises:
        TypeError: dist_tensor is no distributed tensor.
        ValueError: One of the last three is None, the mesh is another one, or it has no such axis,
            or the pieces along the axis would be uneven.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed.auto_parallel.api import moe_sub_mesh_tensors
        >>> def work():
        ...     mesh = dist.ProcessMesh([0, 1], dim_names=["ep"])
        ...     x = dist.shard_tensor(paddle.arange(4.0), mesh, [dist.Shard(0)])
        ...     mine = moe_sub_mesh_tensors(x, mesh, 0, [dist.Shard(0)])[dist.get_rank()]
        ...     assert mine.shape == [2]
        ...     assert dist.unshard_dtensor(mine).tolist() == [[0, 1], [2, 3]][dist.get_rank()]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    if global_mesh is None or local_mesh_dim is None or global_placements is None:
        raise ValueError(
            '[moe_sub_mesh_tensors] expected global_mesh, local_mesh_dim and global_placements, '
            f'got {global_mesh}, {local_mesh_dim} and {global_placements}'
        )
    if not isinstance(dist_tensor, paddle.Tensor) or not dist_tensor.is_dist():
        raise TypeError(
            '[moe_sub_mesh_tensors] expected a distributed tensor, got '
            f'{type(dist_tensor).__name__}'
        )
    if dist_tensor.process_mesh != global_mesh:
        raise ValueError(
            f'[moe_sub_mesh_tensors] expected a tensor on {global_mesh}, got one on '
            f'{dist_tensor.process_mesh}'
        )
    axis = _axis('moe_sub_mesh_tensors', global_mesh, local_mesh_dim)
    placement, count = global_placements[axis], global_mesh.shape[axis]
    dist_tensor = paddle.distributed.reshard(dist_tensor, global_mesh, global_placements)
    shape = list(dist_tensor.shape)
    if placement.is_shard():
        if shape[placement.get_dim()] % count:
            raise ValueError(
                f'[moe_sub_mesh_tensors] expected an axis that {count} processes divide evenly, '
                f'got axis {placement.get_dim()} of shape {shape}'
            )
        shape[placement.get_dim()] //= count
    # Each mesh uses its replica otherwise: their gradients are summed.
    apart = [i == axis and placement.is_replicated() for i in range(global_mesh.ndim)]
    inner = _except(global_placements, axis)
    rank = paddle.distributed.get_rank()
    return [
        core._dtensor_from_local(
            core._local_apart(dist_tensor, apart)
            if one.contains(rank)
            else core._local_absent(dist_tensor),
            one,
            inner,
            shape,
        )
        for one in split_mesh(global_mesh, axis)
    ]
