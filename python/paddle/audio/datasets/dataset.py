# SPDX-License-Identifier: Apache-2.0
"""Wave files and their labels as a dataset of samples or of spectral features."""

import paddle
from paddle.audio import features
from paddle.base.arguments import any_of
from paddle.io import Dataset

__all__ = ['AudioClassificationDataset', 'feat_funcs']

feat_funcs = {
    'raw': None,
    'melspectrogram': features.MelSpectrogram,
    'mfcc': features.MFCC,
    'logmelspectrogram': features.LogMelSpectrogram,
    'spectrogram': features.Spectrogram,
}


class AudioClassificationDataset(Dataset):
    """(samples [length], or features [feature, frames], label) of each file.

    Args:
        files (list of strs): Wave files of one channel.
        labels (list of ints): The label of each.
        feat_type (str): 'raw' for samples, or which features: 'melspectrogram', 'mfcc',
            'logmelspectrogram', 'spectrogram'.
        sample_rate (int, optional): The rate of the files; without it what each says.
        kwargs: Arguments of the features' layer.
    """

    def __init__(self, files, labels, feat_type='raw', sample_rate=None, **kwargs):
        super().__init__()
        if feat_type not in feat_funcs:
            raise RuntimeError(
                f"[{type(self).__name__}] expected feat_type {any_of(feat_funcs)}, got "
                f"{feat_type!r}"
            )
        if len(files) != len(labels):
            raise ValueError(
                f"[{type(self).__name__}] expected a label for each file, got {len(files)} files "
                f"and {len(labels)} labels"
            )
        self.files, self.labels = files, labels
        self.feat_type, self.sample_rate, self.feat_config = feat_type, sample_rate, kwargs

    def _convert_to_record(self, idx):
        samples, rate = paddle.audio.load(self.files[idx])
        if samples.ndim == 2:
            samples = samples.squeeze(0)
        samples = samples.astype('float32')
        layer = feat_funcs[self.feat_type]
        if layer is not None:
            config = dict(self.feat_config)
            if self.feat_type != 'spectrogram':
                config['sr'] = self.sample_rate or rate
            samples = layer(**config)(samples.unsqueeze(0)).squeeze(0)
        return samples, self.labels[idx]

    def __getitem__(self, idx):
        return self._convert_to_record(idx)

    def __len__(self):
        return len(self.files)
