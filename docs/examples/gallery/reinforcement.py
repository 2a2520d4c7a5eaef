# SPDX-License-Identifier: Apache-2.0
"""Reinforcement learning: a cart learns to balance a pole.

    python reinforcement.py [--quick] [--out reinforcement.png]

Policy gradients with the mean return as the baseline (Williams, 1992), many poles at a time. The
number is the mean count of steps, of at most 200, that poles stay up in the end.
"""

import common
import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn

LIMIT = 200


def moved(state, right):
    """The states [poles, 4] (place, speed, angle, turn) a fiftieth of a second later (Barto,
    Sutton and Anderson, 1983).
    """
    x, v, angle, turn = state.T
    force = np.where(right, 10.0, -10.0)
    push = (force + 0.05 * turn**2 * np.sin(angle)) / 1.1
    rise = (9.8 * np.sin(angle) - np.cos(angle) * push) / (
        0.5 * (4 / 3 - 0.1 * np.cos(angle) ** 2 / 1.1)
    )
    speed = push - 0.05 * rise * np.cos(angle) / 1.1
    return np.stack([x + 0.02 * v, v + 0.02 * speed, angle + 0.02 * turn, turn + 0.02 * rise], 1)


def play(net, poles):
    """States, actions and whether each pole still stood: [steps, poles, ...]."""
    state, up = np.random.uniform(-0.05, 0.05, [poles, 4]), np.ones(poles, bool)
    states, actions, stood = [], [], []
    while up.any() and len(states) < LIMIT:
        with paddle.no_grad():
            scores = net(paddle.to_tensor(state.astype('float32')))
        right = np.random.rand(poles) < F.softmax(scores).numpy()[:, 1]
        states.append(state.astype('float32'))
        actions.append(right.astype('int64'))
        stood.append(up)
        state = np.where(up[:, None], moved(state, right), state)
        up = up & (abs(state[:, 0]) < 2.4) & (abs(state[:, 2]) < 0.21)
    return np.stack(states), np.stack(actions), np.stack(stood)


def main(quick):
    net = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
    optimizer = paddle.optimizer.Adam(2e-2, parameters=net.parameters())
    lengths = []
    for _ in common.progress(25 if quick else 60, 'policy'):
        states, actions, stood = play(net, 32)
        left = np.cumsum(stood[::-1], axis=0)[::-1]  # steps that are still to come
        gain = (left - left.mean(axis=1, keepdims=True)) / (left.std() + 1e-6)
        losses = F.cross_entropy(
            net(paddle.to_tensor(states[stood])), paddle.to_tensor(actions[stood]), reduction='none'
        )
        (losses * paddle.to_tensor(gain[stood].astype('float32'))).mean().backward()
        optimizer.step()
        optimizer.clear_grad()
        lengths.append(float(stood.sum(axis=0).mean()))
    return float(np.mean(lengths[-5:])), [('steps that poles stay up', lengths)]


if __name__ == '__main__':
    common.launch(main, 'steps that poles stay up', least=120, quick_least=45)
