# SPDX-License-Identifier: Apache-2.0
"""Old ops called by name: by `append_op`, `_legacy_C_ops` and the reader of `.pdmodel` files. An op
is a row of the generated table, or a rule of `legacy_rules`, under its name or an alias.
"""

import paddle
from paddle.static.block import OutputVar, call_op, defaults, tensors_of
from paddle.static import (  # noqa: F401 - rules
    legacy_effects,
    legacy_feeds,
    legacy_fused,
    legacy_sequences,
)
from paddle.static.legacy_kinds import on_arrays
from paddle.static.legacy_rules import ALIASES, DECLARED, IN_PLACE, READ, READ_ALWAYS, RULES


_ELEMENTWISE = 'elementwise_'


def known(kind, inplace=False):
    """Whether there is such an op; `inplace`: one that may write its first input."""
    from paddle._legacy_ops import OPS

    kind = ALIASES.get(kind, kind)
    if kind in DECLARED:
        return not inplace
    return kind in OPS or (kind in RULES and (not inplace or kind in IN_PLACE))


def aligned(kind, inputs, attrs):
    """Inputs and attributes as the table takes them: the smaller operand of an elementwise op has
    axes for `axis`, and a reduction of all axes names none.
    """
    attrs = dict(attrs)
    if attrs.pop('reduce_all', False):
        attrs['axis' if kind == 'logsumexp' else 'dim'] = []
    axis = attrs.pop('axis', -1) if kind.startswith(_ELEMENTWISE) else -1
    if axis == -1:
        return inputs, attrs
    (x,), (y,) = (tensors_of(inputs[name], kind) for name in ('X', 'Y'))
    most = max(x.ndim, y.ndim)
    if not 0 <= axis <= most:
        raise ValueError(f"[{kind}] expected an axis from -1 to {most}, got {axis}")
    behind = abs(x.ndim - y.ndim) - axis
    if behind > 0:
        (small, name), large = ((y, 'Y'), x) if x.ndim >= y.ndim else ((x, 'X'), y)
        for a, b in zip(large.shape[axis:], small.shape):
            if a != b and min(a, b) > 1:
                raise ValueError(
                    f"[{kind}] expected {name} to have the shape of the other operand from axis "
                    f"{axis} on, got {list(small.shape)} beside {list(large.shape)}"
                )
        ones = list(range(small.ndim, small.ndim + behind))
        inputs = {**inputs, name: [paddle.unsqueeze(small, ones)]}
    return inputs, attrs


def _append(kind, inputs, attrs, outputs=None):
    names, results = call_op(kind, *aligned(kind, inputs, attrs), strict=False)
    return dict(zip(names, ([r] if not isinstance(r, list) else r for r in results)))


def _check(kind, inputs, attrs):
    from paddle._legacy_protos import PROTOS
    from paddle.base.op_proto import OpProto
    from paddle.static.block import IGNORED

    if kind not in PROTOS:
        return
    proto = OpProto(kind, *PROTOS[kind])
    declared = {i.name for i in proto.inputs} | {a.name for a in proto.attrs} | IGNORED
    declared.update((READ.get(kind), READ_ALWAYS.get(kind)))
    if kind == 'conv2d_transpose_bias':  # for inference alone, which an attribute beside says
        declared.add('is_test')
    unknown = [n for n in (*inputs, *attrs) if n not in declared]
    if unknown:
        raise ValueError(f"[{kind}] expected no other inputs and attributes, got {sorted(unknown)}")


def _written(inputs, made):
    """The results, of which the first is in the place of the first input."""
    place, (output, value) = next(iter(inputs.values()))[0], next(iter(made.items()))
    if value is not place:
        with paddle.no_grad():
            place = place._rebind(value) or place
    return {**made, output: place}


def with_read(kind, inputs, attrs, results):
    """The inputs, with the result that the op reads: `results(name)` gives its value or None."""
    name = READ.get(kind) if attrs.get('is_test', False) else READ_ALWAYS.get(kind)
    value = None if name is None else results(name)
    return inputs if value is None else {**inputs, name: [value]}


def _is_array(values):
    """Whether an input is an array of tensors."""
    first = values[0] if isinstance(values, (list, tuple)) and values else values
    return hasattr(type(first.value if isinstance(first, OutputVar) else first), 'held')


def call(kind, inputs, attrs, strict=True, inplace=False, places=None):
    """{output: value or list of values} of the op `kind`, run or recorded as the mode says.

    `strict=False` leaves attributes out that the op does not know, as those of files; `inplace`
    calls the form that writes its first input; `places` are variables that receive results.
    ValueError for what the op does not take.
    """
    real = ALIASES.get(kind, kind)
    if real in DECLARED:
        if strict:
            _check(kind, inputs, attrs)
        inputs = {k: v if isinstance(v, (list, tuple)) else [v] for k, v in inputs.items()}
        return DECLARED[real](inputs, {**defaults(kind), **attrs}, places)
    if any(map(_is_array, inputs.values())):
        made = on_arrays(real, {k: tensors_of(v, kind) for k, v in inputs.items()}, attrs)
        if made is not None:
            return made
    if real in RULES and (not inplace or real in IN_PLACE):
        if strict:
            _check(kind, inputs, attrs)
        inputs = {
            name: tensors_of(values, kind)
            for name, values in inputs.items()
            if values is not None and not (isinstance(values, (list, tuple)) and not values)
        }
        made = RULES[real](inputs, {**defaults(kind), **attrs}, _append)
        return _written(inputs, made) if inplace else made
    return dict(zip(*call_op(real, *aligned(real, inputs, attrs), strict=strict, inplace=inplace)))
