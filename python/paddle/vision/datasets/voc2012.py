# SPDX-License-Identifier: Apache-2.0
"""Pascal VOC 2012 segmentation from its archive."""

import io

import numpy as np

from paddle.base.arguments import mode_of
from paddle.io import Dataset
from paddle.utils.archives import find_file

from ._local import Archive, check_backend

__all__ = ['VOC2012']

VOC_URL = 'https://dataset.bj.bcebos.com/voc/VOCtrainval_11-May-2012.tar'
VOC_MD5 = '6cd6e144f989b92b3379bac3b3de84fd'
_ROOT = 'VOCdevkit/VOC2012/'
_SPLITS = {'train': 'trainval', 'test': 'train', 'valid': 'val'}


class VOC2012(Dataset):
    """Photographs and images of what each of their pixels shows, of Pascal VOC 2012.

    Args:
        data_file (str, default None): The archive; None for that in
            `~/.cache/paddle/dataset/voc2012`.
        mode (str, default 'train'): `train`, `valid` or `test`.
        transform (callable, default None): What is done to a photograph.
        download (bool, default True): Taken for compatibility: nothing is fetched.
        backend (str, default None): What an image is: `pil` or, an array, `cv2`; None for that of
            `paddle.vision`.

    Raises:
        RuntimeError: The archive is missing.
        ValueError: Another mode or backend.

    Source: Everingham and others, The Pascal visual object classes challenge (2015).

    Examples:
        >>> import io, tarfile
        >>> from PIL import Image
        >>> parts = {"ImageSets/Segmentation/val.txt": io.BytesIO(b"one")}
        >>> for name, mode in (("JPEGImages/one.jpg", "RGB"), ("SegmentationClass/one.png", "P")):
        ...     parts[name] = io.BytesIO()
        ...     Image.new(mode, (8, 6)).save(parts[name], "JPEG" if mode == "RGB" else "PNG")
        >>> with tarfile.open("voc.tar", "w") as archive:
        ...     for name, data in parts.items():
        ...         member = tarfile.TarInfo(f"VOCdevkit/VOC2012/{name}")
        ...         member.size = len(data.getvalue())
        ...         archive.addfile(member, io.BytesIO(data.getvalue()))
        >>> pictures = paddle.vision.datasets.VOC2012("voc.tar", mode="valid")
        >>> image, label = pictures[0]
        >>> len(pictures), image.size, label.size
        (1, (8, 6), (8, 6))
    """

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
