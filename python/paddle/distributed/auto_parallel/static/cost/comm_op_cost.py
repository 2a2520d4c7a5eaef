# SPDX-License-Identifier: Apache-2.0
"""Costs of messages between ranks."""

from .base_cost import CommOpCost

__all__ = [
    'AllReduceOpCost',
    'AllgatherOpCost',
    'AllreduceSumOpCost',
    'BroadcastOpCost',
    'IdentityOpCost',
    'RecvOpCost',
    'SendOpCost',
]


class AllReduceOpCost(CommOpCost):
    """A sum that every rank gets: around the ring twice, or up and down a tree."""

    OP_TYPE = 'all_reduce'

    def calc_time_ring(self):
        """Each part is summed on its way around, then handed on."""
        return self._ring(2)

    def calc_time_tree(self):
        """Partial sums go up a binary tree, the sum down."""
        depth = 2 * (self.rank_count - 1).bit_length()
        return self.comm_context.base_tree + depth * self._step('tree') + self._transfer(2)

    def calc_time(self):
        """The faster of the two."""
        if self.rank_count < 2:
            return 0.0
        return min(self.calc_time_ring(), self.calc_time_tree())


class AllreduceSumOpCost(AllReduceOpCost):
    """The same by its old name."""

    OP_TYPE = 'c_allreduce_sum'


class AllgatherOpCost(CommOpCost):
    """Each rank gets the parts of all."""

    OP_TYPE = 'all_gather'

    def __init__(self, op=None, op_desc=None, comm_context=None):
        if op_desc is not None and op_desc.get('op') == 'c_allgather':
            op_desc = {**op_desc, 'op': self.OP_TYPE}
        super().__init__(op, op_desc, comm_context)

    def calc_time(self):
        """Once around the ring, with a part of each."""
        n = self.rank_count
        if n < 2:
            return 0.0
        return self.comm_context.base_ring + (n - 1) * (self._step() + self._transfer())


class _OneWay(CommOpCost):
    def calc_time(self):
        """One message after another along the ranks."""
        if self.rank_count < 2:
            return 0.0
        return self.comm_context.base_ring + self._step() + self._transfer()


class BroadcastOpCost(_OneWay):
    """Each rank gets the tensor of one."""

    OP_TYPE = 'broadcast'

    def __init__(self, op=None, op_desc=None, comm_context=None):
        if op_desc is not None and op_desc.get('op') == 'c_broadcast':
            op_desc = {**op_desc, 'op': self.OP_TYPE}
        super().__init__(op, op_desc, comm_context)


class IdentityOpCost(CommOpCost):
    """A copy on each rank; its gradient is the message."""

    OP_TYPE = 'c_identity'

    def calc_time(self):
        """The copy: bytes read and written at a GPU's speed."""
        return 2 * self.comm_count / 900e3


class SendOpCost(_OneWay):
    """A tensor to another rank."""

    OP_TYPE = 'send_v2'


class RecvOpCost(_OneWay):
    """A tensor from another rank."""

    OP_TYPE = 'recv_v2'
