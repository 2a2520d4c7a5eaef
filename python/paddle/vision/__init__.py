# SPDX-License-Identifier: Apache-2.0
"""Computer vision: models, datasets, transforms and operations."""

from paddle import _lazy

from . import datasets, models, ops, transforms  # noqa: F401
from .image import get_image_backend, image_load, set_image_backend

__all__ = ['set_image_backend', 'get_image_backend', 'image_load']


def __getattr__(name):
    for module in (models, transforms, datasets):
        if name in module.__all__ or hasattr(module, name):
            return getattr(module, name)
    return _lazy.listed(__name__, name)
