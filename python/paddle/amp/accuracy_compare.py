# SPDX-License-Identifier: Apache-2.0
"""What `paddle.amp.debugging.compare_accuracy` makes of the logs of two runs: a workbook (ISO/IEC
29500) with a sheet for each file of a log.
"""

import io
import math
import os
import re
from collections import defaultdict
from dataclasses import dataclass

from paddle.framework.output_file import OutputFile

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
_PLAIN, _TITLE, _HALF, _FAR, _WIDE = range(5)  # styles of cells
_FILLS = {_TITLE: '#6495ED', _HALF: '#D9EAD3', _FAR: '#FFFF00', _WIDE: '#FF0000'}


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


def _sheet(book, styles, name, rows, loss_scale):
    """Add a sheet of rows, in which a cell is (value, style)."""
    sheet = book.add_worksheet(re.sub(r'[\[\]:*?/\\]', '_', name)[:31])
    for column, width in enumerate(_WIDTHS):
        sheet.set_column(column, column, width)
    for where, text in (
        ('E1:H1', 'fp32'),
        ('I1:N1', f'fp16 (scale={loss_scale})'),
        ('O1:Q1', 'fp16 / fp32'),
    ):
        sheet.merge_range(where, text, styles[_TITLE])
    for r, row in enumerate([[(name, _TITLE) for name in _COLUMNS], *rows], 1):
        for c, (value, style) in enumerate(row):
            if isinstance(value, int):
                sheet.write_number(r, c, value, styles[style])
            elif value != '':
                sheet.write_string(r, c, value, styles[style])


def _written(sheets, loss_scale):
    """The bytes of a workbook of {name: rows}."""
    try:
        import xlsxwriter
    except ImportError as error:
        raise ImportError(
            '[compare_accuracy] expected the package xlsxwriter, which writes the workbook, got '
            'none: pip install xlsxwriter'
        ) from error
    held = io.BytesIO()
    with xlsxwriter.Workbook(held, {'in_memory': True}) as book:
        title = {'bold': True}
        styles = {_PLAIN: None} | {
            style: book.add_format(
                {'bg_color': color, 'pattern': 1} | (title if style == _TITLE else {})
            )
            for style, color in _FILLS.items()
        }
        for name, rows in sheets.items():
            _sheet(book, styles, name, rows, loss_scale)
    return held.getvalue()


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
        sheets[name] = [_row(*pair, loss_scale) for pair in pairs]
        wide = {one.op: None for pair in pairs for one in pair[:2] if one is not None and one.wide}
        print(f'{name}: {len(pairs)} results, beyond float16 or not finite of {list(wide)}')
    made = _written(sheets, loss_scale)
    with OutputFile(path) as file:
        file.write(made)
    print(f'{path} is written')
