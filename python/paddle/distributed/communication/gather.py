# SPDX-License-Identifier: Apache-2.0
"""What every process has, on one of them."""

from . import stream


def gather(tensor, gather_list=None, dst=0, group=None, sync_op=True):
    """Puts the tensors of all processes into `gather_list` of process `dst`."""
    return stream.gather(tensor, gather_list, dst, group, sync_op)
