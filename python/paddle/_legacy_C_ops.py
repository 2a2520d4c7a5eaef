# SPDX-License-Identifier: Apache-2.0
"""Operations under their old names: tensors in the order the operation declares, then names and
values of attributes in turn.

`scale(x, 'scale', 2.0, 'bias', 1.0)`. Tensors before the names are those of the published package's
form, in which some results have places; else the needed inputs, or all, and behind them places of
results. A name with `_` behind it writes the first input. What the operation declares as a second
result, and no operation here computes, is None.
"""

from paddle.base.op_proto import OpProto
from paddle.static import legacy_calls


def _sorted_out(proto, args):
    """(inputs by name, places of results by name, attributes) of positional arguments."""
    count = next((i for i, a in enumerate(args) if isinstance(a, str)), len(args))
    given, rest = args[:count], args[count:]
    if len(rest) % 2:
        raise ValueError(
            f"[{proto.type}] expected names and values of attributes in turn, got {len(rest)} "
            f"arguments behind the tensors"
        )
    if count == len(proto._form):
        return *_by_form(proto._form, given), dict(zip(rest[::2], rest[1::2]))
    names = [i.name for i in proto.inputs]
    needed = [i.name for i in proto.inputs if not i.dispensable]
    if count == len(needed):
        names = needed
    elif count < len(needed):
        raise ValueError(
            f"[{proto.type}] expected at least the inputs {', '.join(needed)}, got {count} tensors"
        )
    written = [o.name for o in proto.outputs if o.name[:-3] in names] or [
        o.name for o in proto.outputs
    ]
    if count > len(names) + len(written):
        raise ValueError(
            f"[{proto.type}] expected at most {len(names)} inputs and {len(written)} outputs, got "
            f"{count} tensors"
        )
    inputs = {name: _items(value) for name, value in zip(names, given) if value is not None}
    places = {
        name: place
        for name, place in zip(written, given[len(names) :])
        if not isinstance(place, (int, type(None)))
    }
    return inputs, places, dict(zip(rest[::2], rest[1::2]))


def _items(value):
    return value if isinstance(value, (list, tuple)) else [value]


def _by_form(form, given):
    """(inputs by name, places of results by name) of arguments in the order of a form."""
    inputs, places = {}, {}
    for word, value in zip(form, given):
        if value is None or word[-1] == '#':
            continue
        if word[-1] == '=':
            places[word[:-1]] = value
        else:
            inputs[word] = _items(value)
    return inputs, places


def _called(kind, inplace):
    from paddle._legacy_protos import PROTOS

    if kind not in PROTOS or not legacy_calls.known(kind, inplace):
        return None
    proto = OpProto(kind, *PROTOS[kind])

    def op(*args):
        inputs, places, attrs = _sorted_out(proto, args)
        inputs = legacy_calls.with_read(kind, inputs, attrs, places.get)
        made = legacy_calls.call(kind, inputs, attrs, inplace=inplace)
        for name, place in places.items():
            for one, value in zip(_items(place), _items(made.get(name))):
                if value is not None and value is not one:
                    one._rebind(value)
            if made.get(name) is not None:
                made[name] = place
        results = tuple(made.get(o.name) for o in proto.outputs)
        return results[0] if len(results) == 1 else results

    op.__name__ = op.__qualname__ = kind + '_' * inplace
    op.__doc__ = f"The operation {kind} of old programs."
    return op


def __getattr__(name):
    found = None if name.startswith('__') else _called(name, False)
    if found is None and name.endswith('_') and not name.startswith('__'):
        found = _called(name[:-1], True)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found
