# SPDX-License-Identifier: Apache-2.0
"""Python bindings of a family: one conversion function per op, and the public, method and _C_ops
signatures over it.
"""

import keyword

from .arguments import PyArg, PySig
from .identity import identity
from .signatures import flag, own_header
from .template import commas, fill

CONVERT = {
    "Tensor": "ToTensor",
    "Tensor?": "ToOptionalTensor",
    "Tensor[]": "ToTensors",
    "bool": "ToBool",
    "int": "ToInt32",
    "int64": "ToInt",
    "float": "ToDouble",
    "double": "ToDouble",
    "str": "ToStr",
    "int[]": "ToInts32",
    "int64[]": "ToInts",
    "float[]": "ToDoubles",
    "double[]": "ToDoubles",
    "str[]": "ToStrs",
    "IntArray": "ToIntArray",
    "Scalar": "ToScalar",
    "Scalar[]": "ToScalars",
    "DataType": "ToDataType",
    "Place": "ToPlace",
}
TAKES_NONE = (
    "IntArray",
    "int[]",
    "int64[]",
    "DataType",
    "Place",
)  # kinds whose conversion knows None
NUMBERS = "int", "int64", "float", "double", "Scalar"


def c_string(s):
    return '"' + s.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


# --- slots of the op's arguments -> the C++ call
CALL = """
PyObject* call_$op(PyObject* const* a) {
  $arguments
  return Wrap(paddle::$op($args));
}
"""
KEPT = """
PyObject* kept_$op(PyObject* const* a) {
  $arguments
  auto r = paddle::$op($args);
  return Wrap($kept);
}
"""
CALL_FOR_EFFECT = """
PyObject* call_$op(PyObject* const* a) {
  $arguments
  paddle::$op($args);
  Py_RETURN_NONE;
}
"""
CALL_INPLACE = """
PyObject* call_${op}_(PyObject* const* a) {

  $arguments
  paddle::${op}_($args);
  Py_INCREF(a[0]);
  return a[0];
}
"""


def call_functions(op):
    """call_<op>(slots in the op's order), kept_<op> where some results are intermediate, and
    call_<op>_ where the op has an in-place form.
    """
    args = commas(f"t_{a.name}" for a in op.args)
    arguments = [argument(op, i) for i in range(len(op.args))]
    form = CALL if op.outs else CALL_FOR_EFFECT
    out = fill(form, op=op.name, arguments=arguments, args=args)
    if has_intermediate(op):
        kept = [f"std::move(std::get<{i}>(r))" for i, o in enumerate(op.outs) if is_kept(op, o)]
        kept = kept[0] if len(kept) == 1 else f"std::make_tuple({commas(kept)})"
        out += "\n" + fill(KEPT, op=op.name, arguments=arguments, args=args, kept=kept)
    if op.inplace:
        arguments = [argument(op, i, written=i == 0) for i in range(len(op.args))]
        out += "\n" + fill(CALL_INPLACE, op=op.name, arguments=arguments, args=args)
    return out


def is_kept(op, output):
    """Whether PaddlePaddle's function returns this result: others are for the gradient alone."""
    return output.name not in (identity(op.name) or {}).get("intermediate", ())


def has_intermediate(op):
    return not op.internal and not all(is_kept(op, o) for o in op.outs)


def argument(op, i, written=False):
    """The statement that converts slot i; `written`: the call writes it, so it needs a handle of
    its own.
    """
    a, at = op.args[i], f"a[{i}]"
    call = f'({at}, "{op.name.removesuffix("_v2")}", "{a.name}")'
    other = scalar_partner(op, i)
    if other is not None:
        like = f"IsTensor(a[{other}]) ? AsTensor(a[{other}]) : Tensor()"
        wide = "kInfinite" if op.out == "bool" else "kFloating" if op.int_as_float else "kRefused"
        number = f'ToTensorOrScalar({at}, {like}, "{op.name}", "{a.name}", Wide::{wide})'
        return f"Tensor t_{a.name} = IsTensor({at}) ? AsTensor({at}) : {number};"
    if a.kind == "Tensor":
        return f"{'Tensor' if written else 'const Tensor&'} t_{a.name} = ToTensor{call};"
    if a.kind == "Tensor?":
        return f"Tensor t_{a.name} = ToOptionalTensor{call};"
    converted = f"{CONVERT[a.kind]}{call}"
    if a.cpp_default is not None:
        given = at if is_none_read(op, a) else f"{at} && {at} != Py_None"
        converted = f"{given} ? {converted} : {a.cpp_value}({a.cpp_default})"
    fits = (
        f' CheckFits({at}, t_{op.args[0].name}, "{op.name}", "{a.name}");'
        if a.kind == "Scalar" and op.args[0].kind == "Tensor"
        else ""
    )
    if fits and all(b.kind != "DataType" for b in op.args):
        fits += f' CheckReal(t_{a.name}, t_{op.args[0].name}, "{op.name}", "{a.name}");'
    return f"{a.cpp_value} t_{a.name} = {converted};{fits}"


