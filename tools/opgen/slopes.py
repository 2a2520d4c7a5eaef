# SPDX-License-Identifier: Apache-2.0
"""Derivatives of elementwise functions of one tensor, found from the stanza's own: eager gradients with create_graph run them as
single loops (paddle/eager/autograd/slope.h)."""
import ast

from . import functions
from .emit_loops import DTYPES, TYPES, Loop
from .expr import TensorPrinter, free_names, parse

ORDERS = 3  # the derivative D of the function and two more


class NoRule(Exception):
    pass


def num(v):
    return ast.Constant(v)


def value(n):
    return n.value if isinstance(n, ast.Constant) else None


def same(a, b):
    return ast.dump(a) == ast.dump(b)


def neg(a):
    if value(a) is not None:
        return num(-a.value)
    return a.operand if isinstance(a, ast.UnaryOp) else ast.UnaryOp(ast.USub(), a)


def times(a, b):
    if value(b) is not None and value(a) is None:
        a, b = b, a
    if value(a) == 0:
        return num(0)
    if value(a) == 1:
        return b
    if value(a) is not None and value(b) is not None:
        return num(a.value * b.value)
    if isinstance(b, ast.UnaryOp):
        return times(neg(a), b.operand) if value(a) is not None else neg(times(a, b.operand))
    if isinstance(a, ast.UnaryOp):
        return neg(times(a.operand, b))
    if value(a) is not None and isinstance(b, ast.BinOp) and isinstance(b.op, ast.Mult) and value(b.left) is not None:
        return times(num(a.value * b.left.value), b.right)
    return ast.BinOp(a, ast.Mult(), b)


def plus(a, b):
    if value(a) == 0:
        return b
    if value(b) == 0:
        return a
    if value(a) is not None and value(b) is not None:
        return num(a.value + b.value)
    if same(a, b):
        return times(num(2), a)
    if isinstance(b, ast.UnaryOp):
        return ast.BinOp(a, ast.Sub(), b.operand)
    return ast.BinOp(a, ast.Add(), b)


def over(a, b):
    return a if value(a) == 0 or value(b) == 1 else neg(over(a.operand, b)) if isinstance(a, ast.UnaryOp) else ast.BinOp(a, ast.Div(), b)


class Put(ast.NodeTransformer):
    """Puts an expression in the place of `u`; names of functions stay."""

    def __init__(self, u):
        self.u = u

    def visit_Call(self, n):
        return ast.Call(n.func, [self.visit(a) for a in n.args], [])

    def visit_Name(self, n):
        return self.u if n.id == "u" else n


def derivative(n, v):
    """d n / d v, simplified so far that no rounding and no NaN changes; raises NoRule."""
    if isinstance(n, ast.Constant):
        return num(0)
    if isinstance(n, ast.Name):
        return num(1 if n.id == v else 0)
    if isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.USub):
        return neg(derivative(n.operand, v))
    if isinstance(n, ast.BinOp):
        a, b = n.left, n.right
        da, db = derivative(a, v), derivative(b, v)
        if isinstance(n.op, ast.Add):
            return plus(da, db)
        if isinstance(n.op, ast.Sub):
            return plus(da, neg(db))
        if isinstance(n.op, ast.Mult):
            return times(num(2), times(a, da)) if same(a, b) else plus(times(da, b), times(a, db))
        if isinstance(n.op, ast.Div):
            return plus(over(da, b), neg(over(times(a, db), times(b, b))))
    scalar = functions.scalars().get(n.func.id) if isinstance(n, ast.Call) else None
    if scalar and scalar.derivative:
        u = n.args[0]
        return times(Put(u).visit(parse(scalar.derivative, functions.TABLE)), derivative(u, v))
    raise NoRule


def find(op):
    """(v, [D, D', D'']) of an op with `slopes: true`, whose gradient must be dout * D(v), v its argument or result; else None."""
    if not op.slopes:
        return None
    bad = op.at("slopes").error("slopes need one tensor, no attributes and a derivative with known ones")
    if not op.elementwise or len(op.tensors) != 1 or op.attrs or op.vjp_kernel or len(op.vjp) != 1:
        raise bad
    node = parse(next(iter(op.vjp.values())), op.where)
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)) and isinstance(node.left, ast.Name) and node.left.id == "dout"):
        raise bad
    d = node.right
    if isinstance(d, ast.Call) and d.func.id == "conj_of":
        d = d.args[0]
    if isinstance(node.op, ast.Div):
        d = ast.BinOp(num(1), ast.Div(), d)
    names = free_names(d)[0]
    if len(names) != 1 or names & {"dout"}:
        raise bad
    v, out = names.pop(), [d]
    try:
        while len(out) < ORDERS:
            out.append(derivative(out[-1], v))
    except NoRule:
        raise bad from None
    return v, out


