# SPDX-License-Identifier: Apache-2.0
"""What a rank is told in variables of its environment, by the launcher and by `spawn`."""

import contextlib
import os
import secrets
import socket
import typing

from paddle.base import libpaddle as _core

# Of other jobs, or for other machines than this one.
_DROPPED = ('http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY')


class Meeting(typing.NamedTuple):
    """Where the store of a job is."""

    host: str
    port: str


def hold_store(host='127.0.0.1'):
    """The store of a new job, held by this process, and the job's secret."""
    from paddle.base.core import TCPStore

    secret = secrets.token_hex(16)
    return TCPStore(host, 0, True, 1, secret=secret), secret


def join_store(master, node, secret):
    """The store of a job of several nodes, at `master`, host:port: held by this process where it
    starts node 0, or a node without a number (-1) and the first that can; and the node's number.
    """
    from paddle.base.core import TCPStore

    host, _, port = master.rpartition(':')
    held = node == 0
    if node < 0:
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, int(port)))
            held = True
    store = TCPStore(host, int(port), held, 1, secret=secret)
    if node < 0:
        node = 0 if held else store.add('launch/nodes', 1)
    return store, node


def rank_environment(rank, ranks, store, secret, start_port=6070, first=0, here=None, gpus=None):
    """The variables of one of `ranks` ranks that meet at `store`, of which `here` from `first` on,
    else all, are on this host. `gpus`: the numbers of those that the ranks here begin on.
    """
    here = ranks if here is None else here
    local = rank - first
    # Names only: nobody listens there.
    endpoints = [f'{store.host}:{start_port + i}' for i in range(ranks)]
    variables = {
        'PADDLE_MASTER': f'{store.host}:{store.port}',
        'PADDLE_STORE_HOLDER': 'launcher',
        'PADDLE_JOB_SECRET': secret,
        'PADDLE_GLOBAL_SIZE': ranks,
        'PADDLE_LOCAL_SIZE': here,
        'PADDLE_GLOBAL_RANK': rank,
        'PADDLE_LOCAL_RANK': local,
        'PADDLE_NNODES': ranks // here,
        'PADDLE_TRAINER_ID': rank,
        'PADDLE_TRAINERS_NUM': ranks,
        'PADDLE_RANK_IN_NODE': local,
        'PADDLE_TRAINER_ENDPOINTS': ','.join(endpoints),
        'PADDLE_CURRENT_ENDPOINT': endpoints[rank],
        'PADDLE_DISTRI_BACKEND': 'nccl' if gpus else 'gloo',
        'FLAGS_selected_gpus': gpus[local] if gpus else local,
    }
    if 'OMP_NUM_THREADS' not in os.environ:
        # Ranks that each took all cores would slow each other down.
        variables['OMP_NUM_THREADS'] = max(1, len(os.sched_getaffinity(0)) // here)
    return {name: str(value) for name, value in variables.items()}


def chosen_gpus(who, text, count):
    """The numbers in a text such as '0,1', one for each of `count` ranks of this host; None on a
    host without GPUs, where such a text says how many ranks there are.
    """
    if not text or not _core.gpu_count():
        return None
    gpus = [part.strip() for part in text.split(',')]
    most = _core.gpu_count()
    if len(gpus) != count or not all(gpu.isdigit() and int(gpu) < most for gpu in gpus):
        raise ValueError(
            f'[{who}] expected {count} numbers of GPUs below {most}, one for each rank, '
            f'got {text!r}'
        )
    return gpus


def child_environment(variables):
    """The environment of this process with a rank's variables."""
    kept = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    return {**kept, **variables}
