# SPDX-License-Identifier: Apache-2.0
"""Check of the installed version."""

import re

__all__ = ['require_version']

_FORM = re.compile(r'\d+(\.\d+){0,3}')


def _numbers(text):
    parts = [int(p) for p in re.match(r'\d+(\.\d+)*', text).group().split('.')]
    return parts + [0] * (4 - len(parts))


def require_version(min_version, max_version=None):
    """Refuse versions of the package outside a range.

    Args:
        min_version (str): The first version that will do, such as `3.0`.
        max_version (str, default None): The last one; None for any.

    Returns:
        None.

    Raises:
        Exception: The installed version is another.
        TypeError: An argument is no string.
        ValueError: It is no version.

    Examples:
        >>> paddle.utils.require_version("2.6")
        >>> try:
        ...     paddle.utils.require_version("99.0")
        ... except Exception as error:
        ...     print("99.0 or later" in str(error))
        True
    """
    for name, value in (('min_version', min_version), ('max_version', max_version)):
        if value is None and name == 'max_version':
            continue
        if not isinstance(value, str):
            raise TypeError(
                f"[require_version] expected {name} to be a string, got {type(value).__name__}"
            )
        if not _FORM.fullmatch(value):
            raise ValueError(f"[require_version] expected {name} like '1.5.2.0', got {value!r}")
    from paddle.version import full_version

    have = _numbers(full_version)
    if max_version is None:
        if have < _numbers(min_version):
            raise Exception(
                f"[require_version] expected version {min_version} or later, got {full_version}"
            )
    elif not _numbers(min_version) <= have <= _numbers(max_version):
        raise Exception(
            f"[require_version] expected a version from {min_version} to {max_version}, got "
            f"{full_version}"
        )
