# SPDX-License-Identifier: Apache-2.0
"""Files fetched by URL into a folder, checked by their md5 and unpacked."""

import hashlib
import logging
import os
import shutil
import tarfile
import time
import zipfile

from paddle.base.arguments import any_of
from paddle.base.log_helper import get_logger

from .archives import open_tar, open_zip

__all__ = ['get_weights_path_from_url']

WEIGHTS_HOME = os.path.expanduser('~/.cache/paddle/hapi/weights')
DOWNLOAD_RETRY_LIMIT = 3
_WAIT = 1.0  # seconds between tries
logger = get_logger(
    __name__,
    logging.INFO,
    fmt='[%(asctime)s] [%(levelname)8s] %(filename)s:%(lineno)s - %(message)s',
)


def is_url(path):
    """Whether a path is one of http or https."""
    return path.startswith(('http://', 'https://'))


def get_weights_path_from_url(url, md5sum=None):
    """The file of a URL in the directory of weights, fetched unless it is there already.

    An archive is unpacked. Of the processes of a host one fetches, the others wait for it.

    Args:
        url (str): The URL, of http or https.
        md5sum (str, default None): The MD5 sum of the file; None to check none.

    Returns:
        str: the path of the file, or of what the archive has.

    Raises:
        AssertionError: It is no URL.
        RuntimeError: The file cannot be fetched.

    Examples:
        >>> import pathlib
        >>> from unittest import mock
        >>> url = "https://example.com/weights.pdparams"
        >>> paddle.save({"w": paddle.ones([2])}, "weights.pdparams")
        >>> with mock.patch("paddle.utils.download.WEIGHTS_HOME", "."):
        ...     path = paddle.utils.download.get_weights_path_from_url(url)
        >>> pathlib.Path(path).name
        'weights.pdparams'
    """
    return get_path_from_url(url, WEIGHTS_HOME, md5sum)


def _map_path(url, root_dir):
    return os.path.join(root_dir, url.split('/')[-1])


def _get_unique_endpoints(trainer_endpoints):
    """One endpoint of each host."""
    first = {}
    for endpoint in trainer_endpoints:
        first.setdefault(endpoint.split(':')[0], endpoint)
    return set(first.values())


def get_path_from_url(url, root_dir, md5sum=None, check_exist=True, decompress=True, method='get'):
    """The file of `url` below `root_dir`: fetched unless it is there with the right md5
    (`check_exist`), and unpacked when it is an archive (`decompress`). Of the processes of a host
    one fetches, the others wait for it."""
    if not is_url(url):
        raise AssertionError(f"[get_path_from_url] expected a URL, got {url!r}")
    path = _map_path(url, root_dir)
    if check_exist and os.path.exists(path) and _md5check(path, md5sum):
        logger.info(f"Found {path}")
    else:
        endpoints = os.environ.get('PADDLE_TRAINER_ENDPOINTS', '').split(',')
        if os.environ.get('PADDLE_CURRENT_ENDPOINT', '') in _get_unique_endpoints(endpoints):
            path = _download(url, root_dir, md5sum, method=method)
        else:
            while not os.path.exists(path):
                time.sleep(_WAIT)
    if decompress and (tarfile.is_tarfile(path) or zipfile.is_zipfile(path)):
        path = _decompress(path)
    return path


def _fetch(url, path):
    """Write what `url` gives to a file, whole or not at all."""
    import urllib.request

    part = f'{path}.{os.getpid()}.part'
    try:
        with urllib.request.urlopen(url, timeout=100) as source, open(part, 'wb') as target:
            shutil.copyfileobj(source, target)
            size = source.headers.get('Content-Length')
        if size is not None and os.path.getsize(part) != int(size):
            raise OSError(f"[download] expected {size} bytes, got {os.path.getsize(part)}")
        os.replace(part, path)
    finally:
        if os.path.exists(part):
            os.remove(part)


_download_methods = {'get': _fetch}


def _download(url, path, md5sum=None, method='get'):
    """Fetch `url` into the folder `path`; RuntimeError when that fails several times."""
    if method not in _download_methods:
        raise AssertionError(
            f"[download] expected method {any_of(_download_methods)}, got {method!r}"
        )
    os.makedirs(path, exist_ok=True)
    name = _map_path(url, path)
    logger.info(f"Downloading {os.path.basename(name)} from {url}")
    for attempt in range(DOWNLOAD_RETRY_LIMIT):
        if attempt:
            time.sleep(_WAIT)
        try:
            _download_methods[method](url, name)
        except (OSError, ValueError) as error:
            logger.info(
                f"Downloading {os.path.basename(name)} from {url} failed with exception {error}"
            )
            continue
        if _md5check(name, md5sum):
            return name
    raise RuntimeError(
        f"[download] expected {url} within {DOWNLOAD_RETRY_LIMIT} attempts, got errors only"
    )


def _md5check(fullname, md5sum=None):
    if md5sum is None:
        return True
    found = md5file(fullname)
    if found != md5sum:
        logger.info(f"File {fullname} md5 check failed, {found}(calc) != {md5sum}(base)")
    return found == md5sum


def md5file(fname):
    """The md5 of a file, in hexadecimal digits."""
    digest = hashlib.md5()
    with open(os.fspath(fname), 'rb') as stream:
        for block in iter(lambda: stream.read(1 << 20), b''):
            digest.update(block)
    return digest.hexdigest()


def _decompress(fname):
    """Unpack an archive beside itself: the file or folder it holds, or a folder of the archive's
    name with all of them.
    """
    logger.info(f"Decompressing {fname}...")
    if tarfile.is_tarfile(fname):
        with open_tar(fname) as archive:
            members = archive.getmembers()
            folder, found = _place(fname, [m.name for m in members], 'tar')
            for member in members:
                if not (member.isfile() or member.isdir()):
                    raise ValueError(
                        f"[download] expected files and folders in the archive, got {member.name!r}"
                    )
            archive.extractall(folder)
    elif zipfile.is_zipfile(fname):
        with open_zip(fname) as archive:
            folder, found = _place(fname, archive.namelist(), 'zip')
            archive.extractall(folder)
    else:
        raise TypeError(f"[download] expected a tar or zip file, got {fname!r}")
    return found


def _place(fname, names, what):
    """(folder to unpack into, path of what is unpacked) for the names in an archive."""
    names = [name.replace('\\', '/') for name in names]
    for name in names:
        if '..' in name.split('/'):
            raise ValueError(f"[download] expected names without '..' in {what}, got {name!r}")
        if name.startswith('/'):
            raise ValueError(f"[download] expected relative names in {what}, got {name!r}")
    beside = os.path.dirname(fname)
    tops = {name.removeprefix('./').split('/')[0] for name in names} - {'.', ''}
    if len(tops) == 1:
        return beside, os.path.join(beside, *tops)
    folder = os.path.join(beside, os.path.splitext(os.path.basename(fname))[0])
    return folder, folder
