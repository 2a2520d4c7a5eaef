# SPDX-License-Identifier: Apache-2.0
"""Text and table datasets read from local archives. Nothing is downloaded."""

import collections
import re
import string

import numpy as np

from paddle import _lazy
from paddle.base.arguments import mode_of
from paddle.io import Dataset
from paddle.utils.archives import find_file, open_tar, read_tar_member

__all__ = ['UCIHousing', 'Imdb', 'Imikolov']


class UCIHousing(Dataset):
    """Houses of Boston: 13 normalised features and the price, an array each.

    Args:
        data_file (str, default None): The table; None for that in
            `~/.cache/paddle/dataset/uci_housing`.
        mode (str, default 'train'): `train` for the first 80 % of the rows, `test` for the rest.
        download (bool, default True): Taken for compatibility: nothing is fetched.

    Raises:
        AssertionError: Another mode.
        RuntimeError: The table is missing.

    Examples:
        >>> import numpy as np
        >>> np.savetxt("housing.data", np.arange(70.0).reshape(5, 14))
        >>> data = paddle.text.UCIHousing("housing.data")
        >>> features, price = data[0]
        >>> len(data), features.shape, price
        (4, (13,), array([13.], dtype=float32))
    """

    def __init__(self, data_file=None, mode='train', download=True):
        self.mode = mode_of('UCIHousing', mode, ('train', 'test'))
        self.data_file = find_file(data_file, 'uci_housing', 'housing.data', 'UCIHousing')
        data = np.fromfile(self.data_file, sep=' ').reshape(-1, 14)
        low, high, mean = data.min(0), data.max(0), data.mean(0)
        data[:, :13] = (data[:, :13] - mean[:13]) / (high[:13] - low[:13])
        cut = int(len(data) * 0.8)
        self.data = data[:cut] if self.mode == 'train' else data[cut:]
        self.dtype = 'float32'

    def __getitem__(self, idx):
        row = self.data[idx]
        return row[:-1].astype(self.dtype), row[-1:].astype(self.dtype)

    def __len__(self):
        return len(self.data)


class Imdb(Dataset):
    """Reviews of films: the numbers of the words, and 0 for a positive one or 1.

    Args:
        data_file (str, default None): The archive; None for that in `~/.cache/paddle/dataset/imdb`.
        mode (str, default 'train'): `train` or `test`.
        cutoff (int, default 150): Words that occur no more often are one unknown word.
        download (bool, default True): Taken for compatibility: nothing is fetched.

    Raises:
        AssertionError: Another mode.
        RuntimeError: The archive is missing.

    Source: Maas and others, Learning word vectors for sentiment analysis (2011).

    Examples:
        >>> import io, tarfile
        >>> with tarfile.open("imdb.tar.gz", "w:gz") as archive:
        ...     for name, text in (("pos/0", b"good good film"), ("neg/1", b"bad film")):
        ...         member = tarfile.TarInfo(f"aclImdb/train/{name}.txt")
        ...         member.size = len(text)
        ...         archive.addfile(member, io.BytesIO(text))
        >>> data = paddle.text.Imdb("imdb.tar.gz", cutoff=1)
        >>> data.word_idx
        {'film': 0, 'good': 1, '<unk>': 2}
        >>> [[part.tolist() for part in data[k]] for k in range(len(data))]
        [[[1, 1, 0], [0]], [[2, 0], [1]]]
    """

    def __init__(self, data_file=None, mode='train', cutoff=150, download=True):
        self.mode = mode_of('Imdb', mode, ('train', 'test'))
        self.data_file = find_file(data_file, 'imdb', 'aclImdb_v1.tar.gz', 'Imdb')
        self.word_idx = self._dictionary(cutoff)
        self.docs, self.labels = [], []
        unknown = self.word_idx['<unk>']
        for label, kind in enumerate(('pos', 'neg')):
            for words in self._documents(re.compile(rf'aclImdb/{self.mode}/{kind}/.*\.txt$')):
                self.docs.append([self.word_idx.get(w, unknown) for w in words])
                self.labels.append(label)

    def _documents(self, pattern):
        drop = str.maketrans('', '', string.punctuation)
        with open_tar(self.data_file) as archive:
            for member in archive:
                if pattern.match(member.name):
                    text = read_tar_member(archive, member).decode('utf-8', 'replace')
                    yield text.rstrip('\n\r').translate(drop).lower().split()

    def _dictionary(self, cutoff):
        count = collections.Counter()
        for words in self._documents(
            re.compile(r'aclImdb/((train)|(test))/((pos)|(neg))/.*\.txt$')
        ):
            count.update(words)
        kept = sorted(((w, n) for w, n in count.items() if n > cutoff), key=lambda x: (-x[1], x[0]))
        words = {w: i for i, (w, _) in enumerate(kept)}
        words['<unk>'] = len(words)
        return words

    def __getitem__(self, idx):
        return np.array(self.docs[idx]), np.array([self.labels[idx]])

    def __len__(self):
        return len(self.docs)


