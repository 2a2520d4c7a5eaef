# SPDX-License-Identifier: Apache-2.0
"""Segmentation of drawn shapes: which pixels belong to a disc, which to a square.

    python segmentation.py [--quick] [--out segmentation.png]

A small U-Net learns from noisy images of 32 by 32 that are drawn as it goes.
"""

import common
import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn


def draw(count):
    """Noisy images [count, 1, 32, 32] and their classes [count, 32, 32]: 0, disc 1, square 2."""
    y, x = np.mgrid[:32, :32]
    classes = np.zeros([count, 32, 32], 'int64')
    for one in classes:
        for kind in np.random.permutation([1, 2]):
            cy, cx, r = np.random.randint(7, 25), np.random.randint(7, 25), np.random.randint(4, 8)
            disc = (y - cy) ** 2 + (x - cx) ** 2 <= r * r
            square = (abs(y - cy) <= r) & (abs(x - cx) <= r)
            one[disc if kind == 1 else square] = kind
    images = (classes > 0) * 1.0 + 0.3 * np.random.randn(count, 32, 32)
    return paddle.to_tensor(images[:, None].astype('float32')), paddle.to_tensor(classes)


def block(inputs, outputs):
    return nn.Sequential(
        nn.Conv2D(inputs, outputs, 3, padding=1), nn.BatchNorm2D(outputs), nn.ReLU()
    )


class UNet(nn.Layer):
    def __init__(self, width=16):
        super().__init__()
        self.first, self.second = block(1, width), block(width, 2 * width)
        self.bottom = block(2 * width, 4 * width)
        self.up, self.out = block(6 * width, 2 * width), block(3 * width, width)
        self.head = nn.Conv2D(width, 3, 1)

    def forward(self, x):
        a = self.first(x)
        b = self.second(F.max_pool2d(a, 2))
        c = self.bottom(F.max_pool2d(b, 2))
        c = self.up(paddle.concat([F.interpolate(c, scale_factor=2), b], axis=1))
        return self.head(self.out(paddle.concat([F.interpolate(c, scale_factor=2), a], axis=1)))


def main(quick):
    net = UNet(8 if quick else 16)

    def loss_of():
        x, y = draw(16)
        return F.cross_entropy(net(x), y, axis=1)

    losses = common.fit(60 if quick else 250, 'U-Net', net.parameters(), loss_of, rate=1e-2)
    net.eval()
    x, y = draw(64)
    with paddle.no_grad():
        found = net(x).argmax(axis=1)
    overlaps = []
    for kind in (1, 2):
        both = paddle.logical_and(found == kind, y == kind).sum().item()
        either = paddle.logical_or(found == kind, y == kind).sum().item()
        overlaps.append(both / either)
    panels = [('loss', losses), ('image', x[0, 0].numpy()), ('found', found[0].numpy())]
    return float(np.mean(overlaps)), panels


if __name__ == '__main__':
    common.launch(main, 'mean intersection over union', least=0.72, quick_least=0.45)
