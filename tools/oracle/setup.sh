#!/usr/bin/env bash
# Installs the published paddlepaddle 3.3.1 into .oracle (or $1). It is called and compared with, never opened.
set -euo pipefail
cd "$(dirname "$0")/../.."
target="${1:-.oracle}"
if [ -x "$target/bin/python" ] && "$target/bin/python" -c \
    "import importlib.metadata as m, sys; sys.exit(m.version('paddlepaddle') != '3.3.1')" 2>/dev/null; then
  echo "oracle: ready in $target"
  exit 0
fi
rm -rf "$target"
python3 -m venv "$target"
"$target/bin/python" -m pip --disable-pip-version-check install -q "paddlepaddle==3.3.1"
echo "oracle: ready in $target"