class Imikolov(Dataset):
    """The Penn Treebank as n-grams or sequences of word numbers.

    Args:
        data_file (str, default None): The archive; None for that in
            `~/.cache/paddle/dataset/imikolov`.
        data_type (str, default 'NGRAM'): `NGRAM`, or `SEQ` for (sentence, the sentence one word
            further).
        window_size (int, default -1): The length of an n-gram; of `SEQ` the longest sentence, with
            0 or less for any.
        mode (str, default 'train'): `train` or `test`.
        min_word_freq (int, default 50): Words that occur no more often are one unknown word.
        download (bool, default True): Taken for compatibility: nothing is fetched.

    Raises:
        AssertionError: Another data_type or mode, or n-grams without a window_size.
        RuntimeError: The archive is missing.

    Source: Mikolov and others, Recurrent neural network based language model (2010).

    Examples:
        >>> import io, tarfile
        >>> with tarfile.open("ptb.tgz", "w:gz") as archive:
        ...     for part in ("train", "valid"):
        ...         member = tarfile.TarInfo(f"./simple-examples/data/ptb.{part}.txt")
        ...         member.size = len(b"a b a")
        ...         archive.addfile(member, io.BytesIO(b"a b a"))
        >>> data = paddle.text.Imikolov("ptb.tgz", window_size=2, min_word_freq=1)
        >>> data.word_idx
        {'a': 0, '<e>': 1, '<s>': 2, 'b': 3, '<unk>': 4}
        >>> [[int(word) for word in data[k]] for k in range(len(data))]
        [[2, 0], [0, 3], [3, 0], [0, 1]]
    """

    def __init__(
        self,
        data_file=None,
        data_type='NGRAM',
        window_size=-1,
        mode='train',
        min_word_freq=50,
        download=True,
    ):
        if data_type.upper() not in ('NGRAM', 'SEQ'):
            raise AssertionError(
                f"[Imikolov] expected data_type 'NGRAM' or 'SEQ', got {data_type!r}"
            )
        self.data_type = data_type.upper()
        self.mode = mode_of('Imikolov', mode, ('train', 'test'))
        self.window_size = window_size
        self.min_word_freq = min_word_freq
        self.data_file = find_file(data_file, 'imikolov', 'simple-examples.tgz', 'Imikolov')
        with open_tar(self.data_file) as archive:
            lines = {
                part: read_tar_member(archive, f'./simple-examples/data/ptb.{part}.txt')
                .decode()
                .splitlines()
                for part in ('train', 'valid')
            }
        count = self.word_count(lines['valid'], self.word_count(lines['train']))
        count.pop('<unk>', None)
        kept = sorted(
            ((w, n) for w, n in count.items() if n > min_word_freq), key=lambda x: (-x[1], x[0])
        )
        self.word_idx = {w: i for i, (w, _) in enumerate(kept)}
        self.word_idx['<unk>'] = len(self.word_idx)
        self.data = list(self._samples(lines['train' if self.mode == 'train' else 'valid']))

    def word_count(self, f, word_freq=None):
        """Counts of the words of the lines `f`, with start and end marks."""
        word_freq = collections.defaultdict(int) if word_freq is None else word_freq
        for line in f:
            for word in line.strip().split():
                word_freq[word] += 1
            word_freq['<s>'] += 1
            word_freq['<e>'] += 1
        return word_freq

    def _samples(self, lines):
        unknown = self.word_idx['<unk>']
        for line in lines:
            words = line.strip().split()
            if self.data_type == 'NGRAM':
                if self.window_size <= -1:
                    raise AssertionError(
                        "[Imikolov] expected window_size of at least 0 for 'NGRAM', got "
                        f"{self.window_size}"
                    )
                marked = ['<s>'] + words + ['<e>']
                numbers = [self.word_idx.get(w, unknown) for w in marked]
                for i in range(self.window_size, len(numbers) + 1):
                    yield tuple(numbers[i - self.window_size : i])
            else:
                numbers = [self.word_idx.get(w, unknown) for w in words]
                source = [self.word_idx['<s>']] + numbers
                target = numbers + [self.word_idx['<e>']]
                if self.window_size > 0 and len(source) > self.window_size:
                    continue
                yield source, target

    def __getitem__(self, idx):
        return tuple(np.array(d) for d in self.data[idx])

    def __len__(self):
        return len(self.data)


_lazy.serve(globals())
