# SPDX-License-Identifier: Apache-2.0
"""Collectives between processes; `stream` has the forms that say more about when they end."""

from paddle import _lazy

from . import stream
from .all_gather import all_gather, all_gather_object
from .all_reduce import all_reduce
from .all_to_all import alltoall, alltoall_single
from .batch_isend_irecv import P2POp, batch_isend_irecv
from .broadcast import broadcast, broadcast_object_list
from .gather import gather
from .group import barrier, destroy_process_group, get_backend, get_group, is_initialized, wait
from .recv import irecv, recv, recv_object_list
from .reduce import ReduceOp, reduce
from .reduce_scatter import reduce_scatter
from .scatter import scatter, scatter_object_list
from .send import isend, send, send_object_list

__all__ = [
    'P2POp',
    'ReduceOp',
    'all_gather',
    'all_gather_object',
    'all_reduce',
    'alltoall',
    'alltoall_single',
    'barrier',
    'batch_isend_irecv',
    'broadcast',
    'broadcast_object_list',
    'destroy_process_group',
    'gather',
    'get_backend',
    'get_group',
    'irecv',
    'is_initialized',
    'isend',
    'recv',
    'recv_object_list',
    'reduce',
    'reduce_scatter',
    'scatter',
    'scatter_object_list',
    'send',
    'send_object_list',
    'stream',
    'wait',
]

_lazy.serve(globals())
