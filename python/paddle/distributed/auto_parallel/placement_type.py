# SPDX-License-Identifier: Apache-2.0
"""How a tensor is placed along an axis of a mesh."""

from paddle.base.core import Partial, Placement, ReduceType, Replicate, Shard

__all__ = ['Partial', 'Placement', 'ReduceType', 'Replicate', 'Shard']
