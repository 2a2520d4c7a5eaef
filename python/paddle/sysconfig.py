# SPDX-License-Identifier: Apache-2.0
"""Where the headers and libraries of the package lie."""

import os

__all__ = ['get_include', 'get_lib']


def _root():
    return os.path.dirname(os.path.abspath(__file__))


def get_include():
    """The folder of the C++ headers."""
    return os.path.join(_root(), 'include')


def get_lib():
    """The folder of the shared libraries."""
    return os.path.join(_root(), 'libs')