def is_none_read(op, a):
    """Whether the conversion gets to see None: else it stands for the default. As in PaddlePaddle
    a bool that is None is false, and a number None is refused, unless a signature has that default.
    """
    if a.kind in TAKES_NONE or a.kind == "bool":
        return True
    declared = any(p.name == a.name and p.default == "None" for sig in op.py for p in sig.args)
    return (a.kind in NUMBERS or a.kind == "str") and not declared


def scalar_partner(op, i):
    """The argument whose dtype and place a Python number in slot i takes, or None where it takes
    tensors alone.
    """

    def numeric(a):
        return a.kind == "Tensor" and a.name not in op.bool_inputs

    if not (op.elementwise and len(op.tensors) >= 2 and numeric(op.args[i])):
        return None
    return next(k for k, b in enumerate(op.args) if k != i and numeric(b))


# --- signatures
SPEC = """
const ArgSpec args_$cname[] = {$rows};
const FnSpec spec_$cname = {$name, $module, $doc, $signature, $count, args_$cname, $call};
"""


def spec(op, cname, sig, call, doc):
    """The static FnSpec of a signature; arguments unknown to the op (name, out) are handled by
    `call`.
    """

    def row(p):
        alias = c_string(op.alias[p.name]) if p.name in op.alias else "nullptr"
        several = p.varargs or p.name == op.varargs
        return (
            f"{{{c_string(p.name)}, {alias}, {flag(p.kwonly)}, {flag(several)}, "
            f"{flag(p.default is not None)}}}"
        )

    return fill(
        SPEC,
        cname=cname,
        rows=commas(map(row, sig.args)) or "{}",
        name=c_string(sig.name),
        module=c_string(sig.module),
        doc=c_string(doc),
        signature=c_string(signature(sig.args)),
        count=len(sig.args),
        call=call,
    )


def signature(pargs):
    """The text for inspect. A default before an argument that must be given is left out: Python has
    no such signature.
    """
    parts, star = [], False
    required = max(
        (i for i, p in enumerate(pargs) if p.default is None and not p.kwonly and not p.varargs),
        default=-1,
    )
    for i, p in enumerate(pargs):
        if p.kwonly and not star:
            if not any(q.varargs for q in pargs):
                parts.append("*")
            star = True
        parts.append(
            ("*" + p.name)
            if p.varargs
            else p.name + (f"={p.default}" if p.default is not None and i > required else "")
        )
    return "(" + ", ".join(parts) + ")"


WRAPPER = """
PyObject* py_$cname(PyObject* const* p) {
  PyObject* a[$count];
  $slots
  $defaults
  $cast
  $inplace
  $out
}
"""


def wrapper(op, cname, sig, inplace=False):
    """Maps the slots of a public signature to the op's; supports `out=` and `inplace=`."""
    positions = {p.name: i for i, p in enumerate(sig.args)}
    call = f"call_{op.name}{'_' if inplace else ''}(a)"
    if op.named:
        call = f"Named({call}, {c_string(op.named)})"
    sources = [positions.get(op.py_map.get(a.name, a.name)) for a in op.args]
    asked = positions.get("inplace") if op.inplace and not inplace else None
    return fill(
        WRAPPER,
        cname=cname,
        count=max(len(op.args), 1),
        out=results(op, sig, call, positions.get("out"), inplace),
        slots=[f"a[{i}] = {'nullptr' if k is None else f'p[{k}]'};" for i, k in enumerate(sources)],
        defaults=[
            line
            for i, k in enumerate(sources)
            if k is not None
            for line in [*default(op, i, sig.args[k]), *flag_of_text(op, i)]
        ],
        cast=cast_first(op, positions.get("dtype")),
        inplace=asked is not None
        and f'if (p[{asked}] && ToBool(p[{asked}], "{op.name}", "inplace")) return '
        f'call_{op.name}_(a);',
    )


CAST = """
PyRef cast;
if (p[$dtype] && p[$dtype] != Py_None) {
  cast = Own(CallOp("cast", {$x, p[$dtype]}));
  $x = cast.get();
}
"""


def cast_first(op, dtype):
    """The statement that casts what `casts` names; `dtype`: the position of that argument."""
    if op.casts is None or dtype is None:
        return None
    x = next(i for i, a in enumerate(op.args) if a.name == op.casts)
    return fill(CAST, dtype=dtype, x=f"a[{x}]")


TEXTS = """
if ($at && PyUnicode_Check($at)) {
  $known
  else RaiseValueError("[$op] expected $expected, got '" + ToStr($at, "$op", "$name") + "'");
}
"""


