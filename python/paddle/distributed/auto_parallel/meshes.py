# SPDX-License-Identifier: Apache-2.0
"""Values that lie on several meshes, as the stages of a pipeline have them."""

from paddle.base import libpaddle as core


def union_of(meshes):
    """A mesh of all processes of some meshes: one of these, where that has all."""
    most = max(meshes, key=lambda mesh: mesh.size)
    ranks = sorted({rank for mesh in meshes for rank in mesh.process_ids})
    if most.size == len(ranks):
        return most
    return core.ProcessMesh([len(ranks)], ranks, ['all'])


def brought(tensor, mesh, **changed):
    """A tensor on a mesh, placed along axes of the same names as before, but for those named here.
    Dense ones are whole, and stay dense where nothing is changed.
    """
    if not tensor.is_dist():
        if not changed:
            return tensor
        tensor = core._dtensor_from_local(tensor, mesh, [core.Replicate() for _ in mesh.shape])
    elif tensor.process_mesh == mesh and not changed:
        return tensor
    before = dict(zip(tensor.process_mesh.dim_names, tensor.placements))
    placed = {**before, **changed}
    return core._reshard(tensor, mesh, [placed.get(n, core.Replicate()) for n in mesh.dim_names])


def everywhere(tensor, mesh):
    """A distributed tensor as replicas on another mesh."""
    return core._reshard(tensor, mesh, [core.Replicate() for _ in mesh.shape])


def joined(parts, combine):
    """`combine` of tensors on any meshes: first of those on each mesh, then on all processes."""
    sums = {}
    for part in parts:
        mesh = part.process_mesh if part.is_dist() else None
        sums[mesh] = part if mesh not in sums else combine(sums[mesh], part)
    meshes = [mesh for mesh in sums if mesh is not None]
    total = sums.pop(None, None)
    for part in sums.values():
        if len(meshes) > 1:
            part = everywhere(part, union_of(meshes))
        total = part if total is None else combine(total, part)
    return total
