# SPDX-License-Identifier: Apache-2.0
"""The wave equation u_tt = u_xx: a plucked string with fixed ends.

    python wave.py [--steps 5000] [--eager] [--out wave.png]

The reference is the sum of the standing waves that the initial shape sin(pi x) + 0.5 sin(3 pi x)
starts, at rest.
"""

import math

import numpy as np
import pinn

import paddle

STEPS = 5000
LOW, HIGH = (0.0, 0.0), (1.0, 1.0)


def standing(x, t):
    """Each mode oscillates at its own frequency."""
    return sum(
        a * np.sin(k * math.pi * x) * np.cos(k * math.pi * t) for a, k in ((1.0, 1), (0.5, 3))
    )


def main():
    args = pinn.options(__doc__.splitlines()[0], STEPS)
    model = pinn.Network(LOW, HIGH)

    def solution(x, t):
        """Meets the boundary values, the initial shape and the initial velocity 0 for any
        weights.
        """
        begin = paddle.sin(math.pi * x) + 0.5 * paddle.sin(3.0 * math.pi * x)
        return begin + 4.0 * t * t * x * (1.0 - x) * model(x, t)

    def loss(x, t):
        u = solution(x, t)
        u_x, u_t = pinn.gradients(u, x, t)
        (u_xx,) = pinn.gradients(u_x, x)
        (u_tt,) = pinn.gradients(u_t, t)
        residual = u_tt - u_xx
        return (residual * residual).mean()

    losses = pinn.train(model, loss, pinn.sampler(LOW, HIGH, args.points), args)
    x, t = np.meshgrid(np.linspace(0, 1, 101), np.linspace(0, 1, 101), indexing='ij')
    value, reference = pinn.evaluate(solution, x, t), standing(x, t)
    pinn.finish(
        'wave', 'Wave equation', (('t', t), ('x', x)), value, reference, losses, 2e-2, args, STEPS
    )


if __name__ == '__main__':
    main()
