# SPDX-License-Identifier: Apache-2.0
"""Where the headers and libraries of the package lie."""

import os

__all__ = ['get_include', 'get_lib']


def _root():
    return os.path.dirname(os.path.abspath(__file__))


def get_include():
    """The directory of the C++ headers, for programs that extend the package.

    Returns:
        str: its path.

    Examples:
        >>> import os
        >>> os.path.isfile(os.path.join(paddle.sysconfig.get_include(), "paddle", "extension.h"))
        True
    """
    return os.path.join(_root(), 'include')


def get_lib():
    """The directory of the shared libraries, for programs that extend the package.

    Returns:
        str: its path.

    Examples:
        >>> import os
        >>> os.path.basename(paddle.sysconfig.get_lib())
        'libs'
    """
    return os.path.join(_root(), 'libs')
