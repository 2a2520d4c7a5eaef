# SPDX-License-Identifier: Apache-2.0
"""Logs of checked numbers, and the workbook that compares two."""

import zipfile
from xml.etree import ElementTree

import pytest

import paddle
from paddle.amp import debugging

pytest.importorskip('xlsxwriter')


SPACE = {'m': 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'}


def cells_of(path, sheet=1):
    """The rows of a sheet of a workbook as {column: (text, color or None)}."""
    with zipfile.ZipFile(path) as archive:
        parts = {n: ElementTree.fromstring(archive.read(n)) for n in archive.namelist()}
    texts = [''.join(t.itertext()) for t in parts['xl/sharedStrings.xml']]
    colors = [f.find('.//m:fgColor', SPACE) for f in parts['xl/styles.xml'].find('m:fills', SPACE)]
    colors = [None if c is None else c.get('rgb', '')[2:] or None for c in colors]
    formats = parts['xl/styles.xml'].find('m:cellXfs', SPACE)
    fills = [colors[int(f.get('fillId'))] for f in formats]

    def text(cell):
        found = ''.join(cell.itertext())
        return texts[int(found)] if cell.get('t') == 's' else found

    return [
        {c.get('r')[0]: (text(c), fills[int(c.get('s', 0))]) for c in row}
        for row in parts[f'xl/worksheets/sheet{sheet}.xml'].findall('.//m:row', SPACE)
    ]


RED, YELLOW, GREEN = 'FF0000', 'FFFF00', 'D9EAD3'


def run_logged(folder, dtype, compute):
    x = paddle.to_tensor([1.0, 300.0, 0.0], dtype)
    debugging.enable_tensor_checker(
        debugging.TensorCheckerConfig(True, debugging.DebugMode.CHECK_ALL, output_dir=folder)
    )
    try:
        return compute(x)
    finally:
        debugging.disable_tensor_checker()


def test_compare_accuracy(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    run_logged('single', 'float32', lambda x: (x * x + 1.0) * x)
    run_logged('half', 'float16', lambda x: paddle.abs((x * x + 1.0) * x))
    assert capfd.readouterr().out == ''
    lines = (tmp_path / 'half' / 'worker_cpu').read_text().splitlines()
    assert lines[0] == (
        '[PRECISION] [ERROR] in [device=cpu, op=multiply, tensor=, dtype=fp16], numel=3, '
        'num_nan=0, num_inf=1, num_zero=1, max=inf, min=0.000000e+00, mean=inf'
    )
    debugging.compare_accuracy('single', 'half', 'out.xlsx', loss_scale=1024.0)
    assert "of ['multiply', 'add', 'abs']" in capfd.readouterr().out
    heads, names, *rows = cells_of('out.xlsx')
    assert heads['I'][0] == 'fp16 (scale=1024.0)' and names['S'][0] == 'mean_value'
    assert [(row['A'][0], row['B'][0] if 'B' in row else '') for row in rows] == [
        ('multiply', '#0'),
        ('add', '#0'),
        ('multiply', '#1'),
        ('abs', ''),
    ]
    text = {key: value for key, (value, _) in rows[0].items()}
    assert [text[c] for c in 'CDEFGI'] == ['3', '1', 'fp32', '90000.000000', '0.000000E+00', '1']
    assert float(text['H']) == pytest.approx(90001 / 3, rel=1e-6)
    assert [text[c] for c in 'JKNOPQR'] == ['fp16', 'inf', '1', '1', '0', 'inf', '1.000000']
    styles = {key: style for key, (_, style) in rows[0].items()}
    assert [styles[c] for c in 'DFKOQJ'] == [RED, RED, RED, RED, YELLOW, GREEN]
    assert [styles[c] for c in 'GHR'] == [None] * 3
    assert [rows[3][c][0] for c in 'EFGHIQRS'] == ['--'] * 8
    assert not list(tmp_path.glob('*.tmp'))


LINE = (
    '[PRECISION] in [device=cpu, op={}, tensor=, dtype=fp32], numel={}, num_zero=0, max={}, '
    'min=1.0, mean=0.0\n'
)


def test_compare_accuracy_of_logs(tmp_path):
    first, second, out = (tmp_path / name for name in ('a', 'b', 'out.csv'))
    first.mkdir(), second.mkdir()
    with pytest.raises(FileNotFoundError):
        debugging.compare_accuracy(first, second, out)
    log = 'other words\n' + ''.join(LINE.format('<&>', 2, v) for v in (1000.0, 1000.0, 1000.0, 0.0))
    (first / 'worker_cpu').write_text(log)
    (second / 'worker_cpu').write_text(
        ''.join(LINE.format('<&>', 2, v) for v in (1049.0, 1051.0, 2000.0, 1.0))
    )
    (first / 'worker_gpu.0').write_text(log)
    debugging.compare_accuracy(first, second, out, 2)
    assert [row['Q'] for row in cells_of(out)[2:]] == [
        *(('1.049000', None), ('1.051000', YELLOW), ('2.000000', None), ('inf', YELLOW))
    ]
    assert cells_of(out)[2]['A'][0] == '<&>'
    assert [row['J'][0] for row in cells_of(out, 2)[2:]] == [
        '--'
    ] * 4  # the second has no such file
    before = out.read_bytes()
    (second / 'worker_cpu').write_text(LINE.format('<&>', 3, 1.0))
    with pytest.raises(AssertionError, match='as many elements'):
        debugging.compare_accuracy(first, second, out)
    (second / 'worker_cpu').write_text(LINE.format('x', 1, 'many'))
    with pytest.raises(ValueError, match='expected counts, max, min and mean'):
        debugging.compare_accuracy(first, second, out)
    with pytest.raises(FileNotFoundError):
        debugging.compare_accuracy(first, tmp_path / 'none', out)
    with pytest.raises(AssertionError, match='dump_all_tensors'):
        debugging.compare_accuracy(first, second, out, dump_all_tensors=True)
    for scale in (0, -1, 'x', None, True):
        with pytest.raises(ValueError, match='loss_scale'):
            debugging.compare_accuracy(first, second, out, scale)
    assert out.read_bytes() == before


def test_checked_numbers_in_a_folder(tmp_path, capfd):
    config = debugging.TensorCheckerConfig(True, output_dir=tmp_path / 'new')
    debugging.enable_tensor_checker(config)
    paddle.log(paddle.to_tensor([-1.0]))  # is no error where there is a log
    debugging.disable_tensor_checker()
    assert 'op=log' in (tmp_path / 'new' / 'worker_cpu').read_text()
    assert capfd.readouterr().out == ''
    debugging.enable_tensor_checker(debugging.TensorCheckerConfig(True))
    with pytest.raises(RuntimeError):
        paddle.log(paddle.to_tensor([-1.0]))
    debugging.disable_tensor_checker()
    with pytest.raises(TypeError, match='output_dir'):
        debugging.TensorCheckerConfig(True, output_dir=3)
