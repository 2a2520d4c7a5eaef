#!/usr/bin/env bash
# Installs what the build needs on Debian 12 (git and python3 present) and creates .venv. Quick when all is there.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(g++ cmake ninja-build ccache mold binutils llvm-19-dev nlohmann-json3-dev libgtest-dev zlib1g-dev libzstd-dev
          python3-dev python3-venv clang-format clang-19
          ocl-icd-opencl-dev pocl-opencl-icd) # the last two: tests of plugins/opencl
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
if ((${#missing[@]})); then
  echo "setup: installing ${missing[*]}"
  sudo=""
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# The stamp holds the requirement files and the interpreter: a change of either reinstalls.
stamp=.venv/.setup-stamp
wanted="$(python3 -c 'import sys; print(sys.base_prefix, sys.version_info[:3])'; cat requirements-dev.txt requirements-native.txt)"
if [ ! -x .venv/bin/python ] || [ "$(cat "$stamp" 2>/dev/null || true)" != "$wanted" ]; then
  if ! .venv/bin/python -c '' 2>/dev/null || ! .venv/bin/python -c \
      "import sys; sys.exit(sys.base_prefix != '$(python3 -c 'import sys; print(sys.base_prefix)')')"; then
    rm -rf .venv
    python3 -m venv .venv
  fi
  echo "setup: installing Python packages into .venv"
  pip=(.venv/bin/python -m pip --disable-pip-version-check install -q)
  "${pip[@]}" -r requirements-dev.txt
  "${pip[@]}" --no-deps -r requirements-native.txt
  printf '%s\n' "$wanted" >"$stamp"
fi
echo "setup: ready"
