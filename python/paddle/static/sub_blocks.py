# SPDX-License-Identifier: Apache-2.0
"""Blocks of old programs that an operation holds: `Program._create_block`, then `append_op` of
"while" or "conditional_block".

What is recorded between `_create_block` and `_rollback` goes behind the program. The operation that
takes the block has it called again inside a region, and takes it out: tensors that the block writes
in place are what a loop carries, or what a branch gives.
"""

import paddle
from paddle.base import libpaddle as _core
from paddle.static import arrays, steps, value_names
from paddle.static.block import Block, tensors_of
from paddle.static.nn.control_flow import if_region, while_region

_pir = _core.pir
_KEPT = ('data', 'parameter')


def open_blocks(program):
    """The blocks that are being recorded, from the outermost."""
    return program.__dict__.setdefault('_open_blocks', [])


def create_block(program, parent_idx=None):
    """Begin a block; what is recorded belongs to it until `rollback`."""
    blocks = program.__dict__.setdefault('_sub_blocks', [])
    parent = program.current_block().idx if parent_idx is None else int(parent_idx)
    block = SubBlock(program, len(blocks) + 1, parent)
    blocks.append(block)
    open_blocks(program).append(block)
    return block


def rollback(program):
    """End the block begun last."""
    if not open_blocks(program):
        raise RuntimeError('[Program._rollback] expected an open block, got none')
    open_blocks(program).pop().end()


class SubBlock(Block):
    """A block that an operation will hold."""

    def __init__(self, program, idx, parent):
        super().__init__(program)
        self.idx, self.parent_idx, self.forward_block_idx = idx, parent, -1
        self.rows = [(a, a.rows, arrays.free_rows(a)) for a in arrays.living(program)]
        for array, _, free in self.rows:
            array.rows = free
        self._before, self._last = program._last_id(), None
        self._notes, self._outputs = _pir._WriteNotes(program), {}
        self.cells, self.outputs, self.made = [], [], None

    @property
    def ops(self):
        """The operations in order."""
        every = self.program._operations_since(self._before)
        if self._last is None:
            return every
        return [op for op in every if op.id() in self._last]

    def _set_forward_block_idx(self, idx):
        """Say which block this is the gradient of."""
        self.forward_block_idx = idx

    def holds(self, op):
        """Whether an operation was recorded since the block began."""
        return op.id() > self._before

    def note(self, variable):
        """A variable is about to be filled: what it was before holds again behind the block."""
        self._outputs.setdefault(id(variable), (variable, variable.value))

    def end(self):
        """Give what the block writes back what it held before."""
        self._last = {op.id() for op in self.program._operations_since(self._before)}
        for cell, now in self._notes.end():
            if not self._inside(cell):
                self.cells.append((cell, now))
        for variable, before in self._outputs.values():
            if isinstance(variable.value, _core.Tensor):
                self.outputs.append((variable, before, variable.value))
            variable.value = before
        written = []
        for array, rows, free in self.rows:
            if array.rows is not free:
                written.append((array, rows, free, array.rows))
            array.rows = rows
        self.rows = written

    def _inside(self, cell):
        """Whether a tensor was made in the block."""
        position = cell._position() if isinstance(cell, _pir.Value) else None
        return position is not None and position[1].id() in self._last


class _Calls:
    """The operations of a block, called again on other values of those that it writes."""

    def __init__(self, block, wanted):
        program = self._program = block.program
        ops = block.ops
        every, self.numbers = _core._steps_to(program, wanted)
        inside = {op.id() for op in ops}
        pairs = list(zip(program._operations(), every))
        self.taken = [op for op, s in pairs if op.id() in inside and s[0] not in _KEPT]
        self._steps = [
            steps.with_attributes(s, op)
            for op, s in pairs
            if op.id() in inside and s[0] not in _KEPT
        ]
        self._held, parameters = {}, program._parameters()
        for op, (kind, name, _, outs, _) in pairs:
            if op.id() in inside and kind not in _KEPT:
                continue
            found = op.results()
            if kind == 'parameter':
                found = [parameters[name]]
            elif kind == 'data':
                found = [value_names.known(program).get(name, found[0])]
            self._held.update(zip(outs, found))

    def of(self, numbers, given):
        """The values of these numbers, where `given` maps others to tensors."""
        values = {-1: None, **self._held, **given}
        steps.take(self._steps, values, _refused)
        return [values[n] for n in numbers]

    def outer(self, number):
        """The value of a number from outside the block."""
        return self._held[number]


def _refused(step):
    raise NotImplementedError(
        f'[append_op] expected operations in a block that can be called, got {step[1]}'
    )


def _block_of(program, kind, block):
    if not isinstance(block, SubBlock):
        raise ValueError(
            f"[{kind}] expected sub_block to be a block of Program._create_block, got "
            f"{type(block).__name__}"
        )
    if block.made is not None:
        raise ValueError(f"[{kind}] expected a block of its own, got that of {block.made}")
    if block.program is not program:
        raise ValueError(f"[{kind}] expected a block of the same program, got one of another")
    block.made = kind
    return block


