# SPDX-License-Identifier: Apache-2.0
"""Small helpers: deprecation, version checks, optional imports, an installation check."""

import importlib

from paddle import _lazy

from . import unique_name  # noqa: F401
from .deprecated import deprecated
from .lazy_import import try_import
from .require_version import require_version
from .structure import flatten, map_structure, pack_sequence_as  # noqa: F401

__all__ = ['deprecated', 'run_check', 'require_version', 'try_import']
_MODULES = ('dlpack', 'download', 'cpp_extension', 'layers_utils', 'install_check')


def run_check():
    """Print what of the package works on this machine, and train a small layer to show it.

    The layer runs as it stands and compiled.

    Returns:
        None.

    Raises:
        RuntimeError: The loss does not fall, or the compiled layer gives other numbers.

    Examples:
        >>> import contextlib, io
        >>> with contextlib.redirect_stdout(io.StringIO()) as printed:
        ...     paddle.utils.run_check()
        >>> "works well" in printed.getvalue()
        True
    """
    from .install_check import run_check as check

    check()


def __getattr__(name):
    if name in _MODULES:
        try:
            return importlib.import_module('.' + name, __name__)
        except ModuleNotFoundError as error:
            raise AttributeError(str(error)) from None
    return _lazy.listed(__name__, name)
