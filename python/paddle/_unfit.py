# SPDX-License-Identifier: Apache-2.0
"""Why the extension module cannot be loaded, for the message of `import paddle`."""

import glob
import os
import re
import sys
import sysconfig

_FILE = re.compile(r'libpaddle\.cpython-(\d)(\d+)(\w*)-')


def pythons(folder):
    """Versions of CPython that have an extension module in a folder, such as ['3.9', '3.10']."""
    found = []
    for path in glob.glob(os.path.join(folder, 'libpaddle.*.so')):
        match = _FILE.match(os.path.basename(path))
        if match:
            found.append((int(match[1]), int(match[2]), match[3]))
    return [f'{major}.{minor}{kind}' for major, minor, kind in sorted(found)]


def reason(folder):
    """A sentence where no extension module in the folder fits this Python, else None."""
    suffix = sysconfig.get_config_var('EXT_SUFFIX')
    if os.path.exists(os.path.join(folder, 'libpaddle' + suffix)):
        return None
    name = sys.implementation.name.replace('cpython', 'CPython')
    version = '.'.join(map(str, sys.version_info[:2]))
    threads = 't' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''
    return (
        f'[paddle] expected a Python that this package was built for, '
        f'CPython {", ".join(pythons(folder)) or "of none"}, got {name} {version}{threads}'
    )
