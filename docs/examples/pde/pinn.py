# SPDX-License-Identifier: Apache-2.0
"""What the examples in this directory share: a network, sampling, the training loop, the error and
the picture.

A physics-informed network is trained on a differential equation instead of data: its loss holds
derivatives of the network by its inputs, and training needs the derivative of that loss by its
weights. `train` compiles all of it, with the update of the weights, as one step with
`paddle.jit.to_static`; `--eager` runs that step operation by operation.
"""

import argparse
import math
import os
import time

import numpy as np

import paddle


def options(description, steps, lr=5e-3, points=1000):
    """The command line of an example."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        '--steps', type=int, default=steps, help=f'training steps (default {steps})'
    )
    parser.add_argument('--lr', type=float, default=lr, help=f'first learning rate (default {lr})')
    parser.add_argument(
        '--points', type=int, default=points, help=f'points a step (default {points})'
    )
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument(
        '--eager', action='store_true', help='run the step operation by operation, for comparison'
    )
    parser.add_argument('--out', default=None, help='where the picture goes (default: NAME.png)')
    args = parser.parse_args()
    paddle.seed(args.seed)
    np.random.seed(args.seed)
    return args


class Network(paddle.nn.Layer):
    """A tanh network of the coordinates, each a column [N, 1], scaled from [low, high] to [-1, 1].

    With `period`, the first coordinate enters as sines and cosines of that period only.
    """

    def __init__(self, low, high, outputs=1, width=32, depth=4, period=None, waves=3):
        super().__init__()
        self.low, self.high, self.period, self.waves = low, high, period, waves
        sizes = [len(low) + (2 * waves - 1 if period else 0)] + [width] * depth + [outputs]
        weights = paddle.nn.initializer.XavierNormal()
        attr = paddle.ParamAttr(initializer=weights)
        self.layers = paddle.nn.LayerList(
            [paddle.nn.Linear(*s, weight_attr=attr) for s in zip(sizes, sizes[1:])]
        )

    def forward(self, *coordinates):
        """Values [N, outputs]."""
        scaled = [
            (2.0 * c - (a + b)) * (1.0 / (b - a))
            for c, a, b in zip(coordinates, self.low, self.high)
        ]
        if self.period:
            angles = [
                coordinates[0] * (2.0 * math.pi * k / self.period) for k in range(1, self.waves + 1)
            ]
            scaled[:1] = [f(a) for a in angles for f in (paddle.sin, paddle.cos)]
        y = paddle.concat(scaled, axis=1)
        for layer in self.layers[:-1]:
            y = paddle.tanh(layer(y))
        return self.layers[-1](y)


def gradients(y, *coordinates):
    """Derivatives of the column `y` by each coordinate, to be differentiated further."""
    return paddle.grad(y, list(coordinates), create_graph=True)


def join(*columns):
    """Columns [N, 1] side by side."""
    return paddle.concat(columns, axis=1)


def sampler(low, high, count):
    """A function that draws `count` points, one stratum of every coordinate each, as columns
    [count, 1].
    """

    def draw():
        columns = []
        for a, b in zip(low, high):
            places = (np.random.permutation(count) + np.random.rand(count)) / count
            column = paddle.to_tensor((a + (b - a) * places).astype('float32').reshape(-1, 1))
            column.stop_gradient = False
            columns.append(column)
        return columns

    return draw


def train(model, loss_of, draw, args):
    """Train `model` on `loss_of(*points)`; returns the losses."""
    parameters = model.parameters()

    schedule = paddle.optimizer.lr.CosineAnnealingDecay(
        args.lr, T_max=max(args.steps, 1), eta_min=args.lr * 1e-2
    )
    optimizer = paddle.optimizer.Adam(schedule, parameters=parameters)

    def step(*points):
        loss = loss_of(*points)
        optimizer.apply_gradients(list(zip(parameters, paddle.grad(loss, parameters))))
        return loss.detach()

    if not args.eager:
        step = paddle.jit.to_static(step, full_graph=True)
    losses, begin, first = [], time.time(), 0.0
    for number in range(1, args.steps + 1):
        losses.append(float(step(*draw())))
        schedule.step()
        if number == 1:
            first = time.time() - begin
        if number % max(args.steps // 10, 1) == 0:
            print(
                f'step {number:6d}  loss {losses[-1]:.3e}  {time.time() - begin:6.1f} s', flush=True
            )
    each = (time.time() - begin - first) / max(args.steps - 1, 1)
    print(
        f'{"eager" if args.eager else "compiled"}: first step {first:.2f} s, then '
        f'{each * 1e3:.2f} ms a step'
    )
    return losses


def evaluate(function, *grids):
    """`function` of coordinate columns, at every point of NumPy grids of one shape: an array of
    that shape a column.
    """
    columns = [paddle.to_tensor(g.astype('float32').reshape(-1, 1)) for g in grids]
    for column in columns:
        column.stop_gradient = False
    values = function(*columns).numpy()
    parts = [values[:, i].reshape(grids[0].shape) for i in range(values.shape[1])]
    return parts[0] if len(parts) == 1 else parts


def relative_error(value, reference):
    """||value - reference|| / ||reference||, of all points."""
    return float(np.linalg.norm(value - reference) / np.linalg.norm(reference))


def report(name, error, bound, args, steps):
    """Print the error; a run of the default length that misses `bound` fails."""
    print(f'relative L2 error {error:.2e}')
    if args.steps >= steps and not error <= bound:
        raise SystemExit(f'{name}: relative L2 error {error:.2e} is above the expected {bound:.0e}')


def finish(name, title, axes, value, reference, losses, bound, args, steps):
    """Compare with the reference, write the picture and print the error.

    `axes`: (name, grid), (name, grid); `value` and `reference` have the grids' shape, or are
    several such fields, of which the first is drawn.
    """
    error = relative_error(value, reference)
    fields = [f[0] if f.ndim > axes[0][1].ndim else f for f in (value, reference)]
    draw_fields(
        args.out or f'{name}.png', f'{title}, relative L2 error {error:.1e}', axes, fields, losses
    )
    report(name, error, bound, args, steps)


def draw_fields(path, title, axes, fields, losses):
    """Write a PNG: the solution, the reference, their difference and the loss. `axes`: (name,
    grid), (name, grid).
    """
    import matplotlib

    matplotlib.use('Agg')
    import matplotlib.pyplot as plt

    (xname, x), (yname, y) = axes
    value, reference = fields
    figure, places = plt.subplots(1, 4, figsize=(17, 3.6), layout='constrained')
    span = float(np.abs(reference).max())
    for place, data, label, limit, colours in (
        (places[0], value, 'network', span, 'RdBu_r'),
        (places[1], reference, 'reference', span, 'RdBu_r'),
        (places[2], value - reference, 'network - reference', None, 'PuOr'),
    ):
        limit = limit or max(float(np.abs(data).max()), 1e-12)
        mesh = place.pcolormesh(
            x, y, data, cmap=colours, vmin=-limit, vmax=limit, shading='gouraud'
        )
        place.set(title=label, xlabel=xname, ylabel=yname)
        figure.colorbar(mesh, ax=place)
    places[3].semilogy(losses, linewidth=0.6)
    places[3].set(title='loss', xlabel='step')
    figure.suptitle(title)
    part = f'{path}.part{os.path.splitext(path)[1]}'
    figure.savefig(part, dpi=100)
    os.replace(part, path)
    plt.close(figure)
    print(f'picture written to {path}')
