# SPDX-License-Identifier: Apache-2.0
"""Every example under docs/examples/pde runs and draws, and compiled steps are the eager ones."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

import paddle

EXAMPLES = pathlib.Path(__file__).parents[2] / 'docs/examples/pde'


def _run(name, *options):
    where = str(pathlib.Path(paddle.__file__).parent.parent)
    env = {
        **os.environ,
        'OMP_NUM_THREADS': '1',
        'PYTHONPATH': os.pathsep.join([where, os.environ.get('PYTHONPATH', '')]),
    }
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f'{name}.py'), '--points', '60', *options],
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize('name', ['burgers', 'poisson', 'heat', 'wave', 'allen_cahn', 'cavity'])
def test_example(name, tmp_path):
    pytest.importorskip('matplotlib')
    losses = []
    for mode in ([], ['--eager']):
        picture = tmp_path / f'{name}.png'
        text = _run(name, '--steps', '10', '--out', str(picture), *mode)
        assert picture.read_bytes()[:4] == b'\x89PNG'
        assert re.search(r'relative L2 error \d\.\d\de', text)
        losses.append([float(x) for x in re.findall(r'loss (\S+)', text)])
        picture.unlink()
    assert len(losses[0]) == 10 and losses[0] == pytest.approx(losses[1], rel=5e-3)
