# SPDX-License-Identifier: Apache-2.0
"""Recordings with labels, read from local folders. Nothing is downloaded."""

from paddle import _lazy

from .dataset import AudioClassificationDataset  # noqa: F401
from .recordings import ESC50, TESS

__all__ = ['ESC50', 'TESS']

_lazy.serve(globals())
