# SPDX-License-Identifier: Apache-2.0
"""Datasets of image files in folders."""

import os

from paddle.io import Dataset

__all__ = [
    'DatasetFolder',
    'ImageFolder',
    'has_valid_extension',
    'make_dataset',
    'default_loader',
    'IMG_EXTENSIONS',
]

IMG_EXTENSIONS = ('.jpg', '.jpeg', '.png', '.ppm', '.bmp', '.pgm', '.tif', '.tiff', '.webp')


def has_valid_extension(filename, extensions):
    """Whether the file name ends with one of `extensions`."""
    if not isinstance(extensions, (list, tuple)):
        raise AssertionError(
            "[has_valid_extension] expected extensions to be a list or tuple, got "
            f"{type(extensions).__name__}"
        )
    return filename.lower().endswith(tuple(x.lower() for x in extensions))


def _chooser(extensions, is_valid_file):
    if (extensions is None) == (is_valid_file is None):
        raise ValueError(
            "[DatasetFolder] expected one of extensions and is_valid_file, got both or neither"
        )
    return (
        is_valid_file
        if is_valid_file is not None
        else lambda path: has_valid_extension(path, extensions)
    )


def _files(root, valid):
    for folder, _, names in sorted(os.walk(root, followlinks=True)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if valid(path):
                yield path


def make_dataset(dir, class_to_idx, extensions, is_valid_file=None):
    """(path, class index) of every valid file below the class folders."""
    valid = _chooser(extensions, is_valid_file)
    samples = []
    for name in sorted(class_to_idx):
        folder = os.path.join(os.path.expanduser(dir), name)
        if os.path.isdir(folder):
            samples += [(path, class_to_idx[name]) for path in _files(folder, valid)]
    return samples


def default_loader(path):
    """An RGB PIL image, or what `paddle.vision.image_load` gives for the chosen backend."""
    from paddle.vision import get_image_backend, image_load

    image = image_load(path)
    return image.convert('RGB') if get_image_backend() == 'pil' else image


class DatasetFolder(Dataset):
    """The files below the directories of a directory, each of which is a class.

    An item is a sample and the number of its class, in alphabetical order.

    Args:
        root (str): The directory.
        loader (callable, default None): What reads a file; None for images.
        extensions (list or tuple of strs, default None): Endings of the files that count; None for
            those of images.
        transform (callable, default None): What is done to a sample.
        is_valid_file (callable, default None): Which paths count, instead of extensions.

    Raises:
        RuntimeError: There are no such files.
        ValueError: Both extensions and is_valid_file are given.

    Examples:
        >>> import pathlib
        >>> for name in ("cat/a.txt", "dog/b.txt"):
        ...     pathlib.Path(name).parent.mkdir()
        ...     _ = pathlib.Path(name).write_text(name)
        >>> data = paddle.vision.datasets.DatasetFolder(
        ...     ".", loader=lambda path: pathlib.Path(path).read_text(), extensions=[".txt"])
        >>> data.classes, [data[k] for k in range(len(data))]
        (['cat', 'dog'], [('cat/a.txt', 0), ('dog/b.txt', 1)])
    """

    def __init__(self, root, loader=None, extensions=None, transform=None, is_valid_file=None):
        self.root = root
        self.transform = transform
        if extensions is None and is_valid_file is None:
            extensions = IMG_EXTENSIONS
        self.classes = sorted(entry.name for entry in os.scandir(root) if entry.is_dir())
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}
        self.samples = make_dataset(root, self.class_to_idx, extensions, is_valid_file)
        if not self.samples:
            raise RuntimeError(
                f"[DatasetFolder] expected files in folders below {root!r}, got none with an "
                f"ending of {list(extensions or ())}"
            )
        self.loader = default_loader if loader is None else loader
        self.extensions = extensions
        self.targets = [target for _, target in self.samples]

    def __getitem__(self, index):
        path, target = self.samples[index]
        sample = self.loader(path)
        return (self.transform(sample) if self.transform is not None else sample), target

    def __len__(self):
        return len(self.samples)


class ImageFolder(Dataset):
    """The files below a directory, without classes: an item is a list with one sample.

    Args:
        root (str): The directory.
        loader (callable, default None): What reads a file; None for images.
        extensions (list or tuple of strs, default None): Endings of the files that count; None for
            those of images.
        transform (callable, default None): What is done to a sample.
        is_valid_file (callable, default None): Which paths count, instead of extensions.

    Raises:
        RuntimeError: There are no such files.
        ValueError: Both extensions and is_valid_file are given.

    Examples:
        >>> import pathlib
        >>> _ = pathlib.Path("a.txt").write_text("hello")
        >>> data = paddle.vision.datasets.ImageFolder(
        ...     ".", loader=lambda path: pathlib.Path(path).read_text(), extensions=[".txt"])
        >>> data[0]
        ['hello']
    """

    def __init__(self, root, loader=None, extensions=None, transform=None, is_valid_file=None):
        self.root = root
        if extensions is None and is_valid_file is None:
            extensions = IMG_EXTENSIONS
        self.samples = list(_files(os.path.expanduser(root), _chooser(extensions, is_valid_file)))
        if not self.samples:
            raise RuntimeError(
                f"[ImageFolder] expected files below {root!r}, got none with an ending of "
                f"{list(extensions or ())}"
            )
        self.loader = default_loader if loader is None else loader
        self.extensions = extensions
        self.transform = transform

    def __getitem__(self, index):
        sample = self.loader(self.samples[index])
        return [self.transform(sample) if self.transform is not None else sample]

    def __len__(self):
        return len(self.samples)
