# SPDX-License-Identifier: Apache-2.0
"""Shared by the datasets: finding their files, and the kind of image they return."""

import numpy as np

from paddle.utils.archives import open_tar, read_tar_member

__all__ = ['check_backend', 'from_array', 'Archive']


def check_backend(backend):
    """The backend to use, 'pil' or 'cv2'; ValueError for another."""
    if backend is None:
        from paddle.vision import get_image_backend

        backend = get_image_backend()
    if backend not in ('pil', 'cv2'):
        raise ValueError(f"[vision.datasets] expected backend 'pil' or 'cv2', got {backend!r}")
    return backend


def from_array(array, backend, mode=None):
    """A PIL image of the array, or the array itself for 'cv2'."""
    if backend == 'pil':
        from PIL import Image

        image = Image.fromarray(np.ascontiguousarray(array).astype('uint8'))
        return image.convert(mode) if mode else image
    return array


class Archive:
    """A tar file read member by member; each process that gets a copy opens it for itself."""

    def __init__(self, path):
        self.path, self._file = path, None

    def read(self, name):
        """The bytes of a member."""
        if self._file is None:
            self._file = open_tar(self.path)
        return read_tar_member(self._file, name)

    def __getstate__(self):
        return {'path': self.path, '_file': None}