def flag_of_text(op, i):
    """The statement that puts a flag in the place of a text that stands for one."""
    a, at = op.args[i], f"a[{i}]"
    texts = op.texts.get(a.name, {})
    if not texts:
        return []
    known = [
        f"{'else ' if k else ''}if (PyUnicode_CompareWithASCIIString({at}, {c_string(text)}) == 0) "
        f"{at} = {'Py_True' if stands else 'Py_False'};"
        for k, (text, stands) in enumerate(texts.items())
    ]
    expected = f"{a.name} True, False, " + " or ".join(f"'{text}'" for text in texts)
    return [fill(TEXTS, at=at, known=known, op=op.py[0].name, name=a.name, expected=expected)]


def default(op, i, public):
    """Statements for a default of the public signature that differs from the op's own, and for what
    None stands for.
    """
    a = op.args[i]
    if a.is_tensor:
        return []
    if a.name in op.none:
        return [
            f"if (!a[{i}] || a[{i}] == Py_None) a[{i}] = Default({c_string(str(op.none[a.name]))});"
        ]
    return (
        [f"if (!a[{i}]) a[{i}] = Default({c_string(public.default)});"]
        if public.default not in (None, "None")
        else []
    )


def results(op, sig, call, out, inplace):
    """Statements that return the result; `out`: the position of that argument, or None."""
    if out is None:
        return [f"return {call};"]
    if inplace:
        text = f"[{sig.name}] expected out=None: the result is written to {op.args[0].name}"
        return [
            f'if (p[{out}] && p[{out}] != Py_None) RaiseTypeError("{text}");',
            f"return {call};",
        ]
    return [
        f"PyObject* r = {call};",
        f"return p[{out}] && p[{out}] != Py_None ? WriteOut(r, p[{out}]) : r;",
    ]


# --- the file
FILE = """
// Generated by tools/opgen. Do not edit.
#include "paddle/pybind/object/py_args.h"
#include "paddle/pybind/object/py_tensor.h"
#include "$header"
namespace paddle::py {
namespace {
$functions
$registered
}  // namespace
}  // namespace paddle::py
"""
REGISTERED = """
const Registration regs[] = {$rows};
[[maybe_unused]] const bool registered = (RegisterFunctions(regs, $count), true);
"""
TENSOR, C_OPS = "paddle.Tensor", "paddle._C_ops"
WHOLE = "paddle._C_ops.whole"  # functions of C_OPS with all their results, where that has fewer


def family_source(ops):
    functions, places = [], []
    for op in ops:
        if op.internal and not op.py:
            continue
        functions.append(call_functions(op))
        for binding in [*c_ops(op), *(b for k in range(len(op.py)) for b in public(op, k))]:
            functions += binding[0]
            places += binding[1]
    rows = commas(f"{{&spec_{cname}, {c_string(module)}}}" for cname, module in places)
    return (
        fill(
            FILE,
            header=own_header(ops) or "paddle/phi/api/ops.h",
            functions=functions,
            registered=rows and fill(REGISTERED, rows=rows, count=len(places)),
        )
        + "\n"
    )


def c_ops(op):
    """[(C++, [(name in C++, module)])] of the positional functions of paddle._C_ops, which return
    what is not intermediate.
    """
    if op.internal:
        return []
    args = [
        PyArg(
            a.name + "_" * keyword.iskeyword(a.name),
            "None" if (a.cpp_default is not None or a.optional) else None,
        )
        for a in op.args
    ]
    kept = "kept" if has_intermediate(op) else "call"
    forms = [(f"c_{op.name}", op.name, f"&{kept}_{op.name}", C_OPS)]
    if op.inplace:
        forms.append((f"ci_{op.name}", op.name + "_", f"&call_{op.name}_", C_OPS))
    if has_intermediate(op):
        forms.append((f"cw_{op.name}", op.name, f"&call_{op.name}", WHOLE))
    return [
        ([spec(op, cname, PySig(C_OPS, name, args), call, op.doc.strip())], [(cname, module)])
        for cname, name, call, module in forms
    ]


def public(op, k):
    """The same of a public signature and of its in-place form."""
    sig, doc = op.py[k], op.doc.strip()
    method = sig.module == "paddle" if op.method is None else op.method
    first_is_tensor = (
        bool(op.args) and op.args[0].kind == "Tensor" and sig.args and not sig.args[0].kwonly
    )
    only_method = sig.module == TENSOR
    cname = f"p{k}_{op.name}"
    places = [] if only_method else [(cname, sig.module)]
    if only_method or (method and first_is_tensor):
        places.append((cname, TENSOR))
    shown = PySig("paddle" if only_method else sig.module, sig.name, sig.args)
    out = [([wrapper(op, cname, sig), spec(op, cname, shown, f"&py_{cname}", doc)], places)]
    if isig := op.inplace_signature(sig):
        iname = f"i{k}_{op.name}"
        code = [
            wrapper(op, iname, isig, inplace=True),
            spec(op, iname, isig, f"&py_{iname}", doc + " In place." if doc else ""),
        ]
        out.append((code, [(iname, sig.module)] + ([(iname, TENSOR)] if method else [])))
    return out
