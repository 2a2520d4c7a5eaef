# SPDX-License-Identifier: Apache-2.0
"""Files of data sets: where they lie, how they come there, and readers over parts of them."""

import glob
import os
import pickle

from paddle.framework.output_file import OutputFile
from paddle.framework.unpickle import load_pickle
from paddle.utils.download import _download, _map_path, md5file

__all__ = []

HOME = os.path.expanduser('~')
DATA_HOME = os.path.join(HOME, '.cache', 'paddle', 'dataset')


def must_mkdirs(path):
    """Make a folder and those above it, unless it is there."""
    os.makedirs(path, exist_ok=True)


def download(url, module_name, md5sum, save_name=None):
    """The file of `url` in the folder of a data set, fetched unless it is there with the md5.
    RuntimeError when that fails.
    """
    folder = os.path.join(DATA_HOME, module_name)
    must_mkdirs(folder)
    path = os.path.join(folder, url.split('/')[-1] if save_name is None else save_name)
    if not (os.path.exists(path) and md5file(path) == md5sum):
        _download(url, folder, md5sum)
        if path != _map_path(url, folder):
            os.replace(_map_path(url, folder), path)
    return path


def _check_exists_and_download(path, url, md5, module_name, download=True):
    """`path` when it exists; else the fetched file, or ValueError where `download` forbids that."""
    if path and os.path.exists(path):
        return path
    if not download:
        raise ValueError(
            f"[{module_name}] expected a file at {path!r} for download=False, got none"
        )
    return globals()['download'](url, module_name, md5)


def split(reader, line_count, suffix="%05d.pickle", dumper=pickle.dump):
    """Write what a reader gives into files of `line_count` items each, named by their number."""
    if not callable(dumper):
        raise TypeError(f"[split] expected dumper to be a function, got {type(dumper).__name__}")
    lines, written = [], 0

    def write():
        with OutputFile(suffix % written) as stream:
            dumper(lines, stream)

    for item in reader():
        lines.append(item)
        if len(lines) == line_count:
            write()
            lines, written = [], written + 1
    if lines:
        write()


def cluster_files_reader(files_pattern, trainer_count, trainer_id, loader=load_pickle):
    """A reader over the items of those files whose number, modulo `trainer_count`, is `trainer_id`;
    `loader` gives those of an open one.

    By default files hold what `paddle.load` reads, and nothing in them is executed.
    """
    if not callable(loader):
        raise TypeError(
            f"[cluster_files_reader] expected loader to be a function, got {type(loader).__name__}"
        )

    def reader():
        for number, path in enumerate(sorted(glob.glob(files_pattern))):
            if number % trainer_count == trainer_id:
                with open(path, 'rb') as stream:
                    yield from loader(stream)

    return reader
