# SPDX-License-Identifier: Apache-2.0
"""`.pdmodel`, the older program format: its ops are recorded anew, one by one, under their old
names.

Variables of that format are places that ops write, by name; sub-blocks of loops and branches read
and write those around them. A name stands for the value written last, and what a sub-block writes
of the names around it becomes a value that the loop or branch yields.
"""

import os

import paddle
from paddle.base import libpaddle as _core
from paddle.static import block as _block
from paddle.static import lod
from paddle.static import program as _program
from paddle.static import value_names
from paddle.static.legacy_calls import aligned, with_read
from paddle.static.legacy_rules import ALIASES, RULES
from paddle.static.nn.control_flow import cond, if_region, while_loop

_NESTED = 32  # blocks within blocks
_LEVELS = 8  # sequences within sequences
_REPEATS = (
    100  # times an op may be recorded, on average: each loop whose extents change is recorded twice
)


def read(model_path, params_path=None, model=None):
    """(program, names of its inputs, values it computes) of `.pdmodel` and `.pdiparams` files.

    `model` holds the bytes where there is no file. Without `params_path` each parameter lies in a
    file of its name beside the model. Raises ValueError for damaged files, and NotImplementedError
    for an op that has no counterpart.
    """
    if model is None:
        with open(model_path, 'rb') as stream:
            model = stream.read()
    blocks = _core.pir._read_program_desc(model, str(model_path))
    blocks[0]['ops'] = _in_order_of_columns(blocks[0]['ops'])
    variables = blocks[0]['vars']
    kept = sorted(n for n, v in variables.items() if v['persistable'] and v['is_tensor'])
    values = {}
    for name, (origin, tensor) in zip(kept, _parameters(kept, model_path, params_path)):
        want = variables[name]
        if list(tensor.shape) != want['shape'] and _without_ones(tensor.shape) == _without_ones(
            want['shape']
        ):
            with _program.running():  # scales of quantised programs
                tensor = tensor.reshape(want['shape'])
        dtype = str(tensor.dtype).rsplit('.', 1)[-1]
        # Weights of quantised programs are declared as what they stand for.
        whole = dtype == 'int8' and want['dtype'] == 'float32'
        if list(tensor.shape) != want['shape'] or not (whole or dtype == want['dtype']):
            raise ValueError(
                f"[legacy_program] {origin!r}: expected parameter {name} to be "
                f"{want['dtype']}{want['shape']}, got {tensor.dtype}{list(tensor.shape)}"
            )
        tensor.name, tensor.persistable, tensor.stop_gradient = name, True, True
        values[name] = tensor
    arrays = [name for name, v in variables.items() if v['is_array']]
    if arrays:  # which the ops that write them find there
        from paddle.static.arrays import TensorArray

        values.update((name, TensorArray()) for name in arrays)
    program = _program.Program()
    with _program.recording(program):
        conversion = _Conversion(program, blocks, str(model_path))
        conversion.run(0, values, ())
    named = {n: v for n, v in values.items() if isinstance(v, _core.pir.Value)}
    value_names.known(program).update(named)
    feeds, fetches = conversion.feeds, conversion.fetches
    return program, [feeds[c] for c in sorted(feeds)], [fetches[c] for c in sorted(fetches)]


def _in_order_of_columns(ops):
    """The ops with the inputs, which files may hold in any order, in that of their columns."""
    feeds = [op for op in ops if op[0] == 'feed']
    if any(type(op[3].get('col')) is not int for op in feeds):
        return ops  # recording tells what is wrong
    feeds = iter(sorted(feeds, key=lambda op: op[3]['col']))
    return [next(feeds) if op[0] == 'feed' else op for op in ops]


def _without_ones(shape):
    return [n for n in shape if n != 1]


def _parameters(names, model_path, params_path):
    """(file, tensor) of each name."""
    if not names:
        return []
    if params_path is not None:
        if not os.path.isfile(params_path):
            raise FileNotFoundError(
                f"[load] expected the file {params_path!r} with the parameters of "
                f"{str(model_path)!r}"
            )
        return [
            (params_path, t) for t in _core.pir._read_records(os.fspath(params_path), len(names))
        ]
    folder = os.path.dirname(os.path.abspath(model_path))
    files = [os.path.join(folder, name) for name in names]
    for file in files:
        if os.path.commonpath([folder, os.path.abspath(file)]) != folder or not os.path.isfile(
            file
        ):
            raise FileNotFoundError(
                f"[load] expected the file {file!r} with a parameter of {str(model_path)!r}"
            )
    return [(file, _core.pir._read_records(file, 1)[0]) for file in files]


