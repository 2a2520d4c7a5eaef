# SPDX-License-Identifier: Apache-2.0
"""Recommendation by DeepFM: who clicks on what, from users, items and hours.

    python recommendation.py [--quick] [--out recommendation.png]

Clicks are drawn from hidden tastes; the model joins a factorisation machine and a deep network. The
number is the area under the ROC curve for new pairs.
"""

import common
import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn

USERS, ITEMS, HOURS = 200, 100, 24


class DeepFM(nn.Layer):
    """Guo et al., DeepFM, 2017."""

    def __init__(self, width=8):
        super().__init__()
        fields = (USERS, ITEMS, HOURS)
        self.starts = paddle.to_tensor(np.cumsum((0, *fields[:-1])))
        self.alone = nn.Embedding(sum(fields), 1)
        self.pairs = nn.Embedding(sum(fields), width)
        self.deep = nn.Sequential(nn.Linear(3 * width, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, fields):
        numbers = fields + self.starts
        v = self.pairs(numbers)
        crossed = (v.sum(axis=1).square() - v.square().sum(axis=1)).sum(axis=1) / 2
        return self.alone(numbers).sum(axis=[1, 2]) + crossed + self.deep(v.flatten(1))[:, 0]


def clicks(count):
    tastes, kinds = np.random.randn(USERS, 3), np.random.randn(ITEMS, 3)
    user, item = np.random.randint(0, USERS, count), np.random.randint(0, ITEMS, count)
    hour = np.random.randint(0, HOURS, count)
    score = 2 * (tastes[user] * kinds[item]).sum(axis=1) + np.sin(2 * np.pi * hour / HOURS) - 1
    clicked = np.random.rand(count) < 1 / (1 + np.exp(-score))
    return np.stack([user, item, hour], axis=1), clicked.astype('float32')


def main(quick):
    fields, clicked = clicks(40000)
    net = DeepFM()

    def loss_of():
        x, y = common.batch(256, fields[:36000], clicked[:36000])
        return F.binary_cross_entropy_with_logits(net(x), y)

    losses = common.fit(300 if quick else 1200, 'DeepFM', net.parameters(), loss_of, rate=1e-2)
    with paddle.no_grad():
        likely = F.sigmoid(net(paddle.to_tensor(fields[36000:]))).numpy()
    metric = paddle.metric.Auc()
    metric.update(np.stack([1 - likely, likely], axis=1), clicked[36000:, None])
    return float(metric.accumulate()), [('loss', losses)]


if __name__ == '__main__':
    common.launch(main, 'area under the ROC curve', least=0.85, quick_least=0.7)
