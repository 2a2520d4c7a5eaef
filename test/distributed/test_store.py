# SPDX-License-Identifier: Apache-2.0
"""The store: keys, waits on the server's side, deadlines that name the key, the job's secret."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from paddle.base.core import TCPStore


@pytest.fixture
def store():
    return TCPStore('127.0.0.1', 0, True, 1, timeout=5, secret='s')


def client(store, secret='s', timeout=5):
    return TCPStore('127.0.0.1', store.port, False, 1, timeout=timeout, secret=secret)


def test_values(store):
    other = client(store)
    store.set('a', 'one')
    assert other.get('a') == b'one'
    store.set('a', b'\x00\xff')
    assert other.get('a') == b'\x00\xff'
    assert other.add('n', 3) == 3 and store.add('n', -5) == -2 and store.get('n') == b'-2'
    assert store.check('a') and not store.check('b')
    assert other.delete_key('a') and not store.check('a') and not store.delete_key('a')
    long = 'x' * (3 << 20)
    store.set('long', long)
    assert other.get('long') == long.encode()


def test_waits_end_when_the_key_comes(store):
    other = client(store)
    got = []
    waiting = threading.Thread(target=lambda: got.append(other.get('late')))
    waiting.start()
    time.sleep(0.05)
    store.set('late', 'now')
    waiting.join(5)
    assert got == [b'now']
    store.wait(['late'])
    store.wait('late')


def test_deadlines_name_the_key(store):
    begin = time.monotonic()
    with pytest.raises(RuntimeError, match="expected key 'never' to be set within 0.1 s"):
        store.get('never', timeout=0.1)
    with pytest.raises(RuntimeError, match="expected key 'no'"):
        store.set('yes', '1')
        store.wait(['yes', 'no'], timeout=0.1)
    assert time.monotonic() - begin < 3
    assert store.get('yes') == b'1'  # the connection still works


def test_refusals(store):
    with pytest.raises(RuntimeError, match='secret'):
        client(store, secret='t')
    with pytest.raises(RuntimeError, match='secret'):
        client(store, secret='')
    store.set('text', 'abc')
    with pytest.raises(ValueError, match="expected key 'text' to hold a number"):
        store.add('text', 1)
    store.set('big', str(2**63 - 1))
    with pytest.raises(ValueError, match='number'):
        store.add('big', 1)
    with pytest.raises(ValueError, match='port'):
        TCPStore('127.0.0.1', 70000, False, 1, timeout=1)
    with pytest.raises(ValueError, match='port of the master'):
        TCPStore('127.0.0.1', 0, False, 1, timeout=1)


def test_nobody_listens():
    free = TCPStore('127.0.0.1', 0, True, 1)
    port = free.port
    del free
    with pytest.raises(RuntimeError, match='within 0.2 s'):
        TCPStore('127.0.0.1', port, False, 1, timeout=0.2)


def test_server_ends_and_strangers_are_shut_out(store):
    import socket

    other = client(store)
    with socket.create_connection(('127.0.0.1', store.port)) as stranger:
        stranger.sendall(b'\xff' * 4096)  # a message of 4 GB
        stranger.settimeout(5)
        assert stranger.recv(1) == b''
    store.set('k', 'v')
    assert other.get('k') == b'v'


def test_forked_children_are_refused(store):
    pid = os.fork()
    if pid == 0:
        try:
            store.check('k')
        except RuntimeError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    store.set('k', 'v')


def test_a_forked_child_lets_go_of_the_store_and_leaves_it_to_its_owner():
    store = TCPStore('127.0.0.1', 0, True, 1, timeout=5, secret='s')
    pid = os.fork()
    if pid == 0:
        del store
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    store.set('k', 'v')
    assert client(store).get('k') == b'v'


def test_the_rank_that_ends_first_is_named(store):
    ranks = [TCPStore('127.0.0.1', store.port, False, 1, secret='s', rank=r) for r in range(3)]
    ranks[2]._leave()
    del ranks[2]
    with pytest.raises(RuntimeError, match="key 'never'.*end of rank 2: it left the job"):
        store.get('never', needed=[2])
    del ranks[1]
    for needed in ([1, 2], [2, 1]):
        with pytest.raises(RuntimeError, match="'never'.*end of rank 2: it left"):
            store.wait('never', needed=needed)
    with pytest.raises(RuntimeError, match="'never'.*end of rank 1: its process died"):
        store.get('never', needed=[0, 1])
    again = TCPStore('127.0.0.1', store.port, False, 1, secret='s', rank=1)
    with pytest.raises(RuntimeError, match="within 0.1 s"):
        again.get('never', timeout=0.1, needed=[0, 1])


_HOLDER = """
import os, sys, time
from paddle.base.core import TCPStore
store = TCPStore('127.0.0.1', 0, True, 1, timeout=5, secret='s')
print(store.port, flush=True)
sys.stdin.readline()
child = os.fork()
if child == 0:
    time.sleep(60)
    os._exit(0)
print(child, flush=True)
time.sleep(60)
"""


def test_children_of_the_holder_do_not_keep_its_connections():
    """A wait ends with the process that holds the store, whatever it forked, and its port too."""
    holder = subprocess.Popen(
        [sys.executable, '-c', _HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    child = None
    try:
        port = int(holder.stdout.readline())
        other = TCPStore('127.0.0.1', port, False, 1, timeout=20, secret='s')
        other.set('a', 'b')
        holder.stdin.write('\n')
        holder.stdin.flush()
        child = int(holder.stdout.readline())
        holder.kill()
        holder.wait()
        begin = time.monotonic()
        with pytest.raises(RuntimeError, match='the process that holds the store has ended'):
            other.get('never')
        assert time.monotonic() - begin < 5
        with pytest.raises(RuntimeError, match='somebody to listen'):
            TCPStore('127.0.0.1', port, False, 1, timeout=0.5, secret='s')
    finally:
        holder.kill()
        if child is not None:
            os.kill(child, signal.SIGKILL)
