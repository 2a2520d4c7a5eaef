# SPDX-License-Identifier: Apache-2.0
"""What one process has for each of the others."""

from . import stream
from .group import joined, rank_in
from .objects import give


def scatter(tensor, tensor_list=None, src=0, group=None, sync_op=True):
    """Puts number i of the list of process `src` into the tensor of process i."""
    return stream.scatter(tensor, tensor_list, src, group, sync_op)


def scatter_object_list(out_object_list, in_object_list=None, src=0, group=None):
    """Makes `out_object_list` hold the share of this process in the list of process `src`. Objects
    are pickled.
    """
    group = joined(group)
    if group is None:
        return
    rank_in(group, src, 'scatter_object_list')
    everything = give(group, src, in_object_list)
    if not everything or len(everything) % group.nranks:
        raise ValueError(
            f'[scatter_object_list] expected a multiple of {group.nranks} objects on rank {src}, '
            f'got {len(everything or ())}'
        )
    each = len(everything) // group.nranks
    out_object_list[:] = everything[group.rank * each : (group.rank + 1) * each]
