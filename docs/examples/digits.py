# SPDX-License-Identifier: Apache-2.0
"""Train LeNet on scikit-learn's handwritten digits and draw what it learned.

    python digits.py [--epochs 20] [--out digits.png] [--weights digits.pdparams]

Needs scikit-learn (for the 1,797 images, which it carries) and matplotlib (for the picture). Runs
in under a minute on two cores, prints the accuracy on the fifth of the images held out, and checks
that saved weights give the same.
"""

import argparse
import sys
import time

import numpy as np

import paddle
import paddle.nn.functional as F
from paddle.io import DataLoader, Dataset
from paddle.vision.models import LeNet


def load_digits():
    """Images [N, 1, 28, 28] in [-1, 1] and labels [N], split into training and held-out parts."""
    from sklearn.datasets import load_digits as bundled

    data = bundled()
    images = paddle.to_tensor(data.images.astype('float32')).unsqueeze(1) / 8.0 - 1.0
    images = F.interpolate(images, size=[28, 28], mode='bilinear', align_corners=False)
    labels = data.target.astype('int64')
    order = np.random.RandomState(0).permutation(len(labels))
    held = len(labels) // 5
    images = images.numpy()
    return (images[order[held:]], labels[order[held:]]), (
        images[order[:held]],
        labels[order[:held]],
    )


class ShiftedDigits(Dataset):
    """Training images, each moved by up to two pixels every time it is read."""

    def __init__(self, images, labels):
        self.images = np.pad(images, [(0, 0), (0, 0), (2, 2), (2, 2)], constant_values=-1.0)
        self.labels = labels

    def __getitem__(self, index):
        top, left = np.random.randint(0, 5, size=2)
        return self.images[index, :, top : top + 28, left : left + 28], self.labels[index]

    def __len__(self):
        return len(self.labels)


def show(epoch, done, total, loss, accuracy, width=24):
    """Redraw the progress bar of one epoch."""
    filled = width * done // total
    bar = '=' * filled + '.' * (width - filled)
    sys.stdout.write(f'\repoch {epoch:2d} [{bar}] loss {loss:.4f}  accuracy {accuracy:6.2%}')
    sys.stdout.flush()


def predict(model, images):
    """The most likely digit for each image."""
    model.eval()
    with paddle.no_grad():
        scores = [
            model(paddle.to_tensor(images[i : i + 256])).numpy() for i in range(0, len(images), 256)
        ]
    return np.concatenate(scores).argmax(axis=1)


def train(model, train_set, held_set, epochs, batch_size):
    """Train; returns the loss of every step and the held-out accuracy after every epoch."""
    loader = DataLoader(
        ShiftedDigits(*train_set), batch_size=batch_size, shuffle=True, drop_last=True
    )
    schedule = paddle.optimizer.lr.CosineAnnealingDecay(
        learning_rate=2e-3, T_max=epochs * len(loader)
    )
    optimizer = paddle.optimizer.AdamW(schedule, parameters=model.parameters(), weight_decay=0.01)
    losses, accuracies = [], []
    for epoch in range(1, epochs + 1):
        model.train()
        right = seen = 0
        for step, (x, y) in enumerate(loader, 1):
            scores = model(x)
            loss = F.cross_entropy(scores, y)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            schedule.step()
            losses.append(float(loss.numpy()))
            right += int((scores.argmax(axis=1) == y).sum().numpy())
            seen += len(y)
            show(epoch, step, len(loader), np.mean(losses[-step:]), right / seen)
        accuracies.append(float((predict(model, held_set[0]) == held_set[1]).mean()))
        print(f'  held-out {accuracies[-1]:.2%}')
    return losses, accuracies


def draw(path, losses, accuracies, images, labels, guesses):
    """Write a PNG with the training curve and sample predictions; wrong ones first, in red."""
    import matplotlib

    matplotlib.use('Agg')
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(11, 5))
    grid = figure.add_gridspec(4, 12)
    left = figure.add_subplot(grid[:, :5])
    left.plot(losses, color='tab:blue', linewidth=0.8)
    left.set_xlabel('step')
    left.set_ylabel('training loss', color='tab:blue')
    right = left.twinx()
    per_epoch = len(losses) // len(accuracies)
    right.plot(
        np.arange(1, len(accuracies) + 1) * per_epoch,
        accuracies,
        'o-',
        color='tab:orange',
        markersize=3,
    )
    right.set_ylabel('held-out accuracy', color='tab:orange')
    right.set_ylim(min(0.9, min(accuracies)), 1.0)
    order = np.argsort(guesses == labels, kind='stable')[:24]
    for place, i in enumerate(order):
        cell = figure.add_subplot(grid[place // 6, 6 + place % 6])
        cell.imshow(images[i, 0], cmap='gray_r')
        good = guesses[i] == labels[i]
        cell.set_title(
            str(guesses[i]) if good else f'{guesses[i]} (is {labels[i]})',
            fontsize=8,
            color='black' if good else 'red',
            pad=2,
        )
        cell.axis('off')
    figure.suptitle(
        f'LeNet on handwritten digits: {accuracies[-1]:.2%} of {len(labels)} held-out images'
    )
    figure.savefig(path, dpi=110, bbox_inches='tight')
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--epochs', type=int, default=20)
    parser.add_argument('--batch-size', type=int, default=32)
    parser.add_argument('--seed', type=int, default=2)
    parser.add_argument('--out', default='digits.png')
    parser.add_argument('--weights', default='digits.pdparams')
    args = parser.parse_args()

    paddle.seed(args.seed)
    np.random.seed(args.seed)
    train_set, held_set = load_digits()
    model = LeNet()
    start = time.time()
    losses, accuracies = train(model, train_set, held_set, args.epochs, args.batch_size)
    print(f'trained on {len(train_set[1])} images in {time.time() - start:.1f} s')

    paddle.save(model.state_dict(), args.weights)
    again = LeNet()
    again.set_state_dict(paddle.load(args.weights))
    guesses = predict(again, held_set[0])
    reloaded = float((guesses == held_set[1]).mean())
    if reloaded != accuracies[-1]:
        raise SystemExit(f'reloaded weights give {reloaded:.4%}, expected {accuracies[-1]:.4%}')
    print(
        f'held-out accuracy {reloaded:.2%}, the same after saving to and loading from '
        f'{args.weights}'
    )
    draw(args.out, losses, accuracies, held_set[0], held_set[1], guesses)
    print(f'picture written to {args.out}')
    if reloaded < 0.98:
        raise SystemExit(f'accuracy {reloaded:.2%} is below the expected 98 %')


if __name__ == '__main__':
    main()
