#!/usr/bin/env bash
# Builds the wheel into dist/. Its platform tag states the C library of this machine, which is the oldest it runs on.
set -euo pipefail
cd "$(dirname "$0")/.."
bash tools/setup.sh
tag="$(.venv/bin/python - <<'PY'
import os
import sys
glibc = os.confstr("CS_GNU_LIBC_VERSION").split()[1].replace(".", "_")
version = "cp%d%d" % sys.version_info[:2]
print(f"{version}-{version}-manylinux_{glibc}_x86_64")
PY
)"
exec .venv/bin/python -m pip --disable-pip-version-check wheel -q . --no-build-isolation --no-deps -w dist \
  -C "wheel.tags=$tag"
