# SPDX-License-Identifier: Apache-2.0
"""Text datasets on small archives in their formats."""

import gzip
import io
import pickle
import tarfile
import zipfile

import numpy as np
import pytest

from paddle.text import WMT14, WMT16, Conll05st, Movielens


def archive(path, files):
    with tarfile.open(path, 'w:gz') as tar:
        for name, text in files.items():
            data = text.encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return str(path)


def values(sample):
    return [np.asarray(part).tolist() for part in sample]


def test_movielens(tmp_path):
    path = str(tmp_path / 'ml-1m.zip')
    with zipfile.ZipFile(path, 'w') as file:
        films = '1::Toy Story (1995)::Animation|Comedy\n2::Élan (1996)::Drama\n'
        file.writestr('ml-1m/movies.dat', films.encode('latin-1'))
        file.writestr('ml-1m/users.dat', '1::F::56::10::48067\n2::M::25::16::70072\n')
        file.writestr('ml-1m/ratings.dat', '1::1::5::0\n2::2::1::0\n' * 20)
    train, test = (
        Movielens(path, mode, test_ratio=0.25, rand_seed=3) for mode in ('train', 'test')
    )
    assert len(train) + len(test) == 40 and 3 <= len(test) <= 17
    first = next(s for s in map(values, train) if s[0] == [1])
    assert first == [[1], [1], [6], [10], [1], [0, 1], [1, 0], [5.0]]
    assert values(pickle.loads(pickle.dumps(train))[0]) == values(train[0])
    second = next(s for s in map(values, train) if s[0] == [2])
    assert second == [[2], [0], [2], [16], [2], [2], [2], [-3.0]]
    for wrong in ({'test_ratio': [0.5]}, {'rand_seed': [3]}, {'rand_seed': 1.5}):
        with pytest.raises(TypeError):
            Movielens(path, **wrong)


def test_wmt14(tmp_path):
    long = ' '.join(['cat'] * 79)
    path = archive(
        tmp_path / 'wmt14.tgz',
        {
            'wmt14/src.dict': '<s>\n<e>\n<unk>\nthe\ncat\nsat\n',
            'wmt14/trg.dict': '<s>\n<e>\n<unk>\nle\nchat\nassis\n',
            'wmt14/train/train': f'the cat dog\tle chat\n{long}\tchat\nno target\n',
            'wmt14/test/test': 'sat\tassis\n',
            'wmt14/gen/gen': '',
        },
    )
    data = WMT14(path, dict_size=5)
    assert [values(s) for s in data] == [[[0, 3, 4, 2, 1], [0, 3, 4], [3, 4, 1]]]
    assert data.get_dict(reverse=True)[1] == {0: '<s>', 1: '<e>', 2: '<unk>', 3: 'le', 4: 'chat'}
    assert (
        values(WMT14(path, 'test', 6)[0]) == [[0, 5, 1], [0, 5], [5, 1]]
        and len(WMT14(path, 'gen', 6)) == 0
    )
    with pytest.raises(AssertionError):
        WMT14(path)


def test_wmt16(tmp_path):
    path = archive(
        tmp_path / 'wmt16.tar.gz',
        {
            'wmt16/train': 'a man\tein Mann\na dog\tein Hund\n',
            'wmt16/val': 'dog a\tHund\n',
            'wmt16/test': '',
        },
    )
    assert values(WMT16(path, 'val', 10, 10)[0]) == [[0, 5, 3, 1], [0, 5], [5, 1]]
    german = WMT16(path, 'val', 4, 10, lang='de')
    assert values(german[0]) == [[0, 2, 1], [0, 5, 3], [5, 3, 1]]
    assert german.get_dict('de') == {'<s>': 0, '<e>': 1, '<unk>': 2, 'ein': 3}


def test_roles_of_words(tmp_path):
    sentence = 'The cat was said to sleep .'.split()
    roles = ['- * (A1*', '- * *)', '- * *', 'say (V*) *', '- (A2* *', 'sleep * (V*)', '- *) *']
    parts = {
        'words': '\n'.join([*sentence, '', 'He', 'ran', '']) + '\n',
        'props': '\n'.join([*roles, '', '- (A0*)', 'run (V*)', '']) + '\n',
    }
    path = str(tmp_path / 'data.tar.gz')
    with tarfile.open(path, 'w:gz') as tar:
        for name, text in parts.items():
            data = gzip.compress(text.encode())
            member = tarfile.TarInfo(f'conll05st-release/test.wsj/{name}/test.wsj.{name}.gz')
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    files = {
        'words': 'unk The cat bos eos to sleep ran',
        'verbs': 'say sleep run',
        'tags': 'B-A1 I-A1 O B-V I-V B-A0 B-A2 I-A2',
        'vectors': '0',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text.replace(' ', '\n') + '\n')
    data = Conll05st(path, *(str(tmp_path / name) for name in files))
    words, verbs, tags = data.get_dict()
    assert len(data) == 3 and verbs == {'say': 0, 'sleep': 1, 'run': 2} and len(tags) == 9
    assert data.get_embedding() == str(tmp_path / 'vectors')
    *rows, last = values(data[1])
    names = {number: tag for tag, number in tags.items()}
    assert [names[n] for n in last] == ['B-A1', 'I-A1', 'O', 'O', 'O', 'B-V', 'O']
    assert rows == [
        [1, 2, 0, 0, 5, 6, 0],
        *([n] * 7 for n in (0, 5, 6, 0, words['eos'])),
        [1] * 7,
        [0, 0, 0, 1, 1, 1, 1],
    ]
    assert [names[n] for n in values(data[0])[8]] == ['O', 'O', 'O', 'B-V', 'B-A2', 'I-A2', 'I-A2']
    assert values(data[2])[1:4] == [[3, 3], [0, 0], [7, 7]]
