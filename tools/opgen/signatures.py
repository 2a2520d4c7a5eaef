# SPDX-License-Identifier: Apache-2.0
"""C++ signatures of API functions, and what an argument is in programs."""

from .identity import identity

ARG_KIND = {"Tensor": "kTensor", "Tensor?": "kOptionalTensor", "Tensor[]": "kTensorList"}
ALTERNATIVES = {
    "double": "double",
    "float": "float",
    "int": "int32_t",
    "int64_t": "int64_t",
    "bool": "bool",
}


def list_or_tensor(variadic):
    return "std::vector<Tensor>" if variadic else "Tensor"


def attr_value(a):
    """An attribute's C++ variable as an AttrValue. A float keeps the digits of its call, which
    kernels of float64 need; programs round what they hold.
    """
    if a.kind == "int":
        return f"AttrValue(static_cast<int32_t>({a.name}))"
    if a.kind in ("int[]", "int64[]", "float[]"):
        return f"AttrValue({a.attr_type}({a.name}.begin(), {a.name}.end()))"
    return f"AttrValue({a.name})"


def slot_tensor(t, k):
    """C++: the tensor of an argument, from slot k of the generic call."""
    if t.variadic:
        return f"std::vector<Tensor>(in[{k}].p, in[{k}].p + in[{k}].n)"
    return f"in[{k}].n ? in[{k}].p[0] : Tensor()" if t.optional else f"in[{k}].p[0]"


def flag(value):
    return "true" if value else "false"


def pir_name(arg):
    """The name in programs: a trailing underscore only keeps C++ and Python keywords apart
    (`lambda_`).
    """
    return arg.name.rstrip("_")


def attr_form(op_name, arg):
    """(ArgDef kind, AttrValue alternative) of an attribute: an operand only where PaddlePaddle
    makes it one.
    """
    ident = identity(op_name)
    if not arg.is_operand_attr or not ident or arg.name in ident["mutable"]:
        return ("kOperandAttr" if arg.is_operand_attr else "kAttr"), arg.attr_type
    kind = {n: t for n, t, _ in ident["attrs"]}.get(arg.name)
    if (
        arg.kind == "Scalar" and kind == "double"
    ):  # an integer keeps the digits that a double has not
        return "kAttr", arg.attr_type
    return "kAttr", ALTERNATIVES.get(kind, arg.attr_type)


def ret_type(op):
    one = [list_or_tensor(o.variadic) for o in op.outs]
    return one[0] if len(one) == 1 else f"std::tuple<{', '.join(one)}>"


def of_numbers(parameters):
    """The parameters of a kernel, which gets lists of numbers alone."""
    return parameters.replace("const IntArray&", "const Ints&")


def params(op, defaults=False, drop_const_first=False):
    out = []
    for i, a in enumerate(op.args):
        t = a.cpp
        if drop_const_first and i == 0:
            t = "Tensor&"
        d = (
            a.cpp_default
            if defaults and all(b.cpp_default is not None or b.optional for b in op.args[i:])
            else None
        )
        if (
            defaults
            and a.optional
            and all(b.cpp_default is not None or b.optional for b in op.args[i:])
        ):
            d = "Tensor()"
        out.append(f"{t} {a.name}" + (f" = {d}" if d is not None else ""))
    return ", ".join(out)


def names(op):
    return ", ".join(a.name for a in op.args)


def own_header(ops):
    """The header of a family of ops that have effects, or of composites: little code calls them, so
    others do not depend on it. None: they are in ops.h.
    """
    apart = any(op.effect or op.composite for op in ops)
    return f"paddle/phi/api/{ops[0].family}.h" if apart else None


def declaration(op):
    lines = []
    if op.doc:
        lines += [f"// {line}" for line in op.doc.strip().splitlines()]
    lines.append(f"PADDLE_API {ret_type(op)} {op.name}({params(op, True)});")
    if op.inplace:
        lines.append(f"PADDLE_API Tensor& {op.name}_({params(op, True, True)});")
    return "\n".join(lines)
