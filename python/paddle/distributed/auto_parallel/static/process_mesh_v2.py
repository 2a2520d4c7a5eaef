# SPDX-License-Identifier: Apache-2.0
"""Meshes of several tensors made one."""

import numpy as np

from paddle.distributed import ProcessMesh

__all__ = ['ProcessMesh', 'compute_compatible_process_mesh', 'merge_process_mesh']


def compute_compatible_process_mesh(process_meshes):
    """The mesh of which all others are parts, None where there is no such one.

    Args:
        process_meshes (list): The meshes; None among them fits any.

    Returns:
        ProcessMesh or None: the largest of them.

    Examples:
        >>> from paddle.distributed.auto_parallel.static import process_mesh_v2 as meshes
        >>> small, large = dist.ProcessMesh([0, 1]), dist.ProcessMesh([[0, 1], [2, 3]])
        >>> meshes.compute_compatible_process_mesh([small, None, large]).shape
        [2, 2]
    """
    given = [mesh for mesh in process_meshes or () if mesh is not None]
    if not given:
        return None
    largest = max(given, key=lambda mesh: len(mesh.process_ids))
    inside = all(set(mesh.process_ids) <= set(largest.process_ids) for mesh in given)
    return largest if inside else None


def merge_process_mesh(process_meshes):
    """A mesh of one axis with the processes of all.

    Args:
        process_meshes (list): The meshes; None is passed over.

    Returns:
        ProcessMesh or None: the mesh, None of none.

    Examples:
        >>> from paddle.distributed.auto_parallel.static import process_mesh_v2 as meshes
        >>> meshes.merge_process_mesh([dist.ProcessMesh([2, 3]), dist.ProcessMesh([0, 2])]).shape
        [3]
    """
    numbers = sorted({i for mesh in process_meshes or () if mesh for i in mesh.process_ids})
    return ProcessMesh(np.array(numbers)) if numbers else None