class _Conversion:
    """Blocks of one file on their way into `program`."""

    def __init__(self, program, blocks, origin):
        self.program, self.blocks, self.origin = program, blocks, origin
        self.feeds, self.fetches = {}, {}
        used = [
            op[3]['sub_block'] for block in blocks for op in block['ops'] if 'sub_block' in op[3]
        ]
        for number in used:
            if (
                isinstance(number, bool)
                or not isinstance(number, int)
                or not 0 < number < len(blocks)
            ):
                raise self._refused(
                    f"expected a sub_block from 1 to {len(blocks) - 1}, got {number!r}"
                )
        if len(set(used)) != len(used):
            raise self._refused(
                f"expected each block to be the sub_block of one op, "
                f"got {sorted({n for n in used if used.count(n) > 1})} of several"
            )
        self.written = {}
        self.left = 1000 + _REPEATS * sum(len(block['ops']) for block in blocks)

    def _refused(self, text):
        """The error for what the file holds, wherever in it that was found."""
        error = ValueError(f"[legacy_program] {self.origin!r}: {text}")
        error._where = self.origin
        return error

    def run(self, number, values, path):
        """Record block `number`; `values` holds the tensors by name, before and after. `path` is
        the way to it, for messages.
        """
        if len(path) > _NESTED:
            raise self._refused(f"expected at most {_NESTED} blocks within blocks, got more")
        ops, state = self.blocks[number]['ops'], _State()
        self.left -= len(ops)
        if self.left < 0:
            raise self._refused(
                "expected loops within loops that keep their extents, got too many that change them"
            )
        for at, (kind, inputs, outputs, attrs) in enumerate(ops):
            where = path[-1] + f' block {number}' if path else f'[legacy_program] {self.origin!r}'
            where += f': op {at} ({kind})'
            try:
                if at in state.done:
                    continue
                if kind == 'while':
                    self._loop(inputs, attrs, values, (*path, where))
                elif kind == 'conditional_block':
                    self._branches(ops, at, values, state, (*path, where))
                elif kind == 'select_input':
                    values[_only(outputs['Out'])] = self._selected(inputs, values, state)
                elif kind == 'feed':
                    name = _only(outputs['Out'])
                    variable = self.blocks[0]['vars'][name]
                    values[name] = self.program._data(
                        name, variable['shape'], getattr(paddle, variable['dtype'] or 'float32')
                    )
                    self.feeds[attrs['col']] = name
                    levels = variable['lod_level']
                    if not 0 <= levels <= _LEVELS:
                        raise ValueError(f"expected at most {_LEVELS} levels, got {levels}")
                    lod.declare(self.program, name, values[name], levels)
                elif kind == 'fetch':
                    self.fetches[attrs['col']] = values[_only(inputs['X'])]
                else:
                    given = {k: [values[n] for n in names] for k, names in inputs.items()}
                    self._record(kind, given, outputs, dict(attrs), values)
                    state.note(kind, inputs, outputs)
            except (
                AssertionError,
                IndexError,
                KeyError,
                TypeError,
                ValueError,
                NotImplementedError,
                OverflowError,
            ) as e:
                if getattr(e, '_where', None):
                    raise
                text = (
                    f"expected {e.args[0]!r}, got nothing of this name"
                    if isinstance(e, KeyError)
                    else str(e)
                )
                error = (NotImplementedError if isinstance(e, NotImplementedError) else ValueError)(
                    f"{where}: {text}"
                )
                error._where = where
                raise error from None

    def _writes(self, number, depth=0):
        """Names that block `number` writes, those of blocks within it included."""
        if depth > _NESTED:
            raise self._refused(f"expected at most {_NESTED} blocks within blocks, got more")
        if number not in self.written:
            found = set()
            for _, _, outputs, attrs in self.blocks[number]['ops']:
                found.update(name for names in outputs.values() for name in names)
                if 'sub_block' in attrs:
                    found |= self._writes(attrs['sub_block'], depth + 1)
            self.written[number] = found
        return self.written[number]

    def _loop(self, inputs, attrs, values, path):
        number, test = attrs['sub_block'], _only(inputs['Condition'])
        names = sorted(self._writes(number) & values.keys())
        if test not in names:
            raise ValueError(
                f"expected a loop that writes its condition {test!r}, got one that never ends"
            )

        def body(*args):
            inner = {**values, **dict(zip(names, args))}
            self.run(number, inner, path)
            return [inner[n] for n in names]

        results = while_loop(
            lambda *args: args[names.index(test)], body, [values[n] for n in names]
        )
        values.update(zip(names, results))

    def _branches(self, ops, at, values, state, path):
        """The conditional_block at `at`, with the one for the opposite condition behind it if there
        is one, as one branch.
        """
        _, inputs, _, attrs = ops[at]
        test = _only(inputs['Cond'])
        number, other = attrs['sub_block'], None
        mine, theirs, opposite = self._writes(number), set(), set()
        for k in range(at + 1, len(ops)):
            kind, given, made, more = ops[k]
            if kind == 'logical_not' and given['X'] == [test]:
                opposite.update(made['Out'])
            elif kind == 'conditional_block' and given['Cond'][0] in opposite:
                state.done.add(k)
                other = more['sub_block']
                theirs = self._writes(other)
                break
            elif kind not in ('logical_not', 'cast'):
                break
        pairs = []  # names of the values when true and when false
        for kind, given, _, _ in ops[at + 1 :]:
            if (
                kind == 'select_input'
                and len(given['X']) == 2
                and given['X'][1] in mine
                and given['X'][0] in theirs
            ):
                pairs.append((given['X'][1], given['X'][0]))
        changed = sorted((mine | theirs) & values.keys())

        def branch(block, side):
            inner = dict(values)
            if block is not None:
                self.run(block, inner, path)
            return [inner[pair[side]] for pair in pairs] + [inner[n] for n in changed]

        results = cond(values[test], lambda: branch(number, 0), lambda: branch(other, 1))
        for pair, value in zip(pairs, results):
            state.chosen[pair] = test, value
        values.update(zip(changed, results[len(pairs) :]))

    def _selected(self, inputs, values, state):
        other, mine = inputs['X']
        mask = _only(inputs['Mask'])
        if (mine, other) in state.chosen:
            test, value = state.chosen[mine, other]
            if state.casts.get(mask, mask) != test:
                raise NotImplementedError(
                    f"expected the condition {test!r} of the branches as mask, got {mask!r}"
                )
            return value
        return if_region(
            paddle.cast(values[mask], 'bool'),
            lambda: [paddle.assign(values[mine])],
            lambda: [paddle.assign(values[other])],
        )[0]

    def _record(self, kind, inputs, outputs, attrs, values):
        from paddle._legacy_ops import OPS

        kind = ALIASES.get(kind, kind)
        inputs = with_read(
            kind, inputs, attrs, lambda name: values.get((outputs.get(name) or [None])[0])
        )
        if kind in RULES:
            for old, made in RULES[kind](inputs, attrs, self._append).items():
                made = zip(outputs.get(old, ()), made if isinstance(made, list) else [made])
                # What an op leaves out stays what it was: a scale that is only read.
                values.update((name, value) for name, value in made if value is not None)
            return
        if kind not in OPS:
            raise NotImplementedError(f"expected an op with a counterpart, got the old op {kind!r}")
        listed = {
            old: len(names) for old, names in outputs.items() if names and old in OPS[kind][2]
        }
        for old, made in self._append(kind, inputs, attrs, listed).items():
            for name, value in zip(outputs[old], made):
                if value is not None:
                    values[name] = value

    def _append(self, kind, inputs, attrs, outputs=None):
        """{output: values} of an op of the table; `outputs` says how many values are wanted of
        which (default: one `Out`).
        """
        from paddle._legacy_ops import OPS

        inputs, attrs = aligned(kind, inputs, attrs)
        row = OPS[kind]
        known = {old for what, old, _ in row[1] if what not in ('attr', 'dtype')}.union(
            *row[4].values()
        )
        for name in [n for n in inputs if n not in known and inputs[n]]:
            raise NotImplementedError(f"expected an op {kind} without the input {name}, got one")
        places = {
            old: [_block.OutputVar(None, None, None, None) for _ in range(count)]
            for old, count in (outputs or {'Out': 1}).items()
        }
        _block.append_op(self.program, kind, inputs, dict(places), attrs, strict=False)
        return {old: [place.value for place in made] for old, made in places.items()}


class _State:
    """What one pass over the ops of a block knows: ops already recorded, branches by the names they
    choose from, casts.
    """

    def __init__(self):
        self.done, self.chosen, self.casts = set(), {}, {}

    def note(self, kind, inputs, outputs):
        """Remember where a cast came from: masks are conditions as numbers."""
        if kind == 'cast':
            self.casts[_only(outputs['Out'])] = _only(inputs['X'])


def _only(names):
    if len(names) != 1:
        raise ValueError(f"expected one name, got {names!r}")
    return names[0]
