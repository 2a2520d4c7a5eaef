# SPDX-License-Identifier: Apache-2.0
"""The lid-driven cavity: the steady Navier-Stokes equations in a box whose lid slides, Reynolds
number 100.

    python cavity.py [--steps 4000] [--eager] [--out cavity.png]

The network gives a stream function and the pressure, so the flow is free of divergence and the
momentum equations hold third derivatives of it. The lid moves at 16 x^2 (1 - x)^2, which is smooth
in the corners. The reference solves the equations for vorticity and stream function by finite
differences on two grids.
"""

import numpy as np
import pinn

RE, STEPS = 100.0, 4000
LOW, HIGH = (0.0, 0.0), (1.0, 1.0)


def lid(x):
    """Velocity of the lid."""
    return 16.0 * x * x * (1.0 - x) * (1.0 - x)


def finite_differences(n, tolerance=1e-7):
    """u and v at [x, y] on n x n points: vorticity stepped to rest, the stream function solved by
    sine transforms.
    """
    h = 1.0 / (n - 1)
    step = 0.2 * h * h * RE
    modes = np.arange(1, n - 1)
    sine = np.sqrt(2.0 * h) * np.sin(np.pi * np.outer(modes, modes) * h)
    waves = (2.0 - 2.0 * np.cos(np.pi * modes * h)) / (h * h)
    waves = waves[:, None] + waves[None, :]
    grid = np.linspace(0.0, 1.0, n)
    psi, omega, moving = np.zeros((n, n)), np.zeros((n, n)), lid(grid)
    for _ in range(100000):
        psi[1:-1, 1:-1] = sine @ ((sine @ omega[1:-1, 1:-1] @ sine) / waves) @ sine
        omega[0], omega[-1] = -2.0 * psi[1] / (h * h), -2.0 * psi[-2] / (h * h)
        omega[:, 0] = -2.0 * psi[:, 1] / (h * h)
        omega[:, -1] = -2.0 * (psi[:, -2] + h * moving) / (h * h)
        u = (psi[1:-1, 2:] - psi[1:-1, :-2]) / (2.0 * h)
        v = (psi[:-2, 1:-1] - psi[2:, 1:-1]) / (2.0 * h)
        across = (omega[2:, 1:-1] - omega[:-2, 1:-1]) / (2.0 * h)
        along = (omega[1:-1, 2:] - omega[1:-1, :-2]) / (2.0 * h)
        around = (
            omega[2:, 1:-1]
            + omega[:-2, 1:-1]
            + omega[1:-1, 2:]
            + omega[1:-1, :-2]
            - 4.0 * omega[1:-1, 1:-1]
        )
        change = around / (h * h * RE) - u * across - v * along
        omega[1:-1, 1:-1] += step * change
        if np.abs(change).max() * step < tolerance:
            break
    full_u, full_v = np.zeros((n, n)), np.zeros((n, n))
    full_u[1:-1, 1:-1], full_v[1:-1, 1:-1], full_u[:, -1] = u, v, moving
    x, y = np.meshgrid(grid, grid, indexing='ij')
    return x, y, full_u, full_v


def reference(n=41):
    """x, y, u and v on n x n points: two grids, the second order error in their spacing
    extrapolated away.
    """
    x, y, *coarse = finite_differences(n)
    fine = finite_differences(2 * n - 1)[2:]
    return (x, y, *((4.0 * b[::2, ::2] - a) / 3.0 for a, b in zip(coarse, fine)))


def main():
    args = pinn.options(__doc__.splitlines()[0], STEPS, points=600)
    model = pinn.Network(LOW, HIGH, outputs=2)

    def flow(x, y):
        """u, v and the pressure. Both velocities are right on all four walls for any weights."""
        out = model(x, y)
        inside = x * (1.0 - x) * y * (1.0 - y)
        psi = lid(x) * y * y * (y - 1.0) + 32.0 * inside * inside * out[:, :1]
        psi_x, psi_y = pinn.gradients(psi, x, y)
        return psi_y, -psi_x, out[:, 1:]

    def loss(x, y):
        u, v, p = flow(x, y)
        u_x, u_y = pinn.gradients(u, x, y)
        v_x, v_y = pinn.gradients(v, x, y)
        p_x, p_y = pinn.gradients(p, x, y)
        u_xx, u_yy = pinn.gradients(u_x, x)[0], pinn.gradients(u_y, y)[0]
        v_xx, v_yy = pinn.gradients(v_x, x)[0], pinn.gradients(v_y, y)[0]
        along = u * u_x + v * u_y + p_x - (u_xx + u_yy) / RE
        across = u * v_x + v * v_y + p_y - (v_xx + v_yy) / RE
        return (along * along + across * across).mean()

    losses = pinn.train(model, loss, pinn.sampler(LOW, HIGH, args.points), args)
    x, y, u, v = reference()
    value = pinn.evaluate(lambda x, y: pinn.join(*flow(x, y)), x, y)
    pinn.finish(
        'cavity',
        'Lid-driven cavity, horizontal velocity',
        (('x', x), ('y', y)),
        np.stack(value[:2]),
        np.stack([u, v]),
        losses,
        5e-2,
        args,
        STEPS,
    )


if __name__ == '__main__':
    main()
