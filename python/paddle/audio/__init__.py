# SPDX-License-Identifier: Apache-2.0
"""Audio: windows, mel scales, spectral features, and wave files."""

from paddle import _lazy

from . import backends, features, functional
from .backends import info, load, save

__all__ = ['functional', 'features', 'datasets', 'backends', 'load', 'info', 'save']

_lazy.serve(globals())