def loop(op, name, outs, ins):
    """A loop of `outs` ({number of the output: expression}) for float32 and float64, its declarations and its EwDef."""
    floats = [t for t in TYPES if t[3] == "float"]
    text, decl = [], []
    for suffix, ctype, _, _ in floats:
        lines = [f"PD_EW_BEGIN({name}_{suffix})", f"using T = {ctype};", *[f"PD_EW_OUT({k}, T)" for k in range(len(outs))]]
        lines += [f"PD_EW_IN({k + len(outs)}, T)" for k in range(len(ins))] + ["PD_EW_BODY"]
        lines += [f"PD_EW_LOAD({k + len(outs)}, {n})" for k, n in enumerate(ins)]
        lines += [f"PD_EW_STORE({k}, {Loop(op.name).text(e)})" for k, e in enumerate(outs)] + ["PD_EW_END"]
        text.append("\n".join(lines))
        decl.append(f"PD_ISA_DECL(void, {name}_{suffix}, (char* const* ptrs, int64_t n, const double* attrs))")
    types = ", ".join(f"DataType::{d if d in ('FLOAT32', 'FLOAT64') else 'UNDEFINED'}" for d in DTYPES)
    table = ", ".join("{" + ", ".join(f"&phi::{isa}::{name}_{t[0]}" for t in floats) + "}" for isa in ("cpu_avx2", "cpu_avx512"))
    kinds = ", ".join(["EwOut::kSame"] * len(outs))
    return text, decl, (f"constexpr EwDef k_{name} = {{\"{op.name}\", {len(ins)}, {len(outs)},\n  {{{types}}},\n  {{{types}}},\n"
                        f"  {{}}, {{{kinds}}}, {op.cost}, {{{table}}}}};")


def product(names, d):
    p = ast.Name(names[0])
    for n in names[1:]:
        p = ast.BinOp(p, ast.Mult(), ast.Name(n))
    return ast.BinOp(p, ast.Mult(), d)


def emit(op, ops):
    """(loops, declarations, C++ of the table `slopes_<op>`), or None."""
    found = find(op)
    if not found:
        return None
    v, ds = found
    text, decl, defs, terms, joints, composes = [], [], [], [], [], []

    def add(name, outs, ins):
        t, d, k = loop(op, name, outs, ins)
        text.extend(t)
        decl.extend(d)
        defs.append(k)
        return f"&k_{name}"

    for j, d in enumerate(ds):
        p = [f"p{i}" for i in range(j + 1)]
        if value(d) == 0:
            terms.append("nullptr")
        elif j == 0:  # the first-order loop, whose inputs are (dout, v)
            terms.append(f"&k_ew_{op.name}_grad_{op.tensors[0].name}")
        else:
            terms.append(add(f"ew_{op.name}_slope{j}", [product(p, d)], [*p, v]))
        composes.append("nullptr" if value(d) == 0 else f"[](const Tensor& p, [[maybe_unused]] const Tensor& {v}) {{ return p * ({TensorPrinter(op.name, ops).text(d)}); }}")
        if j + 1 < ORDERS and value(d) != 0:
            grads = [product([*p[:i], "u", *p[i + 1:]], d) for i in range(j + 1)]
            if value(ds[j + 1]) == 0:
                joints.append("nullptr")
            else:
                joints.append(add(f"ew_{op.name}_slopes{j}", [*grads, product([*p, "u"], ds[j + 1])], [*p, "u", v]))
        elif j + 1 < ORDERS:
            joints.append("nullptr")
    defs.append(f"constexpr Slopes slopes_{op.name} = {{{{\"{op.camel}DoubleGradNode\", \"{op.camel}TripleGradNode\"}},\n  {{{', '.join(terms)}}},\n"
                f"  {{{', '.join(joints)}}},\n  {{{', '.join(composes)}}}}};")
    return text, decl, defs
