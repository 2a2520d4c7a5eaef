# SPDX-License-Identifier: Apache-2.0
"""What says how a tensor lies on a mesh, by the axes of the tensor; placements say it by those of
the mesh.
"""

from paddle.base.core import Partial, Replicate, Shard

from .process_mesh import ProcessMesh

__all__ = ['DistAttr']


class TensorDistAttr:
    """A mesh, and for each axis of a tensor the axes of the mesh that divide it."""

    def __init__(self, dist_attr=None):
        self.process_mesh, self.batch_dim, self.chunk_id = None, 0, 0
        self.dynamic_dims, self.annotated = [], {}
        self._axes, self._partial = [], set()
        if dist_attr is not None:
            self.process_mesh = dist_attr.process_mesh
            self.batch_dim, self.chunk_id = dist_attr.batch_dim, dist_attr.chunk_id
            self.dynamic_dims, self.annotated = (
                list(dist_attr.dynamic_dims),
                dict(dist_attr.annotated),
            )
            self._axes, self._partial = dist_attr.multi_dims_mapping, set(dist_attr._partial)

    @property
    def dims_mapping(self):
        """For each axis of the tensor the first axis of the mesh that divides it, or -1."""
        return [axes[0] if axes else -1 for axes in self._axes]

    @dims_mapping.setter
    def dims_mapping(self, value):
        self.multi_dims_mapping = [[] if axis == -1 else [axis] for axis in _integers(value)]

    @property
    def multi_dims_mapping(self):
        """For each axis of the tensor the axes of the mesh that divide it, the outer first."""
        return [list(axes) for axes in self._axes]

    @multi_dims_mapping.setter
    def multi_dims_mapping(self, value):
        self._axes = [_integers(axes) for axes in value]
        if len(self.dynamic_dims) != len(self._axes):
            self.dynamic_dims = [False] * len(self._axes)

    @property
    def placements(self):
        """For each axis of the mesh the placement that `shard_tensor` takes."""
        found = [Replicate() for _ in self.process_mesh.shape] if self.process_mesh else []
        for dim, axes in enumerate(self._axes):
            for axis in axes:
                found[axis] = Shard(dim)
        for axis in self._partial:
            found[axis] = Partial()
        return found

    def verify(self, tensor=None):
        """Whether the tensor, where it is given, has as many axes, and each axis of the mesh
        divides one at most.
        """
        if self.process_mesh is None or tensor is None or tensor.ndim != len(self._axes):
            return False
        used = [axis for axes in self._axes for axis in axes]
        return len(set(used)) == len(used) and all(0 <= a < self.process_mesh.ndim for a in used)

    def is_annotated(self, name):
        """Whether the user, not a rule, has set an attribute."""
        return self.annotated.get(name, False)

    def mark_annotated(self, name):
        """Say that the user has set `process_mesh`, `dims_mapping` or another attribute."""
        if name in ('process_mesh', 'dims_mapping', 'batch_dim', 'dynamic_dims', 'chunk_id'):
            self.annotated = {**self.annotated, name: True}

    def clear_annotated(self):
        """Say that the user has set nothing."""
        self.annotated = {}

    def reset(self):
        """Forget the mesh, and what divides the axes."""
        self.process_mesh, self._axes, self._partial, self.annotated = (
            None,
            [[] for _ in self._axes],
            set(),
            {},
        )

    def _is_partial(self):
        return bool(self._partial)

    def _partial_dims(self):
        return set(self._partial)

    def _set_partial_dims(self, dims):
        used = {axis for axes in self._axes for axis in axes}
        for axis in dims:
            if axis in used:
                raise ValueError(
                    f'[DistAttr] expected axes of the mesh that divide no axis of the tensor, got '
                    f'{axis}'
                )
        self._partial = set(dims)

    def _clean_partial_status(self):
        self._partial = set()

    def _state(self):
        return (
            self.process_mesh,
            self._axes,
            self._partial,
            self.batch_dim,
            self.chunk_id,
            self.dynamic_dims,
            self.annotated,
        )

    def __eq__(self, other):
        if not isinstance(other, TensorDistAttr):
            return NotImplemented
        return self._state()[:-1] == other._state()[:-1]

    __hash__ = None

    def __str__(self):
        mesh = self.process_mesh
        return (
            f'{{process_mesh: {{shape: {mesh.shape if mesh else []}, process_ids: '
            f'{mesh.process_ids if mesh else []}, dim_names: {mesh.dim_names if mesh else []}}}, '
            f'dims_mapping: {self._axes}, batch_dim: {self.batch_dim}, chunk_id: {self.chunk_id}, '
            f'dynamic_dims: {self.dynamic_dims}, annotated: {sorted(self.annotated)}, '
            f'partial: {sorted(self._partial)}}}'
        )


def _integers(value):
    if isinstance(value, str) or not all(isinstance(axis, int) for axis in value):
        raise TypeError(f'[DistAttr] expected axes of the mesh as integers, got {value!r}')
    return list(value)


class DistAttr(TensorDistAttr):
    """How a tensor lies on a mesh, by the names of the mesh's axes.

    Args:
        mesh (ProcessMesh): The processes.
        sharding_specs (list): For each axis of the tensor the axis of the mesh that
            divides it; None for none.

    Raises:
        ValueError: mesh is no ProcessMesh, sharding_specs is no list, or a name is none of the
            mesh's.
        AssertionError: A name is no str.

    Examples:
        >>> mesh = paddle.distributed.ProcessMesh([[0, 1], [2, 3]], dim_names=["x", "y"])
        >>> attr = paddle.distributed.DistAttr(mesh, ["y", None])
        >>> attr.dims_mapping, attr.placements
        ([1, -1], [Replicate(), Shard(dim=0)])
    """

    def __init__(self, mesh, sharding_specs):
        if not isinstance(mesh, ProcessMesh):
            raise ValueError(f'[DistAttr] expected mesh to be a ProcessMesh, got {mesh!r}')
        if not isinstance(sharding_specs, list):
            raise ValueError(
                f'[DistAttr] expected sharding_specs to be a list, got {sharding_specs!r}'
            )
        for name in sharding_specs:
            assert name is None or isinstance(name, str), (
                f'[DistAttr] expected names of axes or None in sharding_specs, got {name!r}'
            )
            if name is not None and name not in mesh.dim_names:
                raise ValueError(f'[DistAttr] expected names among {mesh.dim_names}, got {name!r}')
        super().__init__()
        self._specs = list(sharding_specs)
        self.process_mesh = mesh
        self.dims_mapping = [-1 if n is None else mesh.dim_names.index(n) for n in sharding_specs]
        self.mark_annotated('process_mesh')
        self.mark_annotated('dims_mapping')

    @property
    def sharding_specs(self):
        """The names that it was made with."""
        return list(self._specs)
