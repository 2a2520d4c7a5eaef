# SPDX-License-Identifier: Apache-2.0
"""Optimizers around an optimizer, for parameters and gradients that processes share."""

from .dygraph_sharding_optimizer import DygraphShardingOptimizer
from .hybrid_parallel_optimizer import HybridParallelOptimizer

__all__ = ['DygraphShardingOptimizer', 'HybridParallelOptimizer']
