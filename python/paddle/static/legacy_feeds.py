# SPDX-License-Identifier: Apache-2.0
"""Old ops by which programs got what was fed and gave what was fetched, and those that only put
others in order: rules as in `legacy_rules`.

A holder of feeds or of what is fetched is a variable without a value: `Executor.run` looks for both
by name.
"""

from paddle.static.block import OutputVar, tensors_of
from paddle.static.legacy_rules import declared, rule

FETCHED = '_fetched'


def _value(place):
    return place.read() if isinstance(place, OutputVar) else place


@declared('feed')
def _feed(inputs, attrs, places):
    if not places:
        return {'Out': inputs['X'][0]}
    value = _value(places['Out'][0])
    if value is None:
        raise ValueError('[feed] expected a variable with a name, shape and dtype as Out, got none')
    return {'Out': value}


@declared('fetch')
@declared('fetch_v2')
def _fetch(inputs, attrs, places):
    (x,) = tensors_of(inputs['X'], 'fetch')
    holder = places['Out'][0] if places else None
    if not isinstance(holder, OutputVar):
        return {'Out': x}
    holder.program().__dict__.setdefault(FETCHED, {})[attrs['col']] = x
    return {}


def fetched(program):
    """What the ops of a program fetch, by column."""
    columns = program.__dict__[FETCHED]
    return [columns[col] for col in sorted(columns)]


def carry(program, copy):
    """Give a clone of a program what its ops fetch."""
    from paddle.static.block import same_places

    columns = program.__dict__.get(FETCHED)
    if columns:
        copy.__dict__[FETCHED] = dict(zip(columns, same_places(copy, columns.values())))


@declared('depend')
def _depend(inputs, attrs, places):
    (x,) = tensors_of(inputs['X'], 'depend')
    if places and _value(places['Out'][0]) is not x:
        raise RuntimeError('[depend] expected the same variable as X and Out, got two')
    return {'Out': x}


@rule('shadow_output')
def _shadow_output(inputs, attrs, append):
    return {'out': inputs['x'][0]}


@declared('nop')
@declared('fetch_barrier')
def _nothing(inputs, attrs, places):
    return {}
