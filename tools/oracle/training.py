# SPDX-License-Identifier: Apache-2.0
"""Training programs saved by one `paddle` (static.save) and trained further by the other, in both
directions.

    python tools/oracle/training.py [--wheel .oracle/bin/python] [--ours python] [name ...]

Prints the largest difference of five losses, relative to the first one, between the package that
saved and the one that read.
"""

import argparse
import os
import subprocess
import sys
import tempfile

MODELS = ('LSTM', 'GRU', 'SimpleRNN', 'mlp', 'cnn', 'attention')


def loss_of(paddle, name, x, y):
    nn, F = paddle.nn, paddle.nn.functional
    if name == 'mlp':
        z = nn.Linear(16, 3)(F.gelu(nn.Linear(5, 16)(x)).mean(1))
    elif name == 'cnn':
        z = nn.BatchNorm2D(4)(nn.Conv2D(1, 4, 3, padding=1)(x.unsqueeze(1)))
        z = nn.Linear(24, 3)(F.relu(F.max_pool2d(z, 2)).flatten(1))
    elif name == 'attention':
        q, k, v = (
            paddle.transpose(nn.Linear(5, 8)(x).reshape([4, 6, 2, 4]), [0, 2, 1, 3])
            for _ in range(3)
        )
        z = paddle.matmul(F.softmax(paddle.matmul(q, k, transpose_y=True) * 0.5), v)
        z = nn.Linear(8, 3)(
            nn.LayerNorm(8)(paddle.transpose(z, [0, 2, 1, 3]).reshape([4, 6, 8]))[:, -1]
        )
    else:
        z = nn.Linear(16, 3)(getattr(nn, name)(5, 8, 2, direction='bidirect')(x)[0][:, -1])
    return ((z - y) ** 2).mean()


def work(action, name, prefix):
    import numpy as np
    import paddle

    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        paddle.seed(7)
        x, y = (
            paddle.static.data('x', [4, 6, 5], 'float32'),
            paddle.static.data('y', [4, 3], 'float32'),
        )
        loss = loss_of(paddle, name, x, y)
        paddle.optimizer.Adam(0.02).minimize(loss)
    random = np.random.RandomState(0)
    feed = {'x': random.randn(4, 6, 5).astype('float32'), 'y': random.randn(4, 3).astype('float32')}
    exe = paddle.static.Executor(paddle.CPUPlace())
    exe.run(startup)
    if action == 'save':
        paddle.static.save(main, prefix)
    else:
        # The published package finds tensors in the scope of a started program.
        main = paddle.load(prefix + '.json')
        paddle.static.load(main, prefix, exe)
        loss = [op for op in main.global_block().ops if op.name() == 'pd_op.mean'][-1].result(0)
    losses = [float(exe.run(main, feed=feed, fetch_list=[loss])[0]) for _ in range(5)]
    if action == 'save':
        np.save(prefix + '.npy', losses)
        return
    want = np.load(prefix + '.npy')
    print(f'difference {np.abs(losses - want).max() / abs(want[0]):.1e}')


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('names', nargs='*', default=MODELS)
    parser.add_argument(
        '--wheel', default=os.path.join(here, '..', '..', '.oracle', 'bin', 'python')
    )
    parser.add_argument('--ours', default=sys.executable)
    parser.add_argument('--worker', nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        return work(args.worker[0], args.names[0], args.worker[1])

    def call(python, action, name, prefix):
        command = [python, os.path.abspath(__file__), name, '--worker', action, prefix]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tempfile.gettempdir())
        lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
        return (
            (lines or [f'status {done.returncode}'])[-1][:160]
            if done.returncode or action == 'run'
            else ''
        )

    peers = {'published': args.wheel, 'this': args.ours}
    failed = False
    for name in args.names:
        for writer, reader in (('published', 'this'), ('this', 'published')):
            with tempfile.TemporaryDirectory() as folder:
                prefix = os.path.join(folder, 'm')
                text = call(peers[writer], 'save', name, prefix) or call(
                    peers[reader], 'run', name, prefix
                )
            failed |= not text.startswith('difference') or float(text.split()[1]) > 1e-4
            print(f'{name}: saved by {writer}, trained by {reader}: {text}', flush=True)
    return int(failed)


if __name__ == '__main__':
    sys.exit(main())
