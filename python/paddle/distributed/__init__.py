# SPDX-License-Identifier: Apache-2.0
"""Training by several processes: process groups, collectives, data parallelism, the launcher."""

import sys

from paddle import _lazy

_WHERE = _lazy.homes(
    {
        'paddle.distributed.collective': (
            'new_group restart_process_group shutdown_process_group is_available'
        ),
        'paddle.distributed.communication.group': (
            'get_group destroy_process_group is_initialized get_backend barrier wait'
        ),
        'paddle.distributed.communication.reduce': 'ReduceOp reduce',
        'paddle.distributed.communication.all_reduce': 'all_reduce',
        'paddle.distributed.communication.all_gather': 'all_gather all_gather_object',
        'paddle.distributed.communication.all_to_all': 'alltoall alltoall_single',
        'paddle.distributed.communication.broadcast': 'broadcast broadcast_object_list',
        'paddle.distributed.communication.gather': 'gather',
        'paddle.distributed.communication.reduce_scatter': 'reduce_scatter',
        'paddle.distributed.communication.scatter': 'scatter scatter_object_list',
        'paddle.distributed.communication.send': 'send isend send_object_list',
        'paddle.distributed.communication.recv': 'recv irecv recv_object_list',
        'paddle.distributed.communication.batch_isend_irecv': 'P2POp batch_isend_irecv',
        'paddle.distributed.launch.main': 'launch',
        'paddle.distributed.spawn': 'spawn',
        'paddle.distributed.parallel': (
            'ParallelEnv ParallelMode get_rank get_world_size init_parallel_env'
        ),
        'paddle.distributed.auto_parallel.process_mesh': 'ProcessMesh get_mesh set_mesh',
        'paddle.distributed.auto_parallel.placement_type': (
            'Partial Placement ReduceType Replicate Shard'
        ),
        'paddle.distributed.auto_parallel.dist_attr': 'DistAttr',
        'paddle.distributed.auto_parallel.api': (
            'dtensor_from_fn dtensor_from_local dtensor_to_local reshard shard_tensor '
            'unshard_dtensor'
        ),
        'paddle.distributed.auto_parallel.shard': (
            'ShardingStage1 ShardingStage2 ShardingStage3 shard_dataloader shard_layer '
            'shard_optimizer shard_scaler'
        ),
        'paddle.distributed.auto_parallel.strategy': 'Strategy',
        'paddle.distributed.auto_parallel.dist_model': 'DistModel to_static',
        'paddle.distributed.auto_parallel.local_map': 'LocalLayer local_map',
        'paddle.distributed.auto_parallel.intermediate.parallelize': 'parallelize',
        'paddle.distributed.auto_parallel.intermediate.tensor_parallel': (
            'ColWiseParallel ConvParallel PrepareLayerInput PrepareLayerOutput RowWiseParallel '
            'SequenceParallelBegin SequenceParallelDisable SequenceParallelEnable '
            'SequenceParallelEnd'
        ),
        'paddle.distributed.auto_parallel.intermediate.context_parallel': (
            'ContextParallel PrepareContextParallel'
        ),
        'paddle.distributed.auto_parallel.intermediate.pipeline_parallel': 'SplitPoint',
        'paddle.distributed.auto_parallel.high_level_api': 'to_distributed',
        'paddle.distributed.flex_checkpoint.dcp.save_state_dict': 'save_state_dict',
        'paddle.distributed.flex_checkpoint.dcp.load_state_dict': (
            'load_merged_state_dict load_state_dict'
        ),
        'paddle.distributed.flex_checkpoint.dcp.sharded_weight': (
            'ShardedStateDict ShardedWeight build_sharded_state_dict shard_weight'
        ),
        'paddle.distributed.entry_attr': 'CountFilterEntry ProbabilityEntry ShowClickEntry',
        'paddle.distributed.fleet.base.topology': 'create_nccl_config',
        'paddle.distributed.fleet.layers.mpu.split': 'split',
        'paddle.distributed.fleet.dataset': 'InMemoryDataset QueueDataset',
        'paddle.distributed.parallel_with_gloo': (
            'gloo_barrier gloo_init_parallel_env gloo_release'
        ),
    }
)
__all__ = sorted(
    set(_WHERE) - {'P2POp', 'batch_isend_irecv', 'dtensor_from_local', 'dtensor_to_local'}
)

_lazy.install(
    globals(),
    'paddle.distributed',
    _WHERE,
    (
        'io',
        'auto_parallel',
        'collective',
        'communication',
        'fleet',
        'flex_checkpoint',
        'parallel',
        'rpc',
        'sharding',
    ),
)
# These functions have the names of the modules they are in.
for _name in ('launch', 'spawn'):
    _lazy._keep(sys.modules[__name__], _name)
