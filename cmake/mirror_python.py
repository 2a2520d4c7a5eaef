# SPDX-License-Identifier: Apache-2.0
"""mirror_python.py SOURCE DEST [RELATIVE=FILE...]: makes DEST the package SOURCE with the built
files laid over it.

Directories without an overlaid file are linked whole, so new and edited sources are seen at once;
the others are real directories of links. What no longer belongs is removed. Files of the overlay
win over sources of the same name.
"""

import os
import shutil
import sys


def link(target, path):
    if os.path.islink(path):
        if os.readlink(path) == target:
            return
        os.unlink(path)
    elif os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.unlink(path)
    os.symlink(target, path)


def mirror(source, dest, overlay):
    """overlay maps relative paths to built files below this directory."""
    if os.path.islink(dest):
        os.unlink(dest)
    os.makedirs(dest, exist_ok=True)
    here, below = {}, {}
    for name, target in overlay.items():
        head, _, rest = name.partition("/")
        if rest:
            below.setdefault(head, {})[rest] = target
        else:
            here[head] = target
    if os.path.isdir(source):
        for name in os.listdir(source):
            if name not in here and name not in below and name != "__pycache__":
                here[name] = os.path.join(source, name)
    for name in os.listdir(dest):
        if name not in here and name not in below and name != "__pycache__":
            path = os.path.join(dest, name)
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(
                path
            )
    for name, target in here.items():
        link(target, os.path.join(dest, name))
    for name, files in below.items():
        mirror(os.path.join(source, name), os.path.join(dest, name), files)


if __name__ == "__main__":
    mirror(
        os.path.abspath(sys.argv[1]),
        os.path.abspath(sys.argv[2]),
        dict(arg.split("=", 1) for arg in sys.argv[3:]),
    )
