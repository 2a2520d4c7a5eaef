# SPDX-License-Identifier: Apache-2.0
"""Operations under their old names: tensors in the order the operation declares, then names and
values of attributes in turn.

`scale(x, 'scale', 2.0, 'bias', 1.0)`. An input left out at the end is none; tensors behind the
inputs receive results. A name with `_` behind it writes the first input. What the operation
declares as a second result, and no operation here computes, is None.
"""

from paddle.base.op_proto import OpProto
from paddle.static import legacy_calls
from paddle.static.block import IGNORED


def _sorted_out(proto, args):
    """(inputs by name, places of results by name, attributes) of positional arguments."""
    count = next((i for i, a in enumerate(args) if isinstance(a, str)), len(args))
    given, rest = args[:count], args[count:]
    if len(rest) % 2:
        raise ValueError(
            f"[{proto.type}] expected names and values of attributes in turn, got {len(rest)} "
            f"arguments behind the tensors"
        )
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
    unknown = set(rest[::2]) - {a.name for a in proto.attrs} - IGNORED
    if unknown:
        raise ValueError(
            f"[{proto.type}] expected attributes of the operation, got {sorted(unknown)}"
        )
    inputs = {
        name: value if isinstance(value, (list, tuple)) else [value]
        for name, value in zip(names, given)
        if value is not None
    }
    places = {
        name: place
        for name, place in zip(written, given[len(names) :])
        if not isinstance(place, (int, type(None)))
    }
    return inputs, places, dict(zip(rest[::2], rest[1::2]))


def _called(kind, inplace):
    from paddle._legacy_protos import PROTOS

    if kind not in PROTOS or not legacy_calls.known(kind, inplace):
        return None
    proto = OpProto(kind, *PROTOS[kind])

    def op(*args):
        inputs, places, attrs = _sorted_out(proto, args)
        made = legacy_calls.call(kind, inputs, attrs, strict=False, inplace=inplace)
        for name, place in places.items():
            for one, value in zip(
                *([x if isinstance(x, (list, tuple)) else [x] for x in (place, made[name])])
            ):
                if value is not None:
                    one._rebind(value)
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
