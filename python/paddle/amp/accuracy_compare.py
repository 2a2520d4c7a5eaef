# SPDX-License-Identifier: Apache-2.0
"""What `paddle.amp.debugging.compare_accuracy` makes of the logs of two runs: a workbook (ISO/IEC
29500) with a sheet for each file of a log.
"""

import math
import os
import re
import zipfile
from collections import defaultdict
from dataclasses import dataclass
from xml.sax.saxutils import escape

__all__ = ['compare']

_LINE = re.compile(
    r'\[PRECISION\] (?:\[ERROR\] )?in \[device=([^,]*), op=([^,]*), tensor=([^,]*), '
    r'dtype=([^\]]*)\], numel=(\d+), (.*)'
)
_LARGEST = 65504.0  # of float16
_NEAR = 0.05
_COLUMNS = (
    *('op_type', 'tensor_name', 'numel', 'infinite'),
    *('dtype', 'max_value', 'min_value', 'mean_value'),
    *('num_zero', 'dtype', 'max_value', 'min_value', 'mean_value'),
    *('num_zero', 'num_inf', 'num_nan', 'max_value', 'min_value', 'mean_value'),
)
_WIDTHS = (24, 60, 10, 8, 8, 16, 16, 16, 10, 8, 16, 16, 16, 10, 8, 8, 16, 16, 16)
_PLAIN, _TITLE, _HALF, _FAR, _WIDE = range(5)  # styles, in the order of _STYLES
_FILLS = ('FF6495ED', 'FFD9EAD3', 'FFFFFF00', 'FFFF0000')


@dataclass
class Numbers:
    """A line of a log."""

    op: str
    tensor: str
    dtype: str
    numel: int
    counts: dict  # num_zero, and num_nan and num_inf if there are any
    values: tuple  # max, min, mean

    @property
    def wide(self):
        """Whether a value is not finite, or float16 cannot hold it."""
        counts = self.counts.get('num_nan', 0) + self.counts.get('num_inf', 0)
        return bool(counts) or any(_wide(v) for v in self.values)


def _wide(value):
    return not abs(value) <= _LARGEST


def _read(path):
    """The lines of a file of a log; others, such as what else a program printed, are none."""
    found = []
    with open(path, encoding='utf-8', errors='replace') as file:
        for line in file:
            match = _LINE.match(line)
            if match is None:
                continue
            _, op, tensor, dtype, numel, rest = match.groups()
            pairs = dict(part.partition('=')[::2] for part in rest.strip().split(', '))
            try:
                values = tuple(float(pairs.pop(key)) for key in ('max', 'min', 'mean'))
                counts = {key: int(value) for key, value in pairs.items()}
            except (KeyError, ValueError):
                raise ValueError(
                    f'[compare_accuracy] expected counts, max, min and mean in {path}, got '
                    f'{line.strip()!r}'
                ) from None
            found.append(Numbers(op, tensor, dtype, int(numel), counts, values))
    return found


def _pairs(first, second):
    """The lines of the second log, each with the line of the first that is the same operation's
    in order, if there is one, and its number.
    """
    known, seen = defaultdict(list), defaultdict(int)
    for line in first:
        known[line.op, line.tensor].append(line)
    for line in second:
        key = line.op, line.tensor
        number = seen[key]
        seen[key] += 1
        other = known[key][number] if number < len(known[key]) else None
        if other is not None and other.numel != line.numel:
            raise AssertionError(
                f'[compare_accuracy] expected {line.op} #{number} to have as many elements in both '
                f'logs, got {other.numel} and {line.numel}'
            )
        yield other, line, number


def _ratio(second, first):
    if second == first:
        return 1.0
    if first == 0:
        return math.copysign(math.inf, second) if second == second else math.nan
    return second / first


def _number(value):
    if value != value or math.isinf(value):
        return str(value)
    return f'{value:.6E}' if abs(value) < 1e-5 else f'{value:.6f}'


def _row(first, second, number, loss_scale):
    """Cells (text, style) of a pair of lines, one of which may be None."""
    line = second or first
    wide = any(one is not None and one.wide for one in (first, second))
    cells = [(line.op, _PLAIN), (line.tensor, _PLAIN)]
    if first is not None and second is not None:
        cells[1] = (f'{line.tensor}#{number}', _PLAIN)
    cells += [(line.numel, _PLAIN), ('1', _WIDE) if wide else ('0', _PLAIN)]
    for one, keys in ((first, ('num_zero',)), (second, ('num_zero', 'num_inf', 'num_nan'))):
        if one is None:
            cells += [('--', _PLAIN)] * (4 + len(keys))
            continue
        cells.append((one.dtype, _HALF if one.dtype in ('fp16', 'bf16') else _PLAIN))
        cells += [(_number(v), _WIDE if _wide(v) else _PLAIN) for v in one.values]
        for key in keys:
            count = one.counts.get(key)
            bad = key != 'num_zero' and count
            cells.append(('--' if count is None else count, _WIDE if bad else _PLAIN))
    if first is None or second is None:
        return cells + [('--', _PLAIN)] * 3
    for ratio in map(_ratio, second.values, first.values):
        near = any(abs(ratio - s) < _NEAR * s for s in (1.0, loss_scale))
        cells.append((f'{ratio:.6f}', _PLAIN if near else _FAR))
    return cells


def _letter(column):
    return chr(ord('A') + column)


