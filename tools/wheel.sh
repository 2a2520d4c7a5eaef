#!/usr/bin/env bash
# Builds the wheel into dist/. Its platform tag states the C library of this machine, which is the oldest it runs on.
set -euo pipefail
cd "$(dirname "$0")/.."
bash tools/setup.sh
glibc="$(.venv/bin/python -c 'import os; print(os.confstr("CS_GNU_LIBC_VERSION").split()[1].replace(".", "_"))')"
export _PYTHON_HOST_PLATFORM="manylinux_${glibc}_x86_64"
exec .venv/bin/python -m pip --disable-pip-version-check wheel -q . --no-build-isolation --no-deps -w dist
