# SPDX-License-Identifier: Apache-2.0
"""A few hundred damaged files of every format the package reads; test/fuzz/mutate.py tries any
number.
"""

import os
import pathlib
import subprocess
import sys

import pytest

FUZZ = pathlib.Path(__file__).parents[1] / 'fuzz'


@pytest.mark.parametrize('part', ['first', 'second'])
def test_damaged_files(part):
    """Every format is first read undamaged by the run itself."""
    sys.path.insert(0, str(FUZZ))
    try:
        import readers
    finally:
        sys.path.remove(str(FUZZ))
    readers.make_samples()
    formats = [f for f in readers.FORMATS if readers.samples(f)]
    assert len(formats) >= 16
    chosen = formats[part == 'second' :: 2]
    done = subprocess.run(
        [sys.executable, str(FUZZ / 'mutate.py'), '250', *chosen],
        capture_output=True,
        text=True,
        env={**os.environ, 'FUZZ_SEED': '7', 'PADDLE_CINN_CACHE_DIR': ''},
    )
    assert done.returncode == 0 and done.stdout.count(' 0 defects') == len(chosen), (
        done.stdout + done.stderr
    )