def _cell(where, value, style):
    if isinstance(value, int):
        return f'<c r="{where}" s="{style}"><v>{value}</v></c>'
    text = escape(_clean(value))
    return f'<c r="{where}" t="inlineStr" s="{style}"><is><t>{text}</t></is></c>'


def _sheet(rows, loss_scale):
    """The XML of a sheet."""
    heads = [('', _PLAIN)] * len(_COLUMNS)
    heads[4] = ('fp32', _TITLE)
    heads[8] = (f'fp16 (scale={loss_scale})', _TITLE)
    heads[14] = ('fp16 / fp32', _TITLE)
    text = []
    for r, row in enumerate([heads, [(name, _TITLE) for name in _COLUMNS], *rows], 1):
        cells = (
            _cell(f'{_letter(c)}{r}', value, style)
            for c, (value, style) in enumerate(row)
            if value != ''
        )
        text.append(f'<row r="{r}">{"".join(cells)}</row>')
    widths = ''.join(
        f'<col min="{n}" max="{n}" width="{width}" customWidth="1"/>'
        for n, width in enumerate(_WIDTHS, 1)
    )
    merged = ''.join(f'<mergeCell ref="{where}"/>' for where in ('E1:H1', 'I1:N1', 'O1:Q1'))
    return (
        f'{_XML}<worksheet xmlns="{_MAIN}"><cols>{widths}</cols><sheetData>{"".join(text)}'
        f'</sheetData><mergeCells count="3">{merged}</mergeCells></worksheet>'
    )


def _clean(text):
    """Without the characters that XML cannot have."""
    return re.sub(r'[^\t\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]', '?', text)


_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
_KINDS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
_PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
_TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'


def _styles():
    fills = ''.join(
        f'<fill><patternFill patternType="solid"><fgColor rgb="{color}"/></patternFill></fill>'
        for color in _FILLS
    )
    formats = ''.join(
        f'<xf numFmtId="0" fontId="{int(n == _TITLE)}" fillId="{n + 1 if n else 0}" borderId="0" '
        f'xfId="0" applyFill="1" applyFont="1"/>'
        for n in range(len(_FILLS) + 1)
    )
    return (
        f'{_XML}<styleSheet xmlns="{_MAIN}"><fonts count="2"><font><sz val="11"/></font><font><b/>'
        f'<sz val="11"/></font></fonts><fills count="{len(_FILLS) + 2}"><fill><patternFill '
        f'patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>{fills}'
        f'</fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/>'
        f'</cellStyleXfs><cellXfs count="{len(_FILLS) + 1}">{formats}</cellXfs>'
        f'<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
        f'</styleSheet>'
    )


def _write(path, sheets):
    """Write {name: XML of a sheet} as a workbook, whole or not at all."""
    names = [re.sub(r'[\[\]:*?/\\]', '_', name)[:31] for name in sheets]
    listed = ''.join(
        f'<sheet name="{escape(_clean(name), {chr(34): "&quot;"})}" sheetId="{n}" r:id="rId{n}"/>'
        for n, name in enumerate(names, 1)
    )
    related = ''.join(
        f'<Relationship Id="rId{n}" Type="{_KINDS}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(names) + 1)
    )
    related += (
        f'<Relationship Id="rId{len(names) + 1}" Type="{_KINDS}/styles" Target="styles.xml"/>'
    )
    parts = ''.join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_TYPES}.worksheet+xml"/>'
        for n in range(1, len(names) + 1)
    )
    files = {
        '[Content_Types].xml': f'{_XML}<Types xmlns="{_PACKAGE}/content-types"><Default '
        'Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/><Override '
        f'PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/><Override '
        f'PartName="/xl/styles.xml" ContentType="{_TYPES}.styles+xml"/>{parts}</Types>',
        '_rels/.rels': f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship '
        f'Id="rId1" Type="{_KINDS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        'xl/workbook.xml': f'{_XML}<workbook xmlns="{_MAIN}" xmlns:r="{_KINDS}"><sheets>{listed}'
        '</sheets></workbook>',
        'xl/_rels/workbook.xml.rels': f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">'
        f'{related}</Relationships>',
        'xl/styles.xml': _styles(),
        **{f'xl/worksheets/sheet{n}.xml': text for n, text in enumerate(sheets.values(), 1)},
    }
    beside = f'{path}.{os.getpid()}.tmp'
    try:
        with zipfile.ZipFile(beside, 'w', zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.remove(beside)
        raise


def compare(first, second, path, loss_scale):
    """Compare the logs in two folders; see `paddle.amp.debugging.compare_accuracy`."""
    names = sorted(name for name in os.listdir(first) if name.startswith('worker_'))
    if not names:
        raise FileNotFoundError(f'[compare_accuracy] expected files worker_* in {first}, got none')
    os.listdir(second)  # a folder that is not there is an error
    sheets = {}
    for name in names:
        lines, other = _read(os.path.join(first, name)), os.path.join(second, name)
        if os.path.exists(other):
            pairs = list(_pairs(lines, _read(other)))
        else:
            print(f'{other} is not there: the sheet {name} has the lines of {first} only')
            pairs = [(line, None, 0) for line in lines]
        sheets[name] = _sheet((_row(*pair, loss_scale) for pair in pairs), loss_scale)
        wide = {one.op: None for pair in pairs for one in pair[:2] if one is not None and one.wide}
        print(f'{name}: {len(pairs)} results, beyond float16 or not finite of {list(wide)}')
    _write(path, sheets)
    print(f'{path} is written')
