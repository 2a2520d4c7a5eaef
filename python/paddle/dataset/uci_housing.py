# SPDX-License-Identifier: Apache-2.0
"""Houses of Boston: (13 normalised features, price [1])."""

from paddle.text import UCIHousing as _File

from . import common

__all__ = []

URL = 'http://paddlemodels.bj.bcebos.com/uci_housing/housing.data'
MD5 = 'd4accdce7a25600298819f8e28e8d593'
feature_names = [
    'CRIM',
    'ZN',
    'INDUS',
    'CHAS',
    'NOX',
    'RM',
    'AGE',
    'DIS',
    'RAD',
    'TAX',
    'PTRATIO',
    'B',
    'LSTAT',
    'convert',
]


def _reader(mode):
    rows = _File(common.download(URL, 'uci_housing', MD5), mode).data

    def reader():
        for row in rows:
            yield row[:-1], row[-1:]

    return reader


def train():
    """A reader of the first 80 %, fetched first where they are not there."""
    return _reader('train')


def test():
    """A reader of the rest, fetched first where they are not there."""
    return _reader('test')


def fetch():
    """Fetch the file."""
    common.download(URL, 'uci_housing', MD5)


test.__test__ = False
