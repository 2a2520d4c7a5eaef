#!/usr/bin/env bash
# Builds the wheel into dist/, with an extension module for each CPython of tools/pythons.py, checks what it needs of a system,
# and tries it in a fresh virtual environment of each. The platform tag is the C library of tools/glibc/stubs.py.
# CPython 3.13 and 3.14, where the machine has none and PADDLE_PYTHONS names none, are unpacked from newer Debians.
set -euo pipefail
cd "$(dirname "$0")/.."
bash tools/setup.sh
python=.venv/bin/python
if [ -z "${PADDLE_PYTHONS:-}" ]; then
  for version in $($python tools/pythons.py absent); do
    case $version in
      3.13) suite=trixie ;;
      3.14) suite=sid ;;
      *) continue ;;
    esac
    echo "wheel: CPython $version of Debian $suite"
    bash tools/debian_python.sh "$version" "build-pythons/$version" "$suite" >/dev/null
  done
  absent="$($python tools/pythons.py absent)"
  [ -z "$absent" ] || echo "wheel: no extension for CPython $absent, which this machine lacks"
fi
PADDLE_PYTHONS="$($python tools/pythons.py)"
export PADDLE_PYTHONS
glibc="$(PYTHONPATH=tools $python -c 'from glibc.stubs import NEWEST; print(*NEWEST["GLIBC"], sep="_")')"
rm -rf dist/built
$python -m pip --disable-pip-version-check wheel -q . --no-build-isolation --no-deps -w dist/built \
  -C "wheel.tags=py3-none-manylinux_${glibc}_x86_64" -C "cmake.define.PADDLE_PYTHONS=$PADDLE_PYTHONS"
$python tools/try_wheel.py dist/built/*.whl
mv dist/built/*.whl dist/
