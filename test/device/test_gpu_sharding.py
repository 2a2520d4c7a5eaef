# SPDX-License-Identifier: Apache-2.0
"""Parameters that processes share among their GPUs, and have on the CPU for a while."""

import os
import pathlib
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from double import DOUBLE, needs_double

pytestmark = needs_double

PROGRAM = '''
import paddle
paddle.set_device('gpu')
paddle.distributed.init_parallel_env()
net = paddle.nn.Sequential(paddle.nn.Linear(8, 8), paddle.nn.Linear(8, 8))
optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
model, optimizer, _ = paddle.distributed.sharding.group_sharded_parallel(
    net, optimizer, 'p_g_os', segment_size=16)
x = paddle.ones([2, 8])

def step():
    model(x).sum().backward()
    optimizer.step()
    optimizer.clear_grad()

step()
before = [p.numpy() for p in model.get_all_parameters()]
moved = model.get_all_parameters(convert2cpu=True)
assert all(p.place.is_cpu_place() for p in moved)
assert all((a == p.numpy()).all() for a, p in zip(before, moved))
step()
after = model.get_all_parameters()
assert all(p.place.is_gpu_place() for p in after)
assert all((a != p.numpy()).any() for a, p in zip(before, after))
'''


def test_all_parameters_are_on_the_cpu_until_the_next_step():
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        master = f'127.0.0.1:{taken.getsockname()[1]}'
    env = {'FLAGS_cuda_driver': str(DOUBLE), 'PADDLE_CINN_CACHE_DIR': '', 'PADDLE_MASTER': master}
    env |= {'PADDLE_TRAINERS_NUM': '2', 'PADDLE_TRAINER_ENDPOINTS': f'{master},{master}'}
    running = [
        subprocess.Popen(
            [sys.executable, '-c', PROGRAM],
            env={**os.environ, **env, 'PADDLE_TRAINER_ID': str(rank)},
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    for process in running:
        assert process.wait(120) == 0, process.stderr.read()[-2000:]
