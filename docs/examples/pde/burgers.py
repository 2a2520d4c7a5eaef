# SPDX-License-Identifier: Apache-2.0
"""Burgers' equation u_t + u u_x = (0.01 / pi) u_xx: a smooth wave steepens to a shock.

    python burgers.py [--steps 6000] [--eager] [--out burgers.png]

The reference is the Cole-Hopf solution, integrated numerically.
"""

import math

import numpy as np
import pinn

import paddle

NU, STEPS = 0.01 / math.pi, 6000
LOW, HIGH = (-1.0, 0.0), (1.0, 1.0)


def cole_hopf(x, t, nodes=120):
    """The solution with u(x, 0) = -sin(pi x), by Gauss-Hermite quadrature."""
    z, w = np.polynomial.hermite.hermgauss(nodes)
    at = x[..., None] - np.sqrt(4.0 * NU * np.maximum(t, 1e-12))[..., None] * z
    weight = w * np.exp(-(np.cos(math.pi * at) - 1.0) / (2.0 * math.pi * NU) - 1.0 / (math.pi * NU))
    return -(weight * np.sin(math.pi * at)).sum(-1) / weight.sum(-1)


def main():
    args = pinn.options(__doc__.splitlines()[0], STEPS)
    model = pinn.Network(LOW, HIGH)

    def solution(x, t):
        """Meets the initial and boundary values for any weights."""
        return t * (1.0 - x * x) * model(x, t) - paddle.sin(math.pi * x)

    def loss(x, t):
        u = solution(x, t)
        u_x, u_t = pinn.gradients(u, x, t)
        (u_xx,) = pinn.gradients(u_x, x)
        steep = 1.0 + 0.1 * u_x.detach().abs()  # the shock must not outweigh the rest
        residual = (u_t + u * u_x - NU * u_xx) / steep
        return (residual * residual).mean()

    losses = pinn.train(model, loss, pinn.sampler(LOW, HIGH, args.points), args)
    x, t = np.meshgrid(np.linspace(-1, 1, 201), np.linspace(0, 1, 101), indexing='ij')
    value, reference = pinn.evaluate(solution, x, t), cole_hopf(x, t)
    pinn.finish(
        'burgers',
        "Burgers' equation",
        (('t', t), ('x', x)),
        value,
        reference,
        losses,
        5e-2,
        args,
        STEPS,
    )


if __name__ == '__main__':
    main()
