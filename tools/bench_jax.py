# SPDX-License-Identifier: Apache-2.0
"""The workloads of bench_models.py that are written for JAX: the whole training step, update
included, under jit.
"""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from bench_models import labels, numbers


def array(*shape, scale=1.0):
    return jnp.array(numbers(*shape) * scale)


def matrix(inputs, outputs):
    return array(inputs, outputs, scale=inputs**-0.5)


def inference(function, *inputs):
    compiled = jax.jit(function)
    return lambda: compiled(*inputs).block_until_ready()


def training(loss, parameters):
    optimizer = optax.adamw(1e-3)

    @jax.jit
    def step(parameters, state):
        value, grads = jax.value_and_grad(loss)(parameters)
        updates, state = optimizer.update(grads, state, parameters)
        return value, optax.apply_updates(parameters, updates), state

    held = [parameters, optimizer.init(parameters)]

    def run():
        value, *held[:] = step(*held)
        jax.block_until_ready(value)

    return run


def rms(x, w):
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * w


def rms_norm(_):
    return inference(rms, array(2048, 1024), array(1024))


def gelu_chain(_):
    return inference(
        lambda x, b, r: jax.nn.gelu(x + b, approximate=False) * 0.5 + jnp.tanh(r) * x,
        array(4096, 1024), array(1024), array(4096, 1024),
    )  # fmt: skip


def burgers(points, width, depth=5):
    sizes = [2] + [width] * depth + [1]
    parameters = [(matrix(a, b), jnp.zeros(b)) for a, b in zip(sizes, sizes[1:], strict=False)]
    xs, ts = array(points, 1), jnp.abs(array(points, 1))

    def model(parameters, x, t):
        h = jnp.concatenate([x, t], 1)
        for w, b in parameters[:-1]:
            h = jnp.tanh(h @ w + b)
        return h @ parameters[-1][0] + parameters[-1][1]

    def loss(parameters):
        def derivatives(x, t):
            return jax.grad(lambda x, t: model(parameters, x, t).sum(), (0, 1))(x, t)

        u, (ux, ut) = model(parameters, xs, ts), derivatives(xs, ts)
        uxx = jax.grad(lambda x: derivatives(x, ts)[0].sum())(xs)
        return ((ut + u * ux - 0.01 / np.pi * uxx) ** 2).mean()

    return training(loss, parameters)


def pinn(_):
    return burgers(4096, 64)


def pinn_small(_):
    return burgers(256, 20)


def llama(_, width=256, depth=4, heads=8, vocabulary=4096, hidden=688, batch=4, time=128):
    half = width // heads // 2
    angle = np.outer(np.arange(time), 10000.0 ** (-np.arange(half) / half)).astype('float32')
    cos, sin = jnp.cos(angle), jnp.sin(angle)
    mask = jnp.array(np.triu(np.full((time, time), -1e9, 'float32'), 1))
    ids = labels(vocabulary, batch, time + 1).astype('int32')
    x, y = jnp.array(ids[:, :-1]), jnp.array(ids[:, 1:]).reshape(-1)
    shapes = {
        'q': (width, width),
        'k': (width, width),
        'v': (width, width),
        'o': (width, width),
        'g': (width, hidden),
    }
    shapes |= {'u': (width, hidden), 'd': (hidden, width)}
    norms = {'n1': jnp.ones(width), 'n2': jnp.ones(width)}
    blocks = [{n: matrix(*s) for n, s in shapes.items()} | norms for _ in range(depth)]
    parameters = {'words': array(vocabulary, width), 'head': matrix(width, vocabulary)}
    parameters |= {'blocks': blocks, 'n': jnp.ones(width)}

    def turn(z):
        a, b = z[..., :half], z[..., half:]
        return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1)

    def split(z):
        return z.reshape(batch, time, heads, 2 * half).transpose(0, 2, 1, 3)

    def loss(p):
        h = p['words'][x]
        for l in p['blocks']:
            z = rms(h, l['n1'])
            q, k, v = (split(z @ l[n]) for n in 'qkv')
            w = jax.nn.softmax(
                turn(q) @ turn(k).transpose(0, 1, 3, 2) * (2 * half) ** -0.5 + mask, -1
            )
            h = h + (w @ v).transpose(0, 2, 1, 3).reshape(batch, time, width) @ l['o']
            z = rms(h, l['n2'])
            h = h + (jax.nn.silu(z @ l['g']) * (z @ l['u'])) @ l['d']
        logits = (rms(h, p['n']) @ p['head']).reshape(-1, vocabulary)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    return training(loss, parameters)


WORKLOADS = {f.__name__: f for f in (llama, pinn, pinn_small, rms_norm, gelu_chain)}
