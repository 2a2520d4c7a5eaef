# SPDX-License-Identifier: Apache-2.0
"""Files of datasets: where they are, and packed ones, read without giving them more memory or time
than their size explains.
"""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile

__all__ = ['find_file', 'open_packed', 'open_tar', 'open_zip', 'read_tar_member', 'read_zip_member']

_RATIO, _SLACK = (
    100,
    16 << 20,
)  # what is packed holds at most _RATIO times the bytes of its file, and _SLACK
_OPENERS = ((b'\x1f\x8b', gzip.open), (b'BZh', bz2.open), (b'\xfd7zXZ\x00', lzma.open))
_HOME = os.path.expanduser('~/.cache/paddle/dataset')


def find_file(given, folder, name, owner):
    """`given`, or the file `name` in the folder of a dataset below the user's cache; RuntimeError
    of `owner` where there is none.
    """
    path = os.path.join(_HOME, folder, name) if given is None else given
    if not os.path.exists(os.fspath(path)):
        raise RuntimeError(
            f"[{owner}] expected {name} at {path}, got no file: datasets are not downloaded"
        )
    return path


def _limit(path):
    return _RATIO * os.path.getsize(path) + _SLACK


class _Bounded(io.RawIOBase):
    """A stream of which nothing past `limit` is read."""

    def __init__(self, stream, limit, path):
        super().__init__()
        self._stream, self._limit, self.name = stream, limit, os.fspath(path)

    def _check(self, end):
        if end > self._limit:
            raise ValueError(
                f"[archives] {self.name}: expected at most {self._limit} bytes when unpacked, got "
                f"{end} or more"
            )

    def readable(self):
        return True

    def seekable(self):
        return True

    def read(self, size=-1):
        at = self._stream.tell()
        if size is None or size < 0:
            data = self._stream.read(self._limit - at + 1)
            self._check(at + len(data))
            return data
        self._check(at + size)
        return self._stream.read(size)

    def readinto(self, buffer):
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset, whence=os.SEEK_SET):
        if whence == os.SEEK_SET:
            self._check(offset)
        return self._stream.seek(offset, whence)

    def tell(self):
        return self._stream.tell()

    def close(self):
        self._stream.close()
        super().close()


def open_packed(path):
    """The bytes of a file, unpacked if it is gzip, bzip2 or xz. ValueError when they are far more
    than the file.
    """
    path = os.fspath(path)
    with open(path, 'rb') as stream:
        head = stream.read(6)
    for magic, opener in _OPENERS:
        if head.startswith(magic):
            return _Bounded(opener(path, 'rb'), _limit(path), path)
    return _Bounded(open(path, 'rb'), os.path.getsize(path) + tarfile.RECORDSIZE, path)


class _Tar(tarfile.TarFile):
    """Closes the stream it was opened on."""

    def close(self):
        super().close()
        self.fileobj.close()


class _Zip(zipfile.ZipFile):
    """Closes the stream it was opened on."""

    def close(self):
        stream = self.fp
        super().close()
        if stream is not None:
            stream.close()


def open_tar(path):
    """A tar archive, packed or not, for reading."""
    stream = open_packed(path)
    try:
        return _Tar.open(os.fspath(path), fileobj=stream, mode='r:')
    except BaseException:
        stream.close()
        raise


def read_tar_member(archive, member):
    """The bytes of a file in a tar archive. ValueError when it is not there or no file."""
    try:
        stream = archive.extractfile(member)
    except (KeyError, RecursionError):
        stream = None
    if stream is None:
        raise ValueError(
            f"[archives] {archive.name}: expected a file {getattr(member, 'name', member)}, got "
            "none of this name"
        )
    return stream.read()


def open_zip(path):
    """A zip archive for reading."""
    stream = open_packed(path)
    try:
        return _Zip(stream)
    except BaseException:
        stream.close()
        raise


def read_zip_member(archive, name):
    """The bytes of a file in a zip archive. ValueError when it is not there or far larger than the
    archive.
    """
    try:
        info = archive.getinfo(name)
    except KeyError:
        raise ValueError(
            f"[archives] {archive.filename}: expected a file {name}, got none of this name"
        ) from None
    if info.file_size > _limit(archive.filename):
        raise ValueError(
            f"[archives] {archive.filename}: expected at most {_limit(archive.filename)} bytes "
            f"when unpacked, got {info.file_size} of {name}"
        )
    return archive.read(info)
