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
    """Photographs of flowers of 102 kinds, with labels, int64 of shape [1].

    Its Matlab files are read by the package scipy.

    Args:
        data_file (str, default None): The archive of the images; None, as for the files below, for
            that in `~/.cache/paddle/dataset/flowers`.
        label_file (str, default None): The Matlab file of the labels.
        setid_file (str, default None): The Matlab file of which images are in which part.
        mode (str, default 'train'): `train`, `valid` or `test`.
        transform (callable, default None): What is done to an image.
        download (bool, default True): Taken for compatibility: nothing is fetched.
        backend (str, default None): What an image is: `pil` or, an array, `cv2`; None for that of
            `paddle.vision`.

    Raises:
        ImportError: scipy is not installed.
        RuntimeError: A file is missing.
        ValueError: Another mode or backend.

    Source: Nilsback and Zisserman, Automated flower classification over a large number of classes
        (2008).

    Examples:
        >>> import io, tarfile
        >>> from PIL import Image
        >>> savemat = paddle.utils.try_import("scipy.io").savemat
        >>> savemat("labels.mat", {"labels": [[5, 9]]})
        >>> savemat("parts.mat", {"trnid": [[2]], "valid": [[1]], "tstid": [[2]]})
        >>> picture = io.BytesIO()
        >>> Image.new("RGB", (8, 6)).save(picture, "JPEG")
        >>> with tarfile.open("flowers.tgz", "w:gz") as archive:
        ...     member = tarfile.TarInfo("jpg/image_00001.jpg")
        ...     member.size = picture.tell()
        ...     archive.addfile(member, io.BytesIO(picture.getvalue()))
        >>> data = paddle.vision.datasets.Flowers(
        ...     "flowers.tgz", "labels.mat", "parts.mat", mode="valid")
        >>> image, label = data[0]
        >>> len(data), image.size, label.tolist()
        (1, (8, 6), [5])
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
