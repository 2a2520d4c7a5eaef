# SPDX-License-Identifier: Apache-2.0
"""The least device stays as small as tools/device_cost.py says; each function is missed by name."""

import pathlib
import subprocess
import sys

TOOL = pathlib.Path(__file__).resolve().parents[2] / 'tools' / 'device_cost.py'


def test_a_device_costs_twelve_functions():
    done = subprocess.run([sys.executable, str(TOOL)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert '12 functions' in done.stdout and done.stdout.count('without ') == 12, done.stdout
