# SPDX-License-Identifier: Apache-2.0
"""An inverse problem: how well a rod conducts heat, from noisy temperatures.

    python pde_inverse.py [--quick] [--out inverse.png]

A network u(x, t) fits the measurements and the heat equation u_t = k u_xx, whose k is a parameter
too (Raissi et al., Physics-informed neural networks, 2019). The number is the relative error of k.
"""

import common
import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn

TRUE = 0.2


def main(quick):
    place, time = np.random.rand(2, 500)
    heat = np.exp(-TRUE * np.pi**2 * time) * np.sin(np.pi * place) + 0.02 * np.random.randn(500)
    points = np.stack([place, time], axis=1).astype('float32')
    heat = heat[:, None].astype('float32')
    net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
    k = paddle.create_parameter([1], 'float32', default_initializer=nn.initializer.Constant(0.5))
    found = []

    def loss_of():
        measured, value = common.batch(128, points, heat)
        x, t = paddle.rand([128, 1]), paddle.rand([128, 1])
        x.stop_gradient = t.stop_gradient = False
        u = net(paddle.concat([x, t], axis=1))
        u_x, u_t = paddle.grad(u.sum(), [x, t], create_graph=True)
        u_xx = paddle.grad(u_x.sum(), x, create_graph=True)[0]
        found.append(k.item())
        return F.mse_loss(net(measured), value) + 0.1 * F.mse_loss(u_t, k * u_xx)

    losses = common.fit(
        400 if quick else 3000, 'network', [*net.parameters(), k], loss_of, rate=1e-2
    )
    error = abs(k.item() - TRUE) / TRUE
    return error, [('loss', losses), (f'k, in truth {TRUE}', found)]


if __name__ == '__main__':
    common.launch(main, 'relative error of k', most=0.1, quick_most=0.5)
