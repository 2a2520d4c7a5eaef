# SPDX-License-Identifier: Apache-2.0
"""Reading image files with PIL, OpenCV or as tensors."""
import numpy as np

__all__ = ['set_image_backend', 'get_image_backend', 'image_load']

_backend = ['pil']


def _check(backend, also=()):
    names = ('pil', 'cv2') + tuple(also)
    if backend not in names:
        raise ValueError(f"Expected backend are one of [{', '.join(repr(n) for n in names)}], but got {backend}")


def set_image_backend(backend):
    """Choose 'pil', 'cv2' or 'tensor' for `image_load` and the datasets."""
    _check(backend, ('tensor',))
    _backend[0] = backend


def get_image_backend():
    """The chosen backend, 'pil' unless set."""
    return _backend[0]


def image_load(path, backend=None):
    """Read an image file as a PIL image, a BGR array (cv2) or a tensor [H, W, C]."""
    backend = _backend[0] if backend is None else backend
    _check(backend, ('tensor',))
    from paddle.utils import try_import
    if backend == 'pil':
        return try_import('PIL.Image').open(path)
    if backend == 'cv2':
        return try_import('cv2').imread(path)
    import paddle
    return paddle.to_tensor(np.array(try_import('PIL.Image').open(path)))
