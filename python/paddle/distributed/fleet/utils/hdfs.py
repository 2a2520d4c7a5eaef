# SPDX-License-Identifier: Apache-2.0
"""A Hadoop file system, by the `hadoop` command."""

import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from .fs import ExecuteError, FSFileExistsError, FSFileNotExistsError, FSTimeOut

__all__ = ['HDFSClient']

_TRIES = 5


class HDFSClient:
    """Files and directories of a Hadoop file system, by the command `hadoop_home/bin/hadoop fs`.

    A command that fails is run again, up to five times, with `sleep_inter` between.

    Args:
        hadoop_home (str): The directory of Hadoop's programs.
        configs (dict): Settings of the command, such as `fs.default.name` and `hadoop.job.ugi`.
        time_out (int, default 300000): How many milliseconds a method may take.
        sleep_inter (int, default 1000): How many milliseconds lie between two tries.

    Examples:
        >>> import os, sys
        >>> os.makedirs("hadoop/bin")
        >>> with open("hadoop/bin/hadoop", "w") as file:  # in place of Hadoop: every test succeeds
        ...     _ = file.write("#!/bin/sh\\nexit 0\\n")
        >>> os.chmod("hadoop/bin/hadoop", 0o755)
        >>> settings = {"fs.default.name": "hdfs://host:9000", "hadoop.job.ugi": "user,password"}
        >>> client = paddle.distributed.fleet.utils.HDFSClient("hadoop", settings)
        >>> client.is_exist("/data")
        True
    """

    def __init__(self, hadoop_home, configs, time_out=300000, sleep_inter=1000):
        self.pre_commands = [os.path.join(hadoop_home, 'bin', 'hadoop'), 'fs']
        self.pre_commands += [f'-D{name}={value}' for name, value in (configs or {}).items()]
        self._time_out, self._sleep_inter = time_out, sleep_inter

    def _run(self, *words, tries=_TRIES):
        """(exit status, output) of a command. ExecuteError where it cannot be run, FSTimeOut where
        it takes too long."""
        end = time.monotonic() + self._time_out / 1000
        for left in range(tries - 1, -1, -1):
            try:
                done = subprocess.run(
                    [*self.pre_commands, *words],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    timeout=max(end - time.monotonic(), 0.001),
                )
            except subprocess.TimeoutExpired:
                raise FSTimeOut(
                    f'[HDFSClient] expected {" ".join(words)!r} to end within {self._time_out} ms, '
                    'got no end'
                ) from None
            except OSError as error:
                raise ExecuteError(
                    f'[HDFSClient] expected command {self.pre_commands[0]!r}, got {error}'
                ) from None
            if done.returncode == 0 or left == 0:
                break
            if time.monotonic() + self._sleep_inter / 1000 > end:
                break
            time.sleep(self._sleep_inter / 1000)
        said = done.stderr.decode('utf-8', 'replace').strip()
        return done.returncode, done.stdout.decode('utf-8', 'replace'), said

    def _do(self, *words, tries=_TRIES):
        """The output of a command that must succeed."""
        status, output, said = self._run(*words, tries=tries)
        if status:
            raise ExecuteError(
                f'[HDFSClient] expected {" ".join(words)!r} to succeed, got exit status {status}: '
                f'{said}'
            )
        return output

    def _test(self, flag, path):
        """Whether a test of a path holds: exit status 0 or 1. Other ones are failures."""
        status, _, said = self._run('-test', flag, path, tries=1)
        if status not in (0, 1):
            raise ExecuteError(
                f'[HDFSClient] expected a test of {path!r} to end with 0 or 1, got exit status '
                f'{status}: {said}'
            )
        return status == 0

    def _required(self, method, path):
        if not self.is_exist(path):
            raise FSFileNotExistsError(f'[HDFSClient.{method}] expected a file at {path}, got none')

    def _listed(self, path):
        """(is a directory, bytes, path) of each entry of what `-ls` says of a path."""
        for line in self._do('-ls', path).splitlines():
            words = line.split(None, 7)
            if len(words) == 8 and words[0][0] in '-d':
                yield words[0][0] == 'd', int(words[4]), words[7]

    def is_exist(self, fs_path):
        """Whether there is something at a path."""
        return self._test('-e', fs_path)

    def is_dir(self, fs_path):
        """Whether a path is a directory."""
        return self.is_exist(fs_path) and self._test('-d', fs_path)

    def is_file(self, fs_path):
        """Whether a path is a file."""
        return self.is_exist(fs_path) and not self._test('-d', fs_path)

    def ls_dir(self, fs_path):
        """(names of directories, names of files) of a directory, empty where there is none."""
        if not self.is_exist(fs_path):
            return [], []
        below, files = [], []
        for is_dir, _, path in self._listed(fs_path):
            (below if is_dir else files).append(os.path.basename(path.rstrip('/')))
        return below, files

    def list_dirs(self, fs_path):
        """The names of the directories in a directory."""
        return self.ls_dir(fs_path)[0]

    def list_files_info(self, path_list):
        """A dict with `path` and `size` in bytes of each file that paths name or directories of
        them have.
        """
        found = (entry for path in path_list for entry in self._listed(path))
        return [{'path': path, 'size': size} for is_dir, size, path in found if not is_dir]

    def mkdirs(self, fs_path):
        """Make a directory and those above it."""
        if not self.is_exist(fs_path):
            self._do('-mkdir', '-p', fs_path)

    def touch(self, fs_path, exist_ok=True):
        """Make an empty file. One that is there stays with `exist_ok`, else is an error."""
        if not self.is_exist(fs_path):
            self._do('-touchz', fs_path)
        elif not exist_ok:
            raise FSFileExistsError(
                f'[HDFSClient.touch] expected nothing at {fs_path}, got what is there'
            )

    def delete(self, fs_path):
        """Remove a file or a directory and all in it, where it is there."""
        if self.is_dir(fs_path):
            self._do('-rm', '-r', fs_path)
        elif self.is_exist(fs_path):
            self._do('-rm', fs_path)

    def rename(self, fs_src_path, fs_dst_path):
        """Give a file or directory another path."""
        self._do('-mv', fs_src_path, fs_dst_path, tries=1)

    def mv(self, fs_src_path, fs_dst_path, overwrite=False, test_exists=True):
        """Move a file or directory; without `test_exists` the command alone finds what is wrong."""
        if overwrite and self.is_exist(fs_dst_path):
            self.delete(fs_dst_path)
        if test_exists:
            self._required('mv', fs_src_path)
            if self.is_exist(fs_dst_path):
                raise FSFileExistsError(
                    f'[HDFSClient.mv] expected nothing at {fs_dst_path}, got what is there'
                )
        self.rename(fs_src_path, fs_dst_path)

    def cat(self, fs_path=None):
        """The text of a file, without the line ends behind it; '' where there is none."""
        return self._do('-cat', fs_path).rstrip('\n') if fs_path and self.is_file(fs_path) else ''

    def upload(self, local_path, fs_path, multi_processes=5, overwrite=False):
        """Copy a file of this host, or what is in a directory of it, to a path.

        Args:
            local_path (str): A file, or a directory, whose entries go below fs_path.
            fs_path (str): Where it goes.
            multi_processes (int, default 5): How many entries are copied at once.
            overwrite (bool, default False): Whether what is at fs_path is removed before.

        Raises:
            FSFileNotExistsError: There is nothing at local_path.
            ExecuteError: A command failed: there is a file at fs_path.
        """
        if not os.path.exists(local_path):
            raise FSFileNotExistsError(
                f'[HDFSClient.upload] expected a file at {local_path}, got none'
            )
        if overwrite and self.is_exist(fs_path):
            self.delete(fs_path)
        if not os.path.isdir(local_path):
            self._do('-put', local_path, fs_path)
            return
        self.mkdirs(fs_path)
        entries = [os.path.join(local_path, name) for name in sorted(os.listdir(local_path))]
        self._all(multi_processes, lambda entry: self._do('-put', entry, fs_path), entries)

    def upload_dir(self, local_dir, dest_dir, overwrite=False):
        """Copy a directory of this host, under its name, into a directory.

        Args:
            local_dir (str): The directory.
            dest_dir (str): The directory it comes into, made where it is not there.
            overwrite (bool, default False): Whether one of its name there is removed before.

        Raises:
            FSFileNotExistsError: local_dir is no directory.
            FSFileExistsError: There is one of its name, without overwrite.
        """
        local_dir = local_dir.rstrip('/')
        if not os.path.isdir(local_dir):
            raise FSFileNotExistsError(
                f'[HDFSClient.upload_dir] expected a directory at {local_dir}, got none'
            )
        path = f'{dest_dir.rstrip("/")}/{os.path.basename(local_dir)}'
        if self.is_exist(path):
            if not overwrite:
                raise FSFileExistsError(
                    f'[HDFSClient.upload_dir] expected nothing at {path}, got what is there'
                )
            self.delete(path)
        self.mkdirs(dest_dir)
        self._do('-put', local_dir, dest_dir)

    def download(self, fs_path, local_path, multi_processes=5, overwrite=False):
        """Copy a file or directory to a path of this host.

        Args:
            fs_path (str): The file or directory.
            local_path (str): Where it goes: a directory's entries below it.
            multi_processes (int, default 5): How many entries are copied at once.
            overwrite (bool, default False): Whether what is at local_path is removed before.

        Raises:
            FSFileNotExistsError: There is nothing at fs_path.
            ExecuteError: A command failed.
        """
        from .fs import LocalFS

        self._required('download', fs_path)
        if overwrite:
            LocalFS().delete(local_path)
        if not self._test('-d', fs_path):
            self._do('-get', fs_path, local_path)
            return
        os.makedirs(local_path, exist_ok=True)
        paths = [path for _, _, path in self._listed(fs_path)]
        self._all(multi_processes, lambda path: self._do('-get', path, local_path), paths)

    @staticmethod
    def _all(workers, function, items):
        with ThreadPoolExecutor(max(1, workers)) as pool:
            for _ in pool.map(function, items):
                pass

    def need_upload_download(self):
        """Whether files must be fetched to be read: yes."""
        return True
