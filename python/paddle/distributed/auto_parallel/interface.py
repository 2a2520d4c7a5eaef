# SPDX-License-Identifier: Apache-2.0
"""Marks on tensors and functions that say how a mesh divides them, by the names of its axes."""

import numpy as np

import paddle
from paddle.base import libpaddle as core

from .api import mesh_or_global, reshard
from .api import shard_tensor as _shard_tensor
from .process_mesh import ProcessMesh, set_mesh

__all__ = ['create_mesh', 'recompute', 'shard_op', 'shard_tensor']


def create_mesh(mesh_dims):
    """Lay the processes of the job out on a grid, and make that the mesh for functions that are
    given none.

    Args:
        mesh_dims (list of tuples): The axes as (name, extent); the product of the extents is the
            number of processes.

    Returns:
        ProcessMesh: the mesh.

    Raises:
        ValueError: When an axis is no pair of a name and an extent.

    Examples:
        >>> from paddle.distributed.fleet import auto
        >>> auto.create_mesh([('dp', 1), ('mp', 1)]).dim_names
        ['dp', 'mp']
    """
    pairs = list(mesh_dims)
    if not all(
        isinstance(p, (list, tuple)) and len(p) == 2 and isinstance(p[0], str) for p in pairs
    ):
        raise ValueError(f'[create_mesh] expected pairs of a name and an extent, got {mesh_dims!r}')
    extents = [int(extent) for _, extent in pairs]
    mesh = ProcessMesh(np.arange(np.prod(extents)).reshape(extents), [name for name, _ in pairs])
    set_mesh(mesh)
    return mesh


def _placements(op, x, mesh, spec):
    """How `spec`, the name of an axis of the mesh or None for each axis of `x`, places it."""
    spec = [None] * x.ndim if spec is None else spec
    if not isinstance(spec, (list, tuple)) or len(spec) != x.ndim:
        raise ValueError(
            f'[{op}] expected a name or None for each of the {x.ndim} axes, got {spec!r}'
        )
    unknown = [name for name in spec if name is not None and name not in mesh.dim_names]
    if unknown:
        raise ValueError(f'[{op}] expected axes of {mesh.dim_names}, got {unknown}')
    return [
        core.Shard(spec.index(name)) if name in spec else core.Replicate()
        for name in mesh.dim_names
    ]


def _placed(op, x, mesh, spec):
    placements = _placements(op, x, mesh, spec)
    return reshard(x, mesh, placements) if x.is_dist() else _shard_tensor(x, mesh, placements)


def shard_tensor(x, process_mesh=None, shard_spec=None):
    """A tensor, the same on all processes, divided over a mesh.

    Args:
        x (Tensor): The tensor.
        process_mesh (ProcessMesh, default None): The mesh; that of `create_mesh` or `set_mesh`
            otherwise.
        shard_spec (list, default None): For each axis of `x` the name of the mesh's axis that
            divides it, or None. None: `x` is on all processes.

    Returns:
        Tensor: distributed.

    Raises:
        ValueError: When `shard_spec` has another length than `x` has axes, or names no axis.

    Examples:
        >>> from paddle.distributed.fleet import auto
        >>> mesh = auto.create_mesh([('dp', 1), ('mp', 1)])
        >>> auto.shard_tensor(paddle.ones([4, 2]), mesh, ['dp', None]).is_dist()
        True
    """
    return _placed('shard_tensor', x, mesh_or_global('shard_tensor', process_mesh), shard_spec)


def shard_op(op, process_mesh=None, in_shard_specs=None, out_shard_specs=None, **kwargs):
    """A function whose tensors are divided over a mesh when it is called.

    Args:
        op (callable): The function.
        process_mesh (ProcessMesh, default None): The mesh; that of `create_mesh` or `set_mesh`
            otherwise.
        in_shard_specs (list, default None): For each tensor that is passed by position a list as
            for `shard_tensor`, or None to leave it as it is.
        out_shard_specs (list, default None): The same for the results.
        **kwargs: Passed to `op` in each call.

    Returns:
        callable: the function.

    Raises:
        ValueError: When there are other numbers of lists than of tensors.

    Examples:
        >>> from paddle.distributed.fleet import auto
        >>> mesh = auto.create_mesh([('dp', 1), ('mp', 1)])
        >>> product = auto.shard_op(paddle.matmul, mesh, [['dp', None], [None, 'mp']])
        >>> product(paddle.ones([2, 3]), paddle.ones([3, 4])).shape
        paddle.Size([2, 4])
    """
    mesh = mesh_or_global('shard_op', process_mesh)

    def place(values, specs, side):
        if specs is None:
            return values
        at = [i for i, v in enumerate(values) if isinstance(v, paddle.Tensor)]
        if len(at) != len(specs):
            raise ValueError(f'[shard_op] expected {len(at)} {side}, got {len(specs)}')
        values = list(values)
        for i, spec in zip(at, specs):
            if spec is not None:
                values[i] = _placed('shard_op', values[i], mesh, spec)
        return values

    def call(*args, **more):
        results = op(*place(args, in_shard_specs, 'in_shard_specs'), **{**kwargs, **more})
        if isinstance(results, paddle.Tensor):
            return place([results], out_shard_specs, 'out_shard_specs')[0]
        if isinstance(results, (list, tuple)):
            return type(results)(place(results, out_shard_specs, 'out_shard_specs'))
        return results

    return call


def recompute(op):
    """A function or layer whose intermediate results are not kept but made anew by backward.

    Args:
        op (callable): The function or layer.

    Returns:
        callable: the function.

    Examples:
        >>> from paddle.distributed.fleet import auto
        >>> layer = auto.recompute(paddle.nn.Linear(4, 4))
        >>> layer(paddle.ones([2, 4])).shape
        paddle.Size([2, 4])
    """
    from paddle.distributed.fleet.recompute import recompute as run

    return lambda *args, **kwargs: run(op, *args, **kwargs)
