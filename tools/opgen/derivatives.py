# SPDX-License-Identifier: Apache-2.0
"""Derivatives of elementwise functions of one tensor, found from the stanza's own: eager gradients
with create_graph run them as single loops (paddle/eager/autograd/derivative.h)."""

import ast
from dataclasses import dataclass

from . import functions
from .emit_loops import DTYPES, SETS, TYPES, Loop
from .expr import TensorPrinter, free_names, parse
from .template import commas, fill

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
    if (
        value(a) is not None
        and isinstance(b, ast.BinOp)
        and isinstance(b.op, ast.Mult)
        and value(b.left) is not None
    ):
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
    return (
        a
        if value(a) == 0 or value(b) == 1
        else neg(over(a.operand, b))
        if isinstance(a, ast.UnaryOp)
        else ast.BinOp(a, ast.Div(), b)
    )


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
    """(v, [D, D', D'']) of an op with `derivatives: true`, whose gradient must be dout * D(v), v
    its argument or result.
    """
    bad = op.at("derivatives").error(
        "derivatives need one tensor, no attributes and a derivative with known ones"
    )
    if not op.elementwise or len(op.tensors) != 1 or op.attrs or op.vjp_kernel or len(op.vjp) != 1:
        raise bad
    node = parse(next(iter(op.vjp.values())), op.where)
    quotient = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div))
    if not (quotient and isinstance(node.left, ast.Name) and node.left.id == "dout"):
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


@dataclass
class Emitted:
    """The C++ of one op: loops, their declarations, and the definitions of EwDefs and of the
    table.
    """

    loops: list
    declarations: list
    definitions: list


LOOP = """
PD_EW_BEGIN(${name}_$suffix)
using T = $ctype;
$outs
$ins
PD_EW_BODY
$loads
$stores
PD_EW_END
"""
DEFINITION = """
constexpr EwDef k_$name = {"$op", $ins, $outs,
  {$types},
  {$types},
  {}, {$kinds}, $cost, {$table}};
"""
TABLE = """
constexpr Derivatives derivatives_$op = {{"${camel}DoubleGradNode", "${camel}TripleGradNode"},
  {$terms},
  {$joints},
  {$compositions}};
"""
COMPOSITION = "[](const Tensor& p, [[maybe_unused]] const Tensor& $v) { return p * ($d); }"


def add_loop(emitted, op, name, outs, ins):
    """A loop of the expressions `outs` for float32 and float64; returns the C++ of a pointer to its
    EwDef.
    """
    floats, count = [t for t in TYPES if t[3] == "float"], len(outs)
    for suffix, ctype, _, _ in floats:
        emitted.loops.append(
            fill(
                LOOP,
                name=name,
                suffix=suffix,
                ctype=ctype,
                outs=[f"PD_EW_OUT({k}, T)" for k in range(count)],
                ins=[f"PD_EW_IN({k + count}, T)" for k in range(len(ins))],
                loads=[f"PD_EW_LOAD({k + count}, {n})" for k, n in enumerate(ins)],
                stores=[f"PD_EW_STORE({k}, {Loop(op.where).text(e)})" for k, e in enumerate(outs)],
            )
        )
        emitted.declarations.append(
            f"PD_ISA_DECL(void, {name}_{suffix}, (char* const* ptrs, int64_t n, const double* "
            f"attrs))"
        )
    table = commas(
        "{" + commas(f"&phi::{isa}::{name}_{t[0]}" for t in floats) + "}" for isa in SETS
    )
    types = commas(f"DataType::{d if d in ('FLOAT32', 'FLOAT64') else 'UNDEFINED'}" for d in DTYPES)
    emitted.definitions.append(
        fill(
            DEFINITION,
            name=name,
            op=op.name,
            ins=len(ins),
            outs=count,
            types=types,
            cost=op.cost,
            table=table,
            kinds=commas(["EwOut::kSame"] * count),
        )
    )
    return f"&k_{name}"


def product(names, d):
    p = ast.Name(names[0])
    for n in names[1:]:
        p = ast.BinOp(p, ast.Mult(), ast.Name(n))
    return ast.BinOp(p, ast.Mult(), d)


def emit(op, ops):
    """The loops and the table `derivatives_<op>` of an op with `derivatives: true`; of order j, the
    inputs are p0 .. pj (the gradients so far, which the derivative is multiplied by), u (a gradient
    of the result) and the op's own v."""
    v, ds = find(op)
    emitted, terms, joints, compositions = Emitted([], [], []), [], [], []
    for j, d in enumerate(ds):
        p, zero = [f"p{i}" for i in range(j + 1)], value(d) == 0
        if zero:
            terms.append("nullptr")
        elif j == 0:  # the first-order loop, whose inputs are (dout, v)
            terms.append(f"&k_ew_{op.name}_grad_{op.tensors[0].name}")
        else:
            terms.append(
                add_loop(emitted, op, f"ew_{op.name}_derivative{j}", [product(p, d)], [*p, v])
            )
        compositions.append(
            "nullptr" if zero else fill(COMPOSITION, v=v, d=TensorPrinter(op.where, ops).text(d))
        )
        if j + 1 == ORDERS:
            continue
        if zero or value(ds[j + 1]) == 0:
            joints.append("nullptr")
        else:
            grads = [product([*p[:i], "u", *p[i + 1 :]], d) for i in range(j + 1)]
            joints.append(
                add_loop(
                    emitted,
                    op,
                    f"ew_{op.name}_derivatives{j}",
                    [*grads, product([*p, "u"], ds[j + 1])],
                    [*p, "u", v],
                )
            )
    emitted.definitions.append(
        fill(
            TABLE,
            op=op.name,
            camel=op.camel,
            terms=commas(terms),
            joints=commas(joints),
            compositions=commas(compositions),
        )
    )
    return emitted
