# SPDX-License-Identifier: Apache-2.0
"""Tensor parallelism: operations, layers and random states."""

from .mp_layers import (
    ColumnParallelLinear,
    ParallelCrossEntropy,
    RowParallelLinear,
    VocabParallelEmbedding,
)
from .random import RNGStatesTracker, get_rng_state_tracker, model_parallel_random_seed

__all__ = [
    'ColumnParallelLinear',
    'ParallelCrossEntropy',
    'RNGStatesTracker',
    'RowParallelLinear',
    'VocabParallelEmbedding',
    'get_rng_state_tracker',
    'model_parallel_random_seed',
]
