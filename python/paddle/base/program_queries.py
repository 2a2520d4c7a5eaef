# SPDX-License-Identifier: Apache-2.0
"""What programs ask of other programs as a whole: the program that a description stands for, values
that blocks take from outside, and roles of operations.
"""

import contextlib

from paddle.base.ir_graph import ProgramDesc
from paddle.base.libpaddle import pir
from paddle.static import value_names
from paddle.static.block import Block

__all__ = [
    'clone_program',
    'get_used_external_value',
    'pir_chunk_id_guard',
    'pir_op_role_guard',
    'set_all_ops_op_role',
    'translate_to_pir',
    'translate_to_pir_with_param_map',
]

_REGION_BLOCK = pir.RegionBlock


def translate_to_pir(desc):
    """A copy of the program that a description, `Program.desc`, stands for."""
    if not isinstance(desc, ProgramDesc):
        raise TypeError(
            f'[translate_to_pir] expected desc to be a ProgramDesc, got {type(desc).__name__}'
        )
    return desc._program.clone()


def translate_to_pir_with_param_map(desc):
    """(a copy of the program that a description stands for, {name: list of the value that has it})
    of inputs, parameters and results.
    """
    program, found = translate_to_pir(desc), {}
    for op in program._operations():
        name = value_names.own(op)
        for result in op.results():
            if result is not None and (name or value_names.made(result)):
                found[name or result.name] = [result]
    found.update((name, [value]) for name, value in value_names.named(program))
    return program, found


def clone_program(program):
    """(copy, (values of the program, those of the copy in their places)) of what all operations at
    the top give.
    """
    if not isinstance(program, pir.Program):
        raise TypeError(
            f'[clone_program] expected a paddle.static.Program, got {type(program).__name__}'
        )
    copy = program.clone()
    pairs = [
        (value, other)
        for op, twin in zip(program._operations(), copy._operations())
        for value, other in zip(op.results(), twin.results())
        if value is not None
    ]
    return copy, ([a for a, _ in pairs], [b for _, b in pairs])


def get_used_external_value(holder):
    """The values from outside that an operation and its blocks read, or a block does, in order."""
    if isinstance(holder, pir.Operation):
        program, ops, inside = holder._program, [holder], set()
    elif isinstance(holder, _REGION_BLOCK):
        program, ops = holder.program, holder.ops
        inside = {program._key(v) for v in holder.args()}
    else:
        raise TypeError(
            f'[get_used_external_value] expected an Operation or a block of one, got '
            f'{type(holder).__name__}'
        )
    found = {}
    for op in ops:
        _note_used(program, op, inside, found)
    return list(found.values())


def _note_used(program, op, inside, found):
    for value in op.operands_source():
        if value is not None and program._key(value) not in inside:
            found.setdefault(program._key(value), value)
    for block in op.blocks():
        inside.update(program._key(v) for v in block.args())
        for inner in block.ops:
            _note_used(program, inner, inside, found)
    inside.update(program._key(v) for v in op.results() if v is not None)


@contextlib.contextmanager
def _guard(name, number):
    from paddle.static.program import default_main_program

    program = default_main_program()
    before = program._last_id()
    yield
    for op in program._operations_since(before) if number != -1 else ():
        if not op.has_attr(name):
            op.set_int_attr(name, int(number))


def pir_op_role_guard(op_role=-1):
    """Operations of the default program that are recorded inside have this `op_role` when the guard
    ends; -1: none.
    """
    return _guard('op_role', op_role)


def pir_chunk_id_guard(chunk_id=-1):
    """Operations of the default program that are recorded inside have this `chunk_id` when the
    guard ends; -1: none.
    """
    return _guard('chunk_id', chunk_id)


def set_all_ops_op_role(block, op_role):
    """Give the operations of a block that have no `op_role` this one."""
    if not isinstance(block, (Block, _REGION_BLOCK)):
        raise TypeError(
            f'[set_all_ops_op_role] expected block to be a block, got {type(block).__name__}'
        )
    for op in block.ops:
        if not op.has_attr('op_role'):
            op.set_int_attr('op_role', int(op_role))
        for inner in op.blocks():
            set_all_ops_op_role(inner, op_role)
