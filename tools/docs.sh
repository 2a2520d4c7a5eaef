#!/usr/bin/env bash
# Builds the documentation site into docs/_build/html from the package in build/python; a warning of Sphinx is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
bash tools/build.sh
site=docs/_build
if [ "$(cat $site/environment/requirements 2>/dev/null || true)" != "$(cat requirements-docs.txt)" ]; then
  rm -rf $site/environment
  python3 -m venv $site/environment
  $site/environment/bin/python -m pip --disable-pip-version-check install -q -r requirements-docs.txt
  cp requirements-docs.txt $site/environment/requirements
fi
PYTHONPATH="$PWD/build/python:$PWD/tools" .venv/bin/python -m pages --out $site/source
$site/environment/bin/python -m sphinx -q -W --keep-going -j auto -d $site/doctrees $site/source $site/html
echo "docs: $site/html/index.html"
