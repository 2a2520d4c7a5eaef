# SPDX-License-Identifier: Apache-2.0
"""Training on gpu:0 step by step, and with the step captured as a graph after two: losses and
parameters, as JSON. The argument: the optimizer.
"""

import json
import sys

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.device.cuda.graphs import CUDAGraph

STEPS = 8
rng = np.random.RandomState(1)
BATCHES = [(rng.randn(8, 12).astype('float32'), rng.randint(0, 5, [8])) for _ in range(STEPS)]


def train(kind, captured):
    paddle.seed(3)
    net = nn.Sequential(nn.Linear(12, 40), nn.GELU(), nn.Dropout(0.3), nn.Linear(40, 5))
    net[0].weight.optimize_attr = {'learning_rate': 0.5}
    rate = paddle.optimizer.lr.ExponentialDecay(0.05, 0.7)
    opt = getattr(paddle.optimizer, kind)(
        rate, parameters=net.parameters(), grad_clip=nn.ClipGradByGlobalNorm(0.7)
    )
    x, label = paddle.zeros([8, 12]), paddle.zeros([8], 'int64')

    def loss_of(x, label):
        return F.cross_entropy(net(x), label)

    def step():
        loss = loss_of(x, label)
        loss.backward()
        opt.step()
        opt.clear_grad()
        return loss

    losses, graph = [], None
    for k, (a, b) in enumerate(BATCHES):
        x.copy_(paddle.to_tensor(a))
        label.copy_(paddle.to_tensor(b))
        if captured and k == 2:
            graph = CUDAGraph()
            graph.capture_begin()
            loss = step()
            graph.capture_end()
        if graph:
            graph.replay()
        else:
            loss = step()
        losses.append(loss.item())
        rate.step()
    return losses, [p.numpy().tolist() for p in net.parameters()]


if __name__ == '__main__':
    paddle.set_device('gpu')
    print(json.dumps([train(sys.argv[1], captured) for captured in (False, True)]))
