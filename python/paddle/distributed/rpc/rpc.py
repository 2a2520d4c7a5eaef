# SPDX-License-Identifier: Apache-2.0
"""The workers of a job and the calls between them.

A call goes over a socket to the worker, whose thread for that connection runs the function; the
next call of the same caller may use the connection again. Both ends show that they know the job's
secret before anything is unpickled.
"""

import json
import os
import pickle
import threading
import traceback
from concurrent.futures import Future
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Listener, answer_challenge, deliver_challenge
from socket import create_connection
from paddle.base.documentation import shares

from ..parallel import current_environment, job_store

__all__ = [
    'get_all_worker_infos',
    'get_current_worker_info',
    'get_worker_info',
    'init_rpc',
    'rpc_async',
    'rpc_sync',
    'shutdown',
]

# Calls without a time limit wait for ever; so PaddlePaddle's.
_NO_LIMIT = -1
# How many times this process has become a worker: keys of the store differ.
_begun = 0
_agent = None


@dataclass(frozen=True)
class WorkerInfo:
    """A process that runs calls."""

    name: str
    rank: int
    ip: str
    port: int

    def __repr__(self):
        return f'{{name: {self.name}, rank: {self.rank}, ip: {self.ip}, port: {self.port}}}'


class FutureWrapper:
    """The result of a call that is under way."""

    def __init__(self, future):
        self._future = future

    def wait(self):
        """The result, once it is there; raises what the call raised."""
        return self._future.result()


def _dump(value):
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def _answer(request):
    """What a call gives: (True, its result), or (False, what it raised, and where)."""
    try:
        function, args, kwargs = pickle.loads(request)
        return _dump((True, function(*args, **kwargs)))
    except BaseException as e:
        where = traceback.format_exc()
        try:
            failed = _dump((False, e, where))
            pickle.loads(failed)
        except Exception:
            return _dump(
                (
                    False,
                    RuntimeError(f'[rpc] expected a result, got {type(e).__name__}: {e}'),
                    where,
                )
            )
        return failed


class _Agent:
    def __init__(self, name, rank, world_size, store, secret):
        global _begun
        _begun += 1
        self._prefix = f'rpc/{_begun}'
        self._store, self._world_size, self._secret = store, world_size, secret
        with create_connection((store.host, store.port), timeout=60) as way:
            address = way.getsockname()[0]
        self._listener = Listener((address, 0), backlog=128)
        self.me = WorkerInfo(name, rank, *self._listener.address)
        self._lock = threading.Lock()
        self._idle = {}
        threading.Thread(target=self._accept, name='paddle-rpc', daemon=True).start()
        try:
            self.workers = self._meet()
        except BaseException:
            self.close()
            raise

    def _meet(self):
        """The workers by name, once all have come."""
        me = self.me
        self._store.set(f'{self._prefix}/worker/{me.rank}', json.dumps([me.name, me.ip, me.port]))
        workers = {}
        for rank in range(self._world_size):
            key = f'{self._prefix}/worker/{rank}'
            name, ip, port = json.loads(self._store.get(key, needed=[rank]))
            if name in workers:
                raise ValueError(
                    f'[init_rpc] expected workers of different names, got {name!r} for ranks '
                    f'{workers[name].rank} and {rank}'
                )
            workers[name] = WorkerInfo(name, rank, ip, port)
        return workers

    def _accept(self):
        while True:
            try:
                connection = self._listener.accept()
            except OSError:  # closed
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection:
            try:
                deliver_challenge(connection, self._secret)
                answer_challenge(connection, self._secret)
                while True:
                    connection.send_bytes(_answer(connection.recv_bytes()))
            # The caller has closed the connection, or is a stranger.
            except (AuthenticationError, EOFError, OSError, ValueError):
                return

    def call(self, worker, function, args, kwargs, timeout):
        """The result of `function` at a worker."""
        request = _dump((function, args, kwargs))
        with self._lock:
            idle = self._idle.setdefault(worker.name, [])
            connection = idle.pop() if idle else None
        try:
            if connection is None:
                connection = Client((worker.ip, worker.port), authkey=self._secret)
            connection.send_bytes(request)
            if timeout > 0 and not connection.poll(timeout):
                connection.close()
                raise RuntimeError(
                    f'[rpc] expected an answer of worker {worker.name!r} (rank {worker.rank}) '
                    f'within {timeout} s, got none'
                )
            answer = connection.recv_bytes()
        except (EOFError, OSError) as e:
            raise RuntimeError(
                f'[rpc] expected an answer of worker {worker.name!r} (rank {worker.rank}), got the '
                f'end of the connection: its process has ended ({type(e).__name__})'
            ) from None
        with self._lock:
            idle.append(connection)
        done, value, *where = pickle.loads(answer)
        if done:
            return value
        raise value from RuntimeError(
            f'[rpc] expected a result of worker {worker.name!r}, got:\n{where[0]}'
        )

    def part(self):
        """Until all workers have come here: none needs another any more."""
        for step in ('done', 'left'):
            self._store.set(f'{self._prefix}/{step}/{self.me.rank}', '1')
            # The process that holds the store ends last.
            if step == 'done' or self.me.rank == 0:
                for rank in range(self._world_size):
                    self._store.wait(f'{self._prefix}/{step}/{rank}', needed=[rank])

    def close(self):
        self._listener.close()
        with self._lock:
            for idle in self._idle.values():
                for connection in idle:
                    connection.close()
            self._idle.clear()


