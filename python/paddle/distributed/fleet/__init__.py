# SPDX-License-Identifier: Apache-2.0
"""Training of one model by processes that share data, parameters and optimizer state."""

import sys

from paddle import _lazy

_WHERE = _lazy.homes(
    {
        'paddle.distributed.fleet.base.distributed_strategy': 'DistributedStrategy',
        'paddle.distributed.fleet.base.role_maker': (
            'PaddleCloudRoleMaker Role UserDefinedRoleMaker'
        ),
        'paddle.distributed.fleet.base.topology': 'CommunicateTopology HybridCommunicateGroup',
        'paddle.distributed.fleet.base.util_factory': 'UtilBase',
        'paddle.distributed.fleet.dataset': 'DatasetBase InMemoryDataset QueueDataset',
        'paddle.distributed.fleet.data_generator': (
            'MultiSlotDataGenerator MultiSlotStringDataGenerator'
        ),
        'paddle.distributed.fleet.fleet': 'Fleet fleet',
        'paddle.distributed.fleet.recompute': 'recompute',
        'paddle.distributed.fleet.utils.log_util': (
            'get_log_level_code get_log_level_name set_log_level'
        ),
    }
)
__all__ = sorted(n for n in _WHERE if n[0].isupper())

# Methods of the job's `Fleet`.
_METHODS = frozenset(
    'all_reduce barrier_worker distributed_model distributed_optimizer distributed_scaler '
    'get_hybrid_communicate_group init is_coordinator is_first_worker is_server is_worker '
    'local_rank node_num nranks rank rank_in_node server_endpoints server_index server_num '
    'stop_worker util worker_endpoints worker_index worker_num world_size'.split()
)

_lazy.install(
    globals(),
    'paddle.distributed.fleet',
    _WHERE,
    ('base', 'dataset', 'layers', 'meta_optimizers', 'meta_parallel', 'utils'),
)
_table_getattr, _table_dir = __getattr__, __dir__  # noqa: F821


def __getattr__(name):
    if name not in _METHODS:
        return _table_getattr(name)
    value = getattr(sys.modules[__name__].fleet, name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*_table_dir(), *_METHODS})


# These names are objects' and the modules' they are in.
for _name in ('fleet', 'recompute'):
    _lazy._keep(sys.modules[__name__], _name)
