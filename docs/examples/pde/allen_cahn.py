# SPDX-License-Identifier: Apache-2.0
"""The Allen-Cahn equation u_t = 0.001 u_xx + 5 (u - u^3): phases separate into sharp layers on a
ring.

    python allen_cahn.py [--steps 8000] [--eager] [--out allen_cahn.png]

The loss weights early times first (causal training): the residual at a time counts once those
before it are small. The reference is a Fourier spectral solution, stepped in time with integrating
factors.
"""

import numpy as np
import pinn

import paddle

D, STEPS, SLABS, CAUSAL = 1e-3, 8000, 20, 0.2
LOW, HIGH = (-1.0, 0.0), (1.0, 1.0)


def begin(x, m):
    """The initial value, smooth on the ring of length 2; `m` is paddle or numpy."""
    return 0.6 * m.cos(np.pi * x) + 0.3 * m.sin(2.0 * np.pi * x)


def spectral(count=256, frames=101, substeps=50):
    """The solution at [x, t]: diffusion exactly, reaction by the classical Runge-Kutta method."""
    x = -1.0 + 2.0 * np.arange(count) / count
    k = np.pi * np.fft.rfftfreq(count, 1.0 / count)
    h = 1.0 / ((frames - 1) * substeps)
    half = np.exp(-D * k * k * h / 2.0)

    def react(v):
        u = np.fft.irfft(v, count)
        return 5.0 * np.fft.rfft(u - u**3)

    v, states = np.fft.rfft(begin(x, np)), []
    for frame in range(frames):
        states.append(np.fft.irfft(v, count))
        for _ in range(substeps if frame + 1 < frames else 0):
            a = react(v)
            b = react(half * (v + h / 2.0 * a))
            c = react(half * v + h / 2.0 * b)
            d = react(half * half * v + h * half * c)
            v = half * half * v + h / 6.0 * (half * half * a + 2.0 * half * (b + c) + d)
    grid = np.meshgrid(x, np.linspace(0, 1, frames), indexing='ij')
    return (*grid, np.stack(states, axis=1))


def slabs(count):
    """A function that draws `count` points sorted into SLABS intervals of time, as many in each."""
    each = max(count // SLABS, 1)

    def draw():
        x = np.random.uniform(LOW[0], HIGH[0], (SLABS * each, 1))
        t = (np.repeat(np.arange(SLABS), each)[:, None] + np.random.rand(SLABS * each, 1)) / SLABS
        columns = [paddle.to_tensor(c.astype('float32')) for c in (x, t)]
        for column in columns:
            column.stop_gradient = False
        return columns

    return draw


def main():
    args = pinn.options(__doc__.splitlines()[0], STEPS)
    model = pinn.Network(LOW, HIGH, width=48, period=2.0)
    earlier = paddle.to_tensor(np.tril(np.ones((SLABS, SLABS), 'float32'), -1))

    def solution(x, t):
        """Periodic, and right at t = 0, for any weights."""
        return begin(x, paddle) + t * model(x, t)

    def loss(x, t):
        u = solution(x, t)
        u_x, u_t = pinn.gradients(u, x, t)
        (u_xx,) = pinn.gradients(u_x, x)
        residual = u_t - D * u_xx - 5.0 * (u - u * u * u)
        slab = (residual * residual).reshape([SLABS, -1]).mean(axis=1)
        weight = paddle.exp(-CAUSAL * paddle.matmul(earlier, slab)).detach()
        return (weight * slab).mean()

    losses = pinn.train(model, loss, slabs(args.points), args)
    x, t, reference = spectral()
    value = pinn.evaluate(solution, x, t)
    pinn.finish(
        'allen_cahn',
        'Allen-Cahn equation',
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
