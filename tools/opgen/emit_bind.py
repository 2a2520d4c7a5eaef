# SPDX-License-Identifier: Apache-2.0
"""Python bindings of a family: one conversion function per op, and the public, method and _C_ops signatures over it."""
from .model import PyArg

CONVERT = {"Tensor": "ToTensor", "Tensor?": "ToOptionalTensor", "Tensor[]": "ToTensors", "bool": "ToBool", "int": "ToInt32", "int64": "ToInt",
           "float": "ToDouble", "double": "ToDouble", "str": "ToStr", "int[]": "ToInts32", "int64[]": "ToInts", "float[]": "ToDoubles",
           "double[]": "ToDoubles", "str[]": "ToStrs", "IntArray": "ToInts", "Scalar": "ToScalar", "Scalar[]": "ToScalars",
           "DataType": "ToDataType", "Place": "ToPlace"}


def c_string(s):
    return '"' + s.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def call_fn(op, suffix="", alt_defaults=None):
    """static PyObject* call_<op>(slots in op argument order)."""
    L = [f"PyObject* call_{op.name}{suffix}(PyObject* const* a) {{"]
    scalar_ok = op.elementwise and len(op.tensors) >= 2
    args = []
    for i, a in enumerate(op.args):
        conv = CONVERT[a.kind]
        default = (alt_defaults or {}).get(a.name) or a.cpp_default
        if a.kind == "Tensor" and scalar_ok and a.name not in op.bool_inputs:
            others = [k for k, b in enumerate(op.args) if b.kind == "Tensor" and k != i and b.name not in op.bool_inputs]
            L.append(f'  Tensor t_{a.name} = IsTensor(a[{i}]) ? AsTensor(a[{i}]) : ToTensorOrScalar(a[{i}], IsTensor(a[{others[0]}]) ? AsTensor(a[{others[0]}]) : Tensor(), "{op.name}", "{a.name}");')
        elif a.kind == "Tensor":
            L.append(f'  const Tensor& t_{a.name} = ToTensor(a[{i}], "{op.name}", "{a.name}");')
        elif a.kind == "Tensor?":
            L.append(f'  Tensor t_{a.name} = ToOptionalTensor(a[{i}], "{op.name}", "{a.name}");')
        elif default is not None:
            t = a.cpp_value
            none_ok = " && a[%d] != Py_None" % i if a.kind not in ("IntArray", "int[]", "int64[]", "DataType", "Place") else ""
            L.append(f'  {t} t_{a.name} = a[{i}]{none_ok} ? {conv}(a[{i}], "{op.name}", "{a.name}") : {t}({default});')
        else:
            t = a.cpp_value
            L.append(f'  {t} t_{a.name} = {conv}(a[{i}], "{op.name}", "{a.name}");')
        args.append(f"t_{a.name}")
    L.append(f"  return Wrap(paddle::{op.name}({', '.join(args)}));")
    L.append("}")
    if op.inplace and not suffix:
        first = op.args[0].name
        L.append(f"PyObject* call_{op.name}_(PyObject* const* a) {{")
        for line in "\n".join(L).split(f"PyObject* call_{op.name}(PyObject* const* a) {{")[1].splitlines():
            if "return Wrap" in line:
                break
            line = line.replace(f"const Tensor& t_{first} =", f"Tensor t_{first} =")
            L.append(line)
        L.append(f"  paddle::{op.name}_({', '.join(args)});")
        L.append("  Py_INCREF(a[0]);\n  return a[0];\n}")
    return "\n".join(L)


def spec(op, cname, pyname, module, pargs, call, doc):
    """Static FnSpec for a signature; arguments unknown to the op (name, out) are handled by the wrapper `call`."""
    rows = []
    for p in pargs:
        al = op.alias.get(p.name)
        rows.append(f'{{{c_string(p.name)}, {c_string(al) if al else "nullptr"}, {"true" if p.kwonly else "false"}, {"true" if p.varargs or p.name == op.varargs else "false"}, '
                    f'{"true" if p.default is not None else "false"}}}')
    sig = signature(pargs)
    arr = f"const ArgSpec args_{cname}[] = {{{', '.join(rows) if rows else '{}'}}};"
    fn = (f"const FnSpec spec_{cname} = {{{c_string(pyname)}, {c_string(module)}, {c_string(doc)}, {c_string(sig)}, {len(pargs)}, "
          f"args_{cname}, {call}}};")
    return arr + "\n" + fn


def signature(pargs):
    """The text for inspect. A default before an argument that must be given is left out: Python has no such signature."""
    parts, star = [], False
    required = max((i for i, p in enumerate(pargs) if p.default is None and not p.kwonly and not p.varargs), default=-1)
    for i, p in enumerate(pargs):
        if p.kwonly and not star:
            if not any(q.varargs for q in pargs):
                parts.append("*")
            star = True
        parts.append(("*" + p.name) if p.varargs else p.name + (f"={p.default}" if p.default is not None and i > required else ""))
    return "(" + ", ".join(parts) + ")"


