#!/usr/bin/env bash
# Configures and builds into build/ (or $BUILD_DIR). Arguments go to CMake, as in: tools/build.sh -DPADDLE_BUILD_TESTS=ON
set -euo pipefail
cd "$(dirname "$0")/.."
bash tools/setup.sh
cmake -S . -B "${BUILD_DIR:-build}" -G Ninja "$@"
cmake --build "${BUILD_DIR:-build}" --parallel "${JOBS:-$(nproc)}"
