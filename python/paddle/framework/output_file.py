# SPDX-License-Identifier: Apache-2.0
"""The one way files are written: beside the target, which they replace when they are complete."""

import errno
import itertools
import os
import shutil
import stat

__all__ = ['OutputFile', 'write_file']

_LINKS = 40
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_serial = itertools.count()


def _follow(path):
    """Where writing to `path` ends after all links; None for a link of /dev or /proc, which stands
    for an open descriptor.
    """
    for _ in range(_LINKS):
        if not os.path.islink(path):
            break
        folder = os.path.realpath(os.path.dirname(path) or '.')
        if folder == '/dev' or folder.startswith('/proc/'):
            return None
        path = os.path.join(folder, os.readlink(path))
    return path


class OutputFile:
    """`with OutputFile(path) as stream:` writes bytes to a file that takes the place of `path` at
    the end, and only if nothing was raised.

    Links are followed; a file that exists keeps its permissions, and its owner where that is
    allowed. What is no regular file (a pipe, a device) is written directly, and so is a file in a
    folder that takes no new ones. OSError where open() raises one: a directory, a missing folder, a
    file that may not be written.
    """

    def __init__(self, path):
        self.path = os.fspath(path)
        self.beside = None

    def __enter__(self):
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            found = None
        self.target = _follow(self.path) if found is None or stat.S_ISREG(found.st_mode) else None
        if self.target is None:
            self.stream = open(self.path, 'wb')
            return self.stream
        if found is not None and not os.access(self.target, os.W_OK, effective_ids=True):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), self.path)
        try:
            descriptor = self._open_beside(0o666 if found is None else 0o600)
        except OSError as error:
            if found is None or not isinstance(error, PermissionError):
                raise OSError(error.errno, error.strerror, self.path) from None
            self.stream = open(
                self.target, 'r+b'
            )  # not truncated first: somebody may have mapped the file
            return self.stream
        if found is not None:
            self._take_after(descriptor, found)
        self.stream = os.fdopen(descriptor, 'wb')
        return self.stream

    def _open_beside(self, mode):
        folder, name = os.path.split(self.target)
        while True:
            beside = os.path.join(
                folder, f'.{name[:60]}.{os.getpid()}.{next(_serial)}.{os.urandom(4).hex()}.tmp'
            )
            try:
                descriptor = os.open(
                    beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode
                )
            except FileExistsError:
                continue
            self.beside = beside
            return descriptor

    @staticmethod
    def _take_after(descriptor, found):
        for group_only in (False, True):
            try:
                os.fchown(descriptor, -1 if group_only else found.st_uid, found.st_gid)
                break
            except OSError:
                pass
        os.fchmod(descriptor, stat.S_IMODE(found.st_mode))

    def __exit__(self, kind, value, trace):
        self._name(value)
        try:
            if kind is None and self.target is not None and self.beside is None:
                self.stream.truncate()
            self.stream.close()
            if kind is None and self.beside is not None:
                self._replace()
        except OSError as error:
            self._name(error)
            raise
        finally:
            if self.beside is not None:
                try:
                    os.remove(self.beside)
                except FileNotFoundError:
                    pass

    def _name(self, error):
        """Let an error of writing name the file."""
        if isinstance(error, OSError) and error.errno in _FULL:
            error.filename = self.path

    def _replace(self):
        try:
            os.replace(self.beside, self.target)
        except OSError as error:
            if error.errno not in (errno.EBUSY, errno.EPERM, errno.EACCES):
                raise
            # Nothing can be renamed over it: a mounted file, another user's in a sticky folder.
            with open(self.beside, 'rb') as source, open(self.target, 'r+b') as target:
                shutil.copyfileobj(source, target)
                target.truncate()


def write_file(path, content):
    """Write bytes to a file."""
    with OutputFile(path) as stream:
        stream.write(content)