def _store_at(endpoint, rank, world_size):
    from paddle.base.core import TCPStore

    if endpoint is None or endpoint == os.getenv('PADDLE_MASTER'):
        return job_store()
    host, _, port = endpoint.rpartition(':')
    if not host or not port.isdigit():
        raise ValueError(f'[init_rpc] expected master_endpoint as host:port, got {endpoint!r}')
    secret = os.getenv('PADDLE_JOB_SECRET', '')
    return TCPStore(host, int(port), rank == 0, world_size, secret=secret, rank=rank)


def init_rpc(name, rank=None, world_size=None, master_endpoint=None):
    """Make this process a worker that others may call, and wait for the others.

    Args:
        name (str): The name of the worker, which no other has.
        rank (int, default None): Its number; None for that of the launcher.
        world_size (int, default None): How many workers there are; None for what the launcher says.
        master_endpoint (str, default None): The address `host:port` of the store, which rank 0
            holds; None for the launcher's.

    Returns:
        None.

    Raises:
        RuntimeError: It was called before.
        TypeError: name is no name.
        ValueError: A rank that cannot be, two workers of one name, or no address.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed import rpc
        >>> def work():
        ...     rank = dist.get_rank()
        ...     rpc.init_rpc(f"worker{rank}")
        ...     assert rpc.rpc_sync(f"worker{1 - rank}", divmod, (7, 2)) == (3, 1)
        ...     rpc.shutdown()
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    global _agent
    if _agent is not None:
        raise RuntimeError(f'[init_rpc] expected to be called once, got worker {_agent.me.name!r}')
    if not isinstance(name, str) or not name:
        raise TypeError(f'[init_rpc] expected a name, got {name!r}')
    env = current_environment()
    rank = env.rank if rank is None else rank
    world_size = env.world_size if world_size is None else world_size
    if not 0 <= rank < world_size:
        raise ValueError(f'[init_rpc] expected a rank of 0 to {world_size - 1}, got {rank}')
    store = _store_at(master_endpoint, rank, world_size)
    # Without a launcher the job's processes are those that reach its store.
    secret = os.getenv('PADDLE_JOB_SECRET')
    if not secret:
        if rank == 0:
            store.set('rpc/secret', os.urandom(16).hex())
        secret = store.get('rpc/secret').decode()
    _agent = _Agent(name, rank, world_size, store, secret.encode())


def _here(op):
    if _agent is None:
        raise RuntimeError(f'[{op}] expected init_rpc() to be called first, got no workers')
    return _agent


def _call(op, to, fn, args, kwargs, timeout):
    if not callable(fn):
        raise TypeError(f'[{op}] expected a function, got {type(fn).__name__}')
    agent, worker = _here(op), get_worker_info(to)
    return agent.call, (worker, fn, tuple(args or ()), dict(kwargs or {}), timeout)


def rpc_sync(to, fn, args=None, kwargs=None, timeout=_NO_LIMIT):
    """The result of a function that another worker calls.

    Functions, arguments and results are pickled.

    Args:
        to (str): The name of the worker.
        fn (callable): The function.
        args (tuple, default None): What it gets; None for nothing.
        kwargs (dict, default None): What it gets by name; None for nothing.
        timeout (float, default -1): How many seconds to wait; -1 for as long as it takes.

    Returns:
        object: the result.

    Raises:
        RuntimeError: No answer comes in time, the worker has ended, or `init_rpc` was not called.
        TypeError: fn is no function.
        ValueError: There is no such worker. What fn raises there is raised here.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed import rpc
        >>> def work():
        ...     rpc.init_rpc(f"worker{dist.get_rank()}")
        ...     assert rpc.rpc_sync("worker1", sorted, ([3, 1, 2],), {"reverse": True}) == [3, 2, 1]
        ...     rpc.shutdown()
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    call, given = _call('rpc_sync', to, fn, args, kwargs, timeout)
    return call(*given)


