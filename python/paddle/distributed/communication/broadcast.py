# SPDX-License-Identifier: Apache-2.0
"""What one process has, on all of them."""

from . import stream
from .group import joined, rank_in
from .objects import give


def broadcast(tensor, src, group=None, sync_op=True):
    """Gives all processes the tensor of process `src`."""
    return stream.broadcast(tensor, src, group, sync_op)


def broadcast_object_list(object_list, src, group=None):
    """Replaces the objects of a list by those of process `src`. They are pickled."""
    group = joined(group)
    if group is not None:
        rank_in(group, src, 'broadcast_object_list')
        object_list[:] = give(group, src, list(object_list))
