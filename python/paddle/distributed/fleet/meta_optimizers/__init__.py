# SPDX-License-Identifier: Apache-2.0
"""Optimizers of models that are divided among processes."""

from .dygraph_optimizer import DygraphShardingOptimizer, HybridParallelOptimizer

__all__ = ['DygraphShardingOptimizer', 'HybridParallelOptimizer']
