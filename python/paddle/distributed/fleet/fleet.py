# SPDX-License-Identifier: Apache-2.0
"""`Fleet`: one object that starts a job of several processes and wraps models and optimizers for
it.
"""

import os

import paddle.distributed as dist

from .base.distributed_strategy import DistributedStrategy
from .base.role_maker import PaddleCloudRoleMaker, RoleMakerBase
from .base.topology import CommunicateTopology, HybridCommunicateGroup
from .base.util_factory import UtilBase
from .utils.log_util import logger, set_log_level

__all__ = ['Fleet', 'fleet']

_AXES = {
    'dp': 'data',
    'pp': 'pipe',
    'sharding': 'sharding',
    'sep': 'sep',
    'cp': 'context',
    'mp': 'model',
}


class Fleet:
    """A job of workers that train together by collectives.

    The functions of `paddle.distributed.fleet` are the methods of one such object: `init`,
    `distributed_model`, `distributed_optimizer`, `worker_num` and so on.

    Examples:
        >>> from paddle.distributed import fleet
        >>> job = fleet.Fleet()
        >>> _ = job.init(is_collective=True)
        >>> job.worker_index(), job.worker_num()
        (0, 1)
        >>> model = job.distributed_model(paddle.nn.Linear(2, 2))
    """

    def __init__(self):
        self._role_maker = None
        self._strategy = None
        self._util = UtilBase()  # _topology and _hcg come with the groups: programs ask for them

    def init(self, role_maker=None, is_collective=False, strategy=None, log_level='INFO'):
        """Start the communication of the job, and make the groups that the strategy's
        `hybrid_configs` ask for. `dp_degree` -1 is what the others leave.
        """
        set_log_level(log_level)
        if role_maker is None:
            if not isinstance(is_collective, bool):
                raise ValueError(
                    '[fleet.init] expected is_collective to be a bool, got '
                    f'{type(is_collective).__name__}'
                )
            role_maker = PaddleCloudRoleMaker(is_collective)
        elif not isinstance(role_maker, RoleMakerBase):
            raise ValueError(f'[fleet.init] expected a role maker, got {type(role_maker).__name__}')
        strategy = DistributedStrategy() if strategy is None else strategy
        if not isinstance(strategy, DistributedStrategy):
            raise AttributeError(
                f'[fleet.init] expected a DistributedStrategy, got {type(strategy).__name__}'
            )
        if role_maker._worker_num() > 1 and not dist.is_initialized():
            dist.init_parallel_env()
        strategy.tell_what_has_no_effect()
        self._role_maker, self._strategy = role_maker, strategy
        self._util._set_role_maker(role_maker)
        self._make_groups()
        return self

    def _make_groups(self):
        configs = self._strategy.hybrid_configs
        order = self._strategy.hybrid_parallel_order
        degrees = {axis: configs[f'{axis}_degree'] for axis in order}
        for name in ('ep_degree', 'moe_sharding_degree', 'cp_sharding_degree'):
            if configs[name] != 1:
                raise ValueError(f'[fleet.init] expected {name} 1, got {configs[name]}')
        others = 1
        for axis, degree in degrees.items():
            if axis != 'dp':
                others *= max(degree, 1)
        if degrees.get('dp', 1) < 1:
            degrees['dp'] = max(dist.get_world_size() // others, 1)
        self._topology = CommunicateTopology(
            [_AXES[axis] for axis in order], [max(degrees[axis], 1) for axis in order]
        )
        self._hcg = HybridCommunicateGroup(self._topology)
        logger.info('fleet: degrees %s', degrees)

    def _role(self):
        if self._role_maker is None:
            raise AttributeError('[fleet] expected fleet.init() to be called first, got no role')
        return self._role_maker

    def get_hybrid_communicate_group(self):
        """The groups of this process."""
        self._role()
        return self._hcg

    def get_hybrid_parallel_topology(self):
        """The grid of the job's ranks."""
        self._role()
        return self._topology

    def is_first_worker(self):
        """Whether this is worker 0."""
        return self._role()._is_first_worker()

    def worker_index(self):
        """The number of this worker."""
        return self._role()._worker_index()

    rank = worker_index

    def worker_num(self):
        """How many workers there are."""
        return self._role()._worker_num()

    nranks = world_size = worker_num

    def node_num(self):
        """On how many hosts they are."""
        return self._role()._node_num()

    def local_rank(self):
        """The number of this worker on its host, None where no launcher told it."""
        self._role()
        return os.getenv('PADDLE_RANK_IN_NODE')

    rank_in_node = local_rank

    def is_worker(self):
        """Whether this process trains."""
        return self._role()._is_worker()

    def is_server(self):
        """Whether this process keeps parameters for others."""
        return self._role()._is_server()

    def is_coordinator(self):
        """Whether this process coordinates others."""
        return self._role()._is_coordinator()

    def worker_endpoints(self, to_string=False):
        """The addresses of the workers, in a list or joined by commas."""
        endpoints = self._role()._get_trainer_endpoints()
        return ','.join(endpoints) if to_string else endpoints

    def server_num(self):
        """How many processes keep parameters."""
        return self._role()._server_num()

    def server_index(self):
        """The number of this one among them."""
        return self._role()._server_index()

    def server_endpoints(self, to_string=False):
        """Their addresses."""
        endpoints = self._role()._get_pserver_endpoints()
        return ','.join(endpoints) if to_string else endpoints

    @property
    def util(self):
        """What workers exchange besides tensors."""
        return self._util

    def barrier_worker(self):
        """Until all workers have come here."""
        self._role()._barrier()

    def all_reduce(self, input, mode='sum'):
        """The sum, mean or maximum over the workers, as a NumPy array."""
        self._role()
        out = self._util.all_reduce(input, 'sum' if mode == 'mean' else mode)
        return (out / self.worker_num()).astype(out.dtype) if mode == 'mean' else out

    def distributed_model(self, model):
        """The model as the job trains it: parameters are alike where they are not divided, and
        gradients are averaged.
        """
        from .model import distributed_model

        self._role()
        return distributed_model(model, self._hcg, self._strategy)

    def distributed_optimizer(self, optimizer, strategy=None):
        """The optimizer as the job uses it; in a job of one worker the optimizer itself."""
        from .meta_optimizers.dygraph_optimizer import HybridParallelOptimizer

        self._role()
        if strategy is not None:
            self._strategy = strategy
        if self.worker_num() < 2:
            return optimizer
        return HybridParallelOptimizer(optimizer, self._hcg, self._strategy)

    def distributed_scaler(self, scaler):
        """A `GradScaler` that skips a step on all workers where one has met an infinity."""
        from .scaler import distributed_scaler

        self._role()
        return distributed_scaler(scaler, self._hcg)

    def stop_worker(self):
        """Nothing: workers have no servers to take leave of."""
        self._role()


fleet = Fleet()
