#!/usr/bin/env bash
# Builds for aarch64 on a Debian machine with another processor, and runs the tests of the kernels under qemu.
#   tools/aarch64.sh          test_primitives: the kernels alone, portable ones in place of AVX2's and AVX-512's
#   tools/aarch64.sh core     libpaddle_core.so too, with its C++ tests
#   tools/aarch64.sh setup    only what is needed: cross compiler, qemu, Debian's arm64 packages and OpenBLAS, unpacked
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-primitives}
build=$PWD/build-aarch64
export PADDLE_SYSROOT=$build/sysroot
tools/setup.sh

missing=()
for package in g++-12-aarch64-linux-gnu qemu-user; do
  dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
if ((${#missing[@]})); then
  sudo=""
  [ "$(id -u)" = 0 ] || sudo=sudo
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# Lists and packages of the other architecture have folders of their own, so that the machine's apt knows nothing of it.
packages=(libgtest-dev googletest nlohmann-json3-dev zlib1g-dev libzstd-dev libzstd1 llvm-19-dev)
openblas=$(sed -n 's/^set(PADDLE_OPENBLAS_VERSION \(.*\))/\1/p' third_party/openblas.cmake)
wanted="${packages[*]} $openblas"
if [ "$(cat "$PADDLE_SYSROOT/.stamp" 2>/dev/null || true)" != "$wanted" ]; then
  rm -rf "$PADDLE_SYSROOT" "$build/apt"
  mkdir -p "$PADDLE_SYSROOT" "$build/apt/lists/partial" "$build/apt/cache/archives/partial"
  touch "$build/apt/status"
  cat >"$build/apt/apt.conf" <<CONF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
Dir::State "$build/apt";
Dir::State::Lists "$build/apt/lists";
Dir::State::status "$build/apt/status";
Dir::Cache "$build/apt/cache";
APT::Sandbox::User "";
CONF
  export APT_CONFIG=$build/apt/apt.conf
  apt-get update -qq
  (cd "$build/apt" && apt-get download -qq "${packages[@]}")
  for file in "$build"/apt/*.deb; do dpkg-deb -x "$file" "$PADDLE_SYSROOT"; done
  unset APT_CONFIG
  .venv/bin/python -m pip --disable-pip-version-check download -q --no-deps --only-binary=:all: -d "$build/apt" \
    --platform manylinux_2_28_aarch64 "scipy-openblas32==$openblas"
  .venv/bin/python -m zipfile -e "$build"/apt/scipy_openblas32-*.whl "$PADDLE_SYSROOT"
  rm -rf "$build/apt"
  printf '%s\n' "$wanted" >"$PADDLE_SYSROOT/.stamp"
fi
[ "$what" != setup ] || exit 0

cmake -S . -B "$build" -G Ninja --toolchain cmake/aarch64.cmake -DPADDLE_BUILD_TESTS=ON \
  -DPython_EXECUTABLE="$PWD/.venv/bin/python" -DPADDLE_OPENBLAS_DIR="$PADDLE_SYSROOT/scipy_openblas32" >/dev/null
if [ "$what" = core ]; then
  cmake --build "$build"
  ctest --test-dir "$build" --output-on-failure
else
  cmake --build "$build" --target test_primitives
  ctest --test-dir "$build" --output-on-failure -R '^primitives/'
fi
