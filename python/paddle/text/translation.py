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
    r"""Sentences in English and French, as numbers of words.

    An item is three arrays: the source with its marks, the target behind its start mark, the target
    before its end mark. Sentences over 80 words are left out.

    Args:
        data_file (str, default None): The archive; None for that in
            `~/.cache/paddle/dataset/wmt14`.
        mode (str, default 'train'): `train`, `test` or `gen`.
        dict_size (int, default -1): How many words of a dictionary are known, the marks included;
            it must be given.
        download (bool, default True): Taken for compatibility: nothing is fetched.

    Raises:
        AssertionError: Another mode, or no positive dict_size.
        RuntimeError: The archive is missing.

    Examples:
        >>> import io, tarfile
        >>> marks = "<s>\n<e>\n<unk>\n"
        >>> parts = {"src.dict": marks + "hello", "trg.dict": marks + "salut"}
        >>> parts["train/train"] = "hello\tsalut"
        >>> with tarfile.open("wmt14.tgz", "w:gz") as archive:
        ...     for name, text in parts.items():
        ...         member = tarfile.TarInfo(f"wmt14/{name}")
        ...         member.size = len(text)
        ...         archive.addfile(member, io.BytesIO(text.encode()))
        >>> data = paddle.text.WMT14("wmt14.tgz", dict_size=4)
        >>> [part.tolist() for part in data[0]]
        [[0, 3, 1], [0, 3], [3, 1]]
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
    r"""Sentences in English and German (Multi30k), as numbers of words.

    An item is three arrays: the source with its marks, the target behind its start mark, the target
    before its end mark. The most frequent words of the training set are known. The target's
    dictionary holds words of the target; PaddlePaddle 3.3 builds it from the source's.

    Args:
        data_file (str, default None): The archive; None for that in
            `~/.cache/paddle/dataset/wmt16`.
        mode (str, default 'train'): `train`, `test` or `val`.
        src_dict_size (int, default -1): How many words of the source are known, the marks included;
            it must be given.
        trg_dict_size (int, default -1): How many words of the target are; it must be given.
        lang (str, default 'en'): The language of the source: `en` or `de`.
        download (bool, default True): Taken for compatibility: nothing is fetched.

    Raises:
        AssertionError: Another mode or lang, or no positive sizes.
        RuntimeError: The archive is missing.

    Source: Elliott and others, Multi30K, https://arxiv.org/abs/1605.00459.

    Examples:
        >>> import io, tarfile
        >>> with tarfile.open("wmt16.tar.gz", "w:gz") as archive:
        ...     member = tarfile.TarInfo("wmt16/train")
        ...     member.size = len(b"a dog\tein Hund")
        ...     archive.addfile(member, io.BytesIO(b"a dog\tein Hund"))
        >>> data = paddle.text.WMT16("wmt16.tar.gz", src_dict_size=10, trg_dict_size=10)
        >>> data.get_dict("de")
        {'<s>': 0, '<e>': 1, '<unk>': 2, 'ein': 3, 'Hund': 4}
        >>> [part.tolist() for part in data[0]]
        [[0, 3, 4, 1], [0, 3, 4], [3, 4, 1]]
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
