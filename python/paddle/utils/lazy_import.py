# SPDX-License-Identifier: Apache-2.0
"""Import of optional packages."""

import importlib

__all__ = ['try_import']

_PACKAGES = {'cv2': 'opencv-python', 'PIL': 'pillow', 'sklearn': 'scikit-learn'}


def try_import(module_name, err_msg=None):
    """An optional module, or an ImportError that says how to install it.

    Args:
        module_name (str): The module.
        err_msg (str, default None): What the error says; None for the name of the package.

    Returns:
        module: the module.

    Raises:
        ImportError: It is not installed.

    Examples:
        >>> paddle.utils.try_import("json").dumps([1])
        '[1]'
        >>> paddle.utils.try_import("nonesuch")
        Traceback (most recent call last):
            ...
        ImportError: [try_import] expected the package nonesuch, got none: pip install nonesuch
    """
    try:
        return importlib.import_module(module_name)
    except ImportError:
        if err_msg is None:
            package = _PACKAGES.get(module_name, module_name)
            err_msg = (
                f"[try_import] expected the package {package}, got none: pip install {package}"
            )
        raise ImportError(err_msg) from None
