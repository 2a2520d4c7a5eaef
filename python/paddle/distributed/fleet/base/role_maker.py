# SPDX-License-Identifier: Apache-2.0
"""What each process of a job is for, and which they are."""

import os

from paddle.base.arguments import keywords
from paddle.distributed.communication.group import meet
from paddle.distributed.parallel import ParallelEnv

__all__ = ['PaddleCloudRoleMaker', 'Role', 'UserDefinedRoleMaker']


class Role:
    """What a process of a job is: WORKER, SERVER, HETER_WORKER, ALL or COORDINATOR.

    Examples:
        >>> paddle.distributed.fleet.Role.WORKER
        1
    """

    WORKER = 1
    SERVER = 2
    HETER_WORKER = 3
    ALL = 4
    COORDINATOR = 5


class RoleMakerBase:
    """Workers only: processes that train together by collectives."""

    def __init__(self, rank, endpoints):
        self._rank, self._endpoints = rank, endpoints

    def _worker_num(self):
        return len(self._endpoints)

    def _worker_index(self):
        return self._rank

    _role_id = _worker_index

    def _is_first_worker(self):
        return self._rank == 0

    def _is_worker(self):
        return True

    def _is_server(self):
        return False

    _is_coordinator = _is_server

    def _get_trainer_endpoints(self):
        return self._endpoints

    def _get_pserver_endpoints(self):
        return []

    def _node_num(self):
        return len({e.rpartition(':')[0] for e in self._endpoints})

    _get_node_num = _node_num

    def _server_num(self):
        return 0

    _server_index = _server_num

    def _barrier(self, comm_world='worker'):
        _workers_only('barrier', comm_world)
        if self._worker_num() > 1:
            meet()

    def to_string(self):
        """What it says, in a line."""
        return (
            f'role: {Role.WORKER}, current_id: {self._rank}, worker_endpoints: {self._endpoints}, '
            'server_endpoints: []'
        )


def _workers_only(what, comm_world):
    if comm_world not in ('worker', 'all'):
        raise ValueError(
            f"[{what}] expected comm_world 'worker' or 'all', as there are no servers, got "
            f'{comm_world!r}'
        )


class PaddleCloudRoleMaker(RoleMakerBase):
    """The roles of a job that the launcher started: workers only.

    Args:
        is_collective (bool, default False): Whether workers train by collectives; without, no
            variable may name parameter servers.
        **kwargs (object): None are known.

    Raises:
        ValueError: The job has parameter servers.

    Examples:
        >>> from paddle.distributed import fleet
        >>> role = fleet.PaddleCloudRoleMaker(is_collective=True)
        >>> _ = fleet.init(role)
        >>> fleet.worker_num(), fleet.is_first_worker()
        (1, True)
    """

    def __init__(self, is_collective=False, **kwargs):
        keywords('PaddleCloudRoleMaker', kwargs)
        servers = os.getenv('PADDLE_PSERVERS_IP_PORT_LIST') or os.getenv('TRAINING_ROLE') in (
            'PSERVER',
            'HETER_TRAINER',
            'COORDINATOR',
        )
        if not is_collective and servers:
            raise ValueError(
                '[PaddleCloudRoleMaker] expected a job of workers, got one with parameter servers'
            )
        env = ParallelEnv()
        super().__init__(env.rank, [e for e in env.trainer_endpoints if e] or ['127.0.0.1:6170'])


class UserDefinedRoleMaker(RoleMakerBase):
    """The roles of a job as arguments name them: workers only.

    Args:
        is_collective (bool, default False): Whether workers train by collectives.
        init_gloo (bool, default False): Only False.
        **kwargs (object): `current_id`: the rank of this process; `worker_endpoints`: the addresses
            of all; `role`: Role.WORKER; `worker_num`; `server_endpoints`: none.

    Raises:
        TypeError: There are no worker_endpoints.
        ValueError: Servers are named, or init_gloo is True.

    Examples:
        >>> from paddle.distributed import fleet
        >>> role = fleet.UserDefinedRoleMaker(current_id=0, worker_endpoints=["127.0.0.1:6170"])
        >>> _ = fleet.init(role)
        >>> fleet.worker_endpoints()
        ['127.0.0.1:6170']
    """

    def __init__(self, is_collective=False, init_gloo=False, **kwargs):
        keywords(
            'UserDefinedRoleMaker',
            kwargs,
            *('current_id', 'role', 'worker_endpoints', 'worker_num', 'server_endpoints'),
        )
        if init_gloo:
            raise ValueError('[UserDefinedRoleMaker] expected init_gloo=False, got True')
        serves = not is_collective and kwargs.get('role', Role.WORKER) != Role.WORKER
        if serves or kwargs.get('server_endpoints'):
            raise ValueError(
                f'[UserDefinedRoleMaker] expected role Role.WORKER and no server_endpoints, got '
                f'{kwargs}'
            )
        endpoints = list(kwargs.get('worker_endpoints') or ())
        if not endpoints:
            raise TypeError('[UserDefinedRoleMaker] expected worker_endpoints, got none')
        super().__init__(kwargs.get('current_id', 0), endpoints)
