# SPDX-License-Identifier: Apache-2.0
"""Losses of some steps of AdamW on the CPU and on gpu:0, or the places of a third argument
(`gpu:0,gpu:1`: a copy of the model on each, with the mean of their gradients), of the model that
the first argument names, as JSON. What the second names (`bfloat16`) is the dtype of autocast. The
fourth is the number of steps, 5 without it; with a fifth, `program`, the loss is compiled, and runs
once before, so that no step is one that only records.
"""

import json
import sys

import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.base import core

core.draw_on_host(True)  # parameters are the same on all devices
WIDTH, HEADS, WORDS, LENGTH = 32, 4, 50, 11


def perceptron():
    net = nn.Sequential(nn.Linear(12, 33), nn.GELU(), nn.LayerNorm(33), nn.Linear(33, 5))
    x, label = paddle.randn([16, 12]), paddle.randint(0, 5, [16])
    return net, lambda: F.cross_entropy(net(x), label)


class Block(nn.Layer):
    """As in LLaMA: norms of the root mean square, rotary positions, a gated perceptron."""

    def __init__(self):
        super().__init__()
        self.norms = nn.LayerList([nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH)])
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias_attr=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias_attr=False)
        self.wide = nn.Linear(WIDTH, 4 * WIDTH, bias_attr=False)
        self.narrow = nn.Linear(2 * WIDTH, WIDTH, bias_attr=False)
        size = WIDTH // HEADS
        turn = paddle.arange(LENGTH, dtype='float32').unsqueeze(-1)
        turn = turn / 100 ** (paddle.arange(size // 2, dtype='float32') / (size // 2))
        turn = paddle.concat([turn, turn], -1).reshape([1, LENGTH, 1, size])
        self.cos, self.sin = turn.cos(), turn.sin()

    def turned(self, x):
        first, second = x.chunk(2, -1)
        return x * self.cos + paddle.concat([-second, first], -1) * self.sin

    def forward(self, x):
        n = x.shape[0]
        q, k, v = self.qkv(self.norms[0](x)).reshape([n, LENGTH, 3, HEADS, -1]).unbind(2)
        seen = F.scaled_dot_product_attention(self.turned(q), self.turned(k), v, is_causal=True)
        x = x + self.out(seen.reshape([n, LENGTH, WIDTH]))
        up, gate = self.wide(self.norms[1](x)).chunk(2, -1)
        return x + self.narrow(F.silu(gate) * up)


def transformer(layers=1):
    net = nn.Sequential(
        nn.Embedding(WORDS, WIDTH),
        *(Block() for _ in range(layers)),
        nn.Linear(WIDTH, WORDS, bias_attr=False),
    )
    ids = paddle.randint(0, WORDS, [3, LENGTH + 1])
    return net, lambda: F.cross_entropy(
        net(ids[:, :-1]).reshape([-1, WORDS]), ids[:, 1:].reshape([-1])
    )


def deep():
    return transformer(2)


def pictures():
    """LeNet on pictures that are padded and turned, so that kernels read before a tensor."""
    net = paddle.vision.models.LeNet()
    x, label = paddle.randn([2, 1, 26, 26]), paddle.randint(0, 10, [2])
    x.stop_gradient = False
    return net, lambda: F.cross_entropy(
        net(paddle.roll(F.pad(x, [1, 1, 1, 1], mode='constant'), 2, -1)), label
    )


def physics():
    """A net whose second derivative is to be its own negative, with values given at the ends."""
    net = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
    x = paddle.linspace(0, 1, 40).unsqueeze(-1)
    x.stop_gradient = False
    ends, values = paddle.to_tensor([[0.0], [1.0]]), paddle.to_tensor([[1.0], [2.0]])

    def loss():
        y = net(x)
        (first,) = paddle.grad(y.sum(), [x], create_graph=True)
        (second,) = paddle.grad(first.sum(), [x], create_graph=True)
        return ((second + y) ** 2).mean() + ((net(ends) - values) ** 2).mean()

    return net, loss


MODELS = {f.__name__: f for f in (perceptron, transformer, deep, pictures, physics)}


def copy_of(model, place, program):
    """The loss of the model on the place, its parameters and their optimizer."""
    paddle.set_device(place)
    paddle.seed(5)
    net, loss_of = model()
    opt = paddle.optimizer.AdamW(
        0.01, parameters=net.parameters(), weight_decay=0.1, grad_clip=nn.ClipGradByGlobalNorm(1.0)
    )
    if program:
        loss_of = paddle.jit.to_static(loss_of, full_graph=True)
    return loss_of, net.parameters(), opt


def share_gradients(parameters):
    """Each copy gets the mean, over the devices."""
    for same in zip(*parameters):
        total = same[0].grad
        for p in same[1:]:
            total = total + p.grad._copy_to(total.place, True)
        for p in same:
            p.grad.copy_(total / len(same), True)


def losses(model, places, dtype, steps, program):
    def forward(loss_of):
        with paddle.amp.auto_cast(enable=bool(dtype), dtype=dtype or 'bfloat16'):
            return loss_of()

    copies = [copy_of(model, place, program) for place in places]
    for place, (loss_of, _, _) in zip(places, copies) if program else ():
        paddle.set_device(place)
        forward(loss_of)
    out = []
    for _ in range(steps):
        for place, (loss_of, _, _) in zip(places, copies):
            paddle.set_device(place)
            loss = forward(loss_of)
            loss.backward()
        if len(places) > 1:
            share_gradients([parameters for _, parameters, _ in copies])
        for place, (_, _, opt) in zip(places, copies):
            paddle.set_device(place)
            opt.step()
            opt.clear_grad()
        out.append(loss.item())
    for place, (_, parameters, _) in zip(places, copies):
        assert all(p.place == paddle.to_tensor(0, place=place).place for p in parameters)
    return out


if __name__ == '__main__':
    kind, dtype = MODELS[sys.argv[1]], sys.argv[2]
    there = sys.argv[3] if len(sys.argv) > 3 else 'gpu:0'
    steps = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    print(
        json.dumps(
            [
                losses(kind, at, dtype, steps, 'program' in sys.argv)
                for at in (['cpu'], there.split(','))
            ]
        )
    )
