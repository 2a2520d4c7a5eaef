# SPDX-License-Identifier: Apache-2.0
"""Every program of the gallery reaches its number in the short form, and draws."""

import os
import pathlib
import subprocess
import sys

import pytest

import paddle

GALLERY = pathlib.Path(__file__).parents[2] / 'docs/examples/gallery'
PROGRAMS = sorted(path.stem for path in GALLERY.glob('*.py') if path.stem != 'common')


@pytest.mark.parametrize('name', PROGRAMS)
def test_program(name, tmp_path):
    pytest.importorskip('matplotlib')
    pytest.importorskip('sklearn')
    picture = tmp_path / 'figure.png'
    where = str(pathlib.Path(paddle.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, str(GALLERY / f'{name}.py'), '--quick', '--out', str(picture)],
        env={**os.environ, 'OMP_NUM_THREADS': '1', 'PYTHONPATH': where},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-2000:]
    assert '(expected ' in done.stdout
    assert picture.read_bytes()[:4] == b'\x89PNG'
