# SPDX-License-Identifier: Apache-2.0
"""Poisson's equation -(u_xx + u_yy) = f on the unit square, u = 0 on its boundary.

    python poisson.py [--steps 3000] [--eager] [--out poisson.png]

f belongs to u = sin(pi x) sin(pi y) + 0.5 sin(3 pi x) sin(2 pi y), which is the reference.
"""

import math

import numpy as np
import pinn

import paddle

STEPS = 3000
LOW, HIGH = (0.0, 0.0), (1.0, 1.0)
MODES = ((1.0, 1, 1), (0.5, 3, 2))  # amplitude and half waves along x and y


def total(sin, x, y, weight):
    """The sum of the modes, each times weight(kx, ky)."""
    return sum(
        a * weight(kx, ky) * sin(kx * math.pi * x) * sin(ky * math.pi * y) for a, kx, ky in MODES
    )


def main():
    args = pinn.options(__doc__.splitlines()[0], STEPS)
    model = pinn.Network(LOW, HIGH)

    def solution(x, y):
        """Vanishes on the boundary for any weights."""
        return 16.0 * x * (1.0 - x) * y * (1.0 - y) * model(x, y)

    def loss(x, y):
        u = solution(x, y)
        u_x, u_y = pinn.gradients(u, x, y)
        (u_xx,) = pinn.gradients(u_x, x)
        (u_yy,) = pinn.gradients(u_y, y)
        f = total(paddle.sin, x, y, lambda kx, ky: math.pi**2 * (kx * kx + ky * ky))
        residual = u_xx + u_yy + f
        return (residual * residual).mean()

    losses = pinn.train(model, loss, pinn.sampler(LOW, HIGH, args.points), args)
    x, y = np.meshgrid(np.linspace(0, 1, 101), np.linspace(0, 1, 101), indexing='ij')
    value, reference = pinn.evaluate(solution, x, y), total(np.sin, x, y, lambda kx, ky: 1.0)
    pinn.finish(
        'poisson',
        "Poisson's equation",
        (('x', x), ('y', y)),
        value,
        reference,
        losses,
        1e-2,
        args,
        STEPS,
    )


if __name__ == '__main__':
    main()
