# SPDX-License-Identifier: Apache-2.0
"""Pascal VOC 2012 segmentation from its archive."""

import io

import numpy as np

from paddle.base.arguments import mode_of
from paddle.io import Dataset
from paddle.utils.archives import find_file

from ._local import Archive, check_backend

__all__ = ['VOC2012']

_ROOT = 'VOCdevkit/VOC2012/'
_SPLITS = {'train': 'trainval', 'test': 'train', 'valid': 'val'}


class VOC2012(Dataset):
    """(image, label image) pairs; `mode` is 'train', 'valid' or 'test'."""

    def __init__(self, data_file=None, mode='train', transform=None, download=True, backend=None):
        self.mode = mode_of('VOC2012', mode, ('train', 'valid', 'test'))
        self.backend = check_backend(backend)
        self.data_file = find_file(data_file, 'voc2012', 'VOCtrainval_11-May-2012.tar', 'VOC2012')
        self.transform = transform
        self._archive = Archive(self.data_file)
        listing = self._archive.read(
            f'{_ROOT}ImageSets/Segmentation/{_SPLITS[self.mode]}.txt'
        ).decode()
        names = [line.strip() for line in listing.splitlines() if line.strip()]
        self.data = [f'{_ROOT}JPEGImages/{name}.jpg' for name in names]
        self.labels = [f'{_ROOT}SegmentationClass/{name}.png' for name in names]

    def __getitem__(self, idx):
        from PIL import Image

        image = Image.open(io.BytesIO(self._archive.read(self.data[idx])))
        label = Image.open(io.BytesIO(self._archive.read(self.labels[idx])))
        if self.backend == 'cv2':
            image, label = np.array(image), np.array(label)
        if self.transform is not None:
            image = self.transform(image)
        if self.backend == 'cv2':
            return image.astype('float32'), label.astype('float32')
        return image, label

    def __len__(self):
        return len(self.data)
