# SPDX-License-Identifier: Apache-2.0
"""Oxford 102 flowers from the archive and its two Matlab files."""

import io

import numpy as np

from paddle.base.arguments import mode_of
from paddle.io import Dataset
from paddle.utils import try_import
from paddle.utils.archives import find_file

from ._local import Archive, check_backend

__all__ = ['Flowers']

_SPLITS = {'train': 'tstid', 'valid': 'valid', 'test': 'trnid'}


class Flowers(Dataset):
    """(image, label [1] int64) pairs; `mode` is 'train', 'valid' or 'test'. Needs scipy for the
    Matlab files.
    """

    def __init__(
        self,
        data_file=None,
        label_file=None,
        setid_file=None,
        mode='train',
        transform=None,
        download=True,
        backend=None,
    ):
        self.mode = mode_of('Flowers', mode, ('train', 'valid', 'test'))
        self.backend = check_backend(backend)
        self.data_file = find_file(data_file, 'flowers', '102flowers.tgz', 'Flowers')
        self.label_file = find_file(label_file, 'flowers', 'imagelabels.mat', 'Flowers')
        self.setid_file = find_file(setid_file, 'flowers', 'setid.mat', 'Flowers')
        self.transform = transform
        matlab = try_import('scipy.io')
        self.labels = matlab.loadmat(self.label_file)['labels'][0]
        self.indexes = matlab.loadmat(self.setid_file)[_SPLITS[self.mode]][0]
        self._archive = Archive(self.data_file)

    def __getitem__(self, idx):
        from PIL import Image

        index = int(self.indexes[idx])
        image = Image.open(io.BytesIO(self._archive.read(f'jpg/image_{index:05d}.jpg')))
        if self.backend == 'cv2':
            image = np.array(image)
        if self.transform is not None:
            image = self.transform(image)
        if self.backend == 'cv2':
            image = image.astype('float32')
        return image, np.array([self.labels[index - 1]]).astype('int64')

    def __len__(self):
        return len(self.indexes)
