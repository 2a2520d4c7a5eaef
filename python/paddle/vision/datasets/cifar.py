# SPDX-License-Identifier: Apache-2.0
"""CIFAR-10 and CIFAR-100 from their tar archives."""

import io

import numpy as np

from paddle.base.arguments import mode_of
from paddle.framework.unpickle import load_pickle
from paddle.io import Dataset
from paddle.utils.archives import find_file, open_tar, read_tar_member

from ._local import check_backend, from_array

__all__ = ['Cifar10', 'Cifar100']


class Cifar10(Dataset):
    """Photographs of 32x32 in 10 classes, with their labels.

    Args:
        data_file (str, default None): The archive of the Python version; None for that in
            `~/.cache/paddle/dataset/cifar`.
        mode (str, default 'train'): `train` or `test`.
        transform (callable, default None): What is done to an image.
        download (bool, default True): Taken for compatibility: nothing is fetched.
        backend (str, default None): What an image is: `pil` or, an array [32, 32, 3], `cv2`; None
            for that of `paddle.vision`.

    Raises:
        RuntimeError: The archive is missing.
        ValueError: It holds something else, another mode or backend.

    Source: Krizhevsky, Learning multiple layers of features from tiny images (2009).

    Examples:
        >>> import io, pickle, tarfile
        >>> import numpy as np
        >>> packed = pickle.dumps({"data": np.zeros([2, 3072], "uint8"), "labels": [3, 8]})
        >>> with tarfile.open("cifar.tar.gz", "w:gz") as archive:
        ...     member = tarfile.TarInfo("cifar-10-batches-py/test_batch")
        ...     member.size = len(packed)
        ...     archive.addfile(member, io.BytesIO(packed))
        >>> data = paddle.vision.datasets.Cifar10("cifar.tar.gz", mode="test", backend="cv2")
        >>> image, label = data[1]
        >>> len(data), image.shape, label.item()
        (2, (32, 32, 3), 8)
    """

    _ARCHIVE = 'cifar-10-python.tar.gz'
    _PARTS = {'train': 'data_batch', 'test': 'test_batch'}
    _LABELS = 'labels'

    def __init__(self, data_file=None, mode='train', transform=None, download=True, backend=None):
        self.mode = mode_of(type(self).__name__, mode, ('train', 'test'))
        self.backend = check_backend(backend)
        self.data_file = find_file(data_file, 'cifar', self._ARCHIVE, type(self).__name__)
        self.transform = transform
        self.data = []
        self._load_data()
        self.dtype = 'float32'

    def _load_data(self):
        part = self._PARTS[self.mode]
        with open_tar(self.data_file) as archive:
            for name in sorted(n for n in archive.getnames() if part in n.rsplit('/', 1)[-1]):
                batch = load_pickle(
                    io.BytesIO(read_tar_member(archive, name)), f'{self.data_file}:{name}'
                )
                if not isinstance(batch, dict):
                    raise ValueError(
                        f"[Cifar] expected a dict in {name}, got {type(batch).__name__}"
                    )
                batch = {k.decode() if isinstance(k, bytes) else k: v for k, v in batch.items()}
                if 'data' not in batch or self._LABELS not in batch:
                    raise ValueError(
                        f"[Cifar] expected 'data' and {self._LABELS!r} in {name}, got a dict "
                        "without one of them"
                    )
                self.data.extend(zip(batch['data'], batch[self._LABELS]))

    def __getitem__(self, idx):
        image, label = self.data[idx]
        image = np.reshape(image, [3, 32, 32]).transpose([1, 2, 0])
        image = (
            from_array(image, self.backend) if self.backend == 'pil' else image.astype('float32')
        )
        if self.transform is not None:
            image = self.transform(image)
        return image, np.array(label).astype('int64')

    def __len__(self):
        return len(self.data)


class Cifar100(Cifar10):
    """Photographs of 32x32 in 100 classes, with their labels.

    Args:
        data_file (str, default None): The archive of the Python version; None for that in
            `~/.cache/paddle/dataset/cifar`.
        mode (str, default 'train'): `train` or `test`.
        transform (callable, default None): What is done to an image.
        download (bool, default True): Taken for compatibility: nothing is fetched.
        backend (str, default None): What an image is: `pil` or, an array [32, 32, 3], `cv2`; None
            for that of `paddle.vision`.

    Raises:
        RuntimeError: The archive is missing.
        ValueError: It holds something else, another mode or backend.

    Source: Krizhevsky, Learning multiple layers of features from tiny images (2009).

    Examples:
        >>> import io, pickle, tarfile
        >>> import numpy as np
        >>> packed = pickle.dumps({"data": np.zeros([1, 3072], "uint8"), "fine_labels": [42]})
        >>> with tarfile.open("cifar.tar.gz", "w:gz") as archive:
        ...     member = tarfile.TarInfo("cifar-100-python/train")
        ...     member.size = len(packed)
        ...     archive.addfile(member, io.BytesIO(packed))
        >>> data = paddle.vision.datasets.Cifar100("cifar.tar.gz")
        >>> image, label = data[0]
        >>> image.size, label.item()
        ((32, 32), 42)
    """

    _ARCHIVE = 'cifar-100-python.tar.gz'
    _PARTS = {'train': 'train', 'test': 'test'}
    _LABELS = 'fine_labels'
