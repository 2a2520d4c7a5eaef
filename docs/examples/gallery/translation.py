# SPDX-License-Identifier: Apache-2.0
"""Translation of a synthetic grammar: from subject-verb-object to subject-object-verb.

    python translation.py [--quick] [--out translation.png]

Adjectives move behind their nouns and agree with them; a Transformer learns it from pairs. The
number is the share of new sentences that are translated without a mistake.
"""

import random

import common
import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn

NOUNS = {'cat': 'mia', 'dog': 'vuf', 'bird': 'pira', 'fish': 'glu', 'horse': 'hira', 'cow': 'mu'}
VERBS = {'sees': 'okar', 'likes': 'amar', 'finds': 'trovar', 'hears': 'udar'}
ADJECTIVES = {'big': 'gran', 'small': 'pik', 'red': 'rod', 'old': 'vel'}
MARKS = ['<pad>', '<go>', '<end>']
SOURCE = [*MARKS, *NOUNS, *VERBS, *ADJECTIVES]
ENDED = [word + ending for word in ADJECTIVES.values() for ending in ('a', 'o')]
TARGET = [*MARKS, *NOUNS.values(), *VERBS.values(), *ENDED]
LENGTH = 7


def phrase():
    """A noun, with an adjective or without, in both languages."""
    noun, adjective = random.choice([*NOUNS]), random.choice([*ADJECTIVES, None])
    other = NOUNS[noun]
    if adjective is None:
        return [noun], [other]
    return [adjective, noun], [other, ADJECTIVES[adjective] + ('a' if other[-1] == 'a' else 'o')]


def pairs(count):
    """Numbers of words: sources [count, 5] and targets [count, 7] between marks."""
    sources, targets = [], []
    for _ in range(count):
        (one, eno), (two, owt), verb = phrase(), phrase(), random.choice([*VERBS])
        source = [SOURCE.index(w) for w in [*one, verb, *two]]
        target = [TARGET.index(w) for w in ['<go>', *eno, *owt, VERBS[verb], '<end>']]
        sources.append(source + [0] * (5 - len(source)))
        targets.append(target + [0] * (LENGTH - len(target)))
    return np.array(sources), np.array(targets)


class Translator(nn.Layer):
    def __init__(self, width=64):
        super().__init__()
        self.source = nn.Embedding(len(SOURCE), width)
        self.target = nn.Embedding(len(TARGET), width)
        self.places = self.create_parameter([LENGTH, width])
        self.core = nn.Transformer(width, 4, 1, 1, 2 * width, dropout=0.0)
        self.head = nn.Linear(width, len(TARGET))

    def forward(self, source, target):
        known, wanted = source.shape[1], target.shape[1]
        mask = self.core.generate_square_subsequent_mask(wanted)
        return self.head(
            self.core(
                self.source(source) + self.places[:known],
                self.target(target) + self.places[:wanted],
                tgt_mask=mask,
            )
        )


@paddle.no_grad()
def translate(net, sources):
    """The most likely word after the other, until all sentences are as long as they may be."""
    found = paddle.full([len(sources), 1], TARGET.index('<go>'), 'int64')
    for _ in range(LENGTH - 1):
        found = paddle.concat([found, net(sources, found)[:, -1:].argmax(axis=-1)], axis=1)
    return found.numpy()


def main(quick):
    random.seed(0)
    net, data, (sources, targets) = Translator(), pairs(4000), pairs(200)

    def loss_of():
        source, target = common.batch(64, *data)
        return F.cross_entropy(net(source, target[:, :-1]), target[:, 1:], ignore_index=0)

    losses = common.fit(120 if quick else 500, 'Transformer', net.parameters(), loss_of)
    net.eval()
    found = translate(net, paddle.to_tensor(sources))
    ended = np.cumsum(found == TARGET.index('<end>'), axis=1) - (found == TARGET.index('<end>'))
    right = ((found == targets) | (ended > 0)).all(axis=1).mean()
    return float(right), [('loss', losses)]


if __name__ == '__main__':
    common.launch(main, 'sentences without a mistake', least=0.95, quick_least=0.3)
