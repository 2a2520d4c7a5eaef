# SPDX-License-Identifier: Apache-2.0
"""Transfer from saved weights: a network that knows the digits 0 to 4 learns 5 to 9 from few
images.

    python transfer.py [--quick] [--out transfer.png]

The convolutions are trained on one half of the classes and saved; a new network loads them, keeps
them as they are and trains its last layer on ten images a class.
"""

import os
import tempfile

import common
import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn


def network():
    features = nn.Sequential(
        nn.Conv2D(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2D(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveMaxPool2D(4),
        nn.Flatten(),
    )
    return nn.Sequential(features, nn.Linear(512, 5))


def main(quick):
    images, labels = common.digits()
    first, second = labels < 5, labels >= 5
    source = network()

    def loss_of_source():
        x, y = common.batch(64, images[first], labels[first])
        return F.cross_entropy(source(x), y)

    losses = common.fit(60 if quick else 400, 'first classes ', source.parameters(), loss_of_source)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'features.pdparams')
        paddle.save(source[0].state_dict(), path)
        target = network()
        target[0].set_state_dict(paddle.load(path))
    x, y = images[second], labels[second] - 5
    few = np.concatenate([np.flatnonzero(y == k)[:10] for k in range(5)])
    rest = np.setdiff1d(np.arange(len(y)), few)
    for parameter in target[0].parameters():
        parameter.stop_gradient = True
    xs, ys = paddle.to_tensor(x[few]), paddle.to_tensor(y[few])
    more = common.fit(
        60 if quick else 200,
        'second classes',
        target[1].parameters(),
        lambda: F.cross_entropy(target(xs), ys),
    )
    with paddle.no_grad():
        found = target(paddle.to_tensor(x[rest])).argmax(axis=1).numpy()
    accuracy = float((found == y[rest]).mean())
    return accuracy, [('loss, first classes', losses), ('loss, second classes', more)]


if __name__ == '__main__':
    common.launch(main, 'accuracy on classes 5 to 9', least=0.88, quick_least=0.8)
