#!/usr/bin/env bash
# The test command: installs what is missing, builds, and runs every check, C++ test and Python test.
set -euo pipefail
cd "$(dirname "$0")/.."
bash tools/setup.sh
exec .venv/bin/python tools/check.py "$@"
