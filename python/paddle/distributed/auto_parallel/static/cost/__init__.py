# SPDX-License-Identifier: Apache-2.0
"""What operations and messages cost on a cluster."""

from . import comp_op_cost
from .base_cost import CommContext, CommOpCost, CompOpCost, Cost, OpCost, build_comm_desc
from .comm_op_cost import (
    AllgatherOpCost,
    AllReduceOpCost,
    AllreduceSumOpCost,
    BroadcastOpCost,
    IdentityOpCost,
    RecvOpCost,
    SendOpCost,
)

__all__ = [
    'AllReduceOpCost',
    'AllgatherOpCost',
    'AllreduceSumOpCost',
    'BroadcastOpCost',
    'CommContext',
    'CommOpCost',
    'CompOpCost',
    'Cost',
    'IdentityOpCost',
    'OpCost',
    'RecvOpCost',
    'SendOpCost',
    'build_comm_desc',
]


def __getattr__(name):
    return getattr(comp_op_cost, name)
