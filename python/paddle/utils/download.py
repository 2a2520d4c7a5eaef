# SPDX-License-Identifier: Apache-2.0
"""Cached weight files. Nothing is fetched: a file must already lie in the cache folder."""
import hashlib
import os

__all__ = ['get_weights_path_from_url']

WEIGHTS_HOME = os.path.expanduser('~/.cache/paddle/hapi/weights')


def get_weights_path_from_url(url, md5sum=None):
    """The cached file of `url`. FileNotFoundError when it is not there, ValueError when its md5 differs."""
    path = os.path.join(WEIGHTS_HOME, os.path.basename(url))
    if not os.path.isfile(path):
        raise FileNotFoundError(f"{path} is not there; files are not downloaded, so put {url} there yourself")
    if md5sum is not None:
        digest = hashlib.md5()
        with open(path, 'rb') as stream:
            for block in iter(lambda: stream.read(1 << 20), b''):
                digest.update(block)
        if digest.hexdigest() != md5sum:
            raise ValueError(f"{path} has md5 {digest.hexdigest()}, expected {md5sum}")
    return path
