# SPDX-License-Identifier: Apache-2.0
"""Pages of the documentation site that are made of the package, of figures and of programs."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import paddle

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope='module')
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp('site') / 'source'
    paths = [str(pathlib.Path(paddle.__file__).parent.parent), str(ROOT / 'tools')]
    done = subprocess.run(
        [sys.executable, '-m', 'pages', '--out', str(folder)],
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


def test_every_page_is_in_the_index(pages):
    index = (pages / 'index.md').read_text()
    named = set(re.findall(r'^[\w/]+$', index, re.M)) | {'index'}
    assert {path.stem for path in pages.glob('*.md')} <= named
    assert all((pages / f'{name}.md').exists() for name in named if name != 'design/*')


def test_table_of_operators_says_what_stanzas_do(pages):
    rows = {}
    for line in (pages / 'operators.md').read_text().splitlines():
        cells = [cell.strip() for cell in line.strip('|').split(' | ')]
        match = re.match(r'`(\w+)`<br>', cells[0])
        if match:
            rows[match[1]] = cells[1:]
    assert rows['tanh'][0].startswith('`tanh`') and '`tanh_`' in rows['tanh'][0]
    assert rows['tanh'][1:] == ['float, complex, int as float', 'any', 'joins', 'generated']
    assert rows['matmul'][2:] == ['any', 'own kernel', 'of the library']
    assert rows['floor_divide'][2] == ''
    # Seen in calls: of the functions' own, of others whose source calls them, of classes.
    seen = {name: row[1] for name, row in rows.items()}
    assert seen['cholesky'] == 'float32, float64, complex'
    assert seen['adamw_'] == 'float' and seen['bitwise_left_shift'] == 'int'
    assert seen['take_along_axis'] == 'bool, int, float, complex'
    assert [name for name, dtypes in seen.items() if not dtypes] == []
    assert len(rows) > 350


def test_operators_without_kernels_for_gpus_are_listed(pages):
    text = (pages / 'operators.md').read_text()
    named = set(re.findall(r'`(\w+)`', text.split('## Without a kernel for GPUs')[1]))
    assert {'nms', 'unique', 'warpctc_grad'} <= named
    assert not {'matmul', 'pool2d', 'var', 'adam_', 'softmax', 'layer_norm_grad', 'full'} & named
    cells = re.findall(r'^\| `(\w+)`<br>.* \| on the host \|$', text, re.M)
    assert set(cells) == {name for name in named if not name.endswith('_grad')}


def test_gallery_has_every_program(pages):
    text = (pages / 'gallery.md').read_text()
    for path in (ROOT / 'docs' / 'examples' / 'gallery').glob('*.py'):
        assert (f'<code>{path.name}</code>' in text) == (path.stem != 'common')


def test_benchmarks_draw_every_figure(pages):
    text = (pages / 'benchmarks.md').read_text()
    kept = json.loads((ROOT / 'docs' / 'site' / 'benchmarks.json').read_text())
    assert text.count('<rect ') == sum(len(own) for own in kept['times'].values())
    for own in kept['times'].values():
        assert all(f'## {what}\n' in text for what in own)
        assert all(f'{value:.4g} ms</text>' in text for value in own.values())
