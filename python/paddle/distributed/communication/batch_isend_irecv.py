# SPDX-License-Identifier: Apache-2.0
"""Several messages at once."""

from .group import default_group, joined
from .recv import irecv
from .send import isend


class P2POp:
    """A message to be sent or received: `op` is `isend` or `irecv`."""

    def __init__(self, op, tensor, peer, group=None):
        if op not in (isend, irecv):
            raise RuntimeError(f'[P2POp] expected isend or irecv as op, got {op!r}')
        self.op = op
        self.tensor = tensor
        self.peer = peer
        self.group = default_group() if group is None else group


def batch_isend_irecv(p2p_op_list):
    """Begins all of the messages, in any order on any process; returns their tasks."""
    if not p2p_op_list or not all(isinstance(op, P2POp) for op in p2p_op_list):
        raise RuntimeError(f'[batch_isend_irecv] expected a list of P2POp, got {p2p_op_list!r}')
    if len({op.group.id for op in p2p_op_list}) > 1:
        raise RuntimeError('[batch_isend_irecv] expected one group, got several')
    group = joined(p2p_op_list[0].group)
    if group is None:
        return []
    group.process_group.begin_batch()
    try:
        return [op.op(op.tensor, op.peer, op.group) for op in p2p_op_list]
    finally:
        group.process_group.end_batch()
