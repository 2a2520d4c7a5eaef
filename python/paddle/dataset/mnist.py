# SPDX-License-Identifier: Apache-2.0
"""Handwritten digits: (784 numbers from -1 to 1, label)."""

from paddle.vision.datasets.mnist import MNIST as _Files

from . import common

__all__ = []

URL_PREFIX = _Files.URL_PREFIX
TEST_IMAGE_URL, TEST_IMAGE_MD5, TEST_LABEL_URL, TEST_LABEL_MD5 = (
    _Files.TEST_IMAGE_URL,
    _Files.TEST_IMAGE_MD5,
    _Files.TEST_LABEL_URL,
    _Files.TEST_LABEL_MD5,
)
TRAIN_IMAGE_URL, TRAIN_IMAGE_MD5, TRAIN_LABEL_URL, TRAIN_LABEL_MD5 = (
    _Files.TRAIN_IMAGE_URL,
    _Files.TRAIN_IMAGE_MD5,
    _Files.TRAIN_LABEL_URL,
    _Files.TRAIN_LABEL_MD5,
)


def reader_creator(image_filename, label_filename, buffer_size):
    """A reader of the pairs in two idx files. They are read whole: `buffer_size`, how many at once,
    has to be positive.
    """
    if buffer_size < 1:
        raise ValueError(
            f"[reader_creator] expected a buffer_size of at least 1, got {buffer_size}"
        )

    def reader():
        files = _Files(image_filename, label_filename)
        for image, label in zip(files.images, files.labels):
            yield image.reshape(-1).astype('float32') / 255.0 * 2.0 - 1.0, label.item()

    return reader


def train():
    """A reader of the 60,000 pairs to train on, fetched first where they are not there."""
    return reader_creator(
        common.download(TRAIN_IMAGE_URL, 'mnist', TRAIN_IMAGE_MD5),
        common.download(TRAIN_LABEL_URL, 'mnist', TRAIN_LABEL_MD5),
        100,
    )


def test():
    """A reader of the 10,000 pairs to test with, fetched first where they are not there."""
    return reader_creator(
        common.download(TEST_IMAGE_URL, 'mnist', TEST_IMAGE_MD5),
        common.download(TEST_LABEL_URL, 'mnist', TEST_LABEL_MD5),
        100,
    )


def fetch():
    """Fetch all files."""
    for url, md5 in (
        (TRAIN_IMAGE_URL, TRAIN_IMAGE_MD5),
        (TRAIN_LABEL_URL, TRAIN_LABEL_MD5),
        (TEST_IMAGE_URL, TEST_IMAGE_MD5),
        (TEST_LABEL_URL, TEST_LABEL_MD5),
    ):
        common.download(url, 'mnist', md5)


test.__test__ = False