@shares(rpc_sync)
def rpc_async(to, fn, args=None, kwargs=None, timeout=_NO_LIMIT):
    """Begin a call by another worker. Functions, arguments and results are pickled.

    Args:
        {to, fn, args, kwargs, timeout}

    Returns:
        object: has `wait()`, which gives the result or raises what the function raised.

    Raises:
        RuntimeError: `init_rpc` was not called.
        TypeError: fn is no function.
        ValueError: There is no such worker.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed import rpc
        >>> def work():
        ...     rpc.init_rpc(f"worker{dist.get_rank()}")
        ...     calls = [rpc.rpc_async(f"worker{k}", pow, (2, k)) for k in range(2)]
        ...     assert [call.wait() for call in calls] == [1, 2]
        ...     rpc.shutdown()
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    call, given = _call('rpc_async', to, fn, args, kwargs, timeout)
    future = Future()

    def run():
        try:
            future.set_result(call(*given))
        except BaseException as e:
            future.set_exception(e)

    threading.Thread(target=run, daemon=True).start()
    return FutureWrapper(future)


def shutdown():
    """Wait until all workers call it; then this process is none any more.

    Returns:
        None.

    Raises:
        RuntimeError: `init_rpc` was not called.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed import rpc
        >>> def work():
        ...     rpc.init_rpc(f"worker{dist.get_rank()}")
        ...     rpc.shutdown()
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    global _agent
    agent = _here('shutdown')
    agent.part()
    agent.close()
    _agent = None


def get_worker_info(name):
    """The worker of a name.

    Args:
        name (str): The name.

    Returns:
        object: has `name`, `rank`, `ip` and `port`.

    Raises:
        RuntimeError: `init_rpc` was not called.
        ValueError: There is no such worker.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed import rpc
        >>> def work():
        ...     rpc.init_rpc(f"worker{dist.get_rank()}")
        ...     assert rpc.get_worker_info("worker1").rank == 1
        ...     rpc.shutdown()
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    workers = _here('get_worker_info').workers
    if name not in workers:
        raise ValueError(
            f'[get_worker_info] expected a worker, one of {sorted(workers)}, got {name!r}'
        )
    return workers[name]


def get_all_worker_infos():
    """The workers of the job, by rank.

    Returns:
        list: for each an object that has `name`, `rank`, `ip` and `port`.

    Raises:
        RuntimeError: `init_rpc` was not called.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed import rpc
        >>> def work():
        ...     rpc.init_rpc(f"worker{dist.get_rank()}")
        ...     assert [w.name for w in rpc.get_all_worker_infos()] == ["worker0", "worker1"]
        ...     rpc.shutdown()
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    return sorted(_here('get_all_worker_infos').workers.values(), key=lambda w: w.rank)


def get_current_worker_info():
    """This process as a worker.

    Returns:
        object: has `name`, `rank`, `ip` and `port`.

    Raises:
        RuntimeError: `init_rpc` was not called.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed import rpc
        >>> def work():
        ...     rpc.init_rpc(f"worker{dist.get_rank()}")
        ...     assert rpc.get_current_worker_info().rank == dist.get_rank()
        ...     rpc.shutdown()
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    return _here('get_current_worker_info').me
