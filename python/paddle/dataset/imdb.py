# SPDX-License-Identifier: Apache-2.0
"""Reviews of films: (numbers of the words, 0 for praise and 1 for blame)."""

import re

from paddle.text.datasets import Imdb as _Reviews
from paddle.text.datasets import find_file as _find_file

__all__ = []


def word_dict():
    """{word: number} of the words that occur more than 150 times."""
    return _Reviews().word_idx


def _documents(mode, kind):
    files = _Reviews.__new__(_Reviews)
    files.data_file = _find_file(None, 'imdb', 'aclImdb_v1.tar.gz', 'Imdb')
    return files._documents(re.compile(rf'aclImdb/{mode}/{kind}/.*\.txt$'))


def _reader(mode, word_idx):
    unknown = word_idx['<unk>']

    def reader():
        for label, kind in enumerate(('pos', 'neg')):
            for words in _documents(mode, kind):
                yield [word_idx.get(w, unknown) for w in words], label

    return reader


def train(word_idx):
    """A reader of the reviews to train on, with the numbers of a dictionary."""
    return _reader('train', word_idx)


def test(word_idx):
    """A reader of the reviews to test with, with the numbers of a dictionary."""
    return _reader('test', word_idx)


test.__test__ = False
