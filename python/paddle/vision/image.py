# SPDX-License-Identifier: Apache-2.0
"""Reading image files with PIL, OpenCV or as tensors."""

import io
import os

import numpy as np

from paddle.base.arguments import any_of

__all__ = ['set_image_backend', 'get_image_backend', 'image_load']

_backend = ['pil']


def _check(backend, also=()):
    names = ('pil', 'cv2') + tuple(also)
    if backend not in names:
        raise ValueError(f"[vision] expected backend {any_of(names)}, got {backend!r}")


def set_image_backend(backend):
    """Choose 'pil', 'cv2' or 'tensor' for `image_load` and the datasets.

    Args:
        backend (str): The backend.

    Returns:
        None.

    Raises:
        ValueError: There is no such backend.

    Examples:
        >>> paddle.vision.set_image_backend("tensor")
        >>> paddle.vision.get_image_backend()
        'tensor'
        >>> paddle.vision.set_image_backend("pil")
    """
    _check(backend, ('tensor',))
    _backend[0] = backend


def get_image_backend():
    """The chosen backend, 'pil' unless set.

    Returns:
        str: the backend.

    Examples:
        >>> paddle.vision.get_image_backend()
        'pil'
    """
    return _backend[0]


def _open(path):
    """A PIL image of a file. PIL gets the bytes: what a header claims is then bounded by them."""
    from paddle.utils import try_import

    pil = try_import('PIL')
    with open(os.fspath(path), 'rb') as stream:
        content = io.BytesIO(stream.read())
    try:
        return try_import('PIL.Image').open(content)
    except pil.UnidentifiedImageError:
        raise pil.UnidentifiedImageError(
            f"[image_load] expected an image, got {os.fspath(path)!r}, which is none"
        ) from None


def image_load(path, backend=None):
    """Read an image file as a PIL image, a BGR array (cv2) or a tensor [H, W, C].

    Args:
        path (str): The file.
        backend (str, default None): `pil`, `cv2` or `tensor`; None for the chosen one.

    Returns:
        Tensor or object: the image.

    Examples:
        >>> from PIL import Image
        >>> Image.new("RGB", (4, 3), (255, 0, 0)).save("red.png")
        >>> paddle.vision.image_load("red.png", backend="tensor").shape
        paddle.Size([3, 4, 3])
    """
    backend = _backend[0] if backend is None else backend
    _check(backend, ('tensor',))
    if backend == 'pil':
        return _open(path)
    if backend == 'cv2':
        from paddle.utils import try_import

        return try_import('cv2').imread(path)
    import paddle

    return paddle.to_tensor(np.array(_open(path)))
