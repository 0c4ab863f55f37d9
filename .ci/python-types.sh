#!/usr/bin/env bash
# Checks the types of the Python worker. Uses the mypy of the machine, or installs one.
set -euo pipefail
cd "$(dirname "$0")/../workers/python"
if ! command -v mypy > /dev/null; then
  python3 -m venv ../../.toolhost/mypy
  ../../.toolhost/mypy/bin/pip install --quiet mypy
  PATH="$PWD/../../.toolhost/mypy/bin:$PATH"
fi
mypy --cache-dir ../../.toolhost/mypy-cache
