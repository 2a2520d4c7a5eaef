# SPDX-License-Identifier: Apache-2.0
"""From one other process."""

import paddle

from . import stream
from .group import joined
from .objects import load


def recv(tensor, src=0, group=None, sync_op=True):
    """Receives the tensor that process `src` sends."""
    return stream.recv(tensor, src, group, sync_op)


def irecv(tensor, src=None, group=None):
    """Begins to receive a tensor; it is there when the task that is returned has ended."""
    return recv(tensor, src, group, sync_op=False)


def recv_object_list(object_list, src=None, group=None, src_in_group=None):
    """Replaces the objects of a list by those that process `src`, or that place of the group,
    sends. They are pickled.
    """
    group = joined(group)
    if group is None:
        return
    if (src is None) == (src_in_group is None):
        raise ValueError(
            '[recv_object_list] expected one of src and src_in_group, got both or none'
        )
    src = group.ranks[src_in_group] if src is None else src
    size = paddle.empty([1], dtype='int64')
    recv(size, src, group)
    data = paddle.empty([int(size)], dtype='uint8')
    recv(data, src, group)
    object_list[:] = load(data.numpy().tobytes())
