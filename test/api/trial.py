# SPDX-License-Identifier: Apache-2.0
"""trial.py FOLDER: a little of everything, in an environment that has the package and NumPy alone.

FOLDER is for files. `tools/try_wheel.py` runs it for each Python of a wheel, `test_wheel.py` from
the package as it is installed.
"""

import os
import platform
import subprocess
import sys

import numpy as np

import paddle
from paddle import nn
from paddle.nn import functional as F


class Rows(paddle.io.Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, at):
        return np.full([4], at, 'float32'), np.int64(at % 3)


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.last = nn.Linear(8, 3)

    def forward(self, x):
        hidden = F.relu(self.first(x))
        if hidden.shape[0] > 2:
            hidden = hidden * 1.0
        return self.last(hidden)


def train(steps=6):
    """Losses of a small network, fed by worker processes."""
    paddle.seed(7)
    net = Net()
    optimizer = paddle.optimizer.AdamW(0.05, parameters=net.parameters())
    loader = paddle.io.DataLoader(Rows(), batch_size=4, num_workers=2, shuffle=False)
    losses = []
    for _ in range(steps):
        for x, y in loader:
            with paddle.amp.auto_cast(dtype='bfloat16'):
                loss = F.cross_entropy(net(x / 12), y)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            losses.append(float(loss))
    return net, losses


def compiled(net, folder):
    """The network recorded, saved and loaded gives what it gives op by op."""
    net.eval()
    x = paddle.to_tensor(np.linspace(-1, 1, 20, dtype='float32').reshape(5, 4))
    expected = net(x).numpy()
    static = paddle.jit.to_static(net, input_spec=[paddle.static.InputSpec([None, 4], 'float32')])
    for _ in range(3):
        np.testing.assert_allclose(static(x).numpy(), expected, rtol=1e-6, atol=1e-6)
    path = os.path.join(folder, 'net')
    paddle.jit.save(static, path)
    np.testing.assert_allclose(paddle.jit.load(path)(x).numpy(), expected, rtol=1e-6, atol=1e-6)

    @paddle.jit.to_static
    def fused(v):
        return F.gelu(v * 2 + 1).sum() / v.exp().mean()

    one = float(fused(x))
    for _ in range(4):
        np.testing.assert_allclose(float(fused(x)), one, rtol=1e-6)


def rank():
    """One of the processes of a launch: the ranks sum to the expected number."""
    paddle.distributed.init_parallel_env()
    x = paddle.to_tensor([float(paddle.distributed.get_rank() + 1)])
    paddle.distributed.all_reduce(x)
    assert x.tolist() == [3.0], x


def launch(folder):
    command = [sys.executable, '-m', 'paddle.distributed.launch', '--nproc_per_node', '2']
    command += ['--log_dir', os.path.join(folder, 'log'), os.path.abspath(__file__), '--rank']
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr


def main(folder):
    net, losses = train()
    assert losses[-1] < losses[0], losses
    compiled(net, folder)
    launch(folder)
    path = os.path.dirname(paddle.__file__)
    print(f'CPython {platform.python_version()}, NumPy {np.__version__}: works from {path}')


if __name__ == '__main__':
    rank() if sys.argv[1] == '--rank' else main(sys.argv[1])
