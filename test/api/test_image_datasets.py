# SPDX-License-Identifier: Apache-2.0
"""Data sets of pictures: what programs read of them, by index and from classes of their own."""

import struct

import numpy as np
import pytest

from paddle.vision.datasets import MNIST, FashionMNIST


@pytest.fixture
def files(tmp_path):
    pixels = np.arange(3 * 4 * 5, dtype='uint8').reshape(3, 4, 5)
    images, labels = tmp_path / 'images', tmp_path / 'labels'
    images.write_bytes(struct.pack('>4I', 2051, *pixels.shape) + pixels.tobytes())
    labels.write_bytes(struct.pack('>2I', 2049, 3) + bytes([7, 0, 9]))
    return pixels, str(images), str(labels)


@pytest.mark.parametrize('dataset', [MNIST, FashionMNIST])
def test_digits(files, dataset):
    pixels, *paths = files
    data = dataset(*paths, backend='cv2')
    assert len(data) == 3
    for i in (0, 2, -1):
        image, label = data[i]
        assert image.dtype == 'float32' and label.dtype == 'int64' and label.shape == (1,)
        np.testing.assert_array_equal(image, pixels[i])
        assert label == [7, 0, 9][i]
    image, _ = dataset(*paths, backend='pil')[1]
    assert image.mode == 'L'
    np.testing.assert_array_equal(np.asarray(image), pixels[1])


def test_classes_that_derive_read_rows(files):
    pixels, *paths = files
    data = MNIST(*paths)
    assert isinstance(data.images, list) and isinstance(data.labels, list)
    assert data.images[1].dtype == 'float32' and data.labels[1].dtype == 'int64'
    np.testing.assert_array_equal(data.images[1], pixels[1].ravel())
    assert [label.tolist() for label in data.labels] == [[7], [0], [9]]


def test_as_many_labels_as_images(files, tmp_path):
    fewer = tmp_path / 'fewer'
    fewer.write_bytes(struct.pack('>2I', 2049, 2) + bytes(2))
    with pytest.raises(ValueError, match='a label for each of 3 images, got 2'):
        MNIST(files[1], str(fewer))
