# SPDX-License-Identifier: Apache-2.0
"""What the ranks of test_rpc.py do."""

import operator
import os
import signal
import socket
import time
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client

import paddle
import paddle.distributed as dist
from paddle.distributed import rpc

_seen = []


def remember(value):
    _seen.append(value)
    return len(_seen)


def here():
    return rpc.get_current_worker_info().name


def ask_back(name):
    return here(), rpc.rpc_sync(name, here)


def fail(text):
    raise KeyError(text)


class _Local(Exception):
    def __init__(self, a, b):
        super().__init__(a + b)


def fail_strangely():
    raise _Local('of a', ' kind that no pickle makes')


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def calls():
    rank = dist.get_rank()
    for _ in range(2):  # workers can be made anew
        rpc.init_rpc(f'worker{rank}')
        infos = rpc.get_all_worker_infos()
        assert [w.name for w in infos] == ['worker0', 'worker1', 'worker2']
        me = rpc.get_current_worker_info()
        assert me == rpc.get_worker_info(f'worker{rank}') == infos[rank] and me.rank == rank
        assert repr(me) == f'{{name: worker{rank}, rank: {rank}, ip: {me.ip}, port: {me.port}}}'
        to = f'worker{(rank + 1) % 3}'
        assert rpc.rpc_sync(to, operator.add, (2, 3)) == 5
        assert rpc.rpc_sync(to, sorted, ([3, 1, 2],), {'reverse': True}) == [3, 2, 1]
        assert rpc.rpc_sync(to, ask_back, (me.name,)) == (to, me.name)
        assert rpc.rpc_sync(me.name, here) == me.name
        t = rpc.rpc_sync(to, paddle.add, (paddle.ones([2]), paddle.to_tensor([1.0, 2.0])))
        assert t.tolist() == [2.0, 3.0]
        futures = [rpc.rpc_async(to, operator.mul, (i, i)) for i in range(40)]
        assert [f.wait() for f in futures] == [i * i for i in range(40)]
        failures(to)
        rpc.shutdown()
        try:
            rpc.rpc_sync(to, here)
        except RuntimeError as e:
            assert 'init_rpc' in str(e)
        else:
            raise AssertionError('a call without workers')


def failures(to):
    for call in (rpc.rpc_sync, lambda *a: rpc.rpc_async(*a).wait()):
        try:
            call(to, fail, ('mine',))
        except KeyError as e:
            assert e.args == ('mine',) and f'of worker {to!r}' in str(e.__cause__)
            assert 'in fail' in str(e.__cause__)
        else:
            raise AssertionError('no error')
    for function, kind, text in (
        (fail_strangely, RuntimeError, '_Local: of a kind'),
        ('text', TypeError, 'expected a function'),
    ):
        try:
            rpc.rpc_sync(to, function)
        except kind as e:
            assert text in str(e), e
        else:
            raise AssertionError('no error')
    try:
        rpc.rpc_sync('nobody', here)
    except ValueError as e:
        assert "'nobody'" in str(e) and 'worker0' in str(e)
    try:
        rpc.rpc_sync(to, time.sleep, (5,), timeout=0.2)
    except RuntimeError as e:
        assert 'within 0.2 s' in str(e) and to in str(e)
    else:
        raise AssertionError('no error')


def a_worker_dies():
    rank = dist.get_rank()
    rpc.init_rpc(f'worker{rank}')
    store = dist.parallel.job_store()
    if rank == 0:
        begin = time.monotonic()
        try:
            rpc.rpc_sync('worker1', die)
        except RuntimeError as e:
            assert "'worker1' (rank 1)" in str(e) and 'has ended' in str(e)
        assert time.monotonic() - begin < 1
        try:
            rpc.shutdown()
        except RuntimeError as e:
            assert 'done/1' in str(e), e
        store.set('end', '1')
    store.get('end')
    os._exit(0)


def without_a_launcher(rank, port):
    for name in list(os.environ):
        if name.startswith('PADDLE_'):
            del os.environ[name]
    rpc.init_rpc(f'w{rank}', int(rank), 2, f'127.0.0.1:{port}')
    assert rpc.rpc_sync(f'w{1 - int(rank)}', here) == f'w{1 - int(rank)}'
    rpc.shutdown()


def serve_a_stranger():
    """Who does not know the secret gets no answer, and does not keep others from theirs."""
    rpc.init_rpc('worker')
    me = rpc.get_current_worker_info()
    with socket.create_connection((me.ip, me.port)):  # says nothing
        try:
            Client((me.ip, me.port), authkey=b'guessed')
        except AuthenticationError:
            pass
        else:
            raise AssertionError('let in')
        assert rpc.rpc_sync('worker', here) == 'worker'
    rpc.shutdown()
