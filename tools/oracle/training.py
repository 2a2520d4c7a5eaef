# SPDX-License-Identifier: Apache-2.0
"""Training programs saved by one `paddle` (static.save) and trained further by the other, in both
directions. With --modes: trained eagerly by the published package, and by this one compiled in both
modes of `to_static`, the whole step and its loss alone.

    python tools/oracle/training.py [--wheel .oracle/bin/python] [--ours python] [--modes] [name ..]

Prints the largest difference of the losses (five, or eight with --modes), relative to the first.
"""

import argparse
import os
import subprocess
import sys
import tempfile

MODELS = ('LSTM', 'GRU', 'SimpleRNN', 'mlp', 'cnn', 'attention')


def network(paddle, name):
    """(layers, the function of x that they make)"""
    nn, F = paddle.nn, paddle.nn.functional
    if name == 'mlp':
        last, first = nn.Linear(16, 3), nn.Linear(5, 16)
        return [last, first], lambda x: last(F.gelu(first(x)).mean(1))
    if name == 'cnn':
        norm, conv, last = nn.BatchNorm2D(4), nn.Conv2D(1, 4, 3, padding=1), nn.Linear(24, 3)

        def convolved(x):
            z = norm(conv(x.unsqueeze(1)))
            return last(F.relu(F.max_pool2d(z, 2)).flatten(1))

        return [norm, conv, last], convolved
    if name == 'attention':
        projections = [nn.Linear(5, 8) for _ in range(3)]
        last, norm = nn.Linear(8, 3), nn.LayerNorm(8)

        def attended(x):
            q, k, v = (
                paddle.transpose(p(x).reshape([4, 6, 2, 4]), [0, 2, 1, 3]) for p in projections
            )
            z = paddle.matmul(F.softmax(paddle.matmul(q, k, transpose_y=True) * 0.5), v)
            return last(norm(paddle.transpose(z, [0, 2, 1, 3]).reshape([4, 6, 8]))[:, -1])

        return [*projections, last, norm], attended
    last, cells = nn.Linear(16, 3), getattr(nn, name)(5, 8, 2, direction='bidirect')
    return [last, cells], lambda x: last(cells(x)[0][:, -1])


def data(np):
    """Inputs and targets."""
    random = np.random.RandomState(0)
    return {'x': random.randn(4, 6, 5).astype('float32'), 'y': random.randn(4, 3).astype('float32')}


def train(name, prefix, full_graph=None, whole=False):
    """Losses of eight steps: eager, or with the step (`whole`) or its loss compiled. The eager run
    saves the parameters that it starts with, others read them.
    """
    import numpy as np
    import paddle

    layers, call = network(paddle, name)
    state = {f'{i}.{k}': v for i, part in enumerate(layers) for k, v in part.state_dict().items()}
    if full_graph is None:
        np.savez(prefix + '.npz', **{k: v.numpy() for k, v in state.items()})
    else:
        saved = np.load(prefix + '.npz')
        for k, v in state.items():
            v.set_value(saved[k])
    parameters = [p for part in layers for p in part.parameters()]
    optimizer = paddle.optimizer.Adam(0.02, parameters=parameters)

    def loss_of(x, y):
        return ((call(x) - y) ** 2).mean()

    def step(x, y):
        loss = loss_of(x, y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    if full_graph is not None and whole:
        step = paddle.jit.to_static(step, full_graph=full_graph)
    elif full_graph is not None:
        loss_of = paddle.jit.to_static(loss_of, full_graph=full_graph)
    x, y = map(paddle.to_tensor, data(np).values())
    return [float(step(x, y)) for _ in range(8)]


def compare_modes(name, prefix):
    """Print the largest difference of losses from those that the other package had eagerly."""
    import numpy as np

    want = np.load(prefix + '.npy')
    worst = 0.0
    for full_graph in (False, True):
        for whole in (False, True):
            losses = np.array(train(name, prefix, full_graph, whole))
            worst = max(worst, np.abs(losses - want).max() / abs(want[0]))
    print(f'difference {worst:.1e}')


def work(action, name, prefix):
    import numpy as np
    import paddle

    if action == 'eager':
        return np.save(prefix + '.npy', train(name, prefix))
    if action == 'modes':
        return compare_modes(name, prefix)
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        paddle.seed(7)
        x, y = (
            paddle.static.data('x', [4, 6, 5], 'float32'),
            paddle.static.data('y', [4, 3], 'float32'),
        )
        loss = ((network(paddle, name)[1](x) - y) ** 2).mean()
        paddle.optimizer.Adam(0.02).minimize(loss)
    feed = data(np)
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
    parser.add_argument('--modes', action='store_true', help='compiled, in both modes')
    parser.add_argument('--worker', nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        return work(args.worker[0], args.names[0], args.worker[1])

    def call(python, action, name, prefix):
        command = [python, os.path.abspath(__file__), name, '--worker', action, prefix]
        env = {k: v for k, v in os.environ.items() if python != args.wheel or k != 'PYTHONPATH'}
        folder = tempfile.gettempdir()
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=env)
        lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
        return (
            (lines or [f'status {done.returncode}'])[-1][:160]
            if done.returncode or action in ('run', 'modes')
            else ''
        )

    peers = {'published': args.wheel, 'this': args.ours}
    failed = False
    ways = [('published', 'save', 'this', 'run'), ('this', 'save', 'published', 'run')]
    if args.modes:
        ways = [('published', 'eager', 'this', 'modes')]
    for name in args.names:
        for writer, first, reader, second in ways:
            with tempfile.TemporaryDirectory() as folder:
                prefix = os.path.join(folder, 'm')
                text = call(peers[writer], first, name, prefix) or call(
                    peers[reader], second, name, prefix
                )
            failed |= not text.startswith('difference') or float(text.split()[1]) > 1e-4
            said = 'trained' if args.modes else 'saved'
            print(f'{name}: {said} by {writer}, trained by {reader}: {text}', flush=True)
    return int(failed)


if __name__ == '__main__':
    sys.exit(main())
