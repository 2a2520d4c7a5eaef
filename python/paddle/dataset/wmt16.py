# SPDX-License-Identifier: Apache-2.0
"""Sentences in English and German: (numbers of the words, of those of the translation behind its
mark of beginning, and of those before its mark of end)."""

from paddle.text.translation import WMT16 as _Pairs

__all__ = []


def _reader(mode, src_dict_size, trg_dict_size, src_lang):
    def reader():
        pairs = _Pairs(None, mode, src_dict_size, trg_dict_size, src_lang)
        for k in range(len(pairs)):
            yield tuple(part.tolist() for part in pairs[k])

    return reader


def train(src_dict_size, trg_dict_size, src_lang='en'):
    """A reader of the sentences to train on."""
    return _reader('train', src_dict_size, trg_dict_size, src_lang)


def test(src_dict_size, trg_dict_size, src_lang='en'):
    """A reader of the sentences to test with."""
    return _reader('test', src_dict_size, trg_dict_size, src_lang)


def validation(src_dict_size, trg_dict_size, src_lang='en'):
    """A reader of the sentences to validate with."""
    return _reader('val', src_dict_size, trg_dict_size, src_lang)


def get_dict(lang, dict_size, reverse=False):
    """The dictionary of 'en' or 'de' of so many words: {word: number}, or {number: word}."""
    return _Pairs(None, 'train', dict_size, dict_size, lang).get_dict(lang, reverse)


test.__test__ = False
