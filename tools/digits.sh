#!/usr/bin/env bash
# Builds the wheel, installs it into .venv and trains the handwritten digits example with it.
set -euo pipefail
cd "$(dirname "$0")/.."
bash tools/setup.sh
.venv/bin/python -m pip --disable-pip-version-check install -q --no-build-isolation --no-deps --force-reinstall .
cd docs/examples
exec ../../.venv/bin/python digits.py "$@"
