# SPDX-License-Identifier: Apache-2.0
"""MNIST and FashionMNIST from their idx files, gzipped or not."""

import math
import struct

import numpy as np

from paddle.base.arguments import mode_of
from paddle.io import Dataset
from paddle.utils.archives import find_file, open_packed

from ._local import check_backend, from_array

__all__ = ['MNIST', 'FashionMNIST']


def _read(path, magic, dims):
    with open_packed(path) as stream:
        head = stream.read(4 * (dims + 1))
        if len(head) != 4 * (dims + 1):
            raise ValueError(f"[MNIST] expected an idx file, got {len(head)} bytes in {path}")
        values = struct.unpack('>' + 'I' * (dims + 1), head)
        if values[0] != magic:
            raise ValueError(f"[MNIST] expected {magic} at the start of {path}, got {values[0]}")
        data = np.frombuffer(stream.read(), np.uint8)
    count = math.prod(values[1:])
    if data.size != count:
        raise ValueError(f"[MNIST] {path} holds {data.size} bytes, expected {count}")
    return data.reshape(values[1:])


class MNIST(Dataset):
    """Handwritten digits: images of 28x28 and labels, int64 of shape [1].

    Args:
        image_path (str, default None): The idx file of the images, packed by gzip or not; None for
            that in `~/.cache/paddle/dataset/mnist`.
        label_path (str, default None): The idx file of the labels; None for that there.
        mode (str, default 'train'): `train` or `test`.
        transform (callable, default None): What is done to an image.
        download (bool, default True): Taken for compatibility: nothing is fetched.
        backend (str, default None): What an image is: `pil` or, an array, `cv2`; None for that of
            `paddle.vision`.

    Raises:
        RuntimeError: A file is missing.
        ValueError: A file that is no idx file, another mode or backend.

    Source: LeCun, Bottou, Bengio and Haffner, Gradient-based learning applied to document
        recognition (1998).

    Examples:
        >>> import pathlib, struct
        >>> images = struct.pack(">4I", 2051, 2, 28, 28) + bytes(2 * 28 * 28)
        >>> _ = pathlib.Path("images").write_bytes(images)
        >>> _ = pathlib.Path("labels").write_bytes(struct.pack(">2I", 2049, 2) + bytes([7, 3]))
        >>> data = paddle.vision.datasets.MNIST("images", "labels", backend="cv2")
        >>> image, label = data[0]
        >>> len(data), image.shape, label.tolist()
        (2, (28, 28), [7])
    """

    NAME = 'mnist'
    URL_PREFIX = 'https://dataset.bj.bcebos.com/mnist/'
    TEST_IMAGE_URL = URL_PREFIX + 't10k-images-idx3-ubyte.gz'
    TEST_IMAGE_MD5 = '9fb629c4189551a2d022fa330f9573f3'
    TEST_LABEL_URL = URL_PREFIX + 't10k-labels-idx1-ubyte.gz'
    TEST_LABEL_MD5 = 'ec29112dd5afa0611ce80d1b7f02629c'
    TRAIN_IMAGE_URL = URL_PREFIX + 'train-images-idx3-ubyte.gz'
    TRAIN_IMAGE_MD5 = 'f68b3c2dcbeaaa9fbdd348bbdeb94873'
    TRAIN_LABEL_URL = URL_PREFIX + 'train-labels-idx1-ubyte.gz'
    TRAIN_LABEL_MD5 = 'd53e105ee54ea40749a09fcbcd1e9432'

    def __init__(
        self,
        image_path=None,
        label_path=None,
        mode='train',
        transform=None,
        download=True,
        backend=None,
    ):
        self.mode = mode_of(type(self).__name__, mode, ('train', 'test'))
        self.backend = check_backend(backend)
        prefix = 'train' if self.mode == 'train' else 't10k'
        self.image_path = find_file(
            image_path, self.NAME, f'{prefix}-images-idx3-ubyte.gz', type(self).__name__
        )
        self.label_path = find_file(
            label_path, self.NAME, f'{prefix}-labels-idx1-ubyte.gz', type(self).__name__
        )
        self.transform = transform
        images = _read(self.image_path, 2051, 3)
        labels = _read(self.label_path, 2049, 1)
        if len(images) != len(labels):
            raise ValueError(
                f"[MNIST] expected a label for each of {len(images)} images, got {len(labels)}"
            )
        self._size = images.shape[1:]
        # Classes that derive from this one read both lists: rows of float32 and of int64.
        rows = images.reshape(len(images), math.prod(self._size))
        self.images = list(rows.astype('float32'))
        self.labels = list(labels.astype('int64').reshape(-1, 1))

    def __getitem__(self, idx):
        image, label = np.reshape(self.images[idx], self._size), self.labels[idx]
        if self.backend == 'pil':
            image = from_array(image.astype('uint8'), self.backend, 'L')
        if self.transform is not None:
            image = self.transform(image)
        return image, label.astype('int64')

    def __len__(self):
        return len(self.labels)


class FashionMNIST(MNIST):
    """Clothes in the form of MNIST: images of 28x28 and labels, int64 of shape [1].

    Args:
        image_path (str, default None): The idx file of the images, packed by gzip or not; None for
            that in `~/.cache/paddle/dataset/fashion-mnist`.
        label_path (str, default None): The idx file of the labels; None for that there.
        mode (str, default 'train'): `train` or `test`.
        transform (callable, default None): What is done to an image.
        download (bool, default True): Taken for compatibility: nothing is fetched.
        backend (str, default None): What an image is: `pil` or, an array, `cv2`; None for that of
            `paddle.vision`.

    Raises:
        RuntimeError: A file is missing.
        ValueError: A file that is no idx file, another mode or backend.

    Source: Xiao, Rasul and Vollgraf, Fashion-MNIST, https://arxiv.org/abs/1708.07747.

    Examples:
        >>> import pathlib, struct
        >>> images = struct.pack(">4I", 2051, 1, 28, 28) + bytes(28 * 28)
        >>> _ = pathlib.Path("images").write_bytes(images)
        >>> _ = pathlib.Path("labels").write_bytes(struct.pack(">2I", 2049, 1) + bytes([9]))
        >>> data = paddle.vision.datasets.FashionMNIST("images", "labels", mode="test")
        >>> image, label = data[0]
        >>> image.size, label.tolist()
        ((28, 28), [9])
    """

    NAME = 'fashion-mnist'
    URL_PREFIX = 'https://dataset.bj.bcebos.com/fashion_mnist/'
    TEST_IMAGE_URL = URL_PREFIX + 't10k-images-idx3-ubyte.gz'
    TEST_IMAGE_MD5 = 'bef4ecab320f06d8554ea6380940ec79'
    TEST_LABEL_URL = URL_PREFIX + 't10k-labels-idx1-ubyte.gz'
    TEST_LABEL_MD5 = 'bb300cfdad3c16e7a12a480ee83cd310'
    TRAIN_IMAGE_URL = URL_PREFIX + 'train-images-idx3-ubyte.gz'
    TRAIN_IMAGE_MD5 = '8d4fb7e6c68d591d4c3dfef9ec88bf0d'
    TRAIN_LABEL_URL = URL_PREFIX + 'train-labels-idx1-ubyte.gz'
    TRAIN_LABEL_MD5 = '25c81989df183df01b3e8a0aad5dffbe'
