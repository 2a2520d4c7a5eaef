# SPDX-License-Identifier: Apache-2.0
"""How a tensor is placed along an axis of a mesh."""

from paddle.base.core import Partial, Placement, ReduceType, Replicate, Shard

__all__ = ['Partial', 'Placement', 'ReduceType', 'Replicate', 'Shard']


def check_placements_equal(this, that):
    """Whether two lists of placements place a tensor alike: one may end in more `Replicate`s."""
    short, long = sorted((list(this), list(that)), key=len)
    return long[: len(short)] == short and all(p.is_replicated() for p in long[len(short) :])
