# SPDX-License-Identifier: Apache-2.0
"""The runs that are prepared for a day with a GPU, on the driver's double."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from double import child, needs_double

pytestmark = needs_double
DAY = pathlib.Path(__file__).resolve().parents[2] / 'tools' / 'gpu_day' / 'run.py'


def test_short_stages(tmp_path):
    done = child(
        DAY, '--small', '--out', tmp_path, '--only', 'smoke', 'timings', 'models', 'profile'
    )
    table = {name: state for name, state, _, _ in json.loads((tmp_path / 'table.json').read_text())}
    assert done.returncode == 0 and set(table.values()) == {'ok'}, done.stdout
    said = (tmp_path / 'smoke.out').read_text()
    assert said.count('ok ') == 5 and 'wrong: none' in said
    times = (tmp_path / 'timings.out').read_text().splitlines()
    assert len(times) > 20 and any(line.startswith('20 ops') and 'graph' in line for line in times)
