# SPDX-License-Identifier: Apache-2.0
"""What every process has, on all of them."""

from . import stream
from .group import joined
from .objects import dump, load


def all_gather(tensor_list, tensor, group=None, sync_op=True):
    """Puts the tensors of all processes into `tensor_list`: into those that it has, else it is
    filled with new ones.
    """
    return stream.all_gather(tensor_list, tensor, group, sync_op)


def all_gather_object(object_list, obj, group=None):
    """Appends the objects of all processes. They are pickled."""
    group = joined(group)
    if group is not None:
        object_list.extend(map(load, group.process_group.gather_bytes(dump(obj))))
