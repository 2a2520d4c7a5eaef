# SPDX-License-Identifier: Apache-2.0
"""The operations of a program called again, one after the other, while something is recorded."""

import functools

import paddle
from paddle.base import libpaddle as _core

_pir = _core.pir


def take(steps, values, other, attributes=None):
    """Do the steps of a block, whose `values` are by number; returns what a region yields.

    `other(step)` gives the results of what is no call of an operation: inputs, parameters, fetched
    values. `attributes`: {name: value} that operations have instead of their own.
    """
    for step in steps:
        if step[0] == 'yield':
            return [values[n] for n in step[2]]
        values.update(zip(step[3], _results(step, values, other, attributes or {})))
    return []


def called(step, values, call, attributes=None):
    """The results of a step that lists tensors, takes them from a list or calls an operation, by
    `call(function, *arguments)`; None of any other step.
    """
    kind, name, args, outs, _ = step
    if kind == 'combine':
        return [[values[n] for n in args]]
    if kind == 'split':
        return values[args[0]]
    if kind not in ('op', 'custom'):
        return None
    own = attributes or {}
    arguments = [values[v] if given == 0 else own.get(n, v) for given, v, n in args]
    if kind == 'custom':
        results = call(_core._run_custom_op, name, *arguments)
    else:
        results = call(_py_func if name == 'py_func' else paddle._C_ops._whole(name), *arguments)
    return [results] if len(outs) == 1 else results


def with_attributes(step, op):
    """A step of an operation, where what is no call has its attributes in the place of regions."""
    kind, regions = step[0], step[4]
    if kind == 'other':
        return *step[:4], op.attrs()
    if kind not in ('if', 'while'):
        return step
    inner = [
        (given, [with_attributes(s, o) for s, o in zip(part, block.ops)])
        for (given, part), block in zip(regions, op.blocks())
    ]
    return *step[:4], inner


def _results(step, values, other, attributes):
    kind, name, args, outs, regions = step
    if kind == 'other' and name in _EFFECTS and regions:
        return _EFFECTS[name]([values[n] for n in args], regions)
    if kind in ('if', 'while'):

        def run(region, *given):
            inner = {**values, **dict(zip(region[0], given))}
            return take(region[1], inner, other, attributes)

        if kind == 'if':
            branches = [functools.partial(run, region) for region in regions]
            return _pir._if_region(values[args[0]], *branches, lambda k: [None] * len(outs))
        # The condition is one more value of the loop.
        (body,) = regions
        start = [values[n] for n in args]
        return _pir._while_region(lambda test, *_: test, lambda _, *v: run(body, *v), start)[1:]
    results = called(step, values, lambda function, *given: function(*given), attributes)
    return other(step) if results is None else results


PRINTED = (  # what says how a tensor is printed
    'first_n message summarize print_tensor_name print_tensor_type print_tensor_shape '
    'print_tensor_layout print_tensor_lod'
).split()


def _print(given, attrs):
    return [_pir._record_print(*given, *(attrs[w] for w in PRINTED), attrs['print_phase'])]


def _assert(given, attrs):
    _pir._record_assert(*given, attrs['summarize'])
    return []


_EFFECTS = {'pd_op.print': _print, 'pd_op.assert': _assert}


def _py_func(inputs, function, dtypes, ranks, extents):
    extents = iter(extents)
    shapes = [[next(extents) for _ in range(rank)] for rank in ranks]
    dtypes = [_core.DataType(number) for number in dtypes]
    return _pir._py_func(function, inputs, dtypes, shapes)
