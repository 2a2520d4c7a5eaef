# SPDX-License-Identifier: Apache-2.0
"""File systems with one interface."""

import os
import shutil

from paddle import _lazy

__all__ = ['LocalFS']


class ExecuteError(Exception):
    """A command of a file system failed."""


class FSTimeOut(Exception):
    """A command of a file system did not succeed in time."""


class FSFileExistsError(Exception):
    """A file is there that should not be."""


class FSFileNotExistsError(Exception):
    """A file is not there that should be."""


class LocalFS:
    """Files and directories of this host, with the methods that file systems have in common.

    Examples:
        >>> fs = paddle.distributed.fleet.utils.LocalFS()
        >>> fs.mkdirs("data/raw")
        >>> fs.touch("data/list.txt")
        >>> fs.ls_dir("data")
        (['raw'], ['list.txt'])
        >>> fs.delete("data")
        >>> fs.is_exist("data")
        False
    """

    def ls_dir(self, fs_path):
        """(names of directories, names of files) of a directory, empty where there is none."""
        if not self.is_exist(fs_path):
            return [], []
        names = os.listdir(fs_path)
        below = [n for n in names if os.path.isdir(os.path.join(fs_path, n))]
        return below, [n for n in names if n not in set(below)]

    def list_dirs(self, fs_path):
        """The names of the directories in a directory."""
        return self.ls_dir(fs_path)[0]

    def mkdirs(self, fs_path):
        """Make a directory and those above it."""
        assert not os.path.isfile(fs_path), (
            f'[LocalFS.mkdirs] expected no file at {fs_path}, got one'
        )
        os.makedirs(fs_path, exist_ok=True)

    def rename(self, fs_src_path, fs_dst_path):
        """Give a file or directory another path."""
        os.rename(fs_src_path, fs_dst_path)

    def delete(self, fs_path):
        """Remove a file or a directory and all in it, where it is there."""
        if os.path.islink(fs_path) or os.path.isfile(fs_path):
            os.remove(fs_path)
        elif self.is_exist(fs_path):
            shutil.rmtree(fs_path)

    def need_upload_download(self):
        """Whether files must be fetched to be read: no."""
        return False

    def is_file(self, fs_path):
        """Whether a path is a file."""
        return os.path.isfile(fs_path)

    def is_dir(self, fs_path):
        """Whether a path is a directory."""
        return os.path.isdir(fs_path)

    def is_exist(self, fs_path):
        """Whether there is something at a path."""
        return os.path.exists(fs_path)

    def touch(self, fs_path, exist_ok=True):
        """Make an empty file. One that is there stays with `exist_ok`, else is an error."""
        if self.is_exist(fs_path) and not exist_ok:
            raise FSFileExistsError(
                f'[LocalFS.touch] expected nothing at {fs_path}, got what is there'
            )
        with open(fs_path, 'a', encoding='utf-8'):
            pass

    def cat(self, fs_path=None):
        """The text of a file, without the line ends behind it; '' where there is none."""
        if not fs_path or not self.is_file(fs_path):
            return ''
        with open(fs_path, encoding='utf-8') as stream:
            return stream.read().rstrip('\n')

    def upload(self, local_path, fs_path):
        """Copy a file or directory to a path."""
        if not self.is_exist(local_path):
            raise FSFileNotExistsError(
                f'[LocalFS.upload] expected a file at {local_path}, got none'
            )
        if self.is_dir(local_path):
            shutil.copytree(local_path, fs_path, dirs_exist_ok=True)
        else:
            shutil.copy2(local_path, fs_path)

    def upload_dir(self, local_dir, dest_dir):
        """Copy a directory and all in it."""
        if not self.is_dir(local_dir):
            raise FSFileNotExistsError(
                f'[LocalFS.upload_dir] expected a directory at {local_dir}, got none'
            )
        self.upload(local_dir, dest_dir)

    def download(self, fs_path, local_path):
        """Copy a file or directory to a path: both are on this host."""
        self.upload(fs_path, local_path)

    def mv(self, src_path, dst_path, overwrite=False, test_exists=False):
        """Move a file or directory; `test_exists` is for file systems where asking costs much."""
        if not self.is_exist(src_path):
            raise FSFileNotExistsError(f'[LocalFS.mv] expected a file at {src_path}, got none')
        if self.is_exist(dst_path):
            if not overwrite:
                raise FSFileExistsError(
                    f'[LocalFS.mv] expected nothing at {dst_path}, got what is there'
                )
            if os.path.samefile(src_path, dst_path):
                return
            self.delete(dst_path)
        self.rename(src_path, dst_path)


_lazy.serve(globals())
