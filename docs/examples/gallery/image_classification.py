# SPDX-License-Identifier: Apache-2.0
"""Image classification: a residual network reads handwritten digits.

    python image_classification.py [--quick] [--out image_classification.png]

The step is compiled by `to_static`; images are moved by up to a pixel while training, and the
network is judged on digits that it has not seen.
"""

import common
import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn


class Block(nn.Layer):
    """Two convolutions beside a short cut."""

    def __init__(self, channels, out, stride=1):
        super().__init__()
        self.first = nn.Conv2D(channels, out, 3, stride, 1, bias_attr=False)
        self.second = nn.Conv2D(out, out, 3, 1, 1, bias_attr=False)
        self.norms = nn.LayerList([nn.BatchNorm2D(out), nn.BatchNorm2D(out)])
        self.short = nn.Conv2D(channels, out, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x):
        y = F.relu(self.norms[0](self.first(x)))
        return F.relu(self.short(x) + self.norms[1](self.second(y)))


def network():
    return nn.Sequential(
        nn.Conv2D(1, 16, 3, padding=1),
        Block(16, 16),
        Block(16, 32, stride=2),
        nn.AdaptiveAvgPool2D(1),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(32, 10),
    )


def moved(images):
    """The images, each moved by up to a pixel; what comes in is black."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-1.0)
    at = np.random.randint(0, 3, (len(images), 2))
    return np.stack([image[:, y : y + 8, x : x + 8] for image, (y, x) in zip(padded, at)])


def main(quick):
    images, labels = common.digits()
    seen = 1400
    net = network()

    @paddle.jit.to_static
    def loss_of_batch(x, y):
        return F.cross_entropy(net(x), y)

    def loss_of():
        rows = np.random.randint(0, seen, 64)
        return loss_of_batch(paddle.to_tensor(moved(images[rows])), paddle.to_tensor(labels[rows]))

    losses = common.fit(100 if quick else 800, 'digits', net.parameters(), loss_of, rate=1e-2)
    net.eval()
    with paddle.no_grad():
        found = net(paddle.to_tensor(images[seen:])).argmax(axis=1).numpy()
    confusion = np.zeros((10, 10))
    np.add.at(confusion, (labels[seen:], found), 1)
    accuracy = float((found == labels[seen:]).mean())
    return accuracy, [('loss', losses), ('digits read as (columns)', confusion)]


if __name__ == '__main__':
    common.launch(main, 'accuracy on new digits', least=0.97, quick_least=0.85)
