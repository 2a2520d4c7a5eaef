# SPDX-License-Identifier: Apache-2.0
"""Sequences in the rows of a program's values: inputs declared with `lod_level` have their offsets
as inputs beside them.

Rows are known by their number: values whose first extent is that of an input with offsets have the
same sequences, as the results of most operations on it. `x@LOD.0` is the input of the offsets of
the outermost level of x; the executor takes it from the `DenseTensor` that is fed as x.
"""

from paddle.base import libpaddle as _core
from paddle.static import program as _program

_MARK = '@LOD.'
FIRST = f'{_MARK}0'


def name(of, level):
    """The name of the offsets of a level of the input or result `of`."""
    return f'{of}{_MARK}{level}'


def declare(program, name, value, levels):
    """Make the offsets of `levels` levels inputs of the program, for the rows of `value`."""
    rows = [program._data(f'{name}{_MARK}{level}', [-1], 'int64') for level in range(levels)]
    note(program, value, rows)


def offsets_of(program, names):
    """The inputs of offsets that belong to the inputs of these names, in order."""
    given = {
        op.attrs()['name']: op.result(0)
        for op in program._operations()
        if op.name() == 'pd_op.data'
    }
    return [v for n, v in given.items() if n.rpartition(_MARK)[0] in names]


def note(program, value, offsets):
    """The rows of `value` are sequences with these offsets, outermost level first."""
    if offsets:
        program.__dict__.setdefault('_lods', {})[_core.pir._extents(value)[0]] = offsets


def of(program, value):
    """Offsets of the sequences in the rows of a value, a vector of the program for each level; []
    where it has none."""
    known = program.__dict__.get('_lods')
    if not known or not isinstance(value, _core.pir.Value) or not value.ndim:
        return []
    return known.get(_core.pir._extents(value)[0], [])


def program_of(value):
    """The program that a value belongs to; the default one for other tensors."""
    maker = value.get_defining_op() if isinstance(value, _core.pir.Value) else None
    return _program.default_main_program() if maker is None else maker._program


def required(op, name, value):
    """As `of` for the program being recorded; ValueError where there are none."""
    if _core.pir._record_mode() == 0:
        raise AssertionError(f"[{op}] expected static mode (paddle.enable_static()), got dynamic")
    found = of(program_of(value), value)
    if not found:
        raise ValueError(
            f"[{op}] expected {name} with sequences (static.data(..., lod_level=1)), got a value "
            f"of shape {list(value.shape)} without"
        )
    return found


def carry(program, copy):
    """Give a clone of a program what is known of its sequences."""
    from paddle.static.block import same_places

    known = program.__dict__.get('_lods')
    if known:
        copy.__dict__['_lods'] = {rows: same_places(copy, levels) for rows, levels in known.items()}


def attached(results, sequences):
    """The fetched results, of which `sequences` tells the levels of each, and behind them all
    offsets, as a DenseTensor each that holds its offsets."""
    from paddle.static.scope import DenseTensor

    offsets = iter(results[len(sequences) :])
    made = []
    for result, levels in zip(results, sequences):
        made.append(DenseTensor(result))
        made[-1].set_lod([next(offsets).tolist() for _ in levels])
    return made


def fed(name, feed):
    """The offsets that stand for the input `name` of a program, if it is one of them: those of the
    `DenseTensor` in `feed`. None for other inputs. ValueError where they fit no sequences."""
    import numpy

    base, mark, level = name.rpartition(_MARK)
    if not mark or base not in feed:
        return None
    value, level = feed[base], int(level)
    lod = value.lod() if hasattr(value, 'lod') else []
    if level >= len(lod):
        raise ValueError(
            f"[Executor.run] expected {base!r} with {level + 1} or more levels of sequences "
            f"(create_lod_tensor), got {len(lod)}"
        )
    ends = [len(next_level) - 1 for next_level in lod[1:]] + [value.shape()[0]]
    row = lod[level]
    if not row or row[0] != 0 or row[-1] != ends[level] or sorted(row) != row:
        raise ValueError(
            f"[Executor.run] expected offsets of {base!r} that rise from 0 to {ends[level]}, got "
            f"{row}"
        )
    return numpy.asarray(row, 'int64')