def wrapper(op, cname, sig, inplace=False):
    """Maps a public signature's slots to the op's; supports `out=`."""
    pos = {p.name: i for i, p in enumerate(sig.args)}
    L = [f"PyObject* py_{cname}(PyObject* const* p) {{"]
    L.append(f"  PyObject* a[{max(len(op.args), 1)}];")
    for i, a in enumerate(op.args):
        src = op.py_map.get(a.name, a.name)
        if src in pos:
            L.append(f"  a[{i}] = p[{pos[src]}];")
        else:
            L.append(f"  a[{i}] = nullptr;")
    call = f"call_{op.name}{'_' if inplace else ''}(a)"
    # A default of the public signature that differs from the op's own.
    for i, a in enumerate(op.args):
        src = op.py_map.get(a.name, a.name)
        if src in pos and not a.is_tensor:
            d = sig.args[pos[src]].default
            none = op.none.get(a.name)  # what None stands for, where that is not the op's own default
            if none is not None:
                L.append(f"  if (!a[{i}] || a[{i}] == Py_None) a[{i}] = Default({c_string(str(none))});")
            elif d is not None and d not in ("None",):
                L.append(f"  if (!a[{i}]) a[{i}] = Default({c_string(d)});")
            elif d is None and a.cpp_default is None:
                pass
    if "inplace" in pos and op.inplace and not inplace:
        k = pos["inplace"]
        L.append(f'  if (p[{k}] && ToBool(p[{k}], "{op.name}", "inplace")) return call_{op.name}_(a);')
    if "out" in pos and inplace:
        k = pos["out"]
        L.append(f'  if (p[{k}] && p[{k}] != Py_None) RaiseTypeError("[{sig.name}] expected out=None: the result is written to {op.args[0].name}");')
    if "out" in pos and not inplace:
        L.append(f"  PyObject* r = {call};")
        L.append(f"  return p[{pos['out']}] && p[{pos['out']}] != Py_None ? WriteOut(r, p[{pos['out']}]) : r;")
    else:
        L.append(f"  return {call};")
    L.append("}")
    return "\n".join(L)


def family_source(name, ops):
    out = ["// Generated by tools/opgen. Do not edit.", '#include "paddle/pybind/py_args.h"', '#include "paddle/pybind/py_tensor.h"',
           '#include "paddle/phi/api/ops.h"', "namespace paddle::py {", "namespace {"]
    regs = []
    for op in ops:
        if op.internal and not op.py:
            continue
        out.append(call_fn(op))
        doc = op.doc.strip()
        if not op.internal:
            cargs = [PyArg(a.name, "None" if (a.cpp_default is not None or a.optional) else None) for a in op.args]
            out.append(spec(op, f"c_{op.name}", op.name, "paddle._C_ops", cargs, f"&call_{op.name}", doc))
            regs.append((f"c_{op.name}", "paddle._C_ops"))
            if op.inplace:
                out.append(spec(op, f"ci_{op.name}", op.name + "_", "paddle._C_ops", cargs, f"&call_{op.name}_", doc))
                regs.append((f"ci_{op.name}", "paddle._C_ops"))
        for k, sig in enumerate(op.py):
            cname = f"p{k}_{op.name}"
            out.append(wrapper(op, cname, sig))
            shown = "paddle" if sig.module == "paddle.Tensor" else sig.module
            out.append(spec(op, cname, sig.name, shown, sig.args, f"&py_{cname}", doc))
            if sig.module != "paddle.Tensor":
                regs.append((cname, sig.module))
            method = sig.module == "paddle" if op.method is None else op.method
            first_is_tensor = bool(op.args) and op.args[0].kind == "Tensor" and sig.args and not sig.args[0].kwonly
            if sig.module == "paddle.Tensor" or (method and first_is_tensor):
                regs.append((cname, "paddle.Tensor"))
            if op.inplace and op.inplace != "hidden" and sig.module != "paddle.Tensor":
                iname = f"i{k}_{op.name}"
                isig = type(sig)(sig.module, sig.name + "_", [a for a in sig.args if a.name != "out" or op.inplace == "out"])
                out.append(wrapper(op, iname, isig, inplace=True))
                out.append(spec(op, iname, isig.name, sig.module, isig.args, f"&py_{iname}", doc + " In place." if doc else ""))
                regs.append((iname, sig.module))
                if method:
                    regs.append((iname, "paddle.Tensor"))
    if regs:
        out.append("const Registration regs[] = {" + ", ".join(f"{{&spec_{c}, {c_string(w)}}}" for c, w in regs) + "};")
        out.append(f"[[maybe_unused]] const bool registered = (RegisterFunctions(regs, {len(regs)}), true);")
    out.append("}  // namespace\n}  // namespace paddle::py")
    return "\n".join(out) + "\n"


def method_names(op):
    out = []
    for sig in op.py:
        out.append((sig.module, sig.name, signature(sig.args)))
        if op.inplace and op.inplace != "hidden" and sig.module != "paddle.Tensor":
            out.append((sig.module, sig.name + "_", signature([a for a in sig.args if a.name != "out" or op.inplace == "out"])))
    return out


def stub(ops):
    """A .pyi of the generated functions, per namespace."""
    by_mod = {}
    for op in ops:
        for mod, name, sig in method_names(op):
            by_mod.setdefault(mod, []).append((name, sig, op.doc.strip()))
    lines = ["# Generated by tools/opgen. Do not edit.", "from typing import Any", "from paddle import Tensor", ""]
    for mod in sorted(by_mod):
        lines.append(f"# --- {mod}")
        for name, sig, doc in sorted(by_mod[mod]):
            lines.append(f"def {name}{sig} -> Any:")
            lines.append(f'    """{doc}"""')
        lines.append("")
    return "\n".join(lines)
