# SPDX-License-Identifier: Apache-2.0
"""Meshes: processes laid out on a grid."""

import contextlib

import numpy as np

from paddle.base import libpaddle as core

from ..parallel import enter_world, get_rank, leave_world

__all__ = ['ProcessMesh', 'get_mesh', 'set_mesh']

_global_mesh = None


@contextlib.contextmanager
def fake_world(rank, size):
    """This process plays `rank` of `size`: what would come from the others is zero."""
    core._enter_world(rank, size, None, 0, fake=True)
    try:
        yield
    finally:
        leave_world()


class ProcessMesh(core.ProcessMesh):
    """Processes, given by their ranks, on a grid whose axes have names.

    Args:
        mesh (list, array or ProcessMesh, default None): The ranks, nested as the grid is.
        dim_names (list of strs, default None): The names of the axes; None for `d0`, `d1` and so
            on.
        shape (list of ints, default None): The extents of the grid, with process_ids instead of
            mesh.
        process_ids (list of ints, default None): The ranks in row-major order.

    Raises:
        AssertionError: Neither mesh nor shape is given, ranks that are no integers from 0 or occur
            twice, or names that do not fit.
        ValueError: mesh is no list or array.

    Examples:
        >>> mesh = paddle.distributed.ProcessMesh([[0, 1], [2, 3]], dim_names=["dp", "mp"])
        >>> mesh.shape, mesh.process_ids
        ([2, 2], [0, 1, 2, 3])
        >>> mesh.get_dim_size("mp"), mesh.contains(4)
        (2, False)
        >>> mesh[1].process_ids
        [2, 3]
    """

    def __init__(self, mesh=None, dim_names=None, shape=None, process_ids=None):
        if mesh is None:
            assert shape is not None and process_ids is not None, (
                '[ProcessMesh] expected mesh, or shape and process_ids, got neither'
            )
            mesh = np.array(process_ids).reshape(shape)
        if isinstance(mesh, core.ProcessMesh):
            mesh = np.array(mesh.process_ids).reshape(mesh.shape)
        if not isinstance(mesh, (list, tuple, np.ndarray)):
            raise ValueError(
                f'[ProcessMesh] expected mesh to be a list or an array, got {type(mesh).__name__}'
            )
        mesh = np.array(mesh)
        assert np.issubdtype(mesh.dtype, np.integer), (
            f'[ProcessMesh] expected ranks as integers, got {mesh.dtype}'
        )
        ids = mesh.flatten().tolist()
        assert min(ids, default=0) >= 0, f'[ProcessMesh] expected ranks of 0 and more, got {ids}'
        assert len(set(ids)) == len(ids), f'[ProcessMesh] expected each rank once, got {ids}'
        if dim_names is None:
            dim_names = [f'd{i}' for i in range(mesh.ndim)]
        assert isinstance(dim_names, (list, tuple)), (
            f'[ProcessMesh] expected dim_names as a list, got {type(dim_names).__name__}'
        )
        assert len(dim_names) == mesh.ndim, (
            f'[ProcessMesh] expected {mesh.ndim} dim_names, got {list(dim_names)}'
        )
        assert len(set(dim_names)) == len(dim_names), (
            f'[ProcessMesh] expected dim_names that differ, got {list(dim_names)}'
        )
        super().__init__(list(mesh.shape), ids, list(dim_names))
        enter_world()

    @property
    def mesh(self):
        """The ranks, as an array."""
        return np.array(self.process_ids).reshape(self.shape)

    @property
    def unique_id(self):
        """A number that equal meshes share."""
        return hash(self)

    def _axis(self, name, op):
        assert name in self.dim_names, (
            f'[ProcessMesh.{op}] expected one of {self.dim_names}, got {name!r}'
        )
        return self.dim_names.index(name)

    def get_dim_size(self, dim_name):
        """How many processes lie along an axis."""
        return self.shape[self._axis(dim_name, 'get_dim_size')]

    def dim_size(self, dim):
        """The same, of an axis by number or name."""
        return self.shape[dim if isinstance(dim, int) else self._axis(dim, 'dim_size')]

    def contains(self, rank):
        """Whether a process belongs to the mesh."""
        return rank in self.process_ids

    def empty(self):
        """Whether there are no processes."""
        return not self.process_ids

    def get_rank_by_dim_and_process_id(self, dim, process_id):
        """The coordinate of a process along an axis; -1 where it is not in the mesh."""
        if process_id not in self.process_ids:
            return -1
        axis = dim if isinstance(dim, int) else self._axis(dim, 'get_rank_by_dim_and_process_id')
        return int(np.argwhere(self.mesh == process_id)[0][axis])

    def get_mesh_with_dim(self, dim_name, index=None):
        """The mesh with an axis in front; with `index`, the processes at that place of it."""
        axis = self._axis(dim_name, 'get_mesh_with_dim')
        order = [axis] + [i for i in range(self.ndim) if i != axis]
        mesh, names = self.mesh.transpose(order), [self.dim_names[i] for i in order]
        if index is None:
            return ProcessMesh(mesh, names)
        return ProcessMesh(mesh[index], names[1:])

    def get_submesh_with_dim(self, dim_name):
        """The processes along an axis through this one."""
        axis = self._axis(dim_name, 'get_submesh_with_dim')
        at = np.argwhere(self.mesh == get_rank())
        assert len(at), (
            f'[ProcessMesh.get_submesh_with_dim] expected a process of {self}, got {get_rank()}'
        )
        index = tuple(slice(None) if i == axis else int(k) for i, k in enumerate(at[0]))
        return ProcessMesh(self.mesh[index], [dim_name])

    def get_group(self, dim_name=None):
        """The group of the processes along an axis through this one."""
        from ..collective import new_group

        assert dim_name is not None or self.ndim == 1, (
            '[ProcessMesh.get_group] expected the name of an axis for a mesh of several, got None'
        )
        axis = 0 if dim_name is None else self._axis(dim_name, 'get_group')
        key = ('group', axis)
        made = self.__dict__.setdefault('_groups', {})
        if key not in made:
            lines = np.moveaxis(self.mesh, axis, -1).reshape(-1, self.shape[axis]).tolist()
            groups = [new_group(ranks) for ranks in lines]
            mine = [g for g, ranks in zip(groups, lines) if get_rank() in ranks]
            made[key] = mine[0] if mine else groups[0]
        return made[key]

    def __getitem__(self, index):
        if isinstance(index, tuple):
            taken = [isinstance(i, slice) for i in index] + [True] * (self.ndim - len(index))
        else:
            taken = [isinstance(index, slice)] + [True] * (self.ndim - 1)
        names = [name for name, kept in zip(self.dim_names, taken) if kept]
        part = self.mesh[index]
        if part.ndim == 0:
            return ProcessMesh([int(part)], [self.dim_names[-1]])
        return ProcessMesh(part, names)

    def __str__(self):
        return f'shape {self.shape}, process_ids {self.process_ids}, dim_names {self.dim_names}'

    def __reduce__(self):
        return ProcessMesh, (self.mesh.tolist(), self.dim_names)

    __hash__ = core.ProcessMesh.__hash__


def set_mesh(mesh):
    """Set the mesh that functions use which are given none.

    Args:
        mesh (ProcessMesh): The mesh.

    Returns:
        None.

    Raises:
        TypeError: It is no ProcessMesh.

    Examples:
        >>> import paddle.distributed as dist
        >>> dist.set_mesh(dist.ProcessMesh([0], dim_names=["x"]))
        >>> dist.shard_tensor(paddle.ones([2]), None, None).process_mesh.dim_names
        ['x']
    """
    global _global_mesh
    if not isinstance(mesh, core.ProcessMesh):
        raise TypeError(f'[set_mesh] expected a ProcessMesh, got {type(mesh).__name__}')
    _global_mesh = mesh


def get_mesh():
    """The mesh that functions use which are given none.

    Returns:
        ProcessMesh: what `set_mesh` was given; None before.

    Examples:
        >>> import paddle.distributed as dist
        >>> dist.set_mesh(dist.ProcessMesh([0], dim_names=["x"]))
        >>> dist.get_mesh().process_ids
        [0]
    """
    return _global_mesh
