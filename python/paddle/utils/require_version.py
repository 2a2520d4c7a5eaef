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
                f"The type of '{name}' in require_version must be str, but received {type(value)}."
            )
        if not _FORM.fullmatch(value):
            raise ValueError(
                f"The value of '{name}' in require_version must be in format "
                f"'\\d+(\\.\\d+){{0,3}}', like '1.5.2.0', but received {value}"
            )
    from paddle.version import full_version

    have = _numbers(full_version)
    if max_version is None:
        if have < _numbers(min_version):
            raise Exception(
                f"VersionError: PaddlePaddle version {min_version} or higher is required, but "
                f"{full_version} installed, please upgrade your PaddlePaddle to {min_version} or "
                f"other "
                "higher version."
            )
    elif not _numbers(min_version) <= have <= _numbers(max_version):
        raise Exception(
            f"VersionError: PaddlePaddle version in [{min_version}, {max_version}] required, but "
            f"{full_version} installed. Maybe you need to change your PaddlePaddle version."
        )
