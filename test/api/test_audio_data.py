# SPDX-License-Identifier: Apache-2.0
"""Collections of recordings, on small ones in their folders."""

import os
import wave

import numpy as np
import pytest

from paddle.audio import datasets
from paddle.utils import archives


def record(path, samples):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with wave.open(str(path), 'wb') as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes((np.sin(np.arange(samples) * 0.05) * 9000).astype('<i2').tobytes())


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, '_HOME', str(tmp_path))
    return tmp_path


def test_sounds_in_folds(home):
    rows = ['filename,fold,target,category,esc10,src_file,take']
    for i in range(6):
        record(home / f'ESC-50-master/audio/{i}.wav', 4000 + i)
        rows.append(f'{i}.wav,{i % 5 + 1},{i + 3},x,True,1,A')
    os.makedirs(home / 'ESC-50-master/meta')
    (home / 'ESC-50-master/meta/esc50.csv').write_text('\n'.join(rows) + '\n')
    train, dev = datasets.ESC50(), datasets.ESC50('dev')
    assert [label for _, label in train] == [4, 5, 6, 7] and dev.labels == [3, 8]
    assert dev[1][0].shape == [4005] and len(datasets.ESC50.label_list) == 50
    wide = datasets.ESC50('dev', feat_type='mfcc', n_mfcc=13)[0][0]
    assert wide.shape == [13, 32]
    assert datasets.ESC50('dev', feat_type='spectrogram', n_fft=256)[0][0].shape == [129, 8]
    with pytest.raises(AssertionError, match='split from 1 to 5'):
        datasets.ESC50('dev', 9)
    with pytest.raises(RuntimeError, match='feat_type'):
        datasets.ESC50(feat_type='x')


def test_emotions_in_folds(home):
    for i, emotion in enumerate(('angry', 'fear', 'happy', 'ps', 'sad')):
        record(
            home / f'TESS_Toronto_emotional_speech_set/OAF_{emotion}/OAF_a_{emotion}.wav', 99 + i
        )
    assert datasets.TESS('train', 3, 1).labels == [2, 3, 6]
    dev = datasets.TESS('dev', n_folds=3, split=1)
    assert dev.labels == [0, 5] and dev[1][0].shape == [102]
    with pytest.raises(AssertionError, match='split from 1 to 2'):
        datasets.TESS(n_folds=2, split=3)
    with pytest.raises(AssertionError, match='n_folds above 0'):
        datasets.TESS(n_folds=0)


def test_what_is_not_there(home):
    for make in (datasets.ESC50, datasets.TESS):
        with pytest.raises(RuntimeError, match='not downloaded'):
            make()
