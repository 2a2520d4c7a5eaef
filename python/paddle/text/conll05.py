# SPDX-License-Identifier: Apache-2.0
"""Sentences with the roles that their words have to a predicate."""

import gzip
import io
import itertools

import numpy as np

from paddle.io import Dataset
from paddle.utils.archives import find_file, open_tar, read_tar_member

__all__ = ['Conll05st']

_WORDS = 'conll05st-release/test.wsj/words/test.wsj.words.gz'
_ROLES = 'conll05st-release/test.wsj/props/test.wsj.props.gz'
_UNKNOWN = 0


def _lines(path):
    with open(path) as stream:
        return [line.strip() for line in stream]


def _tags(column):
    """Tags of words, 'B-X', 'I-X' or 'O', for spans such as '(X*', '*', '*)'."""
    made, span = [], None
    for text in column:
        if text.startswith('('):
            span = text[1 : text.index('*')]
            made.append('B-' + span)
        else:
            made.append('O' if span is None else 'I-' + span)
        if text.endswith(')'):
            span = None
    return made


class Conll05st(Dataset):
    r"""Sentences with the roles that their words have to a predicate (the test set of CoNLL 2005).

    An item is nine arrays with a number for each word: the words, those two and one before the
    predicate, the predicate's, one and two behind it, the predicate, whether a word is one of these
    five, and the tags.

    Args:
        data_file (str, default None): The archive; None, as for the files below, for that in
            `~/.cache/paddle/dataset/conll05st`.
        word_dict_file (str, default None): The words, one a line.
        verb_dict_file (str, default None): The predicates, one a line.
        target_dict_file (str, default None): The tags, one a line.
        emb_file (str, default None): Vectors of the words, for `get_embedding`.
        download (bool, default True): Taken for compatibility: nothing is fetched.

    Raises:
        RuntimeError: A file is missing.

    Source: Carreras and Màrquez, Introduction to the CoNLL-2005 shared task (2005).

    Examples:
        >>> import gzip, io, pathlib, tarfile
        >>> parts = {"words/test.wsj.words.gz": "Dogs\nbark\n\n"}
        >>> parts["props/test.wsj.props.gz"] = "- (A0*)\nbark (V*)\n\n"
        >>> with tarfile.open("conll.tar.gz", "w:gz") as archive:
        ...     for name, text in parts.items():
        ...         packed = gzip.compress(text.encode())
        ...         member = tarfile.TarInfo(f"conll05st-release/test.wsj/{name}")
        ...         member.size = len(packed)
        ...         archive.addfile(member, io.BytesIO(packed))
        >>> lists = {"w": "<unk>\nDogs\nbark", "v": "bark", "t": "B-A0\nB-V\nO", "e": ""}
        >>> for name, text in lists.items():
        ...     _ = pathlib.Path(name).write_text(text)
        >>> data = paddle.text.Conll05st("conll.tar.gz", "w", "v", "t", "e")
        >>> [row.tolist() for row in data[0]]
        [[1, 2], [0, 0], [1, 1], [2, 2], [0, 0], [0, 0], [0, 0], [1, 1], [0, 2]]
    """

    def __init__(
        self,
        data_file=None,
        word_dict_file=None,
        verb_dict_file=None,
        target_dict_file=None,
        emb_file=None,
        download=True,
    ):
        def find(given, name):
            return find_file(given, 'conll05st', name, 'Conll05st')

        self.data_file = find(data_file, 'conll05st-tests.tar.gz')
        self.word_dict_file = find(word_dict_file, 'conll05st%2FwordDict.txt')
        self.verb_dict_file = find(verb_dict_file, 'conll05st%2FverbDict.txt')
        self.target_dict_file = find(target_dict_file, 'conll05st%2FtargetDict.txt')
        self.emb_file = find(emb_file, 'conll05st%2Femb')
        self.word_dict = {w: i for i, w in enumerate(_lines(self.word_dict_file))}
        self.predicate_dict = {w: i for i, w in enumerate(_lines(self.verb_dict_file))}
        spans = dict.fromkeys(t[2:] for t in _lines(self.target_dict_file) if t[:2] in ('B-', 'I-'))
        self.label_dict = {
            side + span: 2 * i + j
            for i, span in enumerate(spans)
            for j, side in enumerate(('B-', 'I-'))
        }
        self.label_dict['O'] = len(self.label_dict)
        self._load_anno()

    def _load_anno(self):
        self.sentences, self.predicates, self.labels = [], [], []
        with open_tar(self.data_file) as archive:
            words, roles = (io.BytesIO(read_tar_member(archive, name)) for name in (_WORDS, _ROLES))
        with gzip.open(words, 'rt') as words, gzip.open(roles, 'rt') as roles:
            sentence, rows = [], []
            for word, row in itertools.chain(zip(words, roles), [('', '')]):
                if row.split():
                    sentence.append(word.strip())
                    rows.append(row.split())
                    continue
                verbs, *columns = zip(*rows) if rows else ([],)
                verbs = [v for v in verbs if v != '-']
                for verb, column in zip(verbs, columns):
                    self.sentences.append(sentence)
                    self.predicates.append(verb)
                    self.labels.append(_tags(column))
                sentence, rows = [], []

    def __getitem__(self, idx):
        sentence, labels = self.sentences[idx], self.labels[idx]
        count, verb = len(sentence), labels.index('B-V')
        mark = [int(abs(i - verb) <= 2) for i in range(count)]
        around = []
        for at in range(verb - 2, verb + 3):
            word = 'bos' if at < 0 else 'eos' if at >= count else sentence[at]
            around.append([self.word_dict.get(word, _UNKNOWN)] * count)
        rows = (
            [self.word_dict.get(w, _UNKNOWN) for w in sentence],
            *around,
            [self.predicate_dict.get(self.predicates[idx])] * count,
            mark,
            [self.label_dict.get(w) for w in labels],
        )
        return tuple(np.array(row) for row in rows)

    def __len__(self):
        return len(self.sentences)

    def get_dict(self):
        """(words, predicates, tags), each with its numbers."""
        return self.word_dict, self.predicate_dict, self.label_dict

    def get_embedding(self):
        """The file of the words' vectors."""
        return self.emb_file
