# SPDX-License-Identifier: Apache-2.0
"""What the programs of the gallery share: their arguments, a progress bar, the figure, and the
number that is expected.
"""

import argparse
import sys
import time

import numpy as np

import paddle


def progress(steps, label, width=24):
    """Numbers from 0 to steps - 1, with a bar that is redrawn as they are used."""
    start = time.monotonic()
    for step in range(steps):
        yield step
        done = width * (step + 1) // steps
        if done > width * step // steps or step + 1 == steps:
            bar = '=' * done + '.' * (width - done)
            sys.stdout.write(f'\r{label} [{bar}] {time.monotonic() - start:5.1f} s')
            sys.stdout.flush()
    print()


def digits():
    """Handwritten digits of scikit-learn: images [N, 1, 8, 8] in [-1, 1] and labels [N], in random
    order.
    """
    from sklearn.datasets import load_digits

    data = load_digits()
    order = np.random.RandomState(0).permutation(len(data.target))
    images = data.images.astype('float32')[:, None] / 8.0 - 1.0
    return images[order], data.target.astype('int64')[order]


def batch(size, *arrays):
    """Random rows of arrays, as tensors."""
    rows = np.random.randint(0, len(arrays[0]), size)
    return [paddle.to_tensor(array[rows]) for array in arrays]


def fit(steps, label, parameters, loss_of, rate=3e-3):
    """Minimise `loss_of()` by Adam with a rate that falls to zero; returns the losses."""
    schedule = paddle.optimizer.lr.CosineAnnealingDecay(rate, steps)
    optimizer = paddle.optimizer.AdamW(schedule, parameters=parameters, weight_decay=0.01)
    losses = []
    for _ in progress(steps, label):
        loss = loss_of()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        schedule.step()
        losses.append(loss.item())
    return losses


def draw(path, panels):
    """Write a figure: each panel is (title, list of numbers, or array of an image)."""
    import matplotlib

    matplotlib.use('Agg')
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(panels), figsize=(5 * len(panels), 4), squeeze=False)
    for cell, (title, values) in zip(axes[0], panels):
        cell.set_title(title)
        if np.ndim(values) == 2:
            cell.imshow(values, cmap='gray')
            cell.axis('off')
        else:
            cell.plot(values)
    figure.tight_layout()
    figure.savefig(path, dpi=80)
    plt.close(figure)


def launch(main, what, least=None, quick_least=None, most=None, quick_most=None):
    """Run main(quick), which returns a number and panels; draw them; the exit status is 1 where the
    number is out of bounds.
    """
    parser = argparse.ArgumentParser(
        description=sys.modules['__main__'].__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('--quick', action='store_true', help='fewer steps, a looser bound')
    parser.add_argument('--out', metavar='PNG', help='where to draw')
    options = parser.parse_args()
    paddle.seed(0)
    np.random.seed(0)
    value, panels = main(options.quick)
    low = quick_least if options.quick else least
    high = quick_most if options.quick else most
    bound = f'at least {low}' if low is not None else f'at most {high}'
    print(f'{what}: {value:.4f} (expected {bound})')
    if options.out:
        draw(options.out, panels)
    sys.exit(int((low is not None and value < low) or (high is not None and value > high)))
