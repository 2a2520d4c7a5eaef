# SPDX-License-Identifier: Apache-2.0
"""Whether scipy can be imported."""

__all__ = []


def check_import_scipy(OsName):
    """On Windows (`OsName` 'nt'), ImportError with what to do where scipy's libraries do not
    load.
    """
    if OsName == 'nt':
        try:
            import scipy.io  # noqa: F401
        except ImportError as error:
            raise ImportError(
                f"[check_import_scipy] {error}; scipy needs the Visual C++ runtime libraries"
            ) from error
