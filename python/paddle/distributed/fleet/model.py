# SPDX-License-Identifier: Apache-2.0
"""Wrapping of a model for the kind of parallelism of its job."""

import paddle
from paddle import _lazy
from paddle.distributed.parallel import ParallelMode

__all__ = ['distributed_model']


def _in_low_precision(model, strategy):
    options = strategy.amp_configs
    if options['use_pure_fp16'] or options['use_pure_bf16']:
        dtype = 'bfloat16' if options['use_pure_bf16'] else 'float16'
        return paddle.amp.decorate(models=model, level='O2', dtype=dtype)
    return model


def distributed_model(model, hcg, strategy):
    """`model` for the job; in a job of one process itself."""
    from .meta_parallel import SegmentParallel, ShardingParallel, TensorParallel

    if not isinstance(model, paddle.nn.Layer):
        raise AssertionError(
            f'[fleet.distributed_model] expected a Layer, got {type(model).__name__}'
        )
    if strategy.amp:
        model = _in_low_precision(model, strategy)
    mode = hcg.get_parallel_mode()
    if mode is None:
        return model
    if strategy.sync_batch_norm:
        model = paddle.nn.SyncBatchNorm.convert_sync_batchnorm(model)
    if mode == ParallelMode.DATA_PARALLEL:
        return paddle.DataParallel(
            model,
            comm_buffer_size=strategy.fuse_grad_size_in_MB,
            last_comm_buffer_size=strategy.last_comm_group_size_MB,
            find_unused_parameters=strategy.find_unused_parameters,
            group=hcg.get_data_parallel_group(),
        )
    wrapper = {
        ParallelMode.PIPELINE_PARALLEL: _pipeline,
        ParallelMode.TENSOR_PARALLEL: TensorParallel,
        ParallelMode.SEGMENT_PARALLEL: SegmentParallel,
        ParallelMode.SHARDING_PARALLEL: ShardingParallel,
    }[mode]
    return wrapper(model, hcg, strategy=strategy)


def _pipeline(model, hcg, strategy):
    from .meta_parallel import (
        PipelineLayer,
        PipelineParallel,
        PipelineParallelWithInterleave,
        PipelineParallelWithInterleaveFthenB,
    )

    kind = PipelineParallel
    if isinstance(model, PipelineLayer) and model.get_num_virtual_stages() > 1:
        steps = strategy.pipeline_configs['accumulate_steps']
        even = steps % hcg.get_pipe_parallel_world_size() == 0
        kind = PipelineParallelWithInterleave if even else PipelineParallelWithInterleaveFthenB
    return kind(model, hcg, strategy)


_lazy.serve(globals())
