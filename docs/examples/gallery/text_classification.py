# SPDX-License-Identifier: Apache-2.0
"""Text classification: whether a sentence praises or blames, where `not` turns its sense.

    python text_classification.py [--quick] [--out text.png]

Sentences come from a grammar; a recurrent network reads embedded words.
"""

import random

import common
import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn

GOOD = 'good great lovely splendid fine'.split()
BAD = 'bad awful dull poor boring'.split()
THINGS = 'film book song meal trip game'.split()
WORDS = ['<pad>', 'the', 'was', 'not', 'and', 'but', 'really', *GOOD, *BAD, *THINGS]
NUMBER = {word: k for k, word in enumerate(WORDS)}
LENGTH = 12


def sentence():
    """Words, and whether the last judgement praises."""
    words, praise = ['the', random.choice(THINGS), 'was'], False
    clauses = random.randint(1, 2)
    for clause in range(clauses):
        turned, word = random.random() < 0.5, random.choice(GOOD + BAD)
        praise = (word in GOOD) != turned
        words += ['not'] * turned + ['really'] * random.randint(0, 2) + [word]
        words += ['but'] if clause + 1 < clauses else []
    return words[:LENGTH], praise


def sentences(count):
    rows = [sentence() for _ in range(count)]
    numbers = [[NUMBER[w] for w in words] + [0] * (LENGTH - len(words)) for words, _ in rows]
    lengths = np.array([len(words) for words, _ in rows], 'int64')
    return np.array(numbers), lengths, np.array([int(praise) for _, praise in rows])


class Reader(nn.Layer):
    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Embedding(len(WORDS), width)
        self.read = nn.GRU(width, width)
        self.judge = nn.Linear(width, 2)

    def forward(self, words, lengths):
        _, state = self.read(self.embed(words), sequence_length=lengths)
        return self.judge(state[-1])


def main(quick):
    random.seed(0)
    net, data, held = Reader(), sentences(2000), sentences(500)

    def loss_of():
        words, lengths, praise = common.batch(32, *data)
        return F.cross_entropy(net(words, lengths), praise)

    losses = common.fit(120 if quick else 400, 'GRU', net.parameters(), loss_of, rate=1e-2)
    words, lengths, praise = map(paddle.to_tensor, held)
    with paddle.no_grad():
        right = (net(words, lengths).argmax(axis=1) == praise).astype('float32').mean().item()
    return right, [('loss', losses)]


if __name__ == '__main__':
    common.launch(main, 'accuracy on new sentences', least=0.97, quick_least=0.75)
