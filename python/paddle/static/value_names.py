# SPDX-License-Identifier: Apache-2.0
"""Names of the values of programs: inputs and parameters have theirs, others that of the operation
that makes them and its number among those of its kind (`relu_0.tmp_0`). So a copy of a program
knows its values by the same names.
"""

import re

from paddle.base.libpaddle.pir import Value

_MADE = re.compile(r'(.+)_(\d+)\.tmp_(\d+)')
_OWN = {'pd_op.data': 'name', 'builtin.parameter': 'parameter_name'}
GRADIENT = '@GRAD'


def stem(op):
    """The name of an operation without that of its dialect, for both forms of those that write in
    place.
    """
    return op.name().split('.', 1)[-1].rstrip('_')


def own(op):
    """The name that an operation gives its result, as inputs and parameters do; else None."""
    attribute = _OWN.get(op.name())
    return None if attribute is None else op.attrs()[attribute]


def known(program):
    """{name: value} of what was named."""
    return program.__dict__.setdefault('_named', {})


def made(value):
    """The name of a value at the top of a program, which that program finds it by from now on; None
    for others.
    """
    position = value._position()
    if position is None:
        return None
    program, op, number, place = position
    name = own(op)
    if name is None:
        name, named = f'{stem(op)}_{number}.tmp_{place}', known(program)
        while name in named and not _same(program, named[name], value):
            name += '_'
        named[name] = value
    return name


def given(value):
    """Have the program of a value find it by its new name."""
    position = value._position()
    if position is not None:
        known(position[0])[value.name] = value


def named(program):
    """[(name, value)] of inputs and of what was named, outside branches and loops; gradients
    apart.
    """
    every = [(n, v) for n, v in known(program).items() if not n.endswith(GRADIENT)]
    top = (r for op in program._operations() for r in op.results() if r is not None)
    keys = {program._key(r) for r in top} if every else ()
    return [(n, v) for n, v in every if _key(program, v) in keys]


def _key(program, value):
    """What identifies a value in a program; None of one that it has not, or no longer has."""
    try:
        return program._key(value) or None if isinstance(value, Value) else None
    except RuntimeError:
        return None


def note_gradients(pairs):
    """Name the gradients of [(tensor, its gradient)] after the tensors."""
    taken = {}
    for tensor, gradient in pairs:
        position = None if gradient is None else gradient._position()
        if position is None:
            continue
        program, op = position[:2]
        if program not in taken:
            taken[program] = {program._key(v) for _, v in named(program)}
        if own(op) is None and program._key(gradient) not in taken[program]:
            gradient.name = tensor.name + GRADIENT
        known(program)[tensor.name + GRADIENT] = gradient


def find(program, name):
    """The value called `name`, or None: what was named first, then inputs, results and gradients of
    results. Those are looked for once in a version of the program.
    """
    noted = known(program)
    if name in noted:
        value = noted[name]
        return value if not isinstance(value, Value) or _same(program, value, value) else None
    value = remembered(program, name)
    if value is None:
        value = _searched(program, name)
        if value is not None:
            version, found = program.__dict__.get('_found', (None, {}))
            if version != program._epoch:
                found = {}
            program.__dict__['_found'] = program._epoch, {**found, name: value}
    return value


def remembered(program, name):
    """The value that was found under a name in this version of the program, or None."""
    version, found = program.__dict__.get('_found', (None, {}))
    return found.get(name) if version == program._epoch else None


def _searched(program, name):
    if name.endswith(GRADIENT):
        value = find(program, name.removesuffix(GRADIENT))
        return None if value is None else _gradient(program, value)
    parts, count = _MADE.fullmatch(name), 0
    for op in program._operations():
        if own(op) == name:
            return op.result(0)
        if parts and stem(op) == parts[1] and not op.has_attr('quantized_name'):
            if count == int(parts[2]):
                place = int(parts[3])
                return op.result(place) if place < op.num_results() else None
            count += 1
    return None


def _gradient(program, value):
    """The gradient of a result, which the gradient of its operation reads; None where there is
    none.
    """
    op = value.get_defining_op()
    inputs, outputs = op.get_input_names(), op.get_output_names()
    read = {n: op.operand_source(k) for k, n in zip(range(op.num_operands()), inputs)}
    read.update((n, op.result(k)) for k, n in zip(range(op.num_results()), outputs))
    wanted = next(n for n, v in read.items() if n in outputs and _same(program, v, value))
    for other in program._operations():
        if stem(other) != stem(op) + '_grad':
            continue
        names = other.get_input_names()[: other.num_operands()]
        given = {n: other.operand_source(k) for k, n in enumerate(names)}
        shared = [n for n in given if n in read and given[n] is not None]
        if shared and all(_same(program, given[n], read[n]) for n in shared):
            return given.get(wanted + '_grad')
    return None


def _same(program, one, other):
    key = _key(program, one)
    return key is not None and key == _key(program, other)
