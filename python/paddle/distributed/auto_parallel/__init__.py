# SPDX-License-Identifier: Apache-2.0
"""Distributed tensors: meshes of processes, placements on them, and what divides a model."""

from paddle import _lazy

from . import api, placement_type, process_mesh
from .process_mesh import ProcessMesh

__all__ = ['ProcessMesh', 'api', 'placement_type', 'process_mesh']

_lazy.serve(globals())
