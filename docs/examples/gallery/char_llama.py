# SPDX-License-Identifier: Apache-2.0
"""A character LLaMA: RMS norm, rotary positions, SwiGLU; it learns to spell and then writes.

    python char_llama.py [--quick] [--out llama.png]

The text comes from a grammar. The number is the share of words of generated text that exist.
"""

import random

import common
import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn

ANIMALS = 'cat dog bird horse mouse'.split()
VERBS = 'sees likes hears follows'.split()
PLACES = 'garden house forest street'.split()
LETTERS = sorted(set(' .' + ''.join(['the', 'in', *ANIMALS, *VERBS, *PLACES])))
NUMBER = {letter: k for k, letter in enumerate(LETTERS)}
SPAN = 48


def sentence():
    one, other, place = random.choice(ANIMALS), random.choice(ANIMALS), random.choice(PLACES)
    return f'the {one} {random.choice(VERBS)} the {other} in the {place}. '


def rotated(x, angles):
    """Pairs of features [batch, length, heads, dim] turned by their positions."""
    a, b = x.chunk(2, axis=-1)
    cos, sin = angles.cos(), angles.sin()
    return paddle.concat([a * cos - b * sin, b * cos + a * sin], axis=-1)


class Block(nn.Layer):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.dim = heads, width // heads
        self.norms = nn.LayerList([nn.RMSNorm(width), nn.RMSNorm(width)])
        self.qkv = nn.Linear(width, 3 * width, bias_attr=False)
        self.out = nn.Linear(width, width, bias_attr=False)
        self.gate = nn.Linear(width, 4 * width, bias_attr=False)
        self.down = nn.Linear(2 * width, width, bias_attr=False)

    def forward(self, x, angles):
        parts = self.qkv(self.norms[0](x)).reshape([0, 0, 3 * self.heads, self.dim])
        q, k, v = parts.chunk(3, axis=2)
        seen = F.scaled_dot_product_attention(
            rotated(q, angles), rotated(k, angles), v, is_causal=True
        )
        x = x + self.out(seen.flatten(2))
        return x + self.down(F.swiglu(self.gate(self.norms[1](x))))


class Llama(nn.Layer):
    def __init__(self, width=64, heads=4, depth=2):
        super().__init__()
        self.embed = nn.Embedding(len(LETTERS), width)
        self.blocks = nn.LayerList([Block(width, heads) for _ in range(depth)])
        self.norm, self.head = nn.RMSNorm(width), nn.Linear(width, len(LETTERS), bias_attr=False)
        half = width // heads // 2
        rates = 10000.0 ** (-paddle.arange(half, dtype='float32') / half)
        positions = paddle.arange(SPAN, dtype='float32')
        self.register_buffer('angles', positions.reshape([1, -1, 1, 1]) * rates, False)

    def forward(self, letters):
        x, angles = self.embed(letters), self.angles[:, : letters.shape[1]]
        for block in self.blocks:
            x = block(x, angles)
        return self.head(self.norm(x))


@paddle.no_grad()
def generate(net, start, count):
    """`start` continued by letters drawn from the network."""
    text = start
    for _ in range(count):
        scores = net(paddle.to_tensor([[NUMBER[c] for c in text[-SPAN:]]]))[0, -1]
        text += LETTERS[paddle.multinomial(F.softmax(scores / 0.5)).item()]
    return text


def main(quick):
    random.seed(0)
    text = np.array([NUMBER[c] for _ in range(2000) for c in sentence()])
    net = Llama(depth=1 if quick else 2)

    def loss_of():
        starts = np.random.randint(0, len(text) - SPAN - 1, 16)
        rows = paddle.to_tensor(np.stack([text[s : s + SPAN + 1] for s in starts]))
        return F.cross_entropy(net(rows[:, :-1]), rows[:, 1:])

    losses = common.fit(200 if quick else 600, 'LLaMA', net.parameters(), loss_of, rate=1e-2)
    written = generate(net, 'the ', 100 if quick else 300)
    print(written)
    words = written.replace('.', ' ').split()[:-1]
    known = {'the', 'in', *ANIMALS, *VERBS, *PLACES}
    return sum(word in known for word in words) / len(words), [('loss', losses)]


if __name__ == '__main__':
    common.launch(main, 'share of words that exist', least=0.95, quick_least=0.5)
