# SPDX-License-Identifier: Apache-2.0
"""Checks across the keys of a stanza: keys that need each other, names that keys and expressions
hold, arguments that reach the op.
"""

from . import decomposition, expr, functions
from .stanza import key_fields, need_name


def known_names(op):
    """{what a key's names are: the names there are}."""
    tensors, attrs, outs = ([a.name for a in part] for part in (op.tensors, op.attrs, op.outs))
    public = [p.name for sig in op.py for p in sig.args]
    return {
        "tensors": tensors,
        "attributes": attrs,
        "inputs": tensors + attrs,
        "outputs": outs,
        "tensors or outputs": tensors + outs,
        "read": tensors + outs + op.douts,
        "read or written": tensors + outs + op.douts + ["d_" + t for t in tensors],
        "public": public + tensors + attrs,
    }


def check_key_names(op, table, mapping, *path):
    """Names that keys hold are names of arguments and results."""
    known = known_names(op)
    for name, f in key_fields(table).items():
        what = f.metadata["names"]
        if f.metadata["steps"]:
            continue  # beside names of arguments there are those of steps: check_steps
        if what and name in mapping:
            value = mapping[name]
            for n in value if isinstance(value, (list, dict)) else [value]:
                need_name(
                    n,
                    known[what],
                    op.at(*path, name, n) if isinstance(value, dict) else op.at(*path, name),
                    ".".join([*path, name]),
                    f"{'arguments' if what == 'public' else what} of the op",
                    "name",
                )


def check_reach(op):
    """Every argument of a public signature reaches the op, a map or the wrapper: none is
    dropped.
    """
    reached = (
        {op.py_map.get(a.name, a.name) for a in op.args}
        | {"name", "out"}
        | ({"inplace"} if op.inplace else set())
        | ({"dtype"} if op.casts else set())
    )
    for sig in op.py:
        for p in sig.args:
            if p.name not in reached:
                raise op.at("py").error(
                    f"the argument {p.name} of py: {sig.name}(...) reaches neither the op nor "
                    f"py_map"
                )


# How an op computes.
WAYS = ("body", "kernel", "compose", "update")

# key -> keys one of which must stand beside it: without them nothing reads it.
NEEDS = {
    "dtypes": ["body"],
    "int_as_float": ["body"],
    "int_via": ["body"],
    "out": ["body"],
    "compute": ["body"],
    "bool_inputs": ["body"],
    "named": ["py"],
    "cost": ["body"],
    "derivatives": ["body"],
    "loop_grad": ["body"],
    "test": ["body"],
    "numbers": ["update"],
    "recorded_as": ["compose"],
    "eager": ["compose"],
    "recorded_view": ["view"],
    "recorded_broadcast": ["body"],
    "complex_deriv": ["deriv"],
    "saves": ["vjp_kernel", "device_grad"],
    "grad_of": ["vjp_kernel", "compose"],
    "lazy_douts": ["vjp", "vjp_kernel"],
    "nondiff_outs": ["vjp", "vjp_kernel"],
    "differentiate": ["vjp_kernel"],
    "no_grad_op": ["vjp", "deriv", "vjp_kernel"],
    "alias": ["py"],
    "py_map": ["py"],
    "none": ["py"],
    "texts": ["py"],
    "casts": ["py"],
    "method": ["py"],
    "varargs": ["py"],
    "long_from": ["kernel"],
    "workspace": ["kernel"],
    "ordered": ["kernel"],
    "on_device": ["kernel"],
    "lowering": ["kernel"],
    "grad_ordered": ["vjp_kernel"],
    "grad_on_device": ["vjp_kernel"],
    "device_grad": ["vjp"],
    "grad_workspace": ["vjp", "vjp_kernel"],
    "infer": ["kernel", "compose", "decomposition"],
    "layout": ["kernel", "compose"],
}


# What a stanza without an op of its own may say.
OF_COMPOSITES = ("op", "composite", "args", "outputs", "py", "decomposition", "doc")


def check_keys(op):
    if op.composite:
        check_composite(op)
    ways = [k for k in WAYS if k in op.raw]
    if len(ways) > 1 or not ways and op.decomposition is None:
        raise op.where.error(
            f"expected one of the keys {', '.join(WAYS[:-1])} and {WAYS[-1]}, got "
            f"{' and '.join(ways) or 'none'}"
        )
    if op.decomposition is not None and ways == ["body"]:
        raise op.at("decomposition").error(
            "the key decomposition stands beside body, which says the same"
        )
    if op.differentiate and (op.vjp_written or op.deriv or not op.grad_of):
        raise op.at("differentiate").error(
            "the key differentiate stands beside grad_of, and in place of vjp and deriv"
        )
    for name, needed in NEEDS.items():
        if name in op.raw and not any(n in op.raw for n in needed):
            raise op.at(name).error(f"the key {name} is read only beside {' or '.join(needed)}")


def check_composite(op):
    for name in op.raw:
        if name not in OF_COMPOSITES:
            raise op.at(name).error(
                f"the key {name} is read of ops alone: a composite is what its steps are"
            )
    for a in op.args:
        if a.kind not in decomposition.KINDS:
            raise op.at("args").error(
                f"{a.name}: expected a kind of the language of decompositions, got {a.kind}"
            )


def check_expressions(op, ops):
    """Names and functions in expressions are known."""
    tensors, attrs = [a.name for a in op.tensors], [a.name for a in op.attrs]
    for variant in op.body or []:
        place = variant.where or op.at("body")
        if variant.when is not None:
            expr.check(variant.when, place, attrs, {}, "an attribute")
        for e in variant.expr.values() if isinstance(variant.expr, dict) else [variant.expr]:
            expr.check(e, place, tensors + attrs, functions.scalars(), "an argument")
    if op.lowering is not None:
        place = op.at("lowering")
        expr.check(op.lowering, place, tensors + attrs, functions.scalars(), "an argument")
    inside = tensors + attrs + [o.name for o in op.outs] + op.douts
    known = {**functions.rules(), **ops}
    if op.decomposition is not None:
        decomposition.forward(op)
    if decomposition.has_rules(op):
        decomposition.backward(op)
    expected = "an argument, a result or the gradient of one"
    for x, e in op.deriv.items():
        expr.check(e, op.at("deriv", x), inside, known, expected)
    if op.differentiate:
        expr.check(op.differentiate, op.at("differentiate"), inside, known, expected)
    if not decomposition.has_rules(op):
        check_steps(op, inside, known, expected)


def check_steps(op, inside, known, expected):
    """Gradient rules, with named steps: each reads what stands before it, and is read."""
    steps, read, names, constants = op.vjp_steps, set(), list(inside), set()
    for name, e in op.vjp_written.items():
        where = op.at("vjp", name)
        if name in steps and (name in names or name in known):
            raise where.error(
                f"{name}: expected a new name, got one of an argument, a function or a step before"
            )
        expr.check(e, where, names, known, f"{expected}, or a step before" if steps else expected)
        node = expr.parse(e, where)
        read |= expr.free_names(node)[0]
        late = expr.names_in_constants(node) & set(steps) - constants
        if late:
            raise where.error(
                f"{name}: expected constant(...) to read arguments and constant steps, got the "
                f"step {min(late)}"
            )
        if name in steps:
            names.append(name)
            if expr.is_constant(node):
                constants.add(name)
    for name in steps:
        if name not in read:
            raise op.at("vjp", name).error(
                f"{name}: expected an argument, or a step that a rule reads, got a name that "
                "nothing reads"
            )