def append(program, kind, inputs, outputs, attrs):
    """Record the operation "while", "conditional_block" or "pylayer" of blocks."""
    if kind == 'pylayer':
        return _pylayer(program, inputs, outputs, attrs.get('blocks', ()))
    block = _block_of(program, kind, attrs.get('sub_block'))
    cells = list(block.cells)
    cells += [(b, now) for _, b, now in block.outputs if isinstance(b, _core.Tensor)]
    variables = [v for v, b, _ in block.outputs if isinstance(b, _core.Tensor)]
    fresh = [(v, now) for v, b, now in block.outputs if not isinstance(b, _core.Tensor)]
    before = [cell for cell, _ in cells] + [free for _, _, free, _ in block.rows]
    start = [cell for cell, _ in cells] + [rows for _, rows, _, _ in block.rows]
    after = [now for _, now in cells] + [now for *_, now in block.rows + fresh]
    test = tensors_of(inputs['Condition' if kind == 'while' else 'Cond'], kind)
    calls = _Calls(block, [*before, *start, *after, *test])
    numbers, count = iter(calls.numbers), len(before)
    first, start, last = ([next(numbers) for _ in part] for part in (before, start, after))
    given = [calls.outer(n) for n in start]
    if kind == 'while':
        results = _loop(calls, first, given, last[:count], next(numbers))
    else:
        results = _branch(calls, test, attrs, first, given, last, [now for _, now in fresh])
    for op in reversed(calls.taken):
        op.erase()
    count = len(block.cells)
    for (cell, _), result in zip(block.cells, results):
        cell._rebind(result)
    for variable, result in zip(variables, results[count:]):
        variable.fill(result)
    for (array, *_), result in zip(block.rows, results[count + len(variables) :]):
        array.rows = result
    for (variable, _), result in zip(fresh, results[len(first) :]):
        variable.fill(result)
    return results


def _loop(calls, first, given, last, test):
    if test not in first:
        raise ValueError(
            '[while] expected a block that writes the condition in place, got one that never ends'
        )
    at = first.index(test)

    def body(*values):
        return calls.of(last, dict(zip(first, values)))

    return while_region(lambda *values: values[at], body, given)


def _branch(calls, tests, attrs, first, given, last, fresh):
    if attrs.get('is_scalar_condition', False):
        test = tests[0].reshape([1]) if tests[0].ndim else tests[0]
    else:  # whether each has elements
        test = paddle.full([], True, 'bool')
        for one in tests:
            test = paddle.logical_and(test, paddle.numel(one) > 0)

    def kept():
        zeros = [paddle.zeros([max(n, 0) for n in v.shape], v.dtype) for v in fresh]
        return given + zeros

    return if_region(test, lambda: calls.of(last, dict(zip(first, given))), kept)


def _pylayer(program, inputs, outputs, blocks):
    """Record a forward block whose gradient is what the backward block, if there is one, makes of
    `<output>@GRAD`: `<input>@GRAD`.
    """
    from paddle.static.callbacks import with_gradient

    if not 1 <= len(blocks) <= 2:
        raise ValueError(f'[pylayer] expected one or two blocks, got {len(blocks)}')
    forward, *backward = [_block_of(program, 'pylayer', block) for block in blocks]
    variables = outputs['Out'] if isinstance(outputs['Out'], (list, tuple)) else [outputs['Out']]
    xs = tensors_of(inputs['Input'], 'pylayer')
    written = {id(v): now for v, _, now in forward.outputs}
    missing = [v.name for v in variables if id(v) not in written]
    if missing:
        raise ValueError(
            f'[pylayer] expected a block that writes its outputs, got none of {missing}'
        )
    run = _Function(forward, xs, [written[id(v)] for v in variables])
    pulled = [_PulledBack(block, xs, variables) for block in backward]
    for call in (run, *pulled):
        call.take_out()
    made = with_gradient(run, xs, pulled[0] if pulled else None)
    for variable, value in zip(variables, made):
        variable.fill(value)
    return made


class _Function:
    """The operations of a block as a function of values that they read."""

    def __init__(self, block, given, wanted):
        self._calls = _Calls(block, [*given, *wanted])
        self._given, self._wanted = given, wanted
        numbers = self._calls.numbers
        self._read, self._made = numbers[: len(given)], numbers[len(given) :]

    def __call__(self, tensors):
        return self._calls.of(self._made, dict(zip(self._read, tensors)))

    def take_out(self):
        for op in reversed(self._calls.taken):
            op.erase()


class _PulledBack(_Function):
    """The operations of a backward block: gradients of results in, gradients of inputs out."""

    def __init__(self, block, xs, variables):
        named = value_names.known(block.program)
        results = [named.get(v.name + value_names.GRADIENT) for v in variables]
        found = [named.get(x.name + value_names.GRADIENT) for x in xs]
        self._places = [k for k, v in enumerate(results) if v is not None]
        self._found = [v is not None for v in found]
        super().__init__(
            block, [v for v in results if v is not None], [v for v in found if v is not None]
        )
        for name in (*(v.name for v in variables), *(x.name for x in xs)):
            named.pop(name + value_names.GRADIENT, None)

    def __call__(self, ins, outs, grads):
        made = iter(super().__call__([grads[k] for k in self._places]))
        return [next(made) if there else None for there in self._found]
