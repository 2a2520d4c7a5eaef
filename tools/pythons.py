# SPDX-License-Identifier: Apache-2.0
"""Prints the CPython interpreters of this machine that a wheel is built for, one of each version,
separated by semicolons: those that PADDLE_PYTHONS names, else all that are found and have headers.
With `absent`: the versions of VERSIONS that are not found, separated by spaces.
"""

import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What a wheel for users is built for.
VERSIONS = tuple((3, minor) for minor in range(9, 15))
PLACES = (
    *os.environ.get("PATH", "").split(os.pathsep),
    "/usr/local/bin",
    "/opt/python/*/bin",
    os.path.join(os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv")), "versions/*/bin"),
    # Where tools/wheel.sh unpacks those of a newer Debian.
    os.path.join(ROOT, "build-pythons/*/usr/bin"),
)
QUESTION = (
    "import os, sys, sysconfig; v = sysconfig.get_config_var; "
    "fits = sys.implementation.name == 'cpython' and sys.version_info >= (3, 9); "
    "headers = os.path.exists(os.path.join(sysconfig.get_path('include'), 'Python.h')); "
    "print(*sys.version_info[:2], int(fits and headers and not v('Py_GIL_DISABLED')))"
)


def version(python):
    """(major, minor) of an interpreter that an extension module can be built for, else None."""
    try:
        run = subprocess.run([python, "-c", QUESTION], capture_output=True, text=True, timeout=60)
        major, minor, fits = map(int, run.stdout.split())
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return (major, minor) if fits else None


def find():
    """{(major, minor): path}, in the order of versions."""
    named = [path for path in os.environ.get("PADDLE_PYTHONS", "").split(";") if path]
    paths = named or [
        path
        for place in PLACES
        for path in sorted(glob.glob(os.path.join(place, "python3*")))
        if re.fullmatch(r"python3\.\d+", os.path.basename(path))
    ]
    found = {}
    for path in paths:
        at = version(path)
        if at is None and named:
            sys.exit(f"expected CPython 3.9 or newer with headers and the lock, got {path}")
        if at is not None:
            found.setdefault(at, path)
    return dict(sorted(found.items()))


if __name__ == "__main__":
    if sys.argv[1:] == ["absent"]:
        print(*(f"{major}.{minor}" for major, minor in VERSIONS if (major, minor) not in find()))
    else:
        print(*find().values(), sep=";")
