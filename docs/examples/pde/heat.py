# SPDX-License-Identifier: Apache-2.0
"""The heat equation u_t = 0.05 u_xx on a rod with ends at temperature 0.

    python heat.py [--steps 3000] [--eager] [--out heat.png]

The reference is the Fourier solution of the initial temperature sin(pi x) + 0.5 sin(4 pi x).
"""

import math

import numpy as np
import pinn

import paddle

ALPHA, STEPS = 0.05, 3000
LOW, HIGH = (0.0, 0.0), (1.0, 1.0)


def fourier(x, t):
    """Each mode decays at its own rate."""
    return sum(
        a * np.sin(k * math.pi * x) * np.exp(-ALPHA * (k * math.pi) ** 2 * t)
        for a, k in ((1.0, 1), (0.5, 4))
    )


def main():
    args = pinn.options(__doc__.splitlines()[0], STEPS)
    model = pinn.Network(LOW, HIGH)

    def solution(x, t):
        """Meets the initial and boundary values for any weights."""
        begin = paddle.sin(math.pi * x) + 0.5 * paddle.sin(4.0 * math.pi * x)
        return begin + 4.0 * t * x * (1.0 - x) * model(x, t)

    def loss(x, t):
        u = solution(x, t)
        u_x, u_t = pinn.gradients(u, x, t)
        (u_xx,) = pinn.gradients(u_x, x)
        residual = u_t - ALPHA * u_xx
        return (residual * residual).mean()

    losses = pinn.train(model, loss, pinn.sampler(LOW, HIGH, args.points), args)
    x, t = np.meshgrid(np.linspace(0, 1, 101), np.linspace(0, 1, 101), indexing='ij')
    value, reference = pinn.evaluate(solution, x, t), fourier(x, t)
    pinn.finish(
        'heat', 'Heat equation', (('t', t), ('x', x)), value, reference, losses, 1e-2, args, STEPS
    )


if __name__ == '__main__':
    main()
