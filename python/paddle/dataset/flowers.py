# SPDX-License-Identifier: Apache-2.0
"""Photographs of flowers of 102 kinds: (numbers of 3 x 224 x 224 pixels, label from 0 on)."""

import functools
import os

from paddle.reader import map_readers, xmap_readers
from paddle.utils import try_import
from paddle.vision.datasets._local import Archive

from . import common
from .image import load_image_bytes, simple_transform

__all__ = []

_HOME = 'http://paddlemodels.bj.bcebos.com/flowers/'
DATA_URL, DATA_MD5 = _HOME + '102flowers.tgz', '52808999861908f626f3c1f4e79d11fa'
LABEL_URL, LABEL_MD5 = _HOME + 'imagelabels.mat', 'e0620be6f572b9609742df49c70aed4d'
SETID_URL, SETID_MD5 = _HOME + 'setid.mat', 'a5357ecc9cb78c4bef273ce3793fc85c'
TRAIN_FLAG, TEST_FLAG, VALID_FLAG = 'tstid', 'trnid', 'valid'
_MEAN = (103.94, 116.78, 123.68)  # of blue, green and red in ImageNet


def default_mapper(is_train, sample):
    """The file's bytes as 150,528 numbers."""
    data, label = sample
    image = simple_transform(load_image_bytes(data), 256, 224, is_train, mean=_MEAN)
    return image.flatten().astype('float32'), label


train_mapper = functools.partial(default_mapper, True)
test_mapper = functools.partial(default_mapper, False)


def reader_creator(
    data_file,
    label_file,
    setid_file,
    dataset_name,
    mapper,
    buffered_size=1024,
    use_xmap=True,
    cycle=False,
):
    """A reader of `mapper` of each (bytes, label) of a part: threads run it with `use_xmap`, up to
    `buffered_size` samples ahead, in any order; with `cycle` it has no end.
    """
    load = try_import('scipy.io').loadmat
    labels, numbers = load(label_file)['labels'][0], load(setid_file)[dataset_name][0]

    def files():
        archive = Archive(data_file)
        while True:
            for number in numbers:
                data = archive.read(f'jpg/image_{number:05d}.jpg')
                yield data, int(labels[number - 1]) - 1
            if not cycle:
                return

    if use_xmap:
        return xmap_readers(mapper, files, min(4, os.cpu_count()), buffered_size)
    return map_readers(mapper, files)


def _part(name, mapper, *options):
    files = (
        common.download(url, 'flowers', md5)
        for url, md5 in ((DATA_URL, DATA_MD5), (LABEL_URL, LABEL_MD5), (SETID_URL, SETID_MD5))
    )
    return reader_creator(*files, name, mapper, *options)


def train(mapper=train_mapper, buffered_size=1024, use_xmap=True, cycle=False):
    """A reader of the photographs to train on, fetched first where they are not there."""
    return _part(TRAIN_FLAG, mapper, buffered_size, use_xmap, cycle)


def test(mapper=test_mapper, buffered_size=1024, use_xmap=True, cycle=False):
    """A reader of the photographs to test with, fetched first where they are not there."""
    return _part(TEST_FLAG, mapper, buffered_size, use_xmap, cycle)


def valid(mapper=test_mapper, buffered_size=1024, use_xmap=True):
    """A reader of the photographs to choose by, fetched first where they are not there."""
    return _part(VALID_FLAG, mapper, buffered_size, use_xmap)


def fetch():
    """Fetch all files."""
    for url, md5 in ((DATA_URL, DATA_MD5), (LABEL_URL, LABEL_MD5), (SETID_URL, SETID_MD5)):
        common.download(url, 'flowers', md5)


test.__test__ = False
