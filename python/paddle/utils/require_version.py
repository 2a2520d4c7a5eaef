# SPDX-License-Identifier: Apache-2.0
"""Check of the installed version."""

import re

__all__ = ['require_version']

_FORM = re.compile(r'\d+(\.\d+){0,3}')


def _numbers(text):
    parts = [int(p) for p in re.match(r'\d+(\.\d+)*', text).group().split('.')]
    return parts + [0] * (4 - len(parts))


def require_version(min_version, max_version=None):
    """Raise Exception unless min_version <= installed version <= max_version. Versions are strings
    such as '3.0'.
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
