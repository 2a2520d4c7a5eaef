# SPDX-License-Identifier: Apache-2.0
"""Import of optional packages."""

import importlib

__all__ = ['try_import']

_PACKAGES = {'cv2': 'opencv-python', 'PIL': 'pillow', 'sklearn': 'scikit-learn'}


def try_import(module_name, err_msg=None):
    """Import a module, or raise ImportError saying how to install it."""
    try:
        return importlib.import_module(module_name)
    except ImportError:
        if err_msg is None:
            package = _PACKAGES.get(module_name, module_name)
            err_msg = (
                f"[try_import] expected the package {package}, got none: pip install {package}"
            )
        raise ImportError(err_msg) from None
