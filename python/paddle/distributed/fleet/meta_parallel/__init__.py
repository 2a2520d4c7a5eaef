# SPDX-License-Identifier: Apache-2.0
"""Models whose parameters, batches or optimizer state processes share."""

from paddle import _lazy

from ..layers.mpu.mp_layers import (
    ColumnParallelLinear,
    ParallelCrossEntropy,
    RowParallelLinear,
    VocabParallelEmbedding,
)
from ..layers.mpu.random import RNGStatesTracker, get_rng_state_tracker, model_parallel_random_seed
from .meta_parallel_base import MetaParallelBase
from .pipeline_layers import LayerDesc, PipelineLayer, SharedLayerDesc
from .pipeline_parallel import (
    PipelineParallel,
    PipelineParallelWithInterleave,
    PipelineParallelWithInterleaveFthenB,
)
from .wrappers import SegmentParallel, ShardingParallel, TensorParallel

__all__ = [
    'ColumnParallelLinear',
    'LayerDesc',
    'MetaParallelBase',
    'ParallelCrossEntropy',
    'PipelineLayer',
    'PipelineParallel',
    'PipelineParallelWithInterleave',
    'PipelineParallelWithInterleaveFthenB',
    'RNGStatesTracker',
    'RowParallelLinear',
    'SegmentParallel',
    'ShardingParallel',
    'SharedLayerDesc',
    'TensorParallel',
    'VocabParallelEmbedding',
    'get_rng_state_tracker',
    'model_parallel_random_seed',
]

_lazy.serve(globals())
