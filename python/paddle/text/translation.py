# SPDX-License-Identifier: Apache-2.0
"""Pairs of sentences for translation, as numbers of words."""

import collections

import numpy as np

from paddle.base.arguments import mode_of
from paddle.io import Dataset
from paddle.utils.archives import find_file, open_tar, read_tar_member

__all__ = ['WMT14', 'WMT16']

_MARKS = ['<s>', '<e>', '<unk>']
_UNKNOWN = 2


def _checked(op, mode, allowed, *sizes):
    mode = mode_of(op, mode, allowed)
    if min(sizes) <= 0:
        raise AssertionError(f"[{op}] expected a positive dict_size, got {min(sizes)}")
    return mode


class _Pairs(Dataset):
    """(source with marks, target behind its start mark, target before its end mark), each int64."""

    def _read(self, lines, column, longest=None):
        self.src_ids, self.trg_ids, self.trg_ids_next = [], [], []
        for line in lines:
            parts = line.strip().split('\t')
            if len(parts) != 2:
                continue
            source = [self.src_dict.get(w, _UNKNOWN) for w in parts[column].split()]
            target = [self.trg_dict.get(w, _UNKNOWN) for w in parts[1 - column].split()]
            if longest is not None and (len(source) + 2 > longest or len(target) > longest):
                continue
            self.src_ids.append([0, *source, 1])
            self.trg_ids.append([0, *target])
            self.trg_ids_next.append([*target, 1])

    def __getitem__(self, idx):
        return (
            np.array(self.src_ids[idx]),
            np.array(self.trg_ids[idx]),
            np.array(self.trg_ids_next[idx]),
        )

    def __len__(self):
        return len(self.src_ids)


def _turned(words, reverse):
    return {i: w for w, i in words.items()} if reverse else words


class WMT14(_Pairs):
    """English and French; the first `dict_size` words of a dictionary are known, sentences over 80
    words left out.
    """

    def __init__(self, data_file=None, mode='train', dict_size=-1, download=True):
        self.mode = _checked('WMT14', mode, ('train', 'test', 'gen'), dict_size)
        self.data_file = find_file(data_file, 'wmt14', 'wmt14.tgz', 'WMT14')
        self.dict_size = dict_size
        with open_tar(self.data_file) as archive:
            names = archive.getnames()

            def lines(ending):
                return [
                    line
                    for name in names
                    if name.endswith(ending)
                    for line in read_tar_member(archive, name).decode().splitlines()
                ]

            self.src_dict, self.trg_dict = (
                {w.strip(): i for i, w in enumerate(lines(f'{side}.dict')[:dict_size])}
                for side in ('src', 'trg')
            )
            self._read(lines(f'{self.mode}/{self.mode}'), 0, 80)

    def get_dict(self, reverse=False):
        """(source words, target words): {word: number}, or {number: word}."""
        return _turned(self.src_dict, reverse), _turned(self.trg_dict, reverse)


class WMT16(_Pairs):
    """English and German (Multi30k); `lang` is the source's. The most frequent words of the
    training set are known.

    The target's dictionary holds words of the target; PaddlePaddle 3.3 builds it from the source's.
    """

    def __init__(
        self,
        data_file=None,
        mode='train',
        src_dict_size=-1,
        trg_dict_size=-1,
        lang='en',
        download=True,
    ):
        self.mode = _checked('WMT16', mode, ('train', 'test', 'val'), src_dict_size, trg_dict_size)
        if lang not in ('en', 'de'):
            raise AssertionError(f"[WMT16] expected lang 'en' or 'de', got {lang!r}")
        self.data_file = find_file(data_file, 'wmt16', 'wmt16.tar.gz', 'WMT16')
        self.lang, self.src_dict_size, self.trg_dict_size = lang, src_dict_size, trg_dict_size
        column = int(lang == 'de')
        with open_tar(self.data_file) as archive:
            train, chosen = (
                read_tar_member(archive, f'wmt16/{part}').decode().splitlines()
                for part in ('train', self.mode)
            )
        self.src_dict = self._dictionary(train, column, src_dict_size)
        self.trg_dict = self._dictionary(train, 1 - column, trg_dict_size)
        self._read(chosen, column)

    @staticmethod
    def _dictionary(lines, column, size):
        count = collections.Counter()
        for line in lines:
            parts = line.strip().split('\t')
            if len(parts) == 2:
                count.update(parts[column].split())
        words = _MARKS + [w for w, _ in sorted(count.items(), key=lambda item: -item[1])]
        return {w: i for i, w in enumerate(words[:size])}

    def get_dict(self, lang, reverse=False):
        """The dictionary of 'en' or 'de': {word: number}, or {number: word}."""
        if lang not in ('en', 'de'):
            raise AssertionError(f"[WMT16.get_dict] expected lang 'en' or 'de', got {lang!r}")
        return _turned(self.src_dict if lang == self.lang else self.trg_dict, reverse)
