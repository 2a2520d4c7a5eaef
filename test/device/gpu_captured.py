# SPDX-License-Identifier: Apache-2.0
"""Training on gpu:0 step by step, and with the step captured as a graph after two: losses and
parameters, as JSON. The argument: the optimizer; or a model of gpu_training.py, then the dtype of
autocast, and with a third one, `program`, the loss is compiled.
"""

import json
import sys

import gpu_training
import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.base import core
from paddle.device.cuda.graphs import CUDAGraph

STEPS, STEPS_OF_MODELS = 8, 5  # two of them eager
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

    def feed(k):
        x.copy_(paddle.to_tensor(BATCHES[k][0]))
        label.copy_(paddle.to_tensor(BATCHES[k][1]))

    return losses_of(step, captured, feed, rate.step), values(net.parameters())


def train_model(model, dtype, program, captured):
    """On one batch, which is part of the model."""
    loss_of, parameters, opt = gpu_training.copy_of(gpu_training.MODELS[model], 'gpu:0', program)

    def forward():
        with paddle.amp.auto_cast(enable=bool(dtype), dtype=dtype or 'bfloat16'):
            return loss_of()

    def step():
        loss = forward()
        loss.backward()
        opt.step()
        opt.clear_grad()
        return loss

    if program:
        forward()
    return losses_of(step, captured, steps=STEPS_OF_MODELS), values(parameters)


def losses_of(step, captured, before=lambda k: None, after=lambda: None, steps=STEPS):
    losses, graph = [], None
    for k in range(steps):
        before(k)
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
        after()
    return losses


def values(parameters):
    return [p.astype('float32').numpy().tolist() for p in parameters]


if __name__ == '__main__':
    paddle.set_device('gpu')
    kind, *rest = sys.argv[1:]
    both = []
    for captured in (False, True):
        if kind in gpu_training.MODELS:
            both.append(train_model(kind, rest[0], 'program' in rest, captured))
        else:
            core.draw_on_host(False)
            both.append(train(kind, captured))
    print(json.dumps(both))
