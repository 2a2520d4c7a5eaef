# SPDX-License-Identifier: Apache-2.0
"""Two collections of recordings: sounds of the environment, and emotions in speech."""

import collections
import csv
import os

from paddle.utils.archives import find_file

from .dataset import AudioClassificationDataset

__all__ = ['ESC50', 'TESS']


def _check(owner, split, folds):
    if isinstance(split, bool) or not isinstance(split, int) or not 1 <= split <= folds:
        raise AssertionError(f"[{owner}] expected split from 1 to {folds}, got {split!r}")


class ESC50(AudioClassificationDataset):
    """2,000 recordings of 5 seconds, 40 of each of 50 sounds, in 5 folds.

    They are not fetched: `ESC-50-master` is unpacked in `~/.cache/paddle/dataset`.

    Args:
        mode (str, default 'train'): `train` for all folds but split; any other, such as `dev`, for
            that one.
        split (int, default 1): The fold for `dev`, from 1 to 5.
        feat_type (str, default 'raw'): `raw` for samples, or features: `spectrogram`,
            `melspectrogram`, `logmelspectrogram` or `mfcc`.
        archive (dict, default None): Where the recordings are published: `url` and `md5`; None for
            what is known.
        **kwargs (object): Arguments of the layer of the features.

    Raises:
        AssertionError: Another split.
        RuntimeError: The recordings are missing, or another feat_type.

    Source: Piczak, ESC: dataset for environmental sound classification (2015).

    Examples:
        >>> ESC50 = paddle.audio.datasets.ESC50
        >>> len(ESC50.label_list), ESC50.label_list[0]
        (50, 'Dog')
        >>> try:
        ...     samples, label = ESC50(mode="train", split=1)[0]
        ... except RuntimeError:  # the recordings are not there
        ...     samples, label = paddle.zeros([220500]), 0
    """

    archive = {
        'url': 'https://paddleaudio.bj.bcebos.com/datasets/ESC-50-master.zip',
        'md5': '7771e4b9d86d0945acce719c7a59305a',
    }
    label_list = (
        'Dog;Rooster;Pig;Cow;Frog;Cat;Hen;Insects (flying);Sheep;Crow;Rain;Sea waves;'
        'Crackling fire;Crickets;Chirping birds;Water drops;Wind;Pouring water;Toilet flush;'
        'Thunderstorm;Crying baby;Sneezing;Clapping;Breathing;Coughing;Footsteps;Laughing;'
        'Brushing teeth;Snoring;Drinking, sipping;Door knock;Mouse click;Keyboard typing;'
        'Door, wood creaks;Can opening;Washing machine;Vacuum cleaner;Clock alarm;Clock tick;'
        'Glass breaking;Helicopter;Chainsaw;Siren;Car horn;Engine;Train;Church bells;Airplane;'
        'Fireworks;Hand saw'
    ).split(';')
    meta = os.path.join('ESC-50-master', 'meta', 'esc50.csv')
    meta_info = collections.namedtuple(
        'META_INFO', ('filename', 'fold', 'target', 'category', 'esc10', 'src_file', 'take')
    )
    audio_path = os.path.join('ESC-50-master', 'audio')

    def __init__(self, mode='train', split=1, feat_type='raw', archive=None, **kwargs):
        _check('ESC50', split, 5)
        if archive is not None:
            self.archive = archive
        files, labels = self._get_data(mode, split)
        super().__init__(files=files, labels=labels, feat_type=feat_type, **kwargs)

    def _get_meta_info(self):
        with open(find_file(None, '', self.meta, 'ESC50'), newline='') as stream:
            return [self.meta_info(*row) for row in list(csv.reader(stream))[1:]]

    def _get_data(self, mode, split):
        folder = find_file(None, '', self.audio_path, 'ESC50')
        rows = [r for r in self._get_meta_info() if (int(r.fold) != split) == (mode == 'train')]
        return [os.path.join(folder, r.filename) for r in rows], [int(r.target) for r in rows]


class TESS(AudioClassificationDataset):
    """2,800 recordings of 200 words by two speakers in seven emotions.

    They are not fetched: `TESS_Toronto_emotional_speech_set` is unpacked in
    `~/.cache/paddle/dataset`.

    Args:
        mode (str, default 'train'): `train` for all folds but split; any other, such as `dev`, for
            that one.
        n_folds (int, default 5): How many folds the recordings are dealt to.
        split (int, default 1): The fold for `dev`, from 1 to n_folds.
        feat_type (str, default 'raw'): `raw` for samples, or features: `spectrogram`,
            `melspectrogram`, `logmelspectrogram` or `mfcc`.
        archive (dict, default None): Where the recordings are published: `url` and `md5`; None for
            what is known.
        **kwargs (object): Arguments of the layer of the features.

    Raises:
        AssertionError: n_folds or a split that cannot be.
        RuntimeError: The recordings are missing, or another feat_type.

    Source: Pichora-Fuller and Dupuis, Toronto emotional speech set (2020).

    Examples:
        >>> TESS = paddle.audio.datasets.TESS
        >>> TESS.label_list
        ['angry', 'disgust', 'fear', 'happy', 'neutral', 'ps', 'sad']
        >>> try:
        ...     samples, label = TESS(mode="dev", n_folds=5, split=1)[0]
        ... except RuntimeError:  # the recordings are not there
        ...     samples, label = paddle.zeros([50000]), 0
    """

    archive = {
        'url': 'https://bj.bcebos.com/paddleaudio/datasets/TESS_Toronto_emotional_speech_set.zip',
        'md5': '1465311b24d1de704c4c63e4ccc470c7',
    }
    label_list = ['angry', 'disgust', 'fear', 'happy', 'neutral', 'ps', 'sad']
    meta_info = collections.namedtuple('META_INFO', ('speaker', 'word', 'emotion'))
    audio_path = 'TESS_Toronto_emotional_speech_set'

    def __init__(self, mode='train', n_folds=5, split=1, feat_type='raw', archive=None, **kwargs):
        if isinstance(n_folds, bool) or not isinstance(n_folds, int) or n_folds < 1:
            raise AssertionError(f"[TESS] expected n_folds above 0, got {n_folds!r}")
        _check('TESS', split, n_folds)
        if archive is not None:
            self.archive = archive
        self._count = n_folds
        files, labels = self._get_data(mode, split)
        super().__init__(files=files, labels=labels, feat_type=feat_type, **kwargs)

    def _get_meta_info(self, files):
        return [
            self.meta_info(*os.path.basename(file).rsplit('.', 1)[0].split('_')) for file in files
        ]

    def _get_data(self, mode, split):
        files = sorted(
            os.path.join(root, name)
            for root, _, names in os.walk(find_file(None, '', self.audio_path, 'TESS'))
            for name in names
            if name.endswith('.wav')
        )
        infos = self._get_meta_info(files)
        kept = [i for i in range(len(files)) if (i % self._count + 1 != split) == (mode == 'train')]
        return [files[i] for i in kept], [self.label_list.index(infos[i].emotion) for i in kept]
