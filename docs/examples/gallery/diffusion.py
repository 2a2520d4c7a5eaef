# SPDX-License-Identifier: Apache-2.0
"""Diffusion on digits: noise becomes digits of 8 by 8, step by step.

    python diffusion.py [--quick] [--out diffusion.png]

A network learns to tell the noise in a noisy digit (Ho et al., Denoising diffusion probabilistic
models, 2020). The number is the distance of samples to the nearest digit, over that of noise.
"""

import common
import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn

STEPS = 50


class Denoiser(nn.Layer):
    def __init__(self, width=256):
        super().__init__()
        self.time = nn.Embedding(STEPS, width)
        self.enter, self.leave = nn.Linear(64, width), nn.Linear(width, 64)
        self.middle = nn.LayerList([nn.Linear(width, width) for _ in range(2)])

    def forward(self, x, step):
        h, time = self.enter(x), self.time(step)
        for layer in self.middle:
            h = h + F.silu(layer(h + time))
        return self.leave(h)


@paddle.no_grad()
def sample(net, count, alpha, kept):
    x = paddle.randn([count, 64])
    for step in range(STEPS - 1, -1, -1):
        noise = net(x, paddle.full([count], step, 'int64'))
        x = (x - noise * (1 - alpha[step]) / (1 - kept[step]).sqrt()) / alpha[step].sqrt()
        if step:
            x = x + paddle.randn([count, 64]) * (1 - alpha[step]).sqrt()
    return x


def main(quick):
    digits = common.digits()[0].reshape([-1, 64])
    alpha = 1 - paddle.linspace(1e-3, 0.15, STEPS)
    kept = alpha.cumprod(0)
    net = Denoiser()

    def loss_of():
        (x,) = common.batch(128, digits)
        step = paddle.randint(0, STEPS, [128])
        share, noise = kept[step].unsqueeze(1), paddle.randn([128, 64])
        return F.mse_loss(net(share.sqrt() * x + (1 - share).sqrt() * noise, step), noise)

    losses = common.fit(300 if quick else 2000, 'denoiser', net.parameters(), loss_of)
    made, known = sample(net, 64, alpha, kept), paddle.to_tensor(digits)

    def distance(x):
        return paddle.cdist(x, known).min(axis=1).mean().item()

    picture = made.reshape([8, 8, 8, 8]).transpose([0, 2, 1, 3]).reshape([64, 64]).numpy()
    ratio = distance(made) / distance(paddle.randn([64, 64]))
    return ratio, [('loss', losses), ('samples', np.clip(picture, -1, 1))]


if __name__ == '__main__':
    common.launch(main, 'distance to digits over that of noise', most=0.55, quick_most=0.75)
