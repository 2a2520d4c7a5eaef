# SPDX-License-Identifier: Apache-2.0
"""Prints, for `DIST==VERSION FILE...`, the absolute path of each named file of an installed Python
distribution.

Libraries that come as wheels are found through their own file list, so virtual environments and
pip's isolated build environments work alike. Exit status 2 with a message when the distribution,
version or a file is missing.
"""

import importlib.metadata
import os
import sys


def main(spec, *names):
    dist_name, _, version = spec.partition("==")
    try:
        dist = importlib.metadata.distribution(dist_name)
    except importlib.metadata.PackageNotFoundError:
        return f"expected Python package {spec}, got none; run tools/setup.sh"
    if version and dist.version != version:
        return f"expected {spec}, got {dist_name} {dist.version}; run tools/setup.sh"
    files = {os.path.basename(str(f)): f for f in dist.files or ()}
    for name in names:
        path = os.path.realpath(str(dist.locate_file(files[name]))) if name in files else ""
        if not os.path.exists(path):
            return f"expected {name} in {spec}, got none"
        print(path)
    return None


if __name__ == "__main__":
    error = main(*sys.argv[1:])
    if error:
        print(error, file=sys.stderr)
        sys.exit(2)
