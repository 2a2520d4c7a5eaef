# SPDX-License-Identifier: Apache-2.0
"""From every process something to every other."""

from . import stream


def alltoall(out_tensor_list, in_tensor_list, group=None, sync_op=True):
    """Sends `in_tensor_list[i]` to process i; what process i sent comes to `out_tensor_list[i]`,
    which is filled with new tensors where it is empty.
    """
    return stream.alltoall(out_tensor_list, in_tensor_list, group, sync_op)


def alltoall_single(
    out_tensor, in_tensor, in_split_sizes=None, out_split_sizes=None, group=None, sync_op=True
):
    """The same with the rows of one tensor: so many to, and from, each process; equal shares where
    no sizes are given.
    """
    return stream.alltoall_single(
        out_tensor, in_tensor, out_split_sizes, in_split_sizes, group, sync_op
    )
