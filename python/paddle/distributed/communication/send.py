# SPDX-License-Identifier: Apache-2.0
"""To one other process."""

import numpy as np

import paddle

from . import stream
from .group import joined
from .objects import dump


def send(tensor, dst=0, group=None, sync_op=True):
    """Sends a tensor to process `dst`, which receives one of the same shape and dtype."""
    return stream.send(tensor, dst, group, sync_op)


def isend(tensor, dst, group=None):
    """Begins to send a tensor; the task that is returned tells when that has ended."""
    return send(tensor, dst, group, sync_op=False)


def send_object_list(object_list, dst=None, group=None, dst_in_group=None):
    """Sends objects to process `dst`, or to that place of the group. They are pickled."""
    group = joined(group)
    if group is None:
        return
    if (dst is None) == (dst_in_group is None):
        raise ValueError(
            '[send_object_list] expected one of dst and dst_in_group, got both or none'
        )
    dst = group.ranks[dst_in_group] if dst is None else dst
    data = dump(list(object_list))
    send(paddle.to_tensor([len(data)], dtype='int64'), dst, group)
    send(paddle.to_tensor(np.frombuffer(data, dtype='uint8').copy()), dst, group)
